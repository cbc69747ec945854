"""The nearest known name to one that is unknown."""

from __future__ import annotations

from collections.abc import Iterable

_LONGEST = 80  # difflib is quadratic; nobody misspells a longer name by accident


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known name most like `word`, or None when nothing comes near."""
    import difflib

    if len(word) > _LONGEST:
        return None
    folded = {name.casefold(): name for name in sorted(known, reverse=True) if len(name) <= _LONGEST}
    match = difflib.get_close_matches(word.casefold(), folded, n=1, cutoff=0.7)
    return folded[match[0]] if match else None


def did_you_mean(word: str, known: Iterable[str], kind: str) -> str:
    """A hint: the nearest known name, else the names that exist, else that there are none."""
    names = sorted(set(known))
    if match := nearest(word, names):
        return f"did you mean '{match}'?"
    if not names:
        return f"the pack declares no {kind}"
    return f"{kind}: " + ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
