"""What every test run shares: a fixed Hypothesis profile in CI, and what this machine lacks at the end."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from typing import TYPE_CHECKING

from hypothesis import settings

if TYPE_CHECKING:
    import pytest

# Program, the Debian package that brings it, and what cannot be tested without it.
PROGRAMS = (
    ("chromium", "chromium", "the HTML report in a browser"),
    ("qpdf", "qpdf", "the structure of the PDF file"),
    ("pdftotext", "poppler-utils", "the text of the PDF"),
    ("pdftoppm", "poppler-utils", "the pages of the PDF as pictures"),
    ("virtuoso-t", "virtuoso-opensource-7-bin", "questions to Virtuoso"),
)

settings.register_profile("ci", derandomize=True, database=None)
if os.environ.get("CI"):
    settings.load_profile("ci")


@cache
def has_pango() -> bool:
    """Asked in another process: WeasyPrint takes a second to import, and most runs do without."""
    done = subprocess.run([sys.executable, "-c", "import weasyprint"], capture_output=True, check=False)
    return done.returncode == 0


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    missing = [f"{name} (Debian: {package}): {use}" for name, package, use in PROGRAMS if not shutil.which(name)]
    if not has_pango():
        missing.append("Pango (Debian: libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0): PDF")
    skipped = len(terminalreporter.stats.get("skipped", []))
    terminalreporter.write_line(f"skipped: {skipped}")
    terminalreporter.write_line("this machine lacks " + "; ".join(missing) if missing else "this machine lacks nothing")
