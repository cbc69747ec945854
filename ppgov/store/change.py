"""From one state of the files to the next: what to read, which graphs go, and what the shared vocabulary loses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from ppgov.fleet import Target
from ppgov.graph import nquads
from ppgov.graph.place import places_name
from ppgov.graph.slice import slice_name, vocabulary_slice
from ppgov.graph.token import PG
from ppgov.store.manifest import Record, kind
from ppgov.vocabulary import load

if TYPE_CHECKING:
    from pyoxigraph import Store


class Change(NamedTuple):
    """`kept` records stay; `gone` ones lose their graphs (and are read anew when they are among `to_read`)."""

    kept: list[Record]
    gone: list[Record]
    to_read: list[Target]

    @classmethod
    def between(
        cls, records: dict[str, Record], targets: Iterable[Target], digest: Callable[[str], str | None]
    ) -> Change:
        """A file is kept when its bytes are the same and it was come by in the same way, named or in a folder."""
        to_read: list[Target] = []
        kept: dict[str, Record] = {}
        for target in targets:
            old = records.get(target.path)
            if old is not None and old.named == target.named and digest(target.path) == old.sha256:
                kept[old.path] = old
            else:
                to_read.append(target)
        gone = [record for path, record in records.items() if path not in kept]
        again = _entangled(gone, kept)
        for record in again:
            del kept[record.path]
        to_read += [Target(record.path, record.named) for record in again]
        return cls(list(kept.values()), [record for record in (*gone, *again) if record.stem], to_read)

    def quads(self, store: Store, now: Iterable[Record], base_iri: str) -> int:
        """How many quads the store holds: by the records, for counting them one by one takes longer than an update."""
        own: dict[str, int] = {}
        total = 0
        for record in now:
            if own.setdefault(record.stem, record.own) != record.own:
                return len(store)  # two readings of one graph
            total += record.places
        return total + sum(own.values()) + len(_of_vocabulary(store, base_iri))


def _entangled(gone: Iterable[Record], kept: dict[str, Record]) -> list[Record]:
    """Kept files whose graphs one that goes may have added to: bytes can be other data as JSON than as YAML."""
    sharing: dict[str, list[Record]] = defaultdict(list)
    stems = {record.stem for record in gone if record.stem}
    for record in kept.values():
        if record.stem in stems:
            sharing[record.stem].append(record)
    mixed = {
        record.stem
        for record in gone
        for other in sharing.get(record.stem, ())
        if (kind(other.path), other.sha256) != (kind(record.path), record.sha256)
    }
    return [record for stem in sorted(mixed) for record in sharing[stem]]


def removed(store: Store, gone: Iterable[Record], kept: Iterable[Record]) -> set[str]:
    """Remove the graphs of files that go, unless a kept copy shares them; the terms that lost a use."""
    from pyoxigraph import NamedNode

    shared = {record.stem for record in kept}
    terms: set[str] = set()
    for record in gone:
        names = [places_name(record.stem, record.path)]
        if record.stem not in shared:
            shared.add(record.stem)  # another copy that goes finds it done
            computed = NamedNode(f"{record.stem}/computed")
            used = store.quads_for_pattern(None, NamedNode(f"{PG}iri"), None, computed)
            terms.update(quad.object.value for quad in used if isinstance(quad.object, NamedNode))
            names += [f"{record.stem}/declared", computed.value]
        terms.update(record.unnamed)
        for name in names:
            _remove(store, name)
    return terms


def _remove(store: Store, name: str) -> None:
    """A graph, and what the manifest in the default graph says of it."""
    from pyoxigraph import DefaultGraph, NamedNode

    for quad in list(store.quads_for_pattern(NamedNode(name), None, None, DefaultGraph())):
        store.remove(quad)
    store.remove_graph(NamedNode(name))


def sliced(
    store: Store, lost: set[str], records: Iterable[Record], base_iri: str, vocabularies: tuple[str, ...]
) -> None:
    """Take from the shared vocabulary graph what only terms without a use brought.

    Every used term has its standing there, and the store finds a use by its index: nothing is read through whole.
    """
    from pathlib import Path

    from pyoxigraph import NamedNode, RdfFormat, parse

    if not lost:
        return
    unnamed = {iri for record in records for iri in record.unnamed}
    named = NamedNode(f"{PG}iri")
    lost = {
        iri
        for iri in lost - unnamed
        if next(iter(store.quads_for_pattern(None, named, NamedNode(iri), None)), None) is None
    }
    if not lost:
        return
    vocabulary = load(tuple(Path(file) for file in vocabularies))
    graph = NamedNode(f"{base_iri}graph/vocab/{slice_name(vocabulary)}")
    standing = store.quads_for_pattern(None, NamedNode(f"{PG}indexStatus"), None, graph)
    used = {quad.subject.value for quad in standing if isinstance(quad.subject, NamedNode)} - lost
    if not used:
        _remove(store, graph.value)
        return
    wanted = set(parse(nquads(vocabulary_slice(used, vocabulary, str(graph))), RdfFormat.N_QUADS))
    for quad in list(store.quads_for_pattern(None, None, None, graph)):
        if quad not in wanted:
            store.remove(quad)


def _of_vocabulary(store: Store, base_iri: str) -> list[object]:
    """The quads of the vocabulary graphs, and of the manifest about them."""
    from pyoxigraph import DefaultGraph, NamedNode

    kinds = store.quads_for_pattern(
        None,
        NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"),
        NamedNode(f"{PG}VocabularyGraph"),
        DefaultGraph(),
    )
    found: list[object] = []
    for quad in kinds:
        if isinstance(quad.subject, NamedNode) and quad.subject.value.startswith(f"{base_iri}graph/vocab/"):
            found += [quad, *store.quads_for_pattern(None, None, None, quad.subject)]
    return found
