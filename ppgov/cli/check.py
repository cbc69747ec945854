"""`ppgov check`: the findings of packs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from ppgov.cli.options import directory_option, max_bytes_option, run_options, vocab_option
from ppgov.cli.terminal import is_terminal, painter, print_text, say

if TYPE_CHECKING:
    from ppgov.fleet import Checked, Options

_FAIL_ON = ("error", "warning", "never")


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option(
    "--fail-on",
    type=click.Choice(_FAIL_ON),
    default="error",
    show_default=True,
    help="The level from which the exit code is 1.",
)
@click.option(
    "--select",
    multiple=True,
    metavar="RULES",
    help="Only these rules: ids, names or beginnings such as PPG3; comma-separated, repeatable.",
)
@click.option("--ignore", multiple=True, metavar="RULES", help="Not these rules.")
@click.option("--exit-zero", is_flag=True, help="Exit 0 in place of 1.")
@click.option("-q", "--quiet", is_flag=True, help="Findings only, a line each.")
@click.option("-v", "--verbose", is_flag=True, help="Name the files that were skipped.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
@click.option("-j", "--jobs", type=click.IntRange(1), metavar="N", help="Processes; all cores by default.")
@max_bytes_option
@vocab_option
@directory_option
def check(
    paths: tuple[str, ...],
    form: str,
    fail_on: str,
    exit_zero: bool,
    quiet: bool,
    verbose: bool,
    color: str,
    jobs: int | None,
    **given: Any,
) -> int:
    """Check packs: files, folders, or - for standard input."""
    from ppgov.findings import count
    from ppgov.fleet import gather
    from ppgov.output import check_json, check_text, summary_text

    options = run_options(digests=form == "json", **given)
    inputs = gather(paths)
    kept: list[Checked] = []
    skipped = 0
    for checked in _checked(inputs.targets, options, jobs):
        if checked.skipped:
            skipped += 1
            if verbose:
                say(f"skipped {checked.path}: {checked.skipped}")
            continue
        kept.append(checked)
        if form == "text":
            for line in check_text(checked, quiet=quiet, paint=painter(color)):
                print_text(line + "\n")
    summary = count((finding for checked in kept for finding in checked.findings), len(kept))
    if form == "json":
        print_text(check_json(kept, summary))
    elif not quiet and kept:
        print_text(summary_text(summary) + (f"; {skipped} other files skipped" if skipped else "") + "\n")
    paths_kept = {checked.path for checked in kept}
    barren = [folder for folder, names in inputs.folders.items() if paths_kept.isdisjoint(names)]
    empty = [f"{folder}: no pack found in this folder" for folder in barren]
    for problem in (*inputs.problems, *empty):
        say(f"ppgov: {problem}" + (f" ({skipped} other files skipped; -v names them)" if skipped else ""))
    unread = inputs.problems or empty or not all(checked.audited for checked in kept)
    return 3 if unread else 0 if exit_zero else _fails(summary.errors, summary.warnings, fail_on)


def _fails(errors: int, warnings: int, fail_on: str) -> int:
    return int(fail_on != "never" and (errors > 0 or (fail_on == "warning" and warnings > 0)))


def _checked(targets: list[Any], options: Options, jobs: int | None) -> Any:
    """The results, with a progress bar on a terminal when there are many."""
    from ppgov import fleet

    results = fleet.check(targets, options, jobs)
    if len(targets) < fleet.CHUNK or not is_terminal(sys.stderr):
        yield from results
        return
    with click.progressbar(results, length=len(targets), label="Reading packs", file=sys.stderr) as bar:
        yield from bar
