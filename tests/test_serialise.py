"""Graphs in other formats: the same quads in both libraries, the same bytes each time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest
import rdflib

from ppgov.audit import Audit, audit_path
from ppgov.errors import UsageError
from ppgov.graph import Quad, nquads, of
from ppgov.number import Number
from ppgov.serialise import FORMATS, dataset, write
from tests.graphs import COMPUTED, DECLARED, SHA256, V, graph_of, parsed
from tests.packs import governed, pack, prompt

# rdflib 7.6 warns about what its own parsers do.
pytestmark = pytest.mark.filterwarnings("ignore:(Dataset|ConjunctiveGraph):DeprecationWarning")

ROOT = Path(__file__).resolve().parent.parent
OX = {
    "nquads": ox.RdfFormat.N_QUADS,
    "trig": ox.RdfFormat.TRIG,
    "turtle": ox.RdfFormat.TURTLE,
    "jsonld": ox.RdfFormat.JSON_LD,
}
RDFLIB = {"nquads": "nquads", "trig": "trig", "turtle": "turtle", "jsonld": "json-ld"}

# Whatever a literal can hold that some writer or reader has been seen to change.
HARD = pack(
    description='tab\t, quote ", backslash \\, newline\n, return\r, nul \x00, bell \x07, escape \x1b, delete \x7f'
    " \x85 \u2028 \ufffe \ufeff",
    name='\'"""\'\U0001f600 e\u0301 \u202ertl',
    prompts={
        "a/b#c?d %": prompt(
            "chat",
            parameters={
                "temperature": 1e-07,
                "max_tokens": 10**30,
                "top_p": 1.0,
                "top_k": None,
                "presence_penalty": -0.0,
            },
            variables=[
                {"name": "x", "default": {"z": 1.0, "a": [1e22, 1e16, 5e-324, True, None, "\x00\n"]}, "required": False}
            ],
            validators=[{"type": "t", "params": {}}, {"type": "", "params": {"a": {"b": "</script>"}}}],
            tested_models=[{"provider": "p", "model": "m", "date": "2026-01-01", "success_rate": 1, "avg_cost": 1e21}],
        )
    },
    metadata={
        "language": "en",
        "tags": ["true", "1", "1.0", "P2W", "", " ", "_:b", "https://x.example/"],
        **governed(
            capabilities=["ai:Profiling", "_:x", "https://x.example/\u00e9", "free text", "\u200b"],
            reviews=[{"id": "r", "type": "x", "cadence": "P2W", "owner": "o"}, {"id": "r", "cadence": "PT36H"}],
        ),
    },
)


def of_sample(name: str) -> list[Quad]:
    audited = audit_path(str(ROOT / "samples" / name))
    assert isinstance(audited, Audit)
    return list(of(audited, extensions=True))


GRAPHS = {
    "hard": graph_of(HARD),
    "minimal": graph_of(pack()),
    "claims": of_sample("claims-team.yaml"),
    "german": of_sample("buergerdienst.yaml"),
}


def from_rdflib(content: bytes, form: str) -> set[str]:
    """The quads that rdflib reads, with its own settings, as canonical lines."""
    read = rdflib.Dataset()
    if form == "turtle":
        read.default_graph.parse(data=content, format="turtle")
    else:
        read.parse(data=content, format=RDFLIB[form])
    return as_lines(read)


def as_lines(read: rdflib.Dataset) -> set[str]:
    quads: list[ox.Quad] = []
    for subject, predicate, value, graph in read.quads((None, None, None, None)):
        assert isinstance(subject, rdflib.URIRef) and isinstance(predicate, rdflib.URIRef)
        name = ox.DefaultGraph() if graph in (None, rdflib.graph.DATASET_DEFAULT_GRAPH_ID) else ox.NamedNode(str(graph))
        quads.append(ox.Quad(ox.NamedNode(subject), ox.NamedNode(predicate), from_node(value), name))
    return {str(quad) for quad in quads}


def from_node(value: Any) -> ox.NamedNode | ox.Literal:
    if isinstance(value, rdflib.URIRef):
        return ox.NamedNode(value)
    assert isinstance(value, rdflib.Literal)
    if value.language:
        return ox.Literal(str(value), language=value.language)
    return ox.Literal(str(value), datatype=ox.NamedNode(value.datatype) if value.datatype else None)


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("form", ["nquads", "trig", "jsonld"])
def test_both_libraries_read_the_same_quads_back(name: str, form: str) -> None:
    text = nquads(GRAPHS[name])
    expected = parsed(text)
    content = write(text, form)
    assert set(ox.parse(content, format=OX[form])) == expected
    assert from_rdflib(content, form) == {str(quad) for quad in expected}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("which", [None, "declared", "computed"])
def test_turtle_holds_the_triples_of_one_graph(name: str, which: str | None) -> None:
    text = nquads(GRAPHS[name])
    expected = {str(q.triple) for q in parsed(text) if str(q.graph_name).endswith(f"/{which or 'declared'}>")}
    content = write(text, "turtle", graph=which)
    assert {str(quad.triple) for quad in ox.parse(content, format=ox.RdfFormat.TURTLE)} == expected
    assert from_rdflib(content, "turtle") == expected
    assert len(expected) > 15


def test_turtle_of_several_packs_is_the_union_of_what_they_declare() -> None:
    both = GRAPHS["claims"] + GRAPHS["german"]
    triples = {quad.triple for quad in ox.parse(write(nquads(both), "turtle"), format=ox.RdfFormat.TURTLE)}
    single = [
        set(ox.parse(write(nquads(GRAPHS[name]), "turtle"), format=ox.RdfFormat.TURTLE))
        for name in ("claims", "german")
    ]
    assert triples == {quad.triple for part in single for quad in part}
    assert b"@prefix v:" not in write(nquads(both), "turtle")


@pytest.mark.parametrize("form", ["nquads", "trig", "jsonld"])
@pytest.mark.parametrize("which", ["declared", "computed"])
def test_one_graph_only(form: str, which: str) -> None:
    content = write(nquads(GRAPHS["claims"]), form, graph=which)
    names = {str(quad.graph_name) for quad in ox.parse(content, format=OX[form])}
    assert len(names) == 1 and names.pop().endswith(f"/{which}>")


@pytest.mark.parametrize("form", FORMATS)
def test_the_bytes_do_not_depend_on_the_order_of_the_quads(form: str) -> None:
    found = GRAPHS["claims"]
    content = write(nquads(found), form)
    assert content == write(nquads(reversed(found)), form)
    assert content.endswith(b"\n")


def test_nquads_are_the_text_itself_and_sorted() -> None:
    text = nquads(GRAPHS["hard"])
    assert write(text, "nquads") == text.encode()
    lines = text.removesuffix("\n").split("\n")  # not splitlines(), for which U+0085 in a literal ends a line
    assert lines == sorted(set(lines))
    assert nquads([]) == "" and write("", "nquads") == b""


def test_trig_reads_well() -> None:
    trig = write(nquads(GRAPHS["claims"]), "trig").decode()
    assert "@prefix v: <https://packs.invalid/claims-team/5.2.0/> ." in trig
    assert "@prefix pg: <https://w3id.org/ppgov/ns#> ." in trig and "\tv:agents\\/assessor a pg:Agent ;" in trig
    header = [line for line in trig.splitlines() if line.startswith("@prefix")]
    assert header == sorted(header) == trig.splitlines()[: len(header)]
    assert "sector-law" not in trig


def test_jsonld_is_json_without_a_context_to_fetch() -> None:
    read = json.loads(write(nquads(GRAPHS["claims"]), "jsonld"))
    assert all("@context" not in item for item in read)
    assert sum("@graph" in item for item in read) == 3


def test_the_dataset_is_the_same_quads() -> None:
    for found in GRAPHS.values():
        made = dataset(found)
        assert as_lines(made) == {str(quad) for quad in parsed(nquads(found))}
        assert not any(isinstance(node, rdflib.BNode) for quad in made.quads((None, None, None, None)) for node in quad)


def test_the_dataset_keeps_every_literal_as_written() -> None:
    duration = '"P2W"^^<http://www.w3.org/2001/XMLSchema#duration>'
    quads: list[Quad] = [("<a:s>", "<a:p>", duration, ""), ("<a:s>", "<a:p>", '"x"@EN', "<a:g>")]
    lines = {value.n3() for _, _, value, _ in dataset(quads).quads((None, None, None, None))}
    assert lines == {duration, '"x"@en'}


def test_the_named_graphs_of_a_dataset() -> None:
    made = dataset(GRAPHS["minimal"])
    assert {str(graph.identifier) for graph in made.graphs() if len(graph)} == {
        DECLARED[1:-1],
        COMPUTED[1:-1],
        str(rdflib.graph.DATASET_DEFAULT_GRAPH_ID),
    }
    digest = made.default_graph.value(rdflib.URIRef(DECLARED[1:-1]), rdflib.URIRef("https://w3id.org/ppgov/ns#sha256"))
    assert str(digest) == SHA256
    assert (rdflib.URIRef(V), None, None) in made.graph(rdflib.URIRef(DECLARED[1:-1]))


def test_an_unknown_format_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="rdfxml") as caught:
        write("", "rdfxml")
    assert "nquads, trig, turtle, jsonld" in caught.value.advice


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "turtle"])
def test_numbers_keep_their_spelling_in_every_format(form: str) -> None:
    parameters = {
        name: Number(text) for name, text in (("temperature", "0.90"), ("max_tokens", "1e3"), ("top_k", "-0"))
    }
    found = nquads(graph_of(pack(prompts={"chat": prompt("chat", parameters=parameters)})))
    read = set(ox.parse(write(found, form), format=OX[form]))
    assert read == parsed(found)
    literals = {quad.object.value for quad in read if isinstance(quad.object, ox.Literal)}
    assert literals >= {"0.90", "1e3", "-0"}
