"""The canonical form of pack data (RFC 8785): the YAML and JSON twins of a pack share its digest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ppgov.pack import escape
from ppgov.read_yaml import SAFE_INTEGER


def canonical_sha256(data: Any) -> str | None:
    """The digest in hexadecimal, or None where RFC 8785 has no form: see `misfits`."""
    import hashlib

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
