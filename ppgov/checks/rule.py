"""What a rule is, what it sees and what it yields.

A check is a generator over a `Case`: it yields every fault it sees, each at a JSON pointer, and never
prints, exits or returns a verdict. Its docstring is its manual.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

from ppgov.effective import Effective
from ppgov.findings import Level
from ppgov.pack import Pack
from ppgov.reach import Reach
from ppgov.resolution import Resolutions
from ppgov.suggest import DidYouMean
from ppgov.terms import TermUse
from ppgov.vocabulary import Standing, Vocabulary


class _Case(NamedTuple):
    pack: Pack
    effective: Mapping[str | None, Effective]
    resolutions: Mapping[str | None, Resolutions]
    reach: Mapping[str | None, Reach]
    terms: tuple[TermUse, ...]
    vocabulary: Vocabulary
    people: frozenset[str] = frozenset()


class Case(_Case):
    """What checks may look at: the pack and what was computed from it once, for all of them."""

    @cached_property
    def standings(self) -> Mapping[Standing, list[tuple[TermUse, str]]]:
        """The uses of terms that have an IRI, each with it, by what the vocabulary knows of the term."""
        found: dict[Standing, list[tuple[TermUse, str]]] = {}
        for use in self.terms:
            if use.term.iri is not None:
                found.setdefault(self.vocabulary.standing(use.term.iri), []).append((use, use.term.iri))
        return found


class Found(NamedTuple):
    """One fault at a pointer. `related` holds (pointer, what stands there) for the other place of a conflict."""

    pointer: str
    message: str
    hint: str | DidYouMean = ""
    related: tuple[tuple[str, str], ...] = ()


Check = Callable[[Case], Iterable[Found]]


class Rule(NamedTuple):
    """One row of the registry. `reads` are the top-level parts of a pack that the check looks at."""

    id: str
    name: str
    level: Level
    clause: str
    written: str
    reads: tuple[str, ...] = ()
    check: Check | None = None

    @property
    def manual(self) -> str:
        """What the rule looks for, why, and how to mend it; its first line is the title."""
        return inspect.cleandoc(self.written)

    @property
    def title(self) -> str:
        """The first line of the manual."""
        return self.manual.partition("\n")[0]


def rule(id: str, name: str, level: Level, *, clause: str, reads: tuple[str, ...]) -> Callable[[Check], Rule]:
    """Make a registry row of a check; the check's docstring becomes the manual."""

    def register(check: Check) -> Rule:
        return Rule(id, name, level, clause, check.__doc__ or "", reads, check)

    return register


def row(id: str, name: str, level: Level, clause: str, manual: str) -> Rule:
    """A registry row whose faults the reader or the schema reports."""
    return Rule(id, name, level, clause, manual)
