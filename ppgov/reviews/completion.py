"""Completion records: JSON Lines, one completed review a line, `vocab/schemas/review-completion-1.schema.json`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from ppgov.document import MAX_BYTES, parse_document
from ppgov.errors import InputError, UnreadableError
from ppgov.source import read_bytes

SCHEMA = "review-completion-1"


class Completion(NamedTuple):
    """One review done. `moment` is in UTC, the start of the day where only a day is written."""

    pack: str
    review: str
    moment: datetime
    written: str
    by: str
    record: str
    place: str  # path:line


def read_completions(path: str) -> tuple[Completion, ...]:
    """Every record of a file, in its order; empty lines are passed over. Raises InputError with path and line."""
    try:
        raw = read_bytes(path, MAX_BYTES)
    except UnreadableError as error:
        raise InputError(f"{path}: {error.message}", error.advice) from error
    if len(raw) > MAX_BYTES:
        raise InputError(f"{path}: larger than {MAX_BYTES:,} bytes", "split the file")
    found = []
    for number, line in enumerate(raw.split(b"\n"), start=1):
        if line.strip():
            found.append(_completion(line, f"{path}:{number}"))
    return tuple(found)


def _completion(line: bytes, place: str) -> Completion:
    if not line.lstrip().startswith(b"{"):
        raise InputError(f"{place}: not a JSON object", 'a line is {"pack": ..., "review": ..., "completed": ...}')
    data = parse_document(line, f"{place}.json", SCHEMA, shown=place).data
    written = data["completed"]
    try:
        moment = datetime.fromisoformat(written)
        moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError) as error:
        raise InputError(f"{place}: no day of the calendar: '{written}'", "write it like 2026-05-01") from error
    by, record = data.get("by", ""), data.get("record", "")
    return Completion(data["pack"], data["review"], moment, written, by, record, place)
