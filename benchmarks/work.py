"""One task of the benchmark in a process of its own: each line on standard input runs it, the answer is its seconds.

Runs under the Python of any environment, so what a task needs is imported inside it.
`python work.py TASK PACK [FILE]`; before the first answer the task has run a few times.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

Task = Callable[[], object]
WARM_UP = 5


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
        return rdflib.URIRef(value) if kind == "iri" else rdflib.Literal(value, datatype=rdflib.URIRef(rest[0]), normalize=False)

    def run() -> object:
        errors = list(validator.iter_errors(yaml.load(raw, yaml.CSafeLoader)))
        dataset = rdflib.Dataset()
        for subject, predicate, value, graph in facts["quads"]:
            dataset.graph(rdflib.URIRef(graph)).add((rdflib.URIRef(subject), rdflib.URIRef(predicate), term(value)))
        return errors, dataset.serialize(format="nquads")

    return run


def facts(pack: Path, target: Path) -> Task:
    """Writes what `plain` is given: the schema, and the quads as [subject, predicate, [kind, value, datatype], graph]."""
    import pyoxigraph

    from ppgov import graph, resources
    from ppgov.audit import audit
    from ppgov.source import read

    text = graph.nquads(graph.of(audit(read(str(pack)))))

    def shape(value: Any) -> list[str]:
        return ["iri", value.value] if isinstance(value, pyoxigraph.NamedNode) else ["literal", value.value, value.datatype.value]

    quads = [
        [quad.subject.value, quad.predicate.value, shape(quad.object), quad.graph_name.value]
        for quad in pyoxigraph.parse(text, pyoxigraph.RdfFormat.N_QUADS)
    ]
    schema = json.loads(resources.text("vocab", "promptpack-1.9.0.schema.json"))
    return lambda: target.write_text(json.dumps({"schema": schema, "quads": quads}), encoding="utf-8")


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
    name, pack, *rest = sys.argv[1:]
    task = TASKS[name](Path(pack), Path(*rest))
    if name not in {"facts", "pdf"}:
        for _ in range(WARM_UP):
            task()
    gc.collect()
    for _ in sys.stdin:
        start = perf_counter()
        task()
        print(perf_counter() - start, flush=True)


main()
