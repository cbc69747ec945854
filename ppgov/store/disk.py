"""A store on disk: built whole, or updated from the packs whose bytes changed.

Both write a new generation of the folder (see `folder`), so a reader goes on with the one that it opened.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ppgov import __version__
from ppgov.errors import InputError, UsageError
from ppgov.findings import Finding, clip
from ppgov.fleet import Inputs, Options, Target, each
from ppgov.graph import BASE_IRI
from ppgov.shard import shard
from ppgov.source import sha256
from ppgov.store.change import Change, removed, sliced
from ppgov.store.folder import Generation, current_generation, writing
from ppgov.store.manifest import Header, Record, read, write_header, write_record

if TYPE_CHECKING:
    from pyoxigraph import Store

_BATCH = 64 * 1024 * 1024  # bytes of N-Quads a load: larger ones load no faster and take their size tenfold in memory
_TERM = re.compile(r"(?:^|\n)<([^>\n]*)> <https://w3id\.org/ppgov/ns#indexStatus> ")
_IRI = re.compile(r"(?:^|\n)<[^>\n]*> <https://w3id\.org/ppgov/ns#iri> <([^>\n]*)> ")


class Settings(NamedTuple):
    """What a run was asked to do. Without a base IRI an update takes the store's own, likewise the vocabularies."""

    options: Options
    base_iri: str | None = None
    jobs: int | None = None


class Piece(NamedTuple):
    """One file that was read: what is recorded of it and its quads, or why there are none."""

    record: Record
    quads: bytes = b""
    problem: Finding | None = None
    skipped: str = ""


Watch = Callable[[Iterator[Piece], int], Iterable[Piece]]
"""Sees each piece of so many go by: for a progress bar, and to report what could not be read."""


class Outcome(NamedTuple):
    """What the store holds now and what became of the files; `barren` are the folders without a pack."""

    packs: int
    quads: int
    unchanged: int
    changed: int
    added: int
    dropped: int
    unread: int
    barren: tuple[str, ...]


def current(place: str) -> Path:
    """The database to open read-only. Raises InputError with what to do where there is none."""
    return current_generation(place).quads


def build(place: str, inputs: Inputs, settings: Settings, watch: Watch) -> Outcome:
    """Write a store of the inputs. Raises InputError when nothing can be stored; an old store then stays as it was."""
    base_iri, options = settings.base_iri or BASE_IRI, settings.options
    header = Header(__version__, base_iri, _digests(options.vocabularies))
    tally = _Tally()
    with writing(place, create=True) as generation:
        pieces = _pieces(inputs.targets, settings, base_iri, watch)
        with open(generation.manifest, "w", encoding="ascii") as stream:
            write_header(stream, header)
            store = _opened(generation)
            for record in tally.seen(_loaded(store, pieces)):
                write_record(stream, record)
        tally.must_hold_packs(place)
        store.flush()
        quads = len(store)
        del store  # closes the database
    return Outcome(tally.packs, quads, 0, 0, tally.packs, 0, tally.unread, tally.barren(inputs))


def update(place: str, inputs: Inputs, settings: Settings, watch: Watch) -> Outcome:
    """Make the store what `build` of the same inputs would make it, reading only the packs whose bytes changed.

    Raises UsageError for another base IRI or vocabulary than the store's, InputError as `build` does.
    """
    with writing(place, create=False) as generation:
        before = current_generation(place)
        header, records = read(str(before.manifest))
        settings = _continued(place, header, settings)
        change = Change.between(records, inputs.targets, partial(_digest, max_bytes=settings.options.max_bytes))
        pieces = _pieces(change.to_read, settings, header.base_iri, watch)
        store = _opened(generation, before)
        terms = removed(store, change.gone, change.kept)
        tally = _Tally()
        tally.keep(change.kept)
        fresh = {record.path: record for record in tally.seen(_loaded(store, pieces))}
        tally.must_hold_packs(place)
        now = [*change.kept, *fresh.values()]
        sliced(store, terms, now, header.base_iri, settings.options.vocabularies)
        quads = change.quads(store, now, header.base_iri)
        store.flush()
        del store  # closes the database
        with open(generation.manifest, "w", encoding="ascii") as stream:
            write_header(stream, header)
            for record in now:
                write_record(stream, record)
    packs_before = {path for path, record in records.items() if record.stem}
    packs_now = {record.path: record for record in now if record.stem}
    both = packs_before & packs_now.keys()
    unchanged = sum(packs_now[path].sha256 == records[path].sha256 for path in both)
    return Outcome(
        len(packs_now),
        quads,
        unchanged,
        len(both) - unchanged,
        len(packs_now) - len(both),
        len(packs_before) - len(both),
        tally.unread,
        tally.barren(inputs),
    )


def piece(target: Target, options: Options, base_iri: str) -> Piece:
    """Read one file; a worker's work."""
    read_in = shard(target, options, base_iri)
    record = Record(target.path, target.named, read_in.sha256 or "")
    if read_in.problem is not None:
        return Piece(record, problem=read_in.problem)
    if read_in.skipped:
        return Piece(record._replace(sha256=_digest(target.path, options.max_bytes) or ""), skipped=read_in.skipped)
    text, (of_declared, _, of_places) = read_in.quads, read_in.graphs
    lines = text.count("\n")
    slice_graph = f"<{re.escape(base_iri)}graph/vocab/[^/>\n]*>"
    of_terms = len(re.findall(f" {slice_graph} \\.\n", text)) + len(re.findall(f"(?:^|\n){slice_graph} ", text))
    placed = text.count(f" <{of_places}> .\n") + text.count(f"\n<{of_places}> ")
    unnamed = tuple(sorted(set(_TERM.findall(text)) - set(_IRI.findall(text))))
    stem = of_declared.removesuffix("/declared")
    return Piece(
        record._replace(stem=stem, own=lines - of_terms - placed, places=placed, unnamed=unnamed), text.encode()
    )


class _Tally:
    """Counts what goes by."""

    def __init__(self) -> None:
        self.packs = self.unread = 0
        self._no_packs: set[str] = set()

    def keep(self, records: Iterable[Record]) -> None:
        for record in records:
            self._count(record)

    def seen(self, pieces: Iterable[Piece]) -> Iterator[Record]:
        """The record of each piece that needs no second look while its bytes stay the same."""
        for entry in pieces:
            if entry.problem is not None:
                self.unread += 1
            else:
                self._count(entry.record)
                if entry.record.sha256:
                    yield entry.record

    def _count(self, record: Record) -> None:
        if record.stem:
            self.packs += 1
        else:
            self._no_packs.add(record.path)

    def must_hold_packs(self, place: str) -> None:
        if not self.packs:
            raise InputError(f"{clip(place)}: nothing is stored: no pack could be read", "check the paths")

    def barren(self, inputs: Inputs) -> tuple[str, ...]:
        return tuple(folder for folder, names in inputs.folders.items() if self._no_packs.issuperset(names))


def _pieces(targets: list[Target], settings: Settings, base_iri: str, watch: Watch) -> Iterator[Piece]:
    """Each target read. The first one at once: workers have to start before the database starts its threads."""
    act = partial(piece, options=settings.options, base_iri=base_iri)
    pieces = iter(watch(each(targets, act, settings.jobs), len(targets)))
    return chain([first for first in [next(pieces, None)] if first is not None], pieces)


def _opened(generation: Generation, before: Generation | None = None) -> Store:
    """The database of a new generation, empty or with what the one before holds (files are shared by hard links)."""
    from pyoxigraph import Store

    if before is not None:
        Store.read_only(str(before.quads)).backup(str(generation.quads))
    return Store(str(generation.quads))


def _loaded(store: Store, pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Load the pieces in batches, and hand them on without their quads."""
    from pyoxigraph import RdfFormat

    batch: list[bytes] = []
    size = 0
    for entry in pieces:
        batch.append(entry.quads)
        size += len(entry.quads)
        if size >= _BATCH:
            store.bulk_load(b"".join(batch), RdfFormat.N_QUADS)
            batch, size = [], 0
        yield entry._replace(quads=b"")
    if size:
        store.bulk_load(b"".join(batch), RdfFormat.N_QUADS)


def _digest(path: str, max_bytes: int) -> str | None:
    """SHA-256 of a file's bytes; None for what has to be looked at more closely."""
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > max_bytes:
            return None
        with open(path, "rb") as stream:
            return sha256(stream.read())
    except (OSError, ValueError):
        return None


def _digests(files: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    try:
        return tuple((file, sha256(Path(file).read_bytes())) for file in files)
    except OSError as error:
        raise InputError(
            f"{clip(str(error.filename))}: the vocabulary cannot be read", "give --vocab its path"
        ) from error


def _continued(place: str, header: Header, settings: Settings) -> Settings:
    """The settings of the store, once it is certain that an update can go on with them."""
    anew = f"ppgov store build {clip(place)} PATH... builds it anew"
    if header.ppgov != __version__:
        raise InputError(
            f"{clip(place)}: the store was made by ppgov {clip(header.ppgov)}, this is {__version__}", anew
        )
    if settings.base_iri not in (None, header.base_iri):
        raise UsageError(f"{clip(place)}: the store has the base IRI {clip(header.base_iri)}", anew)
    given = settings.options.vocabularies or tuple(path for path, _ in header.vocabularies)
    if [digest for _, digest in _digests(given)] != [digest for _, digest in header.vocabularies]:
        raise UsageError(
            f"{clip(place)}: the store was built with other vocabularies, or they have changed since", anew
        )
    return settings._replace(base_iri=header.base_iri, options=settings.options._replace(vocabularies=given))
