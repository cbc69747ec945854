"""Three judges, one verdict: jsonschema-rs, jsonschema and the explanation agree on mutated packs.

The known differences, in which jsonschema-rs is the stricter and counts: Python's `$` also matches before a line
break at the end, and its `\\d` takes any Unicode digit (ECMA 262 takes neither).
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema_rs import Draft202012Validator as Judge

from ppgov.explanation import explain
from ppgov.schema import violations
from ppgov.structure import schema_text
from tests.full_pack import full_pack
from tests.packs import governed, pack

MUTANTS = 40  # for each seed

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 1.0, 1.5, 250, 10**30, "", "x", "a b", "1.0.0", "P1M", "PT", "a" * 201),
    *("prompt", "agent", "tool", "branch", "parallel", "acme.x", "composition", "internal", "model", "read"),
    *([], {}, ["x"], [1], [None], [[]], ["model", "model"], {"x": 1}, {"on": []}, {"max_size_mb": 1}),
    *({"path": "x"}, {"path": "x", "exists": True}, {"path": "x", "op": "in", "value": 1, "exists": True}),
    *({"all_of": [], "not": {"path": "x", "exists": True}}, {"all_of": 3, "any_of": []}, {"path": "a", "name": "b"}),
    *({"kind": "tool", "id": "x", "tool": "t"}, {"name": "a", "description": "b", "instructions": "c"}),
    *({"kind": "parallel", "id": "y", "branches": []}, {"eval": "a", "field": "b"}, {"eval": 1}),
)
KEYS = (
    "id", "kind", "name", "x", "path", "op", "value", "exists", "all_of", "any_of", "not", "termination",
    "branches", "reduce", "prompt_task", "composition", "orchestration", "eval", "field", "axes", "on",
    "cadence", "enabled", "preload", "max_pages", "validation_params", "type", "governance", "tool",
    "predicate", "then", "max_steps",
)  # fmt: skip


@cache
def strict() -> Judge:
    return Judge(schema_text())


@cache
def lenient() -> Draft202012Validator:
    return Draft202012Validator(json.loads(schema_text()))


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container of the data with every key or index in it."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield value, key
        yield from places(inner)


def mutate(data: Any, chance: random.Random) -> None:
    spots = list(places(data))
    holder, key = chance.choice(spots)
    other, twin = chance.choice(spots)
    new = copy.deepcopy(chance.choice(VALUES))
    match chance.randrange(5):
        case 0:
            holder[key] = new
        case 1:
            del holder[key]
        case 2 if isinstance(holder, dict):
            holder[chance.choice(KEYS)] = new
        case 3 if isinstance(holder, dict):
            holder[chance.choice(KEYS)] = holder.pop(key)
        case 4:
            holder[key] = copy.deepcopy(other[twin])
        case _:
            holder.insert(key, new)


@pytest.mark.parametrize("seed", range(8))
def test_all_three_agree_on_mutated_packs(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a repeatable choice, not a secret
    broken = 0
    for _ in range(MUTANTS):
        data = full_pack()
        for _ in range(chance.choice((1, 1, 2, 3))):
            mutate(data, chance)
        verdict = strict().is_valid(data)
        items = explain(data)
        assert verdict == (not items), (data, items)
        assert verdict == lenient().is_valid(data), data
        assert len({(item.rule, item.pointer, item.message) for item in items}) == len(items)
        assert violations(data) == items
        broken += not verdict
    assert MUTANTS // 4 < broken < MUTANTS


STRICTER = {
    "a line break after an id": pack(id="desk\n"),
    "a line break after a version": pack(version="1.0.0\n"),
    "Arabic digits in a version": pack(version="1.0.1٣"),
    "Arabic digits in a duration": pack(
        metadata=governed(reviews=[{"id": "r", "type": "t", "owner": "o", "cadence": "P٣M"}])
    ),
}


@pytest.mark.parametrize("case", STRICTER)
def test_where_they_differ_the_stricter_verdict_counts(case: str) -> None:
    data = STRICTER[case]
    assert lenient().is_valid(data)
    assert not strict().is_valid(data)
    assert len(violations(data)) == 1


def test_formats_are_not_asserted() -> None:
    data = full_pack()
    data["metadata"]["governance"]["vocabularies"]["acme"] = "no uri"
    data["prompts"]["chat"]["tested_models"][0]["date"] = "last week"
    assert violations(data) == ()
    assert lenient().is_valid(data)
