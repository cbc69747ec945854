"""Where the data that travels with ppgov lies: inside the wheel, or beside the package in a checkout."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_PACKAGE = os.path.dirname(os.path.abspath(__file__))


def folder(name: str) -> Path:
    """The folder `vocab` or `report_templates`."""
    from pathlib import Path  # not needed, and not loaded, by a check

    return Path(_place(name))


def text(name: str, *parts: str) -> str:
    """The text of one bundled file."""
    with open(os.path.join(_place(name), *parts), encoding="utf-8") as stream:
        return stream.read()


def _place(name: str) -> str:
    inside = os.path.join(_PACKAGE, name)
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(_PACKAGE), name)
