"""The pipeline: a source in, an audit out. Reading, structure, override, resolution, reach, terms, rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ppgov import schema
from ppgov.canonical import misfits
from ppgov.checks import BY_ID, RULES, Case
from ppgov.effective import Effective, subjects
from ppgov.errors import UnreadableError
from ppgov.findings import Finding
from ppgov.pack import Pack, view
from ppgov.reach import Reach, reach
from ppgov.resolution import Resolutions, Targets, resolve, targets
from ppgov.source import MAX_BYTES, Source, parse, read_bytes, sha256
from ppgov.suggest import DidYouMean
from ppgov.terms import TermUse, uses
from ppgov.vocabulary import Vocabulary, load

ALL_RULES = frozenset(BY_ID)
_HINTS = 100  # of one rule: a hostile pack can hold a hundred thousand wrong names, each to be searched for
_AT_THE_KEY = frozenset(("PPG111", "PPG121"))  # the fault is the name of the property, not its value


class Partial(NamedTuple):
    """A rule that could not read some part of a broken pack: the pointers it had to leave out."""

    rule: str
    pointers: tuple[str, ...]


class Audit(NamedTuple):
    """What is known of one pack. Keys of the mappings: None for the pack, else the agent's key."""

    source: Source
    pack: Pack
    findings: tuple[Finding, ...]
    effective: Mapping[str | None, Effective]
    resolutions: Mapping[str | None, Resolutions]
    reach: Mapping[str | None, Reach]
    terms: tuple[TermUse, ...]
    vocabulary: Vocabulary
    partial: tuple[Partial, ...]

    @property
    def path(self) -> str:
        return self.source.path


class Unreadable(NamedTuple):
    """An input that gave no pack data: its one finding, and the digest of its bytes where they could be read."""

    path: str
    sha256: str | None
    finding: Finding


def audit(
    source: Source,
    *,
    vocabulary: Vocabulary | None = None,
    people: frozenset[str] = frozenset(),
    rules: frozenset[str] = ALL_RULES,
) -> Audit:
    """Check one pack. `people` are names that are persons, `rules` the ids to report."""
    pack = view(source.data)
    vocabulary = vocabulary or load()
    effective = subjects(pack)
    resolutions = _resolutions(effective, targets(pack))
    case = Case(pack, effective, resolutions, reach(pack), uses(pack), vocabulary, people)
    violations = schema.violations(source.data)
    unread = tuple(violation.pointer for violation in violations if violation.unread)
    found = [*_structure(source, violations), *_canonical(source), *_rules(source, case)]
    unique = {(finding.rule, finding.pointer, finding.message): finding for finding in found if finding.rule in rules}
    return Audit(
        source=source,
        pack=pack,
        findings=tuple(sorted(unique.values(), key=lambda finding: finding.order)),
        effective=effective,
        resolutions=resolutions,
        reach=case.reach,
        terms=case.terms,
        vocabulary=vocabulary,
        partial=tuple(_partial(unread)),
    )


def audit_path(
    path: str,
    *,
    max_bytes: int = MAX_BYTES,
    vocabulary: Vocabulary | None = None,
    people: frozenset[str] = frozenset(),
    rules: frozenset[str] = ALL_RULES,
) -> Audit | Unreadable:
    """Read and check one file, or standard input for "-"."""
    raw = None
    try:
        raw = read_bytes(path, max_bytes)
        source = parse(raw, path, max_bytes=max_bytes)
    except UnreadableError as error:
        row = BY_ID[error.rule]
        digest = sha256(raw) if raw is not None and len(raw) <= max_bytes else None
        return Unreadable(
            path,
            digest,
            Finding(row.id, row.name, row.level, error.message, "", error.line, error.column, error.advice),
        )
    return audit(source, vocabulary=vocabulary, people=people, rules=rules)


def _resolutions(effective: Mapping[str | None, Effective], offered: Targets) -> dict[str | None, Resolutions]:
    """Per subject; an agent that declares nothing of its own has the pack's, which are worked out once."""
    shared = resolve(effective[None], offered)
    return {
        key: shared if governance.agent_block is None else resolve(governance, offered)
        for key, governance in effective.items()
    }


def _structure(source: Source, violations: tuple[schema.Violation, ...]) -> Iterator[Finding]:
    versions = schema.format_violations(source.data)
    for violation in (*violations, *versions):
        row = BY_ID[violation.rule]
        line, column = source.locate(violation.pointer, key=violation.rule in _AT_THE_KEY)
        yield Finding(row.id, row.name, row.level, violation.message, violation.pointer, line, column, violation.hint)


def _canonical(source: Source) -> Iterator[Finding]:
    if source.may_lack_canonical and source.canonical_sha256 is None:
        row = BY_ID["PPG108"]
        for pointer, reason in misfits(source.data):
            message = f"no canonical form: {reason}"
            yield source.finding(
                row.id, row.name, row.level, pointer, message, "write the value as a string, or correct it"
            )


def _rules(source: Source, case: Case) -> Iterator[Finding]:
    for row in RULES:
        for number, found in enumerate(row.check(case) if row.check is not None else ()):
            hint = found.hint
            if isinstance(hint, DidYouMean):
                hint = hint.text() if number < _HINTS else f"the name is none of the {hint.kind}"
            yield source.finding(row.id, row.name, row.level, found.pointer, found.message, hint, found.related)


def _partial(unread: tuple[str, ...]) -> Iterator[Partial]:
    """Which rules read a part of the pack whose type kept them from reading it."""
    for row in RULES if unread else ():
        left_out = tuple(
            pointer for pointer in unread if pointer.split("/")[1:2] and pointer.split("/")[1] in row.reads
        )
        if left_out:
            yield Partial(row.id, left_out)
