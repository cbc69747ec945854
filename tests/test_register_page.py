"""The register's page in a real browser: search, filters and sorting by keyboard, accessibility, no scripts at all."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from ppgov.fleet import Options, each, gather
from ppgov.register import record, register, write
from ppgov.register.reports import link, write_reports
from tests.packs import governed, pack, prompt, tool

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)
HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
PACKS = 130


def data(number: int) -> dict[str, object]:
    """A pack; every third one has two agents, every fifth says nothing."""
    fields = {
        "intended_purpose": HOSTILE if number == 7 else f"Does task {number}",
        "accountable_owner": ("alpha", "beta", "gamma")[number % 3],
        "autonomy_level": ("suggests", "acts_autonomously")[number % 2],
        "risk_classification": "risk:LowRisk",
        "reviews": [{"id": "r", "type": "pp:BiasTesting", "cadence": "P3M", "owner": "audit"}],
        "obligations": [{"id": "o", "obligation": "x", "controls": [{"external": "board"}]}],
    }
    agents = {"entry": "chat", "members": {"chat": {}, "aide": {"governance": {"accountable_owner": "delta"}}}}
    scope = {"effect": ("read", "external")[number % 2], "reversibility": "reversible"}
    return pack(
        id=f"pack-{number:03}",
        prompts={"chat": prompt("chat", tools=["t"]), "aide": prompt("aide")},
        tools={"t": tool("t", action_scope=scope)},
        **({} if number % 5 == 0 else {"metadata": governed(**fields)}),
        **({"agents": agents} if number % 3 == 0 else {}),
    )


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A register of 130 packs and 174 rows, with the reports of the packs beside it."""
    folder = tmp_path_factory.mktemp("register")
    packs = folder / "packs"
    packs.mkdir()
    for number in range(PACKS):
        (packs / f"{number:03}.json").write_text(json.dumps(data(number)))
    (packs / "broken-pack.yaml").write_text("a: [")
    options = Options()
    whole = register(each(gather([str(packs)]).targets, partial(record, options=options), 1), generated_at=NOW)
    output = folder / "register.html"
    first = whole.packs[:2]
    (one, two) = write_reports(first, str(folder / "reports"), options, generated_at=NOW, jobs=1)
    linked = tuple(
        entry._replace(report=link(written.path, str(output))) for entry, written in zip(first, (one, two), strict=True)
    )
    whole = whole._replace(packs=(*linked, *whole.packs[2:]))
    output.write_bytes(write(whole, "html"))
    return output


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


class Watched:
    """A page with everything that it complained about or asked for."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))


@pytest.fixture
def watched(browser: Browser, page_file: Path) -> Iterator[Watched]:
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    found = Watched(page)
    page.goto(page_file.as_uri())
    yield found
    page.close()
    assert found.complaints == []


def expect_status(page: Page, text: str) -> None:
    from playwright.sync_api import expect

    expect(page.locator("#shown")).to_have_text(text)


ALL = "174 rows; the first 100 are shown"


def shown(page: Page) -> list[str]:
    """The packs of the rows that can be seen."""
    return page.locator("#agents tbody tr:visible td:nth-child(2) b").all_inner_texts()


def test_nothing_runs_and_nothing_is_fetched(watched: Watched, page_file: Path) -> None:
    assert watched.page.title() == "Register of agents: 174 rows"
    assert watched.requests == [page_file.as_uri()]
    assert watched.page.locator("img").count() == 0
    watched.page.fill("#find", "onerror")
    expect_status(watched.page, "1 of 174 rows match; all of them are shown")
    assert watched.page.title() == "Register of agents: 174 rows"


def test_search_by_keyboard(watched: Watched) -> None:
    page = watched.page
    expect_status(page, ALL)
    page.focus("#find")
    page.keyboard.type("PACK-01 delta")
    expect_status(page, "3 of 174 rows match; all of them are shown")
    assert shown(page) == ["pack-012", "pack-015", "pack-018"]
    assert page.get_attribute("#shown", "role") == "status"
    page.fill("#find", "no such text")
    expect_status(page, "0 of 174 rows match")
    assert shown(page) == []
    page.click("#clear")
    expect_status(page, ALL)
    assert len(shown(page)) == 100


def test_filters_meet(watched: Watched) -> None:
    page = watched.page
    page.select_option("#by-owner", label="gamma")
    page.select_option("#by-effect", label="external")
    page.select_option("#by-autonomy", label="acts_autonomously")
    owned = [number for number in range(PACKS) if number % 5 and number % 3 == 2 and number % 2]
    assert shown(page) == [f"pack-{number:03}" for number in owned]
    page.click("#clear")
    expect_status(page, ALL)
    page.select_option("#silent", label="Accountable owner")
    assert shown(page) == [f"pack-{number:03}" for number in range(0, PACKS, 5)]  # an aide has an owner of its own


def test_sort_by_keyboard(watched: Watched) -> None:
    page = watched.page
    button = page.locator("#agents thead button", has_text="Accountable owner")
    button.focus()
    page.keyboard.press("Enter")
    head = page.locator("#agents thead th[aria-sort]")
    assert head.count() == 1 and head.get_attribute("aria-sort") == "ascending"
    owners = page.locator("#agents tbody tr td:nth-child(4)").all_text_contents()
    named = [owner for owner in owners if owner != "not declared"]
    assert named == sorted(named) and owners == named + ["not declared"] * (len(owners) - len(named))
    page.keyboard.press("Space")
    assert head.get_attribute("aria-sort") == "descending"
    owners = page.locator("#agents tbody tr td:nth-child(4)").all_text_contents()
    assert owners[0] == "gamma" and owners[-1] == "not declared"
    page.click("#clear")
    page.locator("#agents thead th[aria-sort]").wait_for(state="detached")
    assert shown(page)[:3] == ["pack-000", "pack-000", "pack-001"]


def test_more_rows(watched: Watched) -> None:
    page = watched.page
    page.click("#more button[data-rows='100']")
    assert page.inner_text("#shown") == "174 rows; all of them are shown"
    assert len(shown(page)) == 174 and page.locator("#more").is_hidden()
    assert page.evaluate("document.activeElement.closest('tr').sectionRowIndex") == 100


def test_columns_come_and_go(watched: Watched) -> None:
    page = watched.page
    head = page.locator("#agents thead th", has_text="Controls by kind")
    assert head.is_hidden()
    page.check("input[value=duties]")
    assert head.is_visible()
    page.uncheck("input[value=accountability]")
    assert page.locator("#agents thead th", has_text="Accountable owner").is_hidden()


def test_a_link_leads_to_the_report(watched: Watched) -> None:
    page = watched.page
    page.locator("#agents tbody a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("reports/pack-000-1.0.0.html"))
    assert page.title().startswith("Governance report: Desk")


def test_paper_has_every_row(watched: Watched) -> None:
    watched.page.emulate_media(media="print")
    assert len(shown(watched.page)) == 174
    assert watched.page.locator("#tools").is_hidden()


def test_without_scripts_the_whole_table_is_there(browser: Browser, page_file: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(page_file.as_uri())
    assert page.locator("#agents tbody tr:visible").count() == 174
    assert page.locator("#agents thead th:visible").count() == 22
    assert page.locator("#tools").is_hidden() and page.locator("#more").is_hidden()
    context.close()


SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", [390, 1400])
def test_accessibility(browser: Browser, page_file: Path, scheme: Literal["light", "dark"], width: int) -> None:
    from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # it ships no types

    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto(page_file.as_uri())
    for name in ("use", "duties", "models"):
        page.check(f"input[value={name}]")
    page.fill("#find", "pack-00")
    found = Axe().run(page)
    page.close()
    assert found.response["violations"] == [], found.generate_report()
    assert len(found.response["passes"]) > 20


def test_the_page_never_moves_sideways(browser: Browser, page_file: Path) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(page_file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.close()
