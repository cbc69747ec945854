"""`ppgov register`: the inventory of agents."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from ppgov.cli.options import directory_option, max_bytes_option, run_options, time_of, vocab_option, vocabulary_of
from ppgov.cli.terminal import is_terminal, print_bytes, say
from ppgov.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from ppgov.fleet import Inputs, Options
    from ppgov.register import Record, Register


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(["html", "xlsx", "csv", "json", "markdown"]),
    default="html",
    show_default=True,
)
@click.option("-o", "--output", metavar="FILE", help="Where to write; standard output by default.")
@click.option("--reports", metavar="DIR", help="Write each pack's HTML report there too, and link to it.")
@click.option(
    "--now",
    metavar="TIME",
    help="The time to print, such as 2026-12-01T09:00:00Z; else SOURCE_DATE_EPOCH, else the clock.",
)
@click.option("-j", "--jobs", type=click.IntRange(1), metavar="N", help="Processes; all cores by default.")
@max_bytes_option
@vocab_option
@directory_option
def register(
    paths: tuple[str, ...],
    form: str,
    output: str | None,
    reports: str | None,
    now: str | None,
    jobs: int | None,
    **given: Any,
) -> int:
    """Write the register: one row an agent, with what it and its tools declare."""
    from ppgov.fleet import gather
    from ppgov.output import write_whole
    from ppgov.register import write

    if form == "xlsx" and output is None and is_terminal(sys.stdout):
        raise UsageError("a workbook is no text for a terminal", "name a file with -o")
    if reports is not None and "-" in paths:
        raise UsageError("--reports reads each pack twice, standard input can be read once", "name a file")
    options, moment = run_options(**given), time_of(now)
    inputs = gather(paths)
    whole = _read(inputs, options, moment, jobs)
    code = _tell(inputs, whole)
    if reports is not None:
        whole, lost = _reported(whole, reports, output, options, moment, jobs)
        code = code or lost
    content = write(whole, form)
    if output is None or output == "-":
        print_bytes(content)
    else:
        write_whole(output, content)
    return code


def _read(inputs: Inputs, options: Options, moment: datetime, jobs: int | None) -> Register:
    from functools import partial

    from ppgov import fleet
    from ppgov.register import record, register

    records = fleet.each(inputs.targets, partial(record, options=options), jobs)
    sources = vocabulary_of(options.vocabularies).sources
    named = tuple(" ".join(str(part) for part in (s.title, s.release, s.date) if part) for s in sources)
    return register(_bar(records, len(inputs.targets), "Reading packs"), generated_at=moment, vocabularies=named)


def _tell(inputs: Inputs, whole: Register) -> int:
    """Say what could not be read; 3 when there is any, or a folder without a pack."""
    from ppgov.findings import clip

    kept = {entry.path for entry in (*whole.packs, *whole.unread)}
    barren = [folder for folder, names in inputs.folders.items() if kept.isdisjoint(names)]
    problems = [
        *(f"{clip(entry.path)}: could not be read: {entry.problem}" for entry in whole.unread),
        *inputs.problems,
        *(f"{folder}: no pack found in this folder" for folder in barren),
    ]
    for problem in problems:
        say(f"ppgov: {problem}")
    return InputError.exit_code if problems else 0


def _reported(
    whole: Register, folder: str, output: str | None, options: Options, moment: datetime, jobs: int | None
) -> tuple[Register, int]:
    """The register with the way to each report that was written, and the exit code."""
    from ppgov.register.reports import link, write_reports

    links: dict[str, str] = {}
    code = 0
    written = write_reports(whole.packs, folder, options, generated_at=moment, jobs=jobs)
    for one in _bar(written, len(whole.packs), "Writing reports"):
        if one.problem:
            say(f"ppgov: {one.pack}: {one.problem}")
            code = InputError.exit_code
        else:
            links[one.pack] = link(one.path, output)
    packs: tuple[Record, ...] = tuple(pack._replace(report=links.get(pack.path, "")) for pack in whole.packs)
    return whole._replace(packs=packs), code


def _bar(results: Iterable[Any], length: int, label: str) -> Iterator[Any]:
    """The results, with a progress bar on a terminal when there are many."""
    from ppgov import fleet

    if length < fleet.CHUNK or not is_terminal(sys.stderr):
        yield from results
        return
    with click.progressbar(results, length=length, label=label, file=sys.stderr) as bar:
        yield from bar
