"""The pictures on the register's front page, as SVG text: readable without colour, each number stands in them.

Patterns carry the meaning: full for what was found, hatched for what is not declared, and so on; a table beside each
picture holds the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterator

from ppgov.picture import ACCENT, INK, LINE, MUTED, PAPER, TINT, Pen, Svg
from ppgov.register.counting import Table, TableRow
from ppgov.visible import shorten, width

WIDTH = 680
_LABEL = 190
_ROW = 30
_BAR = 16

# How each column of the controls' picture is filled.
_FILLS = {
    "found": "full",
    "switched off": "stripes",
    "not found": "cross",
    "handled elsewhere": "open",
    "cannot be read": "dots",
}


def draw(table: Table) -> Svg:
    """The picture of a table: bars for one column, stacked bars for the controls, a matrix for the rest."""
    if table.key == "controls":
        return _stacked(table)
    return _bars(table) if len(table.columns) == 1 else _matrix(table)


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


def _defs(key: str) -> str:
    """Patterns under names of this picture's own, as several pictures stand on one page."""

    def pattern(name: str, size: int, shapes: str) -> str:
        return (
            f'<pattern id="{key}-{name}" width="{size}" height="{size}" patternUnits="userSpaceOnUse">'
            f'<rect width="{size}" height="{size}" fill="{PAPER}" class="paper"/>{shapes}</pattern>'
        )

    stroke = f'stroke="{ACCENT}" stroke-width="1.2" fill="none" class="edge"'
    grey = f'stroke="{MUTED}" stroke-width="1" fill="none" class="soft"'
    return "".join(
        (
            "<defs>",
            pattern("stripes", 6, f'<path d="M-1,1 l2,-2 M0,6 l6,-6 M5,7 l2,-2" {stroke}/>'),
            pattern("cross", 6, f'<path d="M0,6 l6,-6 M0,0 l6,6" {stroke}/>'),
            pattern("dots", 6, f'<circle cx="3" cy="3" r="1.2" fill="{ACCENT}" class="dot"/>'),
            pattern("silent", 5, f'<path d="M-1,4 l2,2 M0,0 l5,5 M4,-1 l2,2" {grey}/>'),
            "</defs>",
        )
    )


def _rect(x: float, y: float, w: float, h: float, key: str, fill: str) -> str:
    """A shape by its meaning: full, open (dashed outline), one of the patterns, or a plain cell."""
    paint, stroke, name, dash = {
        "full": (ACCENT, ACCENT, "solid", ""),
        "open": ("none", ACCENT, "edge", ' stroke-dasharray="3 2"'),
        "cell": (PAPER, LINE, "cell", ""),
        "tint": (TINT, ACCENT, "full", ""),
        "dashed": (PAPER, LINE, "cell", ' stroke-dasharray="3 2"'),
        "silent": (f"url(#{key}-silent)", MUTED, "soft", ' stroke-dasharray="3 2"'),
    }.get(fill, (f"url(#{key}-{fill})", ACCENT, "edge", ""))
    return (
        f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(w)}" height="{_n(h)}" fill="{paint}" stroke="{stroke}"'
        f' stroke-width="0.8"{dash} class="{name}"/>'
    )


_PEN = Pen(frozenset())


def _title(table: Table) -> str:
    shares = "; ".join(f"{share.text}: {share.part:,} of {share.whole:,}" for share in table.shares)
    return f"{table.title}: {table.total:,} in all. {shares}. The table holds every number."


def _label(y: float, row: TableRow) -> Iterator[str]:
    yield _PEN.text(0, y, row.label, size=11, fill=MUTED if row.silent else INK, columns=28)


def _bars(table: Table) -> Svg:
    """One bar a row, drawn to the largest; what is not declared is hatched."""
    largest = max((row.numbers[0] for row in table.rows), default=0) or 1
    wide = WIDTH - _LABEL - 120
    parts = [_defs(table.key)]
    for index, row in enumerate(table.rows):
        y, number = index * 26.0, row.numbers[0]
        parts.extend(_label(y + 15, row))
        length = wide * number / largest
        if number:
            parts.append(_rect(_LABEL, y + 3, max(1.5, length), _BAR, table.key, "silent" if row.silent else "full"))
        text = f"{number:,} of {table.total:,}"
        parts.append(_PEN.text(_LABEL + length + 8, y + 15, text, size=11, bold=True))
    return _PEN.svg(-2, len(table.rows) * 26 + 4, _title(table), parts)


def _stacked(table: Table) -> Svg:
    """One bar a kind, cut into where its controls lead; the number stands above each piece that has room for it."""
    largest = max((sum(row.numbers) for row in table.rows), default=0) or 1
    wide = WIDTH - _LABEL - 60
    parts = [_defs(table.key)]
    for index, row in enumerate(table.rows):
        y, x = index * 36.0, float(_LABEL)
        parts.extend(_label(y + 22, row))
        for column, number in zip(table.columns, row.numbers, strict=True):
            if not number:
                continue
            length = max(2.0, wide * number / largest)
            parts.append(_rect(x, y + 12, length, _BAR, table.key, _FILLS[column]))
            text = f"{number:,}"
            if length > width(text) * 6:
                parts.append(_PEN.text(x + length / 2, y + 9, text, size=10, anchor="middle", fill=MUTED))
            x += length
        parts.append(_PEN.text(x + 8, y + 24, f"{sum(row.numbers):,}", size=11, bold=True))
    bottom = len(table.rows) * 36 + 14
    parts.extend(_legend(table, bottom))
    return _PEN.svg(-4, bottom + 22, _title(table), parts)


def _legend(table: Table, y: float) -> Iterator[str]:
    x = 0.0
    for column in table.columns:
        yield _rect(x, y, 14, 10, table.key, _FILLS[column])
        yield _PEN.text(x + 19, y + 9, column, size=10.5, fill=MUTED)
        x += 36 + width(column) * 5.6


def _matrix(table: Table) -> Svg:
    """Rows by columns, the number in each cell and a bar drawn to the largest; what is not declared is dashed."""
    columns = len(table.columns)
    wide = (WIDTH - _LABEL) / columns
    room = max(6, int((wide - 4) / 5.6))
    heads = [_broken(name, room) for name in table.columns]
    lines = max(len(head) for head in heads)
    top = lines * 13 + 4
    largest = max((number for row in table.rows for number in row.numbers), default=0) or 1
    parts = [_defs(table.key)]
    for index, head in enumerate(heads):
        silent = index in table.silent_columns
        for number, line in enumerate(head):
            y = 10 + (lines - len(head) + number) * 13
            parts.append(_PEN.text(_LABEL + index * wide + 2, y, line, size=10, fill=MUTED if silent else INK))
    for index, row in enumerate(table.rows):
        y = top + index * (_ROW + 4)
        parts.extend(_label(y + 19, row))
        for column, number in enumerate(row.numbers):
            silent = row.silent or column in table.silent_columns
            parts.extend(_matrix_cell(table.key, _LABEL + column * wide, y, wide - 4, number, largest, silent=silent))
    return _PEN.svg(0, top + len(table.rows) * (_ROW + 4), _title(table), parts)


def _matrix_cell(
    key: str, x: float, y: float, wide: float, number: int, largest: int, *, silent: bool
) -> Iterator[str]:
    yield _rect(x, y, wide, _ROW, key, ("dashed" if silent else "cell"))
    if number:
        length = max(1.5, (wide - 8) * number / largest)
        yield _rect(x + 4, y + _ROW - 9, length, 5, key, "silent" if silent else "full")
    yield _PEN.text(x + 5, y + 15, f"{number:,}", size=12, bold=number > 0, fill=INK if number else MUTED)


def _broken(text: str, columns: int) -> list[str]:
    """A heading on at most three lines of so many columns."""
    lines: list[str] = []
    for word in _PEN.safe(shorten(text, 3 * columns)).split():
        if lines and width(lines[-1]) + 1 + width(word) <= columns:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return [shorten(line, columns) for line in lines[:3]]
