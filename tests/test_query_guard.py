"""Only questions, and only of the graphs that are loaded: what is refused, with the reason and the place."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pyoxigraph as ox
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppgov.errors import UsageError
from ppgov.query.bind import bind
from ppgov.query.guard import examine, prologue
from ppgov.query.table import PREFIXES, Term
from tests.packs import governed, pack
from tests.test_cli import run, write

KNOWN = frozenset(("https://x.example/g",))


@pytest.mark.parametrize(
    ("text", "keyword"),
    [
        ("SELECT * { ?s ?p ?o }", "SELECT"),
        ("ask { ?s a pg:Tool }", "ASK"),
        ("Construct { ?s a pg:Tool } WHERE { ?s a pg:Tool }", "CONSTRUCT"),
        ("DESCRIBE <https://x.example/a>", "DESCRIBE"),
        ("PREFIX ex: <http://e/>\nBASE <http://b/> SELECT * FROM <https://x.example/g> { ?s ?p ?o }", "SELECT"),
        ("SELECT * { ?s rdfs:label 'a service, FROM here: LOAD <x>' }", "SELECT"),
        ('SELECT * { ?s ?p """SERVICE <http://e/> { } """ }', "SELECT"),
        ("SELECT * { ?service ?from ?load } # SERVICE <http://e/> { ?s ?p ?o }", "SELECT"),
        ("SELECT * { <https://e/SERVICE> dct:title ?x } ", "SELECT"),
        ("SELECT * { { SELECT ?s { ?s ?p ?o } } } VALUES ?s { <https://x.example/a> }", "SELECT"),
        ("SELECT * { ?s ?p ?o FILTER(?o < 3 && ?o > 1) }", "SELECT"),
        ("SELECT * { GRAPH ?g { ?s (skos:broader|^skos:broader)*/rdfs:label ?o } }", "SELECT"),
        ("SELECT (EXISTS { ?s ?p ?o } AS ?x) WHERE { }", "SELECT"),
    ],
)
def test_a_question_is_let_through(text: str, keyword: str) -> None:
    assert examine(text, known_graphs=KNOWN).keyword == keyword


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ("SELECT * { SERVICE <http://e/> { ?s ?p ?o } }", "1:12", "SERVICE is refused"),
        ("SELECT * {\n  { SELECT * { sErViCe SILENT ?x { } } } }", "2:16", "SERVICE is refused"),
        ("SELECT * { OPTIONAL { SERVICE?x{ } } }", "1:23", "SERVICE is refused"),
        ("SELECT * { SERVICEdpv:x { } }", "1:12", "can be read as SERVICE"),
        ("SELECT * { \\u0053ERVICE <http://e/> { } }", "1:12", "no part of a query"),
        ("SELECT * { ?s ?p '\\u0027 } SERVICE <http://e/> { } #' }", "1:", "codepoint escapes"),
        ("SELECT * FROM <http://e/data> { ?s ?p ?o }", "1:15", "which is not loaded"),
        ("SELECT * FROM NAMED dpv:x { ?s ?p ?o }", "1:", "which is not loaded"),
        ("SELECT * FROM <x> { ?s ?p ?o }", "1:", "which is not loaded"),
        ("LOAD <http://e/>", "1:1", "LOAD is refused"),
        ("INSERT DATA { <http://a/> a <http://b/> }", "1:1", "INSERT is refused"),
        ("DELETE WHERE { ?s ?p ?o }", "1:1", "DELETE is refused"),
        ("WITH <http://g/> DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }", "1:1", "WITH is refused"),
        ("CLEAR ALL", "1:1", "CLEAR is refused"),
        ("SELECT * { ?s ?p ?o } ; DROP ALL", "1:", "refused"),
        ("SELECT * { ?s ?p ?o } SELECT * { ?s ?p ?o }", "1:23", "more than one request"),
        ("ASK { } ; ASK { }", "1:9", "more than one request"),
        ("", "1:1", "no query begins here"),
        ("# nothing", "1:10", "no query begins here"),
        ("SELEKT * { }", "1:1", "is not SPARQL 1.1"),
        ("SELECT * { ?s nope:x ?o }", "1:15", "no prefix 'nope:'"),
        ("SELECT * { ?s ?p 'open }", "1:18", "does not end"),
        ("SELECT * { ( } ) }", "1:14", "closes nothing"),
        ("SELECT * { ?s ?p ?o", "1:10", "not closed"),
        ("SELECT * " + "{" * 300 + "}" * 300, "1:", "brackets"),
    ],
)
def test_anything_else_is_refused_with_its_place(text: str, place: str, reason: str) -> None:
    with pytest.raises(UsageError) as caught:
        examine(text, known_graphs=KNOWN)
    assert caught.value.message.startswith(f"query:{place}")
    assert reason in caught.value.message
    assert caught.value.advice


def test_a_server_is_asked_no_from_at_all() -> None:
    with pytest.raises(UsageError, match="a server could fetch"):
        examine("SELECT * FROM <https://x.example/g> { ?s ?p ?o }", known_graphs=None)


def test_a_long_query_is_refused() -> None:
    with pytest.raises(UsageError, match="longer than"):
        examine("#" * 1_000_001, known_graphs=KNOWN)


def test_a_prefix_of_the_query_wins() -> None:
    line = prologue("PREFIX dpv: <http://mine/> SELECT * { }")
    assert "PREFIX dpv:" not in line
    assert "PREFIX pg: <https://w3id.org/ppgov/ns#>" in line


PIECES = st.sampled_from([
    "SERVICE", "service", "SeRvIcE", " ", "\n", "<http://e/>", "?x", "{", "}", "(", ")", "<", ">", "'", '"', '"""',
    "'''", "#",
    "\\", "\\u0053", "\\u0027", "\\n", "SILENT", "SELECT", "*", "WHERE", "FILTER", "?a<?b", "&&", "dpv:x", "a",
    ".", ";",
    "OPTIONAL", "UNION", "BIND", "AS", "1", "FROM", "NAMED", "_:b", "@en", "^^", "[", "]", "|", "/", "^",
])  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=14))
def test_no_text_that_passes_can_reach_a_service(parts: list[str]) -> None:
    """What the guard lets through and the engine understands asks no server: an engine without HTTP answers alike."""
    for text in ("SELECT * { " + "".join(parts) + " }", "SELECT * { ?s ?p ?o . " + " ".join(parts) + " }"):
        try:
            examine(text, known_graphs=KNOWN)
        except UsageError:
            continue
        try:
            results = ox.Store().query(text, prefixes=PREFIXES)
            assert isinstance(results, ox.QuerySolutions)
            list(results)
        except SyntaxError:  # the engine does not understand it, and asks nobody
            continue
        except (ValueError, RuntimeError, OSError) as error:
            raise AssertionError(text) from error


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("SELECT * WHERE { ?s ?p ?o }", 'SELECT * WHERE { VALUES (?o) { ("a\\"b") }  ?s ?p ?o }'),
        ("ASK { ?s ?p ?o }", 'ASK { VALUES (?o) { ("a\\"b") }  ?s ?p ?o }'),
        (
            "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }",
            'CONSTRUCT { ?s ?p ?o } WHERE { VALUES (?o) { ("a\\"b") }  ?s ?p ?o }',
        ),
        (
            "SELECT * { SELECT ?o { ?s ?p ?o } }",
            'SELECT * { VALUES (?o) { ("a\\"b") } { SELECT ?o { ?s ?p ?o } }}',
        ),
    ],
)
def test_a_parameter_is_bound_as_a_term(text: str, bound: str) -> None:
    assert bind(text, {"o": Term("literal", 'a"b')}) == bound


@pytest.mark.parametrize("value", ['x"} DROP ALL {', "\\", "\n", "'''", "a\u0000b", "} SERVICE <http://e/> {"])
def test_a_parameter_stays_a_value(value: str) -> None:
    text = bind("SELECT ?o { ?s ?p ?o }", {"o": Term("literal", value)})
    store = ox.Store()
    store.add(ox.Quad(ox.NamedNode("http://s/"), ox.NamedNode("http://p/"), ox.Literal(value)))
    results = store.query(text)
    assert isinstance(results, ox.QuerySolutions)
    assert [row[0] for row in results] == [ox.Literal(value)]


@pytest.mark.parametrize("text", ["DESCRIBE <https://x.example/a>", "CONSTRUCT WHERE { ?s ?p ?o }"])
def test_where_nothing_can_be_bound(text: str) -> None:
    with pytest.raises(UsageError, match="takes no parameters"):
        bind(text, {"o": Term("literal", "x")})


@pytest.fixture
def listener() -> Iterator[tuple[str, list[str]]]:
    """A server on loopback that notes who comes."""
    heard: list[str] = []
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(0.1)
    stop = threading.Event()

    def listen() -> None:
        while not stop.is_set():
            try:
                connection, _ = server.accept()
            except TimeoutError:
                continue
            heard.append("came")
            connection.close()

    thread = threading.Thread(target=listen)
    thread.start()
    yield f"http://127.0.0.1:{server.getsockname()[1]}/data", heard
    stop.set()
    thread.join()
    server.close()


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * {{ SERVICE <{url}> {{ ?s ?p ?o }} }}",
        "SELECT * {{ SERVICE SILENT <{url}> {{ ?s ?p ?o }} }}",
        "SELECT * FROM <{url}> {{ ?s ?p ?o }}",
        "SELECT * FROM NAMED <{url}> {{ GRAPH ?g {{ ?s ?p ?o }} }}",
        "LOAD <{url}>",
        "SELECT * {{ GRAPH <{url}> {{ ?s ?p ?o }} }}",
        "DESCRIBE <{url}>",
    ],
)
def test_no_request_goes_out(tmp_path: Path, listener: tuple[str, list[str]], text: str) -> None:
    url, heard = listener
    path = write(tmp_path / "p.json", pack(metadata=governed(vocabularies={"evil": url})))
    done = run("query", path, "-e", text.format(url=url))
    assert done.returncode == (0 if "GRAPH <" in text or "DESCRIBE" in text else 2), done.stderr
    assert heard == []


def test_rdflib_fetches_nothing_either(tmp_path: Path, listener: tuple[str, list[str]]) -> None:
    from ppgov.audit import Audit, audit_path
    from ppgov.graph import of
    from ppgov.serialise import dataset

    url, heard = listener
    result = audit_path(write(tmp_path / "p.json", pack()))
    assert isinstance(result, Audit)
    graph = dataset(of(result))
    with contextlib.suppress(Exception):  # rdflib says in its own way that it has no such graph
        list(graph.query("SELECT * FROM <" + url + "> { ?s ?p ?o }"))
    assert heard == []
