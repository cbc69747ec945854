"""The door to jsonschema-rs: whether a pack fits the format, and which format version it says it is written for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from ppgov import resources
from ppgov.findings import clip, quote
from ppgov.number import plain
from ppgov.pack import escape
from ppgov.violation import Violation

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

    from ppgov.structure import Json, Node, Property, Structure

__all__ = [
    "FORMAT_VERSION",
    "FORMAT_VERSIONS",
    "Violation",
    "format_version",
    "format_violations",
    "newer_properties",
    "unknown_format",
    "violations",
]

FORMAT_VERSION = "1.9.0"
SCHEMA_FILE = f"promptpack-{FORMAT_VERSION}.schema.json"
# Every published version; docs/format-versions.md says what each brought.
FORMAT_VERSIONS = (
    *("1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.3.1", "1.4.0", "1.4.1"),
    *("1.5.0", "1.5.1", "1.6.0", "1.7.0", "1.8.0", "1.8.1", "1.9.0"),
)
MAX_TEXT = 24 * 1024 * 1024  # characters of pointers to newer properties; a hostile pack has no more to say
_FORMAT_URL = re.compile(
    r"https://promptpack\.org/schema/(?:latest|v([0-9]{1,4}(?:\.[0-9]{1,4}){0,2}))/promptpack\.schema\.json"
)
_URL = "https://promptpack.org/schema/v{}/promptpack.schema.json"


def violations(data: Mapping[str, Json]) -> tuple[Violation, ...]:
    """Every structural fault of a pack, each once; empty for a pack that fits the format.

    jsonschema-rs decides. Half of a surrogate pair, which it cannot read, counts as one character.
    """
    validator = _validator()
    try:
        if _fits(validator, data):
            return ()
    except UnicodeEncodeError:
        pass
    from ppgov.explanation import explain

    return explain(data) or tuple(_unexplained(validator, data))


def _fits(validator: Draft202012Validator, data: Mapping[str, Json]) -> bool:
    """Few packs hold a Number, which jsonschema-rs does not take: it refuses the pack, or to look at it."""
    try:
        if validator.is_valid(data):
            return True
    except UnicodeEncodeError:
        raise
    except ValueError:
        pass
    return validator.is_valid(plain(data))


def _unexplained(validator: Draft202012Validator, data: Mapping[str, Json]) -> Iterator[Violation]:
    """The validator's own words, should it ever refuse what `explain` accepts."""
    from jsonschema_rs import ValidationError

    try:
        validator.validate(_whole(plain(data)))
    except ValidationError as error:
        pointer = "".join(f"/{escape(str(token))}" for token in error.instance_path)
        yield Violation("PPG116", pointer, clip(error.message), "correct the value", unread=True)


def _whole(value: Json) -> Json:
    """The data with each half of a surrogate pair replaced by U+FFFD."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_whole(entry) for entry in value]
    if isinstance(value, dict):
        return {str(_whole(key)): _whole(entry) for key, entry in value.items()}
    return value


@lru_cache(maxsize=1)
def _validator() -> Draft202012Validator:
    from jsonschema_rs import Draft202012Validator

    return Draft202012Validator(resources.text("vocab", SCHEMA_FILE))


def format_version(data: Mapping[str, Json]) -> str | None:
    """The version that `$schema` names: "latest", or digits such as "1.2"; None when it names none that is known."""
    named = data.get("$schema")
    match = _FORMAT_URL.fullmatch(named) if isinstance(named, str) else None
    if match is None:
        return None
    version: str = match[1] or "latest"
    return version if version == "latest" or any(_covers(version, known) for known in FORMAT_VERSIONS) else None


def format_violations(data: Mapping[str, Json]) -> tuple[Violation, ...]:
    """What `$schema` gets wrong: a version that is not known, or one older than a property in use."""
    version = format_version(data)
    return unknown_format(data) if version is None else newer_properties(data, version)


def unknown_format(data: Mapping[str, Json]) -> tuple[Violation, ...]:
    """PPG120 for a `$schema` that names no known version. A pack without `$schema` says nothing wrong."""
    named = data.get("$schema")
    if not isinstance(named, str) or format_version(data) is not None:
        return ()
    match = _FORMAT_URL.fullmatch(named)
    what = f"format version {match[1]} is not known" if match else f"{quote(named)} names no PromptPack format version"
    message = f"{what}; the pack was checked as format {FORMAT_VERSION}"
    return (Violation("PPG120", "/$schema", message, f"name {_URL.format(FORMAT_VERSION)}, or leave $schema out"),)


def newer_properties(data: Mapping[str, Json], version: str) -> tuple[Violation, ...]:
    """PPG121 for each property that a later version brought, at its key; not for what lies inside it.

    "1.3" stands for every 1.3 release, "latest" for all.
    """
    if version == "latest" or _covers(version, FORMAT_VERSION):
        return ()
    from ppgov.structure import structure

    model = structure()
    room = MAX_TEXT
    items: list[Violation] = []
    for path, since in _newer(model, model.root, dict(data), [], version):
        pointer = "".join(f"/{escape(str(token))}" for token in path)
        room -= len(pointer)
        if room < 0:
            message = f"more properties are newer than format {version} than can be listed"
            return (*items, Violation("PPG121", "/$schema", message, "name a later version"))
        message = f"{quote(path[-1])} came with format {since}, but $schema names {version}"
        items.append(Violation("PPG121", pointer, message, f"name {_URL.format(since)} or a later one"))
    return tuple(items)


def _newer(
    model: Structure, node: Node, value: Json, path: list[str | int], version: str
) -> Iterator[tuple[list[str | int], str]]:
    """The way to each property that is newer, and its version. The list is one for the whole walk: read it at once."""
    node = model.resolve(node)
    if isinstance(value, list) and node.items is not None:
        for index, entry in enumerate(value):
            path.append(index)
            yield from _newer(model, node.items, entry, path, version)
            path.pop()
    elif isinstance(value, dict):
        properties = _properties(model, node, value)
        for key, entry in value.items():
            known = properties.get(key)
            path.append(key)
            if known is not None and _later(known.since, version):
                yield path, known.since
            elif (inner := known.node if known else node.rest) is not None:
                yield from _newer(model, inner, entry, path, version)
            path.pop()


def _properties(model: Structure, node: Node, value: dict[str, Json]) -> dict[str, Property]:
    """The properties that an object can have; a step's depend on its kind."""
    properties = dict(node.properties or {})
    for form in map(model.resolve, node.forms):
        own = form.properties or {}
        if "kind" in own and value.get("kind") in own["kind"].node.allowed:
            properties = {**own, **properties}
    return properties


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _padded(version: str) -> tuple[int, ...]:
    return (*_numbers(version), 0, 0)[:3]


@lru_cache(maxsize=256)
def _covers(named: str, version: str) -> bool:
    """Whether a named version, which may leave its last numbers out, includes a full one."""
    numbers = _numbers(named)
    return _padded(version)[: len(numbers)] == numbers


@lru_cache(maxsize=256)
def _later(since: str, named: str) -> bool:
    numbers = _numbers(named)
    return _padded(since)[: len(numbers)] > numbers
