"""Packs as pieces of N-Quads: which graphs are a file's own, and where its things are declared."""

from __future__ import annotations

import json
from pathlib import Path

from ppgov.fleet import Options, gather
from ppgov.shard import Shard, shards
from tests.packs import governed, pack, prompt, tool

TEXT = """\
id: card-desk
name: Desk
version: 2.1.0
template_engine: {version: v1, syntax: "{{x}}"}
prompts:
  chat: {id: chat, name: Chat, version: 1.0.0, system_template: Answer.}
tools:
  pay:
    name: pay
    description: Pays
metadata:
  governance:
    risk_classification: acme:Tier1
"""


def read(*paths: Path, located: bool = True) -> list[Shard]:
    return list(shards(gather([str(path) for path in paths]).targets, Options(), located=located))


def test_every_object_has_its_place(tmp_path: Path) -> None:
    path = tmp_path / "pack.yaml"
    path.write_text(TEXT)
    (shard,) = read(path)
    version = "https://packs.invalid/card-desk/2.1.0"
    graph = f"{version}/graph/{shard.sha256[:16] if shard.sha256 else ''}"
    assert shard.graphs[:2] == (f"{graph}/declared", f"{graph}/computed")
    assert shard.graphs[2].startswith(f"{graph}/places/")
    told = [line.split(" ", 2) for line in shard.quads.splitlines() if "/ns#declaredAt>" in line]
    places = {subject[1:-1]: rest.split('"')[1].removeprefix(f"{path}:") for subject, _, rest in told}
    assert places[f"{version}/tools/pay"] == "8:3"
    assert places[version] == places["https://packs.invalid/card-desk"] == "1:1"
    assert places[f"{version}/terms/pack/acme%3ATier1"] == "13:26"
    assert all(f"<{shard.graphs[2]}>" in rest for _, _, rest in told)


def test_places_are_left_out_where_nobody_asks(tmp_path: Path) -> None:
    path = tmp_path / "pack.yaml"
    path.write_text(TEXT)
    (with_places,), (without,) = read(path), read(path, located=False)
    kept = [line for line in with_places.quads.splitlines() if "/places/" not in line]
    assert kept == without.quads.splitlines()


def test_two_copies_of_a_pack_have_two_graphs_of_places_and_one_of_each_other_kind(tmp_path: Path) -> None:
    text = json.dumps(pack(tools={"pay": tool("pay")}, prompts={"chat": prompt("chat")}, metadata=governed()))
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(text)
    first, second = read(tmp_path)
    assert first.graphs[:2] == second.graphs[:2]
    assert first.graphs[2] != second.graphs[2]


def test_what_is_no_pack_or_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("{}")
    (tmp_path / "pack.json").write_text("{")
    other, broken = read(tmp_path)
    assert (other.quads, other.problem) == ("", None)
    assert other.skipped == "no `prompts` and `template_engine`"
    assert broken.problem is not None and broken.problem.rule == "PPG103"
    assert (broken.quads, broken.skipped) == ("", "")
