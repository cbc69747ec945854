"""What the pack and its agents declare: facts, overrides, obligations, reviews, independence."""

from __future__ import annotations

from collections.abc import Iterator

from ppgov import resolution
from ppgov.duration import in_words, parse
from ppgov.effective import Effective, Field
from ppgov.pack import GOVERNANCE_FIELDS, Entity
from ppgov.report.model import (
    Agent,
    AgentFact,
    Fact,
    Independence,
    Item,
    Obligation,
    ObligationTable,
    Reference,
    Review,
    ReviewTable,
    Target,
)
from ppgov.report.reader import Reader, scalar, verbatim, written_id

# Title and subject of each governance field, in the format's order.
FIELDS: dict[str, tuple[str, str]] = {
    "vocabularies": ("Vocabularies", "prefixes that the terms of this pack are written with"),
    "intended_purpose": ("Intended purpose", "what the agent is for"),
    "foreseeable_misuse": ("Foreseeable misuse", "uses that the author expects and does not want"),
    "autonomy_level": ("Autonomy level", "how far the agent acts on its own"),
    "accountable_owner": ("Accountable owner", "who answers for the agent"),
    "operator_role": ("Operator role", "the part its operator plays"),
    "risk_classification": ("Risk classification", "what its authors concluded about risk"),
    "intended_deployment_contexts": ("Deployment contexts", "where it is meant to run"),
    "capabilities": ("Capabilities", "what it can do"),
    "approved_environments": ("Approved environments", "environments it may run in"),
    "requires_ai_disclosure": ("AI disclosure required", "whether people must be told that they deal with an AI"),
    "independent_of": ("Independence", "what must differ from the producer of its input"),
    "obligations": ("Obligations", "duties and the controls that answer to them"),
    "reviews": ("Recurring reviews", "who looks again, and how often"),
    "extensions": ("Extensions", "data of other tools, not interpreted"),
}

ADVISORY = "advisory (format default, not declared)"


def facts(reader: Reader) -> tuple[Fact, ...]:
    effective = reader.audit.effective[None]
    return tuple(Fact(name, *FIELDS[name], reader.field(effective.fields.get(name))) for name in GOVERNANCE_FIELDS)


def agents(reader: Reader) -> tuple[Agent, ...]:
    return tuple(_agent(reader, entity) for entity in reader.audit.pack.agents.values())


def _agent(reader: Reader, entity: Entity) -> Agent:
    audit = reader.audit
    own, pack = audit.effective[entity.key], audit.effective[None]
    rows = tuple(_agent_fact(reader, name, own, pack) for name in GOVERNANCE_FIELDS)
    reach = audit.reach[entity.key]
    root = audit.pack.root.child("agents")
    return Agent(
        key=entity.key,
        entry=root is not None and root.text("entry") == entity.key,
        where=reader.where(entity.pointer),
        properties=reader.entries(entity, ("description", "tags", "input_modes", "output_modes", "state")),
        declares="governance" in entity.data,
        facts=rows,
        departures=tuple(row.title for row in rows if row.departure in ("replaces", "overlays", "adds", "rebinds")),
        undeclared=tuple(FIELDS[name][0] for name in own.undeclared),
        prompts=reach.prompts,
        tools=reach.tools,
        states=reach.states,
        compositions=reach.compositions,
    )


def _agent_fact(reader: Reader, name: str, own: Effective, pack: Effective) -> AgentFact:
    mine, theirs = own.fields.get(name), pack.fields.get(name)
    departure = ""
    if mine is not None and mine.origin == "agent":
        departure = _departure(reader, mine, theirs)
    return AgentFact(name, FIELDS[name][0], reader.field(mine), departure, reader.field(theirs))


def _departure(reader: Reader, mine: Field, theirs: Field | None) -> str:
    """How an agent's field stands to the pack's: the same text can mean something else where a prefix is bound anew."""
    if theirs is None:
        return "adds"
    if theirs.value != mine.value:
        return "overlays" if mine.name == "vocabularies" else "replaces"
    return "repeats" if reader.meaning(mine.pointer) == reader.meaning(theirs.pointer) else "rebinds"


def obligations(reader: Reader) -> tuple[ObligationTable, ...]:
    """The pack's obligations, then for each agent its own, or those of the pack's that come out otherwise for it."""
    tables = []
    common = {row.entity.pointer: _outcomes(row) for row in reader.audit.resolutions[None].obligations}
    for subject, inherited in _subjects(reader, "obligations"):
        found = reader.audit.resolutions[subject]
        served: dict[str, list[str]] = {}
        for review in found.reviews:
            for reference in review.satisfies:
                served.setdefault(reference.written, []).append(review.entity.key)
        shown = [row for row in found.obligations if not inherited or _outcomes(row) != common.get(row.entity.pointer)]
        if shown or not inherited:
            rows = tuple(_obligation(reader, row, tuple(served.get(row.entity.key, ()))) for row in shown)
            tables.append(ObligationTable(subject or "", inherited, rows))
    return tuple(tables)


def reviews(reader: Reader) -> tuple[ReviewTable, ...]:
    """Like `obligations`: an agent that replaces the obligations can orphan a review that it inherits."""
    tables = []
    common = {row.entity.pointer: _outcomes(row) for row in reader.audit.resolutions[None].reviews}
    for subject, inherited in _subjects(reader, "reviews"):
        found = reader.audit.resolutions[subject].reviews
        shown = [row for row in found if not inherited or _outcomes(row) != common.get(row.entity.pointer)]
        if shown or not inherited:
            tables.append(ReviewTable(subject or "", inherited, tuple(_review(reader, row) for row in shown)))
    return tuple(tables)


def _subjects(reader: Reader, field: str) -> Iterator[tuple[str | None, bool]]:
    """(subject, whether it inherits the pack's list): the pack, then each agent, where the field is a list."""
    for key, effective in reader.audit.effective.items():
        governance = effective.fields.get(field)
        if governance is not None and isinstance(governance.value, list):
            yield key, key is not None and governance.origin == "pack"


def _outcomes(row: resolution.Obligation | resolution.Review) -> tuple[str, ...]:
    if isinstance(row, resolution.Obligation):
        references = [control.reference for control in row.controls]
    else:
        references = [*row.satisfies, row.eval]
    return tuple(reference.outcome for reference in references if reference is not None)


def _obligation(reader: Reader, row: resolution.Obligation, served: tuple[str, ...]) -> Obligation:
    entity = row.entity
    controls = tuple(_reference(reader, control.reference) for control in row.controls if control.reference is not None)
    applies = entity.child("applies_to")
    malformed = tuple(_malformed(reader, row))
    external_only = bool(controls) and not malformed and all(control.kind == "external" for control in controls)
    return Obligation(
        id=written_id(entity),
        term=reader.value(entity.data, "obligation", entity.pointer),
        applies_to=reader.rest(applies.data, applies.pointer) if applies else (),
        note=reader.value(entity.data, "note", entity.pointer),
        controls=controls,
        malformed=malformed,
        external_only=external_only,
        remark=_remark(controls, external_only=external_only),
        reviews=served,
        where=reader.where(entity.pointer),
    )


def _malformed(reader: Reader, row: resolution.Obligation) -> Iterator[Item]:
    """Controls that cannot be read: without a kind, with several, or not an object at all."""
    for control in row.controls:
        if control.reference is None:
            yield Item(verbatim(control.entity.data), reader.where(control.entity.pointer))
    listed = row.entity.data.get("controls")
    for index, control in enumerate(listed if isinstance(listed, list) else ()):
        if not isinstance(control, dict):
            yield Item(verbatim(control), reader.where(row.entity.at("controls", index)))


def _remark(controls: tuple[Reference, ...], *, external_only: bool) -> str:
    if not controls:
        return "no control that can be read"
    if external_only:
        return "external controls only: nothing in this pack to resolve"
    if not any(control.outcome == "resolved" for control in controls):
        return "no control leads to anything that is switched on"
    return ""


def _review(reader: Reader, row: resolution.Review) -> Review:
    entity = row.entity
    return Review(
        id=written_id(entity),
        type=reader.value(entity.data, "type", entity.pointer),
        cadence=reader.value(entity.data, "cadence", entity.pointer),
        cadence_words=cadence_in_words(entity.text("cadence") or ""),
        owner=reader.value(entity.data, "owner", entity.pointer),
        satisfies=tuple(_reference(reader, reference) for reference in row.satisfies),
        eval=_reference(reader, row.eval) if row.eval else None,
        where=reader.where(entity.pointer),
    )


def _reference(reader: Reader, reference: resolution.Reference) -> Reference:
    outcome = "disabled" if reference.disabled else str(reference.outcome)
    targets = tuple(
        Target(reader.where(target.pointer), _holder(reference.kind, target), target.enabled)
        for target in reference.targets
    )
    return Reference(
        reference.kind, reference.written or '""', outcome, _WORDS[outcome], reader.where(reference.pointer), targets
    )


_WORDS = {
    "resolved": "found",
    "disabled": "found, but switched off (enabled: false)",
    "unresolved": "leads nowhere",
    "field-undeclared": "the field is not declared",
    "unknown-field": "no such governance field",
    "not-resolvable": "handled elsewhere; nothing to resolve",
}


def _holder(kind: str, target: resolution.Target) -> str:
    if kind == "field":
        return "agent" if target.pointer.startswith("/agents/") else "pack"
    if kind == "obligation":
        return "obligation"
    return f"prompt {target.prompt}" if target.prompt is not None else "pack"


def independence(reader: Reader) -> tuple[Independence, ...]:
    rows = []
    for key, effective in reader.audit.effective.items():
        field = effective.fields.get("independent_of")
        if field is None or not isinstance(field.value, dict) or (key is not None and field.origin == "pack"):
            continue  # an agent without a line of its own inherits the pack's
        holder = Entity("independent_of", field.pointer, field.value)
        axes = holder.data.get("axes")
        rows.append(
            Independence(
                agent=key or "",
                origin=field.origin,
                axes=tuple(reader.item(axis, holder.at("axes", index)) for index, axis in enumerate(axes))
                if isinstance(axes, list)
                else (),
                enforcement=scalar(holder.data["enforcement"]) if "enforcement" in holder.data else ADVISORY,
                enforcement_declared="enforcement" in holder.data,
                note=_independence_note(axes),
                where=reader.where(field.pointer),
            )
        )
    return tuple(rows)


def _independence_note(axes: object) -> str:
    """Only `accountable_owner` separates people (`spec/governance.md` section 6)."""
    named = axes if isinstance(axes, list) else []
    kinds = []
    if "accountable_owner" in named:
        kinds.append("accountable_owner: organisational independence")
    if any(axis in ("model", "provider", "tools", "prompts") for axis in named):
        kinds.append("the technical axes: against correlated failure")
    return "; ".join(kinds)


def cadence_in_words(cadence: str) -> str:
    """ISO 8601 duration in words, unit by unit as written (P1Y6M: every 1 year and 6 months); empty when it is none."""
    duration = parse(cadence)
    return in_words(duration) if duration is not None else ""
