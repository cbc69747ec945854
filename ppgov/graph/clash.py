"""Packs that share an IRI and differ: together in one graph their statements are of one thing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ppgov.findings import clip

_NAMED = 3


class Copy(NamedTuple):
    """A file and the pack version that it says it is. `iri` is the version's resource, `sha256` the file's digest."""

    iri: str
    sha256: str
    path: str


def clashes(copies: Iterable[Copy]) -> Iterator[str]:
    """A line for each pack version that files with different bytes claim to be, in the order of the first file."""
    versions: dict[str, dict[str, str]] = {}
    for copy in copies:
        versions.setdefault(copy.iri, {}).setdefault(copy.sha256, copy.path)
    for iri, files in versions.items():
        if len(files) > 1:
            paths = [clip(path, 80) for path in files.values()]
            more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
            yield (
                f"{', '.join(paths[:_NAMED])}{more}: different files with the same id and version;"
                f" the graph holds them as one resource, <{clip(iri)}>, with graphs of their own"
            )
