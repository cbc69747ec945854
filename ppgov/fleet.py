"""Many packs: which files a run covers, and reading them on all cores.

A worker answers with what an output needs, not with the audit: memory stays flat in the number of packs.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from itertools import islice
from typing import Generic, NamedTuple, TypeVar

from ppgov.audit import ALL_RULES, Audit, Unreadable, audit, audit_path
from ppgov.errors import UnreadableError
from ppgov.findings import CLIP, Finding
from ppgov.source import MAX_BYTES, is_pack, read, walk
from ppgov.vocabulary import Vocabulary, load

T = TypeVar("T")

CHUNK = 100
_CHUNK_BYTES = 2 * 1024 * 1024  # of input: what a worker answers with can be twenty times as much
_WORTH_A_POOL = 2 * CHUNK  # starting workers costs about as much as reading a hundred packs


class Options(NamedTuple):
    """What a run was asked to do; the same in every worker."""

    max_bytes: int = MAX_BYTES
    vocabularies: tuple[str, ...] = ()
    people: frozenset[str] = frozenset()
    rules: frozenset[str] = ALL_RULES
    digests: bool = True  # text output shows none


class Target(NamedTuple):
    """A file to read. One that a folder brought is skipped when it is no pack; one that was named never is."""

    path: str
    named: bool


class Excerpt(NamedTuple):
    """What an output shows of a source line: at most 200 characters around a 1-based column, and what was cut."""

    text: str
    column: int
    cut_before: bool
    cut_after: bool


class Checked(NamedTuple):
    """One input after the check. `excerpts` holds one for each finding, in the findings' order."""

    path: str
    id: str | None = None
    version: str | None = None
    sha256: str | None = None
    canonical_sha256: str | None = None
    audited: bool = False
    findings: tuple[Finding, ...] = ()
    excerpts: tuple[Excerpt | None, ...] = ()
    skipped: str = ""


class Inputs(NamedTuple):
    """The files of a run, each folder with the files found in it, and what could not be listed."""

    targets: list[Target]
    folders: dict[str, list[str]]
    problems: list[str]


def gather(paths: Iterable[str]) -> Inputs:
    """Files as named, folders walked; each file once, in the order of the arguments."""
    inputs = Inputs([], {}, [])
    seen: set[str] = set()
    for path in paths:
        named = path == "-" or not os.path.isdir(path)
        found = [path] if named else list(walk(path, inputs.problems))
        if not named:
            inputs.folders[path] = found
        for name in found:
            if name not in seen:
                seen.add(name)
                inputs.targets.append(Target(name, named))
    return inputs


class Skipped(NamedTuple):
    """A file that a folder brought and that is no pack, with the reason."""

    path: str
    reason: str


def check(targets: list[Target], options: Options, jobs: int | None = None) -> Iterator[Checked]:
    """Check each target, in order. `jobs` is the number of processes, None for all cores."""
    return each(targets, partial(check_one, options=options), jobs)


def each(targets: list[Target], act: Callable[[Target], T], jobs: int | None = None) -> Iterator[T]:
    """What `act` makes of each target, in order, on all cores; no more results wait than the cores keep busy."""
    jobs = jobs or os.cpu_count() or 1
    if jobs == 1 or len(targets) < _WORTH_A_POOL:
        yield from map(act, targets)
        return
    from concurrent.futures import ProcessPoolExecutor  # costs as much to import as a pack to check

    chunks = _chunks(targets)
    run = partial(_each_of, act)
    with ProcessPoolExecutor(jobs, initializer=_end_with, initargs=(os.getpid(),)) as pool:
        waiting = deque(pool.submit(run, chunk) for chunk in islice(chunks, 2 * jobs))
        while waiting:
            done = waiting.popleft().result()
            waiting.extend(pool.submit(run, chunk) for chunk in islice(chunks, 1))
            yield from done


def _chunks(targets: list[Target]) -> Iterator[list[Target]]:
    """At most so many files and, unless a single file has more, so many bytes."""
    chunk: list[Target] = []
    size = 0
    for target in targets:
        more = _size(target.path)
        if chunk and (len(chunk) == CHUNK or size + more > _CHUNK_BYTES):
            yield chunk
            chunk, size = [], 0
        chunk.append(target)
        size += more
    if chunk:
        yield chunk


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except (OSError, ValueError):
        return 0  # reading it reports it


def _end_with(run: int) -> None:
    """A worker waits for work for ever: when the run (a process id) is killed outright, nobody else tells it to end."""
    import multiprocessing
    import threading
    import time

    # A fork server starts workers in place of the run, and ends with it.
    parent = os.getppid() if multiprocessing.get_start_method() == "forkserver" else run

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _each_of(act: Callable[[Target], T], chunk: list[Target]) -> list[T]:
    return [act(target) for target in chunk]


class Picked(NamedTuple, Generic[T]):
    """What was taken from one input: a value, or the finding that kept it from being read, or why it is no pack."""

    path: str
    value: T | None = None
    problem: Finding | None = None
    skipped: str = ""


def pick(
    targets: list[Target], act: Callable[[Audit], T], options: Options, jobs: int | None = None
) -> Iterator[Picked[T]]:
    """What `act`, a function of a module, makes of each audit, in order, on all cores."""
    return each(targets, partial(_pick_one, options=options, act=act), jobs)


def _pick_one(target: Target, options: Options, act: Callable[[Audit], T]) -> Picked[T]:
    result = audit_target(target, options)
    if isinstance(result, Skipped):
        return Picked(result.path, skipped=result.reason)
    if isinstance(result, Unreadable):
        return Picked(result.path, problem=result.finding)
    return Picked(target.path, act(result))


def check_one(target: Target, options: Options) -> Checked:
    result = audit_target(target, options)
    return Checked(result.path, skipped=result.reason) if isinstance(result, Skipped) else _shape(result, options)


def audit_target(target: Target, options: Options) -> Audit | Unreadable | Skipped:
    """Audit a file; one that a folder brought is skipped when it holds something else than a pack."""
    vocabulary = _vocabulary(options.vocabularies)
    if not target.named:
        return _audit_found(target, options, vocabulary)
    return audit_path(
        target.path,
        max_bytes=options.max_bytes,
        vocabulary=vocabulary,
        people=options.people,
        rules=options.rules,
    )


@lru_cache(maxsize=1)  # a worker reads the user's vocabularies once, not for each pack
def _vocabulary(files: tuple[str, ...]) -> Vocabulary:
    if not files:
        return load()
    from pathlib import Path

    return load(tuple(Path(file) for file in files))


def _audit_found(target: Target, options: Options, vocabulary: Vocabulary) -> Audit | Unreadable | Skipped:
    """A file from a folder: skipped when it holds something else, or does not parse and is not named like a pack."""
    try:
        source = read(target.path, max_bytes=options.max_bytes)
    except UnreadableError as error:
        if error.rule != "PPG107" and "pack" in os.path.basename(target.path).lower():
            return audit_path(target.path, max_bytes=options.max_bytes)
        return Skipped(target.path, error.message)
    if not is_pack(source.data):
        return Skipped(target.path, "no `prompts` and `template_engine`")
    return audit(source, vocabulary=vocabulary, people=options.people, rules=options.rules)


def _shape(result: Audit | Unreadable, options: Options) -> Checked:
    if isinstance(result, Unreadable):
        excerpt = _excerpt(result.line, result.finding)
        return Checked(result.path, sha256=result.sha256, findings=(result.finding,), excerpts=(excerpt,))
    source = result.source
    return Checked(
        path=source.path,
        id=result.pack.id,
        version=result.pack.version,
        sha256=source.sha256 if options.digests else None,
        canonical_sha256=source.canonical_sha256 if options.digests else None,
        audited=True,
        findings=result.findings,
        excerpts=tuple(_excerpt(source.line(f.line) if f.line else "", f) for f in result.findings),
    )


def _excerpt(line: str, finding: Finding) -> Excerpt | None:
    if not line or finding.column is None:
        return None
    start = max(0, finding.column - 1 - CLIP // 2) if len(line) > CLIP else 0
    return Excerpt(line[start : start + CLIP], finding.column - start, start > 0, start + CLIP < len(line))
