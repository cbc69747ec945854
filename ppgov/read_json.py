"""JSON text to data: the standard parser when all is well, a scanner with offsets when something has to be located.

libyaml cannot stand in for the scanner: it refuses JSON's surrogate pairs. No library on PyPI keeps places
and refuses duplicates at a bearable price (json-source-map takes seven times as long and lets duplicates pass).
"""

from __future__ import annotations

import json
import math
import re
from json.decoder import scanstring  # type: ignore[attr-defined]  # documented nowhere, stable since 3.0, C speed
from typing import Any, NoReturn

from ppgov.errors import ReadFault
from ppgov.findings import quote
from ppgov.number import real, whole
from ppgov.read_yaml import MAX_DEPTH, MAX_KEY, MAX_NODES, Positions

_SPACE = re.compile(r"[ \t\n\r]*").match
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?").match
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[{]|[\]}]', re.DOTALL).finditer
_HUGE = re.compile(r"[0-9][eE]\+?[0-9]{3}|[0-9]{300}").search


class _Suspect(ValueError):
    """Something that only the scanner can judge and locate."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs) or max(map(len, mapping), default=0) > MAX_KEY:
        raise _Suspect
    return mapping


def _constant(name: str) -> NoReturn:
    raise _Suspect(name)


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, parse_float=real, parse_int=whole)


def read_json(text: str) -> Any:
    """The data of a JSON text. Raises ReadFault at the first thing that is not JSON or beyond a limit."""
    if not text.strip(" \t\n\r"):
        return None
    _check_depth(text)
    try:
        if _HUGE(text):
            raise _Suspect
        data = _DECODER.decode(text)
    except ValueError as error:
        data, _ = locate_json(text)  # raises at the place; else it accepts a long number that is in range
        if isinstance(error, json.JSONDecodeError):
            raise ReadFault("PPG103", f"not valid JSON: {error.msg}", "correct the text here", error.pos) from error
    if text.count(",") >= MAX_NODES:
        _check_nodes(text, data)
    return data


def locate_json(text: str) -> tuple[Any, Positions]:
    """The data again, with an offset for every key and value. Raises ReadFault as `read_json`."""
    scanner = _Scanner(text)
    data, end = scanner.value(scanner.skip(0), 0)
    end = scanner.skip(end)
    if end != len(text):
        scanner.refuse(end, "text after the end of the JSON value", "a file holds one pack: remove the rest")
    return data, scanner.positions


def _check_depth(text: str) -> None:
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    depth = 0
    for token in _TOKEN(text):
        first = text[token.start()]
        if first in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise ReadFault("PPG106", f"nested deeper than {MAX_DEPTH} levels", "flatten the file", token.start())
        elif first in "]}":
            depth -= 1


def _check_nodes(text: str, data: Any) -> None:
    pending, nodes = [data], 0
    while pending:
        item = pending.pop()
        children = item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
        nodes += len(children)
        if nodes > MAX_NODES:
            raise ReadFault("PPG106", f"more than {MAX_NODES:,} values", "a pack is far smaller: split the file", 0)
        pending.extend(child for child in children if isinstance(child, dict | list))


class _Scanner:
    """A recursive descent over JSON's grammar (RFC 8259); recursion is bounded by MAX_DEPTH."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.positions: Positions = {}

    def refuse(self, at: int, message: str, advice: str, rule: str = "PPG103", first: int | None = None) -> NoReturn:
        raise ReadFault(rule, message, advice, at, first)

    def skip(self, at: int) -> int:
        match = _SPACE(self.text, at)
        return match.end() if match else at

    def value(self, at: int, depth: int) -> tuple[Any, int]:
        first = self.text[at : at + 1]
        if first == '"':
            return self.string(at)
        if first in ("{", "["):
            if depth >= MAX_DEPTH:
                self.refuse(at, f"nested deeper than {MAX_DEPTH} levels", "flatten the file", "PPG106")
            return self.object(at, depth + 1) if first == "{" else self.array(at, depth + 1)
        for word, constant in (("true", True), ("false", False), ("null", None)):
            if self.text.startswith(word, at):
                return constant, at + len(word)
        return self.number(at)

    def string(self, at: int) -> tuple[str, int]:
        try:
            text, end = scanstring(self.text, at + 1, True)
        except json.JSONDecodeError as error:
            where = "an unfinished string" if error.msg.startswith("Unterminated") else f"not valid JSON: {error.msg}"
            self.refuse(error.pos, where, "close the string, and escape line breaks and control characters")
        return text, end

    def number(self, at: int) -> tuple[int | float, int]:
        match = _NUMBER(self.text, at)
        if match is None:
            for word in ("NaN", "Infinity", "-Infinity"):
                if self.text.startswith(word, at):
                    self.refuse(at, f"{word} is not JSON", "use a number, or null")
            self.refuse(at, "a value is missing" if at >= len(self.text) else "no JSON value", "write a value here")
        if match[1] is None and match[2] is None:
            if len(match[0]) > 400:
                self.refuse(at, "a number of more than 400 digits", "quote it if it is text")
            return whole(match[0]), match.end()
        number = real(match[0])
        if math.isinf(number):
            self.refuse(at, f"the number {quote(match[0])} is too large", "quote it if it is text")
        return number, match.end()

    def object(self, at: int, depth: int) -> tuple[dict[str, Any], int]:
        mapping: dict[str, Any] = {}
        places = self.positions[id(mapping)] = []
        at = self.skip(at + 1)
        if self.text[at : at + 1] == "}":
            return mapping, at + 1
        while True:
            if self.text[at : at + 1] != '"':
                self.refuse(at, "a property name in double quotes is missing", "write one, or remove the comma before")
            key_at = at
            key, at = self.string(at)
            at = self.skip(at)
            if self.text[at : at + 1] != ":":
                self.refuse(at, f"a colon is missing after {quote(key)}", "write one here")
            if len(key) > MAX_KEY:
                self.refuse(key_at, f"a key of more than {MAX_KEY} characters", "shorten the key", "PPG106")
            if key in mapping:
                first = places[2 * list(mapping).index(key)]
                self.refuse(key_at, f"the key {quote(key)} stands twice", "keep one of the two", "PPG104", first)
            at = self.skip(at + 1)
            places += (key_at, at)
            mapping[key], at = self.value(at, depth)
            at = self.skip(at)
            mark = self.text[at : at + 1]
            if mark == "}":
                return mapping, at + 1
            if mark != ",":
                self.refuse(at, "a comma or } is missing", "write one here")
            at = self.skip(at + 1)

    def array(self, at: int, depth: int) -> tuple[list[Any], int]:
        items: list[Any] = []
        places = self.positions[id(items)] = []
        at = self.skip(at + 1)
        if self.text[at : at + 1] == "]":
            return items, at + 1
        while True:
            places.append(at)
            item, at = self.value(at, depth)
            items.append(item)
            at = self.skip(at)
            mark = self.text[at : at + 1]
            if mark == "]":
                return items, at + 1
            if mark != ",":
                self.refuse(at, "a comma or ] is missing", "write one here")
            at = self.skip(at + 1)
