"""What `ppgov vocab` shows of a term and of the prefixes. Values only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ppgov.errors import UsageError
from ppgov.findings import quote
from ppgov.suggest import DidYouMean
from ppgov.terms import expand
from ppgov.vocabulary import Kind, Removal, Standing, Vocabulary


@dataclass(frozen=True, slots=True)
class TermName:
    """A term as a reader meets it; `curie` and `label` are None where there is none."""

    iri: str
    curie: str | None
    label: str | None


@dataclass(frozen=True, slots=True)
class TermPage:
    """All that is known of one term. `suggestions` (CURIEs) are there when the vocabulary does not hold it.

    `vocabulary` holds the term, or should by its namespace; `file` is the user's file that declares it. `namespace_of`
    is the published vocabulary into whose namespace such a file puts a term.
    """

    name: TermName
    standing: Standing
    kind: Kind | None
    vocabulary: str | None
    file: str | None
    namespace_of: str | None
    instrument: str | None
    since: str | None
    status: str | None
    removal: Removal | None
    successor: TermName | None
    parents: tuple[TermName, ...]
    types: tuple[TermName, ...]
    children: tuple[TermName, ...]
    instances: tuple[TermName, ...]
    slots: tuple[str, ...]
    suggestions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PrefixRow:
    """A prefix that needs no declaration, or that a `--vocab` file uses; `terms` counts what its namespace holds."""

    prefix: str
    namespace: str
    vocabulary: str | None
    terms: int


def term_page(vocabulary: Vocabulary, written: str) -> TermPage:
    """The page of a CURIE or an absolute IRI. Raises UsageError for what is neither, or has an unknown prefix."""
    term = expand(written, vocabulary.prefixes)
    if term.iri is None:
        prefix = written.partition(":")[0]
        advice = "; ".join(term.notes) or DidYouMean(prefix, vocabulary.prefixes, "prefixes").text()
        raise UsageError(f"{quote(written)} is neither an IRI nor a CURIE with a known prefix", advice)
    iri = term.iri
    facts, removal = vocabulary.facts(iri), vocabulary.removal(iri)
    successor = removal.successor if removal is not None else None
    origin, file = vocabulary.origin(iri), facts.file if facts else None
    source = facts.source if facts else origin
    return TermPage(
        name=_name(vocabulary, iri),
        standing=vocabulary.standing(iri),
        kind=facts.kind if facts else None,
        vocabulary=source,
        file=file,
        namespace_of=origin if file is not None and origin != source else None,
        instrument=facts.instrument if facts else None,
        since=facts.since if facts else None,
        status=facts.status if facts else None,
        removal=removal,
        successor=_name(vocabulary, successor) if successor is not None else None,
        parents=_names(vocabulary, facts.parents if facts else ()),
        types=_names(vocabulary, facts.types if facts else ()),
        children=_names(vocabulary, vocabulary.children(iri)),
        instances=_names(vocabulary, vocabulary.instances(iri)),
        slots=vocabulary.slots(iri),
        suggestions=() if facts else vocabulary.suggest(iri),
    )


def _name(vocabulary: Vocabulary, iri: str) -> TermName:
    return TermName(iri, vocabulary.curie(iri), vocabulary.label(iri))


def _names(vocabulary: Vocabulary, iris: Iterable[str]) -> tuple[TermName, ...]:
    return tuple(_name(vocabulary, iri) for iri in iris)


def prefix_rows(vocabulary: Vocabulary) -> tuple[PrefixRow, ...]:
    """The known prefixes, the well-known ones first."""
    return tuple(
        PrefixRow(
            prefix,
            namespace,
            vocabulary.origin(namespace),
            sum(facts.iri.startswith(namespace) for facts in vocabulary.terms),
        )
        for prefix, namespace in vocabulary.prefixes.items()
    )
