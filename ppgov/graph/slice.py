"""The slice of the vocabulary that a pack needs: its terms, their ancestors, and what became of those that are gone."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from ppgov.graph.token import DCT, SKOS, Quad, pg, segment, text
from ppgov.termindex import split_iri
from ppgov.terms import WELL_KNOWN
from ppgov.vocabulary import Vocabulary

_STANDING = {
    "known": pg("Known"),
    "renamed": pg("Renamed"),
    "removed": pg("Removed"),
    "unknown": pg("UnknownTerm"),
    "not-indexed": pg("NotIndexed"),
}
_INDEX_STATUS, _REMOVED_IN, _REPLACED_BY = pg("indexStatus"), pg("removedIn"), f"<{DCT}isReplacedBy>"
_LABEL, _BROADER = f"<{SKOS}prefLabel>", f"<{SKOS}broader>"
_INSTANCE_OF, _STATUS = pg("instanceOf"), pg("termStatus")

# The published vocabularies label their terms in English; what language a user's own file speaks is not known here.
_ENGLISH = frozenset(WELL_KNOWN.values())


def slice_name(vocabulary: Vocabulary) -> str:
    """The last segment of the slice's graph, such as `dpv-2.3`: facts of another release are not mixed with it."""
    return f"dpv-{segment(vocabulary.sources[0].release)}"


def vocabulary_slice(iris: Iterable[str], vocabulary: Vocabulary, graph: str) -> list[Quad]:
    """Facts about the terms that the pack uses, and about all that lies above them."""
    quads: list[Quad] = []
    pending = sorted(set(iris))
    for iri in pending:
        quads += _standing(iri, vocabulary, graph)
    seen: set[str] = set()
    while pending:
        iri = pending.pop()
        if iri not in seen:
            seen.add(iri)
            known, above = _facts(iri, vocabulary, graph)
            quads += known
            pending += above
    return quads


@lru_cache(maxsize=8192)
def _standing(iri: str, vocabulary: Vocabulary, graph: str) -> tuple[Quad, ...]:
    """Whether the vocabulary has a term, and what became of it. Remembered: packs of a fleet share their terms."""
    subject = f"<{iri}>"
    quads = [(subject, _INDEX_STATUS, _STANDING[vocabulary.standing(iri)], graph)]
    removal = vocabulary.removal(iri)
    if removal is not None:
        if removal.release is not None:
            quads.append((subject, _REMOVED_IN, text(removal.release), graph))
        if removal.successor is not None:
            quads.append((subject, _REPLACED_BY, f"<{removal.successor}>", graph))
    return tuple(quads)


@lru_cache(maxsize=8192)
def _facts(iri: str, vocabulary: Vocabulary, graph: str) -> tuple[tuple[Quad, ...], tuple[str, ...]]:
    """What is known of one term, and the terms directly above it."""
    facts = vocabulary.facts(iri)
    if facts is None:
        return (), ()
    subject = f"<{iri}>"
    above = [(_BROADER, parent) for parent in facts.parents] + [(_INSTANCE_OF, kind) for kind in facts.types]
    language = "@en" if split_iri(iri)[0] in _ENGLISH else ""
    said = ((_LABEL, facts.label, language), (_STATUS, facts.status, ""))
    return (
        (
            *((subject, predicate, text(value) + tag, graph) for predicate, value, tag in said if value is not None),
            *((subject, predicate, f"<{up}>", graph) for predicate, up in above),
        ),
        (*facts.parents, *facts.types),
    )
