"""What a query may say: only SELECT, ASK, CONSTRUCT and DESCRIBE, of the graphs that are there (DESIGN section 5).

The text is taken apart by the tokens of SPARQL 1.1 (section 19.8), and whatever cannot be told for certain is
refused. Two things need care. An engine that parses without tokens reads `SERVICEdpv:x {` as SERVICE, and `?a<?b` and
what follows as a comparison, where a tokenizer sees a name and an IRI. And some engines replace codepoint escapes
(19.2) before they read, some after: a query has to pass in each reading.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from functools import cache
from typing import NamedTuple

from ppgov.errors import UsageError
from ppgov.findings import clip, quote
from ppgov.query.table import PREFIXES, Form
from ppgov.suggest import nearest

MAX_LENGTH = 1_000_000  # characters
_MAX_DEPTH = 200

_FORMS: dict[str, Form] = {"SELECT": "select", "ASK": "ask", "CONSTRUCT": "graph", "DESCRIBE": "graph"}
# fmt: off
_UPDATES = frozenset((
    "LOAD", "CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY", "INSERT", "DELETE", "WITH", "USING", "INTO", "DATA",
    "TO", "ALL", "DEFAULT",
))
_CLAUSES = frozenset((
    "BASE", "PREFIX", "SELECT", "DISTINCT", "REDUCED", "AS", "CONSTRUCT", "DESCRIBE", "ASK", "FROM", "NAMED", "WHERE",
    "GROUP", "BY", "HAVING", "ORDER", "ASC", "DESC", "LIMIT", "OFFSET", "VALUES", "UNDEF", "OPTIONAL", "GRAPH",
    "UNION", "MINUS", "FILTER", "BIND", "NOT", "IN", "EXISTS", "SEPARATOR", "TRUE", "FALSE", "A",
))
_FUNCTIONS = frozenset((
    "STR", "LANG", "LANGMATCHES", "DATATYPE", "BOUND", "IRI", "URI", "BNODE", "RAND", "ABS", "CEIL", "FLOOR", "ROUND",
    "CONCAT", "STRLEN", "UCASE", "LCASE", "ENCODE_FOR_URI", "CONTAINS", "STRSTARTS", "STRENDS", "STRBEFORE",
    "STRAFTER", "YEAR", "MONTH", "DAY", "HOURS", "MINUTES", "SECONDS", "TIMEZONE", "TZ", "NOW", "UUID", "STRUUID",
    "MD5", "SHA1", "SHA256", "SHA384", "SHA512", "COALESCE", "IF", "STRLANG", "STRDT", "SAMETERM", "ISIRI", "ISURI",
    "ISBLANK", "ISLITERAL", "ISNUMERIC", "REGEX", "SUBSTR", "REPLACE", "COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE",
    "GROUP_CONCAT",
))
# fmt: on
_CLOSES = {"(": ")", "[": "]", "{": "}"}
_LOCAL_QUERY = "a query reads the graphs of the packs given and asks nobody else"

# An IRI that reads the same as one token and as a comparison: nothing in it opens a bracket, a text or a comment.
_CERTAIN = re.compile(r"<(?:[A-Za-z][A-Za-z0-9+.\-]*://[^\s>]*|[\w.~:/%+?&=\-]*)>").fullmatch
_ESCAPE = re.compile(r"\\(?:u(?=[0-9A-Fa-f]{4})|U(?=[0-9A-Fa-f]{8}))((?<=u).{4}|(?<=U).{8})")
_RDFLIB_ESCAPE = re.compile(r"\\u([0-9a-f]{4}(?:[0-9a-f]{4})?)", re.IGNORECASE)
_BASE = (
    "A-Za-z",
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f\u2c00-\u2fef"
    "\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff",
)
_MORE = ("", "\u00b7\u0300-\u036f\u203f-\u2040")


class Token(NamedTuple):
    """One token; `kind` is a group of the grammar below, `start` its offset."""

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


class QueryForm(NamedTuple):
    """What a query is. `where` and `close` are the offsets of the braces around its outermost pattern, if any."""

    keyword: str
    form: Form
    prefixes: dict[str, str]  # the text's own
    dataset: bool  # it says FROM
    where: int | None
    close: int | None
    short: bool  # CONSTRUCT WHERE, whose pattern is its template
    ordered: bool  # it says ORDER BY outside all patterns
    graphs: bool  # it says GRAPH or FROM


class _Refusal(Exception):
    def __init__(self, start: int, reason: str, advice: str) -> None:
        super().__init__(reason)
        self.start, self.reason, self.advice = start, reason, advice


def examine(text: str, *, known_graphs: Container[str] | None, name: str = "query") -> QueryForm:
    """What the query is. Raises UsageError with line and column when it is anything but a question.

    `known_graphs` are the IRIs that FROM may name; None: none at all. `name` is what the message calls the text.
    """
    if len(text) > MAX_LENGTH:
        raise UsageError(f"{name}: longer than {MAX_LENGTH:,} characters", "split the question")
    try:
        form = _examined(text, known_graphs)
        for reading in _readings(text):
            _second(text, reading, known_graphs)
    except _Refusal as refusal:
        raise UsageError(f"{name}:{place(text, refusal.start)}: {refusal.reason}", refusal.advice) from None
    return form


def prologue(text: str) -> str:
    """One line that declares the PREFIXES which the text does not."""
    own = {token.text for token in tokens(text) if token.kind == "pname" and token.text.endswith(":")}
    return " ".join(f"PREFIX {p}: <{PREFIXES[p]}>" for p in sorted(PREFIXES) if f"{p}:" not in own) + "\n"


def place(text: str, start: int) -> str:
    """Line and column, 1-based, of an offset."""
    before = text[:start]
    return f"{before.count(chr(10)) + 1}:{start - before.rfind(chr(10))}"


def tokens(text: str) -> Iterator[Token]:
    """The tokens without blanks and comments; the kind "" is a character that begins none."""
    match = _grammar(wide=not text.isascii()).match
    at = 0
    while at < len(text):
        found = match(text, at)
        if found is None:
            yield Token("", text[at], at)
            return
        if found.lastgroup is not None and found.lastgroup != "blank":
            yield Token(found.lastgroup, found[0], at)
        at = found.end()


@cache
def _grammar(*, wide: bool) -> re.Pattern[str]:
    """The terminals of SPARQL 1.1. Compiling the wide one takes some 10 ms, and most queries are ASCII."""
    base, more = _BASE[wide], _MORE[wide]
    start = f"{base}_"
    inner = f"{start}0-9{more}"
    escape = r"\\(?:[tbnrf\\\"']|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})"
    local = r"%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?#@%]"
    return re.compile(
        rf"""
        (?P<blank>[ \t\n\r]+|\#[^\n\r]*)
        |(?P<iri><(?:[^\x00-\x20<>"{{}}|^`\\]|\\u[0-9A-Fa-f]{{4}}|\\U[0-9A-Fa-f]{{8}})*+>)
        |(?P<string>
            \"\"\"(?:"{{0,2}}(?:[^"\\]|{escape}))*+\"\"\" | '''(?:'{{0,2}}(?:[^'\\]|{escape}))*+'''
            | "(?!"")(?:[^"\\\n\r]|{escape})*+" | '(?!'')(?:[^'\\\n\r]|{escape})*+')
        |(?P<var>[?$][{start}0-9][{inner}]*)
        |(?P<bnode>_:[{start}0-9](?:[{inner}\-]|\.+(?=[{inner}\-]))*+)
        |(?P<pname>(?:[{base}](?:[{inner}\-]|\.+(?=[{inner}\-]))*+)?:
            (?:(?:[{start}0-9:]|{local})(?:[{inner}:\-]|{local}|\.+(?=[{inner}:\-%\\]))*+)?)
        |(?P<lang>@[A-Za-z]+(?:-[A-Za-z0-9]+)*)
        |(?P<number>[0-9]+\.[0-9]*[eE][+\-]?[0-9]+|\.?[0-9]+[eE][+\-]?[0-9]+|[0-9]*\.[0-9]+|[0-9]+)
        |(?P<word>[A-Za-z][A-Za-z0-9_]*)
        |(?P<mark>[{{}}()\[\].,;*/+\-=!|&^?<>])
        """,
        re.VERBOSE,
    )


def _readings(text: str) -> Iterator[str]:
    """The text as engines see it that replace escapes first, where that differs: by the standard, and by rdflib."""
    if "\\u" not in text and "\\U" not in text:
        return
    try:
        yield _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
        yield _RDFLIB_ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
    except (ValueError, OverflowError):
        raise _Refusal(_first_escape(text), "this escape is no character", "write the character itself") from None


def _second(text: str, reading: str, known_graphs: Container[str] | None) -> None:
    try:
        _examined(reading, known_graphs)
    except _Refusal as refusal:
        reason = f"with its codepoint escapes replaced the query is another: {refusal.reason}"
        raise _Refusal(_first_escape(text), reason, "write the characters themselves") from None


def _first_escape(text: str) -> int:
    return max(0, text.lower().find("\\u"))


def _examined(text: str, known_graphs: Container[str] | None) -> QueryForm:
    found = list(tokens(text))
    for token in found:
        _known(token, text)
    prefixes, first = _prologue(found)
    if first == len(found) or found[first].text.upper() not in _FORMS:
        start = found[first].start if first < len(found) else len(text)
        raise _Refusal(start, "no query begins here", f"begin with one of {', '.join(_FORMS)}")
    walk = _Walk(found, first, prefixes, known_graphs)
    walk.run()
    keyword = found[first].text.upper()
    short = keyword == "CONSTRUCT" and len(walk.groups) == 1
    where, close = walk.groups[-1] if walk.groups else (None, None)
    graphs = walk.dataset or any(token.kind == "word" and token.text.upper() == "GRAPH" for token in found)
    return QueryForm(keyword, _FORMS[keyword], prefixes, walk.dataset, where, close, short, walk.ordered, graphs)


def _known(token: Token, text: str) -> None:
    """Refuse what no query can hold, wherever it stands."""
    if token.kind == "word":
        _word(token)
    elif not token.kind:
        kinds = {'"': "a text that does not end", "'": "a text that does not end", "\\": "an escape outside a text"}
        what = kinds.get(token.text, f"the character {quote(token.text)}")
        raise _Refusal(token.start, f"{what} is no part of a query", "correct it there")
    elif text.startswith("<<", token.start):
        raise _Refusal(token.start, "'<<' is not SPARQL 1.1", "in a comparison, put a blank between < and <")


def _word(token: Token) -> None:
    upper = token.text.upper()
    if upper == "SERVICE":
        raise _Refusal(token.start, "SERVICE is refused: it asks another server", _LOCAL_QUERY)
    if upper in _UPDATES:
        raise _Refusal(token.start, f"{upper} is refused: it belongs to an update", f"ask with {', '.join(_FORMS)}")
    if upper not in _CLAUSES | _FUNCTIONS or (upper == "A" and token.text != "a"):
        match = nearest(upper, _CLAUSES | _FUNCTIONS)
        advice = f"did you mean {match}?" if match else "a name has a prefix, a text quotation marks, a variable a ?"
        raise _Refusal(token.start, f"the word {quote(token.text)} is not SPARQL 1.1", advice)


def _prologue(found: list[Token]) -> tuple[dict[str, str], int]:
    """The prefixes that the text declares, and the index of the token after them."""
    prefixes: dict[str, str] = {}
    at = 0
    while at < len(found) and found[at].text.upper() in ("PREFIX", "BASE"):
        size = 3 if found[at].text.upper() == "PREFIX" else 2
        kinds = [token.kind for token in found[at : at + size]]
        if kinds != (["word", "pname", "iri"] if size == 3 else ["word", "iri"]):
            raise _Refusal(found[at].start, "this declaration is not complete", "write PREFIX name: <https://…>")
        if size == 3:
            prefixes[found[at + 1].text[:-1]] = found[at + 2].text[1:-1]
        at += size
    return prefixes, at


class _Walk:
    """One pass over the tokens after the prologue, with the brackets that are open."""

    def __init__(
        self, found: list[Token], first: int, prefixes: dict[str, str], known_graphs: Container[str] | None
    ) -> None:
        self.found, self.first = found, first
        self.prefixes = PREFIXES | prefixes
        self.known_graphs = known_graphs
        self.open: list[Token] = []
        self.groups: list[tuple[int, int]] = []  # braces of the patterns and templates outside all others
        self.dataset = False
        self.ordered = False

    def run(self) -> None:
        for at, token in enumerate(self.found[self.first :], self.first):
            if token.kind == "mark":
                self._mark(at, token)
            elif token.kind == "pname":
                self._name(at, token)
            elif token.kind == "iri":
                self._iri(token)
            elif token.kind == "word" and at > self.first:
                self._keyword(at, token)
        if self.open:
            raise _Refusal(self.open[-1].start, f"this '{self.open[-1].text}' is not closed", "close it")

    def _mark(self, at: int, token: Token) -> None:
        if token.text in _CLOSES:
            self.open.append(token)
            if len(self.open) > _MAX_DEPTH:
                raise _Refusal(token.start, f"more than {_MAX_DEPTH} brackets in one another", "simplify the query")
        elif token.text in ")]}":
            if not self.open or _CLOSES[self.open[-1].text] != token.text:
                raise _Refusal(token.start, f"this '{token.text}' closes nothing", "check the brackets before it")
            opened = self.open.pop()
            if not self.open and token.text == "}" and not self._is_data(opened):
                self.groups.append((opened.start, token.start))
                if len(self.groups) > 2:
                    raise _Refusal(opened.start, "a query has one pattern", "give one query at a time")
        elif token.text == ";" and not self.open:
            raise _Refusal(token.start, "more than one request", "give one query at a time")

    def _is_data(self, opened: Token) -> bool:
        """Whether a brace outside all others opens the data of a VALUES that ends the query."""
        words = [t.text.upper() for t in self.found if t.kind == "word" and t.start < opened.start]
        return bool(self.groups) and words[-1] == "VALUES"

    def _name(self, at: int, token: Token) -> None:
        prefix = token.text.partition(":")[0]
        following = self.found[at + 1].text if at + 1 < len(self.found) else ""
        if "service" in prefix.casefold() and following == "{":
            raise _Refusal(token.start, f"{quote(token.text)} can be read as SERVICE", _LOCAL_QUERY)
        before = self.found[at - 1].text.upper()
        glued = any(word in prefix.casefold() for word in ("from", "named"))
        if not self.open and glued:
            raise _Refusal(token.start, f"{quote(token.text)} can be read as FROM", "write the IRI in full")
        if prefix not in self.prefixes and before not in ("PREFIX", "BASE"):
            match = nearest(prefix, self.prefixes)
            advice = f"did you mean {match}:?" if match else f"declare it: PREFIX {clip(prefix, 60)}: <https://…>"
            raise _Refusal(token.start, f"no prefix {quote(prefix + ':')}", advice)

    def _iri(self, token: Token) -> None:
        if self.open and self.open[-1].text == "(" and _CERTAIN(token.text) is None:
            reason = f"{quote(token.text)} can be an IRI or a comparison"
            raise _Refusal(token.start, reason, "put a blank after <, or write the IRI in full")

    def _keyword(self, at: int, token: Token) -> None:
        upper = token.text.upper()
        if upper in ("PREFIX", "BASE") or (upper in _FORMS and (not self.open or upper != "SELECT")):
            raise _Refusal(token.start, "more than one request", "give one query at a time")
        self.ordered |= upper == "ORDER" and not self.open
        if upper == "FROM":
            self.dataset = True
            self._from(at, token)

    def _from(self, at: int, token: Token) -> None:
        if self.open:
            raise _Refusal(token.start, "FROM stands inside a pattern", "use GRAPH there")
        following = self.found[at + 1 : at + 3]
        if following and following[0].text.upper() == "NAMED":
            following = following[1:]
        graph = self._expanded(following[0]) if following else None
        if graph is None:
            raise _Refusal(token.start, "FROM names no graph", "write FROM <https://…>, the IRI in full")
        if self.known_graphs is None:
            raise _Refusal(token.start, "FROM is refused: a server could fetch what it names", "use GRAPH <…> { … }")
        if graph not in self.known_graphs:
            advice = "SELECT DISTINCT ?g { GRAPH ?g { } } lists the graphs"
            raise _Refusal(following[0].start, f"FROM names {quote(graph)}, which is not loaded", advice)

    def _expanded(self, token: Token) -> str | None:
        if token.kind == "iri":
            return token.text[1:-1]
        if token.kind == "pname":
            prefix, _, local = token.text.partition(":")
            return self.prefixes[prefix] + local if prefix in self.prefixes and "\\" not in local else None
        return None
