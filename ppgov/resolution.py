"""Where the references of a governance object lead, per subject (RFC 0013, RFC 0016).

Resolution says that a target exists, never that it holds: an eval is a measurement, an external control
resolves against nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from ppgov.effective import Effective
from ppgov.pack import CONTROL_KINDS, GOVERNANCE_FIELDS, Entity, Pack

Outcome = Literal["resolved", "unresolved", "field-undeclared", "unknown-field", "not-resolvable"]


class Target(NamedTuple):
    """What a reference leads to. `prompt` is the prompt that holds it, None at pack level."""

    pointer: str
    prompt: str | None = None
    enabled: bool = True


class Reference(NamedTuple):
    """One reference as written, with its outcome for one subject. `pointer` is that of the written value."""

    kind: str
    written: str
    pointer: str
    outcome: Outcome
    targets: tuple[Target, ...] = ()

    @property
    def disabled(self) -> bool:
        """Every target that the reference leads to is switched off (`enabled: false`)."""
        return bool(self.targets) and not any(target.enabled for target in self.targets)


class Control(NamedTuple):
    """A control of an obligation; `entity` is the control object, `reference` None when it has no kind or several."""

    entity: Entity
    reference: Reference | None


class Obligation(NamedTuple):
    entity: Entity
    controls: tuple[Control, ...]


class Review(NamedTuple):
    entity: Entity
    satisfies: tuple[Reference, ...]
    eval: Reference | None


class Resolutions(NamedTuple):
    """The obligations and reviews in force for one subject, with every reference resolved."""

    obligations: tuple[Obligation, ...]
    reviews: tuple[Review, ...]


class Targets(NamedTuple):
    """What a pack offers to references: eval and validator ids with all places that declare them."""

    evals: dict[str, tuple[Target, ...]]
    validators: dict[str, tuple[Target, ...]]


def targets(pack: Pack) -> Targets:
    return Targets(
        _by_id((item.entity, item.prompt) for item in pack.evals),
        _by_id((entity, prompt) for prompt, entity in pack.validators),
    )


def _by_id(declared: Iterable[tuple[Entity, str | None]]) -> dict[str, tuple[Target, ...]]:
    targets: dict[str, list[Target]] = {}
    for entity, prompt in declared:
        if (name := entity.text("id")) is not None:
            target = Target(entity.pointer, prompt, entity.data.get("enabled") is not False)
            targets.setdefault(name, []).append(target)
    return {name: tuple(found) for name, found in targets.items()}


def resolve(effective: Effective, offered: Targets) -> Resolutions:
    """Resolve the obligations and reviews in force for one subject."""
    block = effective.block("obligations")
    obligations = tuple(
        Obligation(entity, tuple(_controls(entity, effective, offered)))
        for entity in (block.entries("obligations") if block else ())
    )
    known = {o.entity.key: Target(o.entity.pointer) for o in reversed(obligations) if o.entity.text("id") is not None}
    block = effective.block("reviews")
    reviews = tuple(
        Review(
            entity,
            tuple(
                Reference("obligation", name, pointer, *_lookup({name: (known[name],)} if name in known else {}, name))
                for pointer, name in entity.texts("satisfies")
            ),
            _eval(entity, offered),
        )
        for entity in (block.entries("reviews") if block else ())
    )
    return Resolutions(obligations, reviews)


def _controls(obligation: Entity, effective: Effective, offered: Targets) -> Iterator[Control]:
    for entity in obligation.entries("controls"):
        kinds = [kind for kind in CONTROL_KINDS if kind in entity.data]
        written = entity.text(kinds[0]) if len(kinds) == 1 else None
        if written is None:
            yield Control(entity, None)
            continue
        kind, pointer = kinds[0], f"{entity.pointer}/{kinds[0]}"
        if kind == "external":
            yield Control(entity, Reference(kind, written, pointer, "not-resolvable"))
        elif kind == "field":
            yield Control(entity, Reference(kind, written, pointer, *_field(written, effective)))
        else:
            ids = offered.validators if kind == "validator" else offered.evals
            yield Control(entity, Reference(kind, written, pointer, *_lookup(ids, written)))


def _eval(review: Entity, offered: Targets) -> Reference | None:
    written = review.text("eval")
    if written is None:
        return None
    return Reference("eval", written, review.at("eval"), *_lookup(offered.evals, written))


def _lookup(ids: dict[str, tuple[Target, ...]], name: str) -> tuple[Outcome, tuple[Target, ...]]:
    return ("resolved", ids[name]) if name in ids else ("unresolved", ())


def _field(name: str, effective: Effective) -> tuple[Outcome, tuple[Target, ...]]:
    if name not in GOVERNANCE_FIELDS:
        return "unknown-field", ()
    field = effective.fields.get(name)
    return ("resolved", (Target(field.pointer),)) if field else ("field-undeclared", ())
