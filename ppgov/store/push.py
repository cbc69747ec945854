"""Packs to a server by the SPARQL 1.1 Graph Store HTTP Protocol, each graph replaced as a whole.

A file's manifest comes last, in a graph of its own, with a digest of all that was sent: where it is there and the
same, the rest is there too, and the file is not sent again. So a push that was interrupted goes on where it stopped,
without anything kept on this side. The vocabulary's graph is shared by all packs and merged: without blank nodes,
sending a triple twice changes nothing.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple
from urllib.parse import quote

from ppgov.errors import InputError
from ppgov.findings import Finding, clip
from ppgov.graph.token import pg, text
from ppgov.shard import Shard
from ppgov.web import Account, Client, NoReplyError, Reply

SECONDS = 60.0  # for one request
ATTEMPTS = 5
_PAUSE = 0.5  # seconds before the second attempt, and twice as many before each further one
_LONGEST_PAUSE = 60.0
_BUSY = (429, 502, 503, 504)
_TAKEN = (200, 201, 204)
_THIS_FILE = (400, 413, 422)  # what the server has against one graph; another can be sent all the same
_IN_A_ROW = 3  # files that fail one after the other before the push ends
_TURTLE = {"Content-Type": "text/turtle"}  # N-Triples is Turtle, and every server takes that
_READ = {"Accept": "application/n-triples, text/turtle;q=0.9"}
_GRAPHS = {"application/n-triples": "N_TRIPLES", "text/plain": "N_TRIPLES", "text/turtle": "TURTLE"}
_QUAD = re.compile(r'(<[^>]*> <[^>]*> (?:<[^>]*>|"(?:[^"\\]|\\.)*"\S*))(?: <([^>]*)>)? \.')

State = Literal["pushed", "there", "failed", "unread", "skipped"]


class Sent(NamedTuple):
    """What became of one file. `error` is why it failed, `problem` why it could not be read."""

    path: str
    state: State
    error: InputError | None = None
    problem: Finding | None = None


class _Parts(NamedTuple):
    """A file's graphs by IRI as N-Triples, and those that it shares with others."""

    own: dict[str, str]
    shared: dict[str, list[str]]
    manifest: tuple[str, frozenset[str]]  # IRI, and its triples


def push(
    url: str,
    shards: Iterable[Shard],
    account: Account,
    *,
    seconds: float = SECONDS,
    pause: Callable[[float], None] = time.sleep,
) -> Iterator[Sent]:
    """Send each file, in order. Ends early when the server refuses what it would refuse for each, or is gone:
    the last one is then "failed". Raises UsageError for an address that is refused before anything is sent.
    """
    with Client(url, account) as client:
        sender = _Sender(client, seconds, pause)
        failures = 0
        for shard in shards:
            if shard.skipped or shard.problem is not None:
                yield Sent(shard.path, "skipped" if shard.skipped else "unread", problem=shard.problem)
                continue
            try:
                yield Sent(shard.path, "pushed" if sender.send(shard) else "there")
                failures = 0
            except InputError as error:
                yield Sent(shard.path, "failed", error)
                failures += 1
                if not isinstance(error, _ThisFileError) or failures == _IN_A_ROW:
                    return


def parts(shard: Shard) -> _Parts:
    """The graphs of a file. Its quads have no blank nodes, and each stands in a line."""
    graphs: dict[str, list[str]] = {graph: [] for graph in shard.graphs}
    for line in shard.quads.split("\n")[:-1]:
        match = _QUAD.fullmatch(line)
        if match is None:
            raise ValueError(f"no quad: {clip(line)}")
        graphs.setdefault(match[2] or "", []).append(f"{match[1]} .\n")
    stem, _, path = shard.graphs[-1].rpartition("/places/")
    name = f"{stem}/manifest/{path}"
    digest = hashlib.sha256(shard.quads.encode()).hexdigest()
    manifest = frozenset((*graphs.pop("", ()), f"<{name}> {pg('contentSha256')} {text(digest)} .\n"))
    own = {graph: "".join(graphs.pop(graph)) for graph in shard.graphs}
    return _Parts(own, graphs, (name, manifest))


class _ThisFileError(InputError):
    """The server does not take this file; it may take the next."""


class _Sender:
    """The requests of one push, and what of the shared graphs it has sent."""

    def __init__(self, client: Client, seconds: float, pause: Callable[[float], None]) -> None:
        self._client, self._seconds, self._pause = client, seconds, pause
        self._sent: set[str] = set()
        self._trusted = False

    def send(self, shard: Shard) -> bool:
        """Whether there was something to send. Raises InputError; the file is then not whole at the server."""
        own, shared, (name, manifest) = parts(shard)
        if self._held(name) == manifest:
            return False
        for graph, triples in own.items():
            self._write("PUT", graph, triples)
        for graph, lines in shared.items():
            fresh = [line for line in lines if f"{graph} {line}" not in self._sent]
            if fresh:
                self._write("POST", graph, "".join(fresh))
                self._sent.update(f"{graph} {line}" for line in fresh)
        self._write("PUT", name, "".join(sorted(manifest)))
        if not self._trusted and self._held(name) != manifest:
            raise InputError(
                f"{self._client.name}: takes a graph and then does not hold it",
                "is it the address of a graph store?",
            )
        self._trusted = True
        return True

    def _held(self, graph: str) -> frozenset[str]:
        """The triples of a graph at the server; none where there is no such graph."""
        reply = self._asked("GET", graph)
        if reply.status == 404 or (reply.status in _TAKEN and not reply.body.strip()):
            return frozenset()
        if reply.status != 200:
            raise self._refused(reply)
        form = _GRAPHS.get(reply.kind)
        if form is None:
            raise self._no_store(reply)
        import pyoxigraph as ox

        try:
            return frozenset(
                f"{quad.triple} .\n" for quad in ox.parse(input=reply.body, format=getattr(ox.RdfFormat, form))
            )
        except (SyntaxError, ValueError):
            return frozenset()  # whatever it is, it is not the manifest, and is replaced

    def _write(self, method: Literal["PUT", "POST"], graph: str, triples: str) -> None:
        reply = self._asked(method, graph, triples.encode())
        if reply.status not in _TAKEN:
            raise self._refused(reply)
        if "html" in reply.kind and reply.body.strip():
            raise self._no_store(reply)

    def _asked(self, method: str, graph: str, body: bytes | None = None) -> Reply:
        """A reply that is not "busy". Each request can be sent twice: PUT replaces, and what POST merges is ground."""
        query = f"graph={quote(graph, safe='')}"
        headers = _READ if body is None else _TURTLE
        for attempt in range(ATTEMPTS):
            last = attempt == ATTEMPTS - 1
            wait = min(_LONGEST_PAUSE, _PAUSE * 2**attempt)
            try:
                reply = self._client.send(method, query=query, body=body, headers=headers, seconds=self._seconds)
            except NoReplyError:
                if last:
                    raise
            else:
                if reply.status not in _BUSY or last:
                    return reply
                wait = max(wait, min(_LONGEST_PAUSE, _asked_to_wait(reply)))
            self._pause(wait)
        raise AssertionError("the last attempt answers or raises")

    def _refused(self, reply: Reply) -> InputError:
        error = self._client.refusal(reply, doing="the graph")
        if reply.status in _THIS_FILE or reply.status >= 500:
            return _ThisFileError(error.message, error.advice)
        return error

    def _no_store(self, reply: Reply) -> InputError:
        got = "HTML" if "html" in reply.kind else clip(reply.kind, 60) or "something without a type"
        return InputError(
            f"{self._client.name}: answers with {got} in place of a graph", "is it the address of a graph store?"
        )


def _asked_to_wait(reply: Reply) -> float:
    """Seconds of Retry-After, where it gives seconds; a date would need the server's clock."""
    value = reply.headers.get("retry-after", "").strip()
    return float(value) if value.isascii() and value.isdigit() and len(value) < 10 else 0.0
