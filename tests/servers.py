"""Servers for tests: real triple stores and servers that misbehave, on loopback, each ended by its process id."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

OXIGRAPH = Path(sys.executable).parent / "oxigraph"
VIRTUOSO = shutil.which("virtuoso-t")
ISQL = shutil.which("isql-vt")
_PATIENCE = 60.0  # seconds that a server may take to start or to end


class Server(NamedTuple):
    """Where a triple store is asked, and where it takes graphs."""

    query: str
    store: str


@contextmanager
def oxigraph(*options: str, location: Path | None = None) -> Iterator[Server]:
    """The Oxigraph server, in memory unless told otherwise."""
    port = free_port()
    place = [] if location is None else ["--location", str(location)]
    command = [str(OXIGRAPH), "serve", "--bind", f"127.0.0.1:{port}", *place, *options]
    with _running(command, lambda: _listens(port)):
        yield Server(f"http://127.0.0.1:{port}/query", f"http://127.0.0.1:{port}/store")


@contextmanager
def virtuoso(folder: Path, *, max_rows: int = 100_000) -> Iterator[Server]:
    """A Virtuoso of the folder's own, whose users without a name may write graphs."""
    assert VIRTUOSO is not None and ISQL is not None
    sql, http = free_port(), free_port()
    (folder / "virtuoso.ini").write_text(_VIRTUOSO_INI.format(sql=sql, http=http, max_rows=max_rows))
    log = folder / "virtuoso.log"

    def online() -> bool:
        return log.exists() and "Server online at" in log.read_text(errors="replace")

    grants = "grant SPARQL_UPDATE to \"SPARQL\"; DB.DBA.RDF_DEFAULT_USER_PERMS_SET ('nobody', 7);"
    with _running([VIRTUOSO, "-f", "-c", "virtuoso.ini"], online, folder):
        subprocess.run(
            [ISQL, f"127.0.0.1:{sql}", "dba", "dba", f"exec={grants}"],
            check=True,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=_PATIENCE,
        )
        yield Server(f"http://127.0.0.1:{http}/sparql", f"http://127.0.0.1:{http}/sparql-graph-crud")


_VIRTUOSO_INI = """\
[Database]
DatabaseFile = virtuoso.db
ErrorLogFile = virtuoso.log
ErrorLogLevel = 7
LockFile = virtuoso.lck
TransactionFile = virtuoso.trx
xa_persistent_file = virtuoso.pxa
FileExtend = 200
TempStorage = TempDatabase

[TempDatabase]
DatabaseFile = virtuoso-temp.db
TransactionFile = virtuoso-temp.trx

[Parameters]
ServerPort = 127.0.0.1:{sql}
DisableUnixSocket = 1
ServerThreads = 10
NumberOfBuffers = 2000
MaxDirtyBuffers = 1500
CheckpointInterval = 0
DirsAllowed = .
ThreadsPerQuery = 1
AsyncQueueMaxThreads = 1

[HTTPServer]
ServerPort = 127.0.0.1:{http}
ServerRoot = .
ServerThreads = 5

[SPARQL]
ResultSetMaxRows = {max_rows}
"""


Act = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """A request to a server that does with it what a test says."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two writes
    server: Scripted
    body: bytes

    def _handle(self) -> None:
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.seen.append(f"{self.command} {self.path}")
        self.server.sent.append(dict(self.headers.items()))
        try:
            self.server.act(self)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    do_GET = do_POST = do_PUT = _handle  # noqa: N815 - the names that http.server calls

    def reply(self, status: int, kind: str, body: bytes, **headers: str) -> None:
        """A whole reply; a header's underscores stand for hyphens."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if "Content_Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        return


class Scripted(ThreadingHTTPServer):
    """`seen` are the requests in order, `sent` their headers."""

    daemon_threads = True

    def __init__(self, act: Act) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.act = act
        self.seen: list[str] = []
        self.sent: list[dict[str, str]] = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}/sparql"


@contextmanager
def scripted(act: Act, tls: ssl.SSLContext | None = None) -> Iterator[Scripted]:
    with Scripted(act) as server:
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def _running(command: list[str], ready: Callable[[], bool], folder: Path | None = None) -> Iterator[None]:
    process = subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        end = time.monotonic() + _PATIENCE
        while not ready():
            assert process.poll() is None, f"{command[0]} ended with {process.returncode}"
            assert time.monotonic() < end, f"{command[0]} does not start"
            time.sleep(0.02)
        yield
    finally:
        process.terminate()
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _listens(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
