"""The vocabularies that terms are looked up in: the bundled index, and files of the user's own.

Terms are looked up by IRI, never by CURIE, because a pack may bind any prefix to anything. The bundled index
comes first: a file cannot change what a published term means.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from ppgov import resources
from ppgov.termindex import (
    Facts,
    How,
    Kind,
    Module,
    OwnTerms,
    Removal,
    SourceInfo,
    TermIndex,
    bundled,
    expand_curie,
    split_iri,
)
from ppgov.terms import WELL_KNOWN

if TYPE_CHECKING:
    from pathlib import Path

    from ppgov.nearterm import NearTerms

__all__ = ["Facts", "How", "Kind", "Module", "Removal", "SourceInfo", "Standing", "Vocabulary", "load"]

Standing = Literal["known", "renamed", "removed", "unknown", "not-indexed"]

_KEPT = 20_000  # what is kept of the IRIs met in packs: as many, and none longer
_KEPT_LENGTH = 200

_NO_TERMS = OwnTerms({}, {}, {}, {}, {}, ())


class Slot(NamedTuple):
    """The terms usual in a slot: those at or below a root but not an exception, and those at or below one of `also`."""

    name: str
    roots: frozenset[str]
    exceptions: frozenset[str]
    also: frozenset[str]

    def admits(self, lineage: frozenset[str]) -> bool:
        """Whether a term with these ancestors, itself among them, is usual here."""
        return bool(lineage & self.also) or (bool(lineage & self.roots) and not lineage & self.exceptions)


@cache
def slots() -> tuple[Slot, ...]:
    """The slots of the format, from `vocab/slots.json`."""
    data: dict[str, dict[str, list[str]]] = json.loads(resources.text("vocab", "slots.json"))
    return tuple(
        Slot(name, *(frozenset(map(expand_curie, rule[part])) for part in ("roots", "except", "also")))
        for name, rule in data.items()
    )


class Vocabulary:
    """Facts on terms. Everything derived is computed when first asked for, and kept."""

    def __init__(self, index: TermIndex, own: OwnTerms = _NO_TERMS) -> None:
        self._index = index
        self._own = own
        self._standings: dict[str, Standing] = {}
        self._slots: dict[str, tuple[str, ...]] = {}
        self._usual: dict[str, frozenset[str]] = {}
        self._suggested: dict[tuple[str, str | None], tuple[str, ...]] = {}

    @property
    def sources(self) -> tuple[SourceInfo, ...]:
        """The bundled vocabularies, then the user's in the order given."""
        return self._index.sources + self._own.sources

    def facts(self, iri: str) -> Facts | None:
        """Of a term, or of a collection, scheme or ontology that a user's file declares."""
        return self._index.facts(iri) or self._own.facts.get(iri) or self._own.groups.get(iri)

    def standing(self, iri: str) -> Standing:
        """What is known of an IRI; "not-indexed", which is no opinion, where no vocabulary covers its namespace."""
        standing = self._standings.get(iri)
        if standing is None:
            standing = self._standing(iri)
            if len(iri) <= _KEPT_LENGTH and len(self._standings) < _KEPT:
                self._standings[iri] = standing
        return standing

    def _standing(self, iri: str) -> Standing:
        if self.facts(iri) is not None:
            return "known"
        removal = self._index.removal(iri)
        if removal is not None:
            return "renamed" if removal.successor is not None else "removed"
        return "unknown" if self.origin(iri) is not None else "not-indexed"

    def removal(self, iri: str) -> Removal | None:
        """Where a term that is gone, or on its way out, went."""
        return self._index.removal(iri) or self._own.removals.get(iri)

    def origin(self, iri: str) -> str | None:
        """The vocabulary, such as "DPV 2.3", whose namespace an IRI is in, or in one that is mistaken for it."""
        return (
            self._index.origin(iri)
            or self._own.origins.get(split_iri(iri)[0])
            or next((self._index.origin(alias) for alias in self._index.aliases(iri)), None)
        )

    def label(self, iri: str) -> str | None:
        """The label; of a removed term the last one it had."""
        facts = self.facts(iri)
        return facts.label if facts is not None else self._index.label(iri)

    def curie(self, iri: str) -> str | None:
        """With a well-known prefix, else with the one that the user's file declares."""
        curie = self._index.curie(iri)
        if curie is None:
            namespace, local = split_iri(iri)
            prefix = self._own.prefixes.get(namespace)
            curie = f"{prefix}:{local}" if prefix is not None and local else None
        return curie

    @cached_property
    def prefixes(self) -> dict[str, str]:
        """The well-known prefixes and, for namespaces with terms, those of the user's files."""
        own = {prefix: namespace for namespace, prefix in self._own.prefixes.items() if namespace in self._own.origins}
        return WELL_KNOWN | dict(sorted(own.items()))

    @cached_property
    def terms(self) -> tuple[Facts, ...]:
        """Every term, the bundled ones first."""
        iris = dict.fromkeys((*self._index.iris("class", "property"), *self._own.facts))
        return tuple(facts for iri in iris if (facts := self.facts(iri)) is not None)

    def ancestors(self, iri: str) -> tuple[str, ...]:
        """All that is above a term by parents and types, nearest first. Parents may be undefined; cycles do no harm."""
        found: dict[str, None] = {iri: None}
        level = [iri]
        while level:
            above = {up for term in level if (facts := self.facts(term)) for up in (*facts.parents, *facts.types)}
            level = sorted(up for up in above if up not in found)  # `above - found.keys()` walks all of `found`
            found.update(dict.fromkeys(level))
        return tuple(found)[1:]

    def children(self, iri: str) -> tuple[str, ...]:
        """The terms that name this one as a parent."""
        return self._below[0].get(iri, ())

    def instances(self, iri: str) -> tuple[str, ...]:
        """The terms that name this one as a type, where that is not implied by their parents."""
        return self._below[1].get(iri, ())

    @cached_property
    def _below(self) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
        children: dict[str, list[str]] = {}
        instances: dict[str, list[str]] = {}
        for facts in self.terms:
            for above, below in ((facts.parents, children), (facts.types, instances)):
                for iri in above:
                    below.setdefault(iri, []).append(facts.iri)
        return _sorted(children), _sorted(instances)

    def slots(self, iri: str) -> tuple[str, ...]:
        """The slots that a class is usual in; () for a property, an unplaced term and one that is not known."""
        if iri not in self._slots:
            facts = self.facts(iri)
            if facts is None or facts.kind != "class":
                return ()
            if facts.file is not None:  # a file can hold chains of any length: from above each term is met once
                return tuple(slot.name for slot in slots() if iri in self.usual(slot.name))
            lineage = frozenset((iri, *self.ancestors(iri)))
            self._slots[iri] = tuple(slot.name for slot in slots() if slot.admits(lineage))
        return self._slots[iri]

    def usual(self, slot: str) -> frozenset[str]:
        """The terms that are usual in a slot."""
        if slot not in self._usual:
            rule = next((rule for rule in slots() if rule.name == slot), Slot(slot, *[frozenset[str]()] * 3))
            admitted = (self._from(rule.roots) - self._from(rule.exceptions)) | self._from(rule.also)
            self._usual[slot] = frozenset(t for t in admitted if (facts := self.facts(t)) and facts.kind == "class")
        return self._usual[slot]

    def _from(self, tops: frozenset[str]) -> set[str]:
        """The given terms and all that is below them."""
        found: set[str] = set()
        pending = list(tops)
        while pending:
            term = pending.pop()
            if term not in found:
                found.add(term)
                pending += (*self.children(term), *self.instances(term))
        return found

    def suggest(self, iri: str, slot: str | None = None) -> tuple[str, ...]:
        """The real terms nearest to an IRI, as CURIEs (IRIs where there is no prefix); those usual in the slot first.

        In this order: a recorded successor, a reviewed hint, the same name in the right namespace, what looks alike.
        """
        key = (iri, slot)
        found = self._suggested.get(key)
        if found is None:
            found = tuple(self.curie(term) or term for term in self._nearest(iri, slot))
            if len(iri) <= _KEPT_LENGTH and len(self._suggested) < _KEPT:
                self._suggested[key] = found
        return found

    def _nearest(self, iri: str, slot: str | None) -> tuple[str, ...]:
        removal = self.removal(iri)
        if removal is not None and removal.successor is not None:
            return (removal.successor,)
        hints = self._index.hints(iri)
        if hints:
            return hints
        if self.standing(iri) != "unknown":
            return ()
        aliases = () if self._index.curie(iri) else self._index.aliases(iri)
        meant = tuple(alias for alias in aliases if self.facts(alias) is not None)
        if meant or not aliases:
            return meant or self._near.find(iri, slot)
        return next((found for alias in aliases if (found := self._nearest(alias, slot))), ())

    @cached_property
    def _near(self) -> NearTerms:
        from ppgov.nearterm import NearTerms

        own = (facts.iri for facts in self._own.facts.values() if facts.kind == "class")
        return NearTerms(dict.fromkeys((*self._index.iris("class"), *own)), self.slots, self.usual)

    def search(self, text: str) -> tuple[Facts, ...]:
        """The terms whose label or CURIE holds every word; first those named so, then those whose name starts so."""
        wanted = text.casefold().split()
        whole = " ".join(wanted)
        if not wanted:
            return ()
        found = []
        for facts in self.terms:
            curie = self.curie(facts.iri) or facts.iri
            names = ((facts.label or "").casefold(), split_iri(facts.iri)[1].casefold(), curie.casefold())
            haystack = "\n".join(names)
            if all(word in haystack for word in wanted):
                rank = 0 if whole in names else 1 if any(name.startswith(whole) for name in names) else 2
                found.append((rank, curie, facts))
        return tuple(facts for _, _, facts in sorted(found, key=lambda item: item[:2]))


def _sorted(groups: dict[str, list[str]]) -> dict[str, tuple[str, ...]]:
    return {iri: tuple(sorted(members)) for iri, members in groups.items()}


@cache
def _bundled_only() -> Vocabulary:
    return Vocabulary(bundled())


def load(extra: Sequence[Path] = ()) -> Vocabulary:
    """The bundled vocabularies and the user's Turtle files. Raises InputError for a file that cannot be read."""
    if not extra:
        return _bundled_only()
    from ppgov.termfile import read_terms

    index = bundled()
    return Vocabulary(index, read_terms(extra, lambda iri: index.facts(iri) is not None))
