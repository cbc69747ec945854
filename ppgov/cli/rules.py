"""`ppgov rules` and `ppgov explain`: what is checked, and the manual of each rule."""

from __future__ import annotations

import click

from ppgov.cli.options import no_rule
from ppgov.cli.terminal import print_text


@click.command()
@click.argument("rule")
def explain(rule: str) -> None:
    """Print the manual of a rule, by id or name."""
    from ppgov.checks import BY_ID, BY_NAME

    row = BY_ID.get(rule.upper()) or BY_NAME.get(rule)
    if row is None:
        raise no_rule(rule)
    print_text(f"{row.id} {row.name} ({row.level}; {row.clause})\n\n{row.manual}\n")


@click.command()
@click.option("-f", "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def rules(form: str) -> None:
    """List every rule."""
    from ppgov.checks import RULES
    from ppgov.output import to_json

    if form == "json":
        entries = [{"id": r.id, "name": r.name, "level": r.level, "clause": r.clause, "title": r.title} for r in RULES]
        print_text(to_json({"format": "ppgov-rules/1", "rules": entries}))
        return
    for row in RULES:
        print_text(f"{row.id}  {row.level:7}  {row.name:34}  {row.title}\n")
