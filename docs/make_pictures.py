"""Write `docs/images`: pages of a real report as pictures, found by their headings. `make pictures` runs it."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IMAGES = Path(__file__).with_name("images")
DOTS_PER_INCH = "80"
# Picture, sample, and the line that the wanted page holds.
PAGES = (
    ("cover", "support-assistant", r"What this report is not"),
    ("tools", "support-assistant", r"\d+ Tools$"),
    ("obligations", "support-assistant", r"\d+ Obligations and controls$"),
    ("workflow", "briefing-desk", r"\d+ Workflow$"),
)


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for sample in dict.fromkeys(sample for _, sample, _ in PAGES):
            pdf = Path(folder, f"{sample}.pdf")
            given = [f"samples/{sample}.yaml", "--pdf", "--now", "2026-12-01T09:00:00Z", "-o", str(pdf)]
            subprocess.run([sys.executable, "-m", "ppgov", "report", *given], cwd=ROOT, check=True)
            for name, page_sample, line in PAGES:
                if page_sample == sample:
                    picture(pdf, page(pdf, line), IMAGES / name)


def page(pdf: Path, line: str) -> str:
    """The number of the first page with a line like this one."""
    done = subprocess.run(["pdftotext", "-layout", pdf, "-"], check=True, capture_output=True, text=True)
    for number, text in enumerate(done.stdout.split("\f"), 1):
        if re.search(rf"(?m)^ *{line}", text):
            return str(number)
    raise LookupError(f"no page of {pdf.name} holds '{line}'")


def picture(pdf: Path, number: str, target: Path) -> None:
    options = ["-png", "-singlefile", "-r", DOTS_PER_INCH, "-f", number, "-l", number]
    subprocess.run(["pdftoppm", *options, str(pdf), str(target)], check=True)
    print(f"wrote {target}.png")


if __name__ == "__main__":
    main()
