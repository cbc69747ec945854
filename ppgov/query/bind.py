"""Parameters of a query, bound as RDF terms: they never become part of the text's syntax."""

from __future__ import annotations

from collections.abc import Mapping

from ppgov.errors import UsageError
from ppgov.findings import quote
from ppgov.query.guard import examine, tokens
from ppgov.query.table import Term, written
from ppgov.terms import is_absolute_iri


class AnyGraph:
    """FROM has been looked at before."""

    def __contains__(self, graph: object) -> bool:
        return True


def bind(text: str, values: Mapping[str, Term]) -> str:
    """The query with `VALUES (?a ?b) { ("x" <iri>) }` as the first thing in its outermost pattern.

    Raises UsageError for a query without a pattern, or with a template in its place, where nothing can be bound.
    """
    if not values:
        return text
    form = examine(text, known_graphs=AnyGraph())
    if form.where is None or form.close is None or form.short:
        raise UsageError(f"{form.keyword} without a WHERE pattern takes no parameters", "write the pattern out")
    names = sorted(values)
    row = " ".join(_token(values[name]) for name in names)
    data = f" VALUES ({' '.join(f'?{name}' for name in names)}) {{ ({row}) }} "
    start, close = form.where + 1, form.close
    first = next((t.text.upper() for t in tokens(text[start:close])), "")
    if first == "SELECT":  # a subquery has to stand in a group of its own
        return f"{text[:start]}{data}{{{text[start:close]}}}{text[close:]}"
    return f"{text[:start]}{data}{text[start:]}"


def _token(term: Term) -> str:
    if term.kind == "iri" and not is_absolute_iri(term.value):
        raise UsageError(f"{quote(term.value)} is no absolute IRI", "write it like https://example.org/name")
    return written(term)
