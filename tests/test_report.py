"""The report's data: what it says of what is declared, and that it says nothing else."""

from __future__ import annotations

import dataclasses
import inspect
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ppgov.audit import audit
from ppgov.report import FORMAT, Report, build, model
from ppgov.report.governance import ADVISORY, cadence_in_words
from tests.packs import governed, pack, prompt, source, tool

NOW = datetime(2026, 12, 1, 9, 30, tzinfo=UTC)
CLASSES = dict(inspect.getmembers(model, dataclasses.is_dataclass))


def report(**parts: Any) -> Report:
    return build(audit(source(pack(**parts))), generated_at=NOW)


def agents(**members: Any) -> dict[str, Any]:
    return {"entry": "chat", "members": members}


def walk(value: object) -> Any:
    yield value
    if dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from walk(getattr(value, field.name))
    elif isinstance(value, tuple):
        for item in value:
            yield from walk(item)


DOCUMENTED = dict(
    re.findall(
        r"^### (\w+)\n(.*?)(?=^### |\Z)",
        (Path(__file__).parents[1] / "docs" / "templates.md").read_text(),
        re.MULTILINE | re.DOTALL,
    )
)


def test_every_class_is_documented() -> None:
    assert set(DOCUMENTED) == set(CLASSES)


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_every_field_is_documented(name: str) -> None:
    listed = re.findall(r"^\| `(\w+)` \|", DOCUMENTED[name], re.MULTILINE)
    fields = [field.name for field in dataclasses.fields(CLASSES[name])]
    extra = [key for key, member in vars(CLASSES[name]).items() if isinstance(member, property)]
    assert listed == fields + extra


def test_report_holds_plain_values_only() -> None:
    whole = report(metadata=governed(autonomy_level="suggests"), tools={"t": tool("t")})
    for value in walk(whole):
        assert value is None or isinstance(value, str | int | tuple) or type(value).__module__ == model.__name__


def test_cover_names_what_the_report_is_bound_to() -> None:
    written = source(pack(description="Helps"), "desk.json")
    cover = build(audit(written), generated_at=NOW).cover
    assert (cover.id, cover.name, cover.version, cover.description) == ("desk", "Desk", "1.0.0", "Helps")
    assert (cover.path, cover.form, cover.bytes) == ("desk.json", "JSON", len(written.raw))
    assert (cover.sha256, cover.canonical_sha256) == (written.sha256, written.canonical_sha256)
    assert cover.generated_at == "2026-12-01T09:30:00Z"
    assert cover.vocabularies and all(v.title and v.sha256 for v in cover.vocabularies)
    assert report().format == FORMAT == "ppgov-report/1"


def test_nothing_declared_stays_undeclared() -> None:
    whole = report(tools={"t": tool("t")})
    assert not whole.summary.governance_declared
    assert "declares no governance" in whole.summary.statements[0]
    assert [fact.value.declared for fact in whole.facts] == [False] * 15
    assert all(not value.declared for t in whole.tools.tools for value in (t.effect, t.reversibility, t.data_classes))
    assert (whole.obligations, whole.reviews, whole.independence) == ((), (), ())


def test_false_and_empty_are_declarations() -> None:
    facts = {f.field: f.value for f in report(metadata=governed(requires_ai_disclosure=False, capabilities=[])).facts}
    assert facts["requires_ai_disclosure"].declared and facts["requires_ai_disclosure"].text == "false"
    assert facts["capabilities"].declared and facts["capabilities"].items == ()


def test_agent_facts_carry_their_origin_and_mark_departures() -> None:
    own = {"autonomy_level": "acts_autonomously", "accountable_owner": "Desk", "operator_role": "free words"}
    whole = report(
        metadata=governed(autonomy_level="suggests", accountable_owner="Desk", intended_purpose="Help"),
        agents=agents(chat={"governance": own}),
    )
    (agent,) = whole.agents
    facts = {fact.field: fact for fact in agent.facts}
    assert (facts["autonomy_level"].departure, facts["autonomy_level"].pack_value.text) == ("replaces", "suggests")
    assert facts["operator_role"].departure == "adds"
    assert facts["accountable_owner"].departure == "repeats"
    assert (facts["intended_purpose"].departure, facts["intended_purpose"].value.origin) == ("", "pack")
    assert agent.departures == ("Autonomy level", "Operator role")
    assert agent.entry and agent.declares
    place = facts["autonomy_level"].value.where
    assert place is not None and place.pointer == "/agents/members/chat/governance/autonomy_level" and place.line


def test_terms_expand_where_they_are_written() -> None:
    whole = report(
        metadata=governed(vocabularies={"acme": "https://acme.example/a#"}, risk_classification="acme:One"),
        agents=agents(
            chat={"governance": {"vocabularies": {"acme": "https://acme.example/b#"}, "operator_role": "acme:Two"}}
        ),
    )
    facts = {fact.field: fact.value for fact in whole.agents[0].facts}
    inherited, own = facts["risk_classification"].items[0].term, facts["operator_role"].items[0].term
    assert inherited is not None and inherited.iri == "https://acme.example/a#One"
    assert own is not None and own.iri == "https://acme.example/b#Two" == own.href
    assert {row.origin for row in whole.glossary.prefixes} == {"pack", "agent chat"}


def test_only_web_addresses_become_links() -> None:
    whole = report(metadata=governed(capabilities=["urn:x:1", "https://a.example/b", "free words"]))
    links = {row.term.written: (row.term.iri, row.term.href) for row in whole.glossary.terms}
    assert links["urn:x:1"] == ("urn:x:1", "")
    assert links["https://a.example/b"] == ("https://a.example/b",) * 2
    assert links["free words"] == ("", "")


def test_glossary_gives_labels_slots_and_lines() -> None:
    whole = report(metadata=governed(capabilities=["ai:Profiling"], risk_classification="dpv:NoSuchThing"))
    rows = {row.term.written: row for row in whole.glossary.terms}
    assert rows["ai:Profiling"].term.label == "Profiling"
    assert rows["ai:Profiling"].term.standing == "in a loaded vocabulary"
    assert rows["ai:Profiling"].uses == ("capability",)
    assert rows["ai:Profiling"].lines and rows["ai:Profiling"].vocabulary
    assert rows["dpv:NoSuchThing"].term.standing == "not in the vocabulary of its namespace"


OBLIGATIONS = [
    {"id": "all", "obligation": "Tell people", "applies_to": {"capability": "ai:Chatbot"}, "note": "First turn",
     "controls": [
        {"field": "requires_ai_disclosure"}, {"field": "operator_role"}, {"field": "colour"}, {"validator": "v"},
        {"eval": "off"}, {"eval": "gone"}, {"external": "Audit"}]},
    {"id": "outside", "obligation": "Keep logs", "controls": [{"external": "Archive"}]},
    {"id": "lost", "obligation": "Find it", "controls": [{"eval": "gone"}, {"field": "a", "eval": "b"}]},
]  # fmt: skip


def test_obligations_show_where_each_control_leads() -> None:
    whole = report(
        prompts={"chat": prompt("chat", validators=[{"id": "v", "type": "length"}])},
        evals=[{"id": "off", "type": "x", "trigger": "every_turn", "enabled": False}],
        metadata=governed(
            requires_ai_disclosure=True,
            obligations=OBLIGATIONS,
            reviews=[
                {
                    "id": "r",
                    "type": "look",
                    "cadence": "P1Y",
                    "owner": "Desk",
                    "satisfies": ["all", "no"],
                    "eval": "off",
                }
            ],
        ),
    )
    (table,) = whole.obligations
    everything, outside, lost = table.obligations
    assert [control.outcome for control in everything.controls] == [
        "resolved", "field-undeclared", "unknown-field", "resolved", "disabled", "unresolved", "not-resolvable",
    ]  # fmt: skip
    assert everything.controls[3].targets[0].holder == "prompt chat"
    assert everything.remark == "" and everything.reviews == ("r",)
    assert [entry.name for entry in everything.applies_to] == ["capability"]
    assert outside.external_only and "external controls only" in outside.remark
    assert not lost.external_only and lost.remark and len(lost.malformed) == 1
    (review,) = whole.reviews[0].reviews
    assert [ref.outcome for ref in review.satisfies] == ["resolved", "unresolved"]
    assert review.eval is not None and review.eval.outcome == "disabled" and review.cadence_words == "every year"
    counts = {count.label: (count.part, count.whole) for count in whole.summary.counts}
    assert counts["obligations with external controls only"] == (1, 3)
    assert counts["controls that lead nowhere"] == (4, 10)
    assert counts["controls that lead only to something switched off"] == (1, 10)
    assert whole.guardrails.validators[0].named_by == ("obligation all",)
    assert whole.guardrails.evals[0].named_by == ("obligation all", "review r")


def test_agents_have_obligation_tables_of_their_own_only_where_they_differ() -> None:
    field = [{"id": "o", "obligation": "Say it", "controls": [{"field": "operator_role"}]}]
    whole = report(
        prompts={key: prompt(key) for key in ("chat", "same", "own", "other")},
        metadata=governed(obligations=field),
        agents=agents(
            chat={},
            same={"governance": {"autonomy_level": "suggests"}},
            own={"governance": {"obligations": []}},
            other={"governance": {"operator_role": "dpv:DataController"}},
        ),
    )
    assert [(table.agent, table.inherited) for table in whole.obligations] == [
        ("", False),
        ("own", False),
        ("other", True),
    ]
    assert whole.obligations[2].obligations[0].controls[0].targets[0].holder == "agent"


def test_default_enforcement_is_marked_and_inherited_rows_are_left_out() -> None:
    whole = report(
        prompts={"chat": prompt("chat"), "two": prompt("two")},
        metadata=governed(independent_of={"axes": ["model"]}),
        agents=agents(
            chat={}, two={"governance": {"independent_of": {"axes": ["accountable_owner"], "enforcement": "strict"}}}
        ),
    )
    pack_row, agent_row = whole.independence
    assert (pack_row.agent, pack_row.enforcement, pack_row.enforcement_declared) == ("", ADVISORY, False)
    assert ADVISORY == "advisory (format default, not declared)"
    assert (agent_row.agent, agent_row.enforcement, agent_row.enforcement_declared) == ("two", "strict", True)
    assert "organisational" in agent_row.note and "correlated" in pack_row.note


@pytest.mark.parametrize(
    ("cadence", "words"),
    [
        ("P1D", "every day"),
        ("P3M", "every 3 months"),
        ("P1Y6M", "every 1 year and 6 months"),
        ("P1Y2M3W4DT5H6M7S", "every 1 year, 2 months, 3 weeks, 4 days, 5 hours, 6 minutes and 7 seconds"),
        ("PT36H", "every 36 hours"),
        ("P2W", "every 2 weeks"),
        ("P0D", "every 0 days"),
        ("P", ""),
        ("PT", ""),
        ("P1DT", ""),
        ("quarterly", ""),
        ("P٣M", ""),
    ],
)
def test_cadence_in_words(cadence: str, words: str) -> None:
    assert cadence_in_words(cadence) == words


def test_matrix_keeps_undeclared_apart_and_reach_names_agents() -> None:
    whole = report(
        prompts={"chat": prompt("chat", tools=["pay"]), "two": prompt("two", tools=["see", "bare"])},
        tools={
            "pay": tool("pay", action_scope={"effect": "external", "reversibility": "irreversible"}),
            "see": tool("see", action_scope={"effect": "read", "data_classes": ["pd:Name"]}),
            "bare": tool(
                "bare", parameters={"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
            ),
        },
        agents=agents(chat={}, two={}),
    )
    cells = {(cell.effect, cell.reversibility): cell.tools for cell in whole.tools.matrix if cell.tools}
    assert cells == {("external", "irreversible"): ("pay",), ("read", ""): ("see",), ("", ""): ("bare",)}
    assert whole.tools.effects == ("read", "write", "external", "")
    assert [t.reached_by for t in whole.tools.tools] == [("chat",), ("two",), ("two",)]
    assert whole.tools.by_agents
    assert whole.tools.tools[2].parameters == (model.Parameter("q", "string", True, ""),)


def test_pack_without_agents_is_its_own_subject() -> None:
    whole = report(prompts={"chat": prompt("chat", tools=["a"])}, tools={"a": tool("a"), "b": tool("b")})
    assert [t.reached_by for t in whole.tools.tools] == [("the pack",), ()]
    assert not whole.tools.by_agents


def test_value_outside_its_list_gets_a_column_of_its_own() -> None:
    whole = report(tools={"a": tool("a", action_scope={"effect": "destroy"})})
    assert whole.tools.effects == ("read", "write", "external", "not a value of the format", "")
    assert {cell.effect for cell in whole.tools.matrix if cell.tools} == {"not a value of the format"}
    assert whole.tools.tools[0].effect.text == "destroy"
    assert whole.tools.tools[0].effect.refused == "not a value that the format knows"


def test_workflow_states_reach_and_stops() -> None:
    whole = report(
        workflow={
            "version": 1,
            "entry": "a",
            "states": {
                "a": {"prompt_task": "chat", "on_event": {"go": "b", "lost": "nowhere"}},
                "b": {"prompt_task": "chat", "max_visits": 2, "on_max_visits": "a"},
                "c": {"prompt_task": "chat", "terminal": True},
            },
            "engine": {"budget": {"max_tool_calls": 5}, "mode": "fast"},
        }
    )
    flow = whole.workflow
    assert [(s.key, s.entry, s.reached, s.terminal) for s in flow.states] == [
        ("a", True, True, False), ("b", False, True, False), ("c", False, False, True),
    ]  # fmt: skip
    assert [(t.event, t.target, t.known) for t in flow.states[0].transitions] == [
        ("go", "b", True),
        ("lost", "nowhere", False),
    ]
    assert [t.event for t in flow.states[1].transitions] == [""]
    assert [entry.name for entry in flow.budget] == ["max_tool_calls"] and [e.name for e in flow.engine] == ["mode"]
    assert [stop.text for stop in flow.stops] == [
        "state b is visited at most 2 times, then goes to a", "state c is terminal",
    ]  # fmt: skip


def test_inventory_mentions_everything_and_prints_no_prompt_text() -> None:
    whole = report(
        prompts={
            "chat": prompt(
                "chat",
                variables=[{"name": "q", "type": "string", "required": True, "binding": {"kind": "session"}}],
                model_overrides={"m": {"system_template": "SECRET", "parameters": {"top_p": 1}}},
                media={"enabled": False},
            )
        },
        fragments={"f": "SECRET"},
        skills=["./s", {"path": "./t"}, {"name": "n", "description": "d", "instructions": "SECRET"}],
        compositions={"c": {"version": 1, "steps": [
            {"id": "p", "kind": "parallel", "reduce": {"strategy": "all", "into": "x"}, "branches": [
                {"id": "i", "kind": "tool", "tool": "t"}, {"id": "j", "kind": "acme.wait", "seconds": 1}]}]}},
        compilation={"compiled_with": "x", "created_at": "2026-01-01T00:00:00Z", "schema": "s"},
        metadata={"domain": "d", "owner_team": "cards"},
        requires={"providers": [
            "default", {"key": "k", "role": "tts", "required": False, "capabilities": {"tool_use": True}}]},
        tools={"t": tool("t")},
    )  # fmt: skip
    inventory = whole.inventory
    assert not any(isinstance(v, str) and "SECRET" in v for v in walk(whole))
    assert inventory.prompts[0].template_length == len("Answer briefly.")
    assert inventory.prompts[0].variables[0].details[0].name == "binding"
    assert [step.depth for step in inventory.compositions[0].steps] == [0, 1, 1]
    assert [entry.name for entry in inventory.metadata] == ["domain", "owner_team"]
    assert [entry.name for entry in inventory.skills] == ["path", "path", "inline skill"]
    assert [(p.key, p.role, p.required) for p in whole.models.providers] == [
        ("default", "llm (default: bare name)", "required (default: bare name)"), ("k", "tts", "false"),
    ]  # fmt: skip


def test_extensions_are_verbatim() -> None:
    whole = report(
        metadata=governed(extensions={"acme": {"done": True, "n": 1.0}}),
        tools={"t": tool("t", extensions={"x": [1]}, action_scope={"extensions": {"y": None}})},
    )
    assert [(row.holder, row.text.replace("\n", "").replace(" ", "")) for row in whole.extensions] == [
        ("governance of the pack", '{"acme":{"done":true,"n":1.0}}'),
        ("tool t", '{"x":[1]}'),
        ("action scope of tool t", '{"y":null}'),
    ]


def test_broken_structure_still_gives_a_report_that_says_so() -> None:
    whole = report(
        version=7,
        tools=[1, 2],
        workflow="later",
        agents={
            "entry": 3,
            "members": {"chat": {"governance": {"obligations": "none", "independent_of": [], "reviews": [1]}}},
        },
        metadata={"governance": {"capabilities": {"a": 1}, "obligations": [{"id": "o", "controls": [3]}]}},
    )
    assert whole.findings.errors
    facts = {fact.field: fact.value for fact in whole.facts}
    assert facts["capabilities"].shape == "code"
    assert whole.cover.version == "7"
    assert whole.obligations[0].obligations[0].malformed[0].text == "3"
    assert any("broken" in statement for statement in whole.summary.statements)
    assert any(rule.not_run_on for rule in whole.method.rules)


def test_findings_carry_rule_line_and_related_places() -> None:
    twice = [{"id": "o", "obligation": "a", "controls": [{"external": "x"}]}] * 2
    whole = report(metadata=governed(obligations=twice))
    (found,) = [row for row in whole.findings.findings if row.rule == "PPG403"]
    assert found.where.line and found.related and found.name == "duplicate-obligation-id"


def test_sign_off_is_bound_to_name_and_version() -> None:
    assert "the pack Desk, version 1.0.0" in report().signoff.statement


def test_same_audit_gives_an_equal_report() -> None:
    parts = {"metadata": governed(autonomy_level="suggests"), "tools": {"t": tool("t")}}
    assert report(**parts) == report(**parts)


def test_a_check_that_had_nothing_to_compare_with_is_not_called_applied() -> None:
    data = pack()
    without = build(audit(source(data)), generated_at=NOW).method.rules
    given = build(audit(source(data), people=frozenset({"jane"})), generated_at=NOW).method.rules
    assert [rule.id for rule in without if rule.not_run_on] == ["PPG602"]
    assert [rule.id for rule in given if rule.not_run_on] == []


def test_the_same_text_under_another_prefix_is_a_departure() -> None:
    data = pack(
        metadata=governed(vocabularies={"acme": "https://acme.example/#"}, risk_classification="acme:High"),
        agents={
            "entry": "chat",
            "members": {
                "chat": {
                    "governance": {
                        "vocabularies": {"acme": "https://other.example/#"},
                        "risk_classification": "acme:High",
                    }
                }
            },
        },
    )
    (agent,) = build(audit(source(data)), generated_at=NOW).agents
    assert {fact.title: fact.departure for fact in agent.facts}["Risk classification"] == "rebinds"
    assert "Risk classification" in agent.departures


def test_an_empty_text_is_shown_as_declared() -> None:
    report = build(audit(source(pack(metadata=governed(accountable_owner="")))), generated_at=NOW)
    (fact,) = (fact for fact in report.facts if fact.title == "Accountable owner")
    assert fact.value.declared
    assert [item.text for item in fact.value.items] == ['""']
