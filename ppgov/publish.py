"""From an audit to the files of a report: which formats, under which names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ppgov import graph
from ppgov.audit import Audit
from ppgov.errors import UsageError
from ppgov.findings import count
from ppgov.fleet import Checked
from ppgov.output import check_json
from ppgov.report import Report, build

FORMATS = ("html", "pdf", "md", "json")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to write: formats by file ending, the moment to print, templates of the user's own."""

    formats: tuple[str, ...]
    generated_at: datetime
    template_dir: Path | None = None
    base_iri: str = graph.BASE_IRI


def publish(audit: Audit, wanted: Wanted) -> Iterator[tuple[str, bytes]]:
    """(format, content) of each output, PDF last: without Pango the others still come. Raises MissingLibraryError."""
    from ppgov import render

    report = build(audit, generated_at=wanted.generated_at)
    for form in sorted(wanted.formats, key=FORMATS.index):
        if form == "html":
            yield form, render.html(report, template_dir=wanted.template_dir).encode()
        elif form == "md":
            yield form, render.markdown(report, template_dir=wanted.template_dir).encode()
        elif form == "json":
            yield form, render.json_text(report).encode()
    if "pdf" in wanted.formats:
        yield "pdf", _pdf(audit, report, wanted)


def _pdf(audit: Audit, report: Report, wanted: Wanted) -> bytes:
    from ppgov.pdf import Attachment, pdf

    source = audit.source
    checked = Checked(
        path=f"pack.{source.format}",
        id=audit.pack.id,
        version=audit.pack.version,
        sha256=source.sha256,
        canonical_sha256=source.canonical_sha256,
        audited=True,
        findings=audit.findings,
    )
    findings = check_json([checked], count(audit.findings, 1)).encode("utf-8", "backslashreplace")
    quads = graph.nquads(graph.of(audit, base_iri=wanted.base_iri)).encode()
    attachments = (
        Attachment(f"pack.{source.format}", source.raw, "The pack as audited, byte for byte", "Source"),
        Attachment("findings.json", findings, "The findings (ppgov-check/1)"),
        Attachment("graph.nq", quads, "The declared and computed graphs (N-Quads)"),
    )
    return pdf(report, generated_at=wanted.generated_at, attachments=attachments, template_dir=wanted.template_dir)


def file_name(audit: Audit, form: str) -> str:
    """`<id>-<version>.<ext>`; what a broken pack puts there cannot leave the folder."""
    stem = (
        "-".join(part for part in (audit.pack.id, audit.pack.version) if part)
        or os.path.splitext(os.path.basename(audit.path))[0]
        or "pack"
    )
    safe = re.sub(r"[^A-Za-z0-9._+-]", "_", stem).lstrip(".")[:120] or "pack"
    return f"{safe}.{form}"


def place(output: str | None, *, many: bool) -> tuple[str, bool]:
    """(path, whether it is a folder) for `-o`; the current folder without it."""
    if output is None:
        return "", True
    if os.path.isdir(output) or output.endswith("/"):
        return output, True
    if many:
        raise UsageError(f"-o {output} is one file, but there are several outputs", "name a folder, ending in /")
    return output, False
