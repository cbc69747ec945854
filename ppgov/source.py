"""Bytes to data: reading a file within limits, its digests, and where each value stands in the text."""

from __future__ import annotations

import bisect
import gc
import os
import re
import sys
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Literal, NamedTuple

from ppgov.canonical import canonical_sha256
from ppgov.errors import ReadFault, UnreadableError
from ppgov.findings import Finding, Level, Place, clip
from ppgov.read_yaml import Positions, read_yaml

MAX_BYTES = 10 * 1024 * 1024
SUFFIXES = (".yaml", ".yml", ".json")

Format = Literal["yaml", "json"]

# Without one of these there is nothing in a JSON text that RFC 8785 could refuse.
_LONG_NUMBER = r"[0-9]{16}"
_SURROGATE = r"\\u[dD][89a-fA-F]"


class _Read(NamedTuple):
    path: str
    raw: bytes
    text: str
    format: Format
    data: Any
    positions: Positions | None
    may_lack_canonical: bool


class Source(_Read):
    """One input as read. `path` is the argument as typed ("-" for standard input), `data` the parsed value.

    `may_lack_canonical` is False when the canonical form exists for certain; knowing it costs far less than the form.
    What takes time (digests, lines, places in JSON) is computed when first asked for.
    """

    @cached_property
    def sha256(self) -> str:
        """Digest of the bytes, in hexadecimal."""
        return sha256(self.raw)

    @cached_property
    def canonical_sha256(self) -> str | None:
        """Digest of the RFC 8785 form; None where there is none."""
        return canonical_sha256(self.data)

    @cached_property
    def _orders(self) -> dict[int, dict[str, int]]:
        return {}

    @cached_property
    def _lines(self) -> list[int]:
        return line_starts(self.text)

    @cached_property
    def _located(self) -> tuple[Any, Positions]:
        if self.positions is not None:
            return self.data, self.positions
        from ppgov.read_json import locate_json

        return locate_json(self.text)

    def locate(self, pointer: str, *, key: bool = False) -> tuple[int | None, int | None]:
        """1-based (line, column) of what a pointer names: a scalar's value, the key of an object or array, or `key`.

        (None, None) for a pointer that names nothing; the root stands at 1, 1.
        """
        if pointer == "":
            return 1, 1
        node, positions = self._located
        offset = 0
        for escaped in pointer.split("/")[1:]:
            token = escaped.replace("~1", "/").replace("~0", "~")
            if isinstance(node, list) and token.isdecimal() and int(token) < len(node):
                offset = positions[id(node)][int(token)]
                node = node[int(token)]
            elif isinstance(node, dict) and token in node:
                places, index = positions[id(node)], 2 * self._order(node)[token]
                node = node[token]
                offset = places[index] if key or isinstance(node, dict | list) else places[index + 1]
            else:
                return None, None
        return position(self._lines, offset)

    def _order(self, mapping: dict[str, Any]) -> dict[str, int]:
        """The place of each key in its mapping, kept: a broken pack is asked for many keys of the same one."""
        if id(mapping) not in self._orders:
            self._orders[id(mapping)] = {key: index for index, key in enumerate(mapping)}
        return self._orders[id(mapping)]

    def place(self, pointer: str, message: str = "") -> Place:
        return Place(pointer, *self.locate(pointer), message)

    def line(self, number: int) -> str:
        """The text of one line (1-based), without its line break; empty past the end."""
        return line_of(self.text, self._lines, number)

    def finding(
        self,
        rule: str,
        name: str,
        level: Level,
        pointer: str,
        message: str,
        hint: str = "",
        related: tuple[tuple[str, str], ...] = (),
    ) -> Finding:
        """A finding at a pointer, with its line and column."""
        line, column = self.locate(pointer)
        return Finding(
            rule, name, level, message, pointer, line, column, hint, tuple(self.place(*other) for other in related)
        )


def line_starts(text: str) -> list[int]:
    """The offset of each line; a carriage return alone ends one too, as YAML has it."""
    return [0, *(match.end() for match in re.finditer("\r\n?|\n", text))]


def line_of(text: str, starts: list[int], number: int) -> str:
    """The text of one line (1-based), without its line break; empty past the end."""
    if not 1 <= number <= len(starts):
        return ""
    end = starts[number] if number < len(starts) else len(text)
    return text[starts[number - 1] : end].rstrip("\r\n")


def position(starts: list[int], offset: int) -> tuple[int, int]:
    line = bisect.bisect_right(starts, offset)
    return line, offset - starts[line - 1] + 1


def read(path: str, *, max_bytes: int = MAX_BYTES) -> Source:
    """Read and parse one file, or standard input for "-". Raises UnreadableError with rule and place."""
    return parse(read_bytes(path, max_bytes), path, max_bytes=max_bytes)


def read_bytes(path: str, max_bytes: int = MAX_BYTES) -> bytes:
    """At most max_bytes and one; more is a limit error when parsed."""
    try:
        if path == "-":
            if sys.stdin is None:
                raise UnreadableError("PPG101", "standard input is closed", "give it something to read, or name a file")
            return sys.stdin.buffer.read(max_bytes + 1)
        with open(path, "rb") as stream:
            return stream.read(max_bytes + 1)
    except FileNotFoundError as error:
        if os.path.islink(path):
            raise UnreadableError("PPG101", "a symbolic link that leads nowhere", "mend or remove the link") from error
        raise UnreadableError("PPG101", "no such file", "check the path") from error
    except IsADirectoryError as error:
        raise UnreadableError("PPG101", "a folder, not a file", "name a file in it") from error
    except PermissionError as error:
        raise UnreadableError("PPG101", "no permission to read", "give yourself read permission: chmod u+r") from error
    except (OSError, ValueError) as error:  # ValueError: a NUL byte in the path
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "not a path"
        raise UnreadableError("PPG101", f"cannot be read: {reason}", "check the path and the disk") from error


def parse(raw: bytes, path: str, *, max_bytes: int = MAX_BYTES) -> Source:
    """Parse bytes that came from `path`, whose ending tells YAML from JSON (else the first character does).

    Raises UnreadableError; what parses to anything but a mapping is no pack (PPG107).
    """
    if len(raw) > max_bytes:
        raise UnreadableError("PPG106", f"larger than {max_bytes:,} bytes", "split the file, or raise --max-bytes")
    text = _decode(raw)
    form = _format(path, text)
    collecting = gc.isenabled()
    gc.disable()  # parsing only allocates: each collection would walk all of it for nothing
    try:
        data, positions, doubtful = read_yaml(text) if form == "yaml" else _read_json(text)
    except ReadFault as fault:
        raise _located(fault, text) from fault
    finally:
        if collecting:
            gc.enable()
    if not isinstance(data, dict):
        kind = {list: "a list", str: "a string", type(None): "nothing"}.get(type(data), "a single value")
        where = (
            "the file is empty"
            if data is None and not text.strip()
            else f"the top of the file is {kind}, not a mapping"
        )
        raise UnreadableError(
            "PPG107", where, "a pack starts with id, name, version, template_engine and prompts", 1, 1
        )
    return Source(path, raw, text, form, data, positions, doubtful)


def _read_json(text: str) -> tuple[Any, None, bool]:
    from ppgov.read_json import read_json

    return (
        read_json(text),
        None,
        re.search(_LONG_NUMBER, text) is not None or ("\\u" in text and re.search(_SURROGATE, text) is not None),
    )


def _decode(raw: bytes) -> str:
    if raw.startswith(b"\xef\xbb\xbf"):
        raise UnreadableError(
            "PPG102", "the file starts with a byte order mark", "save it as UTF-8 without a BOM", 1, 1
        )
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        before = raw[raw.rfind(b"\n", 0, error.start) + 1 : error.start]
        wide = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
        message = "the file is UTF-16" if wide else f"the byte 0x{raw[error.start]:02X} is not UTF-8"
        raise UnreadableError(
            "PPG102", message, "save the file as UTF-8", line, len(before.decode("utf-8")) + 1
        ) from error


def _format(path: str, text: str) -> Format:
    ending = os.path.splitext(path)[1].lower()
    if ending == ".json":
        return "json"
    if ending in (".yaml", ".yml"):
        return "yaml"
    return "json" if text.lstrip()[:1] in ("{", "[") else "yaml"


def _located(fault: ReadFault, text: str) -> UnreadableError:
    starts = line_starts(text)
    message = fault.message
    if fault.first is not None:
        message += f" (first in line {position(starts, fault.first)[0]})"
    return UnreadableError(fault.rule, message, fault.advice, *position(starts, fault.offset))


def is_pack(data: Any) -> bool:
    """Whether a file in a folder counts as a pack: a mapping with `prompts` and `template_engine`."""
    return isinstance(data, dict) and "prompts" in data and "template_engine" in data


def walk(folder: str, problems: list[str]) -> Iterator[str]:
    """Each path under a folder that may be a pack, sorted; hidden folders and node_modules are left out.

    A folder that cannot be listed is added to `problems`, and the rest goes on.
    """
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError as error:
        problems.append(f"{clip(folder)}: cannot be listed: {error.strerror}")
        return
    for entry in entries:
        name = f"{folder.rstrip('/')}/{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            if not entry.name.startswith(".") and entry.name != "node_modules":
                yield from walk(name, problems)
        elif os.path.splitext(entry.name)[1].lower() in SUFFIXES and (entry.is_file() or not os.path.exists(name)):
            yield name  # a link that leads nowhere too, so that it can be reported; never a pipe, which would wait


def sha256(raw: bytes) -> str:
    import hashlib  # a text check of one pack needs no digest, and loading OpenSSL takes longer than reading it

    return hashlib.sha256(raw).hexdigest()
