"""`ppgov query` and `ppgov queries`: questions to packs, and those that come with ppgov."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from ppgov.cli.options import MAX_BYTES, base_iri_option, base_of, max_bytes_option, run_options, vocab_option
from ppgov.cli.terminal import is_terminal, print_bytes, print_text, say
from ppgov.errors import InputError, UsageError
from ppgov.findings import clip, quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ppgov.query.engine import Question
    from ppgov.query.named import Query
    from ppgov.query.table import Answer
    from ppgov.shard import Shard

_FORMATS = ("table", "csv", "tsv", "json", "xml", "markdown", "xlsx", "turtle", "nquads")
_MAX_QUERY = 1_000_000


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("-e", "--query", "text", metavar="QUERY", help="The query itself.")
@click.option("-f", "--file", metavar="FILE", help="A file with the query; - for standard input.")
@click.option("--name", metavar="NAME", help="A query that comes with ppgov: `ppgov queries` lists them.")
@click.option("--param", "params", multiple=True, metavar="NAME=VALUE", help="A parameter of the query; repeatable.")
@click.option("--format", "form", type=click.Choice(_FORMATS), help="table by default, turtle for a graph.")
@click.option("-o", "--output", metavar="FILE", help="Where to write; standard output by default.")
@click.option("--labels", is_flag=True, help="Say what each IRI and each term is called.")
@click.option("--locate", is_flag=True, help="Say which file, line and column declares each thing.")
@click.option(
    "--timeout",
    type=click.FloatRange(0, 86_400, min_open=True),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="End a query that takes longer; reading packs does not count.",
)
@click.option(
    "--max-rows",
    type=click.IntRange(1),
    default=100_000,
    show_default=True,
    metavar="N",
    help="End a query that has more rows or triples.",
)
@click.option("--store", metavar="DIR", help="Ask a store that `ppgov store build` wrote.")
@click.option("--endpoint", metavar="URL", help="Ask a SPARQL 1.1 server.")
@click.option("-j", "--jobs", type=click.IntRange(1), metavar="N", help="Processes; all cores by default.")
@base_iri_option
@max_bytes_option
@vocab_option
def query(
    paths: tuple[str, ...],
    text: str | None,
    file: str | None,
    name: str | None,
    params: tuple[str, ...],
    form: str | None,
    output: str | None,
    timeout: float,
    store: str | None,
    endpoint: str | None,
    jobs: int | None,
    base_iri: str,
    max_bytes: int,
    vocabularies: tuple[str, ...],
    **wanted: Any,
) -> int:
    """Ask packs, a store or a server a question in SPARQL."""
    from ppgov.output import write_whole
    from ppgov.query.formats import fitting, write

    _one_of(paths=bool(paths), store=store, endpoint=endpoint)
    base = base_of(base_iri)
    question = _question(_asked(text, file, name, paths), params, base, wanted)
    form = fitting(question.form.form, form)
    if form == "xlsx" and output is None and is_terminal(sys.stdout):
        raise UsageError("a workbook is no text for a terminal", "name a file with -o")
    code = 0
    if endpoint is not None:
        answer = _from_endpoint(endpoint, question, timeout)
    elif store is not None:
        answer = _from_store(store, question, timeout)
    else:
        pieces, code = _pieces(paths, base, jobs, max_bytes=max_bytes, vocabularies=vocabularies)
        answer = _from_packs(pieces, question, timeout)
    content = write(answer, form, labels=question.labels, locate=question.places, base_iri=base)
    if output is None or output == "-":
        print_bytes(content)
    else:
        write_whole(output, content)
    if answer.table is not None and form == "table":
        rows = len(answer.table.rows)
        say(f"{rows:,} row" + ("" if rows == 1 else "s"))
    return code


def _one_of(*, paths: bool, store: str | None, endpoint: str | None) -> None:
    given = sum((paths, store is not None, endpoint is not None))
    if given != 1:
        problem = "packs, --store and --endpoint exclude each other" if given else "nothing to ask"
        raise UsageError(problem, "name packs or folders, or a store with --store, or a server with --endpoint")


def _asked(text: str | None, file: str | None, name: str | None, paths: tuple[str, ...]) -> Query:
    """The query by one of the three ways in."""
    from ppgov.query.named import load, parse

    if sum(way is not None for way in (text, file, name)) != 1:
        raise UsageError("give one query", "-e QUERY, -f FILE or --name NAME; `ppgov queries` lists the names")
    if name is not None:
        return load(name)
    if text is not None:
        return parse(text, "query")
    if file == "-" and "-" in paths:
        raise UsageError("standard input cannot be both the query and a pack", "name a file for one of them")
    return parse(_read(str(file)), "query" if file == "-" else str(file))


def _read(file: str) -> str:
    try:
        if file == "-":
            data = sys.stdin.buffer.read(_MAX_QUERY + 1)
        else:
            with open(file, "rb") as stream:
                data = stream.read(_MAX_QUERY + 1)
        if len(data) <= _MAX_QUERY:
            return data.decode("utf-8-sig")
        reason = f"larger than {_MAX_QUERY:,} bytes"
    except (OSError, ValueError, AttributeError) as error:  # ValueError: a NUL in the name, or bytes that are no UTF-8
        reason = (error.strerror or "cannot be read") if isinstance(error, OSError) else "no UTF-8 text"
    raise InputError(f"{clip(file)}: {reason[:1].lower()}{reason[1:]}", "give a UTF-8 file with one SPARQL query")


def _question(asked: Query, params: tuple[str, ...], base: str, wanted: dict[str, Any]) -> Question:
    """The query examined before a pack is read; FROM is looked at again where the graphs are known."""
    from ppgov.query.bind import AnyGraph, bind
    from ppgov.query.engine import Question
    from ppgov.query.guard import examine
    from ppgov.query.named import values
    from ppgov.query.table import PREFIXES

    name = clip(asked.path)
    given: dict[str, str] = {}
    for param in params:
        key, sign, value = param.partition("=")
        if not sign or key in given:
            fault = "is given twice" if sign else "has no value"
            raise UsageError(f"the parameter {quote(key)} {fault}", "write --param NAME=VALUE, each name once")
        given[key] = value
    form = examine(asked.text, known_graphs=AnyGraph(), name=name)
    bound = values(asked, given, PREFIXES)
    bind(asked.text, bound)
    return Question(
        asked.text,
        form,
        bound,
        name=name,
        base_iri=base,
        max_rows=wanted["max_rows"],
        labels=wanted["labels"],
        places=wanted["locate"],
    )


def _pieces(
    paths: tuple[str, ...],
    base: str,
    jobs: int | None,
    *,
    max_bytes: int = MAX_BYTES,
    vocabularies: tuple[str, ...] = (),
) -> tuple[list[str], int]:
    """The quads of each pack, and the exit code. Raises InputError when there is no pack at all."""
    from ppgov.fleet import gather
    from ppgov.shard import shards

    inputs = gather(paths)
    options = run_options(max_bytes=max_bytes, vocabularies=vocabularies)
    read = list(_bar(shards(inputs.targets, options, base_iri=base, jobs=jobs), len(inputs.targets)))
    done = {shard.path for shard in read if not shard.skipped}
    problems = [
        *(_problem(shard) for shard in read if shard.problem is not None),
        *inputs.problems,
        *(
            f"{folder}: no pack found in this folder"
            for folder, names in inputs.folders.items()
            if done.isdisjoint(names)
        ),
    ]
    for problem in problems:
        say(f"ppgov: {problem}")
    pieces = [shard.quads for shard in read if shard.quads]
    if not pieces:
        raise InputError("no pack could be read", "nothing was asked")
    return pieces, InputError.exit_code if problems else 0


def _problem(shard: Shard) -> str:
    finding = shard.problem
    if finding is None:
        return ""
    place = ":".join(str(part) for part in (clip(shard.path), finding.line, finding.column) if part is not None)
    hint = f": {clip(finding.hint)}" if finding.hint else ""
    return f"{place}: {clip(finding.message)} ({finding.rule}){hint}"


def _bar(read: Iterator[Shard], length: int) -> Iterator[Shard]:
    """The packs, with a progress bar on a terminal when there are many."""
    from ppgov import fleet

    if length < fleet.CHUNK or not is_terminal(sys.stderr):
        yield from read
        return
    with click.progressbar(read, length=length, label="Reading packs", file=sys.stderr) as bar:
        yield from bar


def _from_packs(pieces: list[str], question: Question, timeout: float) -> Answer:
    from ppgov.query import child, engine

    return child.run(
        lambda: engine.in_memory(pieces, question.form), lambda held: engine.ask(held, question), seconds=timeout
    )


def _from_store(store: str, question: Question, timeout: float) -> Answer:
    from ppgov.query import child, engine
    from ppgov.store.disk import current

    place = current(store)
    return child.run(lambda: engine.on_disk(place), lambda held: engine.ask(held, question), seconds=timeout)


def _from_endpoint(url: str, question: Question, timeout: float) -> Answer:
    from ppgov.query import endpoint
    from ppgov.query.bind import bind

    return endpoint.ask(
        url,
        bind(question.text, question.values),
        timeout=timeout,
        max_rows=question.max_rows,
        labels=question.labels,
        locate=question.places,
        warn=lambda message: say(f"ppgov: {message}"),
    )


@click.group(invoke_without_command=True)
@click.option("-f", "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_context
def queries(context: click.Context, form: str) -> None:
    """List the queries that come with ppgov, or show one."""
    if context.invoked_subcommand is None:
        from ppgov.query.page import list_json, list_text

        print_text(list_json() if form == "json" else "".join(f"{line}\n" for line in list_text()))


@queries.command("show")
@click.argument("name")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def queries_show(name: str, form: str) -> None:
    """Show what a query asks, what it takes and answers, and its SPARQL."""
    from ppgov.query.named import load
    from ppgov.query.page import query_json, query_text

    found = load(name)
    print_text(query_json(found) if form == "json" else "".join(f"{line}\n" for line in query_text(found)))
