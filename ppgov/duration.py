"""ISO 8601 durations, as cadences are written: their words, their longest span, and the calendar day they lead to."""

from __future__ import annotations

import re
from datetime import datetime
from typing import NamedTuple

_DURATION = re.compile(
    r"P(?=.)(?:(\d{1,300})Y)?(?:(\d{1,300})M)?(?:(\d{1,300})W)?(?:(\d{1,300})D)?"
    r"(?:T(?=.)(?:(\d{1,300})H)?(?:(\d{1,300})M)?(?:(\d{1,300})S)?)?",
    re.ASCII,
).fullmatch
# The longest run of days that so many consecutive months can span.
_MONTHS = (0, 31, 62, 92, 123, 153, 184, 215, 245, 276, 306, 337)


class Duration(NamedTuple):
    """Whole units as written; None for a unit that is not written."""

    years: int | None
    months: int | None
    weeks: int | None
    days: int | None
    hours: int | None
    minutes: int | None
    seconds: int | None


def parse(text: str) -> Duration | None:
    """The duration that a text writes; None when it is none."""
    match = _DURATION(text)
    if match is None:
        return None
    return Duration(*(int(part) if part is not None else None for part in match.groups()))


def in_words(duration: Duration) -> str:
    """Unit by unit as written: "every 3 months", "every 1 year and 6 months"."""
    named = [(number, unit.removesuffix("s")) for unit, number in duration._asdict().items() if number is not None]
    if [number for number, _ in named] == [1]:
        return f"every {named[0][1]}"
    words = [f"{number} {unit if number == 1 else unit + 's'}" for number, unit in named]
    return "every " + (", ".join(words[:-1]) + " and " + words[-1] if len(words) > 1 else words[0])


def max_days(duration: Duration) -> int:
    """The most days that it can last: P3M is 92, P1Y 366; a part of a day counts as a day."""
    years, months, weeks, days, hours, minutes, seconds = (number or 0 for number in duration)
    years, months = years + months // 12, months % 12
    whole = years * 365 + (years + 3) // 4 + _MONTHS[months] + weeks * 7 + days
    return whole - (-(hours * 3600 + minutes * 60 + seconds) // 86400)


def after(moment: datetime, duration: Duration) -> datetime | None:
    """The moment one duration later by the calendar: P1M after 31 January is the last day of February.

    None when that lies beyond the year 9999.
    """
    from dateutil.relativedelta import relativedelta

    years, months, weeks, days, hours, minutes, seconds = (number or 0 for number in duration)
    try:
        return moment + relativedelta(
            years=years, months=months, weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds
        )
    except (OverflowError, ValueError):
        return None
