"""The door to xlsxwriter: tables in, a workbook out, in which every text stays a text.

Excel reads a text that begins with = as a formula, and LibreOffice one that begins with + or @ when it comes from CSV.
Here nothing becomes a formula, a link or a date. CSV has no types: `inert` puts an apostrophe before such a text.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from io import BytesIO
from typing import NamedTuple, Protocol

from ppgov.visible import visible

Scalar = str | int | float | bool | None

MAX_ROWS = 1_048_576
MAX_COLUMNS = 16_384
MAX_TEXT = 32_767  # UTF-16 code units in one cell
_EXACT = 2**53  # beyond it a cell's number is no longer the integer that was written
_NARROW, _WIDE = 8, 48
_MEASURED = 200  # rows that a column's width is taken from
_ACTIVE = re.compile(r"[=+\-@\t\r]")
_SHEET_NAME = re.compile(r"[\[\]:*?/\\]")
_NOT_BEFORE_1980 = datetime(2000, 1, 1, tzinfo=UTC)


class Sheet(NamedTuple):
    """One table. `wrap`: long texts go on in the same cell; else the next cell covers them."""

    name: str
    header: tuple[str, ...]
    rows: Sequence[tuple[Scalar, ...]]
    wrap: bool = True


def workbook(sheets: Sequence[Sheet], *, created: datetime = _NOT_BEFORE_1980) -> bytes:
    """An XLSX file with the sheets in their order; the same sheets and the same time give the same bytes."""
    import xlsxwriter  # type: ignore[import-untyped]  # it ships no types; the protocols below say what is used

    target = BytesIO()
    book = xlsxwriter.Workbook(target, {"in_memory": True, "strings_to_urls": False, "strings_to_formulas": False})
    book.set_properties({"created": created.astimezone(UTC).replace(tzinfo=None)})
    formats = _Formats(
        book.add_format({"bold": True, "text_wrap": True, "valign": "top", "bottom": 1}),
        *(
            book.add_format({"valign": "top", "text_wrap": wrap, "quote_prefix": quoted})
            for wrap in (False, True)
            for quoted in (False, True)
        ),
    )
    taken: set[str] = set()
    for sheet in sheets:
        _write(book.add_worksheet(_sheet_name(sheet.name, taken)), sheet, formats)
    book.close()
    return target.getvalue()


class _Format(Protocol):
    """A cell's looks; opaque here."""


class _Page(Protocol):
    def write_string(self, row: int, col: int, string: str, cell_format: _Format, /) -> int: ...
    def write_number(self, row: int, col: int, number: float, cell_format: _Format, /) -> int: ...
    def write_boolean(self, row: int, col: int, boolean: bool, cell_format: _Format, /) -> int: ...
    def freeze_panes(self, row: int, col: int, /) -> None: ...
    def autofilter(self, row: int, col: int, last_row: int, last_col: int, /) -> None: ...
    def set_column(self, col: int, last_col: int, width: float, /) -> int: ...


class _Formats(NamedTuple):
    head: _Format
    plain: _Format
    plain_quoted: _Format
    wrapped: _Format
    wrapped_quoted: _Format

    def of(self, text: str, *, wrap: bool) -> _Format:
        """`quote_prefix` keeps a text a text when somebody edits the cell."""
        quoted = inert(text) != text
        if wrap:
            return self.wrapped_quoted if quoted else self.wrapped
        return self.plain_quoted if quoted else self.plain


def _write(page: _Page, sheet: Sheet, formats: _Formats) -> None:
    columns = min(len(sheet.header), MAX_COLUMNS)
    for column, title in enumerate(sheet.header[:columns]):
        page.write_string(0, column, cell_text(title), formats.head)
    rows = sheet.rows[: MAX_ROWS - 1] if len(sheet.rows) < MAX_ROWS else sheet.rows[: MAX_ROWS - 2]
    for number, row in enumerate(rows, 1):
        for column, value in enumerate(row[:columns]):
            _cell(page, number, column, value, formats, wrap=sheet.wrap)
    if len(rows) < len(sheet.rows):
        left = f"{len(sheet.rows) - len(rows):,} more rows: a sheet holds {MAX_ROWS:,}"
        page.write_string(MAX_ROWS - 1, 0, left, formats.plain)
    page.freeze_panes(1, 0)
    if columns:
        page.autofilter(0, 0, max(1, len(rows)), columns - 1)
    for column in range(columns):
        page.set_column(column, column, _width(sheet, column))


def _cell(page: _Page, row: int, column: int, value: Scalar, formats: _Formats, *, wrap: bool) -> None:
    plain = formats.wrapped if wrap else formats.plain
    if isinstance(value, bool):
        page.write_boolean(row, column, value, plain)
    elif isinstance(value, int | float) and (abs(value) <= _EXACT if isinstance(value, int) else math.isfinite(value)):
        page.write_number(row, column, value, plain)
    elif value is not None:
        text = cell_text(str(value))
        page.write_string(row, column, text, formats.of(text, wrap=wrap))


@lru_cache(maxsize=256)  # rows that inherit repeat long texts
def cell_text(text: str) -> str:
    """What a cell can hold: control characters as code points, and at most 32,767 units, saying what was cut."""
    shown = visible(text, limit=None)
    units = _units(shown)
    if units <= MAX_TEXT:
        return shown
    kept = shown[: MAX_TEXT - 40]
    while _units(kept) > MAX_TEXT - 40:
        kept = kept[: len(kept) - max(1, (_units(kept) - MAX_TEXT + 40) // 2)]
    return f"{kept} … [{len(shown) - len(kept):,} more characters]"


def _units(text: str) -> int:
    return len(text) + sum(character > "\uffff" for character in text)


def inert(text: str) -> str:
    """A text that no spreadsheet takes for a formula: an apostrophe goes before = + - @ tab, CR and their wide forms.

    Blanks and characters that show nothing do not hide such a beginning.
    """
    start = text.lstrip(" \n\v\f\u00a0\u200b\u200c\u200d\u2060\ufeff")[:1]
    return f"'{text}" if start and _ACTIVE.match(unicodedata.normalize("NFKC", start)) else text


def _sheet_name(name: str, taken: set[str]) -> str:
    """At most 31 characters, none that Excel refuses, and no name twice, whatever its case."""
    safe = _SHEET_NAME.sub("_", visible(name)).strip("'")[:31] or "Sheet"
    number, unique = 2, safe
    while unique.lower() in taken or unique.lower() == "history":
        unique = f"{safe[: 30 - len(str(number))]}~{number}"
        number += 1
    taken.add(unique.lower())
    return unique


def _width(sheet: Sheet, column: int) -> float:
    """Wide enough for the longest line of the first rows, within bounds."""
    texts = [sheet.header[column]]
    texts.extend(str(row[column]) for row in sheet.rows[:_MEASURED] if column < len(row) and row[column] is not None)
    longest = max(len(line) for text in texts for line in text[:2000].split("\n"))
    title = max(len(word) for word in (sheet.header[column] or " ").split() or [" "])
    return min(_WIDE, max(_NARROW, title + 4, longest + 2))
