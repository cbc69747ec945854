"""The short way to the canonical form gives what the long one gives."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from ppgov.canonical import canonical_sha256
from ppgov.number import Number, real, whole
from ppgov.source import parse

SAMPLES = sorted(path for path in Path("samples").glob("*.*") if path.suffix in (".yaml", ".json"))

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
WRITTEN = st.sampled_from(["1.0", "-0", "-0.0", "1e3", "1E-7", "0.20", "1e21", "123456789012.50", "-10.00", "5e-324"])
NUMBERS = st.one_of(
    st.integers(-(2**53) + 1, 2**53 - 1),
    FLOATS,
    WRITTEN.map(lambda text: whole(text) if text == "-0" else real(text)),
)
TEXTS = st.one_of(
    st.text(), st.sampled_from([":1.0,", "1e3", "[12345678901234567]", "\ud7ff", "\ue000", "\U0001f600", "\x7f"])
)
DATA = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(TEXTS, inner)),
)


def by_the_library(data: Any) -> str:
    return hashlib.sha256(rfc8785.dumps(data)).hexdigest()


@given(DATA)
def test_both_ways_agree(data: Any) -> None:
    assert canonical_sha256([data]) == by_the_library([data])


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_both_ways_agree_on_samples(path: Path) -> None:
    data = parse(path.read_bytes(), str(path)).data
    assert canonical_sha256(data) == by_the_library(data)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({"b": 1, "a": [1.0, 1e21, 0.5]}, '{"a":[1,1e+21,0.5],"b":1}'),
        ({"x": Number("1e-7")}, '{"x":1e-7}'),
        ({"\U0001f600": 1, "\ufb33": 2}, '{"\U0001f600":1,"\ufb33":2}'),
        ({"x": "\x7f\x1f\u2028"}, '{"x":"\x7f\\u001f\u2028"}'),
    ],
)
def test_known_forms(data: Any, text: str) -> None:
    assert canonical_sha256(data) == hashlib.sha256(text.encode()).hexdigest()
    assert json.loads(text) == data


@pytest.mark.parametrize("data", [{"x": 2**53}, {"x": "\ud800"}, {"\udfff": 1}, {"x": [-(2**60)]}])
def test_what_has_no_form_has_no_digest(data: Any) -> None:
    assert canonical_sha256(data) is None
