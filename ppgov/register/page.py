"""The register as one self-contained page, and as Markdown."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import NamedTuple

from ppgov import render
from ppgov.picture import Svg
from ppgov.register import words
from ppgov.register.build import AUTONOMY, axis_text
from ppgov.register.counting import Table, tables
from ppgov.register.figures import draw
from ppgov.register.model import Agent, Record, Register
from ppgov.register.sheets import SHORT, about, markdown_sections, problems
from ppgov.report.parts import EFFECTS
from ppgov.visible import visible


class Head(NamedTuple):
    """A column of the page: several of the register's columns can stand in one."""

    key: str
    title: str
    group: str


class Choice(NamedTuple):
    """A filter: its options, each with the number by which rows name it."""

    key: str
    label: str
    options: dict[str, int]


class PageRow(NamedTuple):
    """A row's cells as markup, and the numbers of the options that it falls under, by filter."""

    cells: Svg
    choices: tuple[tuple[str, str], ...]


class Figure(NamedTuple):
    table: Table
    svg: Svg


HEADS = (
    Head("agent", "Agent", ""),
    Head("pack", "Pack", ""),
    Head("purpose", "Intended purpose", "accountability"),
    Head("owner", "Accountable owner", "accountability"),
    Head("autonomy", "Autonomy level", "accountability"),
    Head("role", "Operator role", "accountability"),
    Head("risk", "Risk classification", "accountability"),
    Head("contexts", "Deployment contexts", "use"),
    Head("capabilities", "Capabilities", "use"),
    Head("environments", "Approved environments", "use"),
    Head("disclosure", "AI disclosure required", "use"),
    Head("tools", "Tools reached", "consequence"),
    Head("consequences", "Effect and reversibility of the tools reached", "consequence"),
    Head("data_classes", "Data classes of the tools reached", "consequence"),
    Head("obligations", "Obligations", "duties"),
    Head("controls", "Controls by kind", "duties"),
    Head("reviews", "Reviews", "duties"),
    Head("providers", "Providers that the pack requires", "models"),
    Head("models", "Tested models of the prompts reached", "models"),
    Head("errors", "Errors in the pack", "findings"),
    Head("warnings", "Warnings in the pack", "findings"),
    Head("notes", "Notes on the pack", "findings"),
)
# What stands in a column follows from the file by computation; the head says so.
COMPUTED = frozenset(("tools", "consequences", "data_classes", "models"))
GROUPS = (
    ("accountability", "Accountability", True),
    ("use", "Use", False),
    ("consequence", "Tools and data", True),
    ("duties", "Obligations and reviews", False),
    ("models", "Models", False),
    ("findings", "Findings", True),
)
_BY_KEY = {column.key: column for column in words.COLUMNS}
_SILENT = (words.NOT_DECLARED,)
# Short terms follow one another on a line; what is a statement of its own has its own line.
_TERMS = frozenset(("contexts", "capabilities", "environments", "data_classes"))


def html(register: Register) -> str:
    figures = tuple(Figure(table, draw(table)) for table in tables(register))
    filters = _filters(register)
    return render.page(
        "register.html.j2",
        styles=("page.css", "screen.css", "register.css"),
        scripts=("register_head.js", "register.js"),
        rules=_rules(),
        register=register,
        about=tuple(about(register)),
        is_not=words.IS_NOT,
        how=words.COMPUTED,
        figures=figures,
        heads=HEADS,
        computed=COMPUTED,
        groups=GROUPS,
        filters=filters,
        silences=tuple((index + 1, head.title) for index, head in enumerate(HEADS) if head.key in _CAN_BE_SILENT),
        rows=tuple(_row(pack, agent, filters) for pack, agent in register.rows),
        problems=tuple(problems(register)),
        counts={"rows": len(register.rows)},
        short=SHORT,
    )


_CAN_BE_SILENT = frozenset(
    (
        *("purpose", "owner", "autonomy", "role", "risk", "contexts", "capabilities", "environments", "disclosure"),
        *("consequences", "data_classes", "obligations", "reviews", "providers", "models"),
    )
)


def _rules() -> str:
    """Which cells a hidden group has, and the label of each cell where rows stand as cards (paper, small screens)."""
    rules = []
    for group, _, _ in GROUPS:
        numbers = [index for index, head in enumerate(HEADS, 1) if head.group == group]
        span = f":nth-child(n+{numbers[0]}):nth-child(-n+{numbers[-1]})"
        rules.append(f"#agents.no-{group} :is(tr > *, col){span}{{display:none}}")
    labels = "".join(
        f'#agents td:nth-child({index})::before{{content:"{head.title}: "}}' for index, head in enumerate(HEADS, 1)
    )
    return "\n" + "\n".join(rules) + f"\n@media print, (max-width: 46rem){{{labels}}}\n"


def _filters(register: Register) -> tuple[Choice, ...]:
    rows = register.rows
    levels = {axis_text(agent.fields["autonomy_level"]) for _, agent in rows}
    effects = {pair.effect for _, agent in rows for pair in agent.consequences}
    return (
        Choice("autonomy", "Autonomy level", _ordered(AUTONOMY, levels)),
        Choice("effect", "Effect of a tool reached", _ordered(EFFECTS, effects)),
        Choice("risk", "Risk classification", _ordered((), {_flat(agent, "risk_classification") for _, agent in rows})),
        Choice("owner", "Accountable owner", _ordered((), {_flat(agent, "accountable_owner") for _, agent in rows})),
    )


def _ordered(known: tuple[str, ...], found: set[str]) -> dict[str, int]:
    """The format's values that occur, then the others by name, then silence as ""."""
    others = sorted((name for name in found if name and name not in known), key=lambda name: (name.casefold(), name))
    names = (*(name for name in known if name in found), *others, *([""] if "" in found else []))
    return {name: number for number, name in enumerate(names)}


def _flat(agent: Agent, field: str) -> str:
    cell = agent.fields[field]
    return words.cut(words.flat(words.cell(cell))) if cell.declared else ""


def _row(pack: Record, agent: Agent, filters: tuple[Choice, ...]) -> PageRow:
    values = {
        "autonomy": {axis_text(agent.fields["autonomy_level"])},
        "effect": {pair.effect for pair in agent.consequences},
        "risk": {_flat(agent, "risk_classification")},
        "owner": {_flat(agent, "accountable_owner")},
    }
    choices = tuple(
        (choice.key, " ".join(str(number) for number in sorted(choice.options[name] for name in values[choice.key])))
        for choice in filters
    )
    return PageRow(Svg("".join(_cell(head, pack, agent) for head in HEADS)), choices)


def _cell(head: Head, pack: Record, agent: Agent) -> str:
    if head.key == "agent":
        name = f"<i>{_brief(words.subject(agent))}</i>" if agent.key is None else _brief(agent.key or '""')
        return f'<th scope="row">{name}</th>'
    if head.key == "pack":
        return f"<td>{_pack(pack)}</td>"
    lines = _BY_KEY[head.key].lines(pack, agent)
    if isinstance(lines, int):
        return f"<td>{lines}</td>"
    silent = lines == _SILENT
    if head.key == "autonomy" and not silent:
        lines = (*lines, f"({words.origin(agent.fields['autonomy_level'], agent)})")
    if head.key == "consequences" and agent.tools_undeclared:
        lines = (*lines, f"neither declared: {words.many(agent.tools_undeclared, 'tool')}")
        silent = False
        lines = lines[1:] if lines[0] == words.NOT_DECLARED else lines
    if silent:
        return f'<td class="n">{words.NOT_DECLARED}</td>'
    if head.key in _TERMS:
        told = len(lines) - bool(head.key == "data_classes" and agent.tools and agent.data_classes_undeclared)
        lines = ("; ".join(words.bounded(lines[:told])), *lines[told:])
        return f"<td>{'<br>'.join(_safe(line) for line in lines)}</td>"
    return f"<td>{'<br>'.join(_safe(line) for line in words.bounded(lines))}</td>"


def _brief(text: str) -> str:
    return _safe(words.cut(text))


@lru_cache(maxsize=1024)  # rows that inherit repeat long texts
def _safe(text: str) -> str:
    return escape(visible(text, limit=None))


def _pack(pack: Record) -> str:
    """Name, version, digest, file, and the way to the report."""
    name = _brief(pack.id) if pack.id else f"<i>id {words.NOT_DECLARED}</i>"
    version = _brief(pack.version) if pack.version else f"<i>version {words.NOT_DECLARED}</i>"
    parts = [
        f"<b>{name}</b> {version}",
        f"<small>{_brief(pack.path)}<br>SHA-256 {pack.sha256[:SHORT]}…</small>",
    ]
    if pack.report:
        parts.append(f'<a href="{escape(pack.report)}">Report<span class="unseen"> on {name} {version}</span></a>')
    if pack.twins:
        parts.append(f'<span class="mark">{_brief(words.twins(pack))}</span>')
    return "<br>".join(parts)


def markdown(register: Register) -> str:
    """GitHub-flavoured Markdown, for a wiki or a pull request."""
    return render.text_page(
        "register.md.j2",
        register=register,
        about=tuple(about(register)),
        figures=tables(register),
        sections=markdown_sections(register),
        reports=tuple((pack.id, pack.version, Svg(pack.report)) for pack in register.packs if pack.report),
    )
