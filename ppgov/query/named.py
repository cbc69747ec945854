"""Named queries: SPARQL files whose header says what they ask, which parameters they take and what they answer.

The header is the run of comment lines at the top of the file; docs/queries.md holds its grammar. A file of the
user's own may leave it out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Literal, NamedTuple

from ppgov import resources
from ppgov.errors import InputError, UsageError
from ppgov.findings import quote
from ppgov.graph.token import XSD
from ppgov.query.guard import tokens
from ppgov.query.table import Term
from ppgov.suggest import DidYouMean, nearest
from ppgov.terms import expand

Type = Literal["string", "integer", "term"]

_TYPES: dict[str, Type] = {"string": "string", "integer": "integer", "term": "term"}
_FOLDER = ("vocab", "queries")
_ENTRY = re.compile(r"# (\w+):(?: +(.*))?")
_MORE = re.compile(r"#( {2,}| *$)(.*)")
_PARAMETER = re.compile(
    r"(?P<name>[A-Za-z]\w*) \((?P<type>\w+)(?: (?P<choices>[^\s,)]+))?, "
    r"(?:(?P<need>optional|required)|default (?P<default>.+?))\): (?P<meaning>.+)",
    re.ASCII | re.DOTALL,
)
_COLUMN = re.compile(r"([A-Za-z]\w*): (.+)", re.ASCII | re.DOTALL)
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}").fullmatch
_ONCE = ("title", "question", "example")
_KEYS = ("title", "question", "parameter", "column", "example", "note")
_PARAMETER_FORM = "write: # parameter: name (string, optional): what it means"
_COLUMN_FORM = "write: # column: name: what it holds"


class Parameter(NamedTuple):
    """A variable that the caller can bind. `choices` are the strings that it may have, all where there are none."""

    name: str
    type: Type
    required: bool
    default: str | None
    meaning: str
    choices: tuple[str, ...] = ()


class Column(NamedTuple):
    """A variable of the answer and what it holds."""

    name: str
    meaning: str


class Example(NamedTuple):
    """Some rows of the answer for these packs, paths from the root of the repository, and these parameters."""

    packs: tuple[str, ...]
    given: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, ...], ...]


class Query(NamedTuple):
    """A query as its file has it; `text` is the whole file. Without a header, `title` is the name."""

    name: str
    title: str
    question: str
    parameters: tuple[Parameter, ...]
    columns: tuple[Column, ...]
    example: Example | None
    notes: tuple[str, ...]
    text: str
    path: str


class _Entry(NamedTuple):
    """One entry of a header: the line (1-based) that it starts in, its key, its text, and the lines that follow."""

    line: int
    key: str
    text: str
    more: tuple[str, ...]

    @property
    def prose(self) -> str:
        return " ".join((self.text, *self.more)).strip()


@cache
def _names() -> tuple[str, ...]:
    files = os.listdir(resources.folder(_FOLDER[0]) / _FOLDER[1])
    return tuple(sorted(file.removesuffix(".rq") for file in files if file.endswith(".rq")))


@cache
def load(name: str) -> Query:
    """The bundled query of that name. Raises UsageError with the nearest name where there is none."""
    if name not in _names():
        match = nearest(name, _names())
        raise UsageError(
            f"no query named {quote(name)}",
            f"did you mean '{match}'?" if match else "`ppgov queries` lists the names",
        )
    path = str(resources.folder(_FOLDER[0]) / _FOLDER[1] / f"{name}.rq")
    return parse(resources.text(*_FOLDER, f"{name}.rq"), path)


def catalogue() -> tuple[Query, ...]:
    """Every bundled query, by name."""
    return tuple(load(name) for name in _names())


def parse(text: str, path: str) -> Query:
    """A query file, bundled or the user's own. Raises InputError with the line for a header that is malformed."""
    name = os.path.basename(path).removesuffix(".rq")
    entries = _entries(text, path)
    titles = [entry.prose for entry in entries if entry.key == "title"]
    questions = [entry.prose for entry in entries if entry.key == "question"]
    examples = [_example(entry, path) for entry in entries if entry.key == "example"]
    query = Query(
        name,
        titles[0] if titles else name,
        questions[0] if questions else "",
        tuple(_parameter(entry, path) for entry in entries if entry.key == "parameter"),
        tuple(_column(entry, path) for entry in entries if entry.key == "column"),
        examples[0] if examples else None,
        tuple(entry.prose for entry in entries if entry.key == "note"),
        text,
        path,
    )
    _consistent(query, entries)
    return query


def values(query: Query, given: Mapping[str, str], prefixes: Mapping[str, str]) -> dict[str, Term]:
    """What to bind, given and default, by parameter; `prefixes` are those that a CURIE may have.

    Raises UsageError for a parameter that the query does not have, one that it needs, and a value that is none.
    """
    if not (query.question or query.parameters):
        return _unlisted(query, given)
    known = {parameter.name: parameter for parameter in query.parameters}
    for name in given:
        if name not in known:
            advice = DidYouMean(name, known, "parameters").text() if known else "this query takes no parameters"
            raise UsageError(f"the query {quote(query.name)} has no parameter {quote(name)}", advice)
    bound: dict[str, Term] = {}
    for name, parameter in known.items():
        written = given.get(name, parameter.default)
        if written is not None:
            bound[name] = _value(parameter, written, prefixes)
        elif parameter.required:
            raise UsageError(
                f"the query {quote(query.name)} needs the parameter {quote(name)}",
                f"--param {name}=…: {parameter.meaning}",
            )
    return bound


def _unlisted(query: Query, given: Mapping[str, str]) -> dict[str, Term]:
    """Parameters of a query without a header: any of its variables, as a text, or as an IRI between < and >."""
    known = {token.text[1:]: None for token in tokens(query.text) if token.kind == "var"}
    for name in given:
        if name not in known:
            advice = DidYouMean(name, known, "variables").text() if known else "it takes no parameters"
            raise UsageError(f"the query {quote(query.name)} has no variable {quote(name)}", advice)
    return {
        name: Term("iri", value[1:-1]) if value.startswith("<") and value.endswith(">") else Term("literal", value)
        for name, value in given.items()
    }


def _value(parameter: Parameter, written: str, prefixes: Mapping[str, str]) -> Term:
    named = f"parameter {quote(parameter.name)}"
    if parameter.type == "integer":
        if _INTEGER(written) is None:
            raise UsageError(f"{named}: {quote(written)} is no whole number", "write digits, such as 90")
        return Term("literal", str(int(written)), f"{XSD}integer")
    if parameter.type == "string":
        if parameter.choices and written not in parameter.choices:
            raise UsageError(f"{named} cannot be {quote(written)}", f"one of: {', '.join(parameter.choices)}")
        return Term("literal", written)
    term = expand(written, prefixes)
    if term.iri is None:
        known = ", ".join(sorted(prefixes))
        advice = (
            f"known prefixes: {known}" if term.form == "unresolved" else "write a CURIE, such as dpv:Data, or an IRI"
        )
        raise UsageError(f"{named}: {quote(written)} gives no IRI", advice)
    return Term("iri", term.iri)


def _entries(text: str, path: str) -> tuple[_Entry, ...]:
    """The entries of the header; none unless the file starts with one."""
    lines = text.splitlines()
    if not lines or _ENTRY.fullmatch(lines[0]) is None or not lines[0].startswith("# title:"):
        return ()
    entries: list[_Entry] = []
    for number, line in enumerate(lines, 1):
        if not line.startswith("#"):
            break
        if more := _MORE.fullmatch(line):
            last = entries[-1]
            entries[-1] = last._replace(more=(*last.more, more[2].strip()))
        elif (entry := _ENTRY.fullmatch(line)) and entry[1] in _KEYS:
            entries.append(_Entry(number, entry[1], (entry[2] or "").strip(), ()))
        else:
            raise _fault(path, number, "this line is no entry of the header", f"entries: {', '.join(_KEYS)}")
    return tuple(entries)


def _parameter(entry: _Entry, path: str) -> Parameter:
    match = _PARAMETER.fullmatch(entry.prose)
    if match is None or match["type"] not in _TYPES or (match["choices"] and match["type"] != "string"):
        raise _fault(path, entry.line, "this is no parameter", _PARAMETER_FORM)
    choices = tuple(match["choices"].split("|")) if match["choices"] else ()
    return Parameter(
        match["name"],
        _TYPES[match["type"]],
        match["need"] == "required",
        match["default"],
        match["meaning"],
        choices,
    )


def _column(entry: _Entry, path: str) -> Column:
    match = _COLUMN.fullmatch(entry.prose)
    if match is None:
        raise _fault(path, entry.line, "this is no column", _COLUMN_FORM)
    return Column(match[1], match[2])


def _example(entry: _Entry, path: str) -> Example:
    """`packs [--param name=value …]`, and one row a line, its cells parted by `|`."""
    packs, *params = entry.text.split(" --param ")
    pairs = [param.strip().partition("=") for param in params]
    if not packs or not entry.more or not all(name and sign for name, sign, _ in pairs):
        raise _fault(
            path, entry.line, "this is no example", "write: # example: pack.yaml --param name=value, then rows"
        )
    rows = tuple(tuple(cell.strip() for cell in row.split("|")) for row in entry.more)
    return Example(tuple(packs.split()), tuple((name, value) for name, _, value in pairs), rows)


def _consistent(query: Query, entries: tuple[_Entry, ...]) -> None:
    """What entries have to be to each other."""
    for index, (line, key, text) in enumerate((entry.line, entry.key, entry.prose) for entry in entries):
        if not text:
            raise _fault(query.path, line, f"the entry '{key}' is empty", "write something after the colon")
        if key in _ONCE and any(earlier.key == key for earlier in entries[:index]):
            raise _fault(query.path, line, f"the entry '{key}' stands twice", "keep one of them")
    for kind, names in (
        ("parameter", [parameter.name for parameter in query.parameters]),
        ("column", [column.name for column in query.columns]),
    ):
        for name in _repeated(names):
            raise InputError(f"{query.path}: the {kind} {quote(name)} stands twice", "keep one of them")
    if query.example is not None:
        wrong = [row for row in query.example.rows if len(row) != len(query.columns)]
        if wrong:
            line = next(entry.line for entry in entries if entry.key == "example")
            raise _fault(
                query.path,
                line,
                f"a row of the example has {len(wrong[0])} cells and the answer {len(query.columns)} columns",
                "part the cells by |",
            )


def _repeated(names: list[str]) -> Iterator[str]:
    return (name for index, name in enumerate(names) if name in names[:index])


def _fault(path: str, line: int, message: str, advice: str) -> InputError:
    return InputError(f"{path}:{line}: {message}", advice)
