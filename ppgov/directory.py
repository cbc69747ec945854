"""The directory of people that a user gives: names that stand for a person, not for a team or a function."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ppgov.errors import InputError

NAMES = ("id", "name", "email")
_ADVICE = (
    "give a UTF-8 file: .csv with a header of id, name or email (and kind), .json with a list of such objects or of "
    "names, or one name a line"
)


def people(path: str) -> frozenset[str]:
    """Every name of every person, folded for comparison. Raises InputError for what cannot be read as a directory.

    An entry whose `kind` is something else than `person` is no person.
    """
    try:
        with open(path, encoding="utf-8-sig") as stream:
            text = stream.read()
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a NUL byte in the path
        raise InputError(f"{path}: the directory of people cannot be read", _ADVICE) from error
    ending = os.path.splitext(path)[1].lower()
    if ending == ".csv":
        names = _names(_rows(path, text), path)
    elif ending == ".json":
        names = _names(_entries(path, text), path)
    else:
        names = (line for line in text.splitlines() if not line.startswith("#"))
    return frozenset(folded for name in names if (folded := name.strip().casefold()))


def _rows(path: str, text: str) -> Iterator[Mapping[str, Any]]:
    reader = csv.DictReader(io.StringIO(text), restkey="")
    if not set(NAMES) & set(reader.fieldnames or ()):
        raise InputError(f"{path}:1: no column named {', '.join(NAMES)}", _ADVICE)
    try:
        yield from reader
    except csv.Error as error:
        raise InputError(f"{path}:{reader.line_num}: {error}", _ADVICE) from error


def _entries(path: str, text: str) -> Iterator[Mapping[str, Any]]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: no JSON: {error}", _ADVICE) from error
    if not isinstance(data, list):
        raise InputError(f"{path}: not a list", _ADVICE)
    for index, entry in enumerate(data, start=1):
        row = {"name": entry} if isinstance(entry, str) else entry
        if not isinstance(row, dict) or not set(NAMES) & set(row):
            raise InputError(f"{path}: entry {index} is neither a name nor an object with id, name or email", _ADVICE)
        yield row


def _names(rows: Iterable[Mapping[str, Any]], path: str) -> Iterator[str]:
    for number, row in enumerate(rows, start=1):
        kind = row.get("kind") or "person"
        for value in (row.get(column) for column in NAMES):
            if value is not None and not isinstance(value, str):
                raise InputError(f"{path}: entry {number} has a name that is no text", _ADVICE)
            if value and kind == "person":
                yield value
