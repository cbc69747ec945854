"""The directory of people: names that stand for a person, in three forms of file."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppgov.directory import people
from ppgov.errors import InputError
from tests.packs import governed, pack
from tests.test_cli import run, write


@pytest.mark.parametrize(
    ("name", "text", "names"),
    [
        ("people.txt", "# staff\nJane.Doe\n\n  bob  \n", {"jane.doe", "bob"}),
        ("people.csv", "id,name,unit\njdoe,Jane Doe,Risk\n", {"jdoe", "jane doe"}),
        ("people.csv", "\ufeffkind,name\nperson,Ann\nteam,risk\n,Bo\n", {"ann", "bo"}),
        (
            "people.json",
            '["Jane", {"id": "b1", "email": "b@x.org"}, {"name": "ops", "kind": "team"}]',
            {"jane", "b1", "b@x.org"},
        ),
        ("people.csv", "name\n", set()),
    ],
)
def test_who_is_a_person(tmp_path: Path, name: str, text: str, names: set[str]) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert people(str(path)) == names


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("people.csv", b"unit,kind\nrisk,person\n", "people.csv:1: no column named id, name, email"),
        ("people.csv", b"", "no column named"),
        ("people.json", b"{", "no JSON"),
        ("people.json", b"[" * 100_000, "no JSON"),
        ("people.json", b"{}", "not a list"),
        ("people.json", b"[3]", "entry 1 is neither"),
        ("people.json", b'["a", {"team": "b"}]', "entry 2 is neither"),
        ("people.json", b'[{"name": 3}]', "entry 1 has a name that is no text"),
        ("people.txt", b"\xff", "cannot be read"),
    ],
)
def test_what_is_no_directory_is_refused(tmp_path: Path, name: str, content: bytes, says: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        people(str(path))
    assert says in caught.value.message
    assert caught.value.advice


def test_an_absent_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        people(str(tmp_path / "none.csv"))


def test_an_owner_who_is_a_person_is_a_warning(tmp_path: Path) -> None:
    reviews = [{"id": "r", "type": "dpv:Audit", "cadence": "P1Y", "owner": "Jane Doe"}]
    path = write(tmp_path / "p.json", pack(metadata=governed(accountable_owner="jane doe", reviews=reviews)))
    (tmp_path / "people.csv").write_text("name\nJANE DOE\n")
    done = run("check", path, "--directory", str(tmp_path / "people.csv"), "-q")
    assert done.returncode == 0
    assert "the accountable owner 'jane doe' is listed as a person" in done.stdout
    assert "the owner 'Jane Doe' is listed as a person" in done.stdout
    assert "listed as a person" not in run("check", path).stdout
