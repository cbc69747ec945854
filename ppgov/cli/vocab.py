"""`ppgov vocab`: terms, prefixes and vocabularies."""

from __future__ import annotations

import click

from ppgov.cli.options import vocab_option, vocabulary_of
from ppgov.cli.terminal import print_text


@click.group()
def vocab() -> None:
    """Look up terms, prefixes and vocabularies."""


@vocab.command("search")
@click.argument("text")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@vocab_option
def vocab_search(text: str, form: str, vocabularies: tuple[str, ...]) -> int:
    """Find terms whose label or name holds every word of TEXT; exit 1 when there is none."""
    from ppgov.output import search_json, search_text

    vocabulary = vocabulary_of(vocabularies)
    found = vocabulary.search(text)
    print_text(
        search_json(vocabulary, found)
        if form == "json"
        else "".join(f"{line}\n" for line in search_text(vocabulary, found))
    )
    return 0 if found else 1


@vocab.command("show")
@click.argument("term", metavar="CURIE|IRI")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@vocab_option
def vocab_show(term: str, form: str, vocabularies: tuple[str, ...]) -> int:
    """Show a term: label, parents, children, slots, release; exit 1 when the vocabularies do not hold it."""
    from ppgov.output import term_json, term_text
    from ppgov.termpage import term_page

    page = term_page(vocabulary_of(vocabularies), term)
    print_text(term_json(page) if form == "json" else "".join(f"{line}\n" for line in term_text(page)))
    return 0 if page.standing == "known" else 1


@vocab.command("prefixes")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@vocab_option
def vocab_prefixes(form: str, vocabularies: tuple[str, ...]) -> None:
    """List the prefixes that need no declaration."""
    from ppgov.output import prefix_text, to_json
    from ppgov.termpage import prefix_rows

    rows = prefix_rows(vocabulary_of(vocabularies))
    print_text(
        to_json({"format": "ppgov-prefixes/1", "prefixes": rows})
        if form == "json"
        else "".join(f"{line}\n" for line in prefix_text(rows))
    )
