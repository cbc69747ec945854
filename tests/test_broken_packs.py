"""One fault is one finding: broken packs, and what must not be said of valid ones."""

from __future__ import annotations

from typing import Any

import pytest

from ppgov import audit as audits
from ppgov.audit import Audit, audit, audit_path
from ppgov.errors import UnreadableError
from tests.packs import governed, pack, prompt, source, tool

EVAL = {"id": "e1", "type": "t", "trigger": "every_turn"}
CONTROLS = [{"eval": "e1"}, {"validator": "v1"}, {"field": "autonomy_level"}]
OBLIGATION = {"id": "o1", "obligation": "legal-eu-gdpr:A22", "controls": CONTROLS}
REVIEW = {"id": "r1", "type": "pp:BiasTesting", "cadence": "P1Y", "owner": "team", "satisfies": ["o1"], "eval": "e1"}
STATES = {"s1": {"prompt_task": "chat"}, "s2": {"orchestration": "composition", "composition": "c1"}}


def rich(**parts: Any) -> dict[str, Any]:
    """A valid pack in which everything is referred to."""
    data = pack(
        prompts={"chat": prompt("chat", tools=["t1"], validators=[{"id": "v1", "type": "length"}])},
        tools={"t1": tool("t1")},
        evals=[EVAL],
        workflow={"version": 1, "entry": "s1", "states": STATES},
        compositions={
            "c1": {"version": 1, "steps": [step("a", modifiers={"eval": ["e1"]}), step("b", depends_on=["a"])]}
        },
        agents={"entry": "chat", "members": {"chat": {"state": "s1"}}},
        metadata=governed(
            vocabularies={"acme": "https://acme.example/v#"},
            autonomy_level="suggests",
            risk_classification="acme:Tier1",
            obligations=[OBLIGATION],
            reviews=[REVIEW],
        ),
    )
    data.update(parts)
    return data


def step(key: str, **parts: Any) -> dict[str, Any]:
    return {"id": key, "kind": "prompt", "prompt_task": "chat", **parts}


def rules(data: dict[str, Any]) -> list[str]:
    return [finding.rule for finding in audit(source(data)).findings]


def test_the_rich_pack_is_clean() -> None:
    assert rules(rich()) == []


@pytest.mark.parametrize(
    ("parts", "rule"),
    [
        ({"prompts": None}, "PPG112"),
        ({"prompts": []}, "PPG112"),
        ({"prompts": {}}, "PPG115"),
        ({"tools": []}, "PPG112"),
        ({"tools": None}, "PPG112"),
        ({"evals": {}}, "PPG112"),
        ({"evals": ["e1"]}, "PPG112"),
        ({"evals": [{**EVAL, "id": 1}]}, "PPG112"),
        ({"evals": [{"type": "t", "trigger": "every_turn"}]}, "PPG110"),
        ({"metadata": None}, "PPG112"),
        ({"metadata": {"governance": None}}, "PPG112"),
        ({"workflow": {"version": 1, "entry": "s1", "states": []}}, "PPG112"),
        ({"compositions": []}, "PPG112"),
        ({"compositions": {"c1": {"version": 1, "steps": None}}}, "PPG112"),
        ({"metadata": governed(autonomy_level="suggests", obligations=None, reviews=[REVIEW])}, "PPG112"),
        ({"metadata": governed(vocabularies=[], risk_classification="acme:Tier1")}, "PPG112"),
        ({"prompts": {"chat": prompt("chat", tools=["t1"], validators={})}}, "PPG112"),
    ],
)
def test_a_broken_list_is_one_finding_and_its_references_are_not_called_unresolved(
    parts: dict[str, Any], rule: str
) -> None:
    result = audit(source(rich(**parts)))
    assert [finding.rule for finding in result.findings] == [rule]
    assert result.partial


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"vocabularies": {"acme": "https://a b"}}, ["PPG401"]),
        ({"vocabularies": {"dpv": "foo"}}, ["PPG401"]),
        ({"vocabularies": {"1a": "foo"}}, ["PPG401", "PPG401"]),
        ({"operator_role": "dpv:\u200bRisk"}, ["PPG308"]),
        ({"independent_of": {"on": ["model"]}}, ["PPG111"]),
        ({"obligations": [{**OBLIGATION, "controls": [{"external": "x", "eval": "y"}]}]}, ["PPG405"]),
        ({"reviews": [{**REVIEW, "satisfies": [], "eval": "e1", "cadence": "P"}]}, ["PPG601"]),
    ],
)
def test_one_governance_fault_is_one_finding(fields: dict[str, Any], expected: list[str]) -> None:
    data = pack(metadata=governed(**fields), evals=[EVAL])
    assert rules(data) == expected


def test_a_state_without_prompt_is_not_also_a_note() -> None:
    data = rich(workflow={"version": 1, "entry": "s1", "states": {"s1": {"prompt_task": "zz"}}}, compositions={})
    assert rules(data) == ["PPG208"]


def test_a_misspelt_mode_is_one_finding() -> None:
    states = {"s1": {"orchestration": "compositon", "composition": "c1", "prompt_task": "chat"}}
    assert rules(rich(workflow={"version": 1, "entry": "s1", "states": states})) == ["PPG113"]


def test_a_fault_behind_an_anchor_is_one_finding() -> None:
    from ppgov.source import parse

    text = (
        "id: a\nname: A\nversion: 1.0.0\ntemplate_engine: {version: v1, syntax: x}\n"
        "prompts:\n  one: &p {id: one, name: P, version: 1.0.0, system_template: x, tools: [ghost]}\n  two: *p\n"
    )
    found = [finding.rule for finding in audit(parse(text.encode(), "p.yaml")).findings]
    assert sorted(found) == ["PPG201", "PPG225"]


def test_the_provider_rules_do_not_point_at_nothing() -> None:
    data = pack(
        requires={"providers": [{"key": "", "role": "embedding", "required": False}]},
        workflow={"version": 1, "entry": "s", "states": {"s": {"prompt_task": "chat"}}},
    )
    assert rules(data) == ["PPG114"]


def parallel(key: str, *branches: dict[str, Any], **parts: Any) -> dict[str, Any]:
    return {
        "id": key,
        "kind": "parallel",
        "branches": list(branches),
        "reduce": {"strategy": "append", "into": "all"},
        **parts,
    }


def branch(key: str, then: str, **parts: Any) -> dict[str, Any]:
    return {"id": key, "kind": "branch", "predicate": {"path": "${input.x}", "exists": True}, "then": then, **parts}


def circles(*steps: dict[str, Any]) -> list[str]:
    data = pack(
        compositions={"c": {"version": 1, "steps": list(steps)}},
        workflow={"version": 1, "entry": "s", "states": {"s": {"orchestration": "composition", "composition": "c"}}},
    )
    found = audit(source(data)).findings
    assert {finding.rule for finding in found} <= {"PPG215"}
    return [finding.message.removeprefix("the steps wait for each other in a circle: ") for finding in found]


ACYCLIC = [
    [step("a"), step("b"), step("c", depends_on=["a"])],
    [branch("r", "y", **{"else": "x"}), step("x"), step("y"), step("z", depends_on=["x", "y"])],
    [parallel("p", parallel("q", step("x"), step("y")), step("z", depends_on=["x"]))],
    [parallel("p", step("x"), step("y", depends_on=["x"])), step("z", input="${p.output.all}")],
    [step("a"), parallel("p", step("x", depends_on=["a"]), step("y", input={"k": "${a.output.v}"}))],
    [step("t", depends_on=["r"]), branch("r", "t", depends_on=[])],
]
CYCLIC = [
    [step("a", depends_on=["b"]), step("b")],
    [step("a", depends_on=["a"])],
    [step("a"), branch("r", "a")],
    [parallel("p", step("x"), step("y")), branch("b", "x")],
    [parallel("p", step("x"), step("y")), branch("b", "p")],
    [parallel("p", step("x", depends_on=["p"]), step("y"))],
    [parallel("p", step("x", depends_on=["z"]), step("y")), step("z", depends_on=["p"])],
    [step("a", input="${z.output.v}", depends_on=[]), step("z", input="${a.output.v}", depends_on=[])],
    [step("a", input="${a.output.v}")],
]


@pytest.mark.parametrize("steps", ACYCLIC)
def test_acyclic_compositions_are_clean(steps: list[dict[str, Any]]) -> None:
    assert circles(*steps) == []


@pytest.mark.parametrize("steps", CYCLIC)
def test_each_circle_is_one_finding(steps: list[dict[str, Any]]) -> None:
    assert len(circles(*steps)) == 1


def test_a_circle_names_its_steps_in_order() -> None:
    assert circles(step("a", depends_on=["b"]), step("b")) == ["'a' → 'b' → 'a'"]


def test_two_circles_are_two_findings_and_a_long_one_is_cut() -> None:
    two = [step(k, depends_on=[d]) for k, d in [("a", "b"), ("b", "a"), ("c", "d"), ("d", "c")]]
    assert len(circles(*two)) == 2
    ring = [step(f"s{i}", depends_on=[f"s{(i + 1) % 50}"]) for i in range(50)]
    assert "…" in circles(*ring)[0]


def test_findings_of_one_rule_are_limited_and_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audits, "MAX_FINDINGS", 5)
    data = pack(prompts={"chat": prompt("chat", tools=[f"ghost{i}" for i in range(9)])})
    found = audit(source(data)).findings
    assert len(found) == 6
    assert [f.message for f in found if "rest is not listed" in f.message] == [
        "more than 5 findings of this rule: the rest is not listed"
    ]


def test_agents_that_multiply_beyond_memory_are_refused(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audits, "MAX_PRODUCT", 20)
    monkeypatch.setattr(audits, "_FEW", 0)
    data = rich()
    with pytest.raises(UnreadableError, match="agents times what each inherits"):
        audit(source(data))
    path = tmp_path / "p.json"
    path.write_bytes(source(data).raw)
    result = audit_path(str(path))
    assert not isinstance(result, Audit)
    assert result.finding.rule == "PPG106"
    assert result.sha256 is not None
