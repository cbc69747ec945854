"""Override (RFC 0013): per field, whole values, with the origin of each."""

from __future__ import annotations

from typing import Any

import pytest

from ppgov.effective import effective, subjects
from ppgov.errors import UsageError
from ppgov.pack import GOVERNANCE_FIELDS, view
from tests.packs import governed, pack, prompt

VALUES: dict[str, tuple[Any, Any]] = {
    "vocabularies": ({"a": "https://a.example/#"}, {"b": "https://b.example/#"}),
    "intended_purpose": ("pack's", "agent's"),
    "foreseeable_misuse": (["one"], []),
    "autonomy_level": ("suggests", "acts_autonomously"),
    "accountable_owner": ("team-a", "team-b"),
    "operator_role": ("eu-aiact:AIDeployer", "tech:Actor"),
    "risk_classification": ("low", "high"),
    "intended_deployment_contexts": (["x"], ["y"]),
    "capabilities": (["x", "y"], ["z"]),
    "approved_environments": (["prod"], []),
    "requires_ai_disclosure": (True, False),
    "independent_of": ({"axes": ["model"], "enforcement": "strict"}, {"axes": ["tools"]}),
    "obligations": ([{"id": "a"}], [{"id": "b"}]),
    "reviews": ([{"id": "a"}], []),
    "extensions": ({"x": {"y": 1}}, {"z": 2}),
}


def two_level(pack_fields: dict[str, Any] | None, agent_fields: dict[str, Any] | None) -> dict[str, Any]:
    data = pack(prompts={"chat": prompt("chat"), "pay": prompt("pay")})
    if pack_fields is not None:
        data["metadata"] = governed(**pack_fields)
    member = {} if agent_fields is None else {"governance": agent_fields}
    data["agents"] = {"entry": "chat", "members": {"chat": {}, "pay": member}}
    return data


def test_the_table_covers_every_field() -> None:
    assert tuple(VALUES) == GOVERNANCE_FIELDS


@pytest.mark.parametrize("name", GOVERNANCE_FIELDS)
def test_each_field_is_replaced_whole(name: str) -> None:
    ours, theirs = VALUES[name]
    view_of = view(two_level({name: ours}, {name: theirs}))
    for agent, value, origin, pointer in [
        (None, ours, "pack", f"/metadata/governance/{name}"),
        ("chat", ours, "pack", f"/metadata/governance/{name}"),
        ("pay", theirs, "agent", f"/agents/members/pay/governance/{name}"),
    ]:
        field = effective(view_of, agent).fields[name]
        assert (field.value, field.origin, field.pointer) == (value, origin, pointer)


def test_absent_inherits_and_undeclared_stays_undeclared() -> None:
    governance = effective(view(two_level({"autonomy_level": "suggests"}, {"capabilities": []})), "pay")
    assert set(governance.fields) == {"autonomy_level", "capabilities"}
    assert governance.fields["capabilities"].value == []
    assert "capabilities" not in governance.undeclared
    assert "operator_role" in governance.undeclared
    assert not {"vocabularies", "extensions"} & set(governance.undeclared)


def test_the_enforcement_default_is_not_filled_in() -> None:
    governance = effective(view(two_level({"independent_of": {"axes": ["model"]}}, None)))
    assert governance.fields["independent_of"].value == {"axes": ["model"]}


@pytest.mark.parametrize("declared", [None, {}])
def test_nothing_declared_resolves_to_nothing(declared: dict[str, Any] | None) -> None:
    governance = effective(view(two_level(declared, None)), "chat")
    assert not governance.declared
    assert governance.fields == {}


def test_an_unknown_agent_is_an_error_that_lists_the_others() -> None:
    with pytest.raises(UsageError, match="no agent 'payy'") as caught:
        effective(view(two_level(None, None)), "payy")
    assert caught.value.advice == "agents: chat, pay"
    with pytest.raises(UsageError) as caught:
        effective(view(pack()), "chat")
    assert "declares no agents" in caught.value.advice


def test_subjects_are_the_pack_and_its_agents() -> None:
    assert list(subjects(view(two_level(None, None)))) == [None, "chat", "pay"]
