"""The nearest known name to one that is unknown."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

_LONGEST = 80  # difflib is quadratic; nobody misspells a longer name by accident
_MOST = 1000  # nor is a list of names that a person wrote ever longer


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known name most like `word`, or None when nothing comes near."""
    import difflib

    if len(word) > _LONGEST:
        return None
    folded = {name.casefold(): name for name in sorted(islice(known, _MOST), reverse=True) if len(name) <= _LONGEST}
    match = difflib.get_close_matches(word.casefold(), folded, n=1, cutoff=0.7)
    return folded[match[0]] if match else None


class DidYouMean(NamedTuple):
    """A hint that is worked out when it is printed: searching takes longer than finding the fault."""

    word: str
    known: Iterable[str]
    kind: str

    def text(self) -> str:
        """The nearest known name, else the names that exist, else that there are none."""
        names = sorted(set(islice(self.known, _MOST)))
        if match := nearest(self.word, names):
            return f"did you mean '{match}'?"
        if not names:
            return f"the pack declares no {self.kind}"
        return f"{self.kind}: " + ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
