"""What a fleet costs: `make bench-fleet`. A quarter of an hour and 6 GB in `build/`, removed at the end.

Ratios in one run, as in `run.py`: packs to N-Quads against the plain pipeline, the named queries against rdflib and
against a full scan, and the store on disk with its memory and its update. `python benchmarks/fleet.py 2000` takes a
smaller fleet for the store; `--only nquads|queries|store` takes a part.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from make_fleet import write_fleet
from run import BUILD, Row, speed_up

FOLDER = BUILD / "bench-fleet"
WORK = Path(__file__).with_name("work_fleet.py")
SAMPLE = 17  # every so many packs go through the plain pipeline, which takes a minute for a thousand
QUERY_SECONDS = 10  # a query that takes longer is ended and counted as this long
TOUCHED = 10


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("packs", type=int, nargs="?", default=10_000)
    parser.add_argument("--only", choices=["nquads", "queries", "store"])
    given = parser.parse_args()
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores\n")
    print(f"{'':<58} {'measured':>27} {'ratio':>7}  {'target':<8} met")
    parts: dict[str, Callable[[], Iterable[Row | str]]] = {
        "nquads": nquads,
        "queries": queries,
        "store": lambda: store(given.packs),
    }
    try:
        for name, part in parts.items():
            if given.only in (None, name):
                for row in part():
                    print(row, flush=True)
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)


def fleet(number: int) -> Path:
    folder = FOLDER / f"packs-{number}"
    if not folder.exists():
        size = write_fleet(folder, number)
        print(f"{number:,} packs, {size / number / 1024:.1f} KB each", flush=True)
    return folder


def nquads() -> Iterator[Row | str]:
    """A thousand packs as N-Quads by two processes; a sample of them by the usual libraries in one."""
    folder = fleet(1000)
    ours, theirs = [], []
    for _ in range(3):
        ours.append(worked("nquads", folder, 2)["seconds"] / 1000)
        plain = worked("plain", folder, SAMPLE)
        theirs.append(plain["seconds"] / plain["packs"])
    yield speed_up("packs to N-Quads, ms a pack: two processes / plain, one", median(ours), median(theirs), 10)


def queries() -> Iterator[Row | str]:
    """Each named query over 100 packs in both engines, and over 1,000 packs beside a full scan."""
    few = worked("queries", fleet(100), QUERY_SECONDS)
    ratios: dict[str, float] = {}
    for name, (ours, theirs) in sorted(few["queries"].items()):
        ratios[name] = (QUERY_SECONDS if theirs is None else theirs) / ours
        rdflib = f"did not end in {QUERY_SECONDS} s" if theirs is None else f"{theirs * 1e3:,.0f}"
        yield f"  {name:<56} {rdflib + f' / {ours * 1e3:,.2f} ms':>27} {ratios[name]:>7.0f}"
    ended = sum(theirs is not None for _, theirs in few["queries"].values())
    slowest = min(ratios, key=lambda name: ratios[name])
    title = f"named queries, 100 packs, times faster than rdflib: {slowest}"
    yield Row(title, f"{ended} of {len(ratios)} end in rdflib", ratios[slowest], 10, at_most=False)
    yield Row("the same, the middle of all", "", median(ratios.values()), 40, at_most=False)
    many = worked("scan", fleet(1000), 2 * QUERY_SECONDS)
    took = {name: seconds for name, (seconds, _) in many["queries"].items()}
    worst = max(took, key=lambda name: took[name])
    scan = f"full scan of {many['quads']:,}: {many['scan']:.2f} s"
    yield Row(f"slowest query over 1,000 packs, seconds: {worst}", scan, took[worst], 2, at_most=True)


def store(number: int) -> Iterator[Row | str]:
    """Build, touch ten packs, update."""
    folder, place = fleet(number), FOLDER / "store"
    build, peak, said = watched("store", "build", place, folder)
    quads = int(re.sub(r"\D", "", said.split("quads")[0].split("stored")[1]))
    size = sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
    each = f"{quads / number:,.0f} a pack, {size / number / 1024:,.0f} KB a pack on disk"
    yield f"  {number:,} packs: {quads:,} quads, {each}"
    title = f"store build of {number:,} packs, peak memory of all processes"
    yield Row(f"{title}, GB", f"{build:,.0f} s, {build / number * 1e3:.1f} ms a pack", peak / 2**30, 2, at_most=True)
    packs = sorted(path for path in folder.rglob("*.yaml"))
    for path in packs[:: max(1, len(packs) // TOUCHED)][:TOUCHED]:
        path.write_text(path.read_text(encoding="utf-8").replace("\nname: ", "\nname: New ", 1), encoding="utf-8")
    update, _, said = watched("store", "update", place, folder)
    if f" {TOUCHED} changed" not in said:
        raise SystemExit(f"the update did something else: {said}")
    yield Row(
        f"store update after {TOUCHED} changes / build",
        f"{update:.1f} / {build:,.0f} s",
        update / build,
        0.05,
        at_most=True,
    )


def worked(task: str, folder: Path, number: int) -> dict[str, Any]:
    done = subprocess.run([sys.executable, WORK, task, folder, str(number)], check=True, stdout=subprocess.PIPE)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def watched(*arguments: str | Path) -> tuple[float, int, str]:
    """(seconds, most bytes that the process and its children held at once, last line) of a ppgov command."""
    start = perf_counter()
    command = [sys.executable, "-m", "ppgov", *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        held: list[int] = [0]
        ended = threading.Event()

        def watch() -> None:
            while not ended.wait(0.2):
                held.append(memory(process.pid))

        watcher = threading.Thread(target=watch)
        watcher.start()
        _, said = process.communicate()
        ended.set()
        watcher.join()
    if process.returncode:
        raise SystemExit(said)
    return perf_counter() - start, max(held), said.splitlines()[-1]


def memory(process: int) -> int:
    """Bytes that a process and its children hold, shared pages counted once; 0 where the system does not say."""
    total = 0
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
        for number in (str(process), *children):
            pss = re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{number}/smaps_rollup").read_text(), re.MULTILINE)
            total += int(pss[1]) * 1024 if pss else 0
    except OSError:
        return 0
    return total


if __name__ == "__main__":
    main()
