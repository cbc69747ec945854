"""The places graph: which file, line and column declares a node. Apart from the rest, for it changes with the path."""

from __future__ import annotations

from collections.abc import Callable

from ppgov.graph.slot import Walk
from ppgov.graph.token import TYPE, Quad, pg, segment, text
from ppgov.terms import TermUse

Locate = Callable[[str], tuple[int | None, int | None]]
"""Line and column, 1-based, of what stands at a JSON pointer."""

_DECLARED_AT = pg("declaredAt")


def places(walk: Walk, stem: str, path: str, locate: Locate, terms: tuple[TermUse, ...]) -> list[Quad]:
    """`pg:declaredAt` with `path:line:column` for each object of the pack, and for each term where it stands first."""
    graph = f"<{places_name(stem, path)}>"
    pointers = {node: pointer for pointer, node in reversed(walk.nodes.items())}
    pointers[f"<{walk.version.rpartition('/')[0]}>"] = ""
    for use in reversed(terms):
        scope = "pack" if use.scope is None else segment(f"agent-{use.scope}")
        pointers[f"<{walk.version}/terms/{scope}/{segment(use.term.written)}>"] = use.pointer
    quads: list[Quad] = [
        (graph, TYPE, pg("PlacesGraph"), ""),
        (graph, pg("about"), f"<{walk.version}>", ""),
        (graph, pg("path"), text(path), ""),
    ]
    for node, pointer in pointers.items():
        line, column = locate(pointer)
        if line is not None:
            quads.append((node, _DECLARED_AT, text(f"{path}:{line}:{column}"), graph))
    return quads


def places_name(stem: str, path: str) -> str:
    """The graph of one file's places: two copies of a pack have one of their own each."""
    return f"{stem}/places/{segment(path)}"
