"""The ontology names, labels and describes what graphs use, and nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyoxigraph as ox
import pytest

from ppgov import resources
from ppgov.audit import Audit, audit_path
from ppgov.graph import Quad, of
from ppgov.graph import governance as governance_slots
from ppgov.graph import shape as shapes
from ppgov.graph.slot import Shape, Slot
from ppgov.structure import all_properties
from tests.graphs import graph_of
from tests.test_graph import OVERRIDDEN, full

ROOT = Path(__file__).resolve().parent.parent
PG = "https://w3id.org/ppgov/ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWN = (PG, "http://purl.org/dc/terms/", "http://www.w3.org/ns/prov#", "http://www.w3.org/2004/02/skos/core#")
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
TEXT = resources.text("vocab", "ppgov.ttl")


def triples() -> list[ox.Triple]:
    return [quad.triple for quad in ox.parse(TEXT.encode(), format=ox.RdfFormat.TURTLE)]


def said(predicate: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for triple in triples():
        if triple.predicate.value == predicate:
            found.setdefault(str(triple.subject)[1:-1], []).append(getattr(triple.object, "value", ""))
    return found


LABELS, COMMENTS, TYPES = said(f"{RDFS}label"), said(f"{RDFS}comment"), said(TYPE)


def used(quads: list[Quad]) -> set[str]:
    """Every property, every class, and every value out of the ontology."""
    names = {p[1:-1] for _, p, _, _ in quads}
    return names | {o[1:-1] for _, p, o, _ in quads if o.startswith(f"<{PG}") or (p == f"<{TYPE}>" and o[0] == "<")}


def graphs() -> dict[str, list[Quad]]:
    found = {"overridden": graph_of(OVERRIDDEN, extensions=True)}
    schema = json.loads(resources.text("vocab", "promptpack-1.9.0.schema.json"))
    found["everything"] = graph_of(full(schema, schema, "pack"), extensions=True)
    packs = [path for path in (ROOT / "samples").rglob("*") if path.suffix in (".yaml", ".json")]
    for path in packs:
        audited = audit_path(str(path))
        if isinstance(audited, Audit):
            found[str(path)] = list(of(audited, extensions=True))
    return found


def test_every_term_has_one_label_and_one_comment() -> None:
    assert len(LABELS) > 300
    assert set(LABELS) == set(COMMENTS) == set(TYPES)
    assert [iri for iri, labels in LABELS.items() if len(labels) != 1 or not labels[0].strip()] == []
    assert [iri for iri, comments in COMMENTS.items() if len(comments) != 1 or not comments[0].endswith(".")] == []


def test_every_label_is_english() -> None:
    tags = {
        t.object.language for t in triples() if isinstance(t.object, ox.Literal) and "owl#" not in t.predicate.value
    }
    assert tags == {"en"}


def test_graphs_use_nothing_that_the_ontology_lacks() -> None:
    found = set().union(*(used(quads) for quads in graphs().values()))
    assert {iri for iri in found if iri not in LABELS} == set()
    assert len(found) > 280


def test_the_ontology_holds_nothing_that_the_code_does_not_mention() -> None:
    writers = (*(ROOT / "ppgov" / "graph").glob("*.py"), ROOT / "ppgov" / "store" / "push.py")
    code = "".join(path.read_text() for path in writers)
    mentioned = set(re.findall(r"['\"]([A-Za-z][A-Za-z0-9_]*)['\"]", code))
    classes_of_values = {
        kind for iri, kinds in TYPES.items() for kind in kinds if iri.startswith(PG) and kind.startswith(PG)
    }
    names = [iri for iri in LABELS if iri.startswith(PG) and iri not in classes_of_values]
    assert [iri for iri in names if iri.removeprefix(PG) not in mentioned] == []
    assert {iri for iri in LABELS if not iri.startswith(PG)} <= {
        "https://w3id.org/ppgov/ns",
        TYPE,
        *(iri for iri in set().union(*(used(quads) for quads in graphs().values())) if iri.startswith(OWN)),
    }


def test_no_term_is_a_kind_of_one_that_asserts_something() -> None:
    above = said(f"{RDFS}subClassOf") | said(f"{RDFS}subPropertyOf")
    assert {parent for parents in above.values() for parent in parents if not parent.startswith(PG)} == {
        "http://www.w3.org/ns/prov#Entity"
    }


@pytest.mark.parametrize(
    ("owner", "shape"),
    [
        ("", shapes.PACK),
        ("Prompt", shapes.PROMPT),
        ("Variable", shapes.VARIABLE),
        ("Tool", shapes.TOOL),
        ("ToolPolicy", shapes.TOOL_POLICY),
        ("Parameters", shapes.PARAMETERS),
        ("Validator", shapes.VALIDATOR),
        ("Eval", shapes.EVAL),
        ("TestedModel", shapes.TESTED_MODEL),
        ("ModelOverride", shapes.MODEL_OVERRIDE),
        ("WorkflowState", shapes.STATE),
        ("AgentDef", shapes.AGENT),
        ("Composition", shapes.COMPOSITION),
        ("ActionScope", governance_slots.ACTION_SCOPE),
        ("Obligation", governance_slots.OBLIGATION),
        ("Review", governance_slots.REVIEW),
    ],
)
def test_an_object_has_a_slot_for_each_of_its_properties(owner: str, shape: Shape) -> None:
    names = {row.name for row in all_properties() if row.owner == owner}
    assert names - {"id"} == set(shape.slots) - {"id"} and names


def test_every_governance_field_has_a_property_of_its_own() -> None:
    names = {row.name for row in all_properties() if row.owner == "Governance"}
    slots: dict[str, Slot] = governance_slots.FIELDS
    assert names == set(slots)
    assert len({slot.predicate for slot in slots.values()}) == len(names)
