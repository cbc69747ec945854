"""The embedded engine: quads in, an answer out. Only examined queries get here, and each in a child process."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ppgov.errors import InputError, UsageError
from ppgov.findings import clip
from ppgov.graph.token import DCT, PG, RDF, SKOS
from ppgov.query.bind import bind
from ppgov.query.guard import QueryForm, examine
from ppgov.query.table import PREFIXES, RDFS, Answer, Kind, Row, Table, Term, written

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pyoxigraph as ox

MAX_ROWS = 100_000

# A quad of a named graph: all of it but the graph, and the graph.
_NAMED = re.compile(
    r'^(<[^>]*> <[^>]*> (?:<[^>]*>|"(?:[^"\\]|\\.)*+"(?:\^\^<[^>]*>|@[A-Za-z0-9-]+)?)) <[^>]*> \.$', re.MULTILINE
)
_FAULT = re.compile(r"error at (\d+):(\d+): (.*)", re.DOTALL)
_PLACE = re.compile(r"(.*):(\d+):(\d+)", re.DOTALL)
_PG_DECLARED_AT = f"{PG}declaredAt"
WRITTEN, MEANING = f"{PG}written", f"{PG}iri"
_LABELS = (f"{SKOS}prefLabel", f"{RDFS}label", f"{DCT}title")


class Question(NamedTuple):
    """An examined query. `name` is what messages call the text; `base_iri` completes its relative IRIs."""

    text: str
    form: QueryForm
    values: Mapping[str, Term]
    name: str = "query"
    base_iri: str = ""
    max_rows: int = MAX_ROWS
    labels: bool = False
    places: bool = False


class Loaded(NamedTuple):
    """A store, and whether its default graph already is the union of all graphs."""

    store: ox.Store
    merged: bool


def in_memory(pieces: Iterable[str], form: QueryForm) -> Loaded:
    """N-Quads in a store in memory, their triples merged into its default graph.

    pyoxigraph's own union of graphs repeats a triple for each graph that has it, and a COUNT would count it so.
    The named graphs are loaded too where the query speaks of graphs.
    """
    import pyoxigraph as ox

    store = ox.Store()
    for piece in pieces:
        merged = _NAMED.sub(r"\1 .", piece)
        store.load((merged + piece if form.graphs else merged).encode(), format=ox.RdfFormat.N_QUADS)
    return Loaded(store, merged=True)


def on_disk(place: Path) -> Loaded:
    """A store on disk, read-only."""
    import pyoxigraph as ox

    try:
        store = ox.Store.read_only(str(place))
        a_version = (ox.NamedNode(f"{RDF}type"), ox.NamedNode(f"{PG}PackVersion"))
        return Loaded(store, merged=any(store.quads_for_pattern(None, *a_version, ox.DefaultGraph())))
    except OSError as error:
        reason = clip(str(error))
        raise InputError(f"{place}: the store cannot be read: {reason}", "build it again: ppgov store build") from error


def ask(loaded: Loaded, question: Question) -> Answer:
    """Evaluate a question. Raises UsageError for what the engine cannot read, InputError beyond `max_rows`."""
    form = examine(question.text, known_graphs=_Graphs(loaded.store), name=question.name)
    if question.values:  # a fault is told by its place in the text as it was written
        _results(_empty(), question.text, form, question)
    results = _results(loaded, bind(question.text, question.values), form, question)
    if form.form == "ask":
        return Answer("ask", truth=bool(results))
    try:
        if form.form == "graph":
            return Answer("graph", triples=_triples(results, question.max_rows))
        return Answer("select", _table(loaded, results, form, question))
    except (RuntimeError, OSError) as error:
        raise _engine_error(error, question) from error


def _empty() -> Loaded:
    import pyoxigraph as ox

    return Loaded(ox.Store(), merged=True)


class _Graphs:
    """The named graphs of a store."""

    def __init__(self, store: ox.Store) -> None:
        self.store = store

    def __contains__(self, graph: object) -> bool:
        import pyoxigraph as ox

        try:
            return self.store.contains_named_graph(ox.NamedNode(str(graph)))
        except ValueError:  # no IRI
            return False


def _results(
    loaded: Loaded, text: str, form: QueryForm, question: Question
) -> ox.QuerySolutions | ox.QueryBoolean | ox.QueryTriples:
    try:
        return loaded.store.query(
            text,
            base_iri=question.base_iri or None,
            prefixes=PREFIXES,
            use_default_graph_as_union=not loaded.merged and not form.dataset,
        )
    except (SyntaxError, RuntimeError, OSError, ValueError) as error:
        raise _engine_error(error, question) from error


def _engine_error(error: Exception, question: Question) -> UsageError | InputError:
    """The engine's fault by line and column, in words: what it expected, without its character classes."""
    if isinstance(error, OSError):
        return InputError(f"the store cannot be read: {clip(str(error))}", "build it again: ppgov store build")
    fault = _FAULT.match(str(error))
    if fault is None:
        return UsageError(f"{question.name}: {clip(str(error))}", "correct the query")
    place, expected = f"{question.name}:{fault[1]}:{fault[2]}", fault[3].removeprefix("expected ")
    words = [word.strip() for word in expected.removeprefix("one of ").split(", ")]
    known = [word for word in words if re.fullmatch(r'[A-Za-z" (),;.{}-]+', word) and word != "Prefix not found"]
    sentences = [word for word in known if " " in word]
    if sentences:
        return UsageError(f"{place}: {clip(sentences[0])}", "correct the query there")
    advice = f"expected here, or just before: {', '.join(known[:8])}" if known else "correct the query there"
    return UsageError(f"{place}: the query cannot be read from here", advice)


def _table(loaded: Loaded, results: object, form: QueryForm, question: Question) -> Table:
    import pyoxigraph as ox

    if not isinstance(results, ox.QuerySolutions):
        raise TypeError(results)
    variables = tuple(variable.value for variable in results.variables)
    rows: list[Row] = []
    for solution in results:
        _count(len(rows), question.max_rows, "rows")
        rows.append(tuple(None if term is None else term_of(term) for term in solution))
    if not form.ordered:
        rows.sort(key=order)
    rows = renamed(rows)
    iris = values(rows, "iri")
    return Table(
        variables,
        rows,
        {**labels_of_texts(loaded, values(rows, "literal")), **labels_of(loaded, iris)} if question.labels else {},
        places_of(loaded, iris) if question.places else {},
    )


def _triples(results: object, most: int) -> str:
    import pyoxigraph as ox

    if not isinstance(results, ox.QueryTriples):
        raise TypeError(results)
    found: set[tuple[Term, Term, Term]] = set()
    for triple in results:
        _count(len(found), most, "triples")
        found.add((term_of(triple.subject), term_of(triple.predicate), term_of(triple.object)))
    rows = renamed(sorted(found, key=order))
    return "".join(f"{' '.join(written(term) for term in row if term is not None)} .\n" for row in rows)


def _count(number: int, most: int, what: str) -> None:
    if number >= most:
        raise InputError(f"the query has more than {most:,} {what}", "add LIMIT, or raise --max-rows")


def term_of(term: object) -> Term:
    import pyoxigraph as ox

    if isinstance(term, ox.NamedNode):
        return Term("iri", term.value)
    if isinstance(term, ox.BlankNode):
        return Term("bnode", term.value)
    if not isinstance(term, ox.Literal):
        raise InputError("the query answers with a triple in a cell", "select its parts")
    if term.language:
        return Term("literal", term.value, "", term.language)
    datatype = term.datatype.value
    return Term("literal", term.value, "" if datatype.endswith("XMLSchema#string") else datatype)


def order(row: Sequence[Term | None]) -> list[tuple[str, ...]]:
    """By the terms; a blank node's name is the engine's fancy of the day."""
    return [() if term is None else term[:1] if term.kind == "bnode" else term for term in row]


def renamed(rows: Sequence[Sequence[Term | None]]) -> list[Row]:
    """Blank nodes named by the order in which they come."""
    names: dict[str, str] = {}

    def own(term: Term | None) -> Term | None:
        if term is None or term.kind != "bnode":
            return term
        return Term("bnode", names.setdefault(term.value, f"b{len(names)}"))

    return [tuple(own(term) for term in row) for row in rows]


def values(rows: Iterable[Row], kind: Kind) -> list[str]:
    """The values of all cells of a kind, each once."""
    return sorted({term.value for row in rows for term in row if term is not None and term.kind == kind})


def labels_of_texts(loaded: Loaded, texts: Sequence[str]) -> dict[str, str]:
    """What a term is called that stands there as a pack writes it; nothing where packs mean two things by it."""
    found: dict[str, str] = {}
    for text in texts:
        meanings = {term.value for use in _subjects(loaded, WRITTEN, text) for term in _objects(loaded, use, MEANING)}
        if len(meanings) == 1 and (label := labels_of(loaded, list(meanings))):
            found[text] = label.popitem()[1]
    return found


def labels_of(loaded: Loaded, iris: Sequence[str]) -> dict[str, str]:
    """What each is called: its label in the data, a term of the graph's own by the ontology, a thing by its title."""
    found: dict[str, str] = {}
    for iri in iris:
        for predicate in _LABELS:
            if label := _best(loaded, iri, predicate) or (_ontology().get(iri) if iri.startswith(PG) else None):
                found[iri] = label
                break
    return found


def _best(loaded: Loaded, iri: str, predicate: str) -> str | None:
    """English or without a language first, then by language."""
    labels = sorted(
        (not (term.language or "en").startswith("en"), term.language, term.value)
        for term in _objects(loaded, iri, predicate)
        if term.kind == "literal"
    )
    return labels[0][2] if labels else None


@cache
def _ontology() -> dict[str, str]:
    from ppgov import resources
    from ppgov.turtle import Literal, parse_turtle

    return {
        statement.subject: statement.value.text
        for statement in parse_turtle(resources.folder("vocab") / "ppgov.ttl").statements
        if statement.predicate == f"{RDFS}label" and isinstance(statement.value, Literal)
    }


def places_of(loaded: Loaded, iris: Sequence[str]) -> dict[str, tuple[str, ...]]:
    found = ((iri, {term.value for term in _objects(loaded, iri, _PG_DECLARED_AT)}) for iri in iris)
    return {iri: tuple(sorted(places, key=_by_line)) for iri, places in found if places}


def _by_line(place: str) -> tuple[str, int, int]:
    match = _PLACE.fullmatch(place)
    return (match[1], int(match[2]), int(match[3])) if match else (place, 0, 0)


def _objects(loaded: Loaded, iri: str, predicate: str) -> Iterator[Term]:
    import pyoxigraph as ox

    graph = ox.DefaultGraph() if loaded.merged else None
    for quad in loaded.store.quads_for_pattern(ox.NamedNode(iri), ox.NamedNode(predicate), None, graph):
        yield term_of(quad.object)


def _subjects(loaded: Loaded, predicate: str, text: str) -> Iterator[str]:
    import pyoxigraph as ox

    graph = ox.DefaultGraph() if loaded.merged else None
    for quad in loaded.store.quads_for_pattern(None, ox.NamedNode(predicate), ox.Literal(text), graph):
        subject = term_of(quad.subject)
        if subject.kind == "iri":
            yield subject.value
