"""What the format's schema has against a pack. Values only."""

from __future__ import annotations

from typing import NamedTuple


class Violation(NamedTuple):
    """One structural fault. `unread`: the value's type keeps rules from reading it or anything below it."""

    rule: str
    pointer: str
    message: str
    hint: str = ""
    unread: bool = False
