"""Is Pango there, which WeasyPrint needs for PDF? Install it where that is possible, else say how.

Exit 0 when it is there at the end, 1 when it is not: the caller goes on without PDF.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

DEBIAN = ["libpango-1.0-0", "libpangoft2-1.0-0", "libharfbuzz-subset0"]
ADVICE = f"""\
PDF needs the Pango text libraries, which this machine lacks. HTML, Markdown and JSON need none of them.
  Debian, Ubuntu:  sudo apt-get install {" ".join(DEBIAN)}
  Fedora:          sudo dnf install pango
  macOS:           brew install pango
"""


def present() -> bool:
    """Asked in a process of its own: a library that failed to load once stays failed."""
    done = subprocess.run([sys.executable, "-c", "import weasyprint"], capture_output=True, check=False)
    return done.returncode == 0


def install() -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    get = ["apt-get", "-qq", "-o", "DPkg::Lock::Timeout=120"]
    for command in ([*get, "update"], [*get, "install", "-y", "--no-install-recommends", *DEBIAN]):
        subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)


def main() -> int:
    if present():
        return 0
    if os.geteuid() == 0 and shutil.which("apt-get"):
        sys.stderr.write("installing Pango, which PDF needs\n")
        install()
        if present():
            return 0
    sys.stderr.write(ADVICE)
    return 1


if __name__ == "__main__":
    sys.exit(main())
