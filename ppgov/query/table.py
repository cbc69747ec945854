"""What a query answers: terms, rows, and the prefixes that a query and its answer may use."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from ppgov.graph.token import DCT, PG, PROV, RDF, SKOS, XSD
from ppgov.terms import WELL_KNOWN

Form = Literal["select", "ask", "graph"]
Kind = Literal["iri", "literal", "bnode"]

EARL = "http://www.w3.org/ns/earl#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"

# Declared for every query; a query's own PREFIX wins.
PREFIXES: dict[str, str] = WELL_KNOWN | {
    "dct": DCT,
    "earl": EARL,
    "pg": PG,
    "prov": PROV,
    "rdf": RDF,
    "rdfs": RDFS,
    "skos": SKOS,
    "xsd": XSD,
}

_NAMESPACE = {space: prefix for prefix, space in PREFIXES.items()}
_LOCAL = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.\-]*[A-Za-z0-9_\-])?", re.ASCII).fullmatch


class Term(NamedTuple):
    """An RDF term. `datatype` is an IRI, "" for xsd:string and for a text with a language."""

    kind: Kind
    value: str
    datatype: str = ""
    language: str = ""


Row = tuple[Term | None, ...]


class Table(NamedTuple):
    """Solutions. `labels` are by IRI, or by a term as packs write it; `places`, by IRI, are "pack.yaml:41:9"."""

    variables: tuple[str, ...]
    rows: Sequence[Row]
    labels: Mapping[str, str] = {}
    places: Mapping[str, tuple[str, ...]] = {}


class Answer(NamedTuple):
    """A table for SELECT, a truth for ASK, N-Triples text for CONSTRUCT and DESCRIBE."""

    form: Form
    table: Table | None = None
    truth: bool | None = None
    triples: str = ""


def curie(iri: str) -> str | None:
    """The IRI with one of the PREFIXES, where a query can be given it back in that form."""
    cut = max(iri.rfind("#"), iri.rfind("/")) + 1
    prefix = _NAMESPACE.get(iri[:cut])
    return f"{prefix}:{iri[cut:]}" if prefix is not None and _LOCAL(iri[cut:]) else None


_SPELLED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


def written(term: Term) -> str:
    """The term as N-Triples, SPARQL and TSV results write it; what nobody can see as its escape, so that it shows."""
    if term.kind == "iri":
        return f"<{term.value}>"
    if term.kind == "bnode":
        return f"_:{term.value}"
    plain = term.value.isprintable() and "\\" not in term.value and '"' not in term.value
    text = f'"{term.value if plain else "".join(_spelled(character) for character in term.value)}"'
    if term.language:
        return f"{text}@{term.language}"
    return f"{text}^^<{term.datatype}>" if term.datatype else text


def _spelled(character: str) -> str:
    """Half a surrogate pair, which no RDF text can hold, becomes U+FFFD."""
    if character in _SPELLED:
        return _SPELLED[character]
    if character.isprintable():
        return character
    number = ord(character)
    if 0xD800 <= number <= 0xDFFF:
        return "\ufffd"
    return f"\\u{number:04X}" if number <= 0xFFFF else f"\\U{number:08X}"
