"""How the builders read a pack: a place, a value, a term, each with where it comes from; absence stays absence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ppgov.audit import Audit
from ppgov.effective import Field
from ppgov.number import TREE, json_text
from ppgov.pack import Entity, escape
from ppgov.report.model import Entry, Item, TermRef, Value, Where
from ppgov.terms import Term, TermUse

UNDECLARED = Value(declared=False)
_REFUSED = {
    "PPG112": "not of the type that the format asks for",
    "PPG113": "not a value that the format knows",
    "PPG114": "not in the form that the format asks for",
    "PPG115": "outside the limits that the format sets",
}
# A member that is absent or unknown is no value that is refused.
_NO_VALUE = frozenset(("PPG106", "PPG110", "PPG111"))

_IN_USE = frozenset(("accepted", "modified"))
_SHORT = 60
_WEB = re.compile(r"https?://[^\s/]", re.IGNORECASE).match


def scalar(value: object) -> str:
    """A scalar as text: strings as they are, numbers as the file writes them, the rest as JSON does."""
    return value if isinstance(value, str) else json_text(value)


def verbatim(value: object) -> str:
    """JSON text of a value, members in file order; on one line where it is short."""
    line = json_text(value)
    return line if len(line) <= _SHORT else json_text(value, TREE)


def written_id(entity: Entity) -> str:
    """The id of something as written, `""` for an empty one; empty where none is declared."""
    written = entity.text("id")
    return "" if written is None else written or '""'


def words(rule: str) -> str:
    """Why the format refuses a value, by the rule that found it."""
    return _REFUSED.get(rule, f"refused by the format ({rule})")


def web_link(iri: str) -> str:
    """The IRI when it is http or https, else nothing: no other scheme becomes a link."""
    return iri if _WEB(iri) else ""


@dataclass(frozen=True)
class Reader:
    """An audit as the builders see it."""

    audit: Audit

    @cached_property
    def _terms(self) -> dict[str, TermUse]:
        return {use.pointer: use for use in self.audit.terms}

    @cached_property
    def refused(self) -> dict[str, str]:
        """The rule by which the format refuses what stands at a pointer, in the file's order."""
        found = {v.pointer: v.rule for v in self.audit.violations if v.rule not in _NO_VALUE}
        return dict(sorted(found.items(), key=lambda item: self.audit.source.locate(item[0])[0] or 0))

    @cached_property
    def unread(self) -> tuple[str, ...]:
        """Pointers of what cannot be read at all."""
        return tuple(dict.fromkeys(v.pointer for v in self.audit.violations if v.unread))

    def _refusal(self, value: object, pointer: str) -> str:
        """Why the format refuses a value, or one in its list; empty when it does not."""
        rule = self.refused.get(pointer)
        if rule is not None or not self.refused:
            return words(rule) if rule is not None else ""
        rules = [
            self.refused.get(f"{pointer}/{index}") for index in range(len(value) if isinstance(value, list) else 0)
        ]
        found = [f"item {index}: {words(rule)}" for index, rule in enumerate(rules, start=1) if rule is not None]
        return "; ".join(found[:3]) + (f"; and {len(found) - 3} more" if len(found) > 3 else "")

    def lost(self, entity: Entity, name: str) -> Value:
        """A member whose value is not of the type that would be read further, as written; else what is not declared."""
        if name not in entity.data:
            return UNDECLARED
        pointer = entity.at(name)
        where = self.where(pointer)
        shown = (Item(verbatim(entity.data[name]), where),)
        return Value(True, "code", shown, "", where, refused=words(self.refused.get(pointer, "PPG112")))

    def where(self, pointer: str) -> Where:
        return Where(pointer, *self.audit.source.locate(pointer))

    def refer(self, term: Term) -> TermRef:
        """A term with its link, its label and what the loaded vocabularies say about it."""
        iri = term.iri or ""
        label = self.audit.vocabulary.label(iri) if iri else None
        return TermRef(term.written, term.form, iri, web_link(iri), label or "", self._standing(term))

    def _standing(self, term: Term) -> str:
        if term.form == "free":
            return "free text"
        if term.form == "unresolved" or term.iri is None:
            return f"prefix {term.prefix or '?'} is not declared" if term.prefix else "cannot be expanded"
        standing = self.audit.vocabulary.standing(term.iri)
        facts = self.audit.vocabulary.facts(term.iri)
        if standing == "known" and facts is not None:
            marks = (
                "a property, not a concept" if facts.kind == "property" else "",
                f"marked {facts.status}" if facts.status and facts.status not in _IN_USE else "",
            )
            return ", ".join(("in a loaded vocabulary", *filter(None, marks)))
        return {
            "renamed": "renamed in a later release",
            "removed": "removed in a later release",
            "unknown": "not in the vocabulary of its namespace",
        }.get(standing, "vocabulary not loaded")

    def item(self, text: object, pointer: str) -> Item:
        """A scalar at a pointer, with its term when a term slot stands there."""
        use = self._terms.get(pointer)
        term = self.refer(use.term) if use is not None else None
        return Item(scalar(text) or '""', self.where(pointer), term)

    def meaning(self, pointer: str) -> list[str | None]:
        """The IRIs of the terms written at or below a pointer, in file order."""
        below = f"{pointer}/"
        return [use.term.iri for use in self.audit.terms if use.pointer == pointer or use.pointer.startswith(below)]

    def value(self, data: Mapping[str, Any], name: str, base: str, *, origin: str = "") -> Value:
        """The member `name` of an object whose pointer is `base`."""
        if name not in data:
            return UNDECLARED
        return self.written(data[name], f"{base}/{escape(name)}", origin=origin)

    def written(self, value: object, pointer: str, *, origin: str = "") -> Value:
        """Whatever stands at a pointer, in the shape that suits it, with a word where the format refuses it."""
        if self.refused.get(pointer) == "PPG112":  # what type it has can only be seen in its JSON text
            where = self.where(pointer)
            return Value(True, "code", (Item(verbatim(value), where),), origin, where, refused=words("PPG112"))
        shown = self._shown(value, pointer, origin=origin)
        refusal = self._refusal(value, pointer)
        return replace(shown, refused=refusal) if refusal else shown

    def _shown(self, value: object, pointer: str, *, origin: str) -> Value:
        where = self.where(pointer)
        if isinstance(value, bool):
            return Value(True, "flag", (self.item(value, pointer),), origin, where)
        if isinstance(value, str | int | float):
            item = self.item(value, pointer)
            return Value(
                True, "term" if item.term else "text" if isinstance(value, str) else "number", (item,), origin, where
            )
        if isinstance(value, list) and all(isinstance(entry, str | int | float) for entry in value):
            items = tuple(self.item(entry, f"{pointer}/{index}") for index, entry in enumerate(value))
            shape = "terms" if items and all(item.term for item in items) else "list"
            return Value(True, shape, items, origin, where)
        return Value(True, "code", (Item(verbatim(value), where),), origin, where)

    def field(self, field: Field | None) -> Value:
        """A governance field in force; structural fields are summed up, as sections of their own show them."""
        if field is None:
            return UNDECLARED
        summed = _SUMMARIES.get(field.name)
        if summed is None:
            return self.written(field.value, field.pointer, origin=field.origin)
        where = self.where(field.pointer)
        text = summed(field.value)
        if text is None:
            shown = (Item(verbatim(field.value), where),)
            refusal = self._refusal(field.value, field.pointer) or words("PPG112")
            return Value(True, "code", shown, field.origin, where, refused=refusal)
        return Value(True, "summary", tuple(Item(line, where) for line in text), field.origin, where)

    def entries(self, entity: Entity, names: Iterable[str]) -> tuple[Entry, ...]:
        """The named members that are present, in the given order."""
        return tuple(
            Entry(name, self.value(entity.data, name, entity.pointer)) for name in names if name in entity.data
        )

    def rest(self, data: Mapping[str, Any], base: str, leave_out: Iterable[str] = ()) -> tuple[Entry, ...]:
        """Every member but those named, in file order."""
        left_out = frozenset(leave_out)
        return tuple(Entry(name, self.value(data, name, base)) for name in data if name not in left_out)


def _counted(noun: str) -> Any:
    def summary(value: object) -> tuple[str, ...] | None:
        if not isinstance(value, list):
            return None
        return (f"{len(value)} {noun if len(value) == 1 else noun + 's'}",) if value else ()

    return summary


def _prefixes(value: object) -> tuple[str, ...] | None:
    if not isinstance(value, dict):
        return None
    return tuple(f"{prefix}: {scalar(namespace)}" for prefix, namespace in value.items())


def _independent(value: object) -> tuple[str, ...] | None:
    if not isinstance(value, dict):
        return None
    axes = value.get("axes")
    return tuple(f"{axis}" for axis in axes) if isinstance(axes, list) else ("no axes",)


def _extensions(value: object) -> tuple[str, ...] | None:
    return tuple(value) if isinstance(value, dict) else None


_SUMMARIES: dict[str, Any] = {
    "vocabularies": _prefixes,
    "obligations": _counted("obligation"),
    "reviews": _counted("review"),
    "independent_of": _independent,
    "extensions": _extensions,
}
