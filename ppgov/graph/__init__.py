"""The pack as RDF: one generator of plain quads, which every format and every store reads.

Two named graphs for each pack version, one that holds what the file declares and one that holds what was
computed from it; a third with the part of the vocabulary that the terms need; on request one with the places in
the file; the manifest in the default graph.
There are no blank nodes, so sorted N-Quads are canonical.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from ppgov.effective import Effective
from ppgov.graph.clash import Copy, clashes
from ppgov.graph.computed import computed
from ppgov.graph.declared import declared
from ppgov.graph.place import Locate, places, places_name
from ppgov.graph.slice import slice_name, vocabulary_slice
from ppgov.graph.token import PROV, TYPE, Quad, pg, segment, text
from ppgov.pack import Pack
from ppgov.reach import Reach
from ppgov.resolution import Resolutions
from ppgov.terms import TermUse
from ppgov.vocabulary import Vocabulary

BASE_IRI = "https://packs.invalid/"

__all__ = ["BASE_IRI", "Audited", "Copy", "Quad", "clashes", "copy_of", "graph_names", "nquads", "of", "quads"]


class Digested(Protocol):
    """A source with its path, the digest of its bytes, and the place of every value."""

    @property
    def path(self) -> str: ...
    @property
    def sha256(self) -> str: ...
    @property
    def canonical_sha256(self) -> str | None: ...
    @property
    def locate(self) -> Locate: ...


class Audited(Protocol):
    """What the graph needs of an audit, which lies above it."""

    @property
    def source(self) -> Digested: ...
    @property
    def pack(self) -> Pack: ...
    @property
    def effective(self) -> Mapping[str | None, Effective]: ...
    @property
    def resolutions(self) -> Mapping[str | None, Resolutions]: ...
    @property
    def reach(self) -> Mapping[str | None, Reach]: ...
    @property
    def terms(self) -> tuple[TermUse, ...]: ...
    @property
    def vocabulary(self) -> Vocabulary: ...


def quads(
    pack: Pack,
    *,
    sha256: str,
    effective: Mapping[str | None, Effective],
    resolutions: Mapping[str | None, Resolutions],
    reach: Mapping[str | None, Reach],
    terms: tuple[TermUse, ...],
    vocabulary: Vocabulary,
    base_iri: str = BASE_IRI,
    extensions: bool = False,
    located: tuple[str, Locate] | None = None,
    canonical_sha256: str | None = None,
) -> Iterator[Quad]:
    """Every quad of one pack, as N-Quads tokens, unsorted. `sha256` is the digest of the file in hexadecimal.

    `canonical_sha256`, that of its RFC 8785 form, is stated where there is one. `located`, the file's path and how
    to find a place in it, adds the graph of places.
    """
    walk = declared(pack, base_iri=base_iri, sha256=sha256, extensions=extensions)
    stem = f"{walk.version}/graph/{sha256[:16]}"
    of_computed = f"<{stem}/computed>"
    of_terms = f"<{base_iri}graph/vocab/{slice_name(vocabulary)}>"
    used = {use.term.iri for use in terms if use.term.iri is not None}
    subject = walk.nodes[""]
    found = walk.quads
    found += computed(walk, of_computed, effective, resolutions, reach, terms)
    found += vocabulary_slice(used, vocabulary, of_terms)
    found += (
        (walk.graph, TYPE, pg("DeclaredGraph"), ""),
        (walk.graph, pg("about"), subject, ""),
        (walk.graph, pg("sha256"), text(sha256), ""),
        (of_computed, TYPE, pg("ComputedGraph"), ""),
        (of_computed, pg("about"), subject, ""),
        (of_computed, f"<{PROV}wasDerivedFrom>", walk.graph, ""),
    )
    if canonical_sha256 is not None:
        found.append((walk.graph, pg("canonicalSha256"), text(canonical_sha256), ""))
    if used:
        found.append((of_terms, TYPE, pg("VocabularyGraph"), ""))
    if located is not None:
        found += places(walk, stem, *located, terms)
    return iter(found)


def graph_names(audited: Audited, *, base_iri: str = BASE_IRI) -> tuple[str, str, str]:
    """The IRIs of the graphs that are a file's own: declared, computed, places."""
    stem = f"{_version_iri(audited.pack, base_iri)}/graph/{audited.source.sha256[:16]}"
    return f"{stem}/declared", f"{stem}/computed", places_name(stem, audited.source.path)


def copy_of(audited: Audited, *, base_iri: str = BASE_IRI) -> Copy:
    """What `clashes` compares."""
    return Copy(_version_iri(audited.pack, base_iri), audited.source.sha256, audited.source.path)


def _version_iri(pack: Pack, base_iri: str) -> str:
    return f"{base_iri}{segment(pack.data.get('id'))}/{segment(pack.data.get('version'))}"


def of(
    audited: Audited, *, base_iri: str = BASE_IRI, extensions: bool = False, located: bool = False
) -> Iterator[Quad]:
    """Every quad of an audited pack; see `quads`."""
    return quads(
        audited.pack,
        sha256=audited.source.sha256,
        effective=audited.effective,
        resolutions=audited.resolutions,
        reach=audited.reach,
        terms=audited.terms,
        vocabulary=audited.vocabulary,
        base_iri=base_iri,
        extensions=extensions,
        located=(audited.source.path, audited.source.locate) if located else None,
        canonical_sha256=audited.source.canonical_sha256,
    )


def nquads(quads: Iterable[Quad]) -> str:
    """Canonical N-Quads: each quad once, the lines in code point order."""
    lines = [f"{s} {p} {o} {g} .\n" if g else f"{s} {p} {o} .\n" for s, p, o, g in quads]
    lines.sort()  # and then drop neighbours that are equal: half the time of a set
    return "".join([line for line, before in zip(lines, ["", *lines], strict=False) if line != before])
