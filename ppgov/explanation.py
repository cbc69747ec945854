"""What the format's schema refuses in a pack, one fault at a time, at its place and in words.

The walk goes down schema and data together, each value once. Where the schema leaves a choice it takes the form
that `kind`, or the keys present, select, and reports what that form lacks. It says why a pack is refused; whether
it is refused, `schema` asks jsonschema-rs (whose own errors repeat every subtree at every level of nesting).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from ppgov.findings import quote
from ppgov.number import Number
from ppgov.pack import escape
from ppgov.structure import Json, Node, Property, all_properties, structure
from ppgov.suggest import nearest
from ppgov.violation import Violation
from ppgov.wording import (
    CLAIMED,
    CLAIMED_COUNT,
    CLAIMED_MISSING,
    FORMS,
    KINDS,
    OLD_NAMES,
    PATTERNS,
    PROSE,
    TYPES,
    found,
    limit_hint,
    limit_words,
    matches,
    mended,
    type_hint,
)

MAX_TEXT = 24 * 1024 * 1024  # characters of messages and pointers; a hostile pack has no more to say
_FAR = 4  # objects that one sentence names, at most
_GUESSES = 200  # difflib is slow, and nobody corrects more names from one list
_JSON_TYPE = {
    str: "string",
    bool: "boolean",
    type(None): "null",
    list: "array",
    dict: "object",
    int: "integer",
    float: "number",
    Number: "number",
}


class _Full(Exception):
    """Raised inside the walk when MAX_TEXT is used up."""


def explain(data: Mapping[str, Json]) -> tuple[Violation, ...]:
    """Every structural fault of a pack, in document order; empty for a valid one. Each is reported once."""
    walk = _Walk()
    try:
        walk.value(structure().root, dict(data))
    except _Full:
        hint = "correct these first; the others show once they are gone"
        walk.found.append(Violation("PPG106", "", "the pack has more structural problems than can be listed", hint))
    return tuple(walk.found)


@dataclass(frozen=True, slots=True)
class _Holder:
    """An object on the way down: what it is, and how far down the path it lies; `keyed`: an entry of a map."""

    kind: str
    value: Mapping[str, Json]
    depth: int
    keyed: bool


class _Walk:
    def __init__(self) -> None:
        self.model = structure()
        self.found: list[Violation] = []
        self.path: list[str | int] = []
        self.holders: list[_Holder] = []
        self.claim = ""
        self.room = MAX_TEXT
        self.guesses: dict[tuple[str, str], str] = {}
        self.steps = _step_kinds()
        self.vendor_kind = (self.model.definitions["ExtensionStep"].properties or {})["kind"].node.pattern
        self.modes = (self.model.definitions["WorkflowState"].properties or {})["orchestration"].node.allowed
        self.special: dict[str, Callable[[Node, Json, bool], None]] = {
            "Step": self.step,
            "Predicate": self.choice,
            "SkillSource": self.choice,
            "ObligationControl": self.control,
            "WorkflowState": self.state,
            "TerminationPredicate": self.termination,
            "MediaConfig{}": self.media_type,
        }

    # What is reported

    def add(self, rule: str, message: str, hint: str = "", *, unread: bool = False, below: str | None = None) -> None:
        tokens = self.path if below is None else [*self.path, below]
        pointer = "".join(f"/{escape(str(token))}" for token in tokens)
        self.room -= len(pointer) + len(message) + len(hint)
        if self.room < 0:
            raise _Full
        self.found.append(Violation(self.claim or rule, pointer, message, hint, unread))

    def holder(self, index: int = -1) -> str:
        """The object at hand in words: its kind and its name, and whose it is where it has none."""
        item = self.holders[index]
        if not item.depth:
            return f"the {item.kind}"
        token = self.path[item.depth - 1]
        if item.keyed:
            return f"the {item.kind} {quote(token)}"
        if isinstance(token, int):
            names = (item.value.get(name) for name in ("id", "name", "key", "path", "model", "type"))
            name = next((name for name in names if isinstance(name, str)), "")
            if name:
                return f"the {item.kind} {quote(name)}"
        own = f"the {item.kind} number {token + 1}" if isinstance(token, int) else f"the {item.kind}"
        above = index - 1
        if -above > min(len(self.holders), _FAR) or self.holders[above].kind in ("pack", "metadata"):
            return own
        return f"{own} of {self.holder(above)}"

    def subject(self) -> str:
        """The value at hand in words."""
        inside = self.holders[-1].depth if self.holders else 0
        own = self.path[inside:]
        words = " of ".join(
            f"item {token + 1}" if isinstance(token, int) else quote(token) for token in reversed(own[-2:])
        )
        return f"{words} of {self.holder()}" if len(self.holders) > 1 else words

    # The keywords

    def value(self, node: Node, value: Json, keyed: bool = False) -> None:
        node = self.model.resolve(node)
        special = self.special.get(node.path)
        if special is not None:
            special(node, value, keyed)
        elif node.forms:
            self.form(node, value, keyed)
        elif self.typed(node.types, value, node.pattern):
            self.checked(node, value, keyed)

    def checked(self, node: Node, value: Json, keyed: bool) -> None:
        """A value of the right type."""
        if node.allowed:
            self.listed(node, value)
        elif isinstance(value, dict):
            if self.counted(node, value):
                self.members(node, value, keyed)
        elif isinstance(value, list):
            if self.counted(node, value):
                self.entries(node, value)
        elif isinstance(value, str):
            if self.counted(node, value) and node.pattern and not matches(node.pattern, value):
                self.malformed(node.pattern, value)
        elif isinstance(value, int | float):
            self.counted(node, value)

    def typed(self, types: tuple[str, ...], value: Json, pattern: str | None = None) -> bool:
        name = _JSON_TYPE[type(value)]
        if not types or name in types or (name == "integer" and "number" in types):
            return True
        if isinstance(value, float) and "integer" in types and value.is_integer():
            return True
        words = " or ".join(dict.fromkeys(TYPES[kind] for kind in types))
        container = "object" in types or "array" in types
        self.add(
            "PPG112",
            f"{self.subject()}: expected {words}, found {found(value)}",
            f"write {PATTERNS[pattern]}, between quotes" if pattern in PATTERNS else type_hint(types, value),
            unread=container or ("string" in types and not self.prose()),
        )
        return False

    def prose(self) -> bool:
        return next((token in PROSE for token in reversed(self.path) if isinstance(token, str)), False)

    def counted(self, node: Node, value: str | list[Json] | dict[str, Json] | float) -> bool:
        """Whether a number, length or count lies within the limits. An empty value breaks no further rule."""
        size = value if isinstance(value, int | float) else len(value)
        for name, limit in node.limits:
            if size < limit if name.startswith("min") else size > limit:
                rule = CLAIMED_COUNT.get(node.path, "PPG115")
                self.add(rule, f"{self.subject()} {limit_words(name, limit, value)}", limit_hint(name, limit))
                return bool(value) and not isinstance(value, int | float)
        return True

    def listed(self, node: Node, value: Json) -> None:
        if not isinstance(value, bool) and value in node.allowed:
            return
        names = [str(name) for name in node.allowed]
        near = self.near(str(value), node.path, names) if isinstance(value, str) else ""
        hint = f"did you mean '{near}'?" if near else f"write {names[0]}" if len(names) == 1 else "use one of these"
        what = quote(value) if isinstance(value, str) else found(value)
        allowed = f"one of {', '.join(names)}" if len(names) > 1 else names[0]
        self.add("PPG113", f"{self.subject()}: {what} is not {allowed}", hint)

    def malformed(self, pattern: str, value: str) -> None:
        better = mended(pattern, value)
        if better and better == value.rstrip("\r\n"):
            hint = "remove the line break at the end (in YAML, write the text on one line or use |-)"
        else:
            hint = f"for example {quote(better)}" if better else f"write {PATTERNS[pattern]}"
        self.add("PPG114", f"{self.subject()}: expected {PATTERNS[pattern]}, found {quote(value)}", hint)

    def entries(self, node: Node, value: list[Json]) -> None:
        if node.items is None:
            return
        seen: set[str] = set()
        for index, entry in enumerate(value):
            self.path.append(index)
            if node.unique and isinstance(entry, str) and entry in seen:
                self.add("PPG115", f"{self.subject()} repeats {quote(entry)}", "remove one of the two")
            else:
                self.value(node.items, entry)
            if isinstance(entry, str):
                seen.add(entry)
            self.path.pop()

    # Objects

    def members(self, node: Node, value: dict[str, Json], keyed: bool) -> None:
        if not node.properties and node.rest is None and not node.closed:
            return
        named = node.path in KINDS  # a map has no name: its entries have
        if named:
            self.holders.append(_Holder(KINDS[node.path], value, len(self.path), keyed))
        meant = self.meant(node, value) if node.closed else {}
        for name in node.required:
            if name not in value and name not in meant.values():
                self.missing(node, name, value)
        for key, entry in value.items():
            self.member(node, key, entry, meant)
        if named:
            self.holders.pop()

    def member(self, node: Node, key: str, entry: Json, meant: Mapping[str, str]) -> None:
        known = (node.properties or {}).get(key)
        if known is None and node.closed:
            self.unknown(node, key, meant[key])
        elif known is not None or node.rest is not None:
            before = self.claim
            if known is not None:
                self.claim = CLAIMED.get(known.node.path, before)
            self.path.append(key)
            self.value(known.node if known else node.rest or node, entry, known is None)
            self.path.pop()
            self.claim = before

    def meant(self, node: Node, value: Mapping[str, Json]) -> dict[str, str]:
        """For each unknown key the property that was probably meant, or an empty string."""
        names = node.properties or {}
        return {
            key: OLD_NAMES.get((node.path, key)) or self.near(key, node.path, names)
            for key in value
            if key not in names
        }

    def near(self, word: str, place: str, names: Mapping[str, Property] | list[str]) -> str:
        """The name that `word` is most like: a slip of the pen, or a name cut short."""
        known = self.guesses.get((place, word))
        if known is None and len(self.guesses) < _GUESSES:
            longer = [name for name in names if len(word) > 2 and name.startswith(word)]
            known = nearest(word, names) or (longer[0] if len(longer) == 1 else "")
            self.guesses[place, word] = known
        return known or ""

    def missing(self, node: Node, name: str, value: Mapping[str, Json]) -> None:
        properties = node.properties or {}
        claimed = CLAIMED_MISSING.get(f"{node.path}.{name}", "PPG110")
        others = [key for key in value if key not in properties][:20]
        near = next((key for key in others if self.near(key, node.path, properties) == name), "")
        if near:
            hint = f"did you mean '{name}' by {quote(near)}?"
        elif claimed == "PPG209" and "composition" in value:
            hint = "add `orchestration: composition`, or a `prompt_task` instead of the composition"
        else:
            hint = f"add `{name}`: {properties[name].description}"
        self.add(claimed, f"{self.holder()} has no '{name}'", hint)

    def unknown(self, node: Node, key: str, meant: str) -> None:
        names = list(node.properties or {})
        if meant:
            hint = f"did you mean '{meant}'?"
        elif owners := _owners().get(key):
            hint = f"`{key}` belongs to the {' or the '.join(owners)}"
        else:
            own = "; keys of your own go under `extensions`" if "extensions" in names else ""
            hint = f"known here: {', '.join(names)}{own}"
        self.add("PPG111", f"{self.holder()} has no property {quote(key)}", hint, below=key)

    # Where the schema leaves a choice

    def form(self, node: Node, value: Json, keyed: bool) -> None:
        """oneOf over different types: the type selects."""
        forms = [self.model.resolve(form) for form in node.forms]
        name = _JSON_TYPE[type(value)]
        chosen = next((form for form in forms if name in form.types), None)
        if chosen is not None:
            self.checked(chosen, value, keyed)
        else:
            self.typed(tuple(kind for form in forms for kind in form.types), value)

    def step(self, node: Node, value: Json, keyed: bool) -> None:
        """The kind selects; a vendor's own kind has the common properties only."""
        if not self.typed(node.types, value) or not isinstance(value, dict):
            return
        kind = value.get("kind")
        whole = self.steps.get(kind, node) if isinstance(kind, str) else node
        if whole is node and isinstance(kind, str) and not matches(self.vendor_kind, kind):
            self.path.append("kind")
            near = self.near(kind, "Step.kind", list(self.steps))
            known = f"use {', '.join(self.steps)}, or a vendor's own kind, as in vendor.kind"
            hint = f"did you mean '{near}'?" if near else known
            self.add("PPG216", f"{quote(kind)} is no kind of step", hint)
            self.path.pop()
        self.members(whole, value, keyed)

    def state(self, node: Node, value: Json, keyed: bool) -> None:
        """The mode decides what a state runs; of a mode that does not exist nothing more is said."""
        if not self.typed(node.types, value) or not isinstance(value, dict):
            return
        mode = value.get("orchestration", "internal")
        needed = () if mode not in self.modes else ("composition",) if mode == "composition" else ("prompt_task",)
        self.members(replace(node, required=needed), value, keyed)

    def control(self, node: Node, value: Json, keyed: bool) -> None:
        """Exactly one kind (spec, section 5); with none or several that is the one fault."""
        if not self.typed(node.types, value) or not isinstance(value, dict):
            return
        names = list(node.properties or {})
        kinds = [name for name in names if name in value]
        if len(kinds) == 1:
            self.members(node, value, keyed)
        elif kinds:
            self.add("PPG405", f"{self.subject()} names {' and '.join(kinds)} at once", "write one control for each")
        else:
            near = next((near for key in list(value)[:20] if (near := self.near(key, node.path, names))), "")
            hint = f"did you mean '{near}'?" if near else f"name one of {', '.join(names)}"
            self.add("PPG405", f"{self.subject()} names none of {', '.join(names)}", hint)

    def termination(self, node: Node, value: Json, keyed: bool) -> None:
        if not self.typed(node.types, value) or not isinstance(value, dict):
            return
        names = list(node.properties or {})
        if not any(name in value for name in names):
            near = next((near for key in list(value)[:20] if (near := self.near(key, node.path, names))), "")
            hint = f"did you mean '{near}'?" if near else f"add {' or '.join(names)}"
            self.add("PPG213", f"{self.subject()} has neither {' nor '.join(names)}", hint)
        self.members(node, value, keyed)

    def choice(self, node: Node, value: Json, keyed: bool) -> None:
        """oneOf over objects: the keys that a form requires, and that no other form shares, select."""
        forms = [self.model.resolve(form) for form in node.forms]
        if not isinstance(value, dict) or not any("object" in form.types for form in forms):
            self.form(node, value, keyed)
            return
        shared = {"path"} if node.path == "Predicate" else set()
        chosen = [form for form in forms if any(name in value for name in form.required if name not in shared)]
        if not chosen:
            self.formless(node, forms, value)
        elif len(chosen) == 1 or chosen[0].closed:
            self.checked(max(chosen, key=lambda form: sum(key in value for key in form.properties or {})), value, keyed)
        elif sum(not self.tried(form, value, keyed) for form in chosen) != 1:
            mixed = " and ".join(
                f"a{'n' if KINDS[form.path][0] in 'aeiou' else ''} {KINDS[form.path]}" for form in chosen
            )
            self.add("PPG116", f"{self.subject()} mixes {mixed}", "write one of them", unread=True)

    def formless(self, node: Node, forms: list[Node], value: Mapping[str, Json]) -> None:
        names = [name for form in forms for name in form.properties or {}]
        unknown = [key for key in list(value)[:20] if key not in names]
        near = next(((key, near) for key in unknown if (near := self.near(key, node.path, names))), None)
        hint = f"did you mean '{near[1]}' by {quote(near[0])}?" if near else "complete one of these forms"
        self.add("PPG116", f"{self.subject()} has none of the possible forms: {FORMS[node.path]}", hint, unread=True)

    def media_type(self, node: Node, value: Json, keyed: bool) -> None:
        """A custom media type must fit the open form and none of the closed ones, as oneOf wants it."""
        *closed, custom = (self.model.resolve(form) for form in node.forms)
        faults = self.tried(custom, value, keyed)
        if faults:
            self.found.extend(faults)
            return
        fitting = [KINDS[form.path] for form in closed if not self.tried(form, value, keyed)]
        if fitting:
            message = f"{self.subject()} reads as a custom media type and as the {fitting[0]} at once"
            self.add(
                "PPG116", message, "add what only this media type has, such as `validation_params: {}`", unread=True
            )

    def tried(self, node: Node, value: Json, keyed: bool) -> list[Violation]:
        """The faults that a value would have in one form."""
        kept, room, faults = self.found, self.room, list[Violation]()
        self.found = faults
        try:
            if self.typed(node.types, value):
                self.checked(node, value, keyed)
        finally:
            self.found, self.room = kept, room
        return faults


@lru_cache(maxsize=1)
def _step_kinds() -> dict[str, Node]:
    """By kind, the common properties of a step joined with those of the kind."""
    model = structure()
    common = model.definitions["Step"]
    kinds: dict[str, Node] = {}
    for form in map(model.resolve, common.forms):
        own = form.properties or {}
        for kind in own["kind"].node.allowed:
            required = dict.fromkeys((*common.required, *form.required))
            kinds[str(kind)] = replace(form, properties={**own, **(common.properties or {})}, required=tuple(required))
    return kinds


@lru_cache(maxsize=1)
def _owners() -> dict[str, tuple[str, ...]]:
    """The objects that have a property, in words, for properties that few objects have."""
    owners: dict[str, list[str]] = {}
    for fact in all_properties():
        kinds = owners.setdefault(fact.name, [])
        kind = KINDS.get(fact.owner)
        if kind is not None and kind not in kinds:
            kinds.append(kind)
    return {name: tuple(kinds) for name, kinds in owners.items() if 0 < len(kinds) <= 2}
