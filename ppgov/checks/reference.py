"""2xx: references between the parts of a pack, compositions apart."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ppgov.checks.rule import Case, Found, Rule, rule
from ppgov.findings import quote
from ppgov.pack import Entity, Pack, Provider, escape
from ppgov.suggest import DidYouMean

_FRAGMENT = re.compile(r"\{\{[#~\s]*fragments\.([A-Za-z0-9_.-]+)").finditer


@rule(
    "PPG201",
    "unknown-tool",
    "error",
    clause="PromptPack 1.9.0, tools; RFC 0010",
    reads=("prompts", "tools", "compositions"),
)
def unknown_tool(case: Case) -> Iterator[Found]:
    """A prompt or a composition step names a tool that the pack does not define.

    Why: what the tool can do to the world is declared under `tools`; for this one nothing can be said.
    Fix: define the tool, or correct the name.

    Bad:  tools: [lookup_ordr]
    Good: tools: [lookup_order]
    """
    tools = case.pack.tools
    for pointer, name in _tool_names(case.pack):
        if name not in tools and name not in case.pack.root.mapping("tools"):
            yield Found(pointer, f"the tool {quote(name)} is not defined", DidYouMean(name, tools, "tools"))


def _tool_names(pack: Pack) -> Iterator[tuple[str, str]]:
    for prompt in pack.prompts.values():
        yield from prompt.texts("tools")
    for step in pack.steps:
        entity = step.entity
        if step.kind in ("prompt", "agent"):
            yield from entity.texts("tools")
        if step.kind == "agent":
            termination = entity.child("termination")
            if termination and (name := termination.text("tool_called")) is not None:
                yield termination.at("tool_called"), name
        elif step.kind == "tool" and (name := entity.text("tool")) is not None:
            yield entity.at("tool"), name


@rule("PPG202", "unknown-agent-prompt", "error", clause="RFC 0007", reads=("agents", "prompts"))
def unknown_agent_prompt(case: Case) -> Iterator[Found]:
    """`agents.entry` or a key of `agents.members` is no key of `prompts`.

    Why: an agent is named by the prompt that it runs; without it the agent cannot be started.
    Fix: use a key of `prompts`, or add the prompt.

    Bad:  agents: {entry: front-desk, members: {front-desk: {}}}   (prompts: {frontdesk: ...})
    Good: agents: {entry: frontdesk, members: {frontdesk: {}}}
    """
    prompts = case.pack.prompts
    agents = case.pack.root.child("agents")
    if agents is None:
        return
    declared = case.pack.root.mapping("prompts")
    entry = agents.text("entry")
    if entry is not None and entry not in declared:
        yield Found(
            agents.at("entry"), f"the entry agent {quote(entry)} is no prompt", DidYouMean(entry, prompts, "prompts")
        )
    for key in agents.mapping("members"):
        if key not in declared:
            yield Found(
                agents.at("members", key), f"the agent {quote(key)} is no prompt", DidYouMean(key, prompts, "prompts")
            )


@rule("PPG203", "unknown-agent-state", "error", clause="RFC 0011", reads=("agents", "workflow"))
def unknown_agent_state(case: Case) -> Iterator[Found]:
    """An agent is backed by a workflow state that does not exist.

    Why: what the agent runs, and so which tools it reaches, cannot be told.
    Fix: name a key of `workflow.states`.

    Bad:  members: {triage: {state: traige}}
    Good: members: {triage: {state: triage}}
    """
    if not case.pack.has_workflow:
        return
    for agent in case.pack.agents.values():
        state = agent.text("state")
        if state is not None and state not in _states(case.pack):
            yield Found(
                agent.at("state"),
                f"the state {quote(state)} does not exist",
                DidYouMean(state, case.pack.states, "states"),
            )


@rule("PPG206", "state-without-workflow", "error", clause="RFC 0011", reads=("agents", "workflow"))
def state_without_workflow(case: Case) -> Iterator[Found]:
    """An agent names a workflow state, but the pack has no workflow.

    Why: `state` selects where the pack's workflow is entered; there is none.
    Fix: add the workflow, or remove `state` so that the agent runs its prompt.

    Bad:  members: {triage: {state: triage}}   (no workflow)
    Good: members: {triage: {}}
    """
    if "workflow" in case.pack.data:
        return
    for agent in case.pack.agents.values():
        if "state" in agent.data:
            yield Found(
                agent.at("state"),
                f"the agent {quote(agent.key)} names a state, but the pack has no workflow",
                "add `workflow`, or remove `state`",
            )


@rule("PPG207", "unknown-workflow-target", "error", clause="RFC 0005; RFC 0009", reads=("workflow",))
def unknown_workflow_target(case: Case) -> Iterator[Found]:
    """`workflow.entry`, an `on_event` target or `on_max_visits` names no state.

    Why: the workflow would stop or fail there, in a way that nobody declared.
    Fix: name a key of `workflow.states`.

    Bad:  on_event: {done: closing}   (no state `closing`)
    Good: on_event: {done: close}
    """
    workflow = case.pack.root.child("workflow")
    if workflow is None:
        return
    for pointer, name in _workflow_targets(workflow, case.pack):
        if name not in _states(case.pack):
            yield Found(
                pointer, f"the state {quote(name)} does not exist", DidYouMean(name, case.pack.states, "states")
            )


def _states(pack: Pack) -> dict[str, object]:
    """The state keys as written, so that a state of a wrong type is not reported again as missing."""
    workflow = pack.root.child("workflow")
    return workflow.mapping("states") if workflow else {}


def _workflow_targets(workflow: Entity, pack: Pack) -> Iterator[tuple[str, str]]:
    if (entry := workflow.text("entry")) is not None:
        yield workflow.at("entry"), entry
    for state in pack.states.values():
        for event, target in state.mapping("on_event").items():
            if isinstance(target, str):
                yield state.at("on_event", event), target
        if (limit := state.text("on_max_visits")) is not None:
            yield state.at("on_max_visits"), limit


@rule("PPG208", "unknown-state-prompt", "error", clause="RFC 0005", reads=("workflow", "prompts"))
def unknown_state_prompt(case: Case) -> Iterator[Found]:
    """A workflow state runs a prompt that does not exist.

    Why: the state does nothing that can be read from the pack.
    Fix: name a key of `prompts`.

    Bad:  states: {triage: {prompt_task: traige}}
    Good: states: {triage: {prompt_task: triage}}
    """
    for state in case.pack.states.values():
        task = state.text("prompt_task")
        if task is not None and task not in case.pack.root.mapping("prompts"):
            yield Found(
                state.at("prompt_task"),
                f"the prompt {quote(task)} does not exist",
                DidYouMean(task, case.pack.prompts, "prompts"),
            )


@rule("PPG209", "composition-state", "error", clause="RFC 0010", reads=("workflow", "compositions"))
def composition_state(case: Case) -> Iterator[Found]:
    """A state's mode and what it runs do not fit: in composition mode it names a composition that exists;
    in any other mode it names a prompt and no composition.

    Why: two statements about what runs would stand side by side, or none.
    Fix: set `composition` together with `orchestration: composition`, or `prompt_task` without either.

    Bad:  intake: {orchestration: composition, prompt_task: intake}
    Good: intake: {orchestration: composition, composition: intake-steps}
    """
    for state in case.pack.states.values():
        mode = state.data.get("orchestration", "internal")
        name = state.text("composition")
        if mode == "composition":
            if name is not None and name not in case.pack.root.mapping("compositions"):
                hint = DidYouMean(name, case.pack.compositions, "compositions")
                yield Found(state.at("composition"), f"the composition {quote(name)} does not exist", hint)
        elif {"composition", "prompt_task"} <= state.data.keys() and mode in ("internal", "external", "hybrid"):
            yield Found(
                state.at("composition"),
                f"the state {quote(state.key)} names a composition, but its orchestration is not 'composition'",
                "add `orchestration: composition`, or remove `composition`",
            )


@rule("PPG210", "terminal-state-with-transitions", "warning", clause="RFC 0009", reads=("workflow",))
def terminal_state_with_transitions(case: Case) -> Iterator[Found]:
    """A terminal state declares transitions, which are never taken.

    Why: a reader of the pack would expect the workflow to go on.
    Fix: remove `on_event`, or `terminal`.

    Bad:  done: {prompt_task: bye, terminal: true, on_event: {again: triage}}
    Good: done: {prompt_task: bye, terminal: true}
    """
    for state in case.pack.states.values():
        if state.data.get("terminal") is True and state.mapping("on_event"):
            yield Found(
                state.at("on_event"),
                f"the terminal state {quote(state.key)} declares transitions",
                "remove `on_event`, or `terminal: true`",
            )


@rule("PPG217", "duplicate-provider-key", "error", clause="RFC 0012", reads=("requires",))
def duplicate_provider_key(case: Case) -> Iterator[Found]:
    """Two provider requirements have one key.

    Why: the key alone tells the requirements apart; which of the two a prompt means cannot be told.
    Fix: give each its own key.

    Bad:  providers: [judge, {key: judge, role: embedding}]
    Good: providers: [judge, {key: vectors, role: embedding}]
    """
    first: dict[str, Provider] = {}
    for provider in case.pack.providers:
        earlier = first.setdefault(provider.key, provider)
        if earlier is not provider:
            pointer = provider.pointer if isinstance(provider.data, str) else f"{provider.pointer}/key"
            yield Found(
                pointer,
                f"the provider key {quote(provider.key)} is declared twice",
                "give each requirement its own key",
                ((earlier.pointer, "first declared here"),),
            )


@rule("PPG218", "unknown-provider", "error", clause="RFC 0017", reads=("requires", "prompts", "compositions"))
def unknown_provider(case: Case) -> Iterator[Found]:
    """A prompt or a step names a provider that is no declared requirement and not `default`.

    Why: which model answers is part of what is reviewed; here it cannot be told.
    Fix: declare the key under `requires.providers`, or use `default`.

    Bad:  provider: juge
    Good: provider: judge
    """
    known = {provider.key for provider in case.pack.providers} | {"default"}
    for entity in _provider_users(case.pack):
        name = entity.text("provider")
        if name is not None and name not in known:
            yield Found(
                entity.at("provider"),
                f"the provider {quote(name)} is not declared",
                DidYouMean(name, known, "providers"),
            )


def _provider_users(pack: Pack) -> Iterator[Entity]:
    yield from pack.prompts.values()
    yield from (step.entity for step in pack.steps if step.kind in ("prompt", "agent"))


@rule("PPG219", "optional-provider", "warning", clause="RFC 0017", reads=("requires", "prompts", "compositions"))
def optional_provider(case: Case) -> Iterator[Found]:
    """A prompt or a step relies on a provider that is declared as optional.

    Why: without the provider the prompt cannot run, although the pack says that it can do without.
    Fix: make the requirement required, or let the prompt use another provider.

    Bad:  requires: {providers: [{key: judge, role: llm, required: false}]}   (and provider: judge)
    Good: requires: {providers: [{key: judge, role: llm}]}
    """
    optional = {provider.key: provider for provider in case.pack.providers if not provider.required}
    for entity in _provider_users(case.pack):
        name = entity.text("provider")
        provider = optional.get(name) if name is not None else None
        if provider is not None:
            yield Found(
                entity.at("provider"),
                f"the provider {quote(provider.key)} is optional, but {quote(entity.key)} relies on it",
                "set `required: true` on the requirement, or use another provider",
                ((provider.pointer, "declared as optional here"),),
            )


@rule(
    "PPG220",
    "unsuited-provider-role",
    "warning",
    clause="RFC 0017",
    reads=("requires", "prompts", "workflow", "compositions"),
)
def unsuited_provider_role(case: Case) -> Iterator[Found]:
    """A conversational state's prompt, or a prompt step without `output_schema`, uses a provider that is no `llm`.

    Why: an embedding or speech model holds no conversation and gives no free text.
    Fix: use a provider with the role `llm`, or give the step an `output_schema`.

    Bad:  provider: vectors   (role: embedding, on the prompt of a workflow state)
    Good: provider: default
    """
    unsuited = {provider.key: provider for provider in case.pack.providers if provider.role != "llm"}
    for entity in _conversational(case.pack):
        name = entity.text("provider")
        provider = unsuited.get(name) if name is not None else None
        if provider is not None:
            yield Found(
                entity.at("provider"),
                f"the provider {quote(provider.key)} has the role {quote(provider.role)}, not 'llm'",
                "use a provider with the role llm" + (", or add `output_schema`" if "kind" in entity.data else ""),
                ((provider.pointer, "declared here"),),
            )


def _conversational(pack: Pack) -> Iterator[Entity]:
    """Where a provider that is no llm does not fit: what names it, each once."""
    prompts: dict[str, Entity] = {}
    for state in pack.states.values():
        task = state.text("prompt_task") or ""
        if state.data.get("orchestration") != "composition" and task in pack.prompts:
            prompts[task] = pack.prompts[task]
    for step in pack.steps:
        if step.kind == "prompt" and "output_schema" not in step.entity.data:
            task = step.entity.text("prompt_task") or ""
            if "provider" in step.entity.data:
                yield step.entity
            elif task in pack.prompts:
                prompts[task] = pack.prompts[task]
    yield from prompts.values()


@rule("PPG221", "duplicate-eval-id", "error", clause="RFC 0006", reads=("evals", "prompts"))
def duplicate_eval_id(case: Case) -> Iterator[Found]:
    """Two evals of one scope have the same id. (A prompt's eval overriding the pack's of the same id is fine.)

    Why: a control that names the id could mean either.
    Fix: give each eval of the pack, and each eval of one prompt, its own id.

    Bad:  evals: [{id: tone, ...}, {id: tone, ...}]
    Good: evals: [{id: tone, ...}, {id: tone-weekly, ...}]
    """
    first: dict[tuple[str | None, str], Entity] = {}
    for item in case.pack.evals:
        name = item.entity.text("id")
        if name is None:
            continue
        earlier = first.setdefault((item.prompt, name), item.entity)
        if earlier is not item.entity:
            where = "the pack" if item.prompt is None else f"the prompt {quote(item.prompt)}"
            yield Found(
                item.entity.at("id"),
                f"the eval id {quote(name)} is declared twice in {where}",
                "give each eval its own id",
                ((earlier.at("id"), "first declared here"),),
            )


@rule("PPG222", "unknown-fragment", "error", clause="RFC 0003", reads=("prompts", "fragments"))
def unknown_fragment(case: Case) -> Iterator[Found]:
    """A template uses `{{fragments.x}}`, but the pack has no fragment x.

    Why: the text that the model sees would lack a part that the author relied on.
    Fix: add the fragment, or correct the name.

    Bad:  system_template: "{{fragments.disclaimr}}"
    Good: system_template: "{{fragments.disclaimer}}"
    """
    fragments = case.pack.root.mapping("fragments")
    for pointer, template in _templates(case.pack):
        if "fragments." not in template:
            continue
        for name in dict.fromkeys(match[1].rstrip(".") for match in _FRAGMENT(template)):
            if name not in fragments:
                yield Found(
                    pointer, f"the fragment {quote(name)} does not exist", DidYouMean(name, fragments, "fragments")
                )


def _templates(pack: Pack) -> Iterator[tuple[str, str]]:
    for prompt in pack.prompts.values():
        overrides = prompt.members("model_overrides")
        for entity in (prompt, *overrides):
            for name in ("system_template", "system_template_prefix", "system_template_suffix"):
                if (template := entity.text(name)) is not None:
                    yield entity.at(name), template
    for key, text in pack.root.mapping("fragments").items():
        if isinstance(text, str):
            yield f"/fragments/{escape(key)}", text


@rule("PPG223", "required-variable-with-default", "warning", clause="RFC 0003", reads=("prompts",))
def required_variable_with_default(case: Case) -> Iterator[Found]:
    """A required variable has a default, which is never used.

    Why: a reader cannot tell whether the value may be left out.
    Fix: set `required: false`, or remove `default`.

    Bad:  {name: company, type: string, required: true, default: Acme}
    Good: {name: company, type: string, required: false, default: Acme}
    """
    for prompt in case.pack.prompts.values():
        for variable in prompt.entries("variables", "name"):
            if variable.data.get("required") is True and "default" in variable.data:
                yield Found(
                    variable.at("default"),
                    f"the required variable {quote(variable.key)} has a default",
                    "set `required: false`, or remove `default`",
                )


@rule(
    "PPG224", "unknown-blocklisted-tool", "warning", clause="PromptPack 1.9.0, tool_policy", reads=("prompts", "tools")
)
def unknown_blocklisted_tool(case: Case) -> Iterator[Found]:
    """A blocklist names a tool that the pack does not define.

    Why: a misspelt entry blocks nothing.
    Fix: correct the name, or remove it.

    Bad:  tool_policy: {blocklist: [pay_refnd]}
    Good: tool_policy: {blocklist: [pay_refund]}
    """
    for prompt in case.pack.prompts.values():
        policy = prompt.child("tool_policy")
        for pointer, name in policy.texts("blocklist") if policy else ():
            if name not in case.pack.root.mapping("tools"):
                yield Found(
                    pointer,
                    f"the blocked tool {quote(name)} is not defined",
                    DidYouMean(name, case.pack.tools, "tools"),
                )


@rule("PPG225", "prompt-id-mismatch", "warning", clause="PromptPack 1.9.0, prompts", reads=("prompts",))
def prompt_id_mismatch(case: Case) -> Iterator[Found]:
    """A prompt's `id` differs from its key.

    Why: references use the key, logs often the id; the two should name the same thing.
    Fix: make them equal.

    Bad:  prompts: {triage: {id: router, ...}}
    Good: prompts: {triage: {id: triage, ...}}
    """
    for key, prompt in case.pack.prompts.items():
        name = prompt.text("id")
        if name is not None and name != key:
            yield Found(prompt.at("id"), f"the prompt {quote(key)} has the id {quote(name)}", "make `id` and key equal")


@rule("PPG226", "tool-name-mismatch", "warning", clause="PromptPack 1.9.0, tools", reads=("tools",))
def tool_name_mismatch(case: Case) -> Iterator[Found]:
    """A tool's `name` differs from its key.

    Why: the model calls the name, references use the key; the two should name the same thing.
    Fix: make them equal.

    Bad:  tools: {lookup: {name: look_up, ...}}
    Good: tools: {lookup: {name: lookup, ...}}
    """
    for key, tool in case.pack.tools.items():
        name = tool.text("name")
        if name is not None and name != key:
            yield Found(
                tool.at("name"), f"the tool {quote(key)} has the name {quote(name)}", "make `name` and key equal"
            )


@rule("PPG227", "unconfigured-media-type", "warning", clause="RFC 0004", reads=("prompts",))
def unconfigured_media_type(case: Case) -> Iterator[Found]:
    """A prompt supports a media type for which it sets no limits.

    Why: which files and sizes are accepted stays undeclared.
    Fix: add the configuration under the type's own name.

    Bad:  media: {enabled: true, supported_types: [image]}
    Good: media: {enabled: true, supported_types: [image], image: {max_size_mb: 10}}
    """
    for prompt in case.pack.prompts.values():
        media = prompt.child("media")
        for pointer, name in media.texts("supported_types") if media else ():
            if media and name not in media.data:
                yield Found(
                    pointer, f"the media type {quote(name)} has no configuration", f"add `{name}` under `media`"
                )


@rule("PPG229", "state-prompt-differs", "note", clause="RFC 0011", reads=("agents", "workflow"))
def state_prompt_differs(case: Case) -> Iterator[Found]:
    """A state-backed agent's member prompt is not the prompt that its state runs.

    Why: the agent card comes from the member prompt, what runs comes from the state; readers may mix them up.
    Fix: nothing has to change; usually both name the same prompt.

    Bad:  members: {triage: {state: intake}}   (states: {intake: {prompt_task: greeter}})
    Good: members: {triage: {state: intake}}   (states: {intake: {prompt_task: triage}})
    """
    for agent in case.pack.agents.values():
        state = case.pack.states.get(agent.text("state") or "")
        task = state.text("prompt_task") if state else None
        if (
            state
            and task is not None
            and state.data.get("orchestration") != "composition"
            and task in case.pack.prompts
            and task != agent.key
        ):
            yield Found(
                agent.at("state"),
                f"the agent {quote(agent.key)} has its card from its own prompt, but its state runs {quote(task)}",
                "nothing has to change if this is meant",
                ((state.at("prompt_task"), "the prompt that runs"),),
            )


RULES: tuple[Rule, ...] = (
    unknown_tool,
    unknown_agent_prompt,
    unknown_agent_state,
    state_without_workflow,
    unknown_workflow_target,
    unknown_state_prompt,
    composition_state,
    terminal_state_with_transitions,
    duplicate_provider_key,
    unknown_provider,
    optional_provider,
    unsuited_provider_role,
    duplicate_eval_id,
    unknown_fragment,
    required_variable_with_default,
    unknown_blocklisted_tool,
    prompt_id_mismatch,
    tool_name_mismatch,
    unconfigured_media_type,
    state_prompt_differs,
)
