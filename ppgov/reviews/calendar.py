"""Recurring reviews as an iCalendar file (RFC 5545): one event a review, read by any calendar program."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from ppgov import __version__
from ppgov.duration import Duration
from ppgov.reviews.schedule import Review, Standing, standing_in_words

if TYPE_CHECKING:
    import icalendar

_SPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://w3id.org/ppgov/ns#Review")
_NOTICE = timedelta(days=7)


def calendar(rows: Iterable[tuple[Review, Standing]], now: datetime) -> bytes:
    """One event a review. `now`, in UTC, is the stamp, and the start where no record gives one."""
    import icalendar

    result = icalendar.Calendar()
    result.add("prodid", f"-//ppgov//ppgov {__version__}//EN")
    result.add("version", "2.0")
    result.add("calscale", "GREGORIAN")
    result.add("x-wr-calname", "PromptPack reviews")
    seen: set[str] = set()
    for review, standing in rows:
        uid = event_uid(review)
        duration = review.duration
        if duration is not None and uid not in seen:
            seen.add(uid)
            result.add_component(_event(review, duration, standing, uid, now))
    content: bytes = result.to_ical()
    return content


def event_uid(review: Review) -> str:
    """The same for every version of a pack: made of the pack's id, the agent that declares the review, and its id."""
    name = "\n".join(str(part) for part in (review.pack, review.block or "", review.id))
    return f"{uuid.uuid5(_SPACE, name)}@ppgov"


def _event(review: Review, duration: Duration, standing: Standing, uid: str, now: datetime) -> icalendar.Event:
    import icalendar

    timed = any((duration.hours, duration.minutes, duration.seconds))
    moment = standing.due or now
    start: date = moment if timed else moment.date()
    event = icalendar.Event()
    event.add("uid", uid)
    event.add("dtstamp", now)
    event.add("dtstart", start)
    event.add("summary", f"Review {review.id or 'without id'} of {review.pack or 'a pack without id'}")
    event.add("description", _description(review, standing))
    event.add("transp", "TRANSPARENT")
    rule = recurrence(duration, start)
    if rule:
        event.add("rrule", rule)
    alarm = icalendar.Alarm()
    alarm.add("action", "DISPLAY")
    alarm.add("description", f"Review {review.id or ''} of {review.pack or ''} is due")
    alarm.add("trigger", -_NOTICE if not timed else timedelta(0))
    event.add_component(alarm)
    return event


def recurrence(duration: Duration, start: date) -> dict[str, Any] | None:
    """The RRULE of a duration, or None where RFC 5545 has none: units of a month and of days cannot be added up in it.

    A day that a month lacks falls on its last day, as the calendar's own arithmetic has it.
    """
    years, months, weeks, days, hours, minutes, seconds = (number or 0 for number in duration)
    months += 12 * years
    rest = 7 * weeks + days
    clock = hours * 3600 + minutes * 60 + seconds
    if [months > 0, rest > 0, clock > 0].count(True) != 1:
        return None
    if months:
        rule: dict[str, Any] = {"FREQ": "MONTHLY", "INTERVAL": months}
        if start.day > 28:
            rule |= {"BYMONTHDAY": list(range(28, start.day + 1)), "BYSETPOS": -1}
        return rule
    if rest:
        return {"FREQ": "DAILY", "INTERVAL": rest}
    frequency, unit = next(
        pair for pair in (("HOURLY", 3600), ("MINUTELY", 60), ("SECONDLY", 1)) if clock % pair[1] == 0
    )
    return {"FREQ": frequency, "INTERVAL": clock // unit}


def _description(review: Review, standing: Standing) -> str:
    served = ", ".join(review.obligations) or "none named"
    lines = (
        f"Type: {review.type or 'not declared'}",
        f"Cadence: {review.cadence} ({review.cadence_in_words})",
        f"Owner: {review.owner or 'not declared'}",
        f"Obligations served: {served}",
        f"Eval: {review.eval or 'none named'}",
        f"Declared in {review.path}, pack version {review.version or 'not declared'}",
        standing_in_words(standing),
        "The start of this series is the next due day."
        if standing.due
        else "No record gives a start: the series starts on the day when this file was made.",
    )
    return "\n".join(lines)
