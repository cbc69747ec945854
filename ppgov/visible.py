"""Text of a pack made visible: whatever cannot be seen, or cannot be drawn, shows its code points.

Control and format characters can reorder a line or hide in it (DESIGN section 5). The two joiners and the
variation selectors stay, because Persian, Indic scripts and emoji are spelt with them.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

LIMIT = 10_000

_KEPT = frozenset("\n\t\u200c\u200d")
_HIDDEN = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))

# Printable ASCII and line breaks: nearly all text needs no second look.
_PLAIN = re.compile(r"[\n\t\x20-\x7e]*").fullmatch


@lru_cache(maxsize=4096)
def hidden(character: str) -> bool:
    """Whether a character shows nothing of its own, or is none at all."""
    return character not in _KEPT and unicodedata.category(character) in _HIDDEN


def visible(text: str, missing: frozenset[str] = frozenset(), *, limit: int | None = LIMIT) -> str:
    """The text with hidden characters, and those in `missing`, as [U+4E2D]; cut after `limit` characters, saying so."""
    cut = ""
    if limit is not None and len(text) > limit:
        cut = f" … [{len(text) - limit:,} more characters]"
        text = text[:limit]
    if _PLAIN(text) is not None:
        return text + cut
    shown: list[str] = []
    run: list[str] = []
    for character in text.replace("\r\n", "\n"):
        if character in missing or hidden(character):
            run.append(f"U+{ord(character):04X}")
            continue
        if run:
            shown.append(f"[{' '.join(run)}]")
            run.clear()
        shown.append(character)
    if run:
        shown.append(f"[{' '.join(run)}]")
    return "".join(shown) + cut


def width(text: str) -> int:
    """Columns that a text takes: wide East Asian characters count as two, combining marks as none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def shorten(text: str, columns: int) -> str:
    """At most `columns` columns of one line."""
    line = " ".join(text.split())
    if width(line) <= columns:
        return line
    kept: list[str] = []
    room = columns - 1
    for character in line:
        room -= width(character)
        if room < 0:
            break
        kept.append(character)
    return "".join(kept) + "…"
