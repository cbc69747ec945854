"""A finding: what is wrong, where, by which rule, and what to do. Values only; nothing here prints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

Level = Literal["error", "warning", "note"]
LEVELS: tuple[Level, ...] = ("error", "warning", "note")

CLIP = 200


class Place(NamedTuple):
    """A place in a pack: RFC 6901 pointer, 1-based line and column (None where the text has no such place)."""

    pointer: str
    line: int | None = None
    column: int | None = None
    message: str = ""


class Finding(NamedTuple):
    """One fault, reported once. `rule` is the id, `name` the rule's readable name."""

    rule: str
    name: str
    level: Level
    message: str
    pointer: str
    line: int | None = None
    column: int | None = None
    hint: str = ""
    related: tuple[Place, ...] = ()

    @property
    def order(self) -> tuple[int, int, str, str, str]:
        return (self.line or 0, self.column or 0, self.rule, self.pointer, self.message)


class Summary(NamedTuple):
    packs: int
    errors: int
    warnings: int
    notes: int


def count(findings: Iterable[Finding], packs: int) -> Summary:
    levels = [finding.level for finding in findings]
    return Summary(packs, levels.count("error"), levels.count("warning"), levels.count("note"))


def clip(text: str, limit: int = CLIP) -> str:
    """One line of at most `limit` characters, control characters shown as escapes."""
    shown = "".join(
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text[: limit + 1]
    )
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def quote(text: object) -> str:
    """A value from a pack inside a sentence: clipped to 60 characters and put between quotation marks."""
    return f"'{clip(str(text), 60)}'"
