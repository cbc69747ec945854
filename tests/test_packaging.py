"""The wheel: built from the sdist, installed in a clean environment, at work from another folder."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "samples" / "support-assistant.yaml"
OFFLINE = re.compile(r"NewConnectionError|NameResolutionError|ConnectTimeout|Failed to establish|Temporary failure")


def command(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*map(str, arguments)], cwd=cwd, capture_output=True, text=True, check=False)


def done(*arguments: str | Path, cwd: Path) -> str:
    result = command(*arguments, cwd=cwd)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, made from the sdist: a file that the sdist forgets is missing in both."""
    out = tmp_path_factory.mktemp("dist")
    done(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, ROOT, cwd=out)
    (path,) = out.glob("*.whl")
    return path


def environment(folder: Path) -> Path:
    """The `bin` folder of a new environment without anything in it."""
    venv.create(folder, with_pip=False)
    return folder / "bin"


def use(bin_folder: Path, elsewhere: Path) -> None:
    """The main job from a folder that has nothing to do with the checkout."""
    elsewhere.mkdir()
    where = done(bin_folder / "python", "-c", "import ppgov; print(ppgov.__file__)", cwd=elsewhere)
    assert Path(where.strip()).is_relative_to(bin_folder.parent)
    checked = done(bin_folder / "ppgov", "check", SAMPLE, "--format", "json", cwd=elsewhere)
    assert '"errors": 0' in checked
    done(bin_folder / "ppgov", "report", SAMPLE, "--html", "--md", "-o", "out/", cwd=elsewhere)
    (page,) = (elsewhere / "out").glob("*.html")
    assert "not declared" in page.read_text(encoding="utf-8")
    assert "dpv" in done(bin_folder / "ppgov", "vocab", "prefixes", cwd=elsewhere)


def test_the_data_travels_in_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    for folder in ("vocab", "report_templates"):
        files = [path.relative_to(ROOT) for path in (ROOT / folder).rglob("*") if path.is_file()]
        expected = {f"ppgov/{path.as_posix()}" for path in files if "__pycache__" not in path.parts}
        assert expected
        assert expected <= names
    assert not [name for name in names if "__pycache__" in name or name.startswith(("tests", "samples", "benchmarks"))]
    assert "ppgov/py.typed" in names


def test_the_wheel_works_from_another_folder(wheel: Path, tmp_path: Path) -> None:
    """Its dependencies come from the running environment, so this needs no network."""
    bin_folder = environment(tmp_path / "env")
    target = Path(
        done(
            bin_folder / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=tmp_path
        ).strip()
    )
    done(
        sys.executable,
        "-m",
        "pip",
        "--python",
        bin_folder / "python",
        "install",
        "--no-deps",
        "--no-index",
        wheel,
        cwd=tmp_path,
    )
    (target / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    use(bin_folder, tmp_path / "elsewhere")


def test_a_plain_install_brings_what_it_needs(wheel: Path, tmp_path: Path) -> None:
    """`pip install` in a clean environment; skipped where no package index answers."""
    bin_folder = environment(tmp_path / "env")
    pip: list[str | Path] = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        bin_folder / "python",
        "--retries",
        "0",
        "--timeout",
        "15",
    ]
    lock = ROOT / "requirements-ci.txt"
    result = command(*pip, "install", "--quiet", "--constraint", lock, wheel, cwd=tmp_path)
    if result.returncode != 0 and OFFLINE.search(result.stderr + result.stdout):
        pytest.skip("no package index answers")
    assert result.returncode == 0, result.stderr
    use(bin_folder, tmp_path / "elsewhere")


def imported() -> set[str]:
    """The top-level names of all modules that ppgov imports, wherever the import stands."""
    names: set[str] = set()
    for path in (ROOT / "ppgov").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.partition(".")[0])
    return names - set(sys.stdlib_module_names) - {"ppgov"}


def test_every_import_is_a_declared_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    every = [*project["dependencies"], *(name for extra in project["optional-dependencies"].values() for name in extra)]
    declared = {normal(re.split(r"[<>=\[ ]", text)[0]) for text in every}
    brought = packages_distributions()
    for name in imported():
        assert {normal(found) for found in brought[name]} & declared, f"{name} is imported and not declared"


def test_the_lock_pins_every_dependency() -> None:
    lines = [line for line in (ROOT / "requirements-ci.txt").read_text().splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", line) for line in lines)
    pinned = {normal(line.partition("==")[0]) for line in lines}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    assert {normal(re.split(r"[<>=\[ ]", text)[0]) for text in wanted} <= pinned


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_imports_point_down() -> None:
    result = command(Path(sys.executable).with_name("lint-imports"), "--no-cache", cwd=ROOT)
    assert result.returncode == 0, result.stdout
