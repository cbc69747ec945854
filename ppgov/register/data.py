"""The register's data as JSON, `ppgov-register/1`: docs/register.md describes every property."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from ppgov.register.counting import Table, tables
from ppgov.register.model import FORMAT, Agent, Cell, Control, Item, Obligation, Record, Register, Review, Tool
from ppgov.register.sheets import problems


def json_text(register: Register) -> str:
    """`ppgov-register/1`, one line a pack: a fleet's register is large, and a line can be read alone."""
    head = {
        "format": FORMAT,
        "ppgov": register.tool.removeprefix("ppgov "),
        "generated_at": register.generated_at,
        "vocabularies": list(register.vocabularies),
        "summary": dict(summary_numbers(register)),
    }
    unread = [{"path": path, "sha256": digest or None, "reason": reason} for path, digest, reason in problems(register)]
    counts = [_table_json(table) for table in tables(register)]
    members = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in head.items()]
    members += [
        f'"packs": {_lines(_pack_json(pack) for pack in register.packs)}',
        f'"unread": {_lines(unread)}',
        f'"counts": {_lines(counts)}',
    ]
    return "{\n" + ",\n".join(members) + "\n}\n"


def _lines(entries: Iterable[Mapping[str, object]]) -> str:
    return "[" + ",".join("\n" + json.dumps(entry) for entry in entries) + "\n]"


def summary_numbers(register: Register) -> Iterator[tuple[str, int]]:
    agents = [agent for _, agent in register.rows]
    yield "packs", len(register.packs)
    yield "unread", sum(1 for _ in problems(register))
    yield "rows", len(agents)
    yield "agents", sum(agent.key is not None for agent in agents)
    for index, name in enumerate(("errors", "warnings", "notes")):
        yield name, sum(pack.counts[index] for pack in register.packs)


def _table_json(table: Table) -> dict[str, object]:
    return {
        "title": table.title,
        "columns": list(table.columns),
        "rows": [{"label": row.label, "numbers": list(row.numbers)} for row in table.rows],
        "total": table.total,
    }


def _pack_json(pack: Record) -> dict[str, object]:
    return {
        "path": pack.path,
        "id": pack.id or None,
        "version": pack.version or None,
        "sha256": pack.sha256,
        "same_id_and_version": {"others": pack.twin_count, "paths": list(pack.twins)},
        "report": pack.report or None,
        "providers": _cell_json(pack.providers),
        "agents": [_agent_json(agent) for agent in pack.agents],
        "tools": [_tool_json(tool) for tool in pack.tools],
        "counts": pack.counts._asdict(),
        "findings": [finding._asdict() for finding in pack.findings],
    }


def _agent_json(agent: Agent) -> dict[str, object]:
    return {
        "agent": agent.key,
        "fields": {name: _cell_json(value) for name, value in agent.fields.items()},
        "computed": {
            "tools": list(agent.tools),
            "consequences": [
                {
                    "effect": pair.effect or None,
                    "reversibility": pair.reversibility or None,
                    "tools": pair.tools,
                }
                for pair in agent.consequences
                if pair.effect or pair.reversibility
            ],
            "tools_undeclared": agent.tools_undeclared,
            "data_classes": _cell_json(agent.data_classes),
            "data_classes_undeclared": agent.data_classes_undeclared,
            "tested_models": _cell_json(agent.tested_models),
        },
        "obligations": _list_json(agent.obligation_list, [_obligation_json(row) for row in agent.obligations]),
        "reviews": _list_json(agent.review_list, [_review_json(row) for row in agent.reviews]),
    }


def _item_json(item: Item) -> dict[str, str | None]:
    return {"written": item.text, "iri": item.iri or None, "label": item.label or None}


def _cell_json(cell: Cell) -> dict[str, object]:
    if not cell.declared:
        return {"declared": False}
    return {
        "declared": cell.declared,
        "origin": cell.origin or None,
        "of_format": cell.of_format,
        "values": [_item_json(item) for item in cell.items],
        "left_out": cell.more,
    }


def _list_json(held: Cell, entries: list[dict[str, object]]) -> dict[str, object]:
    if not held.declared:
        return {"declared": False, "entries": []}
    return {
        "declared": True,
        "origin": held.origin or None,
        "of_format": held.of_format,
        "entries": entries,
        "not_entries": [item.text for item in held.items],
    }


def _obligation_json(row: Obligation) -> dict[str, object]:
    return {
        "id": row.id or None,
        "term": _cell_json(row.term),
        "applies_to": list(row.applies_to),
        "note": _cell_json(row.note),
        "controls": [_control_json(one) for one in row.controls],
        "controls_unread": row.malformed,
        "remark": row.remark or None,
        "origin": row.origin,
        "pointer": row.pointer,
        "line": row.line,
    }


def _control_json(one: Control) -> dict[str, str]:
    return {"kind": one.kind, "written": one.written, "outcome": one.outcome}


def _review_json(row: Review) -> dict[str, object]:
    return {
        "id": row.id or None,
        "type": _cell_json(row.type),
        "cadence": _cell_json(row.cadence),
        "cadence_in_words": row.cadence_words or None,
        "owner": _cell_json(row.owner),
        "satisfies": [_control_json(one) for one in row.satisfies],
        "eval": _control_json(row.eval) if row.eval is not None else None,
        "origin": row.origin,
        "pointer": row.pointer,
        "line": row.line,
    }


def _tool_json(tool: Tool) -> dict[str, object]:
    return {
        "tool": tool.key,
        "description": tool.description,
        "effect": _cell_json(tool.effect),
        "reversibility": _cell_json(tool.reversibility),
        "data_classes": _cell_json(tool.data_classes),
        "reached_by": list(tool.reached_by),
        "line": tool.line,
    }
