"""The register's page for 2,000 agents in Chromium: its size, and when it answers.

Interactive is when the script has counted the rows and the search is there, from the start of the navigation; a
search is timed from the input to the frame after the new count. Each time is a median of fresh pages.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

from make_fleet import write_fleet
from run import Row

from ppgov.fleet import Options, each, gather
from ppgov.register import Register, record, register, write

AGENTS = 2_000
PACKS = 860
ROUNDS = 7
CHROMIUM = shutil.which("chromium")


class Seen(NamedTuple):
    """Milliseconds from the start of the navigation until the page answers, and from a key until the answer."""

    interactive: float
    search: float


def main() -> None:
    for row in rows():
        print(row, flush=True)


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        whole = fleet(Path(folder))
        page = Path(folder) / "register.html"
        page.write_bytes(write(whole, "html"))
        size = page.stat().st_size / 1e6
        yield Row(f"register page of {len(whole.rows):,} agents, MB", f"{size:.2f} MB", size, 5, at_most=True)
        if CHROMIUM is None:
            print("chromium is not installed: no times", file=sys.stderr)
            return
        seen = rounds(page.as_uri(), CHROMIUM)
        times = [one.interactive / 1e3 for one in seen]
        measured = f"{median(times):.2f} s, at worst {max(times):.2f}"
        yield Row("the same in Chromium, seconds until it answers", measured, median(times), 2, at_most=True)
        search = median(one.search for one in seen) / 1e3
        yield Row("the same, seconds from a search to its rows", f"{search:.2f} s", search, 1, at_most=True)


def fleet(folder: Path) -> Register:
    """A register of exactly 2,000 rows of realistic packs."""
    write_fleet(folder / "packs", PACKS)
    records = list(each(gather([str(folder / "packs")]).targets, partial(record, options=Options())))
    kept, room = [], AGENTS
    for entry in records:
        kept.append(entry._replace(agents=entry.agents[:room]))
        room -= len(kept[-1].agents)
        if not room:
            break
    return register(kept, generated_at=datetime(2026, 12, 1, 9, tzinfo=UTC))


def rounds(address: str, chromium: str) -> list[Seen]:
    from playwright.sync_api import sync_playwright

    seen = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for _ in range(ROUNDS + 1):
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.goto(address)
            interactive = page.evaluate("performance.getEntriesByName('ready')[0].startTime")
            search = page.evaluate(_SEARCH)
            seen.append(Seen(interactive, search))
            page.close()
        browser.close()
    return seen[1:]  # the first page warms the browser


_SEARCH = """() => new Promise((done) => {
  const start = performance.now();
  const find = document.getElementById("find");
  find.value = "payroll";
  find.dispatchEvent(new Event("input"));
  new MutationObserver(() => requestAnimationFrame(() => setTimeout(() => done(performance.now() - start))))
    .observe(document.getElementById("shown"), { childList: true, characterData: true, subtree: true });
})"""


if __name__ == "__main__":
    main()
