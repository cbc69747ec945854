"""Reports on packs that the format refuses: what stands there and cannot be read never reads as not declared."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest

from ppgov import render
from ppgov.audit import audit
from ppgov.report import build
from ppgov.report.marks import sections_of
from ppgov.report.model import Report
from tests.packs import governed, pack, prompt, source, tool

NOW = datetime(2026, 12, 1, 9, 30, tzinfo=UTC)
NOTHING = "Nothing that can be read is declared here"


def report(**parts: Any) -> Report:
    return build(audit(source(pack(**parts))), generated_at=NOW)


def refused(whole: Report, section: str) -> list[str]:
    return [note.where.pointer for notes in whole.notes if notes.section == section for note in notes.refused]


def counts(whole: Report) -> dict[str, tuple[int, int | None]]:
    return {count.label: (count.part, count.whole) for count in whole.summary.counts}


@pytest.mark.parametrize(
    ("parts", "section", "pointer", "denied"),
    [
        ({"tools": "none"}, "tools", "/tools", "declares no tools"),
        ({"agents": [1]}, "agents", "/agents", "declares no agents"),
        ({"evals": {"x": {}}}, "guardrails", "/evals", "declares no evals"),
        ({"prompts": {"chat": prompt("chat", validators={"a": 1})}}, "guardrails", "/prompts/chat/validators",
         "No prompt declares a validator"),
        ({"prompts": {"chat": prompt("chat", tool_policy="strict")}}, "guardrails", "/prompts/chat/tool_policy",
         "No prompt declares a tool policy"),
        ({"prompts": {"chat": prompt("chat", tested_models="x")}}, "models", "/prompts/chat/tested_models",
         "No prompt declares tested models"),
        ({"requires": "llm"}, "models", "/requires", "declares no provider requirements"),
        ({"workflow": []}, "workflow", "/workflow", "declares no workflow"),
        ({"workflow": {"version": 1, "entry": 3, "states": {}}}, "workflow", "/workflow/entry", "No entry state"),
        ({"metadata": governed(obligations="x")}, "obligations", "/metadata/governance/obligations",
         "Nobody declares obligations"),
        ({"metadata": governed(reviews={"a": 1})}, "reviews", "/metadata/governance/reviews", "Nobody declares"),
        ({"metadata": governed(reviews={"a": 1})}, "reviews", "/metadata/governance/reviews", "as an empty list"),
        ({"metadata": governed(independent_of=["x"])}, "independence", "/metadata/governance/independent_of",
         "Nobody declares"),
        ({"metadata": "x"}, "obligations", "/metadata", "Nobody declares obligations"),
        ({"fragments": [1]}, "inventory", "/fragments", ""),
        ({"skills": "x"}, "inventory", "/skills", ""),
        ({"compositions": {"c": "x"}}, "inventory", "/compositions/c", ""),
    ],
)  # fmt: skip
def test_a_part_that_cannot_be_read_is_named_and_not_called_undeclared(
    parts: dict[str, Any], section: str, pointer: str, denied: str
) -> None:
    whole = report(**parts)
    assert pointer in refused(whole, section)
    page, text = render.html(whole), render.markdown(whole)
    heading = re.search(f'<h2 id="{section}">.*</span> (.*)</h2>', page)
    assert heading is not None
    for own in (
        page.split(f'<h2 id="{section}">')[1].split("</section>")[0],
        text.split(f"## {heading[1]}\n")[1].split("\n## ")[0],
    ):
        if denied:
            assert NOTHING in own
            assert denied not in own
    assert f"line {next(n for s in whole.notes if s.section == section for n in s.refused).where.line}" in page


def test_a_sound_pack_says_nothing_of_it() -> None:
    whole = report(tools={"t": tool("t")})
    assert not any(notes.refused for notes in whole.notes)
    assert "This pack declares no agents" in render.html(whole)
    assert NOTHING not in render.markdown(whole)


@pytest.mark.parametrize(
    ("field", "value", "shown", "words"),
    [
        ("autonomy_level", "autonomous", "autonomous", "not a value that the format knows"),
        ("accountable_owner", ["a"], '["a"]', "not of the type that the format asks for"),
        ("operator_role", None, "null", "not of the type that the format asks for"),
        ("requires_ai_disclosure", "yes", '"yes"', "not of the type that the format asks for"),
        ("capabilities", ["ai:Profiling", 3], "ai:Profiling; 3", "item 2: not of the type that the format asks for"),
        ("reviews", {"a": 1}, '{"a": 1}', "not of the type that the format asks for"),
    ],
)
def test_a_value_that_the_format_refuses_is_shown_as_written_and_not_counted(
    field: str, value: object, shown: str, words: str
) -> None:
    whole = report(metadata=governed(**{field: value}))
    fact = next(fact for fact in whole.facts if fact.field == field)
    assert (fact.value.declared, fact.value.text, fact.value.refused) == (True, shown, words)
    assert counts(whole)["governance fields declared for the pack"] == (0, 13)
    assert counts(whole)["governance fields with a value that the format refuses"] == (1, 13)
    assert words in render.html(whole) and words in render.markdown(whole)


def test_a_refused_effect_is_no_effect() -> None:
    whole = report(
        tools={
            "list": tool("list", action_scope={"effect": ["external"], "reversibility": "irreversible"}),
            "text": tool("text", action_scope="external"),
            "gone": "x",
            "good": tool("good", action_scope={"effect": "external", "reversibility": "irreversible"}),
        }
    )
    assert counts(whole)["tools with a declared effect"] == (1, 4)
    assert counts(whole)["tools declared external and irreversible"] == (1, 4)
    assert counts(whole)["tools whose action scope is refused or cannot be read"] == (3, 4)
    cells = {(cell.effect, cell.reversibility): cell.tools for cell in whole.tools.matrix if cell.tools}
    outside = "not a value of the format"
    assert cells == {
        (outside, "irreversible"): ("list",),
        (outside, outside): ("text",),
        ("external", "irreversible"): ("good",),
    }
    assert "implies write" not in render.markdown(whole).split("| list |")[1].split("\n")[0]


def test_controls_and_entities_that_cannot_be_read_are_in_the_denominators() -> None:
    obligations = ["x", {"id": "o", "obligation": "dpv:Right", "controls": [7, {"external": ""}]}]
    whole = report(
        metadata=governed(obligations=obligations, reviews=[3]),
        evals=["x"],
        agents={"entry": "chat", "members": {"chat": {}, "b": [1]}},
    )
    told = counts(whole)
    assert told["obligations with external controls only"] == (0, 2)
    assert told["controls that name nothing in the pack (external)"] == (1, 2)
    assert told["controls that cannot be read"] == (1, 2)
    assert told["reviews that cannot be read"] == (1, 1)
    assert told["evals that cannot be read"] == (1, 1)
    assert told["agents that cannot be read"] == (1, 2)
    (row,) = whole.obligations[0].obligations
    assert row.controls[0].written == '""'


def test_what_is_declared_empty_is_said_to_be() -> None:
    whole = report(tools={}, evals=[], prompts={"chat": prompt("chat", variables=[], tools=[])})
    empty = {notes.section: [note.where.pointer for note in notes.empty] for notes in whole.notes}
    assert empty["tools"] == ["/tools"]
    assert empty["guardrails"] == ["/evals"]
    assert empty["inventory"] == ["/prompts/chat/variables", "/prompts/chat/tools"]
    assert "Declared, and empty: /tools" in render.markdown(whole)


@pytest.mark.parametrize(
    ("pointer", "sections"),
    [
        ("/tools/a/action_scope", ("tools",)),
        ("/prompts/a", ("guardrails", "models", "inventory")),
        ("/prompts/a/evals/0", ("guardrails",)),
        ("/metadata/governance/obligations/0", ("facts", "obligations")),
        ("/agents/members/a/governance/reviews", ("agents", "reviews")),
        ("/metadata", ("facts", "obligations", "reviews", "independence", "inventory")),
        ("/fragments/a", ("inventory",)),
        ("/tools~1x", ("inventory",)),
    ],
)
def test_where_a_place_is_shown(pointer: str, sections: tuple[str, ...]) -> None:
    assert sections_of(pointer) == sections


def test_a_state_runs_what_its_mode_says() -> None:
    states = {
        "a": {"orchestration": "composition", "composition": "c", "prompt_task": "chat", "terminal": False},
        "b": {"composition": "c", "prompt_task": "chat"},
    }
    first, second = report(workflow={"version": 1, "entry": "a", "states": states}).workflow.states
    assert first.runs == "composition c; prompt chat is set but not used: its orchestration is composition"
    assert second.runs == "prompt chat; composition c is set but not used: its orchestration is not composition"
    assert [entry.name for entry in first.properties][-1] == "terminal"
    assert first.properties[-1].value.text == "false"


def test_an_agent_s_prefixes_are_laid_over_the_pack_s() -> None:
    whole = report(
        metadata=governed(vocabularies={"a": "https://a.example/"}),
        agents={"entry": "chat", "members": {"chat": {"governance": {"vocabularies": {"b": "https://b.example/"}}}}},
    )
    fact = next(fact for fact in whole.agents[0].facts if fact.field == "vocabularies")
    assert fact.departure == "overlays"
    assert "laid over the pack's prefixes" in render.markdown(whole)


def test_a_sunset_term_and_a_property_are_marked() -> None:
    whole = report(metadata=governed(capabilities=["dpv:WithinDevice", "dpv:hasPurpose", "dpv:Use"]))
    standings = {row.term.written: row.term.standing for row in whole.glossary.terms}
    assert standings == {
        "dpv:WithinDevice": "in a loaded vocabulary, marked sunset",
        "dpv:hasPurpose": "in a loaded vocabulary, a property, not a concept",
        "dpv:Use": "in a loaded vocabulary",
    }
