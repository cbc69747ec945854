"""Numbers as the file writes them, and JSON text that keeps them so.

Python reads 1.10 as 1.1 and 1e3 as 1000.0. A report that shows what a file says may show neither.
"""

from __future__ import annotations

import json
import re
from json.encoder import encode_basestring
from typing import Any, NamedTuple


class Number(float):
    """A number that Python would write in another way than the file, such as 1.10, 1e3 or -0; `text` is the file's.

    A number that Python writes back as it was read is a plain `int` or `float`: nearly all are.
    """

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Number:
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __repr__(self) -> str:
        return self.text

    def __getnewargs__(self) -> tuple[str]:  # type: ignore[override]  # a copy is made from the text, not from the float
        return (self.text,)


def whole(text: str) -> int | float:
    """The value of a JSON number without fraction and exponent."""
    return Number(text) if text == "-0" else int(text)


def real(text: str) -> float:
    """The value of a JSON number with a fraction or an exponent."""
    value = float(text)
    return value if repr(value) == text else Number(text)


def plain(value: Any) -> Any:
    """The data with each Number as the `int` or `float` that it is, for libraries that take nothing else."""
    if isinstance(value, Number):
        return 0 if value.text == "-0" else float(value)
    if isinstance(value, list):
        return [plain(entry) for entry in value]
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    return value


class Style(NamedTuple):
    """How JSON text is laid out. `tree` is what the encoder's own `indent` says: two spaces a level."""

    encoder: json.JSONEncoder
    tree: bool = False


def _encoder(**options: Any) -> json.JSONEncoder:
    return json.JSONEncoder(ensure_ascii=False, check_circular=False, **options)


TIGHT = Style(_encoder(separators=(",", ":")))
LINE = Style(_encoder())
TREE = Style(_encoder(indent=2), tree=True)

# The standard encoder writes a float with a point or an exponent; where there is none it has rewritten no number.
_POINT = re.compile(r"\.[0-9]").search
_EXPONENT = re.compile(r"e[-+][0-9]").search


def json_text(value: Any, style: Style = LINE) -> str:
    """JSON text of a value with its numbers as written, members in their order: TIGHT, on one LINE or as a TREE."""
    if not style.tree:
        text = style.encoder.encode(value)
        if _POINT(text) is None and _EXPONENT(text) is None:
            return text
    return _written(value, style, "\n")


def _written(value: Any, style: Style, lead: str) -> str:
    """As the standard encoder, which offers no way to write a number. `lead` starts a line at the present depth."""
    kind = type(value)
    if kind is str:
        return encode_basestring(value)
    if kind is int or kind is Number:
        return str(value)
    encoder, tree = style
    if not value or isinstance(value, str | int | float):
        return encoder.encode(value)
    below = f"{lead}  " if tree else lead
    if isinstance(value, dict):
        colon = encoder.key_separator
        parts = [f"{encode_basestring(key)}{colon}{_written(entry, style, below)}" for key, entry in value.items()]
        start, end = "{", "}"
    elif isinstance(value, list | tuple):
        parts = [_written(entry, style, below) for entry in value]
        start, end = "[", "]"
    else:
        return _written(encoder.default(value), style, lead)
    if tree:
        return f"{start}{below}{f'{encoder.item_separator}{below}'.join(parts)}{lead}{end}"
    return f"{start}{encoder.item_separator.join(parts)}{end}"
