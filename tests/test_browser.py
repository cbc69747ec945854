"""The HTML report in a real browser: hostile pack text neither runs nor fetches, and the page is all there."""

from __future__ import annotations

import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ppgov.audit import audit
from ppgov.render import html
from ppgov.report import build
from tests.packs import governed, pack, source, tool

HOSTILE = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"


@pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is not installed")
def test_hostile_text_does_not_run_in_a_browser(tmp_path: Path) -> None:
    data = pack(
        name=HOSTILE,
        description=HOSTILE,
        tools={"t": tool("t", description=HOSTILE)},
        metadata=governed(intended_purpose=HOSTILE, risk_classification="javascript:document.title='owned'"),
    )
    page = tmp_path / "report.html"
    page.write_text(html(build(audit(source(data)), generated_at=datetime(2026, 12, 1, tzinfo=UTC))), encoding="utf-8")
    done = subprocess.run(
        [
            *("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"),
            *(f"--user-data-dir={tmp_path}/profile", "--virtual-time-budget=2000", "--dump-dom", page.as_uri()),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    title = done.stdout.partition("<title>")[2].partition("</title>")[0]
    assert "owned" not in title.replace("document.title='owned'", "")
    assert "<main" in done.stdout
    assert "<script" not in done.stdout
    assert "<img" not in done.stdout
    assert 'href="javascript' not in done.stdout
