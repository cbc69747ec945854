"""What the commands print: data to standard output, everything else to standard error."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, TextIO

import click

from ppgov.errors import InputError, PpgovError

if TYPE_CHECKING:
    from collections.abc import Callable

_COLOURS = {"error": "red", "warning": "yellow", "note": "blue", "dim": "cyan"}


def complain(error: PpgovError) -> None:
    say(f"ppgov: {error.message}" + (f": {error.advice}" if error.advice else ""))


def say(message: str) -> None:
    click.echo(message, err=True)


def print_text(text: str) -> None:
    """Text to standard output as UTF-8, whatever the locale."""
    print_bytes(text.encode("utf-8", "backslashreplace"))


def print_bytes(content: bytes) -> None:
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except (OSError, AttributeError) as error:  # AttributeError: standard output is closed
        raise InputError("standard output cannot be written", "check the disk, or where the output goes") from error


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal; a closed one is None."""
    return stream is not None and stream.isatty()


def painter(color: str) -> Callable[[str, str], str]:
    wanted = color == "always" or (color == "auto" and is_terminal(sys.stdout) and not os.environ.get("NO_COLOR"))
    return lambda text, role: click.style(text, fg=_COLOURS[role], bold=role == "error") if wanted else text
