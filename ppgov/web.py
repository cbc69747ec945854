"""Requests over HTTP: the one door to urllib3, where a server's reply is bounded and its failures get a name.

A reply is whole or an error: it has a time by which it must have arrived, a size that it may have once decompressed,
and an end that can be told from a broken connection. Credentials go to the host that was named and nowhere else,
never in clear text across a network, and never into a message.
"""

from __future__ import annotations

import ipaddress
import os
import re
import socket
import threading
from base64 import b64encode
from collections.abc import Mapping
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import SplitResult, urljoin, urlsplit

from ppgov import __version__
from ppgov.errors import InputError, UsageError
from ppgov.findings import clip, quote

if TYPE_CHECKING:
    import urllib3

MAX_BYTES = 256 * 1024 * 1024
_CHUNK = 64 * 1024
_CONNECT = 10.0  # seconds, for each address of a host
_MAX_REDIRECTS = 5
_MOVED = (301, 302, 303, 307, 308)
_SHOWN_BYTES = 4096
_URL = re.compile(r"https?://[^\s\x00-\x20\x7f]+", re.ASCII | re.IGNORECASE).fullmatch
_FIELD = re.compile(r"[\x21-\x7e]+", re.ASCII).fullmatch

_ADVICE = {
    400: "the server does not take the request",
    401: "set PPGOV_ENDPOINT_TOKEN, or PPGOV_ENDPOINT_USER and PPGOV_ENDPOINT_PASSWORD, or a netrc entry",
    403: "these credentials, or none, do not allow it: ask who runs the server",
    404: "check the address: it has to be the one that serves this protocol",
    405: "check the address: a query's and a graph store's are often different",
    413: "raise the size of request that the server takes",
    429: "the server wants fewer requests: wait, and run it again",
}


class NoReplyError(InputError):
    """A request without a whole reply: no connection, a broken one, or none in time. Asking again may help."""


class Account(NamedTuple):
    """Who asks. A bearer token, or a user and a password, or nobody."""

    token: str = ""
    user: str = ""
    password: str = ""

    def __repr__(self) -> str:
        return "Account(…)"

    def header(self) -> dict[str, str]:
        if self.token:
            return {"Authorization": f"Bearer {self.token}"}
        return {"Authorization": f"Basic {self._pair()}"} if self.user else {}

    def secrets(self) -> tuple[str, ...]:
        """What no message may repeat."""
        return tuple(text for text in (self.token, self.password, self._pair() if self.user else "") if text)

    def _pair(self) -> str:
        return b64encode(f"{self.user}:{self.password}".encode()).decode("ascii")


class Reply(NamedTuple):
    """A whole reply. `kind` is the media type without parameters; header names are in lower case."""

    status: int
    kind: str
    headers: Mapping[str, str]
    body: bytes
    framed: bool  # its end was told, not only the connection closed


def checked_url(url: str) -> str:
    """The address of a server. Raises UsageError for what is none, and for one that holds credentials."""
    parts = _split(url)
    if parts is None or not parts.hostname:
        shown = quote(re.sub(r"//[^/]*@", "//…@", url))
        raise UsageError(f"{shown} is no http(s) address", "write it like https://graph.example.org/sparql")
    if "@" in parts.netloc:
        raise UsageError(
            f"the address of {parts.hostname} holds a user or a password, which others on this machine can see",
            f"leave it out; {_ADVICE[401]}",
        )
    if parts.fragment:
        raise UsageError(f"{shown_url(url)}: an address of a server has no #", "leave it out")
    return url


def shown_url(url: str) -> str:
    """The address for a message: without user, password and query, where keys stand."""
    parts = _split(url)
    if parts is None:
        return "the server"
    port = f":{parts.port}" if parts.port else ""
    return clip(f"{parts.scheme.lower()}://{_bracketed(parts.hostname or '')}{port}{parts.path}")


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        return parts if _URL(url) and (parts.port is None or parts.port > 0) else None
    except ValueError:
        return None


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def account_for(url: str, environ: Mapping[str, str]) -> tuple[Account, str]:
    """The credentials for a server, from the environment, else from netrc; and a warning, "" where there is none."""
    token, user = environ.get("PPGOV_ENDPOINT_TOKEN", ""), environ.get("PPGOV_ENDPOINT_USER", "")
    password = environ.get("PPGOV_ENDPOINT_PASSWORD", "")
    if token and (user or password):
        raise UsageError("both a token and a user are in the environment", "unset PPGOV_ENDPOINT_TOKEN or the others")
    if bool(user) != bool(password):
        missing = "PASSWORD" if user else "USER"
        raise UsageError(f"PPGOV_ENDPOINT_{missing} is not set", "set the user and the password, or neither")
    if token and not _FIELD(token):
        raise UsageError("PPGOV_ENDPOINT_TOKEN holds a blank or a character outside ASCII", "give the token alone")
    if ":" in user:
        raise UsageError("PPGOV_ENDPOINT_USER holds a colon, which basic credentials cannot", "use a token")
    if token or user:
        return Account(token, user, password), ""
    return _from_netrc(urlsplit(url).hostname or "", environ)


def _from_netrc(host: str, environ: Mapping[str, str]) -> tuple[Account, str]:
    """Its `default` entry is not for us: it would hand a password to any server."""
    import netrc

    named = environ.get("NETRC")
    path = named or os.path.join(environ.get("HOME") or os.path.expanduser("~"), ".netrc")
    try:
        entry = netrc.netrc(path).hosts.get(host)
        loose = entry is not None and os.name == "posix" and os.stat(path).st_mode & 0o077
    except FileNotFoundError:
        return Account(), f"{path}: there is no such file (NETRC)" if named else ""
    except netrc.NetrcParseError as error:  # its text can hold a password
        return Account(), f"{path}:{error.lineno or 1}: not understood, so no credentials are sent"
    except (OSError, UnicodeDecodeError):
        return Account(), f"{path}: cannot be read, so no credentials are sent"
    if entry is None or not entry[0]:
        return Account(), ""
    warning = f"{path}: others can read the passwords in it: chmod 600" if loose else ""
    return Account(user=entry[0], password=entry[2] or ""), warning


class Client:
    """One server. Keeps its connection open from request to request; not for several threads at once."""

    def __init__(self, url: str, account: Account, *, max_bytes: int = MAX_BYTES) -> None:
        """Raises UsageError for an address that is none, or to which the credentials would go in clear text."""
        self.url = checked_url(url)
        self.account = account
        self.max_bytes = max_bytes
        self._wire = _Wire()
        self._pools: dict[tuple[str, str, int | None], urllib3.HTTPConnectionPool] = {}
        parts = urlsplit(url)
        if account.header() and parts.scheme.lower() == "http" and not _is_loopback(parts.hostname or ""):
            raise UsageError(
                f"{shown_url(url)}: credentials are not sent over plain http", "use the server's https address"
            )

    def close(self) -> None:
        for pool in self._pools.values():
            pool.close()
        self._pools.clear()
        self._wire.forget()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(
        self,
        method: str,
        *,
        query: str = "",
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        seconds: float,
    ) -> Reply:
        """The reply, whatever its status. `query`, percent-encoded, is added to the address; redirects are followed
        on the same host only. Raises NoReplyError and InputError.
        """
        url = self.url + (("&" if "?" in self.url else "?") + query if query else "")
        end = monotonic() + seconds
        for _ in range(_MAX_REDIRECTS + 1):
            reply = self._send_once(method, url, body, dict(headers or {}), end, seconds)
            if reply.status not in _MOVED or "location" not in reply.headers:
                return reply
            url = self._redirected(url, reply)
        raise InputError(f"{self.name}: more than {_MAX_REDIRECTS} redirects", "give the address where they end")

    @property
    def name(self) -> str:
        return shown_url(self.url)

    def _redirected(self, url: str, reply: Reply) -> str:
        target = urljoin(url, reply.headers["location"])
        old, new = urlsplit(url), _split(target)
        there = shown_url(target) if new is not None else "an address that is none"
        advice = "give that address if you trust it"
        if reply.status == 303:
            raise InputError(f"{self.name}: answers with a page elsewhere, {there} (303)", advice)
        if new is None or "@" in new.netloc or new.hostname != old.hostname:
            raise InputError(f"{self.name}: redirects to another host, {there}, which is not followed", advice)
        same = (new.scheme, new.port) == (old.scheme, old.port)
        if not same and not (old.scheme == "http" and new.scheme == "https"):
            raise InputError(f"{self.name}: redirects to another service, {there}, which is not followed", advice)
        return target

    def _send_once(
        self, method: str, url: str, body: bytes | None, headers: dict[str, str], end: float, seconds: float
    ) -> Reply:
        import urllib3

        sent = {"User-Agent": f"ppgov/{__version__}", "Accept-Encoding": "gzip"} | headers | self.account.header()
        left = end - monotonic()
        if left <= 0:
            raise self._late(seconds)
        self._wire.late = False
        timer = threading.Timer(left, self._wire.cut)
        timer.daemon = True
        timer.start()
        try:
            response = self._pool(url).urlopen(
                method,
                _target(url),
                body=body,
                headers=sent,
                retries=False,
                redirect=False,
                assert_same_host=False,
                timeout=urllib3.Timeout(connect=min(left, _CONNECT), read=left),
                preload_content=False,
            )
            reply = self._whole(response)
        except (urllib3.exceptions.HTTPError, OSError, UnicodeError) as error:
            self.close()
            raise (self._late(seconds) if self._wire.late else self._failed(error, seconds)) from error
        finally:
            timer.cancel()
        if self._wire.late:  # cut in its header, a reply looks as if that were all of it
            self.close()
            raise self._late(seconds)
        return reply

    def _pool(self, url: str) -> urllib3.HTTPConnectionPool:
        import urllib3

        parts = urlsplit(url)
        key = (parts.scheme.lower(), parts.hostname or "", parts.port)
        if key not in self._pools:
            plain, safe = _connections()
            kind = urllib3.HTTPSConnectionPool if key[0] == "https" else urllib3.HTTPConnectionPool
            pool = kind(_bracketed(key[1]), key[2], maxsize=1, wire=self._wire)
            pool.ConnectionCls = safe if key[0] == "https" else plain
            self._pools[key] = pool
        return self._pools[key]

    def _whole(self, response: urllib3.BaseHTTPResponse) -> Reply:
        """The body, read to its end or refused as soon as it is too large."""
        headers = {name.lower(): value for name, value in response.headers.items()}
        wanted = response.status < 400
        limit = self.max_bytes if wanted else _SHOWN_BYTES
        pieces, size = [], 0
        for piece in response.stream(_CHUNK, decode_content=True):
            pieces.append(piece)
            size += len(piece)
            if size > limit:
                response.close()
                if wanted:
                    raise InputError(
                        f"{self.name}: the answer is larger than {limit // 1024**2} MiB", "ask for less, with LIMIT"
                    )
                break
        response.release_conn()
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        framed = "content-length" in headers or "chunked" in headers.get("transfer-encoding", "").lower()
        return Reply(response.status, kind, headers, b"".join(pieces), framed)

    def _late(self, seconds: float) -> NoReplyError:
        return NoReplyError(
            f"{self.name}: no whole answer within {seconds:g} s", "allow more time, or ask for less at once"
        )

    def _failed(self, error: Exception, seconds: float) -> InputError:
        """What went wrong below HTTP, in a line."""
        from urllib3 import exceptions as known

        name = self.name
        if isinstance(error, known.NameResolutionError | UnicodeError):
            return NoReplyError(f"{name}: no host of this name is known", "check the address")
        if isinstance(error, known.SSLError):
            reason = getattr(error.args[0], "verify_message", "") or getattr(error.args[0], "reason", "") or ""
            return InputError(
                f"{name}: no safe connection" + (f": {clip(str(reason))}" if reason else ""),
                "check the address and the server's certificate; SSL_CERT_FILE names further authorities",
            )
        if isinstance(error, known.NewConnectionError):
            return NoReplyError(f"{name}: no connection", "is the server running, and the address right?")
        if isinstance(error, known.ConnectTimeoutError):
            return NoReplyError(f"{name}: no connection in time", "is the address right, and the server reachable?")
        if isinstance(error, known.ReadTimeoutError):
            return self._late(seconds)
        if isinstance(error, known.DecodeError):
            return NoReplyError(f"{name}: the answer cannot be decompressed", "the server or a proxy spoils it")
        return NoReplyError(f"{name}: the connection broke off before the answer was whole", "try again")

    def refusal(self, reply: Reply, *, doing: str) -> InputError:
        """The error that a reply with any other status than wanted is."""
        text = _first_line(reply)
        for secret in self.account.secrets():
            text = text.replace(secret, "…")
        said = f": {clip(text)}" if text else ""
        advice = _ADVICE.get(reply.status, "see the server's log" if reply.status >= 500 else "check the address")
        offered = reply.headers.get("www-authenticate", "").lower()
        if reply.status == 401 and self.account.header():
            advice = "the server does not accept these credentials"
        if reply.status == 401 and offered and not any(scheme in offered for scheme in ("basic", "bearer")):
            advice = "it takes neither basic nor bearer credentials: use an address of it that does"
        return InputError(f"{self.name}: {doing}: the server answers {reply.status}{said}", advice)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _target(url: str) -> str:
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _first_line(reply: Reply) -> str:
    """What a server says of an error, where it is plain text: a page of HTML says nothing in one line."""
    text = reply.body[:_SHOWN_BYTES].decode("utf-8", "replace").strip()
    if reply.kind in ("text/html", "application/xhtml+xml") or text[:1] == "<":
        return ""
    return text.partition("\n")[0].strip()


class _Wire:
    """The socket in use, so that a deadline ends a request wherever it stands: in a handshake, a header, a body."""

    def __init__(self) -> None:
        self.late = False
        self._socket: socket.socket | None = None

    def watch(self, connected: socket.socket) -> None:
        """A duplicate: the socket itself is taken over by TLS."""
        self.forget()
        self._socket = connected.dup()
        if self.late:
            self.cut()

    def cut(self) -> None:
        self.late = True
        current = self._socket
        if current is not None:
            try:
                current.shutdown(socket.SHUT_RDWR)
            except OSError:
                return  # it has ended by itself

    def forget(self) -> None:
        current, self._socket = self._socket, None
        if current is not None:
            current.close()


def _connections() -> tuple[Any, Any]:
    """urllib3's connections, plain and safe, each of which tells the wire its socket."""
    from urllib3.connection import HTTPConnection, HTTPSConnection

    class Plain(HTTPConnection):
        def __init__(self, *given: Any, wire: _Wire, **named: Any) -> None:
            super().__init__(*given, **named)
            self.wire = wire

        def _new_conn(self) -> socket.socket:
            connected = super()._new_conn()
            self.wire.watch(connected)
            return connected

    class Safe(HTTPSConnection):
        def __init__(self, *given: Any, wire: _Wire, **named: Any) -> None:
            super().__init__(*given, **named)
            self.wire = wire

        def _new_conn(self) -> socket.socket:
            connected = super()._new_conn()
            self.wire.watch(connected)
            return connected

    return Plain, Safe
