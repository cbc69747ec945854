"""What the format refuses in a pack, and what a pack declares as empty: by the section that would show it.

A value that cannot be read must not look like one that is not declared. Each section names the refused places that
belong to it before it says anything else, and counts what it could not list.
"""

from __future__ import annotations

from collections.abc import Iterator

from ppgov.pack import escape
from ppgov.report.model import Note, Notes
from ppgov.report.reader import Reader, words

_SHOWN = 50

# The parts of a pack that each section shows, as the tokens of a pointer; `*` stands for any key or index.
PARTS: dict[str, tuple[str, ...]] = {
    "facts": ("metadata/governance",),
    "agents": ("agents",),
    "tools": ("tools",),
    "guardrails": ("evals", "prompts/*/evals", "prompts/*/validators", "prompts/*/tool_policy"),
    "obligations": ("metadata/governance/obligations", "agents/members/*/governance/obligations"),
    "reviews": ("metadata/governance/reviews", "agents/members/*/governance/reviews"),
    "independence": ("metadata/governance/independent_of", "agents/members/*/governance/independent_of"),
    "models": ("requires", "prompts/*/tested_models"),
    "workflow": ("workflow",),
}  # fmt: skip
# What is counted one by one, for the counts that leave some out.
ENTITIES: dict[str, tuple[str, ...]] = {
    "agents": ("agents/members/*",),
    "tools": ("tools/*",),
    "validators": ("prompts/*/validators/*",),
    "evals": ("evals/*", "prompts/*/evals/*"),
    "obligations": ("metadata/governance/obligations/*", "agents/members/*/governance/obligations/*"),
    "reviews": ("metadata/governance/reviews/*", "agents/members/*/governance/reviews/*"),
}
_PARTS = [(section, tuple(part.split("/"))) for section, parts in PARTS.items() for part in parts]


def notes(reader: Reader) -> tuple[Notes, ...]:
    """For each section what the format refuses in it and what is declared empty, in file order."""
    refused: dict[str, list[Note]] = {}
    empty: dict[str, list[Note]] = {}
    for pointer, rule in reader.refused.items():
        for section in sections_of(pointer):
            refused.setdefault(section, []).append(Note(words(rule), reader.where(pointer)))
    for pointer in _empty(reader.audit.pack.data, ""):
        for section in sections_of(pointer):
            empty.setdefault(section, []).append(Note("declared, empty", reader.where(pointer)))
    return tuple(
        Notes(
            section,
            tuple(refused.get(section, ())[:_SHOWN]),
            max(0, len(refused.get(section, ())) - _SHOWN),
            tuple(empty.get(section, ())[:_SHOWN]),
            max(0, len(empty.get(section, ())) - _SHOWN),
        )
        for section in (*PARTS, "inventory")
    )


def sections_of(pointer: str) -> tuple[str, ...]:
    """The sections that show what stands at a pointer; of something that holds several parts, all of them."""
    tokens = tuple(pointer.split("/")[1:])
    at = [section for section, part in _PARTS if len(tokens) >= len(part) and _fits(part, tokens)]
    if at:
        return tuple(dict.fromkeys(at))
    above = [section for section, part in _PARTS if len(tokens) < len(part) and _fits(part, tokens)]
    return (*dict.fromkeys(above), "inventory")


def lost(reader: Reader, kind: str) -> int:
    """How many entities of a kind stand in the pack and cannot be read."""
    patterns = [tuple(pattern.split("/")) for pattern in ENTITIES[kind]]
    found = (tuple(pointer.split("/")[1:]) for pointer in reader.unread)
    return sum(any(len(tokens) == len(p) and _fits(p, tokens) for p in patterns) for tokens in found)


def _fits(pattern: tuple[str, ...], tokens: tuple[str, ...]) -> bool:
    """Whether the two agree as far as the shorter one goes."""
    return all(part in ("*", token) for part, token in zip(pattern, tokens, strict=False))


def _empty(value: object, pointer: str) -> Iterator[str]:
    """Every empty list and mapping but those of extensions, which are not read."""
    if isinstance(value, dict | list) and not value:
        yield pointer
    elif isinstance(value, dict):
        for key, item in value.items():
            if key != "extensions":
                yield from _empty(item, f"{pointer}/{escape(key)}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _empty(item, f"{pointer}/{index}")
