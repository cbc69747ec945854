"""Governance objects: their references (2xx), prefixes and controls (4xx), independence (5xx) and reviews (6xx).

RFC 0013 and RFC 0016. An error is reported once, where it is written; one that only an agent's
effective object has is reported at that agent.
"""

from __future__ import annotations

from collections.abc import Iterator

from ppgov.checks.rule import Case, Found, Rule, row, rule
from ppgov.findings import quote
from ppgov.pack import GOVERNANCE_FIELDS, Entity
from ppgov.resolution import Control, Obligation, Review, Target
from ppgov.suggest import DidYouMean
from ppgov.terms import WELL_KNOWN, is_absolute_iri, is_ncname

_CLAUSE = "RFC 0016"
_READS = ("metadata", "agents")
_NAMED = 5  # of several targets with one id


def _obligations(case: Case) -> Iterator[tuple[str | None, Obligation]]:
    """Every obligation where it is written, with the subject that wrote it."""
    for subject, resolutions in case.resolutions.items():
        field = case.effective[subject].fields.get("obligations")
        if field is not None and (field.origin == "agent" or subject is None):
            for obligation in resolutions.obligations:
                yield subject, obligation


def _reviews(case: Case) -> Iterator[tuple[str | None, Review]]:
    for subject, resolutions in case.resolutions.items():
        field = case.effective[subject].fields.get("reviews")
        if field is not None and (field.origin == "agent" or subject is None):
            for review in resolutions.reviews:
                yield subject, review


def _controls(case: Case) -> Iterator[Control]:
    for _, obligation in _obligations(case):
        yield from obligation.controls


@rule("PPG204", "unresolved-eval", "error", clause=_CLAUSE, reads=(*_READS, "evals", "prompts"))
def unresolved_eval(case: Case) -> Iterator[Found]:
    """A control or a review names an eval that neither the pack nor any prompt declares.

    Why: the record says that something is watched, but there is no measurement.
    Fix: add the eval, or correct the id.

    Bad:  controls: [{eval: disclosure-presnt}]
    Good: controls: [{eval: disclosure-present}]
    """
    known = [item.entity.key for item in case.pack.evals]
    references = [control.reference for control in _controls(case)] + [review.eval for _, review in _reviews(case)]
    for reference in references:
        if reference is not None and reference.kind == "eval" and reference.outcome == "unresolved":
            hint = DidYouMean(reference.written, known, "evals")
            yield Found(reference.pointer, f"the eval {quote(reference.written)} does not exist", hint)


@rule("PPG205", "unresolved-validator", "error", clause=_CLAUSE, reads=(*_READS, "prompts"))
def unresolved_validator(case: Case) -> Iterator[Found]:
    """A control names a validator that no prompt declares.

    Why: the record says that something is enforced, but nothing enforces it.
    Fix: give the validator that is meant an `id`, or correct the name.

    Bad:  controls: [{validator: says-its-ai}]
    Good: controls: [{validator: says-it-is-ai}]
    """
    known = [name for _, entity in case.pack.validators if (name := entity.text("id")) is not None]
    for control in _controls(case):
        reference = control.reference
        if reference is not None and reference.kind == "validator" and reference.outcome == "unresolved":
            hint = DidYouMean(reference.written, known, "validators with an id")
            yield Found(reference.pointer, f"the validator {quote(reference.written)} does not exist", hint)


@rule("PPG230", "unresolved-field", "error", clause=_CLAUSE, reads=_READS)
def unresolved_field(case: Case) -> Iterator[Found]:
    """A control names a governance field that does not exist, or that is not declared in the object in force.

    Why: the record says that a declaration discharges a duty, but nobody made the declaration.
    Fix: declare the field beside the obligation, or correct the name. A pack-level control is judged on the
    pack's own declaration, even if every agent declares the field.

    Bad:  controls: [{field: requires_ai_disclosure}]   (and the field is not declared)
    Good: requires_ai_disclosure: true
          obligations: [{..., controls: [{field: requires_ai_disclosure}]}]
    """
    for subject, obligation in _obligations(case):
        for control in obligation.controls:
            reference = control.reference
            if reference is None:
                continue
            if reference.outcome == "unknown-field":
                hint = DidYouMean(reference.written, GOVERNANCE_FIELDS, "fields")
                yield Found(reference.pointer, f"{quote(reference.written)} is no governance field", hint)
            elif reference.outcome == "field-undeclared":
                where = "the pack's governance" if subject is None else f"the governance in force for {quote(subject)}"
                message = f"the field {quote(reference.written)} is not declared in {where}"
                yield Found(reference.pointer, message, "declare it there, or name another control")


@rule("PPG231", "unresolved-satisfies", "error", clause=_CLAUSE, reads=_READS)
def unresolved_satisfies(case: Case) -> Iterator[Found]:
    """A review serves an obligation that the governance in force does not have.

    Why: the review would answer for nothing. An agent that replaces `obligations` can orphan an inherited
    review: that is reported at the agent.
    Fix: name the id of an obligation in force; an agent that replaces obligations may have to replace reviews too.

    Bad:  satisfies: [human-reveiw]
    Good: satisfies: [human-review]
    """
    known = {key: [o.entity.key for o in resolutions.obligations] for key, resolutions in case.resolutions.items()}
    for subject, review in _reviews(case):
        for reference in review.satisfies:
            if reference.outcome == "unresolved":
                hint = DidYouMean(reference.written, known[subject], "obligations")
                yield Found(reference.pointer, f"the obligation {quote(reference.written)} does not exist", hint)
    yield from _orphaned(case)


def _orphaned(case: Case) -> Iterator[Found]:
    """Inherited reviews whose obligation an agent replaced; one that dangles in the pack is reported there."""
    dangling = {r.pointer for review in _pack_reviews(case) for r in review.satisfies if r.outcome == "unresolved"}
    for subject, resolutions in case.resolutions.items():
        fields = case.effective[subject].fields
        if subject is None or "reviews" not in fields or fields["reviews"].origin == "agent":
            continue
        if "obligations" not in fields or fields["obligations"].origin == "pack":
            continue
        for review in resolutions.reviews:
            for reference in review.satisfies:
                if reference.outcome == "unresolved" and reference.pointer not in dangling:
                    yield Found(
                        fields["obligations"].pointer,
                        f"the agent {quote(subject)} replaces the obligations, but inherits the review "
                        f"{quote(review.entity.key)}, which serves {quote(reference.written)}",
                        f"keep {quote(reference.written)} among the agent's obligations, or declare reviews of its own",
                        ((reference.pointer, "the inherited review"),),
                    )


def _pack_reviews(case: Case) -> tuple[Review, ...]:
    return case.resolutions[None].reviews


@rule("PPG232", "duplicate-validator-id", "error", clause=_CLAUSE, reads=("prompts",))
def duplicate_validator_id(case: Case) -> Iterator[Found]:
    """Two validators of the pack have the same id, whether or not a control names it.

    Why: a control that names the id could mean either; ids of validators are unique across the pack.
    Fix: give each validator its own id.

    Bad:  validators: [{id: no-pii, type: pii}, {id: no-pii, type: banned_words}]
    Good: validators: [{id: no-pii, type: pii}, {id: no-slurs, type: banned_words}]
    """
    yield from _duplicates((entity for _, entity in case.pack.validators), "validator")


def _duplicates(entities: Iterator[Entity], kind: str) -> Iterator[Found]:
    first: dict[str, Entity] = {}
    for entity in entities:
        name = entity.text("id")
        if name is None:
            continue
        earlier = first.setdefault(name, entity)
        if earlier is not entity:
            yield Found(
                entity.at("id"),
                f"the {kind} id {quote(name)} is declared twice",
                f"give each {kind} its own id",
                ((earlier.at("id"), "first declared here"),),
            )


@rule("PPG401", "invalid-prefix-declaration", "error", clause="RFC 0013", reads=_READS)
def invalid_prefix_declaration(case: Case) -> Iterator[Found]:
    """A key of `vocabularies` is no NCName, or its value is no absolute IRI.

    Why: terms with this prefix cannot be expanded.
    Fix: use a prefix of letters, digits, `-`, `_` and `.`, starting with a letter or `_`, and a full IRI.

    Bad:  vocabularies: {acme: acme.example/vocab}
    Good: vocabularies: {acme: "https://acme.example/vocab#"}
    """
    for _, block in case.pack.blocks():
        for prefix, namespace in block.mapping("vocabularies").items():
            pointer = block.at("vocabularies", prefix)
            if not is_ncname(prefix):
                yield Found(
                    pointer,
                    f"{quote(prefix)} is no prefix",
                    "use letters, digits, -, _ and ., starting with a letter or _",
                )
            if isinstance(namespace, str) and not is_absolute_iri(namespace):
                message = f"the namespace {quote(namespace)} of {quote(prefix)} is no absolute IRI"
                yield Found(pointer, message, "write it in full, such as https://acme.example/vocab#")


@rule("PPG402", "rebound-prefix", "warning", clause="RFC 0013", reads=_READS)
def rebound_prefix(case: Case) -> Iterator[Found]:
    """`vocabularies` gives a well-known prefix another namespace.

    Why: `dpv:PersonalData` then means something else in this pack than everywhere else.
    Fix: use another prefix for your own vocabulary.

    Bad:  vocabularies: {dpv: "https://acme.example/dpv#"}
    Good: vocabularies: {acme-dpv: "https://acme.example/dpv#"}
    """
    for _, block in case.pack.blocks():
        for prefix, namespace in block.mapping("vocabularies").items():
            known = WELL_KNOWN.get(prefix)
            if known is not None and isinstance(namespace, str) and namespace != known and is_absolute_iri(namespace):
                message = f"the well-known prefix {quote(prefix)} is given another namespace"
                yield Found(
                    block.at("vocabularies", prefix), message, f"it is {known} everywhere else; use another prefix"
                )


@rule("PPG403", "duplicate-obligation-id", "error", clause=_CLAUSE, reads=_READS)
def duplicate_obligation_id(case: Case) -> Iterator[Found]:
    """Two obligations of one governance object have the same id. (The same id in the pack and in an agent is fine.)

    Why: a review that serves the id could mean either.
    Fix: give each obligation its own id.

    Bad:  obligations: [{id: disclose, ...}, {id: disclose, ...}]
    Good: obligations: [{id: disclose, ...}, {id: human-review, ...}]
    """
    for _, block in case.pack.blocks():
        yield from _duplicates(block.entries("obligations"), "obligation")


@rule("PPG404", "duplicate-review-id", "error", clause=_CLAUSE, reads=_READS)
def duplicate_review_id(case: Case) -> Iterator[Found]:
    """Two reviews of one governance object have the same id. (The same id in the pack and in an agent is fine.)

    Why: completion records are kept by this id; two reviews would share them.
    Fix: give each review its own id.

    Bad:  reviews: [{id: quarterly, ...}, {id: quarterly, ...}]
    Good: reviews: [{id: quarterly-bias, ...}, {id: quarterly-access, ...}]
    """
    for _, block in case.pack.blocks():
        yield from _duplicates(block.entries("reviews"), "review")


invalid_control = row("PPG405", "invalid-control", "error", _CLAUSE, """
    A control has not exactly one of `field`, `validator`, `eval` and `external`.

    Why: the four kinds say different things (declared, enforced, watched, handled elsewhere); a control is one of them.
    Fix: name one kind; write two controls for two.

    Bad:  controls: [{validator: says-it-is-ai, eval: disclosure-present}]
    Good: controls: [{validator: says-it-is-ai}, {eval: disclosure-present}]
    """)  # fmt: skip


@rule("PPG406", "disabled-control", "warning", clause=_CLAUSE, reads=(*_READS, "evals", "prompts"))
def disabled_control(case: Case) -> Iterator[Found]:
    """A control names a validator or an eval that is switched off (`enabled: false`).

    Why: the control exists on paper only. Of two evals with one id the message says which is off.
    Fix: enable it, or name another control.

    Bad:  controls: [{eval: tone}]   (evals: [{id: tone, enabled: false, ...}])
    Good: controls: [{eval: tone}]   (evals: [{id: tone, ...}])
    """
    for control in _controls(case):
        reference = control.reference
        if reference is None or reference.kind not in ("validator", "eval"):
            continue
        off = [target for target in reference.targets if not target.enabled][:_NAMED]
        if off:
            places = " and ".join(_where(target) for target in off)
            others = [target for target in reference.targets if target.enabled][:_NAMED]
            rest = f"; the one in {' and '.join(_where(t) for t in others)} is on" if others else ""
            yield Found(
                reference.pointer,
                f"the {reference.kind} {quote(reference.written)} in {places} is switched off{rest}",
                "enable it, or name another control",
                tuple((f"{target.pointer}/enabled", "switched off here") for target in off),
            )


def _where(target: Target) -> str:
    return "the pack" if target.prompt is None else f"the prompt {quote(target.prompt)}"


@rule("PPG407", "deprecated-fail-on-violation", "warning", clause="RFC 0015", reads=("prompts",))
def deprecated_fail_on_violation(case: Case) -> Iterator[Found]:
    """A validator sets `fail_on_violation`, which is ignored since format 1.7.0.

    Why: validators always enforce; a reader may believe that `false` only logs.
    Fix: remove it. To switch a validator off, set `enabled: false`; to observe only, declare an eval.

    Bad:  {type: pii_detection, fail_on_violation: false}
    Good: {type: pii_detection}
    """
    for _, validator in case.pack.validators:
        if isinstance(validator.data.get("fail_on_violation"), bool):
            message = "`fail_on_violation` is ignored since format 1.7.0: validators always enforce"
            yield Found(validator.at("fail_on_violation"), message, "remove it")


invalid_independence_axes = row("PPG501", "invalid-independence-axes", "error", _CLAUSE, """
    `independent_of.axes` is empty, repeats an axis, or names one that does not exist.

    Why: the requirement would ask for nothing, or for something that no deployment can compare.
    Fix: list one or more of model, provider, tools, prompts, accountable_owner, each once.

    Bad:  independent_of: {axes: []}
    Good: independent_of: {axes: [model, accountable_owner]}
    """)  # fmt: skip


invalid_cadence = row("PPG601", "invalid-cadence", "error", _CLAUSE, """
    A review's cadence is no ISO 8601 duration, or is empty.

    Why: nobody can tell when the review is due.
    Fix: write a duration such as P3M (three months), P1Y, P2W or P90D.

    Bad:  cadence: quarterly
    Good: cadence: P3M
    """)  # fmt: skip


@rule("PPG602", "person-as-review-owner", "warning", clause=_CLAUSE, reads=_READS)
def person_as_review_owner(case: Case) -> Iterator[Found]:
    """A review is owned by somebody whom the given directory lists as a person, or such a person is accountable.

    Why: people change roles; a duty belongs to a team or a function. Checked only with --directory.
    Fix: name the team.

    Bad:  owner: jane.doe
    Good: owner: fair-lending
    """
    for _, review in _reviews(case):
        owner = review.entity.text("owner")
        if owner is not None and owner.strip().casefold() in case.people:
            yield Found(
                review.entity.at("owner"),
                f"the owner {quote(owner)} is listed as a person",
                "name the team or function that owns the review",
            )
    for _, block in case.pack.blocks():
        owner = block.text("accountable_owner")
        if owner is not None and owner.strip().casefold() in case.people:
            yield Found(
                block.at("accountable_owner"),
                f"the accountable owner {quote(owner)} is listed as a person",
                "name the team or function that answers for the agent",
            )


RULES: tuple[Rule, ...] = (
    unresolved_eval,
    unresolved_validator,
    unresolved_field,
    unresolved_satisfies,
    duplicate_validator_id,
    invalid_prefix_declaration,
    rebound_prefix,
    duplicate_obligation_id,
    duplicate_review_id,
    invalid_control,
    disabled_control,
    deprecated_fail_on_violation,
    invalid_independence_axes,
    invalid_cadence,
    person_as_review_owner,
)
