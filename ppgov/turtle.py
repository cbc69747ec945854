"""The reading door to pyoxigraph: a Turtle file in, its statements out. Nothing is fetched."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ppgov.errors import InputError
from ppgov.findings import clip

MAX_BYTES = 10 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal object; `language` is lower case, "" where there is none."""

    text: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Statement:
    """A triple whose subject is an IRI; `value` is an IRI as a plain string, or a literal."""

    subject: str
    predicate: str
    value: str | Literal


@dataclass(frozen=True, slots=True)
class TurtleFile:
    """`statements` leaves out those about blank nodes; `prefixes` are the file's own; `sha256` is of its bytes."""

    path: Path
    sha256: str
    prefixes: Mapping[str, str]
    statements: tuple[Statement, ...]


def parse_turtle(path: Path) -> TurtleFile:
    """Read one file of at most 10 MiB. Raises InputError that names the file and, for bad syntax, line and column."""
    data = _read(path)
    import pyoxigraph as ox

    parser = ox.parse(input=data, format=ox.RdfFormat.TURTLE)
    statements = []
    try:
        for quad in parser:
            value = quad.object
            if not isinstance(quad.subject, ox.NamedNode) or not isinstance(value, (ox.NamedNode, ox.Literal)):
                continue
            plain = (
                value.value if isinstance(value, ox.NamedNode) else Literal(value.value, (value.language or "").lower())
            )
            statements.append(Statement(quad.subject.value, quad.predicate.value, plain))
    except SyntaxError as error:
        place = f"{path}:{error.lineno}:{error.offset}"
        reason = error.msg.partition(": ")[2] or error.msg
        raise InputError(
            f"{place}: {clip(reason)}", "the vocabulary must be a Turtle file; correct it there"
        ) from error
    return TurtleFile(path, hashlib.sha256(data).hexdigest(), dict(parser.prefixes), tuple(statements))


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        reason = (error.strerror or "it cannot be read").lower()
        raise InputError(f"{path}: {reason}", "give a Turtle file that can be read") from error
    if len(data) > MAX_BYTES:
        raise InputError(
            f"{path}: larger than {MAX_BYTES // 1024**2} MiB", "give the part of the vocabulary that the packs use"
        )
    return data
