"""Questions to servers: real ones give what the engine here gives, and no failure of one is taken for an answer."""

from __future__ import annotations

import gzip
import os
import shutil
import ssl
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from ppgov.errors import InputError, UsageError
from ppgov.fleet import Options, gather
from ppgov.query import engine
from ppgov.query.bind import bind
from ppgov.query.endpoint import ask
from ppgov.query.guard import examine
from ppgov.query.named import Query, catalogue, values
from ppgov.query.table import PREFIXES, Answer, Row, Term
from ppgov.shard import shards
from ppgov.store.push import push
from ppgov.web import Account, Client, account_for, checked_url, shown_url
from tests.servers import OXIGRAPH, VIRTUOSO, Handler, Server, oxigraph, scripted, virtuoso

ROOT = Path(__file__).parent.parent
FLEET = [str(ROOT / "tests" / "query_fleet"), str(ROOT / "samples" / "support-assistant.yaml")]
JSON = "application/sparql-results+json"
XML = "application/sparql-results+xml"
XMLNS = "http://www.w3.org/2005/sparql-results#"
PHRASE = "t0psecret"
NOBODY: dict[str, str] = {"HOME": "/nonexistent"}
ALL = "SELECT ?s WHERE { ?s ?p ?o }"
NO_ROWS = b'{"head":{"vars":["s"]},"results":{"bindings":[]}}'
ONE_ROW = b'{"head":{"vars":["s"]},"results":{"bindings":[{"s":{"type":"literal","value":"x"}}]}}'
TRUE = b'{"head":{},"boolean":true}'
FALSE = b'{"head":{},"boolean":false}'


def pieces() -> list[str]:
    return [shard.quads for shard in shards(gather(FLEET).targets, Options(), jobs=1)]


def fill(server: Server) -> None:
    states = [sent.state for sent in push(server.store, shards(gather(FLEET).targets, Options(), jobs=1), Account())]
    assert states and set(states) == {"pushed"}


@pytest.fixture(scope="module")
def ox() -> Iterator[Server]:
    with oxigraph() as server:
        fill(server)
        yield server


@pytest.fixture(scope="module")
def virt(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    if VIRTUOSO is None:
        pytest.skip("no virtuoso-t (Debian: virtuoso-opensource-7-bin)")
    with virtuoso(tmp_path_factory.mktemp("virtuoso")) as server:
        fill(server)
        yield server


@pytest.fixture(scope="module")
def here() -> list[str]:
    return pieces()


def embedded(loaded: list[str], text: str, *, labels: bool = False, places: bool = False) -> Answer:
    question = engine.Question(text, examine(text, known_graphs=None), {}, labels=labels, places=places)
    return engine.ask(engine.in_memory(loaded, question.form), question)


def rows(answer: Answer) -> list[Row]:
    assert answer.table is not None
    return list(answer.table.rows)


def filled_in(query: Query) -> str:
    """A named query with its example's parameters."""
    given = dict(query.example.given) if query.example else {}
    return bind(query.text, values(query, given, PREFIXES))


def test_oxigraph_can_be_tested() -> None:
    assert OXIGRAPH.exists(), "the package oxigraph brings the server: pip install '.[dev]'"


@pytest.mark.parametrize("query", catalogue(), ids=lambda query: query.name)
def test_named_queries_on_oxigraph_give_the_rows_of_the_engine(query: Query, ox: Server, here: list[str]) -> None:
    text = filled_in(query)
    there = ask(ox.query, text, environ=NOBODY)
    assert rows(there) == rows(embedded(here, text))


@pytest.mark.parametrize("query", catalogue(), ids=lambda query: query.name)
def test_named_queries_on_virtuoso_give_the_rows_of_the_engine(query: Query, virt: Server, here: list[str]) -> None:
    text = filled_in(query)
    there = ask(virt.query, text, environ=NOBODY)
    assert sorted(rows(there), key=repr) == sorted(rows(embedded(here, text)), key=repr)  # it collates otherwise


@pytest.mark.parametrize("which", ["ox", "virt"])
def test_ask_labels_places_and_graphs(which: str, request: pytest.FixtureRequest, here: list[str]) -> None:
    server: Server = request.getfixturevalue(which)
    yes = "ASK { ?pack a pg:PackVersion }"
    no = "ASK { ?pack a pg:NoSuchClass }"
    assert ask(server.query, yes, environ=NOBODY).truth is True
    assert ask(server.query, no, environ=NOBODY).truth is False
    text = "SELECT DISTINCT ?pack ?class WHERE { ?pack a pg:PackVersion ; a ?class }"
    there = ask(server.query, text, labels=True, locate=True, environ=NOBODY).table
    expected = embedded(here, text, labels=True, places=True).table
    assert there == expected
    assert there is not None and there.labels and there.places
    text = "SELECT DISTINCT ?said WHERE { ?t pg:written ?said ; pg:iri ?iri }"
    said = ask(server.query, text, labels=True, environ=NOBODY).table
    assert said is not None and said.labels and said == embedded(here, text, labels=True).table
    graph = "CONSTRUCT { ?pack dct:title ?title } WHERE { ?pack a pg:PackVersion ; dct:title ?title }"
    assert ask(server.query, graph, environ=NOBODY).triples == embedded(here, graph).triples
    empty = "CONSTRUCT { ?pack a pg:Pack } WHERE { ?pack a pg:NoSuchClass }"
    assert ask(server.query, empty, environ=NOBODY).triples == ""


@pytest.mark.parametrize("which", ["ox", "virt"])
def test_more_rows_than_asked_for(which: str, request: pytest.FixtureRequest) -> None:
    server: Server = request.getfixturevalue(which)
    with pytest.raises(InputError, match="more than 3 rows"):
        ask(server.query, ALL, max_rows=3, environ=NOBODY)
    with pytest.raises(InputError, match="more than 3 triples"):
        ask(server.query, "CONSTRUCT { ?s a ?o } WHERE { ?s a ?o }", max_rows=3, environ=NOBODY)


@pytest.mark.parametrize("which", ["ox", "virt"])
def test_a_query_that_the_server_does_not_take(which: str, request: pytest.FixtureRequest) -> None:
    server: Server = request.getfixturevalue(which)
    with pytest.raises(InputError, match="the server answers 400"):
        ask(server.query, "SELECT ?s WHERE { ?s ?p }", environ=NOBODY)


def test_oxigraph_breaks_off_when_its_time_is_over() -> None:
    long = "FILTER(STRLEN(CONCAT(STR(?a), STR(?d), STR(?g))) > 5000)"
    endless = f"WHERE {{ GRAPH ?graph {{ ?a ?b ?c . ?d ?e ?f . ?g ?h ?i {long} }} }}"
    with oxigraph("--timeout-s", "1") as server:
        fill(server)
        for what in ("SELECT (COUNT(*) AS ?n)", "SELECT ?a", "CONSTRUCT { ?a ?b ?c }"):
            with pytest.raises(InputError, match=r"breaks off or is malformed .*status 200"):
                ask(server.query, f"{what} {endless}", timeout=120, environ=NOBODY)
        with pytest.raises(InputError, match="the server answers 500"):
            ask(server.query, f"ASK {endless}", timeout=120, environ=NOBODY)


@pytest.mark.skipif(VIRTUOSO is None, reason="no virtuoso-t (Debian: virtuoso-opensource-7-bin)")
def test_virtuoso_leaves_rows_out(tmp_path: Path) -> None:
    with virtuoso(tmp_path, max_rows=20) as server:
        fill(server)
        for text in (ALL, "CONSTRUCT { ?s a ?o } WHERE { ?s a ?o }", "CONSTRUCT WHERE { ?s a ?o }"):
            with pytest.raises(InputError, match="answers with 20 rows at most, and there may be more"):
                ask(server.query, text, environ=NOBODY)
        assert ask(server.query, "CONSTRUCT { ?s a ?o } WHERE { ?s a ?o } LIMIT 2", environ=NOBODY).triples
        assert len(rows(ask(server.query, f"{ALL} LIMIT 19", environ=NOBODY))) == 19


def test_oxigraph_whose_default_graph_is_the_union() -> None:
    with oxigraph("--union-default-graph") as server:
        fill(server)
        assert ask(server.query, "ASK { ?pack a pg:PackVersion }", environ=NOBODY).truth is True


def test_a_server_without_packs() -> None:
    told: list[str] = []
    with oxigraph() as server:
        assert rows(ask(server.query, ALL, environ=NOBODY, warn=told.append)) == []
    assert told == [f"{server.query}: holds no packs, so an empty answer says nothing about packs"]


def test_named_graphs_that_a_query_does_not_see() -> None:
    """It has packs in a named graph, others in the default graph, and does not know Oxigraph's parameter."""

    def act(handler: Handler) -> None:
        sample = b"SELECT" in handler.body
        version = NO_ROWS.replace(b"[]", b'[{"s":{"type":"uri","value":"https://packs.invalid/a/1"}}]')
        handler.reply(200, JSON, version if sample else FALSE)

    with scripted(act) as server, pytest.raises(InputError, match="does not see the named graphs") as caught:
        ask(server.url, ALL, environ=NOBODY)
    assert len(server.seen) == 3
    assert "union" in caught.value.advice


def settled(handler: Handler) -> bool:
    """Answer the questions that come before a user's own: no packs there."""
    if b"PackVersion" not in handler.body:
        return False
    handler.reply(200, JSON, NO_ROWS if b"SELECT" in handler.body else FALSE)
    return True


def fault(kind: str, body: bytes, status: int = 200, **headers: str) -> str:
    """The message and advice about a server that answers so."""

    def act(handler: Handler) -> None:
        if not settled(handler):
            handler.reply(status, kind, body, **headers)
            handler.close_connection = True

    with scripted(act) as server, pytest.raises(InputError) as caught:
        ask(server.url, ALL, timeout=5, environ=NOBODY)
    assert caught.value.exit_code == 3
    assert caught.value.message.startswith(f"{server.url}: ")
    line = f"{caught.value.message.removeprefix(f'{server.url}: ')}: {caught.value.advice}"
    assert "\n" not in line
    return line


ENDPOINT = "is it the address of a SPARQL endpoint?"
MALFORMED = "a server's time limit can do that: raise it there, or ask for less"


@pytest.mark.parametrize(
    ("status", "kind", "body", "expected"),
    [
        (400, "text/plain", b"no such function\nat line 3", "the query: the server answers 400: no such function: "),
        (401, "text/plain", b"", "the query: the server answers 401: set PPGOV_ENDPOINT_TOKEN, or PPGOV_ENDPOINT_USER"),
        (403, "text/plain", b"", "the query: the server answers 403: these credentials, or none, do not allow it"),
        (404, "text/html", b"<html>Not found", "the query: the server answers 404: check the address"),
        (429, "text/plain", b"slow down", "the query: the server answers 429: slow down: the server wants fewer"),
        (
            500,
            "text/plain",
            b"\x1b[31mout of memory",
            r"the query: the server answers 500: \x1b[31mout of memory: see ",
        ),
        (503, "text/html", b"<h1>Busy</h1>", "the query: the server answers 503: see the server's log"),
        (
            200,
            "text/html; charset=utf-8",
            b"<html>Log in</html>",
            "answers with HTML in place of the results of a query",
        ),
        (200, "text/csv", b"s\r\nx\r\n", "answers with text/csv in place of the results of a query as JSON or XML"),
        (200, JSON, b"", f"the answer is empty: status 200 and nothing else: {ENDPOINT}"),
        (200, JSON, b" \n", f"the answer is empty: status 200 and nothing else: {ENDPOINT}"),
        (200, JSON, b"<html>", f"the answer breaks off or is malformed ({JSON}, status 200): {MALFORMED}"),
        (200, JSON, ONE_ROW + b"Killed", f"the answer breaks off or is malformed ({JSON}, status 200): {MALFORMED}"),
        (200, JSON, TRUE, "answers SELECT with true or false"),
        (204, JSON, b"", "the query: the server answers 204"),
        (206, JSON, ONE_ROW, "the server answers with a part of the rows, for its time was over"),
    ],
)
def test_failures_are_told(status: int, kind: str, body: bytes, expected: str) -> None:
    assert fault(kind, body, status).startswith(expected)


def test_rows_that_a_server_says_it_left_out() -> None:
    line = fault(JSON, ONE_ROW, X_SPARQL_MaxRows="1")
    assert line.startswith("the server answers with 1 rows at most, and there may be more")
    assert fault(JSON, ONE_ROW, X_SQL_State="S1TAT").startswith("the server answers with a part of the rows")


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (JSON, ONE_ROW),
        (JSON, b'{"results":{"bindings":[{"s":{"type":"literal","value":"{"}}]},"head":{"vars":["s"]}}'),
        (
            XML,
            f'<sparql xmlns="{XMLNS}"><head><variable name="s"/></head><results><result>'
            '<binding name="s"><literal>x</literal></binding></result></results></sparql>'.encode(),
        ),
    ],
)
def test_no_beginning_of_an_answer_is_an_answer(kind: str, body: bytes) -> None:
    lengths = iter(range(1, len(body) + 1))

    def act(handler: Handler) -> None:
        if not settled(handler):
            handler.reply(200, kind, body[: next(lengths)])

    with scripted(act) as server:
        for _ in range(1, len(body)):
            with pytest.raises(InputError, match="breaks off"):
                ask(server.url, ALL, environ=NOBODY)
        assert len(rows(ask(server.url, ALL, environ=NOBODY))) == 1


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (JSON, TRUE),
        (JSON, b'{"boolean":true,"head":{}}'),
        (XML, f'<sparql xmlns="{XMLNS}"><head/><boolean>true</boolean></sparql>'.encode()),
        (JSON, b'{"head":{"vars":["__ASK_RETVAL"]},"results":{"bindings":[{"__ASK_RETVAL":{"type":"typed-literal",'
         b'"datatype":"http://www.w3.org/2001/XMLSchema#integer","value":"1"}}]}}'),
    ],
)  # fmt: skip
def test_no_beginning_of_a_truth_is_one(kind: str, body: bytes) -> None:
    lengths = iter(range(1, len(body) + 1))

    def act(handler: Handler) -> None:
        if not settled(handler):
            handler.reply(200, kind, body[: next(lengths)])

    with scripted(act) as server:
        for _ in range(1, len(body)):
            with pytest.raises(InputError, match="breaks off"):
                ask(server.url, "ASK { ?s ?p ?o }", environ=NOBODY)
        assert ask(server.url, "ASK { ?s ?p ?o }", environ=NOBODY).truth is True


@pytest.mark.parametrize(
    ("bindings", "truth"),
    [
        (b"", False),
        (b'{"x":{"type":"literal","value":"0"}}', False),
        (b'{"x":{"type":"literal","value":"true"}}', True),
        (b'{"x":{"type":"literal","value":"yes"}}', None),
        (b'{"x":{"type":"uri","value":"urn:true"}}', None),
        (b'{"x":{"type":"literal","value":"1"}},{"x":{"type":"literal","value":"1"}}', None),
    ],
)
def test_a_table_in_place_of_a_truth(bindings: bytes, truth: bool | None) -> None:
    def act(handler: Handler) -> None:
        if not settled(handler):
            handler.reply(200, JSON, b'{"head":{"vars":["x"]},"results":{"bindings":[' + bindings + b"]}}")

    with scripted(act) as server:
        if truth is None:
            with pytest.raises(InputError, match="a table that is neither true nor false"):
                ask(server.url, "ASK { ?s ?p ?o }", environ=NOBODY)
        else:
            assert ask(server.url, "ASK { ?s ?p ?o }", environ=NOBODY).truth is truth


def test_a_body_shorter_than_it_says() -> None:
    assert fault(JSON, ONE_ROW, Content_Length="900").startswith("the connection broke off before the answer was whole")


def test_a_graph_without_an_end() -> None:
    """N-Triples that end at a line's end where the connection is closed: nobody can tell whether more was to come."""

    def act(handler: Handler) -> None:
        if not settled(handler):
            handler.protocol_version = "HTTP/1.0"
            handler.send_response(200)
            handler.send_header("Content-Type", "application/n-triples")
            handler.end_headers()
            handler.wfile.write(b"<https://a.invalid/s> <https://a.invalid/p> <https://a.invalid/o> .\n")
            handler.close_connection = True

    with scripted(act) as server, pytest.raises(InputError, match="ends or breaks off alike"):
        ask(server.url, "CONSTRUCT WHERE { ?s ?p ?o }", environ=NOBODY)


def test_a_server_that_hangs_and_one_that_drips() -> None:
    over = threading.Event()

    def hang(handler: Handler) -> None:
        over.wait(20)

    def drip_body(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", JSON)
        handler.send_header("Content-Length", "1000000")
        handler.end_headers()
        while not over.wait(0.02):
            handler.wfile.write(b" ")

    def drip_head(handler: Handler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        while not over.wait(0.02):
            handler.wfile.write(b"x")

    for act in (hang, drip_body, drip_head):
        over.clear()
        start = time.monotonic()
        with scripted(act) as server:
            with pytest.raises(InputError, match=r"no whole answer within 0\.4 s") as caught:
                ask(server.url, ALL, timeout=0.4, environ=NOBODY)
            over.set()
        assert caught.value.advice == "raise --timeout, or ask for less"
        assert time.monotonic() - start < 10  # and not the twenty seconds of the server


def test_an_endless_body_and_a_gzip_bomb() -> None:
    bomb = gzip.compress(gzip.compress(bytes(400 * 1024 * 1024), 1), 9)

    def endless(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", JSON)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        while True:
            handler.wfile.write(b"10000\r\n" + b" " * 65536 + b"\r\n")

    def bombing(handler: Handler) -> None:
        handler.reply(200, JSON, bomb, Content_Encoding="gzip, gzip")

    for act in (endless, bombing):
        with scripted(act) as server, Client(server.url, Account(), max_bytes=4 * 1024 * 1024) as client:
            tracemalloc.start()
            with pytest.raises(InputError, match="the answer is larger than 4 MiB"):
                client.send("POST", body=b"", seconds=20)
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            assert peak < 64 * 1024 * 1024


def test_an_answer_in_gzip() -> None:
    def act(handler: Handler) -> None:
        if not settled(handler):
            handler.reply(200, JSON, gzip.compress(ONE_ROW), Content_Encoding="gzip")

    with scripted(act) as server:
        assert rows(ask(server.url, ALL, environ=NOBODY)) == [(Term("literal", "x"),)]
    assert fault(JSON, b"not gzip at all", Content_Encoding="gzip").startswith("the answer cannot be decompressed")


def test_a_server_that_takes_no_forms() -> None:
    kinds: list[str] = []

    def act(handler: Handler) -> None:
        kinds.append(handler.headers["Content-Type"])
        if kinds[-1] == "application/x-www-form-urlencoded":
            handler.reply(415, "text/plain", b"")
        elif not settled(handler):
            assert handler.body.decode().endswith(ALL)
            handler.reply(200, JSON, ONE_ROW)

    with scripted(act) as server:
        assert len(rows(ask(server.url, ALL, environ=NOBODY))) == 1
    assert set(kinds) == {"application/x-www-form-urlencoded", "application/sparql-query"}


def test_redirects() -> None:
    places = {
        "/sparql": "/there",
        "/loop": "/loop",
        "/host": "http://localhost:9/sparql",
        "/port": "http://127.0.0.1:9/sparql",
        "/file": "file:///etc/passwd",
        "/user": "http://a:b@127.0.0.1:9/",
        "/page": "/there",
    }

    def act(handler: Handler) -> None:
        if handler.path in places:
            status = 303 if handler.path == "/page" else 307
            handler.reply(status, "text/plain", b"", Location=places[handler.path])
        elif not settled(handler):
            handler.reply(200, JSON, ONE_ROW)

    environ = NOBODY | {"PPGOV_ENDPOINT_TOKEN": "s3cret"}
    with scripted(act) as server:
        assert len(rows(ask(server.url, ALL, environ=environ))) == 1
        assert all(headers["Authorization"] == "Bearer s3cret" for headers in server.sent)
        for path, reason in (
            ("/loop", "more than 5 redirects"),
            ("/host", r"redirects to another host, http://localhost:9/sparql, which is not followed"),
            ("/port", r"redirects to another service, http://127\.0\.0\.1:9/sparql, which is not followed"),
            ("/file", "redirects to another host, an address that is none, which is not followed"),
            ("/page", r"answers with a page elsewhere, http://127\.0\.0\.1:\d+/there \(303\)"),
            ("/user", r"redirects to another host, http://127\.0\.0\.1:9/, which is not followed"),
        ):
            with pytest.raises(InputError, match=reason):
                ask(server.url.replace("/sparql", path), ALL, environ=environ)


def test_nobody_there() -> None:
    with scripted(lambda handler: None) as server:
        url = server.url
    with pytest.raises(InputError, match=f"{url}: no connection"):
        ask(url, ALL, environ=NOBODY)
    with pytest.raises(InputError, match=r"http://no-such-host\.invalid/: no host of this name is known"):
        ask("http://no-such-host.invalid/", ALL, environ=NOBODY, timeout=20)


def test_tls_where_there_is_none() -> None:
    with scripted(lambda handler: None) as server, pytest.raises(InputError, match=r"no safe connection|broke off"):
        ask(server.url.replace("http:", "https:"), ALL, environ=NOBODY, timeout=5)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl to make a certificate with")
def test_a_certificate_has_to_be_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def act(handler: Handler) -> None:
        if not settled(handler):
            handler.reply(200, JSON, ONE_ROW)

    request = "req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost"
    names = ["-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=critical,CA:TRUE"]
    subprocess.run(["openssl", *request.split(), *names], cwd=tmp_path, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    with scripted(act, context) as server:
        url = server.url.replace("http://127.0.0.1", "https://localhost")
        with pytest.raises(InputError, match="no safe connection: self-signed certificate"):
            ask(url, ALL, environ=NOBODY)
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
        assert len(rows(ask(url, ALL, environ=NOBODY | {"PPGOV_ENDPOINT_TOKEN": PHRASE}))) == 1
        assert server.sent[-1]["Authorization"] == f"Bearer {PHRASE}"
        with pytest.raises(InputError, match=r"no safe connection: .*IP address mismatch"):
            ask(url.replace("localhost", "127.0.0.1"), ALL, environ=NOBODY)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?s FROM <https://a.invalid/g> WHERE { ?s ?p ?o }",
        "SELECT ?s WHERE { SERVICE <https://a.invalid/> { ?s ?p ?o } }",
        "DELETE WHERE { ?s ?p ?o }",
    ],
)
def test_what_is_refused_is_not_sent(text: str) -> None:
    with scripted(lambda handler: None) as server:
        with pytest.raises(UsageError):
            ask(server.url, text, environ=NOBODY)
        assert server.seen == []


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("ftp://a.invalid/", "'ftp://a.invalid/' is no http(s) address"),
        ("graph.example", "'graph.example' is no http(s) address"),
        ("http:///sparql", "'http:///sparql' is no http(s) address"),
        ("http://a.invalid:99999/", "'http://a.invalid:99999/' is no http(s) address"),
        ("http://a.invalid/\r\nX: y", r"'http://a.invalid/\r\nX: y' is no http(s) address"),
        ("https://joe:pa55@a.invalid/", "the address of a.invalid holds a user or a password"),
        ("ftp://joe:pa55@a.invalid/", "'ftp://…@a.invalid/' is no http(s) address"),
        ("https://a.invalid/#x", "https://a.invalid/: an address of a server has no #"),
    ],
)
def test_addresses_that_are_refused(url: str, reason: str) -> None:
    with pytest.raises(UsageError) as caught:
        checked_url(url)
    assert caught.value.message.startswith(reason)
    assert "pa55" not in f"{caught.value.message} {caught.value.advice}"


def test_an_address_is_shown_without_what_may_be_a_key() -> None:
    assert shown_url("https://Joe:pw@Graph.example:8443/a?apikey=k") == "https://graph.example:8443/a"
    assert shown_url("http://[::1]:7878/query") == "http://[::1]:7878/query"


def test_credentials_from_the_environment() -> None:
    assert account_for("https://a.invalid/", NOBODY) == (Account(), "")
    assert PHRASE not in repr(Account(PHRASE))
    token = {"PPGOV_ENDPOINT_TOKEN": "abc.def"}
    assert account_for("https://a.invalid/", token)[0].header() == {"Authorization": "Bearer abc.def"}
    basic = {"PPGOV_ENDPOINT_USER": "joe", "PPGOV_ENDPOINT_PASSWORD": "grün"}
    assert account_for("https://a.invalid/", basic)[0].header() == {"Authorization": "Basic am9lOmdyw7xu"}
    for wrong in (token | basic, {"PPGOV_ENDPOINT_USER": "joe"}, {"PPGOV_ENDPOINT_PASSWORD": "pa55"}):
        with pytest.raises(UsageError):
            account_for("https://a.invalid/", wrong)
    with pytest.raises(UsageError) as caught:
        account_for("https://a.invalid/", {"PPGOV_ENDPOINT_TOKEN": "abc\r\nX-Evil: 1"})
    assert "abc" not in str(caught.value)


def test_credentials_from_netrc(tmp_path: Path) -> None:
    path = tmp_path / ".netrc"
    path.write_text("machine a.invalid login joe password pa55\ndefault login any password pw\n")
    path.chmod(0o600)
    joe = Account("", "joe", "pa55")
    assert account_for("https://a.invalid/q", {"HOME": str(tmp_path)}) == (joe, "")
    assert account_for("https://b.invalid/q", {"HOME": str(tmp_path)}) == (Account(), "")
    named = tmp_path / "other"
    assert account_for("https://a.invalid/", {"NETRC": str(named)}) == (
        Account(),
        f"{named}: there is no such file (NETRC)",
    )
    path.chmod(0o644)
    account, warning = account_for("https://a.invalid/q", {"NETRC": str(path)})
    assert account == joe
    assert warning == f"{path}: others can read the passwords in it: chmod 600"
    path.write_text("machine a.invalid login joe password pa55 nonsense pa55word\n")
    account, warning = account_for("https://a.invalid/q", {"NETRC": str(path)})
    assert account == Account()
    assert warning.startswith(f"{path}:") and "pa55" not in warning


def test_credentials_are_not_sent_in_clear_text() -> None:
    environ = {"PPGOV_ENDPOINT_TOKEN": "s3cret"}
    with pytest.raises(UsageError, match=r"http://graph\.invalid/: credentials are not sent over plain http"):
        ask("http://graph.invalid/", ALL, environ=environ)
    for host in ("localhost.evil.invalid", "128.0.0.1", "0.0.0.0"):  # noqa: S104 - an address that is refused
        with pytest.raises(UsageError):
            Client(f"http://{host}/", Account("x"))
    for host in ("localhost", "127.0.0.1", "[::1]"):
        Client(f"http://{host}/", Account("x")).close()


def test_a_server_that_repeats_the_credentials() -> None:
    def act(handler: Handler) -> None:
        handler.reply(401, "text/plain", f"not welcome: {handler.headers['Authorization']}".encode())

    for environ in (
        {"PPGOV_ENDPOINT_TOKEN": "s3cret-token"},
        {"PPGOV_ENDPOINT_USER": "joe", "PPGOV_ENDPOINT_PASSWORD": "pa55word"},
    ):
        with scripted(act) as server, pytest.raises(InputError) as caught:
            ask(server.url, ALL, environ=environ)
        assert server.sent[0]["Authorization"] not in caught.value.message
        assert caught.value.message.endswith("not welcome: Bearer …") or caught.value.message.endswith("Basic …")
        assert caught.value.advice == "the server does not accept these credentials"


def test_digest_is_not_spoken() -> None:
    line = fault("text/html", b"", 401, WWW_Authenticate='Digest realm="SPARQL", qop="auth"')
    assert line.endswith("it takes neither basic nor bearer credentials: use an address of it that does")


def run(*given: str, **environ: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-X", "dev", "-m", "ppgov", *given],
        capture_output=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **NOBODY, **environ},
        timeout=60,
    )


def test_the_command(ox: Server) -> None:
    done = run("query", "--endpoint", ox.query, "--name", "packs-and-their-files", "--format", "csv")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"pack,title,version,sha256\r\n")


def test_no_secret_in_any_output() -> None:
    def act(handler: Handler) -> None:
        handler.reply(403, "text/plain", f"who is {handler.headers['Authorization']}?".encode())

    with scripted(act) as server:
        done = run("query", "--endpoint", server.url, "-e", ALL, PPGOV_ENDPOINT_TOKEN=PHRASE)
        userinfo = run("query", "--endpoint", server.url.replace("//", f"//joe:{PHRASE}@"), "-e", ALL)
    assert (done.returncode, userinfo.returncode) == (3, 2)
    for output in (done.stdout, done.stderr, userinfo.stdout, userinfo.stderr):
        assert PHRASE.encode() not in output
        assert b"Traceback" not in output
    assert done.stderr.count(b"\n") == 1


def test_sorted_rows_where_the_query_asks_for_no_order(ox: Server) -> None:
    found = rows(ask(ox.query, "SELECT DISTINCT ?p WHERE { ?s ?p ?o }", environ=NOBODY))
    assert len(found) > 10
    assert all(first < second for first, second in pairwise(found))
