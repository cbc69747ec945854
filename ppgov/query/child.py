"""Work in a process of its own that ends when its time is up, whatever it is doing and whoever is left to watch it.

pyoxigraph cannot be interrupted. The kernel ends the child: by a timer of the child's own, so that it holds even
when the parent was killed, and by the limit on its memory.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from typing import NamedTuple, NoReturn, TypeVar

from ppgov.errors import InputError, PpgovError

S = TypeVar("S")
T = TypeVar("T")

MEMORY = 4 * 1024**3  # bytes, beyond what is loaded
_GRACE = 5.0  # seconds after which the parent helps where the child's own timer did not
_LOADED = b"L"


class _Outcome(NamedTuple):
    """What the child sends: the value, or the error that it met, or the trace of a defect."""

    value: object = None
    error: PpgovError | None = None
    defect: str = ""


def run(load: Callable[[], S], act: Callable[[S], T], *, seconds: float, memory: int = MEMORY) -> T:
    """What `act` makes of what `load` brings, both in a child. Only `act` is timed.

    Raises what they raise, and InputError when the time or the memory is used up. The child is gone on return.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    reading, writing = os.pipe()
    parent = os.getpid()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, of which the command line has none here
        pid = os.fork()
    if pid == 0:
        os.close(reading)
        _work(writing, parent, load, act, seconds, memory)
    os.close(writing)
    try:
        content, late = _received(reading, seconds)
    finally:
        os.close(reading)
        status = _ended(pid)
    if content:
        return _opened(content)
    raise _failure(status, seconds, memory, late=late)


def _work(
    writing: int, parent: int, load: Callable[[], S], act: Callable[[S], T], seconds: float, memory: int
) -> NoReturn:
    """The child's life; it never returns to the caller's code."""
    sent = False
    try:
        _settle(parent)
        try:
            held = load()
            os.write(writing, _LOADED)
            _limit(memory)
            signal.setitimer(signal.ITIMER_REAL, seconds)
            outcome = _Outcome(act(held))
        except PpgovError as error:
            outcome = _Outcome(error=error)
        signal.setitimer(signal.ITIMER_REAL, 0)
        _send(writing, outcome)
        sent = True
    except MemoryError:
        os.abort()  # as the engine does where it gets no more
    finally:
        if not sent:
            _send(writing, _Outcome(defect=traceback.format_exc()))
        os._exit(0)


def _settle(parent: int) -> None:
    """Let every signal end the process at once, the parent's death too; say nothing, and leave no core file."""
    for number in (signal.SIGALRM, signal.SIGINT, signal.SIGTERM, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:
        os._exit(0)


def _limit(memory: int) -> None:
    """Let the address space grow by so many bytes and no more. Where the system cannot, the time limit remains."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        with open("/proc/self/statm", encoding="ascii") as stream:
            pages = int(stream.read().split()[0])
        most = pages * resource.getpagesize() + memory
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _send(writing: int, outcome: _Outcome) -> None:
    with contextlib.suppress(BrokenPipeError), os.fdopen(writing, "wb", closefd=False) as stream:
        pickle.dump(outcome, stream, pickle.HIGHEST_PROTOCOL)


def _received(reading: int, seconds: float) -> tuple[bytes, bool]:
    """What the child sent after it had loaded, and whether the time was up before it ended."""
    first = os.read(reading, 1)
    if first != _LOADED:
        return first + _rest(reading, None)[0] if first else b"", False
    return _rest(reading, time.monotonic() + seconds + _GRACE)


def _rest(reading: int, deadline: float | None) -> tuple[bytes, bool]:
    parts: list[bytes] = []
    while True:
        left = None if deadline is None or parts else max(0.0, deadline - time.monotonic())
        if not select.select([reading], [], [], left)[0]:
            return b"", True
        part = os.read(reading, 1 << 20)
        if not part:
            return b"".join(parts), False
        parts.append(part)


def _ended(pid: int) -> int:
    """Make sure that the child is gone, and give its wait status. One that has sent its answer ends by itself."""
    with contextlib.suppress(ProcessLookupError):
        for _ in range(50):
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                return status
            if sys.exc_info()[0] is not None:
                break
            time.sleep(0.002)
        os.kill(pid, signal.SIGKILL)
    return os.waitpid(pid, 0)[1]


def _opened(content: bytes) -> T:  # type: ignore[type-var]  # what `act` gave
    outcome: _Outcome = pickle.loads(content)  # noqa: S301 - this program wrote it, a moment ago
    if outcome.error is not None:
        raise outcome.error
    if outcome.defect:
        raise RuntimeError(f"in the query's process:\n{outcome.defect}")
    return outcome.value  # type: ignore[return-value]


def _failure(status: int, seconds: float, memory: int, *, late: bool) -> InputError:
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    if late or number == signal.SIGALRM:
        return InputError(
            f"the query did not end within {seconds:g} seconds",
            "narrow it, give more time with --timeout, or see docs/queries.md on queries that end",
        )
    if number in (signal.SIGABRT, signal.SIGKILL):
        return InputError(
            f"the query needs more than {memory / 1024**3:g} GiB of memory", "narrow it, or add LIMIT or DISTINCT"
        )
    return InputError(f"the query engine stopped (signal {number})", "simplify the query")
