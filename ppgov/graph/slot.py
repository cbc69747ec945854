"""How one property of the format becomes quads of the declared graph: a small class for each kind of value.

A slot answers with the objects of its property and writes whatever stands below them. A value whose type the
format does not allow there is kept as a literal where it is a scalar, and left out where it is an object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from ppgov.graph.token import TYPE, Quad, dct, integer, pg, scalar, segment, structure, text
from ppgov.pack import escape

IDENTIFIER = dct("identifier")
POSITION = pg("position")
_TERM, _WRITTEN = pg("Term"), pg("written")
_OTHER, _OTHER_PROPERTY, _VALUE = pg("other"), pg("OtherProperty"), pg("value")


@dataclass(frozen=True, slots=True)
class Slot:
    """A property that holds a scalar; the base of the others."""

    predicate: str

    def objects(self, walk: Walk, node: str, pointer: str, value: object) -> Iterable[str]:
        """The object tokens. `node` is the holder's IRI without brackets, `pointer` the place of the value."""
        literal = scalar(value)
        return (literal,) if literal is not None else ()


@dataclass(frozen=True, slots=True)
class Shape:
    """The slots of one kind of object. An `open` one may hold further properties, which are kept as JSON."""

    type: str
    slots: Mapping[str, Slot]
    open: bool = False
    plain: dict[str, str] = field(init=False)
    """The predicates of the slots that hold a scalar and nothing more."""

    def __post_init__(self) -> None:
        plain = {key: slot.predicate for key, slot in self.slots.items() if type(slot) is Slot}
        object.__setattr__(self, "plain", plain)


@dataclass(slots=True)
class Walk:
    """One walk over a pack. IRIs are kept without brackets, tokens with them."""

    version: str
    graph: str
    extensions: bool
    quads: list[Quad] = field(default_factory=list)
    nodes: dict[str, str] = field(default_factory=dict)
    """The subject token of every object of the pack, by JSON pointer."""
    values: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    """The objects of a governance field, by the pointer of its block and its name."""
    cadences: list[tuple[str, str]] = field(default_factory=list)
    """Each review (subject token) with its cadence as written."""
    bases: dict[str, str] = field(default_factory=dict)
    """Where the things of a collection lie: the start of their IRIs, by the collection's name."""
    terms: str = ""
    """The start of the IRIs of terms in the scope that the walk is in."""
    seen_terms: set[str] = field(default_factory=set)
    steps: dict[str, int] = field(default_factory=dict)
    """How many steps of the present composition have each name."""

    def entity(self, node: str, pointer: str, data: Mapping[str, object], shape: Shape) -> str:
        """Write one object with all that is below it; the answer is its token."""
        subject = f"<{node}>"
        self.nodes[pointer] = subject
        self.quads.append((subject, TYPE, shape.type, self.graph))
        self.fields(subject, node, pointer, data, shape)
        return subject

    def fields(self, subject: str, node: str, pointer: str, data: Mapping[str, object], shape: Shape) -> None:
        slots, plain, graph, add = shape.slots, shape.plain, self.graph, self.quads.append
        for key, value in data.items():
            predicate = plain.get(key)
            if predicate is not None:  # the common case, without a call more than it needs
                literal = text(value) if type(value) is str else scalar(value)
                if literal is not None:
                    add((subject, predicate, literal, graph))
            elif key in slots:
                slot = slots[key]
                predicate = slot.predicate
                for item in slot.objects(self, node, f"{pointer}/{key}", value):
                    add((subject, predicate, item, graph))
            elif shape.open:
                self._other(subject, node, key, value)

    def term(self, written: str) -> str:
        """The node of a term as written in the present scope."""
        term = f"<{self.terms}{segment(written)}>"
        if term not in self.seen_terms:
            self.seen_terms.add(term)
            self.quads += ((term, TYPE, _TERM, self.graph), (term, _WRITTEN, text(written), self.graph))
        return term

    def _other(self, subject: str, node: str, key: str, value: object) -> None:
        """A property that the format leaves open."""
        if key == "extensions" and not self.extensions:
            return
        other, graph = f"<{node}/other/{segment(key)}>", self.graph
        self.quads += (
            (subject, _OTHER, other, graph),
            (other, TYPE, _OTHER_PROPERTY, graph),
            (other, IDENTIFIER, text(key), graph),
            (other, _VALUE, structure(value), graph),
        )


def each(value: object, make: Callable[[str], str], *, many: bool) -> list[str]:
    """The objects of a value, or with `many` of an array: strings through `make`, other scalars as literals."""
    if not many and type(value) is str:
        return [make(value)]
    if many != isinstance(value, list):
        literal = scalar(value) if many else None
        return [literal] if literal is not None else []
    found = []
    for item in value if isinstance(value, list) else (value,):
        if type(item) is str:
            found.append(make(item))
        elif (literal := scalar(item)) is not None:
            found.append(literal)
    return found


def numbered(name: str, seen: dict[str, int]) -> str:
    """A segment that is unique in its list: the second thing called `x` is `x~2`."""
    count = seen[name] = seen.get(name, 0) + 1
    return name if count == 1 else f"{name}~{count}"


@dataclass(frozen=True, slots=True)
class Many(Slot):
    """An array of scalars."""

    def objects(self, walk: Walk, node: str, pointer: str, value: object) -> Iterable[str]:
        return each(value, text, many=True)


@dataclass(frozen=True, slots=True)
class Json(Slot):
    """A value that the format leaves free: verbatim, as `rdf:JSON`."""

    def objects(self, walk: Walk, node: str, pointer: str, value: object) -> Iterable[str]:
        return (structure(value),)


@dataclass(frozen=True, slots=True)
class Extensions(Slot):
    """Opaque data of others: verbatim, and only on request, for it can hold secrets."""

    def objects(self, walk: Walk, node: str, pointer: str, value: object) -> Iterable[str]:
        return (structure(value),) if walk.extensions else ()


@dataclass(frozen=True, slots=True)
class Free(Slot):
    """Any value: a scalar as itself, an object or an array as `rdf:JSON`; with `each`, one by one."""

    each: bool = False

    def objects(self, walk: Walk, node: str, pointer: str, value: object) -> Iterable[str]:
        items = value if self.each and isinstance(value, list) else (value,)
        return [scalar(item) or structure(item) for item in items]


@dataclass(frozen=True, slots=True)
class Link(Slot):
    """The key of another thing of the pack, or an array of keys. The file says it; nothing says that it exists."""

    collection: str
    many: bool = False

    def objects(self, walk: Walk, node: str, pointer: str, value: object) -> Iterable[str]:
        base = walk.bases[self.collection]
        return each(value, lambda key: f"<{base}{segment(key)}>", many=self.many)


@dataclass(frozen=True, slots=True)
class Enum(Slot):
    """A member of a list, or an array of them, as an individual; what is no member stays a literal."""

    members: Mapping[str, str]
    many: bool = False

    def objects(self, walk: Walk, node: str, pointer: str, value: object) -> Iterable[str]:
        return each(value, lambda name: self.members.get(name) or text(name), many=self.many)


@dataclass(frozen=True, slots=True)
class Term(Slot):
    """A term, or an array of them: one node for each string in each scope, with what is written and nothing else."""

    many: bool = False

    def objects(self, walk: Walk, node: str, pointer: str, value: object) -> Iterable[str]:
        return each(value, walk.term, many=self.many)


@dataclass(frozen=True, slots=True)
class Child(Slot):
    """An object with a node of its own below its holder."""

    segment: str
    shape: Shape

    def objects(self, walk: Walk, node: str, pointer: str, value: object) -> Iterable[str]:
        if not isinstance(value, dict):
            return ()
        return (walk.entity(f"{node}/{self.segment}", pointer, value, self.shape),)


@dataclass(frozen=True, slots=True)
class Inline(Slot):
    """An object that only groups: its properties are said of its holder."""

    shape: Shape

    def objects(self, walk: Walk, node: str, pointer: str, value: object) -> Iterable[str]:
        if isinstance(value, dict):
            walk.fields(f"<{node}>", node, pointer, value, self.shape)
        return ()


@dataclass(frozen=True, slots=True)
class Keyed(Slot):
    """A map: each value is a thing, identified by its key. With `bare`, a scalar is a thing with that one property."""

    segment: str
    shape: Shape
    bare: str = ""

    def objects(self, walk: Walk, node: str, pointer: str, value: object) -> Iterable[str]:
        found = []
        for key, item in value.items() if isinstance(value, dict) else ():
            data = _bare(item, self.bare)
            if data is not None:
                found.append(self.one(walk, node, pointer, key, data))
        return found

    def one(self, walk: Walk, node: str, pointer: str, key: str, data: Mapping[str, object]) -> str:
        thing = walk.entity(f"{node}/{self.segment}/{segment(key)}", f"{pointer}/{escape(key)}", data, self.shape)
        walk.quads.append((thing, IDENTIFIER, text(key), walk.graph))
        return thing


@dataclass(frozen=True, slots=True)
class Listed(Slot):
    """An array of things: named by their member `key`, else by their place in the array, counted from 1."""

    segment: str
    shape: Shape
    key: str = ""
    bare: str = ""
    ordered: bool = False

    def objects(self, walk: Walk, node: str, pointer: str, value: object) -> Iterable[str]:
        found = []
        seen: dict[str, int] = {}
        for index, item in enumerate(value if isinstance(value, list) else ()):
            data = _bare(item, self.bare)
            if data is not None:
                name = numbered(segment(data.get(self.key)), seen) if self.key else str(index + 1)
                thing = walk.entity(f"{node}/{self.segment}/{name}", f"{pointer}/{index}", data, self.shape)
                if self.ordered:
                    walk.quads.append((thing, POSITION, integer(index + 1), walk.graph))
                found.append(thing)
        return found


def _bare(item: object, name: str) -> dict[str, object] | None:
    if isinstance(item, dict):
        return item
    return {name: item} if name and scalar(item) is not None else None
