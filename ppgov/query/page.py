"""The named queries as people and programs list them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import dropwhile
from shlex import quote

from ppgov.output import to_json
from ppgov.query.named import Example, Parameter, Query, catalogue
from ppgov.visible import width


def list_text() -> Iterator[str]:
    """A query a line: name and title."""
    queries = catalogue()
    longest = max(len(query.name) for query in queries)
    yield from (f"{query.name:{longest}}  {query.title}" for query in queries)


def list_json() -> str:
    """`ppgov-queries/1`."""
    entries = [{"name": q.name, "title": q.title, "question": q.question} for q in catalogue()]
    return to_json({"format": "ppgov-queries/1", "queries": entries})


def query_json(query: Query) -> str:
    """`ppgov-query/1`."""
    example = query.example
    return to_json(
        {
            "format": "ppgov-query/1",
            "name": query.name,
            "title": query.title,
            "question": query.question,
            "parameters": [{**p._asdict(), "choices": list(p.choices)} for p in query.parameters],
            "columns": [column._asdict() for column in query.columns],
            "notes": list(query.notes),
            "example": {
                "packs": list(example.packs),
                "given": dict(example.given),
                "rows": [list(row) for row in example.rows],
            }
            if example
            else None,
            "text": query.text,
        }
    )


def query_text(query: Query) -> Iterator[str]:
    """One query: what it asks, what it takes, what it answers, and its SPARQL."""
    yield from (f"{query.name}: {query.title}", query.question)
    if query.parameters:
        yield from ("", "parameters, each as --param NAME=VALUE:")
        yield from _aligned([(f"  {p.name}", _takes(p), p.meaning) for p in query.parameters])
    if query.columns:
        yield from ("", "columns of the answer:")
        yield from _aligned([(f"  {column.name}", column.meaning) for column in query.columns])
    if query.notes:
        yield from ("", "notes:")
        yield from (f"  {note}" for note in query.notes)
    if query.example is not None:
        yield from ("", "example:", f"  {_call(query, query.example)}")
        yield from _aligned([_indented(row) for row in (_titles(query), *query.example.rows)])
    yield ""
    yield from dropwhile(lambda line: line.startswith("#") or not line.strip(), query.text.splitlines())


def _takes(parameter: Parameter) -> str:
    kind = {"term": "a term such as dpv:Data", "integer": "a whole number", "string": "a text"}[parameter.type]
    if parameter.choices:
        kind = " | ".join(parameter.choices)
    if parameter.default is not None:
        return f"{kind}; {parameter.default} by default"
    return f"{kind}; needed" if parameter.required else f"{kind}; may be left out"


def _call(query: Query, example: Example) -> str:
    given = "".join(f" --param {quote(f'{name}={value}')}" for name, value in example.given)
    return f"ppgov query --name {query.name}{given} {' '.join(map(quote, example.packs))}"


def _titles(query: Query) -> tuple[str, ...]:
    return tuple(column.name for column in query.columns)


def _indented(row: Sequence[str]) -> tuple[str, ...]:
    return (f"  {row[0] if row else ''}", *row[1:])


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    columns = max(len(row) for row in rows)
    sizes = [max(width(row[at]) for row in rows if at < len(row)) for at in range(columns)]
    for row in rows:
        yield "  ".join(f"{c}{' ' * (size - width(c))}" for c, size in zip(row, sizes, strict=False)).rstrip()
