"""The numbers behind the register's pictures: in each table they add up to its total, silence in a place of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ppgov import duration
from ppgov.pack import CONTROL_KINDS
from ppgov.register import words
from ppgov.register.build import AUTONOMY, axis_text
from ppgov.register.model import Agent, Cell, Register, Review
from ppgov.report.parts import EFFECTS

MOST_OWNERS, MOST_CADENCES, MOST_CLASSES, MOST_LEVELS = 12, 8, 14, 12


class TableRow(NamedTuple):
    """`numbers` one a column; `beside` what stands next to them and is not part of the sum. `silent`: not declared."""

    label: str
    numbers: tuple[int, ...]
    beside: tuple[int, ...] = ()
    silent: bool = False


class Share(NamedTuple):
    """`part` of `whole`, in words."""

    text: str
    part: int
    whole: int


class Table(NamedTuple):
    """`unit` says what is counted; `silent_columns` are the columns for what is not declared."""

    key: str
    title: str
    unit: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    total: int
    beside: tuple[str, ...] = ()
    silent_columns: tuple[int, ...] = ()
    shares: tuple[Share, ...] = ()

    def column_total(self, index: int) -> int:
        return sum(row.numbers[index] for row in self.rows)


def tables(register: Register) -> tuple[Table, ...]:
    rows = tuple(agent for _, agent in register.rows)
    effects = {(pack.path, tool.key): axis_text(tool.effect) for pack in register.packs for tool in pack.tools}
    reached = [[effects[pack.path, key] for key in agent.tools] for pack, agent in register.rows]
    return (_autonomy(rows, reached), _controls(rows), _reviews(rows), _risk(rows))


def _autonomy(rows: Sequence[Agent], reached: Sequence[Sequence[str]]) -> Table:
    levels = [axis_text(agent.fields["autonomy_level"]) for agent in rows]
    shown = _known(AUTONOMY, levels, MOST_LEVELS)
    columns = _known(EFFECTS, (effect for found in reached for effect in found), len(EFFECTS) + 3)
    cells: Counter[tuple[str, str]] = Counter()
    agents: Counter[str] = Counter()
    toolless: Counter[str] = Counter()
    for written, found in zip(levels, reached, strict=True):
        level = _shown(written, shown, _OTHER_VALUES)
        cells.update((level, _shown(effect, columns, _OTHER_VALUES)) for effect in found)
        agents[level] += 1
        toolless[level] += not found
    total = sum(len(found) for found in reached)
    silent_effects = sum(effect == "" for found in reached for effect in found)
    return Table(
        key="autonomy",
        title="Autonomy level by declared effect",
        unit="tools reached (computed), each counted once for every agent that reaches it",
        corner="Autonomy level",
        columns=tuple(_effect(effect) for effect in columns),
        rows=tuple(
            TableRow(
                _level(level),
                tuple(cells[level, effect] for effect in columns),
                (agents[level], toolless[level]),
                silent=not level,
            )
            for level in shown
        ),
        total=total,
        beside=("Agents", "of them reaching no tool"),
        silent_columns=tuple(index for index, effect in enumerate(columns) if not effect),
        shares=(
            Share("rows whose autonomy level is not declared", levels.count(""), len(rows)),
            Share("tools reached whose effect is not declared", silent_effects, total),
        ),
    )


def _level(name: str) -> str:
    return name if name in (*AUTONOMY, _OTHER_VALUES) else f"{name} (not of the format)" if name else words.NOT_DECLARED


def _effect(name: str) -> str:
    if name == "external":
        return "external (implies write)"
    return name if name in (*EFFECTS, _OTHER_VALUES) else f"{name} (not of the format)" if name else words.NOT_DECLARED


_LEADS = {
    "found": ("resolved",),
    "switched off": ("disabled",),
    "not found": ("unresolved", "field-undeclared", "unknown-field"),
    "handled elsewhere": ("not-resolvable",),
    "cannot be read": (),
}


def _controls(rows: Sequence[Agent]) -> Table:
    obligations = [obligation for agent in rows for obligation in agent.obligations]
    leads = {outcome: name for name, outcomes in _LEADS.items() for outcome in outcomes}
    cells: Counter[tuple[str, str]] = Counter()
    having: Counter[str] = Counter()
    only: Counter[str] = Counter()
    for obligation in obligations:
        kinds = {control.kind for control in obligation.controls} | ({"unread"} if obligation.malformed else set())
        having.update(kinds)
        only.update(kinds if len(kinds) == 1 else ())
        cells.update((control.kind, leads[control.outcome]) for control in obligation.controls)
        cells["unread", "cannot be read"] += obligation.malformed
    labels = {
        "field": "field (declared)",
        "validator": "validator (enforced)",
        "eval": "eval (watched)",
        "external": "external (handled elsewhere)",
        "unread": "cannot be read",
    }
    shown = (*CONTROL_KINDS, "unread") if having["unread"] else CONTROL_KINDS
    columns = tuple(name for name in _LEADS if name != "cannot be read" or having["unread"])
    bare = sum(not obligation.controls and not obligation.malformed for obligation in obligations)
    return Table(
        key="controls",
        title="Obligations by control kind",
        unit="controls of the obligations in force; one that several agents inherit counts for each",
        corner="Control kind",
        columns=columns,
        rows=tuple(
            TableRow(labels[kind], tuple(cells[kind, name] for name in columns), (having[kind], only[kind]))
            for kind in shown
        ),
        total=sum(cells.values()),
        beside=("Obligations with one", "with no other kind"),
        shares=(
            Share("rows whose obligations are not declared", _silent(a.obligation_list for a in rows), len(rows)),
            Share("obligations without any control", bare, len(obligations)),
        ),
    )


def _reviews(rows: Sequence[Agent]) -> Table:
    reviews = [review for agent in rows for review in agent.reviews]
    owners = _most((_text(review.owner) for review in reviews), MOST_OWNERS, _OTHER_OWNERS)
    cadences = _cadences(reviews)
    cells: Counter[tuple[str, str]] = Counter(
        (_shown(_text(review.owner), owners, _OTHER_OWNERS), _shown(_cadence(review), cadences, _OTHER_CADENCES))
        for review in reviews
    )
    return Table(
        key="reviews",
        title="Reviews by cadence and owner",
        unit="reviews in force; one that several agents inherit counts for each",
        corner="Owner",
        columns=tuple(cadence or words.NOT_DECLARED for cadence in cadences),
        rows=tuple(
            TableRow(owner or words.NOT_DECLARED, tuple(cells[owner, name] for name in cadences), silent=not owner)
            for owner in owners
        ),
        total=len(reviews),
        silent_columns=tuple(index for index, cadence in enumerate(cadences) if not cadence),
        shares=(
            Share("rows whose reviews are not declared", _silent(agent.review_list for agent in rows), len(rows)),
            Share("reviews whose owner is not declared", _silent(review.owner for review in reviews), len(reviews)),
            Share("reviews whose cadence is not declared", _silent(r.cadence for r in reviews), len(reviews)),
        ),
    )


def _risk(rows: Sequence[Agent]) -> Table:
    found = [_text(agent.fields["risk_classification"]) for agent in rows]
    shown = _most(found, MOST_CLASSES, _OTHER_VALUES)
    counts = Counter(_shown(name, shown, _OTHER_VALUES) for name in found)
    return Table(
        key="risk",
        title="Agents by risk classification",
        unit="rows of the register: agents, and packs without agents",
        corner="Risk classification as written",
        columns=("Rows",),
        rows=tuple(TableRow(name or words.NOT_DECLARED, (counts[name],), silent=not name) for name in shown),
        total=len(rows),
        shares=(Share("rows whose risk classification is not declared", counts[""], len(rows)),),
    )


_OTHER_VALUES, _OTHER_OWNERS, _OTHER_CADENCES = "all other values", "all other owners", "all other cadences"


def _text(cell: Cell) -> str:
    """What a cell says, on one line; empty for silence only."""
    return words.flat(words.cell(cell)) if cell.declared else ""


def _silent(cells: Iterable[Cell]) -> int:
    return sum(not cell.declared for cell in cells)


def _cadence(review: Review) -> str:
    if not review.cadence.declared:
        return ""
    return review.cadence_words or f"no duration: {review.cadence.text}"


def _cadences(reviews: Sequence[Review]) -> tuple[str, ...]:
    """The cadences in use, the shortest first, then what is no duration, then silence."""
    spans = {_cadence(review): _span(review) for review in reviews}
    return _most(
        (_cadence(review) for review in reviews), MOST_CADENCES, _OTHER_CADENCES, lambda name: (spans[name], name)
    )


def _span(review: Review) -> int:
    parsed = duration.parse(review.cadence.text)
    return duration.max_days(parsed) if parsed is not None else 10**12


def _known(known: tuple[str, ...], found: Iterable[str], most: int) -> tuple[str, ...]:
    """The format's values, what packs wrote beside them, and "" for silence."""
    others = tuple(sorted({name for name in found if name and name not in known}))
    kept = others if len(others) <= most - len(known) else (*others[: most - len(known) - 1], _OTHER_VALUES)
    return tuple(dict.fromkeys((*known, *kept, "")))


def _by_name(name: str) -> tuple[int, str]:
    return 0, name.casefold()


def _most(
    found: Iterable[str], most: int, other: str, order: Callable[[str], tuple[int, str]] = _by_name
) -> tuple[str, ...]:
    """The names written most often, in the given order, then the rest under one name, then "" for silence."""
    counts = Counter(name for name in found if name)
    frequent = sorted(counts, key=lambda name: (-counts[name], name))
    if len(frequent) <= most:
        return (*sorted(frequent, key=order), "")
    return tuple(dict.fromkeys((*sorted(frequent[: most - 1], key=order), other, "")))


def _shown(name: str, shown: Sequence[str], other: str) -> str:
    return name if name in shown else other
