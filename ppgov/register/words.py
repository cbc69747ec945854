"""What a row says, in words: the same lines for the page, the workbook, CSV and Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from ppgov.pack import CONTROL_KINDS
from ppgov.register.model import ODD, Agent, Cell, Consequence, Control, Item, Obligation, Record, Review
from ppgov.report.parts import EFFECTS, REVERSIBILITIES

Lines = tuple[str, ...] | int

NOT_DECLARED = "not declared"
EMPTY = "declared, empty"
LONGEST, MOST_LINES = 600, 25
NO_TOOL = "reaches no tool"
# Outcomes in the order of the sheets and pictures; an external control is never among those that were found.
OUTCOMES = {
    "resolved": "found",
    "disabled": "switched off",
    "unresolved": "leads nowhere",
    "field-undeclared": "field not declared",
    "unknown-field": "no such field",
    "not-resolvable": "handled elsewhere, nothing to resolve",
}


class Column(NamedTuple):
    """One column of the agents' table; `group` is what the page shows or hides together."""

    key: str
    title: str
    group: str
    lines: Callable[[Record, Agent], Lines]


def item(one: Item) -> str:
    """A text that reads like silence but is written in the pack stands between quotation marks."""
    text = f'"{one.text}" (as written)' if one.text.strip().casefold() in (NOT_DECLARED, EMPTY) else one.text
    return f"{text} ({one.label})" if one.label else text


def cell(value: Cell) -> tuple[str, ...]:
    """A declaration in lines: silence, emptiness and what is not of the format each say so."""
    if not value.declared:
        return (NOT_DECLARED,)
    lines = [item(one) for one in value.items]
    if value.more:
        lines.append(f"… and {value.more:,} more")
    if not value.of_format:
        return (*lines[:-1], f"{lines[-1]} ({ODD})") if lines else (f"{EMPTY} ({ODD})",)
    return tuple(lines) or (EMPTY,)


def flat(lines: Lines) -> str:
    return str(lines) if isinstance(lines, int) else "; ".join(lines)


def cut(text: str) -> str:
    """At most 600 characters, saying so: for formats that are read by eye."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} … [cut after {LONGEST} characters]"


def bounded(lines: tuple[str, ...]) -> list[str]:
    """At most 25 lines, each cut, for the same formats."""
    more = [f"… and {len(lines) - MOST_LINES:,} more"] if len(lines) > MOST_LINES else []
    return [*(cut(line) for line in lines[:MOST_LINES]), *more]


def subject(agent: Agent) -> str:
    return "the pack itself (no agents declared)" if agent.key is None else agent.key


def origin(value: Cell, agent: Agent) -> str:
    """Where a field in force is written, seen from the row."""
    if not value.declared:
        return NOT_DECLARED
    if value.origin == "agent":
        return "declared by the agent"
    return "declared by the pack" if agent.key is None else "inherited from the pack"


def consequence(pair: Consequence) -> str:
    effect = _on(pair.effect, EFFECTS) or f"effect {NOT_DECLARED}"
    if pair.effect == "external":
        effect = "external (implies write)"
    way = _on(pair.reversibility, REVERSIBILITIES) or f"reversibility {NOT_DECLARED}"
    return f"{effect}, {way}: {many(pair.tools, 'tool')}"


def _on(name: str, axis: tuple[str, ...]) -> str:
    return f"{name} ({ODD})" if name and name not in axis else name


def consequences(agent: Agent) -> tuple[str, ...]:
    """The declared pairs; tools that declare neither are a column of their own."""
    if not agent.tools:
        return (NO_TOOL,)
    declared = tuple(consequence(pair) for pair in agent.consequences if pair.effect or pair.reversibility)
    return declared or (NOT_DECLARED,)


def data_classes(agent: Agent) -> tuple[str, ...]:
    if not agent.tools:
        return (NO_TOOL,)
    lines = cell(agent.data_classes)
    if agent.data_classes.declared and agent.data_classes_undeclared:
        return (*lines, f"{NOT_DECLARED} by {agent.data_classes_undeclared} of {many(len(agent.tools), 'tool')}")
    return lines


def many(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def _listed(held: Cell, lines: tuple[str, ...]) -> tuple[str, ...]:
    """The lines of a list's entries, then what in it is no entry."""
    if not held.declared or not held.of_format:
        return (*lines, *cell(held))
    return lines or (EMPTY,)


def obligation(row: Obligation) -> str:
    name = row.id or "(no id)"
    return f"{name}: {flat(cell(row.term))}" + (f" ({row.remark})" if row.remark else "")


def obligations(agent: Agent) -> tuple[str, ...]:
    return _listed(agent.obligation_list, tuple(obligation(row) for row in agent.obligations))


def review(row: Review) -> str:
    return f"{row.id or '(no id)'}: {cadence(row)}, owner {flat(cell(row.owner))}"


def reviews(agent: Agent) -> tuple[str, ...]:
    return _listed(agent.review_list, tuple(review(row) for row in agent.reviews))


def cadence(row: Review) -> str:
    """In words and as written: "every 3 months (P3M)"."""
    if not row.cadence.declared:
        return f"cadence {NOT_DECLARED}"
    return f"{row.cadence_words} ({row.cadence.text})" if row.cadence_words else flat(cell(row.cadence))


def controls(agent: Agent) -> tuple[str, ...]:
    """Controls of the obligations in force, counted by kind, what was not found apart."""
    if not agent.obligation_list.declared:
        return (NOT_DECLARED,)
    found = Counter((one.kind, one.outcome) for row in agent.obligations for one in row.controls)
    lines = [_kind(kind, found) for kind in CONTROL_KINDS if any(key[0] == kind for key in found)]
    if unread := sum(row.malformed for row in agent.obligations):
        lines.append(f"cannot be read: {unread}")
    return tuple(lines) or ("no control declared",)


def _kind(kind: str, found: Counter[tuple[str, str]]) -> str:
    total = sum(number for (name, _), number in found.items() if name == kind)
    parts = [f"{found[kind, outcome]} {words}" for outcome, words in OUTCOMES.items() if found[kind, outcome]]
    if kind == "external":
        return f"external: {total} ({OUTCOMES['not-resolvable']})"
    return f"{kind}: {total} ({', '.join(parts)})"


def reference(one: Control) -> str:
    return f"{one.kind} {one.written} ({one.words})"


def twins(pack: Record) -> str:
    """Empty, or that another file has the same id and version and other content."""
    if not pack.twins:
        return ""
    left = pack.twin_count - len(pack.twins)
    shown = ", ".join(pack.twins) + (f" and {left:,} more" if left else "")
    return f"same id and version, other content: {shown}"


def _field(name: str) -> Callable[[Record, Agent], Lines]:
    return lambda _, agent: cell(agent.fields[name])


# The columns in their order, in every format.
COLUMNS: tuple[Column, ...] = (
    Column("agent", "Agent", "", lambda _, agent: (subject(agent),)),
    Column("pack", "Pack", "", lambda pack, _: (pack.id or f"id {NOT_DECLARED}",)),
    Column("version", "Version", "", lambda pack, _: (pack.version or NOT_DECLARED,)),
    Column("digest", "SHA-256", "", lambda pack, _: (pack.sha256,)),
    Column("file", "File", "", lambda pack, _: (pack.path,)),
    Column("purpose", "Intended purpose", "accountability", _field("intended_purpose")),
    Column("owner", "Accountable owner", "accountability", _field("accountable_owner")),
    Column("autonomy", "Autonomy level", "accountability", _field("autonomy_level")),
    Column(
        "autonomy_origin",
        "Autonomy level from",
        "accountability",
        lambda _, agent: (origin(agent.fields["autonomy_level"], agent),),
    ),
    Column("role", "Operator role", "accountability", _field("operator_role")),
    Column("risk", "Risk classification", "accountability", _field("risk_classification")),
    Column("contexts", "Deployment contexts", "use", _field("intended_deployment_contexts")),
    Column("capabilities", "Capabilities", "use", _field("capabilities")),
    Column("environments", "Approved environments", "use", _field("approved_environments")),
    Column("disclosure", "AI disclosure required", "use", _field("requires_ai_disclosure")),
    Column("tools", "Tools reached (computed)", "consequence", lambda _, agent: len(agent.tools)),
    Column(
        "consequences",
        "Effect and reversibility of the tools reached (computed)",
        "consequence",
        lambda _, agent: consequences(agent),
    ),
    Column(
        "undeclared",
        "Tools reached that declare neither (computed)",
        "consequence",
        lambda _, agent: agent.tools_undeclared,
    ),
    Column("data_classes", "Data classes of the tools reached (computed)", "consequence", lambda _, a: data_classes(a)),
    Column("obligations", "Obligations", "duties", lambda _, agent: obligations(agent)),
    Column("controls", "Controls by kind", "duties", lambda _, agent: controls(agent)),
    Column("reviews", "Reviews", "duties", lambda _, agent: reviews(agent)),
    Column("providers", "Providers that the pack requires", "models", lambda pack, _: cell(pack.providers)),
    Column(
        "models",
        "Tested models of the prompts reached (computed)",
        "models",
        lambda _, agent: cell(agent.tested_models),
    ),
    Column("errors", "Errors in the pack", "findings", lambda pack, _: pack.counts.errors),
    Column("warnings", "Warnings in the pack", "findings", lambda pack, _: pack.counts.warnings),
    Column("notes", "Notes on the pack", "findings", lambda pack, _: pack.counts.notes),
    Column("remark", "Remark", "findings", lambda pack, _: (twins(pack),)),
)
IS_NOT = (
    "It lists what the packs declare, in the order of the files. It ranks, scores and grades nothing.",
    "It is not a certificate, a legal opinion or a statement of conformity with any law or standard.",
    "It does not say that a control works: an eval is a measurement that exists, not a result, and an external control"
    " is not looked at.",
    "It infers nothing. What a pack does not declare is shown as not declared, which means neither safe nor unsafe.",
    "It looked at files, not at running systems, their providers or their people.",
)
COMPUTED = (
    "Columns marked (computed) follow from the file: the tools and prompts that an agent runs, from its prompt, or from"
    " its state through the workflow and compositions. What stands in them is declared by the tools, not by the agent.",
    "An agent has the pack's value of a field unless it declares its own.",
    "Findings are counted for the pack, so rows of one pack show the same numbers.",
)
