"""`ppgov store push`: packs to a server."""

from __future__ import annotations

import os
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from ppgov.cli.options import base_iri_option, base_of, max_bytes_option, run_options, vocab_option
from ppgov.cli.terminal import complain, is_terminal, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ppgov.store.push import Sent


@click.command()
@click.argument("url", metavar="URL")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@base_iri_option
@click.option("-j", "--jobs", type=click.IntRange(1), metavar="N", help="Processes that read; all cores by default.")
@max_bytes_option
@vocab_option
def push(url: str, paths: tuple[str, ...], base_iri: str, jobs: int | None, **given: Any) -> int:
    """Send the packs to the graph store at URL, and skip those that it holds.

    Credentials come from PPGOV_ENDPOINT_TOKEN, from PPGOV_ENDPOINT_USER and PPGOV_ENDPOINT_PASSWORD, or from netrc.
    """
    from ppgov.errors import UsageError
    from ppgov.fleet import gather
    from ppgov.shard import shards
    from ppgov.store.push import push as send
    from ppgov.web import account_for, checked_url

    if "-" in paths:
        raise UsageError("a store is made of files, not of standard input", "save the pack to a file")
    account, warning = account_for(checked_url(url), os.environ)
    if warning:
        say(f"ppgov: {warning}")
    inputs = gather(paths)
    for problem in inputs.problems:
        say(f"ppgov: {problem}")
    read = shards(inputs.targets, run_options(**given), base_iri=base_of(base_iri), jobs=jobs)
    counts: Counter[str] = Counter()
    packs: set[str] = set()
    for sent in _watched(send(url, read, account), len(inputs.targets)):
        counts[sent.state] += 1
        if sent.state != "skipped":
            packs.add(sent.path)
        _report(sent)
    unsent = len(inputs.targets) - counts.total()
    barren = [folder for folder, names in inputs.folders.items() if not unsent and packs.isdisjoint(names)]
    for folder in barren:
        say(f"ppgov: {folder}: no pack found in this folder")
    say(_summary(counts, unsent))
    return 3 if inputs.problems or barren or unsent or counts["failed"] or counts["unread"] else 0


def _report(sent: Sent) -> None:
    from ppgov.errors import InputError

    found = sent.problem
    if found is not None:
        place = ":".join(str(part) for part in (sent.path, found.line, found.column) if part is not None)
        complain(InputError(f"{place}: {found.message} ({found.rule})", found.hint))
    elif sent.error is not None:
        complain(InputError(f"{sent.path}: not pushed: {sent.error.message}", sent.error.advice))


def _summary(counts: Counter[str], unsent: int) -> str:
    line = f"{counts['pushed']:,} pushed, {counts['there']:,} already there, {counts['failed']:,} failed"
    if counts["unread"]:
        line += f", {counts['unread']:,} could not be read"
    return line + (f"; {unsent:,} files not sent: run it again to go on" if unsent else "")


def _watched(results: Iterator[Sent], number: int) -> Iterator[Sent]:
    """With a progress bar on a terminal when there is much to send."""
    from ppgov.fleet import CHUNK

    if number < CHUNK or not is_terminal(sys.stderr):
        yield from results
        return
    with click.progressbar(results, length=number, label="Pushing packs", file=sys.stderr) as bar:
        yield from bar
