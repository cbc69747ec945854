"""N-Quads tokens: IRIs, literals and path segments as text, ready to be joined by spaces.

The escapes are those of canonical N-Quads, so that text written here and text written by an RDF library are equal.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import quote_from_bytes

from ppgov.number import TIGHT, Number, json_text

Quad = tuple[str, str, str, str]
"""Subject, predicate, object and graph as tokens; the graph is "" for the default graph."""

PG = "https://w3id.org/ppgov/ns#"
DCT = "http://purl.org/dc/terms/"
PROV = "http://www.w3.org/ns/prov#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
XSD = "http://www.w3.org/2001/XMLSchema#"

TYPE = f"<{RDF}type>"
TRUE = f'"true"^^<{XSD}boolean>'
FALSE = f'"false"^^<{XSD}boolean>'
NULL = f'"null"^^<{RDF}JSON>'
MISSING = "~missing"

_INTEGER = f'"^^<{XSD}integer>'
_DECIMAL = f'"^^<{XSD}decimal>'
_DOUBLE = f'"^^<{XSD}double>'
_JSON = f'"^^<{RDF}JSON>'
_SPELLED = {"\b": "\\b", "\f": "\\f", "\r": "\\r", "\t": "\\t"}
_RARE = re.compile("[\x00-\x09\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def pg(name: str) -> str:
    """A name of the ontology `vocab/ppgov.ttl`."""
    return f"<{PG}{name}>"


def dct(name: str) -> str:
    return f"<{DCT}{name}>"


def text(value: str) -> str:
    """A plain string literal. Half a surrogate pair, which no RDF format can hold, becomes U+FFFD."""
    if value.isprintable() and '"' not in value and "\\" not in value:
        return f'"{value}"'
    return f'"{_escaped(value)}"'


def integer(value: int) -> str:
    return f'"{value}{_INTEGER}'


def structure(value: object) -> str:
    """Any JSON value as one `rdf:JSON` literal, members in the order of the file."""
    return f'"{_escaped(json_text(value, TIGHT))}{_JSON}'


def scalar(value: object) -> str | None:
    """A string, number, boolean or null as the literal of its own type; None for an object or an array.

    A number keeps its text, and the text decides the type: 5 is an integer, 0.90 a decimal, 1e3 a double.
    """
    if type(value) is str:
        return text(value)
    if value is True:
        return TRUE
    if value is False:
        return FALSE
    if type(value) is int:
        return f'"{value}{_INTEGER}'
    if type(value) is float or type(value) is Number:
        return _real(repr(value))
    return NULL if value is None else None


def _real(written: str) -> str:
    if "e" in written or "E" in written:
        return f'"{written}{_DOUBLE}'
    return f'"{written}{_DECIMAL if "." in written else _INTEGER}'


def segment(key: object) -> str:
    """A key or an id as one path segment: injective, ASCII, never empty, never a dot segment.

    `~` is encoded in keys, so a segment that holds one is this tool's own: `~empty`, `~dot`, `~dotdot`,
    `~missing` where the file has no scalar to name a thing by, `~5` for the number 5, `x~2` for a second `x`.
    """
    if type(key) is str:
        return _quoted(key) if len(key) <= 200 else _quoted.__wrapped__(key)
    if key is None or isinstance(key, (dict, list)):
        return MISSING
    return "~" + quote_from_bytes(json_text(key, TIGHT).encode(), safe="")


@lru_cache(maxsize=16384)
def _quoted(key: str) -> str:
    """The segment of a string; remembered, because the same keys and terms recur in a pack and in a fleet."""
    if key in ("", ".", ".."):
        return "~" + ("dot" * len(key) or "empty")
    return quote_from_bytes(key.encode("utf-8", "surrogatepass"), safe="").replace("~", "%7E")


def _escaped(value: str) -> str:
    value = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return value if value.isprintable() else _RARE.sub(_rare, value)


def _rare(match: re.Match[str]) -> str:
    character = match[0]
    if "\ud800" <= character <= "\udfff":
        return "\ufffd"
    return _SPELLED.get(character) or f"\\u{ord(character):04X}"
