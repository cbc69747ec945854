"""The options that several commands share, and what each stands for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from ppgov.cli.terminal import complain, say
from ppgov.errors import InputError, PpgovError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from ppgov.audit import Audit
    from ppgov.findings import Finding
    from ppgov.fleet import Options
    from ppgov.vocabulary import Vocabulary

T = TypeVar("T")

MAX_BYTES = 10 * 1024 * 1024

max_bytes_option = click.option(
    "--max-bytes",
    type=click.IntRange(1, 2**31 - 1),
    default=MAX_BYTES,
    show_default=True,
    metavar="N",
    help="Refuse larger files.",
)
vocab_option = click.option(
    "--vocab",
    "vocabularies",
    multiple=True,
    metavar="FILE",
    help="A vocabulary of your own (SKOS or RDFS, Turtle); repeatable.",
)
directory_option = click.option(
    "--directory", metavar="FILE", help="People (.csv, .json, or one a line): an owner among them is a warning."
)
base_iri_option = click.option(
    "--base-iri",
    default="https://packs.invalid/",
    show_default=True,
    metavar="IRI",
    help="Where the pack's IRIs start.",
)


def run_options(
    *,
    max_bytes: int = MAX_BYTES,
    vocabularies: tuple[str, ...] = (),
    directory: str | None = None,
    select: tuple[str, ...] = (),
    ignore: tuple[str, ...] = (),
    digests: bool = True,
) -> Options:
    from ppgov.fleet import Options

    if vocabularies:
        vocabulary_of(vocabularies)  # a broken one stops the run before any pack is read
    return Options(max_bytes, vocabularies, people_in(directory), chosen_rules(select, ignore), digests)


def chosen_rules(select: tuple[str, ...], ignore: tuple[str, ...]) -> frozenset[str]:
    from ppgov.audit import ALL_RULES

    return (_named(select) if select else ALL_RULES) - _named(ignore)


def _named(given: tuple[str, ...]) -> frozenset[str]:
    from ppgov.checks import BY_ID, BY_NAME

    chosen: set[str] = set()
    for word in (part.strip() for text in given for part in text.split(",")):
        upper = word.upper()
        matches = (
            {upper}
            if upper in BY_ID
            else {known for known in BY_ID if upper.startswith("PPG") and known.startswith(upper)}
        )
        matches |= {BY_NAME[word].id} if word in BY_NAME else set()
        if not matches:
            raise no_rule(word)
        chosen |= matches
    return frozenset(chosen)


def no_rule(word: str) -> UsageError:
    from ppgov.checks import BY_NAME
    from ppgov.suggest import nearest

    match = nearest(word, BY_NAME)
    return UsageError(f"no rule '{word}'", f"did you mean '{match}'?" if match else "ppgov rules lists them")


def people_in(directory: str | None) -> frozenset[str]:
    from ppgov.directory import people

    return people(directory) if directory is not None else frozenset()


def vocabulary_of(files: tuple[str, ...]) -> Vocabulary:
    from pathlib import Path

    from ppgov.vocabulary import load

    return load(tuple(Path(file) for file in files))


def audited(
    path: str, *, max_bytes: int, vocabularies: tuple[str, ...] = (), people: frozenset[str] = frozenset()
) -> Audit:
    """The audit of one pack. Raises InputError with file, line and column when it cannot be read."""
    from ppgov.audit import Audit, audit_path

    result = audit_path(path, max_bytes=max_bytes, vocabulary=vocabulary_of(vocabularies), people=people)
    if isinstance(result, Audit):
        return result
    raise _unread(path, result.finding)


def _unread(path: str, finding: Finding) -> InputError:
    place = ":".join(str(part) for part in (path, finding.line, finding.column) if part is not None)
    return InputError(f"{place}: {finding.message} ({finding.rule})", finding.hint)


def each(
    packs: tuple[str, ...],
    act: Callable[[Audit], None],
    *,
    max_bytes: int,
    vocabularies: tuple[str, ...] = (),
    directory: str | None = None,
) -> int:
    """Act on each pack; one that cannot be read, or a library that is missing, does not keep the others from it."""
    people, code = people_in(directory), 0
    for path in packs:
        try:
            act(audited(path, max_bytes=max_bytes, vocabularies=vocabularies, people=people))
        except PpgovError as error:
            if error.exit_code == UsageError.exit_code or len(packs) == 1:
                raise
            complain(error)
            code = error.exit_code
    return code


def from_packs(
    paths: tuple[str, ...], act: Callable[[Audit], T], jobs: int | None = None, **given: Any
) -> tuple[list[T], int]:
    """What `act`, a function of a module, makes of every pack, and the exit code: 3 when a pack is lost."""
    from ppgov.fleet import gather, pick

    inputs = gather(paths)
    kept: list[T] = []
    done: set[str] = set()
    code = 0
    for picked in pick(inputs.targets, act, run_options(**given), jobs):
        if picked.problem is not None:
            complain(_unread(picked.path, picked.problem))
            code = InputError.exit_code
        elif not picked.skipped:
            kept.append(cast("T", picked.value))
        if not picked.skipped:
            done.add(picked.path)
    barren = [
        f"{folder}: no pack found in this folder" for folder, names in inputs.folders.items() if done.isdisjoint(names)
    ]
    for problem in (*inputs.problems, *barren):
        say(f"ppgov: {problem}")
        code = InputError.exit_code
    return kept, code


def base_of(iri: str) -> str:
    from ppgov.terms import is_absolute_iri

    if not is_absolute_iri(iri):
        raise UsageError(f"--base-iri '{iri}' is no absolute IRI", "write it like https://packs.example.org/")
    if not iri.endswith(("/", "#")):
        raise UsageError(f"--base-iri '{iri}' ends in neither / nor #", "names would run into it")
    return iri


def time_of(given: str | None) -> datetime:
    """`--now`, else SOURCE_DATE_EPOCH, else the clock: the only place that reads it."""
    from datetime import UTC, datetime

    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    try:
        if given is not None:
            moment = datetime.fromisoformat(given)
            return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
        if epoch:
            return datetime.fromtimestamp(int(epoch), UTC)
    except (ValueError, OverflowError, OSError) as error:
        shown = epoch if given is None else given
        advice = "write seconds since 1970" if given is None else "write it like 2026-12-01T09:00:00Z"
        raise UsageError(f"no time: '{shown}'", advice) from error
    return datetime.now(UTC).replace(microsecond=0)
