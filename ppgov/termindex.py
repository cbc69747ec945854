"""The bundled index of terms, `vocab/terms.tsv`: DPV and PromptPack's own. Its columns stand in `vocab/build_terms.py`.

A run looks up a handful of some 3,000 terms, so a row is split when it is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from typing import Literal, NamedTuple

from ppgov import resources
from ppgov.terms import WELL_KNOWN

Kind = Literal["class", "property", "collection", "scheme", "ontology"]
How = Literal["renamed", "moved", "reviewed", "stated"]

_COLUMNS = 9
_DPV_RELEASE = r"^(https://w3id\.org/dpv)/[0-9]+(?:\.[0-9]+)*(?=[/#])"


class Facts(NamedTuple):
    """What a vocabulary says of a term. `parents` and `types` are IRIs, not all of which need be defined.

    `status` is None unless unusual ("sunset", "deprecated"). `since` is the first indexed release with the term, where
    the oldest means "or earlier". `source` is the vocabulary, `instrument` the law that the term is taken from, `file`
    the user's file that it stands in, None for a bundled term.
    """

    iri: str
    label: str | None
    kind: Kind
    parents: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    status: str | None = None
    since: str | None = None
    source: str | None = None
    instrument: str | None = None
    file: str | None = None


class Removal(NamedTuple):
    """Where a term went. `release` is the first without it, such as "DPV 2.1", and None while the term is still there.

    `how` says who knows the successor: a comparison of releases ("renamed", "moved"), a person ("reviewed") or the
    vocabulary itself ("stated").
    """

    release: str | None
    successor: str | None
    how: How | None


class Module(NamedTuple):
    """A file that an index was built from, with the digest of its bytes."""

    ontology: str
    title: str
    release: str
    date: str
    sha256: str


class SourceInfo(NamedTuple):
    """A vocabulary that terms are looked up in. `sha256` is of the file read, `modules` what that was built from.

    `file` is the path of a user's file, and "" for the bundled index.
    """

    title: str
    release: str | None
    date: str | None
    namespaces: tuple[str, ...]
    sha256: str
    modules: tuple[Module, ...] = ()
    file: str = ""


class OwnTerms(NamedTuple):
    """What the user's files hold together. `prefixes` and `origins` (vocabulary names) are by namespace.

    `groups` are the collections, schemes and ontologies: declared there, but no terms.
    """

    facts: Mapping[str, Facts]
    groups: Mapping[str, Facts]
    removals: Mapping[str, Removal]
    prefixes: Mapping[str, str]
    origins: Mapping[str, str]
    sources: tuple[SourceInfo, ...]


def split_iri(iri: str) -> tuple[str, str]:
    """Namespace and local name: up to `#`, else up to the last `/`."""
    namespace, mark, local = iri.partition("#")
    if mark:
        return namespace + mark, local
    cut = iri.rfind("/") + 1
    return iri[:cut], iri[cut:]


class TermIndex:
    """Look-up by IRI in the rows of an index file."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._rows = {line.partition("\t")[0]: line for line in data.decode().split("\n") if line}
        self._prefixes = {namespace: prefix for prefix, namespace in WELL_KNOWN.items()}
        self._facts: dict[str, Facts] = {}

    def curie(self, iri: str) -> str | None:
        """The CURIE of an IRI in a well-known namespace, whether the term exists or not."""
        namespace, local = split_iri(iri)
        prefix = self._prefixes.get(namespace)
        return f"{prefix}:{local}" if prefix is not None else None

    def facts(self, iri: str) -> Facts | None:
        found = self._facts.get(iri)
        if found is None:
            found = self._parse(iri)
            if found is not None:  # what is not there may be without number
                self._facts[iri] = found
        return found

    def _parse(self, iri: str) -> Facts | None:
        curie = self.curie(iri)
        cells = self._cells(curie)
        if curie is None or cells[1] not in ("class", "property"):
            return None
        return Facts(
            iri=iri,
            label=cells[2],
            kind="property" if cells[1] == "property" else "class",
            parents=_iris(cells[4]),
            types=_iris(cells[5]),
            status=cells[6] or None,
            since=cells[3] or None,
            source=self.origin(iri),
            instrument=cells[8] or None,
        )

    def removal(self, iri: str) -> Removal | None:
        """Where a removed term went, or what replaces one that is on its way out."""
        cells = self._cells(self.curie(iri))
        if cells[1] == "removed":
            release = f"{self._vocabulary(cells[0])[0]} {cells[3]}"
            return Removal(release, next(iter(_iris(cells[4])), None), _how(cells[5]))
        if cells[1] == "class" and cells[7]:
            return Removal(None, expand_curie(cells[7]), "reviewed")
        return None

    def label(self, iri: str) -> str | None:
        """The label of a term, or the last one of a removed term."""
        cells = self._cells(self.curie(iri))
        return cells[2] if cells[1] in ("class", "property", "removed") else None

    def hints(self, iri: str) -> tuple[str, ...]:
        """Terms that a reviewer found to be meant by a name that never existed."""
        cells = self._cells(self.curie(iri))
        return _iris(cells[2]) if cells[1] == "hint" else ()

    def aliases(self, iri: str) -> tuple[str, ...]:
        """The IRIs meant by one in a mistaken, former or versioned namespace of an indexed vocabulary."""
        namespace, local = split_iri(iri)
        usual = re.sub(_DPV_RELEASE, r"\1", re.sub("^http:", "https:", namespace))
        if usual != namespace and usual in self._prefixes:
            return (usual + local,)
        cells = self._cells(usual)
        if cells[1] == "alias":
            return tuple(WELL_KNOWN[prefix] + local for prefix in cells[2].split())
        hashed = usual[:-1] + "#"
        if usual.endswith("/") and hashed in self._prefixes and f"{self._prefixes[hashed]}:{local}" in self._rows:
            return (hashed + local,)
        return ()

    def origin(self, iri: str) -> str | None:
        """The vocabulary, with its release, that an IRI in a well-known namespace belongs to."""
        curie = self.curie(iri)
        cells = self._vocabulary(curie) if curie is not None else [""]
        return " ".join(filter(None, (cells[0], cells[3]))) if cells[0] else None

    def iris(self, *kinds: Kind) -> Iterator[str]:
        """Every term of the given kinds, in the order of the file."""
        for key, line in self._rows.items():
            if line.split("\t", 2)[1] in kinds:
                yield expand_curie(key)

    @cached_property
    def sources(self) -> tuple[SourceInfo, ...]:
        import hashlib

        digest = hashlib.sha256(self._data).hexdigest()
        return tuple(self._source(row, digest) for row in self._vocabularies)

    def _source(self, row: list[str], digest: str) -> SourceInfo:
        namespaces = tuple(WELL_KNOWN[prefix] for prefix in row[5].split())
        modules = tuple(
            Module(*(cells[i] for i in (0, 2, 3, 4, 5)))
            for cells in map(_split, self._rows.values())
            if cells[1] == "module" and cells[6] in namespaces
        )
        date = max((module.date for module in modules), default=None)
        return SourceInfo(row[2], row[3] or None, date, namespaces, digest, modules)

    @cached_property
    def _vocabularies(self) -> list[list[str]]:
        return [cells for cells in map(_split, self._rows.values()) if cells[1] == "vocabulary"]

    @cached_property
    def _by_prefix(self) -> dict[str, list[str]]:
        return {prefix: row for row in self._vocabularies for prefix in row[5].split()}

    def _vocabulary(self, curie: str) -> list[str]:
        return self._by_prefix.get(curie.partition(":")[0], [""] * _COLUMNS)

    def _cells(self, key: str | None) -> list[str]:
        return _split(self._rows.get(key, "") if key is not None else "")


def _split(line: str) -> list[str]:
    """The cells of a row; those at its end that are empty are not written."""
    cells = line.split("\t")
    return cells + [""] * (_COLUMNS - len(cells))


def expand_curie(curie: str) -> str:
    prefix, _, local = curie.partition(":")
    return WELL_KNOWN[prefix] + local


def _iris(cell: str) -> tuple[str, ...]:
    return tuple(map(expand_curie, cell.split()))


def _how(cell: str) -> How | None:
    return next((how for how in ("renamed", "moved", "reviewed") if how == cell), None)


@cache
def bundled() -> TermIndex:
    """The index that travels with ppgov."""
    return TermIndex(resources.folder("vocab").joinpath("terms.tsv").read_bytes())
