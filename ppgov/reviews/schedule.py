"""Which reviews packs declare, and when each is due by the records given: computed, and nothing guessed.

Without records nothing is said about what was done; the day a pack was written starts no cadence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Literal, NamedTuple

from ppgov.audit import Audit
from ppgov.duration import Duration, after, in_words, parse
from ppgov.pack import Entity
from ppgov.reviews.completion import Completion

Status = Literal["no-records", "never-done", "scheduled", "overdue", "not-schedulable"]

_LIKE_A_COMPLETION = re.compile(
    r"complet|last[_-]?(done|run|review)|performed|done[_-]?(on|at)|next[_-]?due", re.IGNORECASE
).search


class Review(NamedTuple):
    """A review as one governance block declares it. None stands for what is not declared or cannot be read."""

    path: str
    line: int | None
    column: int | None
    pack: str | None
    version: str | None
    block: str | None  # the agent that declares it; None: the pack
    subjects: tuple[str | None, ...]  # in whose governance it is in force; None: the pack's own
    id: str | None
    type: str | None
    cadence: str | None
    owner: str | None
    obligations: tuple[str, ...]
    eval: str | None
    seeming_completions: tuple[str, ...]  # names under `extensions` that look like a completion; not read

    @property
    def duration(self) -> Duration | None:
        duration = parse(self.cadence) if self.cadence is not None else None
        return duration if duration is not None and any(duration) else None

    @property
    def cadence_in_words(self) -> str:
        duration = parse(self.cadence) if self.cadence is not None else None
        return in_words(duration) if duration is not None else ""


class Standing(NamedTuple):
    """What the records say of one review. `last` is the latest completion that is not after the moment asked about."""

    status: Status
    last: Completion | None = None
    due: datetime | None = None


def reviews_of(audit: Audit) -> list[Review]:
    """Every declared review of a pack, the pack's first, in file order."""
    return [
        _review(audit, agent, _subjects(audit, agent), entity)
        for agent, block in audit.pack.blocks()
        for entity in block.entries("reviews")
    ]


def _subjects(audit: Audit, block: str | None) -> tuple[str | None, ...]:
    """Whose `reviews` field in force is the one of this block."""
    origin = "pack" if block is None else "agent"
    return tuple(
        subject
        for subject, effective in audit.effective.items()
        if (field := effective.fields.get("reviews")) is not None
        and field.origin == origin
        and (block is None or subject == block)
    )


def _review(audit: Audit, block: str | None, subjects: tuple[str | None, ...], entity: Entity) -> Review:
    line, column = audit.source.locate(entity.pointer)
    return Review(
        audit.source.path,
        line,
        column,
        audit.pack.id,
        audit.pack.version,
        block,
        subjects,
        entity.text("id"),
        entity.text("type"),
        entity.text("cadence"),
        entity.text("owner"),
        tuple(name for _, name in entity.texts("satisfies")),
        entity.text("eval"),
        tuple(name for name in entity.mapping("extensions") if _LIKE_A_COMPLETION(name)),
    )


def standing(review: Review, records: Iterable[Completion] | None, now: datetime) -> Standing:
    """When a review was last done and is next due, by the calendar. `now` is in UTC."""
    if records is None:
        return Standing("no-records")
    done = [r for r in records if (r.pack, r.review) == (review.pack, review.id) and r.moment <= now]
    if not done:
        return Standing("never-done")
    last = max(done, key=lambda record: record.moment)
    duration = review.duration
    due = after(last.moment, duration) if duration is not None else None
    if duration is None or due is None:
        return Standing("not-schedulable", last)
    by_the_day = not any((duration.hours, duration.minutes, duration.seconds))
    late = now.date() > due.date() if by_the_day else now > due
    return Standing("overdue" if late else "scheduled", last, due)


def standing_in_words(standing: Standing) -> str:
    """One sentence of what the records say."""
    if standing.status == "no-records":
        return "no completion records given"
    if standing.last is None:
        return "the records given hold no completion: never done"
    by = f" by {standing.last.by}" if standing.last.by else ""
    done = f"last done {standing.last.written}{by}"
    if standing.due is None:
        return f"{done}; no next day can be computed from the cadence"
    timed = standing.due.time() != standing.due.min.time()
    due = standing.due.isoformat(timespec="minutes") if timed else standing.due.date().isoformat()
    return f"{done}; overdue, was due {due}" if standing.status == "overdue" else f"{done}; next due {due}"


def unused(records: Iterable[Completion], reviews: Iterable[Review], now: datetime) -> list[tuple[Completion, str]]:
    """Records that count for no review, each with the reason."""
    known = {(review.pack, review.id) for review in reviews}
    found = []
    for record in records:
        if (record.pack, record.review) not in known:
            found.append((record, f"no pack given here is '{record.pack}' with a review '{record.review}'"))
        elif record.moment > now:
            found.append((record, f"'{record.written}' lies in the future"))
    return found
