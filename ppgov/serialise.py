"""Graphs in and out of RDF libraries: the one door to pyoxigraph's parsers and writers, and to rdflib.

rdflib's own writers are no choice: its TriG changes with the hash seed, its Turtle of a dataset leaves out the
named graphs, and its RDF/XML of a control character is a file that nobody can read back.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ppgov.errors import UsageError
from ppgov.findings import quote
from ppgov.graph import Quad, nquads
from ppgov.graph.token import DCT, PG, PROV, RDF, SKOS, TYPE, XSD, pg
from ppgov.terms import WELL_KNOWN

if TYPE_CHECKING:
    import pyoxigraph
    import rdflib

FORMATS = ("nquads", "trig", "turtle", "jsonld")

_PREFIXES = {"pg": PG, "dct": DCT, "prov": PROV, "skos": SKOS, "rdf": RDF, "xsd": XSD}
_A_VERSION = f" {TYPE} {pg('PackVersion')} "


def write(text: str, form: str, *, graph: str | None = None) -> bytes:
    """N-Quads text in another of the FORMATS, byte for byte the same each time.

    `graph`, "declared" or "computed", keeps the quads of those graphs only. Turtle has no graphs: it holds the
    triples of one kind, the declared ones unless told otherwise, and of several packs their union.
    """
    if form not in FORMATS:
        raise UsageError(f"no format {quote(form)}", f"formats: {', '.join(FORMATS)}")
    if form == "nquads" and graph is None:
        return text.encode()
    wanted = (graph or "declared") if form == "turtle" else graph
    quads = [quad for quad in _parse(text) if wanted is None or str(quad.graph_name).endswith(f"/{wanted}>")]
    if form == "nquads":
        return _written(quads, "N_QUADS")
    if form == "turtle":
        triples = {_place(quad)[1:]: quad.triple for quad in quads}
        return _sorted_header(_written([triples[key] for key in sorted(triples)], "TURTLE", _prefixes(text)))
    quads.sort(key=_place)
    if form == "jsonld":
        return _written(quads, "JSON_LD") + b"\n"
    return _sorted_header(_written(quads, "TRIG", _prefixes(text)))


def dataset(quads: Iterable[Quad]) -> rdflib.Dataset:
    """The quads as an rdflib Dataset, every literal as written: rdflib would rewrite those whose type it knows."""
    import rdflib
    from rdflib.plugins import sparql

    sparql.SPARQL_LOAD_GRAPHS = False  # else a FROM in a query of this dataset fetches its address
    result = rdflib.Dataset()
    for quad in _parse(nquads(quads)):
        name = getattr(quad.graph_name, "value", None)  # the default graph has none
        graph = result.default_graph if name is None else result.graph(rdflib.URIRef(name))
        graph.add((rdflib.URIRef(_iri(quad.subject)), rdflib.URIRef(quad.predicate.value), _object(quad.object)))
    return result


def _parse(text: str) -> Iterable[pyoxigraph.Quad]:
    import pyoxigraph as ox

    return ox.parse(text.encode(), format=ox.RdfFormat.N_QUADS)


def _place(quad: pyoxigraph.Quad) -> tuple[str, str, bool, str]:
    """Where a quad stands: by graph, then by subject, with its type first."""
    return str(quad.graph_name), str(quad.subject), str(quad.predicate) != TYPE, str(quad.triple)


def _written(
    statements: Iterable[pyoxigraph.Quad] | Iterable[pyoxigraph.Triple],
    form: str,
    prefixes: dict[str, str] | None = None,
) -> bytes:
    import pyoxigraph as ox

    content = ox.serialize(statements, format=getattr(ox.RdfFormat, form), prefixes=prefixes)
    return content or b""  # None only where it is written to a file


def _iri(node: object) -> str:
    return str(node)[1:-1]


def _object(node: object) -> rdflib.term.Node:
    import pyoxigraph as ox
    import rdflib

    if not isinstance(node, ox.Literal):
        return rdflib.URIRef(_iri(node))
    if node.language:
        return rdflib.Literal(node.value, lang=node.language)
    datatype = None if node.datatype.value == f"{XSD}string" else rdflib.URIRef(node.datatype.value)
    return rdflib.Literal(node.value, datatype=datatype, normalize=False)


def _prefixes(text: str) -> dict[str, str]:
    """Prefixes for what occurs in the text; `v:` is the pack version, where there is one only."""
    versions = {line.partition(_A_VERSION)[0][1:-1] for line in text.split("\n") if _A_VERSION in line}
    own = {"v": f"{versions.pop()}/"} if len(versions) == 1 else {}
    return own | {prefix: space for prefix, space in (_PREFIXES | WELL_KNOWN).items() if f"<{space}" in text}


def _sorted_header(content: bytes) -> bytes:
    """The prefixes in order: pyoxigraph writes them in that of a hash map, which is nobody's promise."""
    lines = content.splitlines(keepends=True)
    header = [line for line in lines if line.startswith(b"@prefix ")]
    return b"".join(sorted(header) + lines[len(header) :])
