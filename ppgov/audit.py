"""The pipeline: a source in, an audit out. Reading, structure, override, resolution, reach, terms, rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from ppgov import schema
from ppgov.blocked import blocks, size
from ppgov.canonical import misfits
from ppgov.checks import BY_ID, RULES, Case
from ppgov.effective import Effective, subjects
from ppgov.errors import UnreadableError
from ppgov.findings import Finding
from ppgov.pack import Pack, view
from ppgov.reach import Reach, reach
from ppgov.resolution import Resolutions, Targets, resolve, targets
from ppgov.source import MAX_BYTES, Source, line_of, line_starts, parse, read_bytes, sha256
from ppgov.suggest import DidYouMean
from ppgov.terms import TermUse, uses
from ppgov.vocabulary import Vocabulary, load

ALL_RULES = frozenset(BY_ID)
MAX_FINDINGS = 10_000  # of one rule in one pack
_FEW = 8  # agents that cannot multiply anything beyond bounds, as a file is bounded itself
MAX_PRODUCT = 500_000
_NAMED = 100  # places that are named as not read
_HINTS = 100  # of one rule: a hostile pack can hold a hundred thousand wrong names, each to be searched for
_AT_THE_KEY = frozenset(("PPG111", "PPG121"))  # the fault is the name of the property, not its value


class Partial(NamedTuple):
    """A rule that did not run, or not on all: the pointers that it left out, or in words what it lacked."""

    rule: str
    pointers: tuple[str, ...]


class Audit(NamedTuple):
    """What is known of one pack. Keys of the mappings: None for the pack, else the agent's key.

    `partial`: rules that a broken part kept from looking; `lacking`: those that were given nothing to compare with.
    """

    source: Source
    pack: Pack
    findings: tuple[Finding, ...]
    effective: Mapping[str | None, Effective]
    resolutions: Mapping[str | None, Resolutions]
    reach: Mapping[str | None, Reach]
    terms: tuple[TermUse, ...]
    vocabulary: Vocabulary
    violations: tuple[schema.Violation, ...]
    partial: tuple[Partial, ...]
    lacking: tuple[Partial, ...] = ()

    @property
    def path(self) -> str:
        return self.source.path


class Unreadable(NamedTuple):
    """An input that gave no pack data: its one finding, and the digest of its bytes where they could be read.

    `line` is the line of the text in which the finding stands, as far as it can be shown.
    """

    path: str
    sha256: str | None
    finding: Finding
    line: str = ""


_NO_DIRECTORY = Partial("PPG602", ("review owners: no directory of people was given (--directory)",))


def audit(
    source: Source,
    *,
    vocabulary: Vocabulary | None = None,
    people: frozenset[str] = frozenset(),
    rules: frozenset[str] = ALL_RULES,
) -> Audit:
    """Check one pack. `people` are names that are persons, `rules` the ids to report."""
    pack = view(source.data)
    _bound(pack)
    vocabulary = vocabulary or load()
    effective = subjects(pack)
    resolutions = _resolutions(effective, targets(pack))
    case = Case(pack, effective, resolutions, reach(pack), uses(pack), vocabulary, people)
    violations = schema.violations(source.data)
    blocked = dict(blocks(pack)) if violations else {}
    found = _limited([*_structure(source, violations), *_canonical(source), *_rules(source, case, blocked)])
    # A fault behind an anchor is met again at each alias: it stands at one place and is one fault.
    unique = {(f.rule, f.message, f.line or f.pointer, f.column): f for f in reversed(found) if f.rule in rules}
    return Audit(
        source=source,
        pack=pack,
        findings=tuple(sorted(unique.values(), key=lambda finding: finding.order)),
        effective=effective,
        resolutions=resolutions,
        reach=case.reach,
        terms=case.terms,
        vocabulary=vocabulary,
        violations=violations,
        partial=tuple(_partial(violations, blocked)),
        lacking=() if people else (_NO_DIRECTORY,),
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
        return audit(source, vocabulary=vocabulary, people=people, rules=rules)
    except UnreadableError as error:
        row = BY_ID[error.rule]
        known = raw if raw is not None and len(raw) <= max_bytes else b""
        digest = sha256(known) if raw == known else None
        line = _line(known.decode("utf-8", "replace"), error.line) if error.line is not None else ""
        return Unreadable(
            path,
            digest,
            Finding(row.id, row.name, row.level, error.message, "", error.line, error.column, error.advice),
            line,
        )


def _line(text: str, number: int) -> str:
    return line_of(text, line_starts(text), number)


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
        for pointer, reason in islice(misfits(source.data), MAX_FINDINGS):
            message = f"no canonical form: {reason}"
            yield source.finding(
                row.id, row.name, row.level, pointer, message, "write the value as a string, or correct it"
            )


def _rules(source: Source, case: Case, blocked: Mapping[str, tuple[str, ...]]) -> Iterator[Finding]:
    for row in RULES:
        if row.check is None or row.id in blocked:
            continue
        for number, found in enumerate(islice(row.check(case), MAX_FINDINGS + 1)):
            hint = found.hint
            if isinstance(hint, DidYouMean):
                hint = hint.text() if number < _HINTS else f"the name is none of the {hint.kind}"
            yield source.finding(row.id, row.name, row.level, found.pointer, found.message, hint, found.related)


def _limited(findings: list[Finding]) -> list[Finding]:
    """At most MAX_FINDINGS of each rule; one more says that the rest was left out."""
    if len(findings) <= MAX_FINDINGS:
        return findings
    kept: list[Finding] = []
    count: Counter[str] = Counter()
    for finding in findings:
        count[finding.rule] += 1
        if count[finding.rule] <= MAX_FINDINGS:
            kept.append(finding)
        elif count[finding.rule] == MAX_FINDINGS + 1:
            message = f"more than {MAX_FINDINGS:,} findings of this rule: the rest is not listed"
            kept.append(
                finding._replace(message=message, pointer="", line=1, column=1, hint="mend these first", related=())
            )
    return kept


def _bound(pack: Pack) -> None:
    """Refuse a pack whose agents multiply with the rest beyond what memory holds. Raises UnreadableError (PPG106)."""
    if len(pack.agents) <= _FEW:
        return
    inherited = size(pack.governance.data) if pack.governance is not None else 0
    reached = len(pack.states) + len(pack.steps) + len(pack.tools) + len(pack.prompts)
    by_state = sum("state" in agent.data for agent in pack.agents.values())
    if len(pack.agents) * inherited > MAX_PRODUCT or by_state * reached > MAX_PRODUCT:
        raise UnreadableError(
            "PPG106",
            f"{len(pack.agents):,} agents times what each inherits and reaches is more than {MAX_PRODUCT:,} values",
            "split the pack",
            1,
            1,
        )


def _partial(violations: tuple[schema.Violation, ...], blocked: Mapping[str, tuple[str, ...]]) -> Iterator[Partial]:
    """Rules that did not run, and rules that could not read some part, each with the pointers in the way."""
    unread = [violation.pointer for violation in violations if violation.unread][:_NAMED]
    for row in RULES if violations else ():
        left_out = [pointer for pointer in unread if pointer.split("/")[1:2] and pointer.split("/")[1] in row.reads]
        pointers = tuple(dict.fromkeys((*blocked.get(row.id, ()), *left_out)))
        if pointers:
            yield Partial(row.id, pointers)
