"""YAML text to data and positions in one pass over libyaml's events: the one door to PyYAML.

Scalars follow JSON's grammar: `true`, `false`, `null` and JSON numbers, which know their text, plus `~` and
nothing for null; all else is a string, so `on`, `1.10.0`, `010` and dates stay as written. Tags, merge
keys, keys that are not strings and further documents are refused. PyYAML's own loader is no choice: it
resolves YAML 1.1 (`no` is False, `12:30` is 750) and keeps neither duplicates nor places.
"""

from __future__ import annotations

import math
import re
from typing import Any, NoReturn

import yaml
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from ppgov.errors import MissingLibraryError, ReadFault
from ppgov.findings import quote
from ppgov.number import real, whole

# Under the id of each container, offsets in its order: key, value, key, value of a mapping, items of a sequence.
Positions = dict[int, list[int]]

SAFE_INTEGER = 2**53  # beyond it readers of JSON may round (RFC 8785 section 3.2.2.3, RFC 7493 section 2.2)
MAX_DEPTH = 100
MAX_NODES = 500_000
MAX_KEY = 500  # characters: every pointer below a key repeats it

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?\Z", re.ASCII).match
_CONSTANTS = {"": None, "~": None, "null": None, "true": True, "false": False}
_DIGITS = frozenset("-0123456789")
_LONE_TAG = re.compile(r"!(?=\s|\Z)").finditer
_BEFORE_TAG = frozenset(" \t\r\n[{,!")
_UNPRINTABLE = "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"  # takes a while to compile


def read_yaml(text: str) -> tuple[Any, Positions, bool]:
    """The data of the one document in `text`, the offsets of keys and values, and whether an integer is beyond 2^53.

    Raises ReadFault at the first thing that is no pack YAML.
    """
    try:
        if any(text[max(0, match.start() - 1)] in _BEFORE_TAG for match in _LONE_TAG(text)):
            _refuse_lone_tag(text)
        return _build(_parser(text), anchored="&" in text)
    except yaml.MarkedYAMLError as error:
        _explain(text, error)
    except yaml.reader.ReaderError as error:
        found = re.search(_UNPRINTABLE, text)
        raise ReadFault(
            "PPG103",
            "a control character that YAML does not allow",
            "remove it, or write it as an escape in double quotes",
            found.start() if found else 0,
        ) from error


def _parser(text: str) -> Any:
    if not yaml.__with_libyaml__:
        raise MissingLibraryError("PyYAML was built without libyaml", "install a wheel of PyYAML that holds libyaml")
    from yaml._yaml import CParser

    return CParser(text)


def _build(parser: Any, *, anchored: bool) -> tuple[Any, Positions, bool]:  # noqa: PLR0912, PLR0915 - one loop on purpose: a call for each event would double the time
    """Walk the events. `holder` is the open container and `places` its offsets; `key` is None between entries."""
    next_event = parser.get_event
    next_event()
    positions: Positions = {}
    anchors: dict[str, Any] = {}
    open_anchors: set[str] = set()
    stack: list[Any] = []
    holder: Any = None
    add: Any = None
    is_mapping = False
    key: str | None = None
    nodes = 0
    wide = False
    root: Any = None
    constants, digits, scalar = _CONSTANTS, _DIGITS, ScalarEvent  # locals: looked up for every event
    if type(next_event()) is StreamEndEvent:
        return None, positions, False
    while True:
        event = next_event()
        kind = type(event)
        if kind is scalar:
            value = event.value
            at = event.start_mark.index
            plain, quoted = event.implicit
            if plain:
                if value in constants:
                    value = constants[value]
                elif value[0] in digits:
                    value = _number(value, event)
                    wide = wide or (value.__class__ is int and abs(value) >= SAFE_INTEGER)
            elif not quoted:
                _refuse_tag(event)
            if anchored and event.anchor is not None:
                anchors[event.anchor] = value
        elif kind is MappingStartEvent or kind is SequenceStartEvent:
            if event.tag is not None:
                _refuse_tag(event)
            at = event.start_mark.index
            value = {} if kind is MappingStartEvent else []
            if is_mapping and key is None:
                _refuse(event, "PPG105", "a mapping key is a list or a mapping", "write the key as a string")
            if len(stack) >= MAX_DEPTH:
                _refuse(event, "PPG106", f"nested deeper than {MAX_DEPTH} levels", "flatten the file")
            stack.append((holder, add, is_mapping, event.anchor))
            if event.anchor is not None:
                open_anchors.add(event.anchor)
                anchors[event.anchor] = value
            if holder is None:
                root = value
            elif is_mapping:
                holder[key] = value
                add(at)
            else:
                add(at)
                holder.append(value)
            holder = value
            places = positions[id(value)] = []
            add = places.append
            is_mapping = kind is MappingStartEvent
            key = None
            nodes += 1
            continue
        elif kind is AliasEvent:
            at = event.start_mark.index
            value, weight = _alias(event, anchors, open_anchors, len(stack))
            nodes += weight
            plain = False
        elif kind is DocumentEndEvent:
            break
        else:
            holder, add, is_mapping, anchor = stack.pop()
            key = None
            open_anchors.discard(anchor)
            continue
        if is_mapping:
            if key is None:
                if (plain and value == "<<") or value.__class__ is not str or value in holder or len(value) > MAX_KEY:
                    _refuse_key(event, value, holder, positions, plain=plain)
                key = value
                add(at)
                continue
            holder[key] = value
            add(at)
            key = None
        elif holder is None:
            root = value
        else:
            add(at)
            holder.append(value)
        nodes += 1
        if nodes > MAX_NODES:
            _refuse(event, "PPG106", f"more than {MAX_NODES:,} values", "a pack is far smaller: split the file")
    last = next_event()
    if type(last) is not StreamEndEvent:
        _refuse(last, "PPG105", "a second document starts here", "put each pack into a file of its own")
    return root, positions, wide


def _number(text: str, event: ScalarEvent) -> Any:
    match = _NUMBER(text)
    if match is None:
        return text
    if match[1] is None and match[2] is None:
        if len(text) > 400:
            _refuse(event, "PPG103", "a number of more than 400 digits", "quote it if it is text")
        return whole(text)
    number = real(text)
    if math.isinf(number):
        _refuse(event, "PPG103", f"the number {quote(text)} is too large", "quote it if it is text")
    return number


def _alias(event: AliasEvent, anchors: dict[str, Any], open_anchors: set[str], depth: int) -> tuple[Any, int]:
    """The anchored value and how many nodes it adds; bounded in nodes, text and depth."""
    name = event.anchor
    if name in open_anchors:
        _refuse(event, "PPG105", f"the alias *{name} stands inside its own anchor", "remove the alias")
    if name not in anchors:
        _refuse(
            event, "PPG103", f"the alias *{name} has no anchor before it", f"write &{name} at the value that it repeats"
        )
    nodes, height = _weigh(anchors[name], {})
    if nodes > MAX_NODES:
        _refuse(event, "PPG106", f"the aliases expand to more than {MAX_NODES:,} values", "write the values out")
    if depth + height > MAX_DEPTH:
        _refuse(event, "PPG106", f"nested deeper than {MAX_DEPTH} levels through the alias *{name}", "flatten the file")
    return anchors[name], nodes


def _weigh(value: Any, known: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """(nodes, height) of a value with its aliases expanded; 64 characters of text weigh as one node."""
    if isinstance(value, str):
        return 1 + len(value) // 64, 0
    if not isinstance(value, dict | list):
        return 1, 0
    if id(value) not in known:
        items = [_weigh(item, known) for item in (value.values() if isinstance(value, dict) else value)]
        known[id(value)] = 1 + sum(n for n, _ in items), 1 + max((h for _, h in items), default=0)
    return known[id(value)]


def _refuse(event: Any, rule: str, message: str, advice: str) -> NoReturn:
    raise ReadFault(rule, message, advice, event.start_mark.index)


def _refuse_tag(event: Any) -> NoReturn:
    _refuse(event, "PPG105", f"the YAML tag {quote(event.tag)}", "remove the tag: a pack holds plain data only")


def _refuse_lone_tag(text: str) -> None:
    """libyaml swallows the tag `!`, so it has to be found among the tokens."""
    for token in yaml.scan(text, Loader=yaml.CSafeLoader):
        if isinstance(token, yaml.TagToken):
            _refuse(token, "PPG105", "the YAML tag '!'", "remove the tag: a pack holds plain data only")


def _refuse_key(event: Any, value: Any, holder: dict[str, Any], positions: Positions, *, plain: bool) -> NoReturn:
    if not isinstance(value, str):
        shown = getattr(event, "value", None)
        if shown:
            _refuse(event, "PPG105", f"a key must be a string, not {quote(shown)}", "put the key between quotes")
        _refuse(event, "PPG105", "a key must be a string", "write a plain string as the key")
    if plain and value == "<<":
        _refuse(event, "PPG105", "merge keys (<<) are not allowed", "write the merged values out")
    if len(value) > MAX_KEY:
        _refuse(event, "PPG106", f"a key of more than {MAX_KEY} characters", "shorten the key")
    first = positions[id(holder)][2 * list(holder).index(value)]
    raise ReadFault(
        "PPG104", f"the key {quote(value)} stands twice", "keep one of the two", event.start_mark.index, first
    )


def _explain(text: str, error: yaml.MarkedYAMLError) -> NoReturn:
    mark = error.problem_mark or error.context_mark
    offset = mark.index if mark else 0
    problem = error.problem or "no YAML"
    message = f"not valid YAML: {problem}" + (f" ({error.context})" if error.context else "")
    advice = "check the indentation, quotes and brackets at this place"
    line = text[text.rfind("\n", 0, offset) + 1 :].partition("\n")[0]
    if "'\\t'" in problem or "\t" in line[: len(line) - len(line.lstrip())]:
        message, advice = "a tab is used where YAML wants spaces", "indent with spaces"
    elif "maximum nesting depth" in problem:
        raise ReadFault("PPG106", "nested deeper than YAML readers allow", "flatten the file", offset) from error
    elif "invalid Unicode character" in problem:
        advice = "YAML has no surrogate pairs: write the character itself, or \\U and eight digits"
    raise ReadFault("PPG103", message, advice, offset) from error
