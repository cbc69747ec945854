"""The governance part of the format, slot by slot: governance objects of packs and agents, and `action_scope`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ppgov.graph.slot import (
    IDENTIFIER,
    Child,
    Enum,
    Extensions,
    Inline,
    Listed,
    Many,
    Shape,
    Slot,
    Term,
    Walk,
)
from ppgov.graph.token import TYPE, pg, scalar, segment, text


def _members(*names: str) -> dict[str, str]:
    return {name: pg(name) for name in names}


AUTONOMY = _members("suggests", "acts_with_approval", "acts_with_oversight", "acts_autonomously")
EFFECT = _members("read", "write", "external")
REVERSIBILITY = _members("reversible", "compensable", "irreversible")
AXIS = _members("model", "provider", "tools", "prompts", "accountable_owner")
ENFORCEMENT = _members("strict", "advisory")

DECLARES = pg("declares")
EXTENSIONS = Extensions(pg("extensions"))


@dataclass(frozen=True, slots=True)
class Prefixes(Slot):
    """`vocabularies`: one node for each prefix."""

    def objects(self, walk: Walk, node: str, pointer: str, value: object) -> Iterable[str]:
        found = []
        for prefix, namespace in value.items() if isinstance(value, dict) else ():
            thing = f"<{node}/vocabularies/{segment(prefix)}>"
            found.append(thing)
            walk.quads += ((thing, TYPE, pg("Prefix"), walk.graph), (thing, pg("prefix"), text(prefix), walk.graph))
            if (literal := scalar(namespace)) is not None:
                walk.quads.append((thing, pg("namespace"), literal, walk.graph))
        return found


@dataclass(frozen=True, slots=True)
class ControlKind(Slot):
    """The one member of a control, which says what kind of control it is."""

    type: str

    def objects(self, walk: Walk, node: str, pointer: str, value: object) -> Iterable[str]:
        walk.quads.append((f"<{node}>", TYPE, self.type, walk.graph))
        literal = scalar(value)
        return (literal,) if literal is not None else ()


@dataclass(frozen=True, slots=True)
class ReviewId(Slot):
    """A review's id; beside it the key that is the same in every version of the pack (RFC 0016)."""

    def objects(self, walk: Walk, node: str, pointer: str, value: object) -> Iterable[str]:
        literal = scalar(value)
        if literal is None:
            return ()
        walk.quads.append((f"<{node}>", pg("reviewKey"), f"<{walk.bases['review']}{segment(value)}>", walk.graph))
        return (literal,)


@dataclass(frozen=True, slots=True)
class Cadence(Slot):
    """A cadence as written, as a string: `xsd:duration` has no weeks, and libraries rewrite what they take for one."""

    def objects(self, walk: Walk, node: str, pointer: str, value: object) -> Iterable[str]:
        if type(value) is str:
            walk.cadences.append((f"<{node}>", value))
        literal = scalar(value)
        return (literal,) if literal is not None else ()


@dataclass(frozen=True, slots=True)
class Governance(Slot):
    """A governance block; what each field says is remembered for the effective governance."""

    def objects(self, walk: Walk, node: str, pointer: str, value: object) -> Iterable[str]:
        if not isinstance(value, dict):
            return ()
        node, graph = f"{node}/governance", walk.graph
        subject = walk.nodes[pointer] = f"<{node}>"
        walk.quads.append((subject, TYPE, pg("GovernanceDeclaration"), graph))
        for name, content in value.items():
            slot = FIELDS.get(name)
            if slot is not None:
                predicate = slot.predicate
                found = walk.values[pointer, name] = tuple(slot.objects(walk, node, f"{pointer}/{name}", content))
                walk.quads.append((subject, DECLARES, predicate, graph))
                walk.quads += [(subject, predicate, item, graph) for item in found]
        return (subject,)


CONTROL = Shape(
    pg("Control"),
    {
        "field": ControlKind(pg("reference"), pg("FieldControl")),
        "validator": ControlKind(pg("reference"), pg("ValidatorControl")),
        "eval": ControlKind(pg("reference"), pg("EvalControl")),
        "external": ControlKind(pg("description"), pg("ExternalControl")),
    },
)
APPLIES_TO = Shape(
    "",
    {
        "capability": Term(pg("appliesToCapability")),
        "data_class": Term(pg("appliesToDataClass")),
        "risk_classification": Term(pg("appliesToRiskClassification")),
    },
)
OBLIGATION = Shape(
    pg("Obligation"),
    {
        "id": Slot(IDENTIFIER),
        "obligation": Term(pg("obligationTerm")),
        "applies_to": Inline("", APPLIES_TO),
        "controls": Listed(pg("control"), "controls", CONTROL, ordered=True),
        "note": Slot(pg("note")),
        "extensions": EXTENSIONS,
    },
)
REVIEW = Shape(
    pg("Review"),
    {
        "id": ReviewId(IDENTIFIER),
        "type": Term(pg("reviewType")),
        "cadence": Cadence(pg("cadence")),
        "owner": Slot(pg("reviewOwner")),
        "satisfies": Many(pg("satisfies")),
        "eval": Slot(pg("evalReference")),
        "extensions": EXTENSIONS,
    },
)
INDEPENDENCE = Shape(
    pg("IndependenceRequirement"),
    {"axes": Enum(pg("axis"), AXIS, many=True), "enforcement": Enum(pg("enforcement"), ENFORCEMENT)},
)
ACTION_SCOPE = Shape(
    pg("ActionScope"),
    {
        "effect": Enum(pg("effect"), EFFECT),
        "reversibility": Enum(pg("reversibility"), REVERSIBILITY),
        "data_classes": Term(pg("dataClass"), many=True),
        "extensions": EXTENSIONS,
    },
)
FIELDS: dict[str, Slot] = {
    "vocabularies": Prefixes(pg("vocabulary")),
    "intended_purpose": Slot(pg("intendedPurpose")),
    "foreseeable_misuse": Many(pg("foreseeableMisuse")),
    "autonomy_level": Enum(pg("autonomyLevel"), AUTONOMY),
    "accountable_owner": Slot(pg("accountableOwner")),
    "operator_role": Term(pg("operatorRole")),
    "risk_classification": Term(pg("riskClassification")),
    "intended_deployment_contexts": Term(pg("intendedDeploymentContext"), many=True),
    "capabilities": Term(pg("capability"), many=True),
    "approved_environments": Many(pg("approvedEnvironment")),
    "requires_ai_disclosure": Slot(pg("requiresAiDisclosure")),
    "independent_of": Child(pg("independentOf"), "independent_of", INDEPENDENCE),
    "obligations": Listed(pg("obligation"), "obligations", OBLIGATION, key="id"),
    "reviews": Listed(pg("review"), "reviews", REVIEW, key="id"),
    "extensions": EXTENSIONS,
}
