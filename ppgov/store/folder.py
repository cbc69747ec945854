"""The folder of a store on disk: generations beside each other, one of them current, one writer at a time.

    ppgov-store.lock   held by the process that writes; marks the folder as a store
    CURRENT            names the format and the current generation
    generation-N/      quads/, the database, and manifest.jsonl

A writer works on a generation of its own and names it in CURRENT when it is whole and on the disk, so whoever is
killed leaves the old store or the new one. What it leaves behind goes with the next writer.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ppgov.errors import InputError
from ppgov.findings import clip
from ppgov.store.manifest import FORMAT

LOCK, POINTER = "ppgov-store.lock", "CURRENT"
QUADS, MANIFEST = "quads", "manifest.jsonl"
_GENERATION = re.compile(r"generation-([0-9]+)")


class Generation(NamedTuple):
    """One whole state of the store, or one in the making."""

    folder: Path

    @property
    def quads(self) -> Path:
        return self.folder / QUADS

    @property
    def manifest(self) -> Path:
        return self.folder / MANIFEST


def current_generation(place: str) -> Generation:
    """The generation to read. Raises InputError where there is none, or one that this version cannot read."""
    folder, shown = Path(place), clip(place)
    try:
        form, _, name = (folder / POINTER).read_text(encoding="ascii").rstrip("\n").partition("\n")
    except (FileNotFoundError, NotADirectoryError) as error:
        raise _absent(folder, shown) from error
    except (OSError, ValueError) as error:  # ValueError: a NUL byte in the path, or bytes that are no ASCII
        raise InputError(
            f"{shown}: the store cannot be read", "check the folder's permissions, or build anew"
        ) from error
    if not form.startswith("ppgov-store/"):
        raise InputError(f"{shown}: no ppgov store", "name a folder that ppgov store build wrote")
    if form != FORMAT:
        raise InputError(f"{shown}: the store has the format {clip(form)}, not {FORMAT}", "build it anew")
    generation = Generation(folder / name)
    if not _GENERATION.fullmatch(name) or not generation.quads.is_dir():
        raise InputError(f"{shown}: the store is damaged: {clip(name)} is missing", "build it anew")
    return generation


def _absent(folder: Path, shown: str) -> InputError:
    how = f"ppgov store build {shown} PATH... makes one"
    if (folder / LOCK).exists():
        return InputError(f"{shown}: the store was never finished", how)
    return InputError(f"{shown}: " + ("no ppgov store" if folder.exists() else "no such folder"), how)


@contextlib.contextmanager
def writing(place: str, *, create: bool) -> Iterator[Generation]:
    """A new generation under the lock; current when the block ends, gone when the block raises.

    Raises InputError when another process writes, when the folder holds something else, or cannot be written.
    """
    folder = Path(place)
    if not create:
        current_generation(place)
    try:
        with _lock(folder, create=create):
            kept = _clear(folder)
            generation = Generation(folder / f"generation-{kept + 1:06}")
            try:
                generation.folder.mkdir()
                yield generation
                _sync_all(generation.folder)
                _point_at(folder, generation.folder.name)
            except BaseException:
                shutil.rmtree(generation.folder, ignore_errors=True)
                raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"{clip(place)}: the store cannot be written: {clip(reason)}", "check the disk") from error


@contextlib.contextmanager
def _lock(folder: Path, *, create: bool) -> Iterator[None]:
    if create:
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / LOCK).is_file() and any(folder.iterdir()):
            raise InputError(f"{clip(str(folder))}: the folder holds something else", "name a new or an empty folder")
    with open(folder / LOCK, "ab") as stream:
        try:
            # A record lock, not flock: a worker process inherits none, so none outlives the writer in an orphan.
            fcntl.lockf(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError) as error:
            raise InputError(
                f"{clip(str(folder))}: another process is writing this store", "wait until it has ended"
            ) from error
        yield


def _clear(folder: Path) -> int:
    """Remove every generation but the current one; the number of that one, 0 for none."""
    try:
        keep = current_generation(str(folder)).folder.name
    except InputError:
        keep = ""
    for entry in folder.iterdir():
        if entry.name != keep and _GENERATION.fullmatch(entry.name) and entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
    match = _GENERATION.fullmatch(keep)
    return int(match[1]) if match else 0


def _point_at(folder: Path, name: str) -> None:
    """The one step that makes a generation current."""
    beside = folder / f"{POINTER}.part"
    with open(beside, "w", encoding="ascii") as stream:
        stream.write(f"{FORMAT}\n{name}\n")
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(beside, folder / POINTER)
    _sync(folder)


def _sync_all(folder: Path) -> None:
    """See that all files of a generation are on the disk before anything names it."""
    for parent, _, names in os.walk(folder):
        for name in names:
            _sync(Path(parent, name))
        _sync(Path(parent))
    _sync(folder.parent)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
