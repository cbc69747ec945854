"""Recurring reviews: cadences by the calendar, records from outside the pack, and an iCalendar file others can read."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import icalendar
import pytest
import recurring_ical_events  # type: ignore[import-untyped]

from ppgov.duration import after, in_words, max_days, parse
from ppgov.reviews.calendar import recurrence
from tests.packs import governed, pack
from tests.test_cli import run, write

NOW = "2026-12-01T09:00:00Z"


def review(**parts: Any) -> dict[str, Any]:
    return {"id": "yearly", "type": "dpv:ImpactAssessment", "cadence": "P1Y", "owner": "risk-team", **parts}


def desk(*reviews: dict[str, Any], **parts: Any) -> dict[str, Any]:
    return pack(metadata=governed(reviews=list(reviews)), **parts)


def entries(stdout: str) -> list[dict[str, Any]]:
    answer = json.loads(stdout)
    assert answer["format"] == "ppgov-reviews/1"
    found: list[dict[str, Any]] = answer["reviews"]
    return found


@pytest.mark.parametrize(
    ("cadence", "start", "due"),
    [
        ("P1M", "2026-01-31", "2026-02-28"),
        ("P1M", "2028-01-31", "2028-02-29"),
        ("P1Y", "2024-02-29", "2025-02-28"),
        ("P3M", "2026-11-30", "2027-02-28"),
        ("P2W", "2026-12-20", "2027-01-03"),
        ("P1M15D", "2026-01-31", "2026-03-15"),
        ("P1Y6M", "2026-07-31", "2028-01-31"),
    ],
)
def test_months_and_years_go_by_the_calendar(cadence: str, start: str, due: str) -> None:
    duration = parse(cadence)
    assert duration is not None
    assert after(datetime.fromisoformat(start), duration) == datetime.fromisoformat(due)


def test_a_day_beyond_the_calendar_is_none() -> None:
    duration = parse("P999999999Y")
    assert duration is not None
    assert after(datetime(2026, 1, 1, tzinfo=UTC), duration) is None


@pytest.mark.parametrize(
    ("text", "words", "days"),
    [
        ("P1M", "every month", 31),
        ("P3M", "every 3 months", 92),
        ("P1Y6M", "every 1 year and 6 months", 550),
        ("P52W", "every 52 weeks", 364),
        ("P1DT12H", "every 1 day and 12 hours", 2),
    ],
)
def test_a_cadence_in_words_and_days(text: str, words: str, days: int) -> None:
    duration = parse(text)
    assert duration is not None
    assert (in_words(duration), max_days(duration)) == (words, days)


@pytest.mark.parametrize("text", ["", "P", "PT", "1Y", "P1S", "P-1Y", "P1.5Y", "P1Y ", "p1y", "P١Y"])
def test_what_is_no_duration(text: str) -> None:
    assert parse(text) is None


def test_without_records_nothing_is_said_about_what_was_done(tmp_path: Path) -> None:
    path = write(tmp_path / "p.json", desk(review()))
    done = run("reviews", path, "--now", NOW)
    assert done.returncode == 0
    assert "no completion records given" in done.stdout
    assert "never" not in done.stdout
    assert run("reviews", path, "--now", NOW, "--exit-code").returncode == 0


@pytest.mark.parametrize(
    ("completed", "status", "due", "code"),
    [
        ("2025-12-01", "scheduled", "2026-12-01T00:00:00+00:00", 0),  # the due day itself is in time
        ("2025-11-30", "overdue", "2026-11-30T00:00:00+00:00", 1),
        ("2026-05-01T23:30:00-05:00", "scheduled", "2027-05-02T04:30:00+00:00", 0),
        ("2027-01-01", "never-done", None, 1),  # the future counts for nothing
    ],
)
def test_records_say_when_a_review_is_due(
    tmp_path: Path, completed: str, status: str, due: str | None, code: int
) -> None:
    path = write(tmp_path / "p.json", desk(review()))
    records = tmp_path / "done.jsonl"
    records.write_text(json.dumps({"pack": "desk", "review": "yearly", "completed": completed}) + "\n\n")
    done = run("reviews", path, "--completions", str(records), "--now", NOW, "-f", "json", "--exit-code")
    (entry,) = entries(done.stdout)
    assert (entry["status"], entry["next_due"], done.returncode) == (status, due, code)
    assert ("lies in the future" in done.stderr) == completed.startswith("2027")


def test_the_latest_record_counts_and_a_stray_one_is_told(tmp_path: Path) -> None:
    path = write(tmp_path / "p.json", desk(review()))
    records = tmp_path / "done.jsonl"
    lines = [
        {"pack": "desk", "review": "yearly", "completed": "2026-06-01", "by": "audit"},
        {"pack": "desk", "review": "yearly", "completed": "2024-06-01"},
        {"pack": "other", "review": "yearly", "completed": "2026-07-01"},
    ]
    records.write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = run("reviews", path, "--completions", str(records), "--now", NOW)
    assert "last done 2026-06-01 by audit; next due 2027-06-01" in done.stdout
    assert f"{records}:3: this record counts for nothing: no pack given here is 'other'" in done.stderr


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"pack": "desk", "review": "yearly"}', '"completed" is a required property'),
        ('{"pack": "desk", "review": "yearly", "completed": "2026-13-01"}', "no day of the calendar"),
        ('{"pack": "desk", "review": "yearly", "completed": "soon"}', "2026-05-01"),
        ('{"pack": "desk", "review": "yearly", "completed": "2026-05-01", "done_by": "x"}', "unknown member 'done_by'"),
        ('{"pack": "desk", "pack": "b", "review": "yearly", "completed": "2026-05-01"}', "stands twice"),
        ("pack: desk", "not a JSON object"),
        ('["desk"]', "not a JSON object"),
        ("{", "done.jsonl:2"),
    ],
)
def test_a_record_that_cannot_be_read_stops_the_run(tmp_path: Path, line: str, says: str) -> None:
    path = write(tmp_path / "p.json", desk(review()))
    records = tmp_path / "done.jsonl"
    records.write_text("\n" + line + "\n")
    done = run("reviews", path, "--completions", str(records))
    assert (done.returncode, done.stdout) == (3, "")
    assert "done.jsonl:2: " in done.stderr and says in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_who_is_bound_by_a_review(tmp_path: Path) -> None:
    members = {"chat": {}, "own": {"governance": {"reviews": [review(id="mine", cadence="P2W", eval="tone")]}}}
    data = desk(review(satisfies=["o"]), agents={"entry": "chat", "members": members})
    done = run("reviews", write(tmp_path / "p.json", data), "-f", "json")
    first, second = entries(done.stdout)
    assert (first["declared_by"], first["in_force_for"], first["obligations"]) == (None, [None, "chat"], ["o"])
    assert (second["declared_by"], second["in_force_for"], second["eval"]) == ("own", ["own"], "tone")


def test_an_extension_that_looks_like_a_completion_is_not_read_and_told_once(tmp_path: Path) -> None:
    extended = review(extensions={"last_completed": "2026-11-01"})
    path = write(tmp_path / "p.json", desk(extended, review(id="b", extensions={"completed": True})))
    done = run("reviews", path, "--now", NOW)
    assert done.stdout.count("no completion records given") == 2
    (line,) = done.stderr.splitlines()
    assert "the extension 'last_completed' of a review looks like a completion, and 1 more" in line


def occurrences(content: bytes, start: date, end: date) -> list[date]:
    found = recurring_ical_events.of(icalendar.Calendar.from_ical(content)).between(start, end)
    return sorted(event["DTSTART"].dt for event in found)


def calendar_of(tmp_path: Path, data: dict[str, Any], completed: str | None = None) -> bytes:
    path = write(tmp_path / "p.json", data)
    more: list[str] = []
    if completed is not None:
        (tmp_path / "done.jsonl").write_text(
            json.dumps({"pack": "desk", "review": "yearly", "completed": completed}) + "\n"
        )
        more = ["--completions", str(tmp_path / "done.jsonl")]
    done = run("reviews", path, "--ics", str(tmp_path / "r.ics"), "--now", NOW, *more)
    assert done.returncode == 0, done.stderr
    return (tmp_path / "r.ics").read_bytes()


def test_a_calendar_program_reads_the_dates(tmp_path: Path) -> None:
    content = calendar_of(tmp_path, desk(review(cadence="P1M")), completed="2026-12-31".replace("2026-12", "2026-10"))
    assert occurrences(content, date(2026, 11, 1), date(2027, 4, 1)) == [
        date(2026, 11, 30),
        date(2026, 12, 30),
        date(2027, 1, 30),
        date(2027, 2, 28),
        date(2027, 3, 30),
    ]
    (event,) = icalendar.Calendar.from_ical(content).walk("VEVENT")
    assert "ATTENDEE" not in event and "ORGANIZER" not in event
    assert "Owner: risk-team" in str(event["DESCRIPTION"])
    assert len(event.walk("VALARM")) == 1


@pytest.mark.parametrize(
    ("cadence", "start", "rule"),
    [
        ("P1Y", date(2026, 5, 1), {"FREQ": "MONTHLY", "INTERVAL": 12}),
        ("P1M", date(2026, 1, 31), {"FREQ": "MONTHLY", "INTERVAL": 1, "BYMONTHDAY": [28, 29, 30, 31], "BYSETPOS": -1}),
        ("P2W", date(2026, 5, 1), {"FREQ": "DAILY", "INTERVAL": 14}),
        ("PT12H", date(2026, 5, 1), {"FREQ": "HOURLY", "INTERVAL": 12}),
        ("PT90M", date(2026, 5, 1), {"FREQ": "MINUTELY", "INTERVAL": 90}),
        ("P1M15D", date(2026, 5, 1), None),
    ],
)
def test_the_rule_of_a_cadence(cadence: str, start: date, rule: dict[str, Any] | None) -> None:
    duration = parse(cadence)
    assert duration is not None
    assert recurrence(duration, start) == rule


def test_an_event_keeps_its_uid_across_versions_and_the_bytes_are_the_same_twice(tmp_path: Path) -> None:
    first = calendar_of(tmp_path, desk(review()))
    assert first == calendar_of(tmp_path, desk(review()))
    second = calendar_of(tmp_path, desk(review(cadence="P6M"), version="2.0.0"))
    uid = [line for line in first.splitlines() if line.startswith(b"UID")]
    assert uid == [line for line in second.splitlines() if line.startswith(b"UID")]


def test_hostile_text_stays_in_its_place(tmp_path: Path) -> None:
    evil = "x\r\nATTENDEE:mailto:a@b.c\r\n=cmd|'/c calc'!A1\x1b[31m\u202e"
    data = desk(review(owner=evil, type=evil), id="desk")
    content = calendar_of(tmp_path, data)
    assert b"\nATTENDEE" not in content
    icalendar.Calendar.from_ical(content)
    path = str(tmp_path / "p.json")
    assert "\x1b" not in run("reviews", path).stdout and "\u202e" not in run("reviews", path).stdout
    data = desk(review(owner="=1+1"))
    table = run("reviews", write(tmp_path / "q.json", data), "-f", "csv").stdout
    assert ",'=1+1," in table


def test_reviews_of_a_folder_and_a_pack_that_cannot_be_read(tmp_path: Path) -> None:
    write(tmp_path / "a.json", desk(review()))
    (tmp_path / "pack-b.json").write_text("{")
    done = run("reviews", str(tmp_path), "-f", "json")
    assert done.returncode == 3
    assert [entry["id"] for entry in entries(done.stdout)] == ["yearly"]
    assert "pack-b.json:1:2" in done.stderr
