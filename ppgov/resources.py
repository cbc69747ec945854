"""Where the data that travels with ppgov lies: inside the wheel, or beside the package in a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def folder(name: str) -> Path:
    """The folder `vocab` or `report_templates`."""
    inside = _PACKAGE / name
    return inside if inside.is_dir() else _PACKAGE.parent / name


def text(name: str, *parts: str) -> str:
    """The text of one bundled file."""
    return folder(name).joinpath(*parts).read_text(encoding="utf-8")
