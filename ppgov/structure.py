"""The pack format as typed nodes: what the bundled schema says, in a shape that can be walked and listed.

A node's path names it: a definition by its name (`Prompt`), anything inside by the way to it
(`Governance.independent_of`, `ProviderRequirement|1` for the second form, `MediaConfig{}` for the values of a map).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Union

from ppgov import resources

Json = Union[dict[str, "Json"], list["Json"], str, int, float, bool, None]  # noqa: UP007 - a recursive alias has to quote itself

SCHEMA_FILE = "promptpack-1.9.0.schema.json"
_DEFS = "#/$defs/"
_LIMITS = ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")


@dataclass(frozen=True, slots=True)
class Node:
    """One subschema. `ref` names a definition that stands for it; `allowed` holds enum or const; `forms` oneOf."""

    path: str
    ref: str = ""
    types: tuple[str, ...] = ()
    properties: dict[str, Property] | None = None
    required: tuple[str, ...] = ()
    closed: bool = False
    rest: Node | None = None
    items: Node | None = None
    allowed: tuple[str | int, ...] = ()
    pattern: str = ""
    limits: tuple[tuple[str, float], ...] = ()
    unique: bool = False
    forms: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Property:
    """A named member of an object. `since` is the format version that brought it, such as "1.3.1"."""

    name: str
    node: Node
    description: str
    since: str


@dataclass(frozen=True, slots=True)
class Structure:
    """The root and the definitions by name."""

    root: Node
    definitions: dict[str, Node]

    def resolve(self, node: Node) -> Node:
        return self.definitions[node.ref] if node.ref else node


@dataclass(frozen=True, slots=True)
class PropertyFacts:
    """A row for documentation and editors. `owner` is the path of the object, "" for the pack itself."""

    owner: str
    name: str
    type: str
    required: bool
    description: str
    since: str


def schema_text() -> str:
    """The bundled JSON Schema."""
    return resources.text("vocab", SCHEMA_FILE)


@lru_cache(maxsize=1)
def structure() -> Structure:
    raw = json.loads(schema_text())
    return Structure(_node(raw, ""), {name: _node(schema, name) for name, schema in raw["$defs"].items()})


def _node(raw: dict[str, Any], path: str) -> Node:
    if "$ref" in raw:
        return Node(path, ref=raw["$ref"].removeprefix(_DEFS))
    kinds = raw.get("type", ())
    rest = raw.get("additionalProperties")
    properties = {name: _property(name, schema, path) for name, schema in raw.get("properties", {}).items()}
    return Node(
        path=path,
        types=(kinds,) if isinstance(kinds, str) else tuple(kinds),
        properties=properties,
        required=tuple(raw.get("required", ())),
        closed=rest is False,
        rest=_node(rest, f"{path}{{}}") if isinstance(rest, dict) else None,
        items=_node(raw["items"], f"{path}[]") if raw.get("items") else None,
        allowed=tuple(raw.get("enum", ())) or ((raw["const"],) if "const" in raw else ()),
        pattern=raw.get("pattern", ""),
        limits=tuple((name, raw[name]) for name in _LIMITS if name in raw),
        unique=raw.get("uniqueItems", False),
        forms=tuple(_node(form, f"{path}|{index}") for index, form in enumerate(raw.get("oneOf", ()))),
    )


def _property(name: str, raw: dict[str, Any], path: str) -> Property:
    return Property(name, _node(raw, f"{path}.{name}"), raw.get("description", ""), raw.get("x-since", ""))


def all_properties() -> tuple[PropertyFacts, ...]:
    """Every property of the format, the pack's own first, then definition by definition."""
    model = structure()
    return tuple(fact for node in (model.root, *model.definitions.values()) for fact in _facts(node))


def properties_of(owner: str) -> tuple[PropertyFacts, ...]:
    """The properties of one object: a definition's name, or a longer path such as `Governance.independent_of`."""
    return tuple(fact for fact in all_properties() if fact.owner == owner)


def _facts(node: Node) -> Iterator[PropertyFacts]:
    for item in (node.properties or {}).values():
        required = item.name in node.required
        yield PropertyFacts(node.path, item.name, _type_words(item.node), required, item.description, item.since)
        yield from _facts(item.node)
    for inner in (node.rest, node.items, *node.forms):
        if inner is not None:
            yield from _facts(inner)


def _type_words(node: Node) -> str:
    if node.ref:
        return node.ref
    if node.types == ("array",):
        return f"list of {_type_words(node.items)}" if node.items else "list"
    if node.types == ("object",) and node.rest is not None and not node.properties:
        return f"map of {_type_words(node.rest)}"
    if node.allowed:
        return "one of " + ", ".join(str(value) for value in node.allowed)
    return " or ".join(node.types) or "any"
