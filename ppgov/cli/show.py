"""`ppgov show`: the governance in force."""

from __future__ import annotations

import click

from ppgov.cli.options import audited, max_bytes_option, vocab_option
from ppgov.cli.terminal import print_text


@click.command()
@click.argument("pack")
@click.option("--agent", metavar="KEY", help="The governance in force for one agent; the pack's own by default.")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@max_bytes_option
@vocab_option
def show(pack: str, agent: str | None, form: str, max_bytes: int, vocabularies: tuple[str, ...]) -> None:
    """Show the governance in force, with the origin of every value."""
    from ppgov.effective import effective
    from ppgov.output import effective_json, effective_text

    audit = audited(pack, max_bytes=max_bytes, vocabularies=vocabularies)
    governance = effective(audit.pack, agent)
    print_text(
        effective_json(audit, governance) if form == "json" else "\n".join(effective_text(audit, governance)) + "\n"
    )
