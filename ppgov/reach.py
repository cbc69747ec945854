"""Which prompts and tools an agent runs.

One computation for every statement of the form "this agent can use that tool". Beside it stands the
pack-wide view (any tool of the pack), which is simply `pack.tools`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ppgov.pack import Entity, Pack, Step


class Reach(NamedTuple):
    """Keys in file order; only keys that exist in the pack."""

    states: tuple[str, ...]
    compositions: tuple[str, ...]
    prompts: tuple[str, ...]
    tools: tuple[str, ...]


def reach(pack: Pack) -> dict[str | None, Reach]:
    """Each agent's reach; a pack without agents is its own subject, under the key None."""
    by_composition: dict[str, list[Step]] = {}
    for step in pack.steps:
        by_composition.setdefault(step.composition, []).append(step)
    if not pack.agents:
        return {None: _close(pack, by_composition, tuple(pack.states), tuple(pack.prompts), tuple(pack.compositions))}
    reached: dict[str | None, Reach] = {}
    for key, agent in pack.agents.items():
        if "state" not in agent.data:
            reached[key] = _close(pack, by_composition, (), (key,), ())
        else:
            state = agent.text("state")
            states = states_from(pack, state) if state is not None else ()
            reached[key] = _close(pack, by_composition, states, (), ())
    return reached


def targets(state: Entity) -> Iterable[str]:
    """The states that a state can hand over to: its `on_event` values and `on_max_visits`."""
    yield from (target for target in state.mapping("on_event").values() if isinstance(target, str))
    if (limit := state.text("on_max_visits")) is not None:
        yield limit


def states_from(pack: Pack, start: str) -> tuple[str, ...]:
    """The states that can be reached from one, itself among them, in file order."""
    seen: set[str] = set()
    pending = [start]
    while pending:
        key = pending.pop()
        if key in pack.states and key not in seen:
            seen.add(key)
            pending.extend(targets(pack.states[key]))
    return tuple(key for key in pack.states if key in seen)


def _close(
    pack: Pack,
    steps: Mapping[str, list[Step]],
    states: tuple[str, ...],
    prompts: tuple[str, ...],
    compositions: tuple[str, ...],
) -> Reach:
    """What the given states, prompts and compositions reach. A prompt that only a prompt step runs gives no tool."""
    prompt_keys: set[str] = set()
    tool_keys: set[str] = set()
    composition_keys = set(compositions)
    conversational = list(prompts)
    for key in states:
        state = pack.states[key]
        if state.text("orchestration") == "composition":
            composition_keys.add(state.text("composition") or "")
        elif (task := state.text("prompt_task")) is not None:
            conversational.append(task)
    for key in conversational:
        if key in pack.prompts:
            prompt_keys.add(key)
            tool_keys.update(prompt_tools(pack.prompts[key]))
    for key in composition_keys:
        for step in steps.get(key, ()):
            used_prompts, used_tools = step_use(pack, step)
            prompt_keys.update(used_prompts)
            tool_keys.update(used_tools)
    return Reach(
        states=states,
        compositions=tuple(key for key in pack.compositions if key in composition_keys),
        prompts=tuple(key for key in pack.prompts if key in prompt_keys),
        tools=tuple(key for key in pack.tools if key in tool_keys),
    )


def prompt_tools(prompt: Entity) -> tuple[str, ...]:
    """A prompt's `tools` less its `blocklist`."""
    policy = prompt.child("tool_policy")
    blocked = {name for _, name in policy.texts("blocklist")} if policy else set()
    return tuple(name for _, name in prompt.texts("tools") if name not in blocked)


def step_use(pack: Pack, step: Step) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(prompts, tools) of one step: an agent step its own `tools`, else its prompt's; a prompt step no tool."""
    entity = step.entity
    task = entity.text("prompt_task")
    prompts = (task,) if task is not None and step.kind in ("prompt", "agent") and task in pack.prompts else ()
    if step.kind == "tool":
        tool = entity.text("tool")
        return (), (tool,) if tool is not None else ()
    if step.kind != "agent":
        return prompts, ()
    if "tools" in entity.data:
        return prompts, tuple(name for _, name in entity.texts("tools"))
    return prompts, prompt_tools(pack.prompts[prompts[0]]) if prompts else ()
