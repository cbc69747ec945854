"""Reading: data, places, digests, and one clear fault for every bad input."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ppgov.canonical import misfits
from ppgov.errors import UnreadableError
from ppgov.source import parse, read, walk

SCALARS = [
    ("true", True),
    ("false", False),
    ("null", None),
    ("~", None),
    ("", None),
    ("True", "True"),
    ("yes", "yes"),
    ("no", "no"),
    ("on", "on"),
    ("010", "010"),
    ("0o10", "0o10"),
    ("0x1F", "0x1F"),
    ("1_000", "1_000"),
    (".nan", ".nan"),
    (".inf", ".inf"),
    ("+1", "+1"),
    (".5", ".5"),
    ("5.", "5."),
    ("12:30", "12:30"),
    ("2026-12-01", "2026-12-01"),
    ("1.10.0", "1.10.0"),
    ("0", 0),
    ("-0", -0.0),
    ("-12", -12),
    ("1.5", 1.5),
    ("1e3", 1000.0),
    ("-1.5E-2", -0.015),
    ("٣", "٣"),
    ("'12'", "12"),
    ('"true"', "true"),
]


@pytest.mark.parametrize(("written", "value"), SCALARS)
def test_yaml_scalars_follow_json_grammar(written: str, value: object) -> None:
    read_back = parse(f"a: {written}\n".encode(), "p.yaml").data["a"]
    assert read_back == value
    assert isinstance(read_back, type(value)) and isinstance(read_back, bool) == isinstance(value, bool)


def test_on_is_a_string_key() -> None:
    assert parse(b"on: [model]\n", "p.yaml").data == {"on": ["model"]}


# (name, bytes, rule, line, column, words of the message)
BAD = [
    ("p.yaml", b"", "PPG107", 1, 1, "empty"),
    ("p.json", b" \n", "PPG107", 1, 1, "empty"),
    ("p.yaml", b"- a\n", "PPG107", 1, 1, "a list"),
    ("p.json", b"[1]", "PPG107", 1, 1, "a list"),
    ("p.yaml", b"just text\n", "PPG107", 1, 1, "a string"),
    ("p.yaml", b"a: 1\nb: \xff\n", "PPG102", 2, 4, "0xFF"),
    ("p.yaml", "é: \udcff\n".encode("utf-8", "surrogateescape"), "PPG102", 1, 4, "0xFF"),
    ("p.yaml", "a: 1\n".encode("utf-16"), "PPG102", 1, 1, "UTF-16"),
    ("p.json", b"\xef\xbb\xbf{}", "PPG102", 1, 1, "byte order mark"),
    ("p.yaml", b"\xef\xbb\xbfa: 1\n", "PPG102", 1, 1, "byte order mark"),
    ("p.yaml", b"a:\n\tb: 1\n", "PPG103", 2, 1, "tab"),
    ("p.yaml", b"a:\n  b: 1\n \tc: 2\n", "PPG103", 3, 2, "tab"),
    ("p.yaml", b"a: [1, 2\n", "PPG103", 2, 1, "not valid YAML"),
    ("p.yaml", b'a: "\x01"\n', "PPG103", 1, 5, "control character"),
    ("p.yaml", b'a: "\\ud83d\\ude00"\n', "PPG103", 1, 7, "escape"),
    ("p.yaml", b"a: 1e999\n", "PPG103", 1, 4, "too large"),
    ("p.yaml", b"a: " + b"9" * 5000 + b"\n", "PPG103", 1, 4, "400 digits"),
    ("p.yaml", b"a: *b\n", "PPG103", 1, 4, "no anchor"),
    ("p.json", b'{"a": NaN}', "PPG103", 1, 7, "NaN"),
    ("p.json", b'{"a": -Infinity}', "PPG103", 1, 7, "-Infinity"),
    ("p.json", b'{"a": 1e999}', "PPG103", 1, 7, "too large"),
    ("p.json", b'{"a": ' + b"9" * 5000 + b"}", "PPG103", 1, 7, "400 digits"),
    ("p.json", b'{"a": "x', "PPG103", 1, 7, "unfinished string"),
    ("p.json", b'{"a": 1} x', "PPG103", 1, 10, "after the end"),
    ("p.json", b'{"a" 1}', "PPG103", 1, 6, "colon"),
    ("p.json", b'{"a": 1,}', "PPG103", 1, 9, "property name"),
    ("p.json", b'{"a": [1 2]}', "PPG103", 1, 10, "comma or ]"),
    ("p.json", b'{"a": 1 "b": 2}', "PPG103", 1, 9, "comma or }"),
    ("p.json", b'{"a": tru}', "PPG103", 1, 7, "no JSON value"),
    ("p.json", b'{"a":', "PPG103", 1, 6, "missing"),
    ("p.yaml", b"a: 1\nb: 2\na: 3\n", "PPG104", 3, 1, "'a' stands twice (first in line 1)"),
    ("p.yaml", b"a: {b: 1, b: 2}\n", "PPG104", 1, 11, "'b' stands twice"),
    ("p.json", b'{"a": 1,\n "a": 2}', "PPG104", 2, 2, "'a' stands twice (first in line 1)"),
    ("p.json", b'{"a": 1, "\\u0061": 2}', "PPG104", 1, 10, "'a' stands twice"),
    ("p.yaml", b"a: !!python/object/apply:os.system [ls]\n", "PPG105", 1, 4, "python/object"),
    ("p.yaml", b"a: !!str 3\n", "PPG105", 1, 4, "tag"),
    ("p.yaml", b"a: ! 12\n", "PPG105", 1, 4, "tag"),
    ("p.yaml", b"a: !local {}\n", "PPG105", 1, 4, "!local"),
    ("p.yaml", b"a: &x {b: 1}\nc:\n  <<: *x\n", "PPG105", 3, 3, "merge keys"),
    ("p.yaml", b"1: a\n", "PPG105", 1, 1, "'1'"),
    ("p.yaml", b"true: a\n", "PPG105", 1, 1, "'true'"),
    ("p.yaml", b"~: a\n", "PPG105", 1, 1, "'~'"),
    ("p.yaml", b"? ~\n: a\n", "PPG105", 1, 3, "'~'"),
    ("p.yaml", b"? [a]\n: b\n", "PPG105", 1, 3, "list or a mapping"),
    ("p.yaml", b"a: &x [*x]\n", "PPG105", 1, 8, "inside its own anchor"),
    ("p.yaml", b"a: 1\n---\nb: 2\n", "PPG105", 2, 1, "second document"),
    ("p.yaml", b"a:\n" + b"[" * 100_000, "PPG106", 2, 101, "deeper"),
    ("p.yaml", b"a: 1\n" + b"k" * 501 + b": 2\n", "PPG106", 2, 1, "500 characters"),
    ("p.json", b'{"' + b"k" * 501 + b'": 2}', "PPG106", 1, 2, "500 characters"),
    ("p.json", b"[" * 100_000, "PPG106", 1, 101, "deeper"),
    ("p.json", b'{"a":' * 100_000, "PPG106", 1, 501, "deeper"),
]


@pytest.mark.parametrize(
    ("name", "raw", "rule", "line", "column", "words"), BAD, ids=[f"{b[2]}-{i}" for i, b in enumerate(BAD)]
)
def test_bad_input_is_one_located_fault(name: str, raw: bytes, rule: str, line: int, column: int, words: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        parse(raw, name)
    fault = caught.value
    if words == "deeper" and name == "p.yaml":  # libyaml looks ahead: it may stop first, further to the right
        assert (fault.rule, fault.line) == (rule, line)
        return
    assert (fault.rule, fault.line, fault.column) == (rule, line, column)
    assert words in fault.message
    assert fault.advice
    assert "\n" not in fault.message


def test_alias_bomb_is_refused_at_once() -> None:
    levels = [
        b'a0: &a0 ["lol"]',
        *(b"a%d: &a%d [%s]" % (i, i, b",".join([b"*a%d" % (i - 1)] * 9)) for i in range(1, 10)),
    ]
    with pytest.raises(UnreadableError, match="more than 500,000"):
        parse(b"\n".join(levels), "p.yaml")


def test_aliases_cannot_smuggle_text_or_depth() -> None:
    text = b"a: &a " + b"x" * 1_000_000 + b"\nb: [" + b",".join([b"*a"] * 100) + b"]\n"
    with pytest.raises(UnreadableError, match="more than 500,000"):
        parse(text, "p.yaml")
    deep = b"a: &a " + b"[" * 60 + b"]" * 60 + b"\nb: " + b"[" * 60 + b"*a" + b"]" * 60 + b"\n"
    with pytest.raises(UnreadableError, match="deeper"):
        parse(deep, "p.yaml")


def test_aliases_share_a_value_and_its_places() -> None:
    source = parse(b"a: &x {b: 1}\nc: *x\n", "p.yaml")
    assert source.data == {"a": {"b": 1}, "c": {"b": 1}}
    assert source.locate("/c") == (2, 1)
    assert source.locate("/c/b") == (1, 11)


def test_size_limit_names_the_option() -> None:
    with pytest.raises(UnreadableError, match="larger than 10 bytes") as caught:
        parse(b"a: 1234567890\n", "p.yaml", max_bytes=10)
    assert "--max-bytes" in caught.value.advice


@pytest.mark.parametrize("name", ["p.yaml", "p.json"])
def test_too_many_values_are_refused(name: str) -> None:
    with pytest.raises(UnreadableError, match="more than 500,000 values"):
        parse(b'{"a": [' + b"1," * 600_000 + b"1]}", name)


def test_unreadable_paths(tmp_path: Path) -> None:
    dangling = tmp_path / "link.yaml"
    dangling.symlink_to(tmp_path / "nowhere.yaml")
    for path, words in [(dangling, "link"), (tmp_path / "absent.yaml", "no such file"), (tmp_path, "folder")]:
        with pytest.raises(UnreadableError, match=words) as caught:
            read(str(path))
        assert caught.value.rule == "PPG101"
    with pytest.raises(UnreadableError, match="not a path"):
        read("a\0b")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path: Path) -> None:
    secret = tmp_path / "secret.yaml"
    secret.write_text("a: 1\n")
    secret.chmod(0)
    with pytest.raises(UnreadableError, match="permission"):
        read(str(secret))


def test_no_permission_as_the_system_reports_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(UnreadableError, match="no permission"):
        read("p.yaml")


JSON_TEXT = '{\n  "a": "é",\n  "b": [1, {"c/d": true}],\n  "e~f": {}\n}'
YAML_TEXT = "a: é\nb:\n  - 1\n  - c/d: true\ne~f: {}\n"


def test_locate() -> None:
    places = {
        "": (1, 1),
        "/a": (2, 8),
        "/b": (3, 3),
        "/b/0": (3, 9),
        "/b/1": (3, 12),
        "/b/1/c~1d": (3, 20),
        "/e~0f": (4, 3),
    }
    source = parse(JSON_TEXT.encode(), "p.json")
    assert {pointer: source.locate(pointer) for pointer in places} == places
    places = {
        "": (1, 1),
        "/a": (1, 4),
        "/b": (2, 1),
        "/b/0": (3, 5),
        "/b/1": (4, 5),
        "/b/1/c~1d": (4, 10),
        "/e~0f": (5, 1),
    }
    source = parse(YAML_TEXT.encode(), "p.yaml")
    assert {pointer: source.locate(pointer) for pointer in places} == places
    for nothing in ("/x", "/b/9", "/b/x", "/a/b"):
        assert source.locate(nothing) == (None, None)


def test_line_text() -> None:
    source = parse(b"a: 1\r\nb: 2\r\n", "p.yaml")
    assert [source.line(n) for n in (0, 1, 2, 3, 4)] == ["", "a: 1", "b: 2", "", ""]
    assert source.locate("/b") == (2, 4)


def test_twins_share_the_canonical_digest() -> None:
    twins = parse(JSON_TEXT.encode(), "p.json"), parse(YAML_TEXT.encode(), "p.yaml")
    assert twins[0].canonical_sha256 == twins[1].canonical_sha256
    assert twins[0].sha256 != twins[1].sha256
    assert parse(b"a: 1.0\n", "p.yaml").canonical_sha256 == parse(b'{"a":1}', "p.json").canonical_sha256
    # sha256 of the six bytes {"a":1}, computed with coreutils
    assert (
        parse(b"a: 1\n", "p.yaml").canonical_sha256
        == "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"
    )


def test_no_canonical_form() -> None:
    source = parse(b'{"a": 9007199254740993, "b": ["\\ud800"], "\\udfff": 1}', "p.json")
    assert source.may_lack_canonical
    assert source.canonical_sha256 is None
    assert [pointer for pointer, _ in misfits(source.data)] == ["/a", "/b/0", "/\udfff"]
    assert not parse(b'{"a": "\\u00e9"}', "p.json").may_lack_canonical


KEYS = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FFF), min_size=1, max_size=8)
DATA = st.dictionaries(
    KEYS,
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**53) + 1, 2**53 - 1)
        | st.floats(allow_nan=False, allow_infinity=False)
        | KEYS,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
        max_leaves=12,
    ),
    max_size=5,
)


@given(DATA)
def test_json_and_yaml_give_the_data_back_and_places_point_at_it(data: dict[str, object]) -> None:
    for raw, name in [
        (json.dumps(data, indent=1), "p.json"),
        (json.dumps(data), "p.yaml"),
        (yaml.safe_dump(data, allow_unicode=True), "p.yaml"),
    ]:
        if name == "p.yaml" and ("\x85" in raw or "\\ud8" in raw or "\x7f" in raw):
            continue
        try:
            source = parse(raw.encode(), name)
        except UnreadableError as fault:
            # YAML allows fewer characters than JSON, and PyYAML writes keys over 128 characters as complex ones
            assert name == "p.yaml" and fault.rule in ("PPG103", "PPG105")
            continue
        if name == "p.json":
            assert source.data == data
        for key, value in source.data.items():
            line, column = source.locate("/" + key.replace("~", "~0").replace("/", "~1"))
            assert line is not None and column is not None
            if isinstance(value, bool | int) and name == "p.json":
                assert source.line(line)[column - 1 :].startswith(json.dumps(value))


def test_walk_is_sorted_and_leaves_hidden_folders_out(tmp_path: Path) -> None:
    for name in ["b/x.yml", "b/y.txt", "a.yaml", ".git/c.json", "node_modules/d.json", "Z.JSON"]:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("{}")
    assert [name.removeprefix(f"{tmp_path}/") for name in walk(f"{tmp_path}/", [])] == ["Z.JSON", "a.yaml", "b/x.yml"]


def test_a_large_hostile_file_stops_at_the_limit() -> None:
    with pytest.raises(UnreadableError, match="more than 500,000 values") as caught:
        parse(b"a:\n" + b"- b\n" * 2_600_000, "p.yaml", max_bytes=20_000_000)
    assert caught.value.line == 500_000
