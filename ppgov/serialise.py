"""Graphs in and out of RDF libraries: the one door to pyoxigraph's parsers and writers, and to rdflib.

rdflib's own writers are no choice: its TriG changes with the hash seed, its Turtle of a dataset leaves out the
named graphs, and its RDF/XML of a control character is a file that nobody can read back.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from ppgov.graph import nquads
from ppgov.graph.token import DCT, PG, PROV, RDF, SKOS, XSD, Quad
from ppgov.terms import WELL_KNOWN

if TYPE_CHECKING:
    import pyoxigraph
    import rdflib

Format = Literal["nquads", "trig", "turtle", "jsonld"]
Which = Literal["declared", "computed"]

_PREFIXES = {"pg": PG, "dct": DCT, "prov": PROV, "skos": SKOS, "rdf": RDF, "xsd": XSD}


def write(text: str, form: Format, *, graph: Which | None = None) -> bytes:
    """N-Quads text in another format, byte for byte the same each time.

    `graph` keeps the quads of the declared or of the computed graphs only. Turtle has no graphs: it holds the
    triples of one kind, the declared ones unless told otherwise, and of several packs their union.
    """
    import pyoxigraph as ox

    if form == "nquads" and graph is None:
        return text.encode()
    quads = [quad for quad in _parse(text) if graph is None or _kind(quad) == graph]
    if form == "turtle":
        triples = {str(q.triple): q.triple for q in quads if _kind(q) == (graph or "declared")}
        return ox.serialize(
            [triples[key] for key in sorted(triples)], format=ox.RdfFormat.TURTLE, prefixes=_prefixes(text)
        )
    if form == "nquads":
        return ox.serialize(quads, format=ox.RdfFormat.N_QUADS)
    quads.sort(key=lambda quad: (str(quad.graph_name), str(quad.triple)))
    if form == "jsonld":
        return ox.serialize(quads, format=ox.RdfFormat.JSON_LD) + b"\n"
    return ox.serialize(quads, format=ox.RdfFormat.TRIG, prefixes=_prefixes(text))


def dataset(quads: Iterable[Quad]) -> rdflib.Dataset:
    """The quads as an rdflib Dataset, every literal as written: rdflib would rewrite those that it takes for others."""
    import rdflib

    result = rdflib.Dataset()
    for quad in _parse(nquads(quads)):
        name = quad.graph_name
        context = result.default_graph if str(name) == "DEFAULT" else result.graph(rdflib.URIRef(name.value))
        context.add((_node(quad.subject), _node(quad.predicate), _node(quad.object)))
    return result
