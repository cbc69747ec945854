"""The computed graph: what follows from the declarations by the specification's own rules.

Governance in force with its origins, expansions, resolutions, reach, and the longest span of a cadence. It
copies links to what was declared, never a value that nobody wrote.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

from ppgov.duration import max_days
from ppgov.duration import parse as duration_of
from ppgov.effective import Effective
from ppgov.graph.governance import FIELDS
from ppgov.graph.slot import Walk
from ppgov.graph.token import FALSE, TRUE, TYPE, Quad, integer, pg, segment, text
from ppgov.pack import escape
from ppgov.reach import Reach
from ppgov.resolution import Reference, Resolutions
from ppgov.terms import TermUse

_FORM = {
    "curie": pg("Curie"),
    "iri": pg("AbsoluteIri"),
    "free": pg("FreeString"),
    "unresolved": pg("UnresolvedCurie"),
}
_SOURCE = {"well-known": pg("WellKnown"), "vocabularies": pg("Vocabularies")}
_OUTCOME = {
    "resolved": pg("Resolved"),
    "unresolved": pg("Unresolved"),
    "field-undeclared": pg("FieldUndeclared"),
    "unknown-field": pg("UnknownField"),
    "not-resolvable": pg("NotResolvable"),
}
_EFFECTIVE_GOVERNANCE, _EFFECTIVE = pg("EffectiveGovernance"), pg("effectiveGovernance")
_FIELD_ORIGIN, _ORIGIN, _FIELD = pg("FieldOrigin"), pg("origin"), pg("field")
_DECLARED_IN, _INHERITED, _UNDECLARED = pg("declaredIn"), pg("inherited"), pg("undeclared")
_RESOLUTION_TYPE, _RESOLUTION, _OF = pg("Resolution"), pg("resolution"), pg("of")
_REFERENCE, _OUTCOME_OF = pg("reference"), pg("outcome")
_TARGET, _DISABLED_TARGET = pg("target"), pg("disabledTarget")
_FORM_OF, _IRI, _PREFIX_SOURCE = pg("form"), pg("iri"), pg("prefixSource")
_REACHES_PROMPT, _REACHES_TOOL, _MAX_DAYS = pg("reachesPrompt"), pg("reachesTool"), pg("cadenceMaxDays")

# By who refers, the kind and the name: the last segment of a resolution and the literal. Subjects share them.
_Names = dict[tuple[str, str, str], tuple[str, str]]


def computed(
    walk: Walk,
    graph: str,
    effective: Mapping[str | None, Effective],
    resolutions: Mapping[str | None, Resolutions],
    reach: Mapping[str | None, Reach],
    terms: tuple[TermUse, ...],
) -> list[Quad]:
    quads: list[Quad] = []
    names: _Names = {}
    for agent, governance in effective.items():
        subject = _subject(walk, agent)
        node = f"{subject[1:-1]}/effective"
        quads.append((subject, _EFFECTIVE, f"<{node}>", graph))
        _governance(quads, walk, graph, node, governance)
        _resolutions(quads, walk, graph, node, resolutions[agent], names)
    for agent, reached in reach.items():
        subject, prompts, tools = _subject(walk, agent), walk.bases["prompts"], walk.bases["tools"]
        quads += [(subject, _REACHES_PROMPT, f"<{prompts}{segment(key)}>", graph) for key in reached.prompts]
        quads += [(subject, _REACHES_TOOL, f"<{tools}{segment(key)}>", graph) for key in reached.tools]
    for review, cadence in walk.cadences:
        if (duration := duration_of(cadence)) is not None:
            quads.append((review, _MAX_DAYS, integer(max_days(duration)), graph))
    _terms(quads, walk, graph, terms)
    return quads


def _subject(walk: Walk, agent: str | None) -> str:
    """The token of an agent, or of the pack version for None."""
    return walk.nodes["" if agent is None else f"/agents/members/{escape(agent)}"]


def _governance(quads: list[Quad], walk: Walk, graph: str, node: str, governance: Effective) -> None:
    subject = f"<{node}>"
    quads.append((subject, TYPE, _EFFECTIVE_GOVERNANCE, graph))
    for name, field in governance.fields.items():
        block = field.pointer[: -len(name) - 1]
        predicate, origin = FIELDS[name].predicate, f"<{node}/origin/{name}>"
        inherited = TRUE if field.origin == "pack" and governance.agent is not None else FALSE
        quads += [(subject, predicate, item, graph) for item in walk.values.get((block, name), ())]
        quads += (
            (subject, _ORIGIN, origin, graph),
            (origin, TYPE, _FIELD_ORIGIN, graph),
            (origin, _FIELD, predicate, graph),
            (origin, _DECLARED_IN, walk.nodes[block], graph),
            (origin, _INHERITED, inherited, graph),
        )
    quads += [(subject, _UNDECLARED, FIELDS[name].predicate, graph) for name in governance.undeclared]


def _resolutions(quads: list[Quad], walk: Walk, graph: str, node: str, resolutions: Resolutions, names: _Names) -> None:
    """Where each reference leads for one subject."""
    subject, below = f"<{node}>", f"<{node}/resolution/"
    for of, reference in _references(walk, resolutions):
        key = of, reference.kind, reference.written
        known = names.get(key)
        if known is None:
            digest = hashlib.sha256(" ".join(key).encode("utf-8", "surrogatepass")).hexdigest()
            known = names[key] = f"{digest[:16]}>", text(reference.written)
        resolution, written = below + known[0], known[1]
        quads += (
            (subject, _RESOLUTION, resolution, graph),
            (resolution, TYPE, _RESOLUTION_TYPE, graph),
            (resolution, _OF, of, graph),
            (resolution, _REFERENCE, written, graph),
            (resolution, _OUTCOME_OF, _OUTCOME[reference.outcome], graph),
        )
        if reference.kind == "field":
            if reference.written in FIELDS:
                quads.append((resolution, _TARGET, FIELDS[reference.written].predicate, graph))
            continue
        for target in reference.targets:
            quads.append((resolution, _TARGET, walk.nodes[target.pointer], graph))
            if not target.enabled:
                quads.append((resolution, _DISABLED_TARGET, walk.nodes[target.pointer], graph))


def _references(walk: Walk, resolutions: Resolutions) -> Iterator[tuple[str, Reference]]:
    """Every reference with the token of the control or the review that makes it."""
    for obligation in resolutions.obligations:
        for control in obligation.controls:
            if control.reference is not None:
                yield walk.nodes[control.entity.pointer], control.reference
    for review in resolutions.reviews:
        of = walk.nodes[review.entity.pointer]
        for reference in review.satisfies:
            yield of, reference
        if review.eval is not None:
            yield of, review.eval


def _terms(quads: list[Quad], walk: Walk, graph: str, terms: tuple[TermUse, ...]) -> None:
    seen = set()
    for use in terms:
        scope = "pack" if use.scope is None else segment(f"agent-{use.scope}")
        node = f"<{walk.version}/terms/{scope}/{segment(use.term.written)}>"
        if node in seen or node not in walk.seen_terms:
            continue
        seen.add(node)
        quads.append((node, _FORM_OF, _FORM[use.term.form], graph))
        if use.term.iri is not None:
            quads.append((node, _IRI, f"<{use.term.iri}>", graph))
        if use.term.source is not None:
            quads.append((node, _PREFIX_SOURCE, _SOURCE[use.term.source], graph))
