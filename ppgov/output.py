"""Findings as text or JSON, the effective governance as text or JSON, and whole files or none."""

from __future__ import annotations

import contextlib
import json
import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from ppgov import __version__
from ppgov.audit import Audit
from ppgov.effective import Effective
from ppgov.errors import InputError
from ppgov.findings import CLIP, Finding, Summary, clip
from ppgov.fleet import Checked, Excerpt
from ppgov.number import TREE, Style, json_text

if TYPE_CHECKING:
    from ppgov.termpage import PrefixRow, TermName, TermPage
    from ppgov.terms import TermUse
    from ppgov.vocabulary import Facts, Vocabulary


# Colours a word (first) by its role (second): error, warning, note or dim.
Paint = Callable[[str, str], str]


def plain(text: str, role: str) -> str:
    return text


def check_text(checked: Checked, *, quiet: bool, paint: Paint = plain) -> Iterator[str]:
    """The lines for one input: each finding with its source line, a caret under the place, and the hint."""
    for finding, excerpt in zip(checked.findings, checked.excerpts, strict=True):
        place = ":".join(str(part) for part in (clip(checked.path), finding.line, finding.column) if part is not None)
        yield f"{place}: {paint(finding.level, finding.level)} {finding.rule} {finding.name}: {clip(finding.message)}"
        if quiet:
            continue
        if excerpt is not None and finding.line is not None:
            yield from _excerpt(excerpt, finding.line, paint)
        for other in finding.related:
            where = f"line {other.line}" if other.line else other.pointer
            yield f"      {paint('see', 'dim')}:  {where}: {clip(other.message)}"
        if finding.hint:
            yield f"      {paint('hint', 'dim')}: {clip(finding.hint)}"


def _excerpt(excerpt: Excerpt, number: int, paint: Paint) -> Iterator[str]:
    """The source line, and the caret below the place."""
    before, after = excerpt.text[: excerpt.column - 1], excerpt.text[excerpt.column - 1 :]
    lead = ("…" if excerpt.cut_before else "") + clip(before, 4 * CLIP)
    yield f"{number:>5} | {lead}{clip(after, 4 * CLIP)}" + ("…" if excerpt.cut_after else "")
    yield f"      | {' ' * _width(lead)}{paint('^', 'error')}"


def _width(text: str) -> int:
    """Columns on a terminal: wide East Asian characters take two, combining ones none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def summary_text(summary: Summary) -> str:
    def many(number: int, word: str) -> str:
        return f"{number} {word}" + ("" if number == 1 else "s")

    counts = (many(summary.errors, "error"), many(summary.warnings, "warning"), many(summary.notes, "note"))
    return f"{many(summary.packs, 'pack')} checked: " + ", ".join(counts)


def check_json(results: Iterable[Checked], summary: Summary) -> str:
    """`ppgov-check/1`."""
    packs = [
        {
            "path": checked.path.encode("utf-8", "surrogateescape").decode("utf-8", "replace"),
            "id": checked.id,
            "version": checked.version,
            "sha256": checked.sha256,
            "canonical_sha256": checked.canonical_sha256,
            "audited": checked.audited,
            "findings": [finding_json(finding) for finding in checked.findings],
        }
        for checked in results
    ]
    counts = {"packs": summary.packs, "errors": summary.errors, "warnings": summary.warnings, "notes": summary.notes}
    return to_json({"format": "ppgov-check/1", "ppgov": __version__, "packs": packs, "summary": counts})


def finding_json(finding: Finding) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "rule": finding.rule,
        "name": finding.name,
        "level": finding.level,
        "message": clip(finding.message),
        "hint": clip(finding.hint) or None,
        "pointer": finding.pointer,
        "line": finding.line,
        "column": finding.column,
    }
    if finding.related:
        entry["related"] = [
            {"message": clip(other.message), "pointer": other.pointer, "line": other.line, "column": other.column}
            for other in finding.related
        ]
    return entry


def effective_json(audit: Audit, governance: Effective) -> str:
    """`ppgov-effective/1`."""
    fields: dict[str, Any] = {}
    for name, field in governance.fields.items():
        line, _ = audit.source.locate(field.pointer)
        fields[name] = {"value": field.value, "origin": field.origin, "pointer": field.pointer, "line": line}
        terms = terms_of(audit, field.pointer)
        if terms:
            fields[name]["terms"] = [
                {
                    "written": use.term.written,
                    "form": use.term.form,
                    "iri": use.term.iri,
                    "label": audit.vocabulary.label(use.term.iri) if use.term.iri else None,
                }
                for use in terms
            ]
    return to_json(
        {
            "format": "ppgov-effective/1",
            "pack": audit.pack.id,
            "version": audit.pack.version,
            "agent": governance.agent,
            "declared": governance.declared,
            "fields": fields,
            "undeclared": list(governance.undeclared),
        }
    )


def terms_of(audit: Audit, pointer: str) -> tuple[TermUse, ...]:
    """The terms written at or below a pointer."""
    return tuple(use for use in audit.terms if use.pointer == pointer or use.pointer.startswith(f"{pointer}/"))


def effective_text(audit: Audit, governance: Effective) -> Iterator[str]:
    """The governance in force, a field a line, with origin and line; then what nobody declared."""
    pack = audit.pack
    subject = "the pack" if governance.agent is None else f"agent {clip(governance.agent)}"
    yield f"{clip(pack.id or 'no id')} {clip(pack.version or 'no version')}: governance in force for {subject}"
    if not governance.declared:
        yield "  nothing is declared"
    for name, field in governance.fields.items():
        line, _ = audit.source.locate(field.pointer)
        origin = "pack" if field.origin == "pack" else f"agent {clip(str(governance.agent), 60)}"
        yield f"  {name}  (from {origin}, line {line})"
        yield from (f"    {text}" for text in _value_lines(field.value))
        for use in terms_of(audit, field.pointer):
            label = audit.vocabulary.label(use.term.iri) if use.term.iri else None
            meaning = use.term.iri or ("free text" if use.term.form == "free" else "undeclared prefix: stays text")
            yield f"    {clip(use.term.written, 80)} → {clip(meaning)}" + (f" ({label})" if label else "")
    if governance.undeclared:
        yield "  not declared: " + ", ".join(governance.undeclared)


def _value_lines(value: Any) -> list[str]:
    if isinstance(value, str):
        return [clip(value)]
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return [f"- {clip(item)}" for item in value]
    return [clip(line) for line in json_text(value, TREE).splitlines()]


_WIDE = 20_000  # a line on a term: long lists of children are wanted whole, control characters of a label are not


def search_text(vocabulary: Vocabulary, found: Iterable[Facts]) -> Iterator[str]:
    for facts in found:
        curie = vocabulary.curie(facts.iri) or facts.iri
        yield clip(f"{curie:45}  {facts.label or ''}" + (" (property)" if facts.kind == "property" else ""), _WIDE)


def search_json(vocabulary: Vocabulary, found: Iterable[Facts]) -> str:
    """`ppgov-terms/1`."""
    terms = [
        {"curie": vocabulary.curie(f.iri), "iri": f.iri, "label": f.label, "kind": f.kind, "since": f.since}
        for f in found
    ]
    return to_json({"format": "ppgov-terms/1", "terms": terms})


def term_json(page: TermPage) -> str:
    """`ppgov-term/1`."""
    import dataclasses

    removal = page.removal._asdict() if page.removal is not None else None
    return to_json({"format": "ppgov-term/1", **dataclasses.asdict(page), "removal": removal})


def term_text(page: TermPage) -> Iterator[str]:
    """A term, a fact a line; what the vocabulary does not say has no line."""
    yield clip(f"{page.name.curie or page.name.iri}  {page.name.label or ''}".rstrip(), _WIDE)
    yield clip(f"  IRI         {page.name.iri}", _WIDE)
    standing = {
        "known": f"known; {page.namespace_of}, whose namespace this is, does not hold it"
        if page.namespace_of
        else "known",
        "renamed": f"gone since {page.removal.release if page.removal else ''}: renamed",
        "removed": f"gone since {page.removal.release if page.removal else ''}, without a successor",
        "unknown": f"not in {page.vocabulary}",
        "not-indexed": "no vocabulary at hand covers this namespace; --vocab FILE adds one",
    }[page.standing]
    yield f"  standing    {standing}"
    rows: tuple[tuple[str, str | None], ...] = (
        ("kind", page.kind),
        ("vocabulary", page.vocabulary),
        ("file", page.file),
        ("source", page.instrument),
        ("since", page.since),
        ("status", page.status),
        ("now", _names((page.successor,)) if page.successor else None),
        ("parents", _names(page.parents)),
        ("types", _names(page.types)),
        ("children", _names(page.children)),
        ("instances", _names(page.instances)),
        ("usual in", ", ".join(page.slots)),
        ("nearest", ", ".join(page.suggestions)),
    )
    yield from (clip(f"  {name:10}  {value}", _WIDE) for name, value in rows if value)


def _names(names: Iterable[TermName]) -> str:
    return ", ".join((name.curie or name.iri) + (f" ({name.label})" if name.label else "") for name in names)


def prefix_text(rows: Iterable[PrefixRow]) -> Iterator[str]:
    for row in rows:
        yield f"{row.prefix:22}  {row.namespace:48}  {row.terms:>5} terms  {row.vocabulary or ''}".rstrip()


def to_json(value: Any) -> str:
    """JSON text, readable and stable, numbers as written; what nobody can see is written as its escape."""
    text = json_text(value, _TREE) + "\n"
    return text if _PLAIN(text) is not None else _unseen()(_escape, text)


def _plain(value: Any) -> Any:
    import dataclasses

    return dataclasses.asdict(value)


_TREE = Style(json.JSONEncoder(ensure_ascii=False, indent=2, default=_plain), tree=True)

# Nearly all output is printable ASCII, which needs no second look.
_PLAIN = re.compile(r"[\n\x20-\x7e]*").fullmatch


@cache
def _unseen() -> Callable[[Callable[[re.Match[str]], str], str], str]:
    """Control and format characters, line separators and half surrogate pairs: they reorder a line or hide in it."""
    spans = (
        *("\x7f-\x9f", "\xad", "\u0600-\u0605", "\u061c", "\u06dd", "\u070f", "\u0890\u0891", "\u08e2", "\u180e"),
        *("\u200b-\u200f", "\u2028-\u202e", "\u2060-\u206f", "\ud800-\udfff", "\ufeff", "\ufff9-\ufffb"),
        *("\U000110bd\U000110cd", "\U00013430-\U0001343f", "\U0001bca0-\U0001bca3", "\U0001d173-\U0001d17a"),
        "\U000e0001-\U000e007f",
    )
    return re.compile(f"[{''.join(spans)}]").sub


def _escape(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1]


def write_whole(path: str, data: bytes) -> None:
    """Write a whole file or none: beside the target, then renamed over it. Raises InputError."""
    try:
        if os.path.exists(path) and not os.path.isfile(path):  # a device or a pipe, such as /dev/stdout
            with open(path, "wb") as stream:
                stream.write(data)
            return
        target = os.path.realpath(path) if os.path.islink(path) else path
        folder, name = os.path.split(target)
        if folder:
            os.makedirs(folder, exist_ok=True)
        beside = os.path.join(folder, f".{name[:100]}.{os.getpid()}.part")
        try:
            with open(beside, "wb") as stream:
                stream.write(data)
            os.replace(beside, target)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(beside)
    except (OSError, ValueError) as error:  # ValueError: a NUL byte in the path
        reason = error.strerror if isinstance(error, OSError) else "not a path"
        raise InputError(f"{clip(path)}: cannot be written: {reason}", "choose another place with -o") from error
