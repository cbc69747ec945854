"""Mutated packs through every command: exit codes 0, 1 and 3 only, and never a traceback."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ppgov.cli import cli
from ppgov.errors import PpgovError
from tests.conftest import has_pango

SAMPLES = sorted((Path(__file__).parent.parent / "samples").glob("*.yaml")) + sorted(
    (Path(__file__).parent.parent / "samples").glob("*.json")
)
JUNK: list[Any] = [
    None,
    True,
    0,
    -1,
    1.5,
    10**30,
    "",
    "x",
    "a:b",
    "//",
    "\ud800",
    "\x00",
    "\u202e",
    "<script>",
    [],
    [[]],
    {},
    {"": None},
    [None],
]


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(p for key, child in children for p in paths(child, (*path, key)))]


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A sample with one to three values replaced, removed, renamed or doubled, as JSON."""
    data = copy.deepcopy(draw(st.sampled_from(_LOADED)))
    for _ in range(draw(st.integers(1, 3))):
        where = draw(st.sampled_from(paths(data)[1:] or [("id",)]))
        holder: Any = data
        for key in where[:-1]:
            holder = holder[key]
        act = draw(st.sampled_from(["replace", "remove", "rename", "double"]))
        if act == "remove":
            del holder[where[-1]]
        elif act == "rename" and isinstance(holder, dict):
            holder[draw(st.sampled_from(["x", "id", "kind", "~", "/", "on", "é"]))] = holder.pop(where[-1])
        elif act == "double" and isinstance(holder, list):
            holder.append(copy.deepcopy(holder[where[-1]]))
        else:
            holder[where[-1]] = copy.deepcopy(draw(st.sampled_from(JUNK)))
    return json.dumps(data).encode()


_LOADED = [yaml.safe_load(path.read_text()) for path in SAMPLES]

COMMANDS = [
    ["check", "-", "--format", "json"],
    ["check", "-"],
    ["show", "-"],
    ["show", "-", "--format", "json"],
    ["graph", "-", "--extensions"],
    ["graph", "-", "-f", "turtle"],
    ["graph", "-", "-f", "trig"],
    ["graph", "-", "-f", "jsonld"],
    ["report", "-", "--html", "--md", "--json", "--now", "2026-12-01", "-o"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(raw=mutated())
def test_mutated_packs(command: list[str], raw: bytes, tmp_path: Path) -> None:
    arguments = [*command, f"{tmp_path}/"] if command[-1] == "-o" else command
    result = CliRunner().invoke(cli, arguments, input=raw, standalone_mode=False)
    if isinstance(result.exception, PpgovError):
        assert result.exception.exit_code == 3
    else:
        assert result.exception is None, result.exception
        assert result.return_value in (None, 0, 1, 3)


@pytest.mark.skipif(not has_pango(), reason="Pango is not installed")
@settings(
    max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(raw=mutated())
def test_mutated_packs_as_pdf(raw: bytes, tmp_path: Path) -> None:
    """Fewer, because each lays out real pages."""
    arguments = ["report", "-", "--pdf", "--now", "2026-12-01", "-o", f"{tmp_path}/"]
    result = CliRunner().invoke(cli, arguments, input=raw, standalone_mode=False)
    if isinstance(result.exception, PpgovError):
        assert result.exception.exit_code == 3
    else:
        assert result.exception is None, result.exception


@settings(max_examples=200, deadline=None)
@given(raw=st.binary(max_size=200), name=st.sampled_from(["p.yaml", "p.json"]))
def test_arbitrary_bytes_are_read_or_refused(raw: bytes, name: str) -> None:
    from ppgov.errors import UnreadableError
    from ppgov.source import parse

    try:
        source = parse(raw, name)
    except UnreadableError as fault:
        assert fault.rule.startswith("PPG10")
        assert fault.message
        assert fault.advice
        assert fault.line is None or fault.line >= 1
    else:
        assert isinstance(source.data, dict)
