"""What frames the facts: cover, summary, findings, glossary, method and sign-off."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from ppgov import __version__
from ppgov.checks import RULES
from ppgov.report.marks import lost
from ppgov.report.model import (
    Agent,
    Count,
    Cover,
    Fact,
    Finding,
    Findings,
    Glossary,
    GlossaryTerm,
    Method,
    Obligation,
    ObligationTable,
    PrefixUse,
    Reference,
    ReviewTable,
    RuleRun,
    SignOff,
    Summary,
    TermRef,
    Tool,
    Tools,
    Value,
    VocabularySource,
)
from ppgov.report.reader import Reader, scalar
from ppgov.schema import FORMAT_VERSION

IS_NOT = (
    "It is not a certificate, a grade, a legal opinion or a statement of conformity with any law or standard.",
    "It does not say that a control works: an eval is a measurement that exists, not a result, and an external control"
    " is not looked at.",
    "It infers nothing. What the pack does not declare is shown as not declared, which means neither safe nor unsafe.",
    "It looked at one file, not at the running system, its providers or its people.",
)

SLOTS = {
    "operator_role": "operator role",
    "risk_classification": "risk classification",
    "intended_deployment_contexts": "deployment context",
    "capabilities": "capability",
    "data_classes": "data class",
    "obligation": "obligation",
    "reviews.type": "review type",
}


def cover(reader: Reader, generated_at: datetime) -> Cover:
    source, root = reader.audit.source, reader.audit.pack.root
    vocabularies = tuple(
        VocabularySource(s.title, str(s.release or ""), str(s.date or ""), tuple(s.namespaces), s.sha256)
        for s in reader.audit.vocabulary.sources
    )
    return Cover(
        id=root.text("id") or "",
        name=root.text("name") or "",
        version=scalar(root.data["version"]) if "version" in root.data else "",
        description=root.text("description") or "",
        path=source.path,
        form=source.format.upper(),
        bytes=len(source.raw),
        sha256=source.sha256,
        canonical_sha256=source.canonical_sha256 or "",
        schema=scalar(root.data["$schema"]) if "$schema" in root.data else "",
        format_version=FORMAT_VERSION,
        vocabularies=vocabularies,
        generated_at=timestamp(generated_at),
        is_not=IS_NOT,
    )


def timestamp(moment: datetime) -> str:
    """ISO 8601 to the second; UTC as Z."""
    return moment.replace(microsecond=0).isoformat().replace("+00:00", "Z")


def findings(reader: Reader) -> Findings:
    rows = tuple(
        Finding(
            rule=finding.rule,
            name=finding.name,
            level=finding.level,
            message=finding.message,
            hint=finding.hint,
            where=reader.where(finding.pointer),
            related=tuple(_place_in_words(place.message, place.line) for place in finding.related),
        )
        for finding in reader.audit.findings
    )
    levels = [row.level for row in rows]
    return Findings(levels.count("error"), levels.count("warning"), levels.count("note"), rows)


def _place_in_words(message: str, line: int | None) -> str:
    place = f"line {line}" if line is not None else "elsewhere"
    return f"{place}: {message}" if message else place


def glossary(reader: Reader) -> Glossary:
    uses: dict[tuple[str, str, str], tuple[TermRef, dict[str, None], set[int]]] = {}
    for use in reader.audit.terms:
        ref = reader.refer(use.term)
        _, slots, lines = uses.setdefault((ref.written, ref.iri, ref.form), (ref, {}, set()))
        slots[SLOTS.get(use.slot, use.slot)] = None
        line = reader.where(use.pointer).line
        if line is not None:
            lines.add(line)
    terms = tuple(
        GlossaryTerm(ref, _vocabulary(reader, ref), tuple(slots), tuple(sorted(lines)))
        for (_, _, _), (ref, slots, lines) in sorted(uses.items())
    )
    return Glossary(terms, tuple(_prefixes(reader)))


def _vocabulary(reader: Reader, ref: TermRef) -> str:
    facts = reader.audit.vocabulary.facts(ref.iri) if ref.iri else None
    return (facts.source or "") if facts is not None else ""


def _prefixes(reader: Reader) -> Iterator[PrefixUse]:
    """The prefixes that the pack or an agent declares; the well-known ones need no declaration."""
    for agent, block in reader.audit.pack.blocks():
        for prefix, namespace in block.mapping("vocabularies").items():
            yield PrefixUse(prefix, scalar(namespace), "pack" if agent is None else f"agent {agent}")


def method(reader: Reader) -> Method:
    left_out = {partial.rule: partial.pointers for partial in (*reader.audit.partial, *reader.audit.lacking)}
    rules = tuple(
        RuleRun(
            row.id,
            row.name,
            row.level,
            row.clause,
            _subject(row.manual),
            tuple(_part(pointer) for pointer in left_out.get(row.id, ())),
        )
        for row in RULES
    )
    statements = (
        "The file was read as text within fixed limits, parsed once, and checked against the structure of the format;"
        " what the structure refuses is a finding.",
        "Every reference, term, override and control was resolved by the rules below; an agent's field replaces the"
        " pack's field whole, and an absent field inherits.",
        "Reach (which agent runs which prompt and tool) follows states, transitions and composition steps; beside it"
        " stands the pack-wide view: any tool of the pack.",
        "A term was expanded where it is written, with the prefixes in force there, and looked up in the vocabularies"
        " named on the first page.",
        "Extensions were copied, not read.",
        *_vocabulary_digests(reader),
    )
    return Method(f"ppgov {__version__}", FORMAT_VERSION, statements, rules)


def _vocabulary_digests(reader: Reader) -> Iterator[str]:
    """What terms were looked up in, by digest: the bundled index, the files it was built from, the user's files."""
    bundled = [source for source in reader.audit.vocabulary.sources if not source.file]
    for digest in dict.fromkeys(source.sha256 for source in bundled):
        titles = ", ".join(source.title for source in bundled if source.sha256 == digest)
        yield f"The index of terms in this tool, vocab/terms.tsv ({titles}), has the SHA-256 digest {digest}."
    for module in (module for source in bundled for module in source.modules):
        yield (
            f"The index took its terms of {module.title} {module.release} ({module.date}) from the published Turtle"
            f" file of {module.ontology}, whose SHA-256 digest is {module.sha256}."
        )
    for source in reader.audit.vocabulary.sources:
        if source.file:
            yield (
                f"Terms were also looked up in {source.title}, a file given as {source.file} with the SHA-256 digest"
                f" {source.sha256}."
            )


def _subject(manual: str) -> str:
    """The first paragraph of a rule's manual, as one line of plain text."""
    return " ".join(manual.partition("\n\n")[0].split()).replace("`", "")


def _part(pointer: str) -> str:
    return pointer or "the whole pack"


def signoff(reader: Reader) -> SignOff:
    name = reader.audit.pack.root.text("name") or reader.audit.path
    version = reader.audit.pack.root.data.get("version")
    edition = f"version {scalar(version)}" if version is not None else "without a declared version"
    statement = (
        f"The signatures below concern the pack {name}, {edition}, whose file has the SHA-256 digest shown here, and no"
        " other file. Signing records that the declarations were read and by whom; it does not turn them into proof."
    )
    return SignOff(statement, ("Prepared by", "Reviewed by", "Approved by"))


def summary(
    reader: Reader,
    facts: tuple[Fact, ...],
    agents: tuple[Agent, ...],
    tools: Tools,
    obligations: tuple[ObligationTable, ...],
    reviews: tuple[ReviewTable, ...],
) -> Summary:
    counts = (
        *_fact_counts(reader, facts, agents),
        *_tool_counts(reader, tools.tools),
        *_guardrail_counts(reader),
        *_obligation_counts(reader, obligations, reviews),
        *_term_counts(reader),
        *_finding_counts(reader),
    )
    declared = bool(tuple(reader.audit.pack.blocks()))
    return Summary(declared, tuple(_statements(reader, declared=declared)), counts)


def _statements(reader: Reader, *, declared: bool) -> Iterator[str]:
    audit = reader.audit
    if not declared:
        yield (
            "This pack declares no governance, neither for itself nor for an agent. The report therefore shows what the"
            " pack contains and leaves every governance cell as not declared. That is a statement about the file, not"
            " about risk."
        )
    elif audit.pack.governance is None:
        yield "Only agents declare governance; nothing is declared for the pack as a whole."
    places = sorted({pointer for partial in audit.partial for pointer in partial.pointers})
    if places:
        shown = ", ".join(_part(pointer) for pointer in places[:5])
        more = f" and {len(places) - 5} more" if len(places) > 5 else ""
        yield (
            f"The structure of this pack is broken in places that could not be read ({shown}{more}). Checks could not"
            " look there; section Method names them. Read every count as a count of what could be read."
        )
    if audit.source.canonical_sha256 is None:
        yield "The pack has no canonical form, so it can be bound by the digest of its bytes only."


def _fact_counts(reader: Reader, facts: tuple[Fact, ...], agents: tuple[Agent, ...]) -> Iterator[Count]:
    judged = [fact for fact in facts if fact.field not in ("vocabularies", "extensions")]
    good = _true(f.value.declared and not f.value.refused for f in judged)
    yield Count("governance fields declared for the pack", good, len(judged), "facts")
    if refused := _true(bool(f.value.refused) for f in judged):
        yield Count("governance fields with a value that the format refuses", refused, len(judged), "facts")
    unread = lost(reader, "agents")
    if whole := len(agents) + unread:
        yield Count("agents with governance of their own", _true(a.declares for a in agents), whole, "agents")
        yield Count("agents that depart from the pack", _true(bool(a.departures) for a in agents), whole, "agents")
    if unread:
        yield Count("agents that cannot be read", unread, whole, "agents")


def _tool_counts(reader: Reader, tools: tuple[Tool, ...]) -> Iterator[Count]:
    whole = len(tools) + lost(reader, "tools")
    if not whole:
        yield Count("tools", 0, None, "tools")
        return
    yield Count("tools with a declared effect", _true(_good(t.effect) for t in tools), whole, "tools")
    yield Count("tools with a declared reversibility", _true(_good(t.reversibility) for t in tools), whole, "tools")
    yield Count("tools with declared data classes", _true(_good(t.data_classes) for t in tools), whole, "tools")
    both = (_is(tool.effect, "external") and _is(tool.reversibility, "irreversible") for tool in tools)
    yield Count("tools declared external and irreversible", _true(both), whole, "tools")
    refused = _true(any(v.refused for v in (t.effect, t.reversibility, t.data_classes)) for t in tools)
    if refused or whole > len(tools):
        total = refused + whole - len(tools)
        yield Count("tools whose action scope is refused or cannot be read", total, whole, "tools")


def _good(value: Value) -> bool:
    return value.declared and not value.refused


def _is(value: Value, text: str) -> bool:
    return _good(value) and value.text == text


def _guardrail_counts(reader: Reader) -> Iterator[Count]:
    pack = reader.audit.pack
    held = {"validators": [entity for _, entity in pack.validators], "evals": [item.entity for item in pack.evals]}
    for kind, entities in held.items():
        unread = lost(reader, kind)
        if whole := len(entities) + unread:
            off = _true(entity.data.get("enabled") is False for entity in entities)
            yield Count(f"{kind} switched off", off, whole, "guardrails")
        if unread:
            yield Count(f"{kind} that cannot be read", unread, whole, "guardrails")


def _obligation_counts(
    reader: Reader, tables: tuple[ObligationTable, ...], reviews: tuple[ReviewTable, ...]
) -> Iterator[Count]:
    rows = [row for table in tables if not table.inherited for row in table.obligations]
    unread = lost(reader, "obligations")
    if whole := len(rows) + unread:
        found = _true(any(c.outcome == "resolved" for c in row.controls) for row in rows)
        yield Count("obligations with a control that resolves", found, whole, "obligations")
        external = _true(row.external_only for row in rows)
        yield Count("obligations with external controls only", external, whole, "obligations")
        yield Count("obligations that a review serves", _true(bool(row.reviews) for row in rows), whole, "obligations")
    if unread:
        yield Count("obligations that cannot be read", unread, whole, "obligations")
    if rows:
        yield from _control_counts([control for row in rows for control in row.controls], rows)
    held = [review for table in reviews if not table.inherited for review in table.reviews]
    unread = lost(reader, "reviews")
    if whole := len(held) + unread:
        served = _true(bool(review.satisfies) for review in held)
        yield Count("reviews that name an obligation they serve", served, whole, "reviews")
    if unread:
        yield Count("reviews that cannot be read", unread, whole, "reviews")


_KINDS = {
    "field": "a governance field",
    "validator": "a validator",
    "eval": "an eval",
    "external": "nothing in the pack (external)",
}


def _control_counts(controls: list[Reference], rows: list[Obligation]) -> Iterator[Count]:
    malformed = sum(len(row.malformed) for row in rows)
    whole = len(controls) + malformed
    for kind, words in _KINDS.items():
        yield Count(f"controls that name {words}", _true(c.kind == kind for c in controls), whole, "obligations")
    nowhere = _true(c.outcome in ("unresolved", "field-undeclared", "unknown-field") for c in controls)
    yield Count("controls that lead nowhere", nowhere, whole, "obligations")
    off = _true(c.outcome == "disabled" for c in controls)
    yield Count("controls that lead only to something switched off", off, whole, "obligations")
    if malformed:
        yield Count("controls that cannot be read", malformed, whole, "obligations")


def _term_counts(reader: Reader) -> Iterator[Count]:
    terms = reader.audit.terms
    if terms:
        vocabulary = reader.audit.vocabulary
        known = _true(use.term.iri is not None and vocabulary.standing(use.term.iri) == "known" for use in terms)
        yield Count("term uses found in a loaded vocabulary", known, len(terms), "glossary")


def _finding_counts(reader: Reader) -> Iterator[Count]:
    levels = [finding.level for finding in reader.audit.findings]
    for level in ("error", "warning", "note"):
        yield Count(f"{level}s among the findings", levels.count(level), len(levels) or None, "findings")


def _true(values: Iterable[bool]) -> int:
    return sum(1 for value in values if value)
