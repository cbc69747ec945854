"""The terms of a user's own vocabulary: any SKOS or RDFS file in Turtle. `owl:imports` is not followed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ppgov.errors import InputError
from ppgov.termindex import Facts, Kind, OwnTerms, Removal, SourceInfo, split_iri
from ppgov.terms import WELL_KNOWN
from ppgov.turtle import Literal, Statement, TurtleFile, parse_turtle

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_OWL = "http://www.w3.org/2002/07/owl#"
_SKOS = "http://www.w3.org/2004/02/skos/core#"
_DCT = "http://purl.org/dc/terms/"
_DC = "http://purl.org/dc/elements/1.1/"
_SCHEMA_NAMESPACES = (_RDF, _RDFS, _OWL, _SKOS)

_TYPE = _RDF + "type"
# SKOS makes broadMatch a broader and narrowMatch a narrower, between two vocabularies (SKOS Reference S41).
_UP = frozenset((_SKOS + "broader", _SKOS + "broadMatch", _RDFS + "subClassOf", _RDFS + "subPropertyOf"))
_DOWN = frozenset((_SKOS + "narrower", _SKOS + "narrowMatch"))
_MEMBERSHIP = frozenset((_SKOS + "inScheme", _SKOS + "topConceptOf"))
_LABELS = (_SKOS + "prefLabel", _RDFS + "label")
_STATUS = "http://www.w3.org/2003/06/sw-vocab-status/ns#term_status"
_USUAL_STATUS = frozenset(("accepted", "modified", "stable", "testing", "unstable"))

_PROPERTY_TYPES = frozenset(
    (_RDF + "Property", _OWL + "ObjectProperty", _OWL + "DatatypeProperty", _OWL + "AnnotationProperty")
)
_TERM_TYPES = _PROPERTY_TYPES | {_SKOS + "Concept", _RDFS + "Class", _OWL + "Class", _OWL + "NamedIndividual"}
_HEADER_TYPES = frozenset((_OWL + "Ontology", _SKOS + "ConceptScheme"))
# What is declared like a term and is none (SKOS Reference S9 and S37: neither a scheme nor a collection is a concept).
_GROUP_TYPES: dict[str, Kind] = {
    _SKOS + "Collection": "collection",
    _SKOS + "OrderedCollection": "collection",
    _SKOS + "ConceptScheme": "scheme",
    _OWL + "Ontology": "ontology",
}


@dataclass(slots=True)
class _Description:
    """What is said of one subject, while the files are read; `file` is where it was met first."""

    file: int
    labels: list[tuple[int, int, str, str]] = field(default_factory=list)
    types: set[str] = field(default_factory=set)
    parents: set[str] = field(default_factory=set)
    listed: bool = False
    status: str | None = None
    successors: set[str] = field(default_factory=set)


def read_terms(paths: Sequence[Path], is_term: Callable[[str], bool]) -> OwnTerms:
    """The terms of some files; `is_term` knows the bundled ones. Raises InputError for a file without terms."""
    files = [parse_turtle(path) for path in paths]
    described: dict[str, _Description] = {}
    for number, file in enumerate(files):
        for statement in file.statements:
            _note(described, number, statement)
    terms = _terms(described, is_term)
    for file in files:
        if not any(statement.subject in terms for statement in file.statements):
            raise InputError(
                f"{file.path}: it defines no term", "give a SKOS or RDFS vocabulary, with labels or types for its terms"
            )
    names = [_title(file) for file in files]
    held = sorted(terms)
    groups = sorted(iri for iri, subject in described.items() if _group(subject) is not None)

    def facts(iri: str) -> Facts:
        number = described[iri].file
        return _facts(iri, described[iri], names[number], files[number])

    return OwnTerms(
        facts={iri: facts(iri) for iri in held},
        groups={iri: facts(iri) for iri in groups},
        removals={iri: Removal(None, min(d.successors), "stated") for iri in held if (d := described[iri]).successors},
        prefixes=_prefixes(files),
        origins={split_iri(iri)[0]: names[described[iri].file] for iri in reversed(held)},
        sources=tuple(_source(file, name, held) for file, name in zip(files, names, strict=True)),
    )


def _note(described: dict[str, _Description], file: int, statement: Statement) -> None:
    def about(iri: str) -> _Description:
        if iri not in described:
            described[iri] = _Description(file)
        return described[iri]

    predicate, value = statement.predicate, statement.value
    subject = about(statement.subject)
    if isinstance(value, Literal):
        _note_literal(subject, predicate, value)
    elif predicate == _TYPE:
        subject.types.add(value)
    elif predicate in _UP:
        subject.parents.add(value)
    elif predicate in _DOWN:
        about(value).parents.add(statement.subject)
        subject.listed = True
    elif predicate in _MEMBERSHIP:
        subject.listed = True
    elif predicate == _DCT + "isReplacedBy":
        subject.successors.add(value)


def _note_literal(subject: _Description, predicate: str, value: Literal) -> None:
    if predicate in _LABELS and value.text.strip():
        subject.labels.append(_rank(value, _LABELS.index(predicate)))
    elif predicate == _OWL + "deprecated" and value.text in ("true", "1"):
        subject.status = "deprecated"
    elif predicate == _STATUS and value.text not in _USUAL_STATUS:
        subject.status = subject.status or value.text


def _rank(value: Literal, place: int) -> tuple[int, int, str, str]:
    """Sorts English first, then text without a language, then the rest by language."""
    language = value.language
    order = 0 if language == "en" else 1 if language.startswith("en-") else 3 if language else 2
    return order, place, language, value.text


def _terms(described: Mapping[str, _Description], is_term: Callable[[str], bool]) -> set[str]:
    """The subjects that are terms: by type, by place in a hierarchy, by a label alone, or as an instance of a term."""
    instances: dict[str, list[str]] = {}
    pending: list[str] = []
    for iri, subject in described.items():
        if _group(subject) is not None:
            continue
        for type_ in subject.types:
            instances.setdefault(type_, []).append(iri)
        placed = subject.types & _TERM_TYPES or subject.parents or subject.listed
        if placed or (subject.labels and not subject.types) or any(map(is_term, subject.types)):
            pending.append(iri)
    found: set[str] = set()
    while pending:
        iri = pending.pop()
        if iri not in found:
            found.add(iri)
            pending.extend(instances.get(iri, ()))
    return found


def _group(subject: _Description) -> Kind | None:
    return next((kind for type_, kind in _GROUP_TYPES.items() if type_ in subject.types), None)


def _facts(iri: str, subject: _Description, name: str, file: TurtleFile) -> Facts:
    return Facts(
        iri=iri,
        label=min(subject.labels)[3] if subject.labels else None,
        kind=_group(subject) or ("property" if subject.types & _PROPERTY_TYPES else "class"),
        parents=_outside_schemas(subject.parents, iri),
        types=_outside_schemas(subject.types, iri),
        status=subject.status,
        source=name,
        file=str(file.path),
    )


def _outside_schemas(iris: Iterable[str], but: str) -> tuple[str, ...]:
    return tuple(sorted(i for i in iris if i != but and not i.startswith(_SCHEMA_NAMESPACES)))


def _prefixes(files: Iterable[TurtleFile]) -> dict[str, str]:
    """The prefix of each namespace, of the file that declares it first; well-known prefixes keep their meaning."""
    bound = dict(WELL_KNOWN)
    for file in files:
        for prefix, namespace in sorted(file.prefixes.items()):
            if prefix:
                bound.setdefault(prefix, namespace)
    return {namespace: prefix for prefix, namespace in reversed(bound.items())}


def _header(file: TurtleFile, *predicates: str) -> str | None:
    """The best text that the file's ontology or concept scheme has for the first of the predicates that it uses."""
    heads = {s.subject for s in file.statements if s.predicate == _TYPE and s.value in _HEADER_TYPES}
    for predicate in predicates:
        texts = [
            _rank(s.value, 0)
            for s in file.statements
            if s.predicate == predicate and s.subject in heads and isinstance(s.value, Literal) and s.value.text.strip()
        ]
        if texts:
            return min(texts)[3]
    return None


def _title(file: TurtleFile) -> str:
    return _header(file, _DCT + "title", _DC + "title", _SKOS + "prefLabel", _RDFS + "label") or file.path.name


def _source(file: TurtleFile, title: str, terms: Iterable[str]) -> SourceInfo:
    subjects = {statement.subject for statement in file.statements}
    return SourceInfo(
        title=title,
        release=_header(file, _OWL + "versionInfo"),
        date=_header(file, _DCT + "modified", _DCT + "issued", _DCT + "created"),
        namespaces=tuple(sorted({split_iri(iri)[0] for iri in terms if iri in subjects})),
        sha256=file.sha256,
        file=str(file.path),
    )
