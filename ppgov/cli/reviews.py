"""`ppgov reviews`: what recurs, who owns it, when it is due."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ppgov.cli.options import from_packs, max_bytes_option, time_of, vocab_option
from ppgov.cli.terminal import print_text, say
from ppgov.findings import clip

if TYPE_CHECKING:
    from datetime import datetime

    from ppgov.reviews.completion import Completion
    from ppgov.reviews.page import Row
    from ppgov.reviews.schedule import Review


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--completions", metavar="FILE", help="Completion records, JSON Lines; without them nothing is said.")
@click.option("--ics", metavar="FILE", help="Write the reviews as an iCalendar file too.")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json", "csv"]), default="text", show_default=True)
@click.option("--exit-code", is_flag=True, help="Exit 1 when the records leave a review overdue or never done.")
@click.option(
    "--now", metavar="TIME", help="The moment to ask about, such as 2026-12-01; else SOURCE_DATE_EPOCH, else the clock."
)
@max_bytes_option
@vocab_option
def reviews(
    paths: tuple[str, ...],
    completions: str | None,
    ics: str | None,
    form: str,
    exit_code: bool,
    now: str | None,
    **given: Any,
) -> int:
    """List every recurring review, and when each is due by the records given."""
    from ppgov.output import write_whole
    from ppgov.reviews.completion import read_completions
    from ppgov.reviews.page import reviews_csv, reviews_json, reviews_text
    from ppgov.reviews.schedule import reviews_of, standing

    moment = time_of(now)
    records = read_completions(completions) if completions is not None else None
    lists, code = from_packs(paths, reviews_of, **given)
    found = [review for reviews in lists for review in reviews]
    rows: list[Row] = [(review, standing(review, records, moment)) for review in found]
    _point_out(found, records, moment)
    if form == "text":
        print_text("".join(f"{line}\n" for line in reviews_text(rows)))
    else:
        print_text(reviews_json(rows, moment.isoformat()) if form == "json" else reviews_csv(rows))
    if ics is not None:
        from ppgov.reviews.calendar import calendar

        write_whole(ics, calendar(rows, moment))
        say(f"wrote {ics}")
    open_ones = any(state.status in ("overdue", "never-done") for _, state in rows)
    return code or int(exit_code and open_ones)


def _point_out(found: list[Review], records: tuple[Completion, ...] | None, now: datetime) -> None:
    """Once each: records that count for nothing, and extensions that look like a record and are not read."""
    from ppgov.reviews.schedule import unused

    for record, reason in unused(records or (), found, now):
        say(f"ppgov: {record.place}: this record counts for nothing: {reason}")
    seeming = [(review, name) for review in found for name in review.seeming_completions]
    if seeming:
        review, name = seeming[0]
        more = f", and {len(seeming) - 1} more" if len(seeming) > 1 else ""
        say(
            f"ppgov: {review.path}:{review.line}: the extension '{clip(name, 60)}' of a review looks like a completion"
            f"{more}: extensions are not read; give records with --completions"
        )
