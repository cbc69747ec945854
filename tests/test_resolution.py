"""Resolution: where controls and reviews lead, per subject; it never says that a control holds."""

from __future__ import annotations

from typing import Any

from ppgov.effective import effective
from ppgov.pack import view
from ppgov.resolution import Target, resolve, targets
from tests.packs import governed, pack, prompt

CONTROLS = [
    {"field": "autonomy_level"},
    {"field": "operator_role"},
    {"field": "colour"},
    {"validator": "guard"},
    {"validator": "ghost"},
    {"eval": "both"},
    {"eval": "ghost"},
    {"external": "Four eyes in the back office"},
    {},
    {"field": "a", "eval": "b"},
    {"field": 5},
]


def outcomes(data: dict[str, Any], agent: str | None = None) -> list[str | None]:
    the_view = view(data)
    resolutions = resolve(effective(the_view, agent), targets(the_view))
    return [c.reference.outcome if c.reference else None for o in resolutions.obligations for c in o.controls]


def full() -> dict[str, Any]:
    return pack(
        prompts={
            "chat": prompt(
                "chat",
                validators=[{"id": "guard", "type": "length", "enabled": False}],
                evals=[{"id": "both", "type": "t", "trigger": "every_turn"}],
            )
        },
        evals=[{"id": "both", "type": "t", "trigger": "every_turn", "enabled": False}],
        metadata=governed(
            autonomy_level="suggests",
            obligations=[{"id": "o", "obligation": "free", "controls": CONTROLS}],
            reviews=[{"id": "r", "type": "t", "cadence": "P1Y", "owner": "x", "satisfies": ["o", "p"], "eval": "both"}],
        ),
    )


def test_outcomes_of_every_kind() -> None:
    assert outcomes(full()) == [
        "resolved",
        "field-undeclared",
        "unknown-field",
        "resolved",
        "unresolved",
        "resolved",
        "unresolved",
        "not-resolvable",
        None,
        None,
        None,
    ]


def test_targets_say_where_and_whether_they_are_on() -> None:
    offered = targets(view(full()))
    assert offered.evals["both"] == (Target("/evals/0", None, False), Target("/prompts/chat/evals/0", "chat", True))
    assert offered.validators["guard"] == (Target("/prompts/chat/validators/0", "chat", False),)
    the_view = view(full())
    controls = resolve(effective(the_view), offered).obligations[0].controls
    assert [c.reference.disabled for c in controls if c.reference and c.reference.targets] == [False, True, False]


def test_reviews_resolve_against_the_obligations_in_force() -> None:
    data = full()
    data["agents"] = {"entry": "chat", "members": {"chat": {"governance": {"obligations": []}}}}
    the_view = view(data)
    for agent, outcome in [(None, ["resolved", "unresolved"]), ("chat", ["unresolved", "unresolved"])]:
        (review,) = resolve(effective(the_view, agent), targets(the_view)).reviews
        assert [reference.outcome for reference in review.satisfies] == outcome
        assert review.eval is not None
        assert review.eval.outcome == "resolved"


def test_an_agents_own_field_control_reads_what_is_in_force_for_it() -> None:
    data = pack(
        metadata=governed(autonomy_level="suggests"),
        agents={
            "entry": "chat",
            "members": {
                "chat": {
                    "governance": {
                        "obligations": [{"id": "o", "obligation": "x", "controls": [{"field": "autonomy_level"}]}]
                    }
                }
            },
        },
    )
    assert outcomes(data, "chat") == ["resolved"]
    assert outcomes(data) == []
