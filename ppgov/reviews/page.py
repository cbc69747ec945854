"""Recurring reviews as text, JSON and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

from ppgov.output import to_json
from ppgov.reviews.schedule import Review, Standing, standing_in_words
from ppgov.visible import visible
from ppgov.workbook import inert

Row = tuple[Review, Standing]
_COLUMNS = (
    "path", "line", "pack", "version", "declared by", "in force for", "review", "type", "cadence", "cadence in words",
    "owner", "obligations", "eval", "status", "last done", "by", "record", "next due",
)  # fmt: skip


def reviews_text(rows: Iterable[Row]) -> Iterator[str]:
    """Lines for a terminal, four a review."""
    for review, standing in rows:
        cadence = f"{review.cadence} ({review.cadence_in_words})" if review.cadence_in_words else review.cadence
        yield visible(
            f"{review.path}:{review.line}:{review.column}: {_or_not(review.id)}, {_or_not(review.type)}, "
            f"cadence {_or_not(cadence)}, owner {_or_not(review.owner)}"
        )
        served = ", ".join(review.obligations) or "no obligation named"
        yield visible(f"    serves {served}; eval {review.eval or 'none named'}")
        yield visible(f"    declared by {_block(review)}, in force for {', '.join(_subjects(review)) or 'nobody'}")
        yield visible(f"    {standing_in_words(standing)}")


def reviews_json(rows: Iterable[Row], now: str) -> str:
    return to_json({"format": "ppgov-reviews/1", "now": now, "reviews": [_entry(*row) for row in rows]})


def _entry(review: Review, standing: Standing) -> dict[str, object]:
    last = standing.last
    return {
        "path": review.path,
        "line": review.line,
        "column": review.column,
        "pack": review.pack,
        "version": review.version,
        "declared_by": review.block,
        "in_force_for": list(review.subjects),
        "id": review.id,
        "type": review.type,
        "cadence": review.cadence,
        "cadence_in_words": review.cadence_in_words or None,
        "owner": review.owner,
        "obligations": list(review.obligations),
        "eval": review.eval,
        "status": standing.status,
        "last_done": last.written if last else None,
        "by": (last.by or None) if last else None,
        "record": (last.record or None) if last else None,
        "next_due": standing.due.isoformat() if standing.due else None,
    }


def reviews_csv(rows: Iterable[Row]) -> str:
    """RFC 4180, each cell made safe for a spreadsheet."""
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(_COLUMNS)
    for review, standing in rows:
        last = standing.last
        cells = (
            review.path, str(review.line or ""), _or_not(review.pack), _or_not(review.version), _block(review),
            ", ".join(_subjects(review)), _or_not(review.id), _or_not(review.type), _or_not(review.cadence),
            review.cadence_in_words, _or_not(review.owner), ", ".join(review.obligations), review.eval or "",
            standing.status, last.written if last else "", last.by if last else "", last.record if last else "",
            standing.due.isoformat() if standing.due else "",
        )  # fmt: skip
        writer.writerow([inert(cell) for cell in cells])
    return stream.getvalue()


def _or_not(value: str | None) -> str:
    return "not declared" if value is None else value or '""'


def _block(review: Review) -> str:
    return "the pack" if review.block is None else f"agent {review.block}"


def _subjects(review: Review) -> list[str]:
    return ["the pack" if subject is None else subject for subject in review.subjects]
