"""The canonical form of pack data (RFC 8785): the YAML and JSON twins of a pack share its digest."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ppgov.pack import escape
from ppgov.read_yaml import SAFE_INTEGER

_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), check_circular=False).encode
# What the standard encoder may write otherwise than RFC 8785: exponents, `1.0`, integers that may be beyond 2^53.
# To find one inside a text does no harm: the way is longer.
_NUMBER = re.compile(r"[:,\[]-?(?:[0-9]+\.0[,\]}]|[0-9.]+e|[0-9]{16}|NaN|Infinity)").search
_HIGH = re.compile(r"[\ud800-\U0010ffff]").search  # from the surrogates on, where UTF-16 sorts otherwise


def canonical_sha256(data: Any) -> str | None:
    """The digest in hexadecimal, or None where RFC 8785 has no form: see `misfits`."""
    import hashlib

    text = _encode(data)
    if _NUMBER(text) is None and (text.isascii() or _HIGH(text) is None):  # a fraction of the time
        return hashlib.sha256(text.encode()).hexdigest()

    import rfc8785

    try:
        return hashlib.sha256(rfc8785.dumps(data)).hexdigest()
    except ValueError:  # a CanonicalizationError, or a UnicodeEncodeError for a lone surrogate
        return None


def misfits(data: Any, pointer: str = "") -> Iterator[tuple[str, str]]:
    """Each (pointer, reason) that keeps the data from having a canonical form."""
    if isinstance(data, str):
        if not _encodable(data):
            yield pointer, "a lone surrogate, which is no character"
    elif isinstance(data, dict):
        for key, value in data.items():
            below = f"{pointer}/{escape(key)}"
            if not _encodable(key):
                yield below, "a lone surrogate in the key, which is no character"
            yield from misfits(value, below)
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from misfits(value, f"{pointer}/{index}")
    elif isinstance(data, int) and abs(data) >= SAFE_INTEGER:
        yield pointer, "an integer beyond 2^53, which JSON readers may round"


def _encodable(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)
