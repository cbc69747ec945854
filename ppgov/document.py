"""ppgov's own files (completion records, trust, waivers, deployments): read strictly, each fault at its place.

They decide what a run says, so nothing in them is passed over: an unknown member is an error.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ppgov import resources
from ppgov.errors import InputError, UnreadableError
from ppgov.findings import clip, quote
from ppgov.pack import escape
from ppgov.source import Source, parse, read_bytes
from ppgov.suggest import nearest

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator, ValidationError

MAX_BYTES = 10 * 1024 * 1024


class Document(NamedTuple):
    """A file whose data fit its schema."""

    path: str
    data: dict[str, Any]
    source: Source

    def at(self, pointer: str) -> str:
        """`path:line:column` of a place in it."""
        line, column = self.source.locate(pointer)
        return f"{self.path}:{line}:{column}" if line is not None else self.path


def read_document(path: str, schema: str) -> Document:
    """A YAML or JSON file that fits `vocab/schemas/<schema>.schema.json`. Raises InputError with its first fault."""
    try:
        return parse_document(read_bytes(path, MAX_BYTES), path, schema)
    except UnreadableError as error:
        raise _unreadable(path, error) from error


def parse_document(raw: bytes, path: str, schema: str, *, shown: str = "") -> Document:
    """The same from bytes that came from `path`; messages name `shown` in its place, without line and column."""
    try:
        source = parse(raw, path, max_bytes=MAX_BYTES)
    except UnreadableError as error:
        raise InputError(f"{shown}: {error.message}") if shown else _unreadable(path, error) from error
    document = Document(path, source.data, source)
    fault = first_fault(source.data, schema)
    if fault is not None:
        pointer, message, advice = fault
        raise InputError(f"{shown or document.at(pointer)}: {message}", advice)
    return document


def _unreadable(path: str, error: UnreadableError) -> InputError:
    place = ":".join(str(part) for part in (path, error.line, error.column) if part is not None)
    advice = "" if error.rule == "PPG107" else error.advice  # its advice is about packs
    return InputError(f"{place}: {error.message}", advice)


def first_fault(data: Mapping[str, Any], schema: str) -> tuple[str, str, str] | None:
    """Pointer, message and advice of the first thing that a schema refuses; None when it refuses nothing."""
    from jsonschema_rs import ValidationError

    try:
        _validator(schema).validate(data)
    except ValidationError as error:
        return _fault(error, _holder(_raw(schema), error.schema_path))
    except UnicodeEncodeError:
        return "", "a text holds half of a surrogate pair", "write the character whole"
    return None


def _fault(error: ValidationError, holder: dict[str, Any]) -> tuple[str, str, str]:
    """The validator's words; for an unknown member the nearest known one, else what the schema says of the place."""
    pointer = "".join(f"/{escape(str(token))}" for token in error.instance_path)
    unexpected = getattr(error.kind, "unexpected", None)
    if not unexpected:
        message = clip(error.message)
        if error.kind.name == "pattern":
            message = f"{quote(error.instance)} does not have the form that is asked for"
        return pointer, message, holder.get("description", "")
    name, known = str(unexpected[0]), holder.get("properties", {})
    match = nearest(name, known)
    advice = f"did you mean '{match}'?" if match else f"known here: {', '.join(known)}" if known else ""
    return f"{pointer}/{escape(name)}", f"unknown member {quote(name)}", advice


def _holder(schema: dict[str, Any], path: list[str | int]) -> dict[str, Any]:
    """The part of a schema whose keyword refused."""
    node: Any = schema
    for token in path[:-1]:
        node = node[token]
    return node if isinstance(node, dict) else {}


@lru_cache(maxsize=8)
def _raw(schema: str) -> dict[str, Any]:
    raw: dict[str, Any] = json.loads(resources.text("vocab", "schemas", f"{schema}.schema.json"))
    return raw


@lru_cache(maxsize=8)
def _validator(schema: str) -> Draft202012Validator:
    from jsonschema_rs import Draft202012Validator

    return Draft202012Validator(_raw(schema))
