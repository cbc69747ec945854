"""The register as data: one row an agent, and beside it the tools, obligations, reviews and findings.

Texts stand as in the pack, bounded in length and number; each output makes them safe for its format. Nothing here is
a judgement: rows are in the order of the files, and silence is `declared=False`.
"""

from __future__ import annotations

from typing import NamedTuple

FORMAT = "ppgov-register/1"

MAX_ITEMS = 500  # of one list in one row
MAX_TEXT = 10_000  # characters of one text, as in a report
MAX_TWINS = 5

ODD = "not of the format; shown as written"


class Item(NamedTuple):
    """One text as written; `iri` and `label` where it is a term of a known prefix or vocabulary."""

    text: str
    label: str = ""
    iri: str = ""


class Cell(NamedTuple):
    """What one field says. `origin`: "agent" or "pack"; `of_format` is False for what the format does not allow there.

    `more` items are left out: a row is bounded.
    """

    items: tuple[Item, ...] = ()
    declared: bool = True
    origin: str = ""
    of_format: bool = True
    more: int = 0

    @property
    def text(self) -> str:
        return "; ".join(item.text for item in self.items)


UNDECLARED = Cell(declared=False)


class Consequence(NamedTuple):
    """How many of the tools that a subject reaches declare this effect and reversibility; "" is not declared."""

    effect: str
    reversibility: str
    tools: int


class Control(NamedTuple):
    """`outcome`: resolved, disabled, unresolved, field-undeclared, unknown-field, not-resolvable; `words` says it."""

    kind: str
    written: str
    outcome: str
    words: str


class Obligation(NamedTuple):
    """An obligation in force. `malformed` controls cannot be read; `origin` is where it is written."""

    id: str
    term: Cell
    applies_to: tuple[str, ...]
    note: Cell
    controls: tuple[Control, ...]
    malformed: int
    remark: str
    origin: str
    pointer: str
    line: int | None


class Review(NamedTuple):
    """A recurring review in force; `cadence_words` is empty for what is no duration."""

    id: str
    type: Cell
    cadence: Cell
    cadence_words: str
    owner: Cell
    satisfies: tuple[Control, ...]
    eval: Control | None
    origin: str
    pointer: str
    line: int | None


class Tool(NamedTuple):
    key: str
    description: str
    effect: Cell
    reversibility: Cell
    data_classes: Cell
    reached_by: tuple[str, ...]
    line: int | None


class Fault(NamedTuple):
    """A finding, as the register lists it."""

    rule: str
    name: str
    level: str
    message: str
    hint: str
    pointer: str
    line: int | None
    column: int | None


class Counts(NamedTuple):
    errors: int
    warnings: int
    notes: int


class Agent(NamedTuple):
    """One row. A pack without agents has one, with `key` None, for itself; `obligations` holds what is in force.

    `obligation_list` and `review_list` say whether the lists are declared, and what in them could not be read.
    """

    key: str | None
    fields: dict[str, Cell]
    tools: tuple[str, ...]
    consequences: tuple[Consequence, ...]
    data_classes: Cell
    data_classes_undeclared: int
    obligation_list: Cell
    obligations: tuple[Obligation, ...]
    review_list: Cell
    reviews: tuple[Review, ...]
    tested_models: Cell

    @property
    def tools_undeclared(self) -> int:
        """Tools that declare neither effect nor reversibility."""
        return sum(pair.tools for pair in self.consequences if not pair.effect and not pair.reversibility)


class Record(NamedTuple):
    """One input: a pack with its rows, or with `problem` what could not be read, or with `skipped` no pack at all.

    `twins` are paths, not more than MAX_TWINS of all `twin_count`, of packs with the same id and version but other
    content; `report` is a relative URL.
    """

    path: str
    id: str = ""
    version: str = ""
    sha256: str = ""
    agents: tuple[Agent, ...] = ()
    providers: Cell = UNDECLARED
    tools: tuple[Tool, ...] = ()
    findings: tuple[Fault, ...] = ()
    counts: Counts = Counts(0, 0, 0)
    problem: str = ""
    skipped: str = ""
    unread_agents: tuple[str, ...] = ()
    file_name: str = ""
    twins: tuple[str, ...] = ()
    twin_count: int = 0
    report: str = ""


class Register(NamedTuple):
    """`packs` in the order of the inputs, `unread` likewise; `generated_at` ISO 8601."""

    tool: str
    generated_at: str
    packs: tuple[Record, ...]
    unread: tuple[Record, ...]
    vocabularies: tuple[str, ...] = ()

    @property
    def rows(self) -> tuple[tuple[Record, Agent], ...]:
        return tuple((pack, agent) for pack in self.packs for agent in pack.agents)
