"""Questions to a server by the SPARQL 1.1 Protocol. A failure of the server is never taken for an answer.

What servers do in place of failing, each of which is an error here: status 200 and a body that ends in the middle
(Oxigraph after its time limit), rows left out beyond a limit (Virtuoso), a page of HTML, an empty body. And ASK
answered as a table (Virtuoso) is understood.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from ppgov.errors import InputError
from ppgov.findings import clip
from ppgov.graph.token import DCT, PG, SKOS, XSD
from ppgov.query import engine
from ppgov.query.guard import examine, prologue, tokens
from ppgov.query.table import RDFS, Answer, Row, Table, Term, written
from ppgov.terms import is_absolute_iri
from ppgov.web import Account, Client, Reply, account_for, checked_url

if TYPE_CHECKING:
    import pyoxigraph

TIMEOUT = 30.0  # seconds, for everything that one question asks of the server
_BATCH = 200  # IRIs in one question for labels or places
_FORM = "application/x-www-form-urlencoded"
_RESULTS = {
    "application/sparql-results+json": "JSON",
    "application/json": "JSON",
    "application/sparql-results+xml": "XML",
    "application/xml": "XML",
    "text/xml": "XML",
}
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_GRAPHS = {"application/n-triples": "N_TRIPLES", "text/turtle": "TURTLE", "application/x-turtle": "TURTLE"}
_ACCEPT = {
    "table": "application/sparql-results+json, application/sparql-results+xml;q=0.9",
    "graph": "application/n-triples, text/turtle;q=0.9",
}
_DIFFERENT = "is it the address of a SPARQL endpoint?"
_VERSION = f"<{PG}PackVersion>"
_SAMPLE = f"SELECT ?s WHERE {{ GRAPH ?g {{ ?s a {_VERSION} }} }} LIMIT 1"
_UNION = "union-default-graph"
_NAMES = (f"{SKOS}prefLabel", f"{RDFS}label", f"{DCT}title")
_PLACE = f"{PG}declaredAt"


def ask(
    url: str,
    text: str,
    *,
    timeout: float = TIMEOUT,
    max_rows: int | None = None,
    labels: bool = False,
    locate: bool = False,
    environ: Mapping[str, str] | None = None,
    warn: Callable[[str], None] = lambda _: None,
) -> Answer:
    """The answer of the server at `url`, whole. `environ` is where credentials are looked up; None: the process's.

    Raises UsageError for a query or an address that is refused before anything is sent, InputError for whatever is
    no whole answer. `warn` is told what does not keep the question from being answered.
    """
    checked_url(url)
    question = examine(text, known_graphs=None)
    account, warning = account_for(url, os.environ if environ is None else environ)
    if warning:
        warn(warning)
    with _Session(url, account, timeout) as session:
        if not session.settle():
            warn(f"{session.name}: holds no packs, so an empty answer says nothing about packs")
        whole = prologue(text) + text
        if question.form == "graph":
            return Answer("graph", triples=session.graph(whole, max_rows))
        if question.form == "ask":
            return Answer("ask", truth=session.truth(whole))
        table = session.table(whole, max_rows, ordered=question.ordered)
        iris = engine.values(table.rows, "iri")
        texts = [text for text in engine.values(table.rows, "literal") if labels and ":" in text]
        if labels or locate:
            loaded = session.about(iris, texts, labels=labels, locate=locate)
            table = table._replace(
                labels={**engine.labels_of_texts(loaded, texts), **engine.labels_of(loaded, iris)} if labels else {},
                places=engine.places_of(loaded, iris) if locate else {},
            )
        return Answer("select", table)


class _Session:
    """The requests of one question, which share its time."""

    def __init__(self, url: str, account: Account, timeout: float) -> None:
        self._client = Client(url, account)
        self._timeout = timeout
        self._end = monotonic() + timeout
        self._extra: dict[str, str] = {}
        self.name = self._client.name

    def __enter__(self) -> _Session:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def settle(self) -> bool:
        """Whether the server holds packs. Raises InputError unless a query without GRAPH sees all graphs.

        A version from a named graph is looked for in the default graph: a server whose default graph holds other
        packs would otherwise answer from these alone.
        """
        found = self.table(_SAMPLE, None).rows
        version = found[0][0] if found else None
        if version is None or not is_absolute_iri(version.value):
            return self.truth(f"ASK {{ ?s a {_VERSION} }}")
        probe = f"ASK {{ <{version.value}> a {_VERSION} }}"
        if not self.truth(probe):
            self._extra = {_UNION: "true"}  # Oxigraph knows it; asked for only where it is needed
            if not self.truth(probe):
                raise InputError(
                    f"{self.name}: a query there does not see the named graphs, which hold the packs: "
                    "its answer would say that there is nothing",
                    "make the union of all graphs the server's default graph; docs/endpoints.md says how",
                )
        return True

    def truth(self, text: str) -> bool:
        reply = self._asked(text, "table")
        parsed = self._parsed(reply)
        import pyoxigraph as ox

        if isinstance(parsed, ox.QueryBoolean):
            return bool(parsed)
        rows = list(self._rows(parsed, reply))
        if len(parsed.variables) == 1 and len(rows) <= 1:
            value = rows[0][0] if rows else None
            if value is None:
                return False  # Virtuoso's false: a table of one variable without rows
            if value.kind == "literal" and value.value in ("true", "false", "1", "0"):
                return value.value in ("true", "1")
        raise InputError(f"{self.name}: answers ASK with a table that is neither true nor false", _DIFFERENT)

    def table(self, text: str, max_rows: int | None, *, ordered: bool = True) -> Table:
        """Rows in the order that the query asks for, else sorted; blank nodes named by that order."""
        reply = self._asked(text, "table")
        parsed = self._parsed(reply)
        import pyoxigraph as ox

        if isinstance(parsed, ox.QueryBoolean):
            raise InputError(f"{self.name}: answers SELECT with true or false", _DIFFERENT)
        rows: list[Row] = []
        for row in self._rows(parsed, reply):
            if max_rows is not None and len(rows) == max_rows:
                raise _too_many(max_rows, "rows")
            rows.append(row)
        if not ordered:
            rows.sort(key=engine.order)
        return Table(tuple(variable.value for variable in parsed.variables), engine.renamed(rows))

    def graph(self, text: str, max_rows: int | None) -> str:
        """Sorted N-Triples, each once."""
        reply = self._asked(text, "graph")
        form = _GRAPHS.get(reply.kind)
        if form is None:
            raise self._unexpected(reply, "a graph as N-Triples or Turtle")
        if not reply.framed:
            raise InputError(f"{self.name}: closes the connection where an answer ends or breaks off alike", _DIFFERENT)
        if "virtuoso" in reply.headers.get("server", "").lower():
            self._uncut(text)
        import pyoxigraph as ox

        found: set[tuple[Term, Term, Term]] = set()
        try:
            for quad in ox.parse(input=reply.body, format=getattr(ox.RdfFormat, form)):
                found.add((_term(quad.subject), _term(quad.predicate), _term(quad.object)))
                if max_rows is not None and len(found) > max_rows:
                    raise _too_many(max_rows, "triples")
        except (SyntaxError, ValueError) as error:
            raise self._broken(reply) from error
        rows = engine.renamed(sorted(found, key=engine.order))
        return "".join(f"{' '.join(written(term) for term in row if term is not None)} .\n" for row in rows)

    def about(self, iris: list[str], texts: list[str], *, labels: bool, locate: bool) -> engine.Loaded:
        """What the server says of the names and the places of IRIs and of terms, for the engine to choose from."""
        import pyoxigraph as ox

        wanted = (*(_NAMES if labels else ()), *((_PLACE,) if locate else ()))
        store = ox.Store()
        meanings = set()
        for text, meaning in self._meanings(texts):
            node = ox.NamedNode(meaning)  # its uses are many, and say no more
            store.add(ox.Quad(node, ox.NamedNode(engine.WRITTEN), ox.Literal(text)))
            store.add(ox.Quad(node, ox.NamedNode(engine.MEANING), node))
            meanings.add(meaning)
        for iri, predicate, value in self._of(sorted(meanings.union(iris)), wanted):
            if value.kind == "literal" and predicate.value in wanted:
                literal = ox.Literal(value.value, language=value.language or None)
                store.add(ox.Quad(ox.NamedNode(iri.value), ox.NamedNode(predicate.value), literal))
        return engine.Loaded(store, merged=True)

    def _meanings(self, texts: list[str]) -> Iterator[tuple[str, str]]:
        """Which IRIs these texts stand for, where packs write them as terms."""
        for start in range(0, len(texts), _BATCH):
            given = " ".join(written(Term("literal", text)) for text in texts[start : start + _BATCH])
            asked = f"VALUES ?text {{ {given} }} ?use <{engine.WRITTEN}> ?text ; <{engine.MEANING}> ?meaning ."
            for text, meaning in self.table(f"SELECT DISTINCT ?text ?meaning WHERE {{ {asked} }}", None).rows:
                if text is not None and meaning is not None and is_absolute_iri(meaning.value):
                    yield text.value, meaning.value

    def _of(self, iris: list[str], predicates: tuple[str, ...]) -> Iterator[tuple[Term, Term, Term]]:
        """Triples about these IRIs, asked for in batches; what a server gives as an IRI and is none is left out."""
        sound = [iri for iri in iris if is_absolute_iri(iri)]
        for start in range(0, len(sound), _BATCH):
            given = " ".join(f"<{iri}>" for iri in sound[start : start + _BATCH])
            asked = " UNION ".join(
                f"{{ VALUES ?s {{ {given} }} ?s <{name}> ?o . BIND(<{name}> AS ?p) }}" for name in predicates
            )
            for row in self.table(f"SELECT DISTINCT ?s ?p ?o WHERE {{ {asked} }}", None).rows:
                subject, predicate, value = row
                if subject is not None and predicate is not None and value is not None:
                    yield subject, predicate, value

    def _uncut(self, text: str) -> None:
        """Virtuoso cuts the solutions of CONSTRUCT and DESCRIBE without a word, but those of SELECT with a header."""
        form = examine(text, known_graphs=None)
        start = next(token.start for token in tokens(text) if token.text.upper() == form.keyword)
        if form.where is not None:
            self._asked(f"{text[:start]}SELECT (1 AS ?counted) WHERE {text[form.where :]}", "table")

    def _asked(self, text: str, wanted: str) -> Reply:
        """A reply of status 200 that the server does not call partial.

        The form comes first: Virtuoso never answers a bare query.
        """
        reply = self._post(urlencode({"query": text, **self._extra}, errors="replace").encode(), _FORM, wanted)
        if reply.status == 415:
            extra = urlencode(self._extra)
            reply = self._post(text.encode("utf-8", "replace"), "application/sparql-query", wanted, extra)
        if reply.status == 206 or reply.headers.get("x-sql-state"):
            raise InputError(
                f"{self.name}: the server answers with a part of the rows, for its time was over",
                "allow more time there, or ask for less",
            )
        if reply.status != 200:
            raise self._client.refusal(reply, doing="the query")
        cut = reply.headers.get("x-sparql-maxrows")
        if cut is not None:
            raise InputError(
                f"{self.name}: the server answers with {_said(cut)} rows at most, and there may be more",
                "raise that limit there (Virtuoso: ResultSetMaxRows), or ask for less",
            )
        if not reply.body.strip() and not (wanted == "graph" and reply.kind in _GRAPHS):  # a graph may be empty
            raise InputError(f"{self.name}: the answer is empty: status 200 and nothing else", _DIFFERENT)
        return reply

    def _post(self, body: bytes, kind: str, wanted: str, query: str = "") -> Reply:
        headers = {"Content-Type": kind, "Accept": _ACCEPT[wanted]}
        left = self._end - monotonic()
        try:
            return self._client.send("POST", query=query, body=body, headers=headers, seconds=max(left, 0.0))
        except InputError as error:
            if monotonic() >= self._end:
                raise InputError(
                    f"{self.name}: no whole answer within {self._timeout:g} s", "raise --timeout, or ask for less"
                ) from error
            raise

    def _parsed(self, reply: Reply) -> pyoxigraph.QuerySolutions | pyoxigraph.QueryBoolean:
        import pyoxigraph as ox

        form = _RESULTS.get(reply.kind)
        if form is None:
            raise self._unexpected(reply, "the results of a query as JSON or XML")
        if not (_closed_json(reply.body) if form == "JSON" else _closed_xml(reply.body)):
            raise self._broken(reply)
        try:
            return ox.parse_query_results(reply.body, format=getattr(ox.QueryResultsFormat, form))
        except (SyntaxError, ValueError) as error:
            raise self._broken(reply) from error

    def _rows(self, parsed: pyoxigraph.QuerySolutions, reply: Reply) -> Iterator[Row]:
        try:
            for solution in parsed:
                yield tuple(None if value is None else _term(value) for value in solution)
        except (SyntaxError, ValueError) as error:
            raise self._broken(reply) from error

    def _broken(self, reply: Reply) -> InputError:
        return InputError(
            f"{self.name}: the answer breaks off or is malformed ({reply.kind}, status 200)",
            "a server's time limit can do that: raise it there, or ask for less",
        )

    def _unexpected(self, reply: Reply, wanted: str) -> InputError:
        got = "HTML" if "html" in reply.kind else _said(reply.kind) or "something without a type"
        return InputError(f"{self.name}: answers with {got} in place of {wanted}", _DIFFERENT)


def _closed_json(body: bytes) -> bool:
    """Whether every object is closed. pyoxigraph takes `{"boolean": true` for an answer."""
    bare = _STRING.sub(b"", body).rstrip()
    return bare.endswith(b"}") and bare.count(b"{") == bare.count(b"}")


def _closed_xml(body: bytes) -> bool:
    """Whether the XML is whole. pyoxigraph takes results that break off for an answer."""
    from xml.parsers import expat

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = _no_doctype
    try:
        parser.Parse(body, True)
    except (expat.ExpatError, ValueError):
        return False
    return True


def _no_doctype(*_: object) -> None:
    raise ValueError("results of a query have no document type, and entities grow without bound")


def _too_many(limit: int, what: str) -> InputError:
    return InputError(f"the query has more than {limit:,} {what}", "add LIMIT, or raise --max-rows")


def _said(text: str) -> str:
    """A header's value inside a message."""
    return clip(text, 60)


def _term(value: object) -> Term:
    """Booleans have one spelling: Virtuoso says 1 for true."""
    term = engine.term_of(value)
    if term.datatype == f"{XSD}boolean":
        return term._replace(value={"1": "true", "0": "false"}.get(term.value, term.value))
    return term
