"""A report for each pack of a register, and the way from the register to it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple
from urllib.parse import quote

from ppgov.audit import Audit
from ppgov.fleet import Options, Target, audit_target, each
from ppgov.output import write_whole
from ppgov.publish import Wanted, publish
from ppgov.register.model import Record


class Written(NamedTuple):
    """The pack's path, and its report's path; `problem` in place of a report that was not written."""

    pack: str
    path: str
    problem: str = ""


def write_reports(
    packs: Sequence[Record], folder: str, options: Options, *, generated_at: datetime, jobs: int | None = None
) -> Iterator[Written]:
    """Write `<id>-<version>.html` for each pack, on all cores; two packs with the same name get two files."""
    taken: dict[str, int] = {}
    wanted = {pack.path: (free_name(pack.file_name, taken), pack.sha256) for pack in packs}
    act = partial(_write, wanted=wanted, folder=folder, options=options, generated_at=generated_at)
    return each([Target(path, named=True) for path in wanted], act, jobs)


def _write(
    target: Target, *, wanted: dict[str, tuple[str, str]], folder: str, options: Options, generated_at: datetime
) -> Written:
    name, sha256 = wanted[target.path]
    audit = audit_target(target, options)
    if not isinstance(audit, Audit) or audit.source.sha256 != sha256:
        return Written(target.path, "", "changed while the register was made: no report written")
    path = os.path.join(folder, name)
    for _, content in publish(audit, Wanted(("html",), generated_at)):
        write_whole(path, content)
    return Written(target.path, path)


def link(report: str, output: str | None) -> str:
    """The relative URL of a report, seen from the register; from the current folder when that goes to the screen."""
    start = os.path.dirname(os.path.abspath(output)) if output not in (None, "-") else os.getcwd()
    return quote(os.path.relpath(os.path.abspath(report), start).replace(os.sep, "/"), errors="surrogateescape")


def free_name(name: str, taken: dict[str, int]) -> str:
    """The name, or the first numbered one that no file of this run has, whatever the case of its letters.

    `taken` holds the names given so far, each with the number to try next.
    """
    stem, _, ending = name.rpartition(".")
    key, free = name.casefold(), name
    while free.casefold() in taken:
        taken[key] = number = taken[key] + 1
        free = f"{stem}~{number}.{ending}"
    taken[free.casefold()] = 1
    return free
