"""Ratios against other tools and the floor, from one run: `make bench`.

Candidates take turns, so that a busy moment hits all of them, and medians count. Each tool has a clean environment
of its own under `build/bench-envs`. The figures are ratios: seconds say more about the machine than about the tool.
The exit code is 0 whatever comes out.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import venv
import zlib
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

ROOT = Path(__file__).resolve().parent.parent
WORK = Path(__file__).with_name("work.py")
PACK = Path(__file__).with_name("packs") / "clean-14k.yaml"
SCHEMA = ROOT / "vocab" / "promptpack-1.9.0.schema.json"
LOCK = ROOT / "requirements-ci.txt"
BUILD = ROOT / "build"

Command = list[str | Path]
ENVIRONMENTS = {
    "ppgov": (str(ROOT),),
    "check-jsonschema": ("check-jsonschema==0.39.0",),
    "plain": ("pyyaml", "jsonschema", "rdflib"),
}
COLD_ROUNDS = 11
WARM_ROUNDS = 11
# Passes in a turn: long enough that caches belong to the one whose turn it is.
PASSES = {"loaded": 41, "read": 41, "audited": 41, "plain": 7}
FLEET_ROUNDS = 5
FLEET_PACKS = 800


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. `ratio` as the target puts it: a share of the peer's time, or how many times as fast."""

    title: str
    measured: str
    ratio: float
    target: float
    at_most: bool

    @property
    def met(self) -> bool:
        return self.ratio <= self.target if self.at_most else self.ratio >= self.target

    def __str__(self) -> str:
        sign = "<=" if self.at_most else ">="
        target = f"{sign} {self.target:g}"
        return f"{self.title:<58} {self.measured:>27} {self.ratio:>7.2f}  {target:<8} {'yes' if self.met else 'NO'}"


def main() -> None:
    programs = {name: environment(name, wanted) for name, wanted in ENVIRONMENTS.items()}
    ours, peers = programs["ppgov"], programs["plain"]
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores; pack {PACK.name}, {PACK.stat().st_size:,} bytes\n")
    print(f"{'':<58} {'measured':>27} {'ratio':>7}  {'target':<8} met")
    for rows in (cold(programs), warm(ours, peers), fleet(ours), pages(ours)):
        for row in rows:
            print(row, flush=True)


def environment(name: str, wanted: Sequence[str]) -> Path:
    """The `bin` folder of a clean environment with the wanted packages; ppgov itself is installed anew each time."""
    folder = BUILD / "bench-envs" / name
    stamp, content = folder / "installed", "\n".join([*wanted, sys.version, LOCK.read_text()])
    python = folder / "bin" / "python"
    pip: Command = [python, "-m", "pip", "-q", "--disable-pip-version-check", "install", "--constraint", LOCK]
    if not stamp.exists() or stamp.read_text() != content:
        print(f"making the environment of {name}", file=sys.stderr)
        venv.create(folder, clear=True, with_pip=True)
        subprocess.run([*pip, *wanted], check=True)
        stamp.write_text(content)
    elif str(ROOT) in wanted:
        subprocess.run([*pip, "--no-deps", "--force-reinstall", str(ROOT)], check=True)
    return folder / "bin"


def cold(programs: dict[str, Path]) -> Iterable[Row]:
    """Whole processes, from a shell's point of view."""
    ours = programs["ppgov"]
    peer = programs["check-jsonschema"] / "check-jsonschema"
    took = in_turns(
        {
            "check": [ours / "ppgov", "check", PACK],
            "help": [ours / "ppgov", "--help"],
            "pass": [ours / "python", "-c", "pass"],
            "peer": [peer, "--schemafile", SCHEMA, PACK],
        },
        COLD_ROUNDS,
    )
    yield compare("ppgov check, cold / check-jsonschema, same file", took["check"], took["peer"], 0.25, at_most=True)
    yield compare("ppgov check, cold / python -c pass", took["check"], took["pass"], 12, at_most=True)
    yield compare("ppgov --help / python -c pass", took["help"], took["pass"], 7, at_most=True)


def warm(ours: Path, peers: Path) -> Iterable[Row]:
    """One pack in a process that runs already."""
    given = BUILD / "bench-facts.json"
    places = {"loaded": peers, "read": ours, "audited": ours, "plain": peers}
    took: dict[str, list[float]] = {name: [] for name in places}
    with ExitStack() as stack:
        turn(stack.enter_context(worker(ours, "facts", PACK, given)), 1)
        workers = {name: stack.enter_context(worker(place, name, PACK, given)) for name, place in places.items()}
        for _ in range(WARM_ROUNDS):
            for name, process in workers.items():
                took[name].append(turn(process, PASSES[name]))
    middle = {name: median(seconds) for name, seconds in took.items()}
    yield speed_up("reading with every position, times faster than CSafeLoader", middle["read"], middle["loaded"], 2)
    yield compare(
        "read, structure, rules, quads / CSafeLoader alone", middle["audited"], middle["loaded"], 1.3, at_most=True
    )
    yield speed_up("the same, times faster than the plain pipeline", middle["audited"], middle["plain"], 6)


def fleet(ours: Path) -> Iterable[Row]:
    """A folder of packs, by one process and by two."""
    folder = BUILD / "bench-packs"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    text = PACK.read_text(encoding="utf-8")
    for number in range(FLEET_PACKS):
        (folder / f"{number:04}.yaml").write_text(re.sub(r"(?m)^(id: \S+)", rf"\g<1>-{number}", text), encoding="utf-8")
    took = in_turns({n: [ours / "ppgov", "check", "-q", "-j", n, folder] for n in "12"}, FLEET_ROUNDS)
    shutil.rmtree(folder)
    yield speed_up(f"check of {FLEET_PACKS} packs: two processes, times faster than one", took["2"], took["1"], 1.6)


def pages(ours: Path) -> Iterable[Row]:
    """The PDF of the large pack, imports not counted; the memory of the whole process, imports counted."""
    large = BUILD / "bench-large.yaml"
    large.write_bytes(
        subprocess.run([sys.executable, ROOT / "tests" / "make_large.py"], check=True, capture_output=True).stdout
    )
    seconds, many, peak = printed(ours, large)
    _, few, floor = printed(ours, PACK)
    at_60 = floor + (peak - floor) * (60 - few) / (many - few)
    measured = f"{floor:.0f} at {few}, {peak:.0f} at {many}"
    yield Row(
        f"PDF of the large pack, seconds a page ({many} pages)", f"{seconds:.1f} s", seconds / many, 0.5, at_most=True
    )
    yield Row("peak memory in MB at 60 pages, between two sizes", measured, at_60, 300, at_most=True)


def printed(ours: Path, pack: Path) -> tuple[float, int, float]:
    """(seconds, pages, peak of resident memory in MB) of the PDF report of a pack."""
    target = BUILD / "bench.pdf"
    with worker(ours, "pdf", pack, target) as process:
        seconds = turn(process, 1)
        status = Path(f"/proc/{process.pid}/status").read_text()
    peak = re.search(r"VmHWM:\s+(\d+)", status)
    return seconds, page_count(target.read_bytes()), int(peak[1]) / 1024 if peak else 0.0


def page_count(content: bytes) -> int:
    """The pages of a PDF file whose objects lie in compressed streams."""
    number = 0
    for match in re.finditer(rb"/ObjStm.*?stream\r?\n(.*?)\r?\nendstream", content, re.DOTALL):
        number += len(re.findall(rb"/Type /Page\b", zlib.decompress(match[1])))
    return number


def in_turns(commands: dict[str, Command], rounds: int) -> dict[str, float]:
    """The median seconds of each command; they take turns."""
    took: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            start = perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            took[name].append(perf_counter() - start)
    return {name: median(seconds) for name, seconds in took.items()}


def worker(place: Path, task: str, pack: Path, given: Path) -> subprocess.Popen[str]:
    command: Command = [place / "python", WORK, task, pack, given]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=BUILD)


def turn(process: subprocess.Popen[str], passes: int) -> float:
    """Let a worker run its task so often; the median seconds of a pass."""
    if process.stdin is None or process.stdout is None:
        raise ValueError("a worker is started with pipes")
    process.stdin.write(f"{passes}\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def compare(title: str, ours: float, peer: float, target: float, *, at_most: bool) -> Row:
    return Row(title, f"{ours * 1e3:,.1f} / {peer * 1e3:,.1f} ms", ours / peer, target, at_most)


def speed_up(title: str, ours: float, peer: float, target: float) -> Row:
    return Row(title, f"{peer * 1e3:,.1f} / {ours * 1e3:,.1f} ms", peer / ours, target, at_most=False)


if __name__ == "__main__":
    main()
