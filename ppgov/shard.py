"""Packs as N-Quads on all cores: what a store, a query and a push load, one piece a pack.

A worker answers with text, not with the audit: memory stays flat in the number of packs.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from ppgov.audit import Audit, Unreadable
from ppgov.findings import Finding
from ppgov.fleet import Options, Skipped, Target, audit_target, each
from ppgov.graph import BASE_IRI, graph_names, nquads, of


class Shard(NamedTuple):
    """One input as quads. A file that could not be read has a problem and no quads; `skipped` is why it is no pack."""

    path: str
    id: str | None = None
    version: str | None = None
    sha256: str | None = None  # of the bytes
    graphs: tuple[str, ...] = ()  # IRIs: declared, computed, places; the vocabulary's graph is shared and left out
    quads: str = ""  # sorted N-Quads
    problem: Finding | None = None
    skipped: str = ""


def shards(
    targets: list[Target],
    options: Options,
    *,
    base_iri: str = BASE_IRI,
    located: bool = True,
    jobs: int | None = None,
) -> Iterator[Shard]:
    """The quads of each target, in order. `located` adds the graph that says which file and line declares what."""
    return each(targets, partial(shard, options=options, base_iri=base_iri, located=located), jobs)


def shard(target: Target, options: Options, base_iri: str = BASE_IRI, located: bool = True) -> Shard:
    result = audit_target(target, options)
    if isinstance(result, Skipped):
        return Shard(result.path, skipped=result.reason)
    if isinstance(result, Unreadable):
        return Shard(result.path, sha256=result.sha256, problem=result.finding)
    return of_audit(result, base_iri=base_iri, located=located)


def of_audit(audit: Audit, *, base_iri: str = BASE_IRI, located: bool = True) -> Shard:
    return Shard(
        audit.source.path,
        audit.pack.id,
        audit.pack.version,
        audit.source.sha256,
        graph_names(audit, base_iri=base_iri),
        nquads(of(audit, base_iri=base_iri, located=located)),
    )
