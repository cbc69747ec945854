"""What a store on disk holds, file by file: by this an update knows which packs changed and which graphs are theirs.

JSON Lines: a header, then a line for each file. A store of a million packs is read and written line by line.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import NamedTuple, TextIO

from ppgov.errors import InputError

FORMAT = "ppgov-store/1"


class Header(NamedTuple):
    """How the store was made. An update has to go on in the same way."""

    ppgov: str
    base_iri: str
    vocabularies: tuple[tuple[str, str], ...]  # path as typed, SHA-256 of the bytes


class Record(NamedTuple):
    """One file. A folder's file that is no pack is recorded too, so that it is not parsed at every update."""

    path: str
    named: bool  # on the command line; else a folder brought it
    sha256: str  # of the bytes
    stem: str = ""  # IRI that the names of the declared and of the computed graph start with; "" for no pack
    own: int = 0  # quads in the two graphs and about them
    places: int = 0  # the same for the graph of places
    unnamed: tuple[str, ...] = ()  # terms in the vocabulary's slice that no `pg:iri` of the graphs names


def write_header(stream: TextIO, header: Header) -> None:
    fields = {"format": FORMAT, "ppgov": header.ppgov, "base_iri": header.base_iri, "vocab": header.vocabularies}
    stream.write(json.dumps(fields) + "\n")


def write_record(stream: TextIO, record: Record) -> None:
    stream.write(json.dumps(record) + "\n")


def read(path: str) -> tuple[Header, dict[str, Record]]:
    """The header, and each record by its path. Raises InputError for a file that is damaged."""
    try:
        with open(path, encoding="ascii") as stream:
            first = json.loads(stream.readline())
            pairs = tuple((str(name), str(digest)) for name, digest in first["vocab"])
            return Header(first["ppgov"], first["base_iri"], pairs), {entry.path: entry for entry in _records(stream)}
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise InputError(f"{path}: the list of the store's files is damaged", "build the store anew") from error


def _records(stream: TextIO) -> Iterator[Record]:
    for line in stream:
        path, named, digest, stem, own, places, unnamed = json.loads(line)
        yield Record(path, named, digest, stem, own, places, tuple(unnamed))


def kind(path: str) -> str:
    """The ending, as far as it decides how bytes are read: the same bytes can be other data as JSON than as YAML."""
    ending = os.path.splitext(path)[1].lower()
    return "yaml" if ending == ".yml" else ending if ending in (".json", ".yaml") else ""
