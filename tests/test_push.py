"""Packs to a server: graphs replaced as a whole, a push that goes on where it stopped, and what a server refuses."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from ppgov.fleet import Options, gather
from ppgov.shard import Shard, shards
from ppgov.store.push import ATTEMPTS, Sent, parts, push
from ppgov.web import Account, Client
from tests.packs import governed, pack, source
from tests.servers import VIRTUOSO, Handler, Server, oxigraph, scripted, virtuoso

ROOT = Path(__file__).parent.parent
TERMS = governed(risk_classification="dpv:HighRisk")
PHRASE = "t0psecret"
NQUADS = {"Accept": "application/n-quads"}


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    """Six packs, the last with text that line ends and quotes are made of."""
    folder = tmp_path / "fleet"
    folder.mkdir()
    for number in range(1, 7):
        name = "Desk" if number < 6 else 'De"sk\\ \u2028 \u0085 \n. <https://a.invalid/> .'
        data = pack(id=f"desk-{number}", name=name, metadata=TERMS)
        (folder / f"desk-{number}.json").write_bytes(source(data).raw)
    return folder


def read(folder: Path) -> list[Shard]:
    return list(shards(gather([str(folder)]).targets, Options(), jobs=1))


def send(url: str, folder: Path, pause: Callable[[float], None] = lambda _: None, token: str = "") -> list[Sent]:
    return list(push(url, read(folder), Account(token), seconds=5, pause=pause))


def states(sent: list[Sent]) -> list[str]:
    return [one.state for one in sent]


def everything(server: Server) -> list[bytes]:
    """All quads of an Oxigraph server, sorted."""
    with Client(server.store, Account()) as client:
        reply = client.send("GET", headers=NQUADS, seconds=20)
    assert reply.status == 200
    return sorted(reply.body.splitlines())


def test_what_is_sent_is_what_the_graph_says(fleet: Path) -> None:
    with oxigraph() as server:
        assert states(send(server.store, fleet)) == ["pushed"] * 6
        found = everything(server)
    named = {line for shard in read(fleet) for line in shard.quads.split("\n") if line}
    own = {line.encode() for line in named if line.rpartition(" <")[2].count("/graph/") and line.count(" <") > 2}
    assert own - set(found) == set()  # whatever stands in a named graph stands there in the same words
    manifests = [line for line in found if b"/manifest/" in line]
    assert len(manifests) + len({line for line in named if line.encode() in found}) == len(found)
    assert sum(b"/ns#contentSha256>" in line for line in manifests) == 6
    assert sum(b"/ns#sha256>" in line for line in manifests) == 6


def test_parts_of_a_file(fleet: Path) -> None:
    shard = read(fleet)[0]
    own, shared, (name, manifest) = parts(shard)
    assert tuple(own) == shard.graphs
    assert list(shared) == ["https://packs.invalid/graph/vocab/dpv-2.3"]
    assert name.startswith(shard.graphs[0].removesuffix("declared") + "manifest/")
    lines = sum(text.count("\n") for text in own.values()) + sum(map(len, shared.values())) + len(manifest) - 1
    assert lines == shard.quads.count("\n")


def test_a_second_push_sends_nothing(fleet: Path) -> None:
    with oxigraph() as server:
        send(server.store, fleet)
        before = everything(server)
        assert states(send(server.store, fleet)) == ["there"] * 6
        assert everything(server) == before


def test_a_graph_is_replaced_as_a_whole(fleet: Path) -> None:
    shard = read(fleet)[0]
    with oxigraph() as server, Client(server.store, Account()) as client:
        fresh = states(send(server.store, fleet))
        expected = everything(server)
        stray = b"<https://a.invalid/s> <https://a.invalid/p> <https://a.invalid/o> ."
        for graph in (shard.graphs[0], parts(shard).manifest[0]):
            query = f"graph={graph.replace('%', '%25')}"
            reply = client.send("POST", query=query, body=stray, headers={"Content-Type": "text/turtle"}, seconds=5)
            assert reply.status in (201, 204)
        assert states(send(server.store, fleet)) == ["pushed", *["there"] * 5]
        assert everything(server) == expected
    assert fresh == ["pushed"] * 6


@pytest.mark.skipif(VIRTUOSO is None, reason="no virtuoso-t (Debian: virtuoso-opensource-7-bin)")
def test_virtuoso_holds_the_same(fleet: Path, tmp_path: Path) -> None:
    folder = tmp_path / "virtuoso"
    folder.mkdir()
    with virtuoso(folder) as server, oxigraph() as other:
        assert states(send(server.store, fleet)) == ["pushed"] * 6
        assert states(send(server.store, fleet)) == ["there"] * 6
        send(other.store, fleet)
        for shard in read(fleet):
            for graph in (*shard.graphs, parts(shard).manifest[0]):
                assert number(server, graph) == number(other, graph) > 0


def number(server: Server, graph: str) -> int:
    from ppgov.query.endpoint import ask

    answer = ask(server.query, f"SELECT ?s ?p ?o WHERE {{ GRAPH <{graph}> {{ ?s ?p ?o }} }}", environ={"HOME": "/none"})
    assert answer.table is not None
    return len(answer.table.rows)


def forwarding(server: Server, stop_after: int) -> Callable[[Handler], None]:
    """A way to a server that breaks down after so many requests, in the middle of the last."""
    left = iter(range(stop_after))

    def act(handler: Handler) -> None:
        if next(left, None) is None:
            handler.close_connection = True
            return
        with Client(server.store, Account()) as client:
            kind = {name: value for name in ("Accept", "Content-Type") if (value := handler.headers.get(name))}
            reply = client.send(
                handler.command,
                query=urlsplit(handler.path).query,
                body=handler.body or None,
                headers=kind,
                seconds=5,
            )
        handler.reply(reply.status, reply.kind, reply.body)

    return act


@pytest.mark.parametrize("requests", [0, 1, 2, 3, 4, 5, 6, 7, 11, 16, 21])
def test_a_push_that_breaks_off_goes_on(requests: int, fleet: Path) -> None:
    with oxigraph() as server, oxigraph() as other:
        send(other.store, fleet)
        with scripted(forwarding(server, requests)) as way:
            sent = send(way.url, fleet)
        assert sent[-1].state == "failed"
        assert sent[-1].error is not None and "broke off" in sent[-1].error.message
        assert len(sent) < 6
        again = states(send(server.store, fleet))
        assert again.count("there") >= states(sent).count("pushed")
        assert set(again) <= {"pushed", "there"} and len(again) == 6
        assert everything(server) == everything(other)


def test_a_push_that_is_killed_goes_on(fleet: Path) -> None:
    with oxigraph() as server, oxigraph() as other:
        send(other.store, fleet)
        reached: list[int] = []
        forward = forwarding(server, 1000)

        def act(handler: Handler) -> None:
            forward(handler)
            reached.append(1)
            if len(reached) == 9:
                process.send_signal(signal.SIGKILL)

        with scripted(act) as way:
            command = [sys.executable, "-m", "ppgov", "store", "push", way.url, str(fleet)]
            with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                assert process.wait(60) == -signal.SIGKILL
        assert everything(server) != everything(other)
        assert states(send(server.store, fleet))[0] == "there"
        assert everything(server) == everything(other)


def refusing(status: int, times: int, graph: str = "", **headers: str) -> Callable[[Handler], None]:
    """A store that answers with a status, so many times for a graph whose name holds something; it keeps the rest."""
    left = iter(range(times))
    held: dict[str, bytes] = {}

    def act(handler: Handler) -> None:
        name = parse_qs(urlsplit(handler.path).query)["graph"][0]
        if graph in name and handler.command != "GET" and next(left, None) is not None:
            handler.reply(status, "text/plain", b"no\nmore", **headers)
        elif handler.command != "GET":
            held[name] = handler.body if handler.command == "PUT" else held.get(name, b"") + handler.body
            handler.reply(201, "text/plain", b"")
        elif name in held:
            handler.reply(200, "application/n-triples", held[name])
        else:
            handler.reply(404, "text/plain", b"no such graph")

    return act


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_busy_server_is_asked_again(status: int, fleet: Path) -> None:
    waits: list[float] = []
    with scripted(refusing(status, 3)) as server:
        assert states(send(server.url, fleet, waits.append)) == ["pushed"] * 6
    assert waits == [0.5, 1.0, 2.0]


def test_a_connection_that_breaks_is_made_again(fleet: Path) -> None:
    keep = refusing(500, 0)
    left = iter(range(7))

    def act(handler: Handler) -> None:
        if next(left, 0) % 3 == 2:
            handler.close_connection = True
        else:
            keep(handler)

    waits: list[float] = []
    with scripted(act) as server:
        assert states(send(server.url, fleet, waits.append)) == ["pushed"] * 6
    assert waits == [0.5, 0.5]


def test_a_server_says_how_long_to_wait(fleet: Path) -> None:
    for said, expected in (("7", 7.0), ("86400", 60.0), ("Tue, 01 Dec 2026 09:00:00 GMT", 0.5), ("-1", 0.5)):
        waits: list[float] = []
        with scripted(refusing(503, 1, Retry_After=said)) as server:
            assert states(send(server.url, fleet, waits.append)) == ["pushed"] * 6
        assert waits == [expected]


def test_a_server_that_stays_busy(fleet: Path) -> None:
    waits: list[float] = []
    with scripted(refusing(503, 1000, "desk-2")) as server:
        sent = send(server.url, fleet, waits.append)
    assert states(sent) == ["pushed", "failed", "pushed", "pushed", "pushed", "pushed"]
    assert len(waits) == ATTEMPTS - 1
    assert sent[1].error is not None
    assert sent[1].error.message == f"{server.url}: the graph: the server answers 503: no"


def test_one_file_that_the_server_does_not_take(fleet: Path) -> None:
    with scripted(refusing(413, 1000, "desk-3")) as server:
        assert states(send(server.url, fleet)) == ["pushed", "pushed", "failed", "pushed", "pushed", "pushed"]


def test_a_server_that_takes_no_file(fleet: Path) -> None:
    with scripted(refusing(500, 1000)) as server:
        assert states(send(server.url, fleet)) == ["failed"] * 3


@pytest.mark.parametrize("status", [401, 403, 404, 405, 409, 415])
def test_what_holds_for_every_file_ends_the_push(status: int, fleet: Path) -> None:
    with scripted(refusing(status, 1000)) as server:
        sent = send(server.url, fleet)
    assert states(sent) == ["failed"]
    assert sent[0].error is not None and f"the server answers {status}" in sent[0].error.message


def test_a_page_is_no_graph_store(fleet: Path) -> None:
    def page(handler: Handler) -> None:
        handler.reply(200, "text/html", b"<html>Welcome</html>")

    def hole(handler: Handler) -> None:
        handler.reply(200, "text/plain", b"")

    def page_for_what_is_put(handler: Handler) -> None:
        status = 404 if handler.command == "GET" else 200
        handler.reply(status, "text/html", b"<html>Welcome</html>")

    for act, reason in (
        (page, "answers with HTML in place of a graph"),
        (page_for_what_is_put, "answers with HTML in place of a graph"),
        (hole, "takes a graph and then does not hold it"),
    ):
        with scripted(act) as server:
            sent = send(server.url, fleet)
        assert states(sent) == ["failed"]
        assert sent[0].error is not None and sent[0].error.message == f"{server.url}: {reason}"


def test_the_vocabulary_is_sent_once(fleet: Path) -> None:
    with scripted(refusing(500, 0)) as server:
        assert states(send(server.url, fleet, token=PHRASE)) == ["pushed"] * 6
    assert [seen.partition("/")[0].strip() for seen in server.seen].count("POST") == 1
    assert all(headers["Authorization"] == f"Bearer {PHRASE}" for headers in server.sent)
    puts = [parse_qs(urlsplit(seen.split()[1]).query)["graph"][0] for seen in server.seen if seen.startswith("PUT")]
    assert [name.split("/graph/")[1].split("/")[1] for name in puts[:4]] == [
        "declared",
        "computed",
        "places",
        "manifest",
    ]


def run(*given: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-X", "dev", "-m", "ppgov", "store", "push", *given],
        capture_output=True,
        check=False,
        text=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "HOME": "/none", **environ},
        timeout=60,
    )


@pytest.fixture
def store() -> Iterator[Server]:
    with oxigraph() as server:
        yield server


def test_the_command(fleet: Path, store: Server) -> None:
    (fleet / "broken-pack.json").write_text("{")
    (fleet / "other.json").write_text("{}")
    done = run(store.store, str(fleet), "-j", "1")
    assert done.returncode == 3
    assert done.stdout == ""
    assert done.stderr.splitlines()[0].startswith(f"ppgov: {fleet}/broken-pack.json:1:2: ")
    assert done.stderr.splitlines()[-1] == "6 pushed, 0 already there, 0 failed, 1 could not be read"
    (fleet / "broken-pack.json").unlink()
    again = run(store.store, str(fleet))
    assert (again.returncode, again.stderr) == (0, "0 pushed, 6 already there, 0 failed\n")
    other = run(store.store, str(fleet), "--base-iri", "https://packs.example/")
    assert (other.returncode, other.stderr) == (0, "6 pushed, 0 already there, 0 failed\n")
    assert any(line.startswith(b"<https://packs.example/desk-1/1.0.0>") for line in everything(store))


def test_the_command_names_what_failed(fleet: Path) -> None:
    with scripted(refusing(413, 1000, "desk-3")) as server:
        done = run(server.url, str(fleet))
        assert done.returncode == 3
        first, last = done.stderr.splitlines()
        assert first == (
            f"ppgov: {fleet}/desk-3.json: not pushed: {server.url}: the graph: the server answers 413: no: "
            "raise the size of request that the server takes"
        )
        assert last == "5 pushed, 0 already there, 1 failed"
    with scripted(refusing(403, 1000)) as server:
        done = run(server.url, str(fleet))
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1] == (
        "0 pushed, 0 already there, 1 failed; 5 files not sent: run it again to go on"
    )


def test_no_secret_in_any_output(fleet: Path, tmp_path: Path) -> None:
    def act(handler: Handler) -> None:
        handler.reply(401, "text/plain", f"who is {handler.headers['Authorization']}?".encode())

    netrc = tmp_path / "netrc"
    netrc.write_text(f"machine 127.0.0.1 login joe password {PHRASE}\n")
    netrc.chmod(0o600)
    with scripted(act) as server:
        outputs = [
            run(server.url, str(fleet), PPGOV_ENDPOINT_TOKEN=PHRASE),
            run(server.url, str(fleet), PPGOV_ENDPOINT_USER="joe", PPGOV_ENDPOINT_PASSWORD=PHRASE),
            run(server.url, str(fleet), NETRC=str(netrc)),
            run(server.url.replace("//", f"//joe:{PHRASE}@"), str(fleet)),
            run("http://graph.invalid/", str(fleet), PPGOV_ENDPOINT_TOKEN=PHRASE),
        ]
        assert len(server.seen) == 3  # the last two send nothing
        assert len({headers["Authorization"] for headers in server.sent}) == 2
    assert [done.returncode for done in outputs] == [3, 3, 3, 2, 2]
    for done in outputs:
        for secret in (PHRASE, "am9lOnQwcHNlY3JldA==", "Traceback"):
            assert secret not in done.stdout + done.stderr


def test_an_interrupted_push_says_so(fleet: Path) -> None:
    """Ctrl-C ends it without a trace."""
    started = time.monotonic()

    def act(handler: Handler) -> None:
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)

    with scripted(act) as server:
        command = [sys.executable, "-m", "ppgov", "store", "push", server.url, str(fleet)]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert time.monotonic() - started < 60
