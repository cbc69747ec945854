"""The register as tables: a workbook, CSV, and the tables of the Markdown page."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache

from ppgov.register import words
from ppgov.register.counting import tables
from ppgov.register.model import Agent, Record, Register
from ppgov.visible import visible
from ppgov.workbook import Scalar, Sheet, inert, workbook

SHORT = 12  # digits of a digest where the whole one stands elsewhere

Row = tuple[Scalar, ...]


def xlsx(register: Register) -> bytes:
    """Sheets About, Agents, Tools, Obligations, Reviews, Findings and Packs."""
    return workbook(
        (
            Sheet("Agents", tuple(column.title for column in words.COLUMNS), _agents(register)),
            Sheet("Tools", TOOLS, list(_tools(register))),
            Sheet("Obligations", OBLIGATIONS, list(_obligations(register))),
            Sheet("Reviews", REVIEWS, list(_reviews(register))),
            Sheet("Findings", FINDINGS, list(_findings(register))),
            Sheet("Packs", PACKS, list(_packs(register))),
            Sheet("Counts", COUNTS, list(_counts(register))),
            Sheet("About", ("What", "Text"), list(about(register))),
        ),
        created=datetime.fromisoformat(register.generated_at),
    )


def csv_text(register: Register) -> str:
    """The agents' table, RFC 4180: UTF-8 without a byte order mark, CRLF, every field quoted, cells inert.

    A file that could not be read has a row of its own; its Remark says why.
    """
    target = io.StringIO()
    writer = csv.writer(target, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow([column.title for column in words.COLUMNS])
    for pack, agent in register.rows:
        writer.writerow([_csv_cell(column.lines(pack, agent)) for column in words.COLUMNS])
    for path, digest, reason in problems(register):
        row = {"agent": "could not be read", "digest": digest, "file": path, "remark": f"could not be read: {reason}"}
        writer.writerow([_csv_cell((row.get(column.key, ""),)) for column in words.COLUMNS])
    return target.getvalue()


def _csv_cell(lines: words.Lines) -> str | int:
    return lines if isinstance(lines, int) else _inert(words.flat(lines))


@lru_cache(maxsize=256)  # rows that inherit repeat long texts
def _inert(text: str) -> str:
    return inert(visible(text, limit=None))


def problems(register: Register) -> Iterator[tuple[str, str, str]]:
    """(path, digest, reason) of each file, or agent of a file, that could not be read."""
    for entry in register.unread:
        yield entry.path, entry.sha256, entry.problem
    for pack in register.packs:
        for reason in pack.unread_agents:
            yield pack.path, pack.sha256, reason


def _agents(register: Register) -> list[Row]:
    rows: list[Row] = []
    for pack, agent in register.rows:
        rows.append(tuple(_sheet_cell(column, column.lines(pack, agent)) for column in words.COLUMNS))
    for path, digest, reason in problems(register):
        row = {"agent": "could not be read", "digest": digest[:SHORT], "file": path, "remark": reason}
        rows.append(tuple(row.get(column.key) for column in words.COLUMNS))
    return rows


def _sheet_cell(column: words.Column, lines: words.Lines) -> Scalar:
    if isinstance(lines, int):
        return lines
    return lines[0][:SHORT] if column.key == "digest" else "\n".join(lines) or None


TOOLS = (
    *("Pack", "Version", "File", "Line", "Tool", "Description", "Effect", "Reversibility", "Data classes"),
    *("Reached by (computed)", "Agents that reach it (computed)"),
)


def _tools(register: Register) -> Iterator[Row]:
    for pack in register.packs:
        for tool in pack.tools:
            told = (words.cell(tool.effect), words.cell(tool.reversibility), words.cell(tool.data_classes))
            by = tool.reached_by or ("nobody",)
            yield (
                *(pack.id, pack.version, pack.path, tool.line, tool.key, tool.description),
                *("\n".join(lines) for lines in told),
                "\n".join(by),
                len(tool.reached_by),
            )


OBLIGATIONS = (
    *("Pack", "Version", "File", "Line", "Agent", "Declared by", "Obligation", "Term", "Applies to (not a filter)"),
    *("Note", "field controls", "validator controls", "eval controls", "external controls"),
    *("Controls that cannot be read", "Controls found and switched on (external ones not counted)", "Remark"),
)
_KINDS = ("field", "validator", "eval", "external")


def _obligations(register: Register) -> Iterator[Row]:
    for pack, agent in register.rows:
        for row in agent.obligations:
            by_kind = [
                "\n".join(words.reference(one) for one in row.controls if one.kind == kind) or None for kind in _KINDS
            ]
            yield (
                *(pack.id, pack.version, pack.path, row.line, words.subject(agent), row.origin),
                *(row.id or "(no id)", words.flat(words.cell(row.term))),
                "\n".join(row.applies_to) or words.NOT_DECLARED,
                words.flat(words.cell(row.note)),
                *by_kind,
                row.malformed,
                sum(one.outcome == "resolved" for one in row.controls),
                row.remark or None,
            )
        if not agent.obligations:
            yield (*_silent(pack, agent, words.obligations(agent)), *([None] * (len(OBLIGATIONS) - 7)))


def _silent(pack: Record, agent: Agent, lines: tuple[str, ...]) -> Row:
    return (pack.id, pack.version, pack.path, None, words.subject(agent), None, "\n".join(lines))


REVIEWS = (
    *("Pack", "Version", "File", "Line", "Agent", "Declared by", "Review", "Type", "Cadence", "Cadence in words"),
    *("Owner", "Obligations that it serves", "Eval"),
)


def _reviews(register: Register) -> Iterator[Row]:
    for pack, agent in register.rows:
        for row in agent.reviews:
            yield (
                *(pack.id, pack.version, pack.path, row.line, words.subject(agent), row.origin),
                *(row.id or "(no id)", words.flat(words.cell(row.type)), words.flat(words.cell(row.cadence))),
                row.cadence_words or None,
                words.flat(words.cell(row.owner)),
                "\n".join(words.reference(one) for one in row.satisfies) or words.NOT_DECLARED,
                words.reference(row.eval) if row.eval is not None else words.NOT_DECLARED,
            )
        if not agent.reviews:
            yield (*_silent(pack, agent, words.reviews(agent)), *([None] * (len(REVIEWS) - 7)))


FINDINGS = ("Pack", "Version", "File", "Line", "Column", "Level", "Rule", "Name", "Message", "Hint", "Pointer")


def _findings(register: Register) -> Iterator[Row]:
    for pack in register.packs:
        for one in pack.findings:
            yield (
                *(pack.id, pack.version, pack.path, one.line, one.column, one.level, one.rule, one.name),
                *(one.message, one.hint or None, one.pointer),
            )
    for path, _, reason in problems(register):
        yield (None, None, path, None, None, "error", None, "could not be read", reason, None, None)


PACKS = ("Pack", "Version", "File", "SHA-256", "Rows", "Errors", "Warnings", "Notes", "Report", "Remark")


def _packs(register: Register) -> Iterator[Row]:
    for pack in register.packs:
        yield (
            *(pack.id or f"id {words.NOT_DECLARED}", pack.version or words.NOT_DECLARED, pack.path, pack.sha256),
            *(len(pack.agents), *pack.counts, pack.report or None, words.twins(pack) or None),
        )
    for path, digest, reason in problems(register):
        yield (None, None, path, digest or None, 0, None, None, None, None, f"could not be read: {reason}")


COUNTS = ("Table", "Row", "Column", "Number", "Of")


def _counts(register: Register) -> Iterator[Row]:
    """The numbers of the page's pictures."""
    for table in tables(register):
        for row in table.rows:
            for column, number in zip(table.columns, row.numbers, strict=True):
                yield table.title, row.label, column, number, table.total


def about(register: Register) -> Iterator[tuple[str, str]]:
    yield "Made by", register.tool
    yield "Made at", register.generated_at
    for line in register.vocabularies:
        yield "Vocabulary", line
    yield from summary(register)
    for sentence in words.COMPUTED:
        yield "How to read it", sentence
    for sentence in words.IS_NOT:
        yield "What it is not", sentence


def summary(register: Register) -> Iterator[tuple[str, str]]:
    agents = [agent for _, agent in register.rows]
    own = sum(agent.key is None for agent in agents)
    yield "Packs", f"{len(register.packs):,} read, {len(register.unread):,} could not be read"
    yield "Rows", f"{len(agents):,}: {words.many(len(agents) - own, 'agent')}, {words.many(own, 'pack')} without agents"
    if lost := sum(len(pack.unread_agents) for pack in register.packs):
        yield "Agents that could not be read", f"{lost:,}"
    if twins := sum(bool(pack.twins) for pack in register.packs):
        yield "Same id and version, other content", words.many(twins, "pack")
    found = [sum(pack.counts[index] for pack in register.packs) for index in range(3)]
    yield "Findings", ", ".join(words.many(*pair) for pair in zip(found, ("error", "warning", "note"), strict=True))


def markdown_sections(register: Register) -> list[tuple[str, list[str], list[list[str]]]]:
    """(heading, header, rows) of the tables that the Markdown template writes; texts are still as in the pack."""
    columns = words.COLUMNS
    rows = [[_md_cell(column, column.lines(pack, agent)) for column in columns] for pack, agent in register.rows]
    found = [("Agents", [column.title for column in columns], rows)]
    lost = [[path, digest[:SHORT], reason] for path, digest, reason in problems(register)]
    if lost:
        found.append(("Could not be read", ["File", "SHA-256", "Reason"], lost))
    for table in tables(register):
        numbers = [[row.label, *(f"{number:,}" for number in row.numbers)] for row in table.rows]
        found.append((table.title, [table.corner, *table.columns], numbers))
    return found


def _md_cell(column: words.Column, lines: words.Lines) -> str:
    if isinstance(lines, int):
        return str(lines)
    return lines[0][:SHORT] if column.key == "digest" else "; ".join(words.bounded(lines))
