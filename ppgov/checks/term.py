"""3xx: terms (RFC 0013). Warnings only: a free term stays valid for ever."""

from __future__ import annotations

from collections.abc import Iterator

from ppgov.checks.rule import Case, Found, Rule, rule
from ppgov.findings import quote
from ppgov.terms import BAD_IRI, BAD_LOCAL_NAME, TermUse, is_absolute_iri, prefixes_at

_CLAUSE = "RFC 0013"
_SOUGHT = 100  # a search for near terms takes milliseconds, and a hostile pack can hold a hundred thousand unknown ones
_READS = ("metadata", "agents", "tools")


@rule("PPG301", "undeclared-prefix", "warning", clause=_CLAUSE, reads=_READS)
def undeclared_prefix(case: Case) -> Iterator[Found]:
    """A term looks like a CURIE, but its prefix is neither declared nor well known.

    Why: the term names nothing outside this file; other tools cannot join on it.
    Fix: declare the prefix under `vocabularies`, or correct it.

    Bad:  risk_classification: acme:Tier1
    Good: vocabularies: {acme: "https://acme.example/v#"}
          risk_classification: acme:Tier1
    """
    for use in case.terms:
        if (
            use.term.form == "unresolved" and use.term.source is None
        ):  # a bound prefix has another fault: PPG310, PPG401
            reason = f"the prefix {quote(use.term.prefix)} is not declared"
            hint = "; ".join(use.term.notes) or "declare it under `vocabularies`"
            yield Found(use.pointer, f"{reason}: {quote(use.term.written)} stays text", hint)


@rule("PPG302", "unknown-term", "warning", clause=_CLAUSE, reads=_READS)
def unknown_term(case: Case) -> Iterator[Found]:
    """A term stands in a known vocabulary's namespace, but the vocabulary does not hold it.

    Why: it looks like a published concept and is none; nobody else will find it.
    Fix: use one of the terms that the hint offers if it means the same, or an IRI or prefix of your own.

    Bad:  data_classes: [dpv:FinancialData]
    Good: data_classes: [pd:Financial]
    """
    sought: set[str] = set()
    for use, iri in case.standings.get("unknown", ()):
        if _hidden(use.term.written):
            continue  # PPG308: once the character is gone the term may well be known
        sought.add(iri)
        nearest = case.vocabulary.suggest(iri, use.slot) if len(sought) <= _SOUGHT else ()
        source = case.vocabulary.origin(iri)
        names = [_in_pack(case, use, term) for term in nearest]
        hint = ("nearest: " + ", ".join(names)) if names else "no near term; use a term of your own if none fits"
        yield Found(use.pointer, f"{quote(use.term.written)} is not in {source}", hint)


def _in_pack(case: Case, use: TermUse, term: str) -> str:
    """A suggestion with the pack's own prefix where the vocabulary gives an IRI."""
    if "://" in term:
        for prefix, namespace in prefixes_at(case.pack, use.scope).items():
            if namespace and term.startswith(namespace):
                return f"{prefix}:{term[len(namespace) :]}"
    return term


@rule("PPG303", "renamed-term", "warning", clause=_CLAUSE, reads=_READS)
def renamed_term(case: Case) -> Iterator[Found]:
    """A term was renamed or moved in a later release of its vocabulary.

    Why: current tools know the new name only.
    Fix: use the successor that the hint gives.

    Bad:  capabilities: [eu-aiact:DeepFake]
    Good: capabilities: [eu-aiact:DeepFakeGeneration]
    """
    for use, iri in case.standings.get("renamed", ()):
        removal = case.vocabulary.removal(iri)
        if removal is not None and removal.successor is not None:
            successor = case.vocabulary.curie(removal.successor) or removal.successor
            yield Found(use.pointer, f"{quote(use.term.written)} is gone since {removal.release}", f"now {successor}")


@rule("PPG304", "removed-term", "warning", clause=_CLAUSE, reads=_READS)
def removed_term(case: Case) -> Iterator[Found]:
    """A term was removed from its vocabulary, and no successor is known.

    Why: current tools do not know it any more.
    Fix: choose a current term, or one of your own.

    Bad:  reviews: [{type: risk:LossGoods, ...}]
    Good: reviews: [{type: risk:RiskAssessment, ...}]
    """
    for use, iri in case.standings.get("removed", ()):
        removal = case.vocabulary.removal(iri)
        when = f"is gone since {removal.release}" if removal else "is gone"
        yield Found(use.pointer, f"{quote(use.term.written)} {when}, without a successor", "choose a current term")


@rule("PPG305", "sunset-term", "warning", clause=_CLAUSE, reads=_READS)
def sunset_term(case: Case) -> Iterator[Found]:
    """A term is marked by its vocabulary as going away.

    Why: a later release will not hold it.
    Fix: use the replacement where the hint gives one.

    Bad:  obligation: dpv:LegalAgreement
    Good: obligation: dpv:Contract
    """
    for use, iri in case.standings.get("known", ()):
        facts = case.vocabulary.facts(iri)
        if facts is not None and facts.status in ("sunset", "deprecated"):
            removal = case.vocabulary.removal(iri)
            successor = removal.successor if removal else None
            hint = f"now {case.vocabulary.curie(successor) or successor}" if successor else "choose a current term"
            yield Found(use.pointer, f"{quote(use.term.written)} is marked as {facts.status} by its vocabulary", hint)


@rule("PPG306", "property-as-term", "warning", clause="RFC 0013", reads=_READS)
def property_as_term(case: Case) -> Iterator[Found]:
    """A term is a property of its vocabulary, or a group of concepts, not a concept.

    Why: `dpv:hasPurpose` relates things to purposes; it is no purpose. A collection or a scheme only holds concepts.
    Fix: use a concept.

    Bad:  intended_deployment_contexts: [dpv:hasPurpose]
    Good: intended_deployment_contexts: [dpv:CustomerCare]
    """
    for use, iri in case.standings.get("known", ()):
        facts = case.vocabulary.facts(iri)
        if facts is not None and facts.kind != "class":
            article = "an" if facts.kind == "ontology" else "a"
            yield Found(
                use.pointer,
                f"{quote(use.term.written)} is {article} {facts.kind}, not a concept",
                "use a concept of the vocabulary",
            )


@rule("PPG307", "unusual-slot", "warning", clause="RFC 0013", reads=_READS)
def unusual_slot(case: Case) -> Iterator[Found]:
    """A known term stands in a field where terms of its kind are not usual.

    Why: it may be in the wrong field, where no query will look for it.
    Fix: move it to the field that the hint names; keep it if it is meant.

    Bad:  operator_role: pd:Financial
    Good: operator_role: eu-aiact:AIDeployer
    """
    for use, iri in case.standings.get("known", ()):
        facts = case.vocabulary.facts(iri)
        usual = case.vocabulary.slots(iri) if facts is not None and facts.kind == "class" else ()
        if usual and use.slot not in usual:
            yield Found(
                use.pointer, f"{quote(use.term.written)} is unusual in {use.slot}", "usual in: " + ", ".join(usual)
            )


@rule("PPG308", "invisible-character", "warning", clause="RFC 3987", reads=_READS)
def invisible_character(case: Case) -> Iterator[Found]:
    """A term holds a character that nobody can see, such as a zero-width space.

    Why: two terms that look alike are then different.
    Fix: write the term again by hand.

    Bad:  capabilities: ["ai:\\u200bProfiling"]
    Good: capabilities: ["ai:Profiling"]
    """
    for use in case.terms:
        hidden = _hidden(use.term.written)
        if hidden:
            names = ", ".join(f"U+{ord(c):04X}" for c in hidden)
            yield Found(
                use.pointer, f"the term holds an invisible character ({names})", "write the term again without it"
            )


def _hidden(written: str) -> list[str]:
    if written.isascii():
        return []
    import unicodedata

    return sorted({character for character in written if unicodedata.category(character) == "Cf"})


@rule("PPG309", "namespace-without-separator", "warning", clause="RFC 3987", reads=("metadata", "agents"))
def namespace_without_separator(case: Case) -> Iterator[Found]:
    """A declared namespace ends in neither `#` nor `/`, so that names run into it.

    Why: `acme:X` becomes `https://acme.example/vocabX`.
    Fix: end the namespace with `#` or `/`.

    Bad:  vocabularies: {acme: "https://acme.example/vocab"}
    Good: vocabularies: {acme: "https://acme.example/vocab#"}
    """
    for _, block in case.pack.blocks():
        for prefix, namespace in block.mapping("vocabularies").items():
            if (
                isinstance(namespace, str)
                and is_absolute_iri(namespace)
                and not namespace.endswith(("#", "/", ":", "=", "?", "-", "_"))
            ):
                message = f"the namespace of {quote(prefix)} ends in neither # nor /"
                yield Found(block.at("vocabularies", prefix), message, f"terms become {quote(namespace + 'Name')}")


@rule("PPG310", "malformed-iri", "warning", clause="RFC 3987", reads=_READS)
def malformed_iri(case: Case) -> Iterator[Found]:
    """A term looks like an IRI or a CURIE, but holds characters that an IRI cannot hold.

    Why: it stays text; it links to nothing.
    Fix: percent-encode the characters, or correct the term.

    Bad:  obligation: "https://acme.example/rules/four eyes"
    Good: obligation: "https://acme.example/rules/four%20eyes"
    """
    for use in case.terms:
        for note in (BAD_IRI, BAD_LOCAL_NAME):
            if note in use.term.notes:
                yield Found(
                    use.pointer,
                    f"{quote(use.term.written)} stays text: {note}",
                    "percent-encode the characters, or correct the term",
                )


RULES: tuple[Rule, ...] = (
    undeclared_prefix,
    unknown_term,
    renamed_term,
    removed_term,
    sunset_term,
    property_as_term,
    unusual_slot,
    invisible_character,
    namespace_without_separator,
    malformed_iri,
)
