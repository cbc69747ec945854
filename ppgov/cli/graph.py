"""`ppgov graph`: packs as RDF."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ppgov.cli.options import base_iri_option, base_of, each, max_bytes_option, vocab_option
from ppgov.cli.terminal import print_bytes, say

if TYPE_CHECKING:
    from ppgov.audit import Audit


@click.command()
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
@base_iri_option
@max_bytes_option
@vocab_option
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

    base = base_of(base_iri)
    written: list[tuple[str, str, str, str]] = []
    copies: list[quads.Copy] = []

    def add(audit: Audit) -> None:
        written.extend(quads.of(audit, base_iri=base, extensions=extensions))
        copies.append(quads.copy_of(audit, base_iri=base))

    code = each(packs, add, **given)
    for line in quads.clashes(copies):
        say(f"ppgov: {line}")
    content = write(quads.nquads(written), form, graph=which)
    if output is None or output == "-":
        print_bytes(content)
    else:
        write_whole(output, content)
    return code
