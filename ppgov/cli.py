"""The command line: parse options, call one function, choose an output, choose an exit code.

Only this module prints and exits. What a command needs is imported inside it, so that `--help` and `check`
never load a library that they do not use.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING, Any, TextIO

gc.set_threshold(100_000, 20, 20)  # a run allocates and ends: collecting as often as a server saves nothing

import click  # noqa: E402 - loading it is a third of the collections

from ppgov import __version__  # noqa: E402
from ppgov.errors import InputError, PpgovError, UsageError  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from types import TracebackType

    from ppgov.audit import Audit
    from ppgov.fleet import Checked, Options
    from ppgov.vocabulary import Vocabulary

_COLOURS = {"error": "red", "warning": "yellow", "note": "blue", "dim": "cyan"}
_FAIL_ON = ("error", "warning", "never")
MAX_BYTES = 10 * 1024 * 1024


class Commands(click.Group):
    """Lists commands in the order in which a newcomer needs them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


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
        _complain(error)
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
    _say("ppgov: internal error: this is a defect in ppgov; please report it with the lines above")
    sys.stderr.flush()
    os._exit(4)


def _complain(error: PpgovError) -> None:
    _say(f"ppgov: {error.message}" + (f": {error.advice}" if error.advice else ""))


def _say(message: str) -> None:
    click.echo(message, err=True)


def _print(text: str) -> None:
    """Text to standard output as UTF-8, whatever the locale."""
    _print_bytes(text.encode("utf-8", "backslashreplace"))


def _print_bytes(content: bytes) -> None:
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except (OSError, AttributeError) as error:  # AttributeError: standard output is closed
        raise InputError("standard output cannot be written", "check the disk, or where the output goes") from error


_max_bytes = click.option(
    "--max-bytes",
    type=click.IntRange(1, 2**31 - 1),
    default=MAX_BYTES,
    show_default=True,
    metavar="N",
    help="Refuse larger files.",
)
_vocab = click.option(
    "--vocab",
    "vocabularies",
    multiple=True,
    metavar="FILE",
    help="A vocabulary of your own (SKOS or RDFS, Turtle); repeatable.",
)
_directory = click.option(
    "--directory", metavar="FILE", help="People, one a line: a review owner among them is a warning."
)
_base_iri = click.option(
    "--base-iri",
    default="https://packs.invalid/",
    show_default=True,
    metavar="IRI",
    help="Where the pack's IRIs start.",
)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="ppgov")
def cli() -> None:
    """Say what a PromptPack declares about its governance, what it does not, and which controls resolve.

    ppgov records and resolves; it never infers, scores or certifies.
    """


@cli.command()
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
@_max_bytes
@_vocab
@_directory
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

    options = _options(digests=form == "json", **given)
    inputs = gather(paths)
    kept: list[Checked] = []
    skipped = 0
    for checked in _checked(inputs.targets, options, jobs):
        if checked.skipped:
            skipped += 1
            if verbose:
                _say(f"skipped {checked.path}: {checked.skipped}")
            continue
        kept.append(checked)
        if form == "text":
            for line in check_text(checked, quiet=quiet, paint=_paint(color)):
                _print(line + "\n")
    summary = count((finding for checked in kept for finding in checked.findings), len(kept))
    if form == "json":
        _print(check_json(kept, summary))
    elif not quiet and kept:
        _print(summary_text(summary) + (f"; {skipped} other files skipped" if skipped else "") + "\n")
    paths_kept = {checked.path for checked in kept}
    barren = [folder for folder, names in inputs.folders.items() if paths_kept.isdisjoint(names)]
    empty = [f"{folder}: no pack found in this folder" for folder in barren]
    for problem in (*inputs.problems, *empty):
        _say(f"ppgov: {problem}" + (f" ({skipped} other files skipped; -v names them)" if skipped else ""))
    unread = inputs.problems or empty or not all(checked.audited for checked in kept)
    return 3 if unread else 0 if exit_zero else _fails(summary.errors, summary.warnings, fail_on)


def _fails(errors: int, warnings: int, fail_on: str) -> int:
    return int(fail_on != "never" and (errors > 0 or (fail_on == "warning" and warnings > 0)))


def _checked(targets: list[Any], options: Options, jobs: int | None) -> Any:
    """The results, with a progress bar on a terminal when there are many."""
    from ppgov import fleet

    results = fleet.check(targets, options, jobs)
    if len(targets) < fleet.CHUNK or not _terminal(sys.stderr):
        yield from results
        return
    with click.progressbar(results, length=len(targets), label="Reading packs", file=sys.stderr) as bar:
        yield from bar


def _terminal(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal; a closed one is None."""
    return stream is not None and stream.isatty()


def _paint(color: str) -> Callable[[str, str], str]:
    wanted = color == "always" or (color == "auto" and _terminal(sys.stdout) and not os.environ.get("NO_COLOR"))
    return lambda text, role: click.style(text, fg=_COLOURS[role], bold=role == "error") if wanted else text


def _options(
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
        _vocabulary(vocabularies)  # a broken one stops the run before any pack is read
    return Options(max_bytes, vocabularies, _people(directory), _rules(select, ignore), digests)


def _rules(select: tuple[str, ...], ignore: tuple[str, ...]) -> frozenset[str]:
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
            raise _no_rule(word)
        chosen |= matches
    return frozenset(chosen)


def _no_rule(word: str) -> UsageError:
    from ppgov.checks import BY_NAME
    from ppgov.suggest import nearest

    match = nearest(word, BY_NAME)
    return UsageError(f"no rule '{word}'", f"did you mean '{match}'?" if match else "ppgov rules lists them")


def _people(directory: str | None) -> frozenset[str]:
    from pathlib import Path

    if directory is None:
        return frozenset()
    try:
        text = Path(directory).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{directory}: the directory of people cannot be read", "give a UTF-8 file with one name a line"
        ) from error
    return frozenset(line.strip().casefold() for line in text.splitlines() if line.strip() and not line.startswith("#"))


def _vocabulary(files: tuple[str, ...]) -> Vocabulary:
    from pathlib import Path

    from ppgov.vocabulary import load

    return load(tuple(Path(file) for file in files))


def _audited(
    path: str, *, max_bytes: int, vocabularies: tuple[str, ...] = (), people: frozenset[str] = frozenset()
) -> Audit:
    """The audit of one pack. Raises InputError with file, line and column when it cannot be read."""
    from ppgov.audit import Audit, audit_path

    result = audit_path(path, max_bytes=max_bytes, vocabulary=_vocabulary(vocabularies), people=people)
    if isinstance(result, Audit):
        return result
    finding = result.finding
    place = ":".join(str(part) for part in (path, finding.line, finding.column) if part is not None)
    raise InputError(f"{place}: {finding.message} ({finding.rule})", finding.hint)


@cli.command()
@click.argument("pack")
@click.option("--agent", metavar="KEY", help="The governance in force for one agent; the pack's own by default.")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@_max_bytes
@_vocab
def show(pack: str, agent: str | None, form: str, max_bytes: int, vocabularies: tuple[str, ...]) -> None:
    """Show the governance in force, with the origin of every value."""
    from ppgov.effective import effective
    from ppgov.output import effective_json, effective_text

    audit = _audited(pack, max_bytes=max_bytes, vocabularies=vocabularies)
    governance = effective(audit.pack, agent)
    _print(effective_json(audit, governance) if form == "json" else "\n".join(effective_text(audit, governance)) + "\n")


@cli.command()
@click.argument("rule")
def explain(rule: str) -> None:
    """Print the manual of a rule, by id or name."""
    from ppgov.checks import BY_ID, BY_NAME

    row = BY_ID.get(rule.upper()) or BY_NAME.get(rule)
    if row is None:
        raise _no_rule(rule)
    _print(f"{row.id} {row.name} ({row.level}; {row.clause})\n\n{row.manual}\n")


@cli.command()
@click.option("-f", "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def rules(form: str) -> None:
    """List every rule."""
    from ppgov.checks import RULES
    from ppgov.output import to_json

    if form == "json":
        entries = [{"id": r.id, "name": r.name, "level": r.level, "clause": r.clause, "title": r.title} for r in RULES]
        _print(to_json({"format": "ppgov-rules/1", "rules": entries}))
        return
    for row in RULES:
        _print(f"{row.id}  {row.level:7}  {row.name:34}  {row.title}\n")


@cli.command()
@click.argument("packs", nargs=-1, required=True, metavar="PACK...")
@click.option("--html", "forms", flag_value="html", multiple=True, help="One self-contained page (the default).")
@click.option(
    "--pdf",
    "forms",
    flag_value="pdf",
    multiple=True,
    help="PDF/A-3a and PDF/UA-1, with pack, findings and graph attached.",
)
@click.option("--md", "forms", flag_value="md", multiple=True, help="Markdown for a pull request.")
@click.option("--json", "forms", flag_value="json", multiple=True, help="The report's data.")
@click.option(
    "-o", "--output", metavar="FILE|DIR", help="Where to write; <id>-<version>.<ext> in the current folder by default."
)
@click.option(
    "--template",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="Templates of your own, used before the bundled ones.",
)
@click.option(
    "--now",
    metavar="TIME",
    help="The time to print, such as 2026-12-01T09:00:00Z; else SOURCE_DATE_EPOCH, else the clock.",
)
@_base_iri
@_max_bytes
@_vocab
@_directory
def report(
    packs: tuple[str, ...],
    forms: tuple[str, ...],
    output: str | None,
    template: str | None,
    now: str | None,
    base_iri: str,
    **given: Any,
) -> int:
    """Write the audit report of each pack."""
    from pathlib import Path

    from ppgov import publish
    from ppgov.output import write_whole

    formats = tuple(dict.fromkeys(forms)) or ("html",)
    wanted = publish.Wanted(formats, _time(now), Path(template) if template else None, _base(base_iri))
    folder, is_folder = publish.place(output, many=len(packs) * len(formats) > 1)
    taken: set[str] = set()

    def write(audit: Audit) -> None:
        for form, content in publish.publish(audit, wanted):
            name = _free_name(publish.file_name(audit, form), taken)
            path = os.path.join(folder, name) if is_folder else folder
            if path == "-":
                _print_bytes(content)
                continue
            write_whole(path, content)
            _say(f"wrote {path}")

    return _each(packs, write, **given)


def _free_name(name: str, taken: set[str]) -> str:
    """Two packs of one run with the same id and version get two files."""
    stem, _, ending = name.rpartition(".")
    number = 2
    while name in taken:
        name = f"{stem}~{number}.{ending}"
        number += 1
    taken.add(name)
    return name


def _each(
    packs: tuple[str, ...],
    act: Callable[[Audit], None],
    *,
    max_bytes: int,
    vocabularies: tuple[str, ...] = (),
    directory: str | None = None,
) -> int:
    """Act on each pack; one that cannot be read, or a library that is missing, does not keep the others from it."""
    people, code = _people(directory), 0
    for path in packs:
        try:
            act(_audited(path, max_bytes=max_bytes, vocabularies=vocabularies, people=people))
        except PpgovError as error:
            if error.exit_code == UsageError.exit_code or len(packs) == 1:
                raise
            _complain(error)
            code = error.exit_code
    return code


def _base(iri: str) -> str:
    from ppgov.terms import is_absolute_iri

    if not is_absolute_iri(iri):
        raise UsageError(f"--base-iri '{iri}' is no absolute IRI", "write it like https://packs.example.org/")
    if not iri.endswith(("/", "#")):
        raise UsageError(f"--base-iri '{iri}' ends in neither / nor #", "names would run into it")
    return iri


@cli.command()
@click.argument("packs", nargs=-1, required=True, metavar="PACK...")
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(["nquads", "trig", "turtle", "jsonld"]),
    default="nquads",
    show_default=True,
)
@click.option(
    "--graph",
    "which",
    type=click.Choice(["declared", "computed"]),
    help="One graph only; turtle holds one: declared by default.",
)
@click.option("--extensions", is_flag=True, help="Write `extensions` too, verbatim.")
@click.option("-o", "--output", metavar="FILE", help="Where to write; standard output by default.")
@_base_iri
@_max_bytes
@_vocab
def graph(
    packs: tuple[str, ...],
    form: str,
    which: str | None,
    extensions: bool,
    output: str | None,
    base_iri: str,
    **given: Any,
) -> int:
    """Write the packs as RDF: what they declare and what was computed from it, apart."""
    from ppgov import graph as quads
    from ppgov.output import write_whole
    from ppgov.serialise import write

    base = _base(base_iri)
    written: list[tuple[str, str, str, str]] = []
    code = _each(packs, lambda audit: written.extend(quads.of(audit, base_iri=base, extensions=extensions)), **given)
    content = write(quads.nquads(written), form, graph=which)
    if output is None or output == "-":
        _print_bytes(content)
    else:
        write_whole(output, content)
    return code


@cli.group()
def vocab() -> None:
    """Look up terms, prefixes and vocabularies."""


@vocab.command("search")
@click.argument("text")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@_vocab
def vocab_search(text: str, form: str, vocabularies: tuple[str, ...]) -> int:
    """Find terms whose label or name holds every word of TEXT; exit 1 when there is none."""
    from ppgov.output import search_json, search_text

    vocabulary = _vocabulary(vocabularies)
    found = vocabulary.search(text)
    _print(
        search_json(vocabulary, found)
        if form == "json"
        else "".join(f"{line}\n" for line in search_text(vocabulary, found))
    )
    return 0 if found else 1


@vocab.command("show")
@click.argument("term", metavar="CURIE|IRI")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@_vocab
def vocab_show(term: str, form: str, vocabularies: tuple[str, ...]) -> int:
    """Show a term: label, parents, children, slots, release; exit 1 when the vocabularies do not hold it."""
    from ppgov.output import term_json, term_text
    from ppgov.termpage import term_page

    page = term_page(_vocabulary(vocabularies), term)
    _print(term_json(page) if form == "json" else "".join(f"{line}\n" for line in term_text(page)))
    return 0 if page.standing == "known" else 1


@vocab.command("prefixes")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@_vocab
def vocab_prefixes(form: str, vocabularies: tuple[str, ...]) -> None:
    """List the prefixes that need no declaration."""
    from ppgov.output import prefix_text, to_json
    from ppgov.termpage import prefix_rows

    rows = prefix_rows(_vocabulary(vocabularies))
    _print(
        to_json({"format": "ppgov-prefixes/1", "prefixes": rows})
        if form == "json"
        else "".join(f"{line}\n" for line in prefix_text(rows))
    )


def _time(given: str | None) -> datetime:
    """`--now`, else SOURCE_DATE_EPOCH, else the clock: the only place that reads it."""
    from datetime import UTC, datetime

    try:
        if given is not None:
            moment = datetime.fromisoformat(given)
            return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
        epoch = os.environ.get("SOURCE_DATE_EPOCH")
        if epoch:
            return datetime.fromtimestamp(int(epoch), UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise UsageError(
            f"no time: '{given or os.environ.get('SOURCE_DATE_EPOCH')}'", "write it like 2026-12-01T09:00:00Z"
        ) from error
    return datetime.now(UTC).replace(microsecond=0)


if __name__ == "__main__":
    main()
