"""From packs to the register: what one pack gives, and what only the whole fleet can tell.

The report's readers do the reading, so that a register and a report say the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import islice
from typing import TypeVar

from ppgov import __version__
from ppgov.audit import Audit, Unreadable
from ppgov.effective import Effective
from ppgov.findings import Finding, clip, count, quote
from ppgov.fleet import Options, Skipped, Target, audit_target
from ppgov.publish import file_name
from ppgov.register.model import (
    MAX_ITEMS,
    MAX_TEXT,
    MAX_TWINS,
    ODD,
    UNDECLARED,
    Agent,
    Cell,
    Consequence,
    Control,
    Counts,
    Fault,
    Item,
    Obligation,
    Record,
    Register,
    Review,
    Tool,
)
from ppgov.report import governance, parts
from ppgov.report import model as said
from ppgov.report.reader import Reader, scalar, verbatim

AUTONOMY = ("suggests", "acts_with_approval", "acts_with_oversight", "acts_autonomously")
TEXTS = ("intended_purpose", "autonomy_level", "accountable_owner", "operator_role", "risk_classification")
LISTS = ("intended_deployment_contexts", "capabilities", "approved_environments")
FLAG = "requires_ai_disclosure"

R = TypeVar("R", Obligation, Review)


def record(target: Target, options: Options) -> Record:
    """Everything that the register keeps of one input; small enough to hand from one process to another."""
    result = audit_target(target, options)
    if isinstance(result, Skipped):
        return Record(result.path, skipped=result.reason)
    if isinstance(result, Unreadable):
        return Record(result.path, sha256=result.sha256 or "", problem=_reason(result.finding))
    return _Packed(result).record()


def _reason(finding: Finding) -> str:
    place = f"line {finding.line}: " if finding.line is not None else ""
    return f"{place}{clip(finding.message)} ({finding.rule})"


def register(records: Iterable[Record], *, generated_at: datetime, vocabularies: tuple[str, ...] = ()) -> Register:
    """The records of a run, in order, those of no pack left out, twins marked."""
    kept = [entry for entry in records if not entry.skipped]
    packs = [entry for entry in kept if not entry.problem]
    editions: dict[tuple[str, str], dict[str, list[str]]] = {}
    for pack in packs:
        if pack.id and pack.version:
            editions.setdefault((pack.id, pack.version), {}).setdefault(pack.sha256, []).append(pack.path)
    marked = tuple(_marked(pack, editions.get((pack.id, pack.version), {})) for pack in packs)
    return Register(
        tool=f"ppgov {__version__}",
        generated_at=generated_at.astimezone(UTC).isoformat().replace("+00:00", "Z"),
        packs=marked,
        unread=tuple(entry for entry in kept if entry.problem),
        vocabularies=vocabularies,
    )


def _marked(pack: Record, by_digest: Mapping[str, list[str]]) -> Record:
    if len(by_digest) < 2:
        return pack
    others = (path for digest, paths in by_digest.items() if digest != pack.sha256 for path in paths)
    number = sum(len(paths) for digest, paths in by_digest.items() if digest != pack.sha256)
    return pack._replace(twins=tuple(islice(others, MAX_TWINS)), twin_count=number)


@dataclass(frozen=True)
class _Packed:
    """One audited pack on its way into a record."""

    audit: Audit

    @cached_property
    def reader(self) -> Reader:
        return Reader(self.audit)

    @cached_property
    def tools(self) -> dict[str, Tool]:
        return {row.key: self.tool(row) for row in parts.tools(self.reader).tools}

    def record(self) -> Record:
        audit, pack = self.audit, self.audit.pack
        subjects: tuple[str | None, ...] = tuple(pack.agents) or (None,)
        found = count(audit.findings, 1)
        return Record(
            path=audit.path,
            id=_named(pack.data, "id"),
            version=_named(pack.data, "version"),
            sha256=audit.source.sha256,
            agents=tuple(self.agent(key) for key in subjects),
            providers=self.providers(),
            tools=tuple(self.tools.values()),
            findings=tuple(_fault(finding) for finding in audit.findings),
            counts=Counts(found.errors, found.warnings, found.notes),
            unread_agents=tuple(self.unread_agents()),
            file_name=file_name(audit, "html"),
        )

    def unread_agents(self) -> Iterator[str]:
        """Members that the file holds and that are no mapping: they have no row, which has to be said."""
        holder = self.audit.pack.root.data.get("agents")
        members = holder.get("members") if isinstance(holder, dict) else holder
        if members is None:
            return
        if not isinstance(members, dict):
            yield "the list of agents is no mapping"
            return
        for key in members:
            if key not in self.audit.pack.agents:
                yield f"agent {quote(key)} is no mapping"

    def agent(self, key: str | None) -> Agent:
        effective, reach = self.audit.effective[key], self.audit.reach[key]
        reached = [self.tools[name] for name in reach.tools]
        return Agent(
            key=key,
            fields={name: self.field(effective, name) for name in (*TEXTS, *LISTS, FLAG)},
            tools=reach.tools,
            consequences=consequences(reached),
            data_classes=_data_classes(reached),
            data_classes_undeclared=sum(not tool.data_classes.declared for tool in reached),
            obligation_list=_listed(effective, "obligations"),
            obligations=_in_force(self.obligations, effective, key, "obligations"),
            review_list=_listed(effective, "reviews"),
            reviews=_in_force(self.reviews, effective, key, "reviews"),
            tested_models=self.tested(reach.prompts),
        )

    @cached_property
    def obligations(self) -> dict[str | None, tuple[Obligation, ...]]:
        tables = governance.obligations(self.reader)
        rows = ((table.agent, tuple(_obligation(row) for row in table.obligations)) for table in tables)
        return _by_subject(rows, self.audit.effective[None], "obligations")

    @cached_property
    def reviews(self) -> dict[str | None, tuple[Review, ...]]:
        tables = governance.reviews(self.reader)
        rows = ((table.agent, tuple(_review(row) for row in table.reviews)) for table in tables)
        return _by_subject(rows, self.audit.effective[None], "reviews")

    def field(self, effective: Effective, name: str) -> Cell:
        field = effective.fields.get(name)
        if field is None:
            return UNDECLARED
        value = self.reader.field(field)
        return _cell(value) if _fits(name, field.value) else _odd(value)

    def tool(self, row: said.Tool) -> Tool:
        return Tool(
            key=row.key,
            description=_short(row.description),
            effect=_axis(row.effect, parts.EFFECTS),
            reversibility=_axis(row.reversibility, parts.REVERSIBILITIES),
            data_classes=_of_shape(row.data_classes, "list", "terms"),
            reached_by=row.reached_by,
            line=row.where.line,
        )

    def providers(self) -> Cell:
        """What `requires.providers` says; a bare name stands for a required llm by the format's own default."""
        requires = self.audit.pack.root.data.get("requires")
        if not isinstance(requires, dict) or "providers" not in requires:
            return UNDECLARED
        if not isinstance(requires["providers"], list):
            return Cell((Item(_short(verbatim(requires["providers"]))),), of_format=False)
        rows = self.audit.pack.providers
        texts = [
            f"{row.key} (bare name: llm and required by default)"
            if isinstance(row.data, str)
            else f"{row.key} (role {row.role or 'not declared'}, required {_said(row.data, 'required')})"
            for row in rows
        ]
        return _texts(texts, of_format=len(rows) == len(requires["providers"]))

    @cached_property
    def models_by_prompt(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for row in parts.models(self.reader).tested:
            text = f"{row.provider or 'provider not declared'} {row.model or 'model not declared'}"
            found.setdefault(row.prompt, []).append(text + (f" ({row.date})" if row.date else ""))
        return found

    def tested(self, prompts: tuple[str, ...]) -> Cell:
        found = {text: None for key in prompts for text in self.models_by_prompt.get(key, ())}
        return _texts(found) if found else UNDECLARED


def _named(data: Mapping[str, object], name: str) -> str:
    """The id or version; empty for silence."""
    value = data.get(name, "")
    return _short(value) if isinstance(value, str) else f"{_short(verbatim(value))} ({ODD})"


def _said(data: Mapping[str, object], name: str) -> str:
    return scalar(data[name]) if name in data else "not declared"


def _by_subject(
    tables: Iterable[tuple[str, tuple[R, ...]]], pack: Effective, name: str
) -> dict[str | None, tuple[R, ...]]:
    """The report's tables by subject: the first without an agent is the pack's, where the pack declares the list."""
    found: dict[str | None, tuple[R, ...]] = {}
    for agent, rows in tables:
        is_pack = not agent and name in pack.fields and None not in found
        found[None if is_pack else agent] = rows
    return found


def _in_force(
    tables: Mapping[str | None, tuple[R, ...]], effective: Effective, key: str | None, name: str
) -> tuple[R, ...]:
    """The rows in force for a subject; what it inherits is the pack's row, unless it comes out otherwise for it."""
    field = effective.fields.get(name)
    own = tables.get(key, ())
    if field is None or key is None or field.origin == "agent":
        return own if field is not None else ()
    inherited = tables.get(None, ())
    if not own:
        return inherited
    other = {row.pointer: row for row in own}
    return tuple(other.get(row.pointer, row) for row in inherited)


def _listed(effective: Effective, name: str) -> Cell:
    """Whether a list is declared, where, and what in it is no entry at all."""
    field = effective.fields.get(name)
    if field is None:
        return UNDECLARED
    if not isinstance(field.value, list):
        return Cell((Item(_short(verbatim(field.value))),), origin=field.origin, of_format=False)
    odd = [verbatim(entry) for entry in field.value if not isinstance(entry, dict)]
    return _texts(odd, of_format=not odd)._replace(origin=field.origin)


def _obligation(row: said.Obligation) -> Obligation:
    return Obligation(
        id=_short(row.id),
        term=_of_shape(row.term, "text", "term"),
        applies_to=tuple(_short(f"{entry.name}: {entry.value.text}") for entry in row.applies_to[:MAX_ITEMS]),
        note=_of_shape(row.note, "text"),
        controls=tuple(_control(control) for control in row.controls),
        malformed=len(row.malformed),
        remark=row.remark,
        origin=_origin(row.where),
        pointer=row.where.pointer,
        line=row.where.line,
    )


def _review(row: said.Review) -> Review:
    return Review(
        id=_short(row.id),
        type=_of_shape(row.type, "text", "term"),
        cadence=_cell(row.cadence) if row.cadence_words or not row.cadence.declared else _odd(row.cadence),
        cadence_words=row.cadence_words,
        owner=_of_shape(row.owner, "text"),
        satisfies=tuple(_control(reference) for reference in row.satisfies[:MAX_ITEMS]),
        eval=_control(row.eval) if row.eval is not None else None,
        origin=_origin(row.where),
        pointer=row.where.pointer,
        line=row.where.line,
    )


def _origin(where: said.Where) -> str:
    return "agent" if where.pointer.startswith("/agents/") else "pack"


def _control(reference: said.Reference) -> Control:
    return Control(reference.kind, _short(reference.written), reference.outcome, reference.words)


def _fault(finding: Finding) -> Fault:
    return Fault(
        finding.rule,
        finding.name,
        finding.level,
        clip(finding.message),
        clip(finding.hint),
        _short(finding.pointer),
        finding.line,
        finding.column,
    )


def _cell(value: said.Value) -> Cell:
    """A value of the report, bounded."""
    if not value.declared:
        return UNDECLARED
    items = tuple(
        Item(_short(item.text), item.term.label, item.term.iri) if item.term else Item(_short(item.text))
        for item in value.items[:MAX_ITEMS]
    )
    return Cell(items, origin=value.origin, more=max(0, len(value.items) - MAX_ITEMS))


def _odd(value: said.Value) -> Cell:
    """A value that the format does not allow there, as written: a list stays a list to the eye."""
    cell = _cell(value)
    if value.shape in ("list", "terms"):
        listed = ", ".join(item.text for item in cell.items)
        cell = cell._replace(items=(Item(_short(f"[{listed}]")),))
    return cell._replace(of_format=False)


def _of_shape(value: said.Value, *shapes: str) -> Cell:
    """Marked when the value has not one of the shapes that the format asks for."""
    return _cell(value) if not value.declared or value.shape in shapes else _odd(value)


def _axis(value: said.Value, known: tuple[str, ...]) -> Cell:
    fits = not value.declared or (value.shape == "text" and value.text in known)
    return _cell(value) if fits else _odd(value)


def _texts(texts: Iterable[str], *, of_format: bool = True) -> Cell:
    held = list(texts)
    items = tuple(Item(_short(text)) for text in held[:MAX_ITEMS])
    return Cell(items, of_format=of_format, more=max(0, len(held) - MAX_ITEMS))


def _fits(name: str, value: object) -> bool:
    """Whether a governance field holds what the format allows there."""
    if name == FLAG:
        return isinstance(value, bool)
    if name in LISTS:
        return isinstance(value, list) and all(isinstance(entry, str) for entry in value)
    return isinstance(value, str) and (name != "autonomy_level" or value in AUTONOMY)


def _short(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]} … [{len(text) - MAX_TEXT:,} more characters]"


def consequences(tools: Iterable[Tool]) -> tuple[Consequence, ...]:
    """The declared pairs in the order of the format, then what is half declared or not of the format, then silence."""
    found = Counter((axis_text(tool.effect), axis_text(tool.reversibility)) for tool in tools)
    return tuple(Consequence(*pair, found[pair]) for pair in sorted(found, key=_pair_order))


def axis_text(cell: Cell) -> str:
    """The text of an axis: empty for silence only."""
    return cell.text if cell.declared else ""


def _pair_order(pair: tuple[str, str]) -> tuple[bool, bool, int, int, str, str]:
    effect, way = pair
    return (
        not effect and not way,
        not effect or not way,
        parts.EFFECTS.index(effect) if effect in parts.EFFECTS else len(parts.EFFECTS),
        parts.REVERSIBILITIES.index(way) if way in parts.REVERSIBILITIES else len(parts.REVERSIBILITIES),
        effect,
        way,
    )


def _data_classes(tools: list[Tool]) -> Cell:
    """The classes that the tools declare, each once, in the order of the tools; undeclared when none of them does."""
    declared = [tool.data_classes for tool in tools if tool.data_classes.declared]
    if not declared:
        return UNDECLARED
    items = tuple({item: None for cell in declared for item in cell.items})
    more = sum(cell.more for cell in declared) + max(0, len(items) - MAX_ITEMS)
    return Cell(items[:MAX_ITEMS], of_format=all(cell.of_format for cell in declared), more=more)
