"""Graphs of packs for tests: the quads of some data, and a store to ask."""

from __future__ import annotations

from typing import Any

import pyoxigraph as ox

from ppgov.effective import subjects
from ppgov.graph import Quad, nquads, quads
from ppgov.pack import view
from ppgov.reach import reach
from ppgov.resolution import resolve, targets
from ppgov.terms import uses
from ppgov.vocabulary import load

SHA256 = "0123456789abcdef" * 4
V = "https://packs.invalid/desk/1.0.0"
DECLARED = f"<{V}/graph/{SHA256[:16]}/declared>"
COMPUTED = f"<{V}/graph/{SHA256[:16]}/computed>"
PREFIXES = {
    "pg": "https://w3id.org/ppgov/ns#",
    "dct": "http://purl.org/dc/terms/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "dpv": "https://w3id.org/dpv#",
    "v": f"{V}/",
}


def graph_of(data: dict[str, Any], **options: Any) -> list[Quad]:
    """The quads of a pack, whether or not it fits the format."""
    pack = view(data)
    effective = subjects(pack)
    offered = targets(pack)
    return list(
        quads(
            pack,
            sha256=SHA256,
            effective=effective,
            resolutions={key: resolve(governance, offered) for key, governance in effective.items()},
            reach=reach(pack),
            terms=uses(pack),
            vocabulary=load(),
            **options,
        )
    )


def parsed(text: str) -> set[ox.Quad]:
    return set(ox.parse(text.encode(), format=ox.RdfFormat.N_QUADS))


def rows(found: list[Quad], query: str) -> list[tuple[str, ...]]:
    """The rows of a SELECT over all graphs, values as text, IRIs with the prefixes above, sorted."""
    store = ox.Store()
    store.extend(parsed(nquads(found)))
    solutions = store.query(query, prefixes=PREFIXES, use_default_graph_as_union=True)
    assert isinstance(solutions, ox.QuerySolutions)
    return sorted(tuple(short(value) for value in solution) for solution in solutions)


def short(node: object) -> str:
    if node is None:
        return ""
    value = str(getattr(node, "value", node))
    if isinstance(node, ox.NamedNode):
        for prefix, namespace in PREFIXES.items():
            if value.startswith(namespace):
                return f"{prefix}:{value.removeprefix(namespace)}"
    return value


def objects(found: list[Quad], subject: str, predicate: str, graph: str = DECLARED) -> list[str]:
    """The object tokens of one subject, below the pack version, and one property of the ontology."""
    return sorted(
        o for s, p, o, g in found if (s, p, g) == (f"<{V}/{subject}>", f"<{PREFIXES['pg']}{predicate}>", graph)
    )
