"""The store on disk: what it holds, what an update changes, and what is left when it is killed."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from pyoxigraph import RdfFormat, Store

from ppgov import __version__
from ppgov.errors import InputError, UsageError
from ppgov.fleet import Options, gather
from ppgov.shard import shards
from ppgov.store import disk
from tests.packs import governed, pack, tool

VOCABULARY = """
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix acme: <https://acme.example/v#> .
acme:Tier1 a skos:Concept ; skos:prefLabel "{label}" ; skos:broader acme:Tier .
acme:Tier a skos:Concept ; skos:prefLabel "Tier" .
"""

# Runs a command and kills it with SIGKILL before the n-th step that changes a file of the store; 0 lists the steps.
STEPS = """
import os, signal, sys
place, number = sys.argv.pop(1), int(sys.argv.pop(1))
seen = 0
def watch(event, given):
    global seen
    if event not in ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir") or isinstance(given[0], int):
        return
    if event == "open" and not given[2] & (os.O_WRONLY | os.O_RDWR) or not os.fsdecode(given[0]).startswith(place):
        return
    seen += 1
    if not number:
        os.write(1, f"{event} {os.fsdecode(given[0])}\\n".encode())
    elif seen == number:
        os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(watch)
from ppgov.cli import main
sys.argv[0] = "ppgov"
main()
"""


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "ppgov", "store", *map(str, arguments)]


def run(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command(*arguments), capture_output=True, text=True, cwd=cwd, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    assert done.stdout == ""
    return done


def act(
    what: Callable[..., disk.Outcome], place: Path, *paths: Path | str, base_iri: str | None = None, vocab: str = ""
) -> tuple[disk.Outcome, list[str]]:
    """Build or update in this process; the outcome, and the files that were read."""
    settings = disk.Settings(Options(vocabularies=(vocab,) if vocab else ()), base_iri, 1)
    read: list[str] = []

    def watch(pieces: Iterator[disk.Piece], _: int) -> Iterator[disk.Piece]:
        for piece in pieces:
            read.append(piece.record.path)
            yield piece

    return what(str(place), gather(map(str, paths)), settings, watch), read


def dump(place: Path) -> str:
    """The quads of a store, sorted: equal text is an equal store."""
    content = Store.read_only(str(disk.current(str(place)))).dump(format=RdfFormat.N_QUADS)
    assert content is not None
    return "".join(sorted(content.decode().splitlines(keepends=True)))


def fresh(tmp_path: Path, *paths: Path | str, vocab: str = "") -> str:
    place = tmp_path / f"fresh-{time.monotonic_ns()}"
    act(disk.build, place, *paths, vocab=vocab)
    return dump(place)


def write(path: Path, data: dict[str, Any]) -> Path:
    path.parent.mkdir(exist_ok=True)
    text = json.dumps(data) if path.suffix == ".json" else yaml.safe_dump(data, sort_keys=False)
    path.write_text(text)
    return path


def agentless(key: str, *, term: str = "risk:LowRisk", **parts: Any) -> dict[str, Any]:
    return pack(id=key, metadata=governed(risk_classification=term), **parts)


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    folder = tmp_path / "fleet"
    write(folder / "a-pack.yaml", agentless("a"))
    write(folder / "b-pack.json", agentless("b", term="risk:HighRisk"))
    write(folder / "c-pack.yaml", agentless("c", term="dpv:HumanOversight", tools={"t": tool("t")}))
    (folder / "other.json").write_text('{"no": "pack"}')
    return folder


def test_a_store_holds_the_quads_of_its_packs(tmp_path: Path, fleet: Path) -> None:
    place = tmp_path / "store"
    outcome, read = act(disk.build, place, fleet)
    names = ["a-pack.yaml", "b-pack.json", "c-pack.yaml", "other.json"]
    assert read == [f"{fleet}/{name}" for name in names]
    pieces = shards(gather([str(fleet)]).targets, Options(), jobs=1)
    expected = {line for piece in pieces for line in piece.quads.splitlines(keepends=True)}
    assert dump(place) == "".join(sorted(expected))
    assert outcome == (3, len(expected), 0, 0, 3, 0, 0, ())


def test_the_command_says_in_one_line_what_became_of_the_packs(tmp_path: Path, fleet: Path) -> None:
    place = tmp_path / "store"
    built = run("build", place, fleet)
    number = len(dump(place).splitlines())
    assert (built.returncode, built.stderr) == (
        0,
        f"3 packs stored, {number:,} quads: 0 unchanged, 0 changed, 3 added, 0 dropped\n",
    )
    write(fleet / "a-pack.yaml", agentless("a", description="Changed"))
    write(fleet / "d-pack.yaml", agentless("d"))
    (fleet / "b-pack.json").unlink()
    updated = run("update", place, fleet)
    assert updated.returncode == 0
    assert updated.stderr.endswith(" quads: 1 unchanged, 1 changed, 1 added, 1 dropped\n")
    assert dump(place) == fresh(tmp_path, fleet)


def test_an_update_reads_only_what_changed(tmp_path: Path, fleet: Path) -> None:
    place = tmp_path / "store"
    act(disk.build, place, fleet)
    os.utime(fleet / "c-pack.yaml", (1, 1))  # a time says nothing, bytes do
    write(fleet / "a-pack.yaml", agentless("a", description="Changed"))
    outcome, read = act(disk.update, place, fleet)
    assert read == [f"{fleet}/a-pack.yaml"]
    assert outcome == (3, len(dump(place).splitlines()), 2, 1, 0, 0, 0, ())


def test_a_change_that_keeps_size_and_time_is_seen(tmp_path: Path, fleet: Path) -> None:
    place = tmp_path / "store"
    path = write(fleet / "a-pack.yaml", agentless("a", description="red"))
    act(disk.build, place, fleet)
    before = path.stat()
    write(path, agentless("a", description="tan"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert act(disk.update, place, fleet)[0].changed == 1
    assert '"tan"' in dump(place) and '"red"' not in dump(place)


def test_copies_share_graphs_and_the_last_one_takes_them_away(tmp_path: Path, fleet: Path) -> None:
    place = tmp_path / "store"
    twin = fleet / "twin-pack.yaml"
    twin.write_bytes((fleet / "a-pack.yaml").read_bytes())
    act(disk.build, place, fleet)
    assert "a-pack.yaml:1:1" in dump(place) and "twin-pack.yaml:1:1" in dump(place)
    (fleet / "a-pack.yaml").unlink()
    outcome, read = act(disk.update, place, fleet)
    assert (outcome.packs, outcome.unchanged, outcome.dropped, read) == (3, 3, 1, [])
    assert dump(place) == fresh(tmp_path, fleet)
    assert "<https://packs.invalid/a/1.0.0>" in dump(place) and "a-pack.yaml:" not in dump(place)
    twin.unlink()
    act(disk.update, place, fleet)
    assert "<https://packs.invalid/a/1.0.0>" not in dump(place)
    assert dump(place) == fresh(tmp_path, fleet)


def test_the_same_bytes_under_two_endings_are_told_apart(tmp_path: Path, fleet: Path) -> None:
    """`1e3` is a number in JSON; in YAML by JSON's grammar too, but a duplicate reading must never be left behind."""
    place = tmp_path / "store"
    text = json.dumps(agentless("twin"))
    for name in ("x-pack.json", "x-pack.yaml"):
        (fleet / name).write_text(text)
    act(disk.build, place, fleet)
    (fleet / "x-pack.json").unlink()
    _, read = act(disk.update, place, fleet)
    assert read == [f"{fleet}/x-pack.yaml"]
    assert dump(place) == fresh(tmp_path, fleet)


def test_the_shared_vocabulary_loses_the_terms_that_nobody_uses(tmp_path: Path, fleet: Path) -> None:
    place = tmp_path / "store"
    status = "risk#HighRisk> <https://w3id.org/ppgov/ns#indexStatus>"
    act(disk.build, place, fleet)
    assert status in dump(place)
    write(fleet / "b-pack.json", agentless("b"))
    act(disk.update, place, fleet)
    assert status not in dump(place)
    assert dump(place) == fresh(tmp_path, fleet)
    for path in fleet.iterdir():
        path.unlink()
    write(fleet / "bare-pack.yaml", pack())
    outcome, _ = act(disk.update, place, fleet)
    assert "graph/vocab" not in dump(place)
    assert outcome.quads == len(dump(place).splitlines())


def test_any_sequence_of_updates_equals_a_build(tmp_path: Path) -> None:
    draw = random.Random(5)  # noqa: S311 - the same sequence each time
    terms = (
        "risk:LowRisk",
        "risk:HighRisk",
        "dpv:HumanOversight",
        "dpv:Nothing",
        "free text",
        "acme:Tier1",
        "dpv:Tenant",
    )
    folder, place = tmp_path / "fleet", tmp_path / "store"
    names = [f"p{number}-pack.{ending}" for number in range(4) for ending in ("json", "yaml")]
    write(folder / "always-pack.yaml", pack(id="always"))

    def shuffle() -> None:
        for name in draw.sample(names, 4):
            path = folder / name
            if path.exists() and draw.random() < 0.4:
                path.unlink()
            elif draw.random() < 0.3:
                others = sorted(folder.iterdir())
                path.write_bytes(draw.choice(others).read_bytes())
            elif draw.random() < 0.2:
                path.write_text("{broken")
            else:
                write(path, agentless(f"k{draw.randint(0, 2)}", term=draw.choice(terms)))

    shuffle()
    act(disk.build, place, folder)
    for _ in range(8):
        shuffle()
        outcome, _ = act(disk.update, place, folder)
        assert dump(place) == fresh(tmp_path, folder)
        assert outcome.quads == len(dump(place).splitlines())


def test_a_pack_that_can_no_longer_be_read_is_dropped_and_said(tmp_path: Path, fleet: Path) -> None:
    place = tmp_path / "store"
    run("build", place, fleet)
    (fleet / "c-pack.yaml").write_text("id: [")
    for _ in range(2):  # it is said each time, not only when it changed
        done = run("update", place, fleet)
        assert done.returncode == 3
        first, last = done.stderr.splitlines()
        assert first.startswith(f"ppgov: {fleet}/c-pack.yaml:1:") and "PPG" in first
        assert last.startswith("2 packs stored") and last.endswith("; 1 could not be read")
        assert "<https://packs.invalid/c/" not in dump(place)
    write(fleet / "c-pack.yaml", agentless("c"))
    assert run("update", place, fleet).returncode == 0
    assert dump(place) == fresh(tmp_path, fleet)


def test_a_folder_without_packs_is_said(tmp_path: Path, fleet: Path) -> None:
    place, empty = tmp_path / "store", tmp_path / "empty"
    empty.mkdir()
    done = run("build", place, fleet, empty)
    assert done.returncode == 3
    assert f"ppgov: {empty}: no pack found in this folder" in done.stderr
    assert "3 packs stored" in done.stderr


def test_nothing_to_store_leaves_the_store_as_it_was(tmp_path: Path, fleet: Path) -> None:
    place, empty = tmp_path / "store", tmp_path / "empty"
    empty.mkdir()
    act(disk.build, place, fleet)
    before = dump(place)
    for what in ("update", "build"):
        done = run(what, place, empty)
        assert done.returncode == 3
        assert "nothing is stored" in done.stderr
        assert dump(place) == before
    assert [path.name for path in place.glob("generation-*")] == ["generation-000001"]


def test_one_file_named_and_found_is_read_as_each(tmp_path: Path, fleet: Path) -> None:
    """A file that was named is a pack or a fault; one that a folder brought may be something else."""
    place = tmp_path / "store"
    act(disk.build, place, fleet)
    other = fleet / "other.json"
    outcome, read = act(disk.update, place, *sorted(fleet.iterdir()))
    assert f"{other}" in read
    assert dump(place) == fresh(tmp_path, *sorted(fleet.iterdir()))
    act(disk.update, place, fleet)
    assert dump(place) == fresh(tmp_path, fleet)
    assert outcome.packs >= 3


def test_an_update_goes_on_as_the_store_was_built(tmp_path: Path, fleet: Path) -> None:
    place, vocab = tmp_path / "store", tmp_path / "acme.ttl"
    vocab.write_text(VOCABULARY.format(label="First"))
    write(
        fleet / "d-pack.yaml",
        pack(
            id="d",
            metadata=governed(vocabularies={"acme": "https://acme.example/v#"}, risk_classification="acme:Tier1"),
        ),
    )
    base = "https://packs.example.org/"
    act(disk.build, place, fleet, base_iri=base, vocab=str(vocab))
    write(fleet / "a-pack.yaml", agentless("a", description="Changed"))
    act(disk.update, place, fleet)
    text = dump(place)
    assert f"<{base}a/1.0.0>" in text and "packs.invalid" not in text and '"First"' in text
    act(disk.update, place, fleet, base_iri=base, vocab=str(vocab))
    with pytest.raises(UsageError, match=r"has the base IRI https://packs\.example\.org/"):
        act(disk.update, place, fleet, base_iri="https://packs.invalid/")
    vocab.write_text(VOCABULARY.format(label="Second"))
    with pytest.raises(UsageError, match="other vocabularies, or they have changed"):
        act(disk.update, place, fleet)
    vocab.unlink()
    with pytest.raises(InputError, match="the vocabulary cannot be read"):
        act(disk.update, place, fleet)
    assert dump(place) == text


def test_a_store_of_another_release_is_built_anew(tmp_path: Path, fleet: Path) -> None:
    place = tmp_path / "store"
    act(disk.build, place, fleet)
    manifest = place / "generation-000001" / "manifest.jsonl"
    manifest.write_text(manifest.read_text().replace(f'"{__version__}"', '"0.0.1"', 1))
    with pytest.raises(InputError, match=r"made by ppgov 0\.0\.1"):
        act(disk.update, place, fleet)
    manifest.write_text("{}\n")
    with pytest.raises(InputError, match="damaged"):
        act(disk.update, place, fleet)
    act(disk.build, place, fleet)
    assert dump(place) == fresh(tmp_path, fleet)


def test_a_folder_that_is_no_store_is_told(tmp_path: Path, fleet: Path) -> None:
    with pytest.raises(InputError, match="no such folder") as missing:
        disk.current(str(tmp_path / "missing"))
    assert missing.value.advice == f"ppgov store build {tmp_path / 'missing'} PATH... makes one"
    with pytest.raises(InputError, match="no ppgov store"):
        disk.current(str(fleet))
    with pytest.raises(InputError, match="no ppgov store"):
        disk.current(str(fleet / "a-pack.yaml"))
    place = tmp_path / "store"
    act(disk.build, place, fleet)
    pointer = place / "CURRENT"
    for text, message in (
        ("ppgov-store/9\ngeneration-000001\n", "has the format ppgov-store/9"),
        ("MANIFEST-000005\n", "no ppgov store"),
        ("ppgov-store/1\n../fleet\n", "is damaged"),
        ("ppgov-store/1\ngeneration-000007\n", "is damaged"),
    ):
        pointer.write_text(text)
        with pytest.raises(InputError, match=message):
            disk.current(str(place))
    pointer.unlink()
    with pytest.raises(InputError, match="never finished"):
        disk.current(str(place))


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path, fleet: Path) -> None:
    before = sorted(path.name for path in fleet.iterdir())
    done = run("build", fleet, fleet)
    assert (done.returncode, "holds something else" in done.stderr) == (3, True)
    assert sorted(path.name for path in fleet.iterdir()) == before
    done = run("build", fleet / "a-pack.yaml", fleet)
    assert (done.returncode, "cannot be written" in done.stderr) == (3, True)
    done = run("update", tmp_path / "missing", fleet)
    assert (done.returncode, "no such folder" in done.stderr) == (3, True)
    assert not (tmp_path / "missing").exists()


def test_standard_input_is_no_file_of_a_store(tmp_path: Path) -> None:
    done = run("build", tmp_path / "store", "-")
    assert (done.returncode, done.stderr.startswith("ppgov: a store is made of files")) == (2, True)


def test_the_second_writer_is_told_at_once(tmp_path: Path, fleet: Path) -> None:
    place = tmp_path / "store"
    act(disk.build, place, fleet)
    hold = "import fcntl, sys; f = open(sys.argv[1], 'ab'); fcntl.lockf(f, fcntl.LOCK_EX); print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", hold, place / "ppgov-store.lock"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        before = dump(place)  # reading goes on
        for what in ("build", "update"):
            done = run(what, place, fleet)
            assert done.returncode == 3
            assert done.stderr == (f"ppgov: {place}: another process is writing this store: wait until it has ended\n")
        assert dump(place) == before
        holder.communicate(b"\n")
    assert run("update", place, fleet).returncode == 0


def test_a_reader_goes_on_with_what_it_opened(tmp_path: Path, fleet: Path) -> None:
    place = tmp_path / "store"
    act(disk.build, place, fleet)
    before = dump(place)
    reader = Store.read_only(str(disk.current(str(place))))
    write(fleet / "a-pack.yaml", agentless("a", description="Changed"))
    act(disk.update, place, fleet)
    content = reader.dump(format=RdfFormat.N_QUADS)
    assert content is not None
    assert "".join(sorted(content.decode().splitlines(keepends=True))) == before != dump(place)
    act(disk.update, place, fleet)
    assert sorted(path.name for path in place.iterdir()) == [
        "CURRENT",
        "generation-000002",
        "generation-000003",
        "ppgov-store.lock",
    ]


def test_killed_before_any_step_the_store_is_the_old_or_the_new_one(tmp_path: Path, fleet: Path) -> None:
    """Every step in Python that changes a file of the store, of a first build and of an update."""
    place = tmp_path / "store"

    def killer(number: int, what: str) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-c", STEPS, str(place), str(number), "store", what, str(place), str(fleet)]
        return subprocess.run(line, capture_output=True, text=True, check=False)

    steps = killer(0, "build").stdout.splitlines()
    new = dump(place)
    assert [step.split()[0] for step in steps].count("os.rename") == 1
    states = set()
    for number in range(1, len(steps) + 1):
        shutil.rmtree(place, ignore_errors=True)
        assert killer(number, "build").returncode == -signal.SIGKILL
        if (place / "CURRENT").exists():
            assert dump(place) == new
        states.add((place / "CURRENT").exists())
        if number % 3 == 0:
            assert run("build", place, fleet).returncode == 0
            assert dump(place) == new
    assert states == {False}  # the rename is the last step, and it was never made
    run("build", place, fleet)
    run("update", place, fleet)
    write(fleet / "a-pack.yaml", agentless("a", description="Changed"))
    old, new = dump(place), fresh(tmp_path, fleet)
    steps = killer(0, "update").stdout.splitlines()
    assert dump(place) == new
    for number in _chosen(steps):
        write(fleet / "a-pack.yaml", agentless("a"))
        assert run("update", place, fleet).returncode == 0
        assert dump(place) == old
        write(fleet / "a-pack.yaml", agentless("a", description="Changed"))
        assert killer(number, "update").returncode == -signal.SIGKILL, steps[number - 1]
        assert dump(place) == old
    assert run("update", place, fleet).returncode == 0
    assert dump(place) == new


def _chosen(steps: list[str]) -> list[int]:
    """Each kind of step; of the many removals of old files only the first and the last."""
    removals = [number for number, step in enumerate(steps, 1) if step.startswith("os.remove")]
    return [number for number in range(1, len(steps) + 1) if number not in removals[1:-1]]


def test_killed_while_the_database_works(tmp_path: Path, fleet: Path) -> None:
    """Stepped delays, and the moments at which files of the database appear."""
    place = tmp_path / "store"
    act(disk.build, place, fleet)
    states = {dump(place)}
    write(fleet / "a-pack.yaml", agentless("a", description="Changed"))
    states.add(fresh(tmp_path, fleet))
    seen: list[str] = []
    for number in range(14):
        write(fleet / "a-pack.yaml", agentless("a", description="Changed") if number % 2 else agentless("a"))
        known = {path.name for path in place.iterdir()}
        with subprocess.Popen(command("update", place, fleet), stderr=subprocess.DEVNULL) as process:
            _wait(process, place, known, number)
            process.kill()
        seen.append(dump(place))
        assert seen[-1] in states
    write(fleet / "a-pack.yaml", agentless("a"))
    assert run("update", place, fleet).returncode == 0
    assert dump(place) == fresh(tmp_path, fleet)


def _wait(process: subprocess.Popen[bytes], place: Path, known: set[str], number: int) -> None:
    """Until the new generation has a database of so many files, or the process has ended."""
    end = time.monotonic() + 20
    while process.poll() is None and time.monotonic() < end:
        names = {path for path in place.glob("generation-*") if path.name not in known}
        if names and len(list(names.pop().glob("quads/*"))) >= 3 * number:
            time.sleep(0.004 * number)
            return


def test_workers_end_with_a_run_that_is_killed(tmp_path: Path) -> None:
    folder, place = tmp_path / "fleet", tmp_path / "store"
    for number in range(260):
        write(folder / f"p{number}-pack.json", agentless(f"p{number}"))
    with subprocess.Popen(command("build", "-j", "2", place, folder), stderr=subprocess.DEVNULL) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        if not children.exists():
            process.kill()
            pytest.skip("no /proc with children")
        workers: list[str] = []
        while process.poll() is None and len(workers) < 2:
            workers = children.read_text().split()
        process.kill()
    assert len(workers) == 2
    assert run("build", place, folder).returncode == 0  # no worker holds the lock
    end = time.monotonic() + 20
    while any(_runs(worker) for worker in workers) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(_runs(worker) for worker in workers)


def _runs(number: str) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
