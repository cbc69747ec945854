"""`ppgov store`: packs in a triple store on disk, or at a server."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from ppgov.cli.options import base_iri_option, base_of, max_bytes_option, run_options, vocab_option
from ppgov.cli.terminal import is_terminal, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ppgov.fleet import Inputs
    from ppgov.store.disk import Outcome, Piece, Settings, Watch

jobs_option = click.option("-j", "--jobs", type=click.IntRange(1), metavar="N", help="Processes; all cores by default.")


class StoreCommands(click.Group):
    """`push` has a module of its own, loaded when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), "push"]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name == "push":
            command: click.Command = import_module("ppgov.cli.push").push
            return command
        return super().get_command(ctx, cmd_name)


@click.group(cls=StoreCommands)
def store() -> None:
    """Keep packs in a triple store: on disk, or at a server."""


@store.command()
@click.argument("folder", metavar="DIR")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@base_iri_option
@jobs_option
@max_bytes_option
@vocab_option
def build(folder: str, paths: tuple[str, ...], base_iri: str, jobs: int | None, **given: Any) -> int:
    """Write the packs to a store in DIR, in place of the one that it holds."""
    from ppgov.store import disk

    settings = disk.Settings(run_options(**given), base_of(base_iri), jobs)
    return _run(disk.build, folder, paths, settings)


@store.command()
@click.argument("folder", metavar="DIR")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--base-iri", metavar="IRI", help="Has to be the one that the store was built with.")
@jobs_option
@max_bytes_option
@vocab_option
def update(folder: str, paths: tuple[str, ...], base_iri: str | None, jobs: int | None, **given: Any) -> int:
    """Bring the store in DIR up to date with PATH...: read what changed, drop what is no longer there."""
    from ppgov.store import disk

    settings = disk.Settings(run_options(**given), base_iri if base_iri is None else base_of(base_iri), jobs)
    return _run(disk.update, folder, paths, settings)


def _run(
    act: Callable[[str, Inputs, Settings, Watch], Outcome], folder: str, paths: tuple[str, ...], settings: Settings
) -> int:
    from ppgov.errors import UsageError
    from ppgov.fleet import gather

    if "-" in paths:
        raise UsageError("a store is made of files, not of standard input", "save the pack to a file")
    inputs = gather(paths)
    for problem in inputs.problems:
        say(f"ppgov: {problem}")
    outcome = act(folder, inputs, settings, _watched)
    for barren in outcome.barren:
        say(f"ppgov: {barren}: no pack found in this folder")
    packs = f"{outcome.packs:,} pack{'' if outcome.packs == 1 else 's'} stored, {outcome.quads:,} quads"
    say(
        f"{packs}: {outcome.unchanged:,} unchanged, {outcome.changed:,} changed, {outcome.added:,} added, "
        f"{outcome.dropped:,} dropped" + (f"; {outcome.unread:,} could not be read" if outcome.unread else "")
    )
    return 3 if inputs.problems or outcome.barren or outcome.unread else 0


def _watched(pieces: Iterator[Piece], number: int) -> Iterator[Piece]:
    """Report what could not be read, with a progress bar on a terminal when there is much to read."""
    from ppgov.fleet import CHUNK

    if number < CHUNK or not is_terminal(sys.stderr):
        yield from _reported(pieces)
        return
    with click.progressbar(_reported(pieces), length=number, label="Storing packs", file=sys.stderr) as bar:
        yield from bar


def _reported(pieces: Iterable[Piece]) -> Iterator[Piece]:
    for piece in pieces:
        found = piece.problem
        if found is not None:
            place = ":".join(str(part) for part in (piece.record.path, found.line, found.column) if part is not None)
            say(f"ppgov: {place}: {found.message} ({found.rule})" + (f": {found.hint}" if found.hint else ""))
        yield piece
