"""`ppgov report`: the audit report of a pack."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from ppgov.cli.options import base_iri_option, base_of, directory_option, each, max_bytes_option, time_of, vocab_option
from ppgov.cli.terminal import print_bytes, say
from ppgov.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from ppgov.audit import Audit


@click.command()
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
@base_iri_option
@max_bytes_option
@vocab_option
@directory_option
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
    folder_of_templates = Path(template) if template else None
    _holds_templates(folder_of_templates)
    wanted = publish.Wanted(formats, time_of(now), folder_of_templates, base_of(base_iri))
    folder, is_folder = publish.place(output, many=len(packs) * len(formats) > 1)
    taken: set[str] = set()

    def write(audit: Audit) -> None:
        for form, content in publish.publish(audit, wanted):
            name = _free_name(publish.file_name(audit, form), taken)
            path = os.path.join(folder, name) if is_folder else folder
            if path == "-":
                print_bytes(content)
                continue
            write_whole(path, content)
            say(f"wrote {path}")

    return each(packs, write, **given)


def _holds_templates(folder: Path | None) -> None:
    """A folder in which no file has a bundled template's name would change nothing, and nobody would know."""
    from ppgov import resources

    if folder is None:
        return
    bundled = resources.folder("report_templates")
    known = sorted(str(path.relative_to(bundled)) for path in bundled.rglob("*") if path.is_file())
    if not any((folder / name).is_file() for name in known):
        top = [name for name in known if os.sep not in name]
        raise UsageError(
            f"{folder}: no template here", f"name yours like one of {', '.join(top)}; see docs/templates.md"
        )


def _free_name(name: str, taken: set[str]) -> str:
    """Two packs of one run with the same id and version get two files."""
    stem, _, ending = name.rpartition(".")
    number = 2
    while name in taken:
        name = f"{stem}~{number}.{ending}"
        number += 1
    taken.add(name)
    return name
