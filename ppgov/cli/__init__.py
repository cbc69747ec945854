"""The command line: parse options, call one function, choose an output, choose an exit code.

Only this package prints and exits. A command's module is imported when it is called, and what the command needs
inside it, so that `--help` and `check` never load what they do not use.
"""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

gc.set_threshold(100_000, 20, 20)  # a run allocates and ends: collecting as often as a server saves nothing

import click  # noqa: E402 - loading it is a third of the collections

from ppgov import __version__  # noqa: E402
from ppgov.cli.terminal import complain, say  # noqa: E402
from ppgov.errors import PpgovError  # noqa: E402

if TYPE_CHECKING:
    from types import TracebackType

# Command, module, and the line that `--help` shows for it, in the order in which a newcomer needs them.
COMMANDS: tuple[tuple[str, str, str], ...] = (
    ("check", "check", "Check packs: files, folders, or - for standard input."),
    ("show", "show", "Show the governance in force, with the origin of every value."),
    ("explain", "rules", "Print the manual of a rule, by id or name."),
    ("rules", "rules", "List every rule."),
    ("report", "report", "Write the audit report of each pack."),
    ("graph", "graph", "Write the packs as RDF: what they declare and what was computed from it, apart."),
    ("query", "query", "Ask packs, a store or a server a question in SPARQL."),
    ("queries", "query", "List the queries that come with ppgov, or show one."),
    ("store", "store", "Keep packs in a triple store: on disk, or at a server."),
    ("register", "register", "Write the register: one row an agent, with what it and its tools declare."),
    ("reviews", "reviews", "List every recurring review, and when each is due by the records given."),
    ("vocab", "vocab", "Look up terms, prefixes and vocabularies."),
)


class Commands(click.Group):
    """The commands of the table, each loaded when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for name, _, _ in COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        for name, module, _ in COMMANDS:
            if name == cmd_name:
                command: click.Command = getattr(import_module(f"ppgov.cli.{module}"), name)
                return command
        return None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, _, line in COMMANDS])


def main() -> None:
    """The entry point. Exit codes as `docs/formats.md` lists them."""
    sys.excepthook = _internal_error
    try:
        code = cli.main(prog_name="ppgov", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except click.Abort:
        code = 130
    except PpgovError as error:
        complain(error)
        code = error.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader has gone: nothing more to say
        code = 0
    gc.freeze()  # the process ends: looking through its objects once more would only take time
    sys.exit(code if isinstance(code, int) else 0)


def _internal_error(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """A defect of ppgov, not of a pack: say so, show where, exit 4."""
    import traceback

    traceback.print_exception(kind, error, trace)
    say("ppgov: internal error: this is a defect in ppgov; please report it with the lines above")
    sys.stderr.flush()
    os._exit(4)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="ppgov")
def cli() -> None:
    """Say what a PromptPack declares about its governance, what it does not, and which controls resolve.

    ppgov records and resolves; it never infers, scores or certifies.
    """
