"""One task of the benchmark in a process of its own.

Each line on standard input is a number: run the task so often, answer with the median of the seconds it took.
Runs under the Python of any environment, so what a task needs is imported inside it: `python work.py TASK PACK FILE`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

Task = Callable[[], object]
DEFAULT_GRAPH = "urn:x-rdflib:default"  # what rdflib calls the graph without a name


def loaded(pack: Path, _: Path) -> Task:
    """PyYAML's C loader alone: data without a place."""
    import yaml

    raw = pack.read_bytes()
    return lambda: yaml.load(raw, yaml.CSafeLoader)


def read(pack: Path, _: Path) -> Task:
    """ppgov's reader: data, and the place of every key and value."""
    from ppgov.source import parse

    raw = pack.read_bytes()
    return lambda: parse(raw, str(pack))


def audited(pack: Path, _: Path) -> Task:
    """Read, structure, every rule, and the quads as N-Quads text."""
    from ppgov import graph
    from ppgov.audit import audit
    from ppgov.source import parse

    raw = pack.read_bytes()

    def run() -> str:
        return graph.nquads(graph.of(audit(parse(raw, str(pack)))))

    return run


def plain(pack: Path, given: Path) -> Task:
    """The usual libraries in the usual way: CSafeLoader, jsonschema, and rdflib for the quads that ppgov writes.

    Which quads those are is given, so the walk that makes them is not counted, nor is any rule, nor any place.
    The validator is built once: per pack it would take fifty times as long.
    """
    import jsonschema
    import rdflib
    import yaml

    facts = json.loads(given.read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(facts["schema"])
    raw = pack.read_bytes()

    def term(text: list[str]) -> rdflib.URIRef | rdflib.Literal:
        kind, value, *rest = text
        return (
            rdflib.URIRef(value)
            if kind == "iri"
            else rdflib.Literal(value, datatype=rdflib.URIRef(rest[0]), normalize=False)
        )

    def run() -> object:
        errors = list(validator.iter_errors(yaml.load(raw, yaml.CSafeLoader)))
        dataset = rdflib.Dataset()
        graphs = {name: dataset.graph(rdflib.URIRef(name)) for name in facts["graphs"]}
        for subject, predicate, value, name in facts["quads"]:
            graphs[name].add((rdflib.URIRef(subject), rdflib.URIRef(predicate), term(value)))
        return errors, dataset.serialize(format="nquads")

    return run


def facts(pack: Path, target: Path) -> Task:
    """Writes what `plain` is given: the schema, and quads as [subject, predicate, [kind, value, datatype], graph]."""
    import pyoxigraph

    from ppgov import graph, resources
    from ppgov.audit import audit
    from ppgov.source import read

    text = graph.nquads(graph.of(audit(read(str(pack)))))

    def shape(value: Any) -> list[str]:
        named = isinstance(value, pyoxigraph.NamedNode)
        return ["iri", value.value] if named else ["literal", value.value, value.datatype.value]

    quads = [
        [quad.subject.value, quad.predicate.value, shape(quad.object), getattr(quad.graph_name, "value", DEFAULT_GRAPH)]
        for quad in pyoxigraph.parse(text, pyoxigraph.RdfFormat.N_QUADS)
    ]
    schema = json.loads(resources.text("vocab", "promptpack-1.9.0.schema.json"))
    given = {"schema": schema, "graphs": sorted({quad[3] for quad in quads}), "quads": quads}
    return lambda: target.write_text(json.dumps(given), encoding="utf-8")


def pdf(pack: Path, target: Path) -> Task:
    """The PDF report, everything imported before."""
    from datetime import UTC, datetime
    from importlib import import_module

    from ppgov.audit import audit
    from ppgov.publish import Wanted, publish
    from ppgov.source import read

    import_module("weasyprint")
    result = audit(read(str(pack)))
    wanted = Wanted(("pdf",), datetime(2026, 12, 1, tzinfo=UTC))

    def run() -> object:
        return [target.write_bytes(content) for _, content in publish(result, wanted)]

    return run


TASKS = {task.__name__: task for task in (loaded, read, audited, plain, facts, pdf)}


def main() -> None:
    name, pack, given = sys.argv[1:]
    task = TASKS[name](Path(pack), Path(given))
    for line in sys.stdin:
        took = []
        for _ in range(int(line)):
            start = perf_counter()
            task()
            took.append(perf_counter() - start)
        print(median(took), flush=True)


if __name__ == "__main__":
    main()
