"""Reach: which prompts and tools an agent runs; each row of the section by hand."""

from __future__ import annotations

from typing import Any

from ppgov.pack import view
from ppgov.reach import Reach, reach
from tests.packs import pack, prompt, tool

PROMPTS = {
    "front": prompt("front", tools=["look", "pay"], tool_policy={"blocklist": ["pay"]}),
    "back": prompt("back", tools=["pay"]),
    "solo": prompt("solo", tools=["mail"]),
    "step": prompt("step", tools=["wipe"]),
    "loop": prompt("loop", tools=["mail", "wipe"]),
}
TOOLS = {key: tool(key) for key in ("look", "pay", "mail", "wipe", "direct", "scoped")}
WORKFLOW = {
    "version": 1,
    "entry": "start",
    "states": {
        "start": {"prompt_task": "front", "on_event": {"go": "work"}, "max_visits": 3, "on_max_visits": "stuck"},
        "work": {"orchestration": "composition", "composition": "steps", "on_event": {"again": "start"}},
        "stuck": {"prompt_task": "back", "terminal": True},
        "island": {"prompt_task": "solo"},
    },
}
COMPOSITIONS: dict[str, Any] = {
    "steps": {
        "version": 1,
        "steps": [
            {"id": "a", "kind": "prompt", "prompt_task": "step"},
            {
                "id": "b",
                "kind": "parallel",
                "branches": [
                    {"id": "b1", "kind": "tool", "tool": "direct"},
                    {
                        "id": "b2",
                        "kind": "agent",
                        "prompt_task": "loop",
                        "tools": ["scoped"],
                        "termination": {"max_steps": 2},
                    },
                ],
                "reduce": {"strategy": "append", "into": "all"},
            },
        ],
    }
}


def members(**agents: Any) -> dict[str, Any]:
    return {"entry": next(iter(agents)), "members": agents}


def reached(**parts: Any) -> dict[str | None, Reach]:
    return reach(view(pack(prompts=PROMPTS, tools=TOOLS, workflow=WORKFLOW, compositions=COMPOSITIONS, **parts)))


def test_an_agent_without_state_reaches_its_prompt_less_the_blocklist() -> None:
    assert reached(agents=members(front={}, solo={})) == {
        "front": Reach((), (), ("front",), ("look",)),
        "solo": Reach((), (), ("solo",), ("mail",)),
    }


def test_an_agent_with_state_reaches_states_compositions_and_nested_steps() -> None:
    assert reached(agents=members(solo={"state": "start"})) == {
        "solo": Reach(
            states=("start", "work", "stuck"),
            compositions=("steps",),
            prompts=("front", "back", "step", "loop"),
            tools=("look", "pay", "direct", "scoped"),
        )
    }


def test_a_prompt_step_gives_no_tool_and_an_agent_step_without_tools_its_prompts() -> None:
    steps = [
        {"id": "a", "kind": "prompt", "prompt_task": "step"},
        {"id": "b", "kind": "agent", "prompt_task": "loop", "termination": {"max_steps": 1}},
    ]
    data = pack(
        prompts=PROMPTS,
        tools=TOOLS,
        compositions={"c": {"version": 1, "steps": steps}},
        workflow={"version": 1, "entry": "s", "states": {"s": {"orchestration": "composition", "composition": "c"}}},
        agents=members(front={"state": "s"}),
    )
    assert reach(view(data))["front"].tools == ("mail", "wipe")


def test_an_empty_tool_list_of_an_agent_step_gives_none() -> None:
    data = pack(
        prompts=PROMPTS,
        tools=TOOLS,
        compositions={"c": {"version": 1, "steps": [{"id": "b", "kind": "agent", "prompt_task": "loop", "tools": []}]}},
        workflow={"version": 1, "entry": "s", "states": {"s": {"orchestration": "composition", "composition": "c"}}},
        agents=members(front={"state": "s"}),
    )
    assert reach(view(data))["front"] == Reach(("s",), ("c",), ("loop",), ())


def test_a_pack_without_agents_is_its_own_subject() -> None:
    (subject, everything), *rest = reached().items()
    assert (subject, rest) == (None, [])
    assert everything.prompts == tuple(PROMPTS)
    assert everything.tools == ("look", "pay", "mail", "wipe", "direct", "scoped")


def test_references_to_nothing_reach_nothing() -> None:
    data = pack(
        prompts={"chat": prompt("chat", tools=["ghost"])}, agents=members(chat={}, ghost={}, lost={"state": "x"})
    )
    assert reach(view(data)) == {
        "chat": Reach((), (), ("chat",), ()),
        "ghost": Reach((), (), (), ()),
        "lost": Reach((), (), (), ()),
    }
