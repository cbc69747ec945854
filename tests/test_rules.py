"""The registry and its sample packs: every rule has a bad pack that fires it once and a good one that is clean."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ppgov.audit import Audit, audit_path
from ppgov.checks import BY_ID, BY_NAME, RULES, Rule
from ppgov.findings import Finding

BROKEN = Path(__file__).parent.parent / "samples" / "broken"
FOLDERS = sorted(path for path in BROKEN.iterdir() if path.is_dir())


def findings(path: Path) -> tuple[Finding, ...]:
    directory = path.parent / "people.txt"
    people = (
        frozenset(line.strip().casefold() for line in directory.read_text().splitlines())
        if directory.exists()
        else frozenset()
    )
    result = audit_path(str(path), people=people)
    return result.findings if isinstance(result, Audit) else (result.finding,)


def test_ids_are_unique_and_well_formed() -> None:
    assert len(BY_ID) == len(BY_NAME) == len(RULES) == 69
    for row in RULES:
        assert re.fullmatch(r"PPG[1-7]\d\d", row.id)
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", row.name)


@pytest.mark.parametrize("row", RULES, ids=lambda row: row.id)
def test_each_manual_says_what_why_and_how(row: Rule) -> None:
    assert row.clause
    assert row.title.endswith((".", ":", ",", ";")) or "\n" in row.manual
    for part in ("Why: ", "Fix: "):
        assert part in row.manual, f"{row.id} lacks {part}"


def test_every_rule_has_its_folder() -> None:
    assert [folder.name for folder in FOLDERS] == [f"{row.id}-{row.name}" for row in RULES]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_bad_pack_fires_its_rule_once_and_the_good_one_is_clean(folder: Path) -> None:
    rule = folder.name[:6]
    (bad,) = sorted(folder.glob("bad.*"))
    (good,) = sorted(folder.glob("good.*"))
    found = findings(bad)
    assert [finding.rule for finding in found] == [rule]
    assert found[0].level == BY_ID[rule].level
    assert found[0].message
    assert found[0].hint
    assert findings(good) == ()
