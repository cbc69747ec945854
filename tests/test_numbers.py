"""Numbers stand as the file writes them: in findings, the graph, the report, `show` and JSON."""

from __future__ import annotations

import copy
import json
import pickle
from datetime import UTC, datetime

import pytest

from ppgov.audit import audit
from ppgov.canonical import canonical_sha256
from ppgov.graph import of
from ppgov.graph.token import scalar, segment, structure
from ppgov.number import LINE, TIGHT, TREE, Number, Style, json_text, plain, real, whole
from ppgov.output import effective_json, effective_text, to_json
from ppgov.report import build
from ppgov.report.reader import scalar as shown
from ppgov.report.reader import verbatim
from ppgov.source import Source, parse

NOW = datetime(2026, 12, 1, tzinfo=UTC)
XSD = "http://www.w3.org/2001/XMLSchema#"
PACK = """\
id: desk
name: Desk
version: {version}
template_engine: {{version: v1, syntax: "{{{{variable}}}}"}}
prompts:
  chat:
    id: chat
    name: Chat
    version: 1.0.0
    system_template: Answer briefly.
    parameters: {{temperature: 0.90, top_p: &one 1.0, max_tokens: 1e3, frequency_penalty: *one}}
    variables: [{{name: x, type: number, required: false, default: -0, validation: {{minimum: 1E2}}}}]
metadata: {{governance: {{extensions: {{share: 0.10, of: [2.50]}}}}}}
"""
WRITTEN = ("1.10", "0.90", "1e3", "-0", "1E2", "1.5E-2", "-1.0e-6", "1e-7", "12345678901234567890.5", "0.1000")
USUAL = ("1", "-12", "1.0", "0.9", "1e+22", "1e-07", "-0.0", "9007199254740993")


def desk(version: str = "1.10.0") -> Source:
    return parse(PACK.format(version=version).encode(), "desk.yaml")


@pytest.mark.parametrize("written", [*WRITTEN, *USUAL])
@pytest.mark.parametrize("name", ["p.yaml", "p.json"])
def test_a_number_that_was_read_is_written_as_it_was(written: str, name: str) -> None:
    (value,) = parse(f'{{"a": [{written}]}}'.encode(), name).data["a"]
    assert value == (int(written) if written in ("1", "-12", "9007199254740993") else float(written))
    assert str(value) == f"{value}" == shown(value) == json_text(value) == written
    assert (type(value) is Number) == (written in WRITTEN)
    assert verbatim({"a": value}) == f'{{"a": {written}}}'


def test_an_alias_is_written_as_its_anchor() -> None:
    assert verbatim(parse(b"a: &x 1.10\nb: *x\n", "p.yaml").data) == '{"a": 1.10, "b": 1.10}'


def test_a_number_is_the_number_that_it_says() -> None:
    number = Number("1.10")
    assert (number == 1.1, number + 1, hash(number)) == (True, 2.1, hash(1.1))
    for again in (pickle.loads(pickle.dumps(number)), copy.deepcopy(number)):  # noqa: S301 - made here
        assert (type(again), again.text) == (Number, "1.10")
    assert (whole("12"), real("0.5"), whole("-0"), real("0.50")) == (12, 0.5, 0, 0.5)
    bare = plain({"a": [Number("1.10"), Number("-0"), "1.10", True, None]})
    assert repr(bare) == "{'a': [1.1, 0, '1.10', True, None]}"


def test_other_spellings_have_the_same_canonical_form() -> None:
    spelled = parse(b'{"a": 1.10, "b": -0, "c": 1e3}', "p.json").data
    assert canonical_sha256(spelled) == canonical_sha256({"a": 1.1, "b": 0, "c": 1000})


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        (TIGHT, '{"é":[0.90,1e3,{}],"b":"1.5"}'),
        (LINE, '{"é": [0.90, 1e3, {}], "b": "1.5"}'),
        (TREE, '{\n  "é": [\n    0.90,\n    1e3,\n    {}\n  ],\n  "b": "1.5"\n}'),
    ],
)
def test_json_text_keeps_numbers(style: Style, expected: str) -> None:
    assert json_text({"é": (Number("0.90"), Number("1e3"), {}), "b": "1.5"}, style) == expected


@pytest.mark.parametrize("style", [TIGHT, LINE, TREE])
def test_json_text_without_odd_numbers_is_that_of_the_standard_library(style: Style) -> None:
    value = {"a": [1, -0.5, 1e300, True, None, [], {}, 'é\n"\\ 1.5'], "": {"b": [[0.25]]}, "c": 10**30}
    assert json_text(value, style) == style.encoder.encode(value)


@pytest.mark.parametrize(
    ("written", "datatype"),
    [
        *(("0.90", "decimal"), ("0.9", "decimal"), ("1.0", "decimal"), ("-0.0", "decimal")),
        *(("1e3", "double"), ("1E2", "double"), ("1e+22", "double"), ("-0", "integer"), ("7", "integer")),
    ],
)
def test_the_type_of_a_literal_follows_its_text(written: str, datatype: str) -> None:
    value = parse(f"a: {written}".encode(), "p.yaml").data["a"]
    assert scalar(value) == f'"{written}"^^<{XSD}{datatype}>'
    assert segment(value) == f"~{written.replace('+', '%2B')}"


def test_a_structure_is_verbatim() -> None:
    assert structure([Number("0.10")]) == '"[0.10]"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON>'


def test_the_schema_takes_numbers_in_any_spelling() -> None:
    assert audit(desk()).findings == ()


def test_a_limit_names_the_number_as_written() -> None:
    text = PACK.format(version="1.0.0").replace("temperature: 0.90", "temperature: 9.90")
    (finding,) = audit(parse(text.encode(), "desk.yaml")).findings
    assert (finding.rule, finding.line) == ("PPG115", 11)
    assert finding.message.endswith("is 9.90, above the maximum of 2")


def test_a_version_that_is_a_number() -> None:
    audited = audit(desk("1.10"))
    (finding,) = audited.findings
    assert (finding.rule, finding.line, finding.column) == ("PPG112", 3, 10)
    assert finding.message == "'version': expected a string, found a number (1.10)"
    assert audited.pack.version == "1.10"
    assert any(quad[0] == "<https://packs.invalid/desk/~1.10>" for quad in of(audited))
    report = build(audited, generated_at=NOW)
    assert report.cover.version == "1.10"
    assert "version 1.10," in report.signoff.statement


@pytest.mark.parametrize(("written", "version"), [("2", "2"), ("true", None), ("[1]", None), ("null", None)])
def test_what_else_a_version_can_be(written: str, version: str | None) -> None:
    assert audit(desk(written)).pack.version == version


def test_every_number_of_the_declared_graph_is_in_the_file() -> None:
    literals = {quad[2].partition('"^^')[0][1:] for quad in of(audit(desk()), extensions=True) if f"<{XSD}" in quad[2]}
    assert literals >= {"0.90", "1.0", "1e3", "-0", "1E2"}
    structures = {quad[2] for quad in of(audit(desk()), extensions=True) if "#JSON>" in quad[2]}
    assert any(r"{\"share\":0.10,\"of\":[2.50]}" in literal for literal in structures)


def test_the_report_shows_numbers_as_written() -> None:
    text = repr(build(audit(desk()), generated_at=NOW))
    for written in ('"temperature": 0.90', '"max_tokens": 1e3', "'-0'", '"minimum": 1E2'):
        assert written in text
    assert "0.9," not in text and "1000.0" not in text


def test_show_writes_numbers_as_written() -> None:
    audited = audit(desk())
    text = effective_json(audited, audited.effective[None])
    assert '"share": 0.10,' in text and "2.50\n" in text
    assert json.loads(text)["fields"]["extensions"]["value"] == {"share": 0.1, "of": [2.5]}
    assert '      "share": 0.10,' in list(effective_text(audited, audited.effective[None]))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a\u202eb\u2066", r"a\u202eb\u2066"),
        ("\u200b\ufeff\u200f\u2028", r"\u200b\ufeff\u200f\u2028"),
        ("\x85\x9b\x7f\xad", r"\u0085\u009b\u007f\u00ad"),
        ("\U000e0041\ud800", r"\udb40\udc41\ud800"),
        ("é 中 \u00a0 😀", "é 中 \u00a0 😀"),
    ],
)
def test_json_escapes_what_nobody_can_see(text: str, written: str) -> None:
    out = to_json({text: [text]})
    assert out == f'{{\n  "{written}": [\n    "{written}"\n  ]\n}}\n'
    assert json.loads(out) == {text: [text]}
