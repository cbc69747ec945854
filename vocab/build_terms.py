#!/usr/bin/env python3
"""Rebuild `terms.tsv`, the index of terms, from releases of the Data Privacy Vocabulary.

    python vocab/build_terms.py 2.0=DIR 2.1=DIR 2.2=DIR 2.3=DIR [-o FILE]

Releases come oldest first; the last is the current one. A folder holds one release's modules as Turtle.
`reviewed.json` adds what no file states: the PromptPack terms, successors, hints and mistaken namespaces.
The output depends on the input bytes only. Definitions are read to recognise a renamed term, never written.

The index is tab-separated; the second column says what a row is:

    NAME        vocabulary      title  release  releases compared  prefixes
    IRI         module          title  release  date  sha256 of the file  namespace
    NAMESPACE   alias           prefixes of the vocabularies that are meant
    CURIE       class|property  label  since  parents  types  status  successor  instrument
    CURIE       removed         label  release  successor  how
    CURIE       hint            terms that may be meant

`types` leaves out what the parents imply, `status` what is usual; lists are separated by spaces. `how` says who
knows: `renamed` and `moved` were recognised here, `reviewed` by a person.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import pyoxigraph as ox

HERE = Path(__file__).resolve().parent
FORMAT = "ppgov-terms/1"
VOCABULARY = "DPV"

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
OWL = "http://www.w3.org/2002/07/owl#"
DCT = "http://purl.org/dc/terms/"
STATUS = "http://www.w3.org/2003/06/sw-vocab-status/ns#term_status"
NAMESPACE = "http://purl.org/vocab/vann/preferredNamespaceUri"
PARENT = (SKOS + "broader", RDFS + "subClassOf", RDFS + "subPropertyOf")
USUAL_STATUS = ("accepted", "modified")

# What two spellings of one name may differ in: small words, American endings, a verb for its noun.
SMALL_WORDS = frozenset(("of", "to", "and", "the", "for", "on", "in", "at"))
SAME_NAME, SAME_MEANING, NEARLY_EQUAL = 0.85, 0.75, 0.95
SHORTEST_DEFINITION = 16


@dataclass(frozen=True, slots=True)
class Described:
    """A term of one release; parents and types are CURIEs."""

    label: str
    kind: str
    parents: tuple[str, ...]
    types: tuple[str, ...]
    status: str
    definition: str


@dataclass(frozen=True, slots=True)
class Module:
    ontology: str
    title: str
    release: str
    date: str
    sha256: str
    namespace: str


@dataclass(frozen=True, slots=True)
class Release:
    name: str
    terms: Mapping[str, Described]
    modules: tuple[Module, ...]


@dataclass(frozen=True, slots=True)
class Successor:
    term: str
    how: str


@dataclass(frozen=True, slots=True)
class Departure:
    """A term that left: the first release without it and the label that it last had."""

    release: str
    label: str
    successor: Successor | None


class Graph:
    """The statements of some Turtle files, asked for by subject and predicate."""

    def __init__(self) -> None:
        self._store = ox.Store()

    def add(self, data: bytes) -> None:
        # Lenient: release 2.1 has a module with a line break inside an IRI.
        self._store.load(input=data, format=ox.RdfFormat.TURTLE, lenient=True)

    def subjects(self, predicate: str) -> Iterator[str]:
        for quad in self._store.quads_for_pattern(None, ox.NamedNode(predicate), None, None):
            if isinstance(quad.subject, ox.NamedNode):
                yield quad.subject.value

    def values(self, subject: str, predicate: str) -> list[str]:
        quads = self._store.quads_for_pattern(ox.NamedNode(subject), ox.NamedNode(predicate), None, None)
        return sorted(q.object.value for q in quads if isinstance(q.object, (ox.NamedNode, ox.Literal)))

    def value(self, subject: str, predicate: str) -> str:
        return next(iter(self.values(subject, predicate)), "")


class Names:
    """CURIEs of the well-known prefixes."""

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        self._prefixes = {namespace: prefix for prefix, namespace in prefixes.items()}

    def curie(self, iri: str) -> str | None:
        namespace, hash_, local = iri.partition("#")
        prefix = self._prefixes.get(namespace + hash_)
        return f"{prefix}:{local}" if prefix and local else None

    def curies(self, iris: Iterable[str], but: str) -> tuple[str, ...]:
        return tuple(sorted({c for iri in iris if (c := self.curie(iri)) is not None and c != but}))

    def holds(self, namespace: str) -> bool:
        return namespace in self._prefixes


def read_release(name: str, folder: Path, names: Names) -> Release:
    graph, modules = Graph(), []
    for file in sorted(folder.glob("*.ttl")):
        data = file.read_bytes()
        declared = re.search(rb'vann:preferredNamespaceUri "([^"]+)"', data)
        namespace = declared.group(1).decode() if declared else ""
        if names.holds(namespace):
            graph.add(data)
            modules.append((namespace, hashlib.sha256(data).hexdigest()))
    terms = {}
    for iri in graph.subjects(SKOS + "prefLabel"):
        curie = names.curie(iri)
        types = graph.values(iri, RDF + "type")
        if curie is not None and SKOS + "ConceptScheme" not in types:
            terms[curie] = _described(graph, iri, curie, types, names)
    read = tuple(sorted((_module(graph, namespace, digest) for namespace, digest in modules), key=lambda m: m.ontology))
    wrong = [m.ontology for m in read if m.release != name]
    if wrong:
        sys.exit(f"{folder}: {', '.join(wrong)} is not of release {name}")
    return Release(name, dict(sorted(terms.items(), key=_order)), read)


def _described(graph: Graph, iri: str, curie: str, types: list[str], names: Names) -> Described:
    return Described(
        label=graph.value(iri, SKOS + "prefLabel"),
        kind="property" if RDF + "Property" in types else "class",
        parents=names.curies((p for predicate in PARENT for p in graph.values(iri, predicate)), curie),
        types=names.curies(types, curie),
        status=graph.value(iri, STATUS),
        definition=" ".join(graph.values(iri, SKOS + "definition")),
    )


def _module(graph: Graph, namespace: str, digest: str) -> Module:
    iri = namespace.rstrip("#")
    dates = (graph.value(iri, DCT + name) for name in ("modified", "issued", "created"))
    date = next((d for d in dates if d), "")
    return Module(iri, graph.value(iri, DCT + "title"), graph.value(iri, OWL + "versionInfo"), date, digest, namespace)


def _order(item: tuple[str, object]) -> tuple[str, ...]:
    return tuple(item[0].split(":", 1))


def words(name: str) -> tuple[str, ...]:
    """The words of a name without order, small words and spelling variants."""
    found = []
    for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name):
        lower = word.lower()
        if lower not in SMALL_WORDS:
            found.append("loss" if lower == "lose" else re.sub(r"our$", "or", lower))
    return tuple(sorted(found))


def likeness(a: str, b: str) -> float:
    return SequenceMatcher(None, a, b, autojunk=False).ratio()


def find_successor(curie: str, old: Described, before: Release, after: Release) -> Successor | None:
    """What a term that `after` lacks has become: moved to another prefix, respelt, or defined word for word alike."""
    prefix, local = curie.split(":", 1)
    fresh = [c for c in after.terms if c not in before.terms]
    moved = [c for c in fresh if c.split(":", 1)[1] == local]
    if moved:
        return Successor(min(moved, key=lambda c: (after.terms[c].definition != old.definition, c)), "moved")
    if len(old.definition) >= SHORTEST_DEFINITION:
        alike = [c for c in fresh if after.terms[c].definition == old.definition]
        if alike:
            best = min(alike, key=lambda c: (not c.startswith(prefix + ":"), -likeness(c, curie), c))
            return Successor(best, "renamed")
    same = [c for c in after.terms if c.startswith(prefix + ":") and words(c.split(":", 1)[1]) == words(local)]
    if same:
        return Successor(min(same, key=lambda c: (c in before.terms, c)), "renamed")
    near = max((_nearness(c, local, old, after) for c in fresh if c.startswith(prefix + ":")), default=(0.0, ""))
    return Successor(near[1], "renamed") if near[0] else None


def _nearness(curie: str, local: str, old: Described, after: Release) -> tuple[float, str]:
    name = likeness(local, curie.split(":", 1)[1])
    if name < SAME_NAME:
        return 0.0, curie
    meaning = likeness(old.definition, after.terms[curie].definition)
    return (name + meaning if meaning >= SAME_MEANING or name >= NEARLY_EQUAL else 0.0), curie


def find_removed(releases: list[Release], reviewed: Mapping[str, str]) -> dict[str, Departure]:
    """Every term that the current release lacks; successors that were themselves removed are followed to the end."""
    steps: dict[str, Departure] = {}
    for before, after in pairwise(releases):
        for curie, old in before.terms.items():
            if curie not in after.terms:
                known = Successor(reviewed[curie], "reviewed") if curie in reviewed else None
                steps[curie] = Departure(after.name, old.label, known or find_successor(curie, old, before, after))
    current = releases[-1].terms
    return {
        curie: Departure(step.release, step.label, _follow(curie, steps, current))
        for curie, step in sorted(steps.items(), key=_order)
        if curie not in current
    }


def _follow(curie: str, steps: Mapping[str, Departure], current: Mapping[str, Described]) -> Successor | None:
    seen = {curie}
    step = steps[curie].successor
    while step is not None and step.term not in current:
        if step.term in seen or step.term not in steps:
            return None
        seen.add(step.term)
        step = steps[step.term].successor
    return step


def ancestors(curie: str, terms: Mapping[str, Described]) -> set[str]:
    found: set[str] = set()
    pending = [curie]
    while pending:
        term = terms.get(pending.pop())
        fresh = [p for p in term.parents if p not in found] if term else []
        found.update(fresh)
        pending.extend(fresh)
    return found


def rows(releases: list[Release], reviewed: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    current = releases[-1]
    since: dict[str, str] = {}
    for release in releases:
        for curie in release.terms:
            since.setdefault(curie, release.name)
    used = {curie.split(":")[0] for curie in current.terms}
    for name, vocabulary in reviewed["vocabularies"].items():
        held = used if name == VOCABULARY else {c.split(":")[0] for c in vocabulary["terms"]}
        compared = (current.name, " ".join(r.name for r in releases)) if name == VOCABULARY else ("", "")
        yield (name, "vocabulary", vocabulary["title"], *compared, " ".join(sorted(held)))
    for module in current.modules:
        yield (module.ontology, "module", module.title, module.release, module.date, module.sha256, module.namespace)
    for namespace, meant in sorted(reviewed["aliases"].items()):
        yield (namespace, "alias", " ".join(meant))
    yield from sorted([*_terms(current, since, reviewed["sunset"]), *_added(reviewed)], key=_order_row)
    for curie, departure in find_removed(releases, reviewed["successors"]).items():
        successor = departure.successor
        known = (successor.term, successor.how) if successor else ()
        yield (curie, "removed", departure.label, departure.release, *known)
    for curie, terms in sorted(reviewed["hints"].items(), key=_order):
        yield (curie, "hint", " ".join(terms))


def _order_row(row: tuple[str, ...]) -> tuple[str, ...]:
    return _order((row[0], None))


def _terms(current: Release, since: Mapping[str, str], sunset: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    for curie, term in current.terms.items():
        above = ancestors(curie, current.terms)
        types = " ".join(t for t in term.types if t not in above)
        status = "" if term.status in USUAL_STATUS else term.status
        parents = " ".join(term.parents)
        yield (curie, term.kind, term.label, since[curie], parents, types, status, sunset.get(curie, ""))


def _added(reviewed: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for vocabulary in reviewed["vocabularies"].values():
        for curie, (label, *instrument) in vocabulary.get("terms", {}).items():
            yield (curie, "class", label, "", "", "", "", "", *instrument)


def build(releases: Iterable[tuple[str, Path]]) -> str:
    """The text of the index. Exits when a reviewed entry names a term that the current release lacks."""
    prefixes = json.loads((HERE / "prefixes.json").read_text(encoding="utf-8"))["well_known"]
    reviewed = json.loads((HERE / "reviewed.json").read_text(encoding="utf-8"))
    names = Names(prefixes)
    read = [read_release(name, folder, names) for name, folder in releases]
    lines = list(rows(read, reviewed))
    held = {line[0] for line in lines if line[1] in ("class", "property")}
    offered = chain(reviewed["successors"].values(), reviewed["sunset"].values(), *reviewed["hints"].values())
    dangling = sorted(set(offered) - held)
    if dangling:
        sys.exit(f"reviewed.json names terms that do not exist: {', '.join(dangling)}")
    text = "".join("\t".join(line).rstrip("\t") + "\n" for line in [(FORMAT, "format"), *lines])
    if any(len(cell.splitlines()) > 1 or "\t" in cell for line in lines for cell in line):
        sys.exit("a label holds a tab or a line break")
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description="Rebuild the term index from DPV releases, oldest first.")
    parser.add_argument("releases", nargs="+", metavar="RELEASE=DIR")
    parser.add_argument("-o", dest="output", type=Path, default=HERE / "terms.tsv", metavar="FILE")
    options = parser.parse_args()
    pairs = [release.partition("=") for release in options.releases]
    options.output.write_text(build((name, Path(folder)) for name, _, folder in pairs), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
