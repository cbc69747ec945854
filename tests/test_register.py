"""The register: one row an agent, the same words in every format, silence and malformed values never as if declared."""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import UTC, datetime
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from click.testing import CliRunner, Result

from ppgov.cli.register import register as command
from ppgov.errors import UsageError
from ppgov.fleet import Options, Target, each, gather
from ppgov.register import FORMATS, Register, record, register, write
from ppgov.register.build import AUTONOMY
from ppgov.register.counting import Table, tables
from ppgov.register.figures import draw
from ppgov.register.model import Agent
from ppgov.register.reports import free_name, link
from ppgov.register.sheets import problems
from ppgov.register.words import COLUMNS, flat
from tests.full_pack import full_pack
from tests.packs import governed, pack, prompt, tool

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)
STAMP = "2026-12-01T09:00:00Z"
HOSTILE = "=cmd|' /C calc'!A0</script><img src=x onerror=alert(1)>|`*[x](y)"


def scope(**parts: Any) -> dict[str, Any]:
    return {"action_scope": parts}


def team() -> dict[str, Any]:
    """Two agents: one overrides autonomy and obligations, the other inherits all."""
    return pack(
        id="team",
        version="2.0.0",
        prompts={
            "lead": prompt("lead", tools=["look", "pay", "odd"], evals=[{"id": "tone", "type": "x", "trigger": "x"}]),
            "aide": prompt(
                "aide",
                tools=["look", "mute"],
                tested_models=[{"provider": "p", "model": "m", "date": "2026-01-02"}],
            ),
        },
        tools={
            "pay": tool("pay", **scope(effect="external", reversibility="irreversible", data_classes=["pd:Name"])),
            "look": tool("look", **scope(effect="read", reversibility="reversible", data_classes=["pd:Name"])),
            "odd": tool("odd", **scope(effect=["write"], reversibility="reversible")),
            "mute": tool("mute"),
        },
        agents={
            "entry": "lead",
            "members": {
                "lead": {
                    "governance": {
                        "autonomy_level": "acts_autonomously",
                        "obligations": [
                            {"id": "log", "obligation": "dpv:LoggingPolicy", "controls": [{"external": "board"}]}
                        ],
                    }
                },
                "aide": {},
            },
        },
        requires={"providers": ["main", {"key": "spare", "role": "llm", "required": False}]},
        metadata=governed(
            intended_purpose="Pays claims",
            accountable_owner="claims",
            autonomy_level="suggests",
            risk_classification="risk:HighRisk",
            capabilities=[],
            requires_ai_disclosure=False,
            obligations=[
                {
                    "id": "watch",
                    "obligation": "own words",
                    "controls": [{"eval": "tone"}, {"eval": "gone"}, {"field": "accountable_owner"}, 3],
                }
            ],
            reviews=[
                {"id": "bias", "type": "pp:BiasTesting", "cadence": "P3M", "owner": "audit"},
                {"id": "look", "type": "x", "cadence": "quarterly", "satisfies": ["watch"]},
            ],
        ),
    )


def odd() -> dict[str, Any]:
    """A pack without agents whose values are not of the format."""
    return pack(
        id="odd",
        metadata=governed(
            autonomy_level="autonomous",
            accountable_owner=["a", "b"],
            operator_role=HOSTILE,
            obligations="none",
            reviews=[],
            approved_environments="prod",
        ),
    )


def bare() -> dict[str, Any]:
    return pack(id="bare")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    packs = tmp_path / "packs"
    packs.mkdir()
    for name, data in (("a-team", team()), ("b-odd", odd()), ("c-bare", bare())):
        (packs / f"{name}.json").write_text(json.dumps(data, indent=1))
    (packs / "d-broken-pack.yaml").write_text("id: [broken\n")
    (packs / "other.json").write_text("{}")
    return packs


def read(*paths: str) -> Register:
    targets = gather(paths).targets
    return register(each(targets, partial(record, options=Options()), 1), generated_at=NOW)


def row(whole: Register, number: int) -> dict[str, str]:
    entry, agent = whole.rows[number]
    return {column.key: flat(column.lines(entry, agent)) for column in COLUMNS}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, [*arguments, "--now", STAMP], standalone_mode=False)


def test_autonomy_levels_are_the_formats() -> None:
    schema = (Path(__file__).parents[1] / "vocab" / "promptpack-1.9.0.schema.json").read_text()
    named = re.search(r'"suggests",[^\]]*', schema)
    assert named is not None
    assert tuple(re.findall(r'"(\w+)"', named[0])) == AUTONOMY


def test_one_row_an_agent_in_file_order(folder: Path) -> None:
    whole = read("packs")
    assert [(entry.id, agent.key) for entry, agent in whole.rows] == [
        ("team", "lead"),
        ("team", "aide"),
        ("odd", None),
        ("bare", None),
    ]
    assert [entry.path for entry in whole.unread] == ["packs/d-broken-pack.yaml"]


def test_the_row_of_an_agent(folder: Path) -> None:
    lead = row(read("packs"), 0)
    digest = lead.pop("digest")
    assert re.fullmatch("[0-9a-f]{64}", digest)
    assert lead == {
        "agent": "lead",
        "pack": "team",
        "version": "2.0.0",
        "file": "packs/a-team.json",
        "purpose": "Pays claims",
        "owner": "claims",
        "autonomy": "acts_autonomously",
        "autonomy_origin": "declared by the agent",
        "role": "not declared",
        "risk": "risk:HighRisk (High Risk)",
        "contexts": "not declared",
        "capabilities": "declared, empty",
        "environments": "not declared",
        "disclosure": "false",
        "tools": "3",
        "consequences": "read, reversible: 1 tool; external (implies write), irreversible: 1 tool; "
        '["write"] (not of the format; shown as written), reversible: 1 tool',
        "undeclared": "0",
        "data_classes": "pd:Name (Name); not declared by 1 of 3 tools",
        "obligations": "log: dpv:LoggingPolicy (Logging Policy) "
        "(external controls only: nothing in this pack to resolve)",
        "controls": "external: 1 (handled elsewhere, nothing to resolve)",
        "reviews": "bias: every 3 months (P3M), owner audit; "
        "look: quarterly (not of the format; shown as written), owner not declared",
        "providers": "main (bare name: llm and required by default); spare (role llm, required false)",
        "models": "not declared",
        "errors": lead["errors"],
        "warnings": lead["warnings"],
        "notes": lead["notes"],
        "remark": "",
    }


def test_what_an_agent_inherits_says_so(folder: Path) -> None:
    aide = row(read("packs"), 1)
    assert aide["autonomy"] == "suggests"
    assert aide["autonomy_origin"] == "inherited from the pack"
    assert aide["controls"] == "field: 1 (1 found); eval: 2 (1 found, 1 leads nowhere); cannot be read: 1"
    assert aide["consequences"] == "read, reversible: 1 tool"
    assert aide["undeclared"] == "1"
    assert aide["data_classes"] == "pd:Name (Name); not declared by 1 of 2 tools"
    assert aide["models"] == "p m (2026-01-02)"


def test_values_that_are_not_of_the_format_are_shown_and_marked(folder: Path) -> None:
    strange = row(read("packs"), 2)
    mark = "(not of the format; shown as written)"
    assert strange["agent"] == "the pack itself (no agents declared)"
    assert strange["autonomy"] == f"autonomous {mark}"
    assert strange["owner"] == f'["a", "b"] {mark}'
    assert strange["environments"] == f'"prod" {mark}'
    assert strange["obligations"] == f"none {mark}" or strange["obligations"] == f'"none" {mark}'
    assert strange["reviews"] == "declared, empty"
    assert strange["role"] == HOSTILE
    assert strange["autonomy_origin"] == "declared by the pack"


def test_silence_is_not_declared(folder: Path) -> None:
    silent = row(read("packs"), 3)
    assert {key for key, text in silent.items() if text == "not declared"} == {
        *("purpose", "owner", "autonomy", "autonomy_origin", "role", "risk", "contexts", "capabilities"),
        *("environments", "disclosure", "obligations", "controls", "reviews", "providers", "models"),
    }
    assert silent["consequences"] == silent["data_classes"] == "reaches no tool"


def test_a_text_that_reads_like_silence_is_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text(json.dumps(pack(metadata=governed(accountable_owner="Not declared"))))
    assert row(read(str(path)), 0)["owner"] == '"Not declared" (as written)'


def test_an_id_and_a_version_that_are_no_texts(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text(json.dumps(pack(id=7, version=None)))
    whole = read(str(path))
    assert row(whole, 0)["pack"] == "7 (not of the format; shown as written)"
    assert row(whole, 0)["version"] == "null (not of the format; shown as written)"
    data = pack()
    del data["id"], data["version"]
    path.write_text(json.dumps(data))
    assert (row(read(str(path)), 0)["pack"], row(read(str(path)), 0)["version"]) == ("id not declared", "not declared")


def test_a_disabled_control_stands_apart(tmp_path: Path) -> None:
    data = team()
    data["prompts"]["lead"]["evals"][0]["enabled"] = False
    path = tmp_path / "p.json"
    path.write_text(json.dumps(data))
    assert row(read(str(path)), 1)["controls"] == (
        "field: 1 (1 found); eval: 2 (1 switched off, 1 leads nowhere); cannot be read: 1"
    )


def test_an_inherited_control_that_comes_out_otherwise(tmp_path: Path) -> None:
    """A field that only the agent declares: the pack's own obligation is judged for each subject."""
    data = team()
    obligation = {"id": "own", "obligation": "x", "controls": [{"field": "operator_role"}]}
    data["metadata"]["governance"]["obligations"] = [obligation]
    data["agents"]["members"]["aide"] = {"governance": {"operator_role": "dpv:DataController"}}
    path = tmp_path / "p.json"
    path.write_text(json.dumps(data))
    assert row(read(str(path)), 1)["controls"] == "field: 1 (1 found)"
    del data["agents"]["members"]["aide"]["governance"]
    path.write_text(json.dumps(data))
    assert row(read(str(path)), 1)["controls"] == "field: 1 (1 field not declared)"


def test_an_agent_without_a_name(tmp_path: Path) -> None:
    data = team()
    data["agents"]["members"] = {"": {"governance": {"obligations": [{"id": "own", "obligation": "x"}]}}}
    path = tmp_path / "p.json"
    path.write_text(json.dumps(data))
    (entry,) = read(str(path)).packs
    assert [found.id for found in entry.agents[0].obligations] == ["own"]
    assert [found.id for found in entry.agents[0].reviews] == ["bias", "look"]


def test_agents_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    data = team()
    data["agents"]["members"]["ghost"] = 3
    path = tmp_path / "p.json"
    path.write_text(json.dumps(data))
    whole = read(str(path))
    assert [agent.key for _, agent in whole.rows] == ["lead", "aide"]
    assert [reason for _, _, reason in problems(whole)] == ["agent 'ghost' is no mapping"]
    assert "ghost" in write(whole, "html").decode()


def test_same_id_and_version_other_content(folder: Path) -> None:
    changed = team() | {"description": "other"}
    (folder / "e-team.json").write_text(json.dumps(changed))
    (folder / "f-team.json").write_text((folder / "a-team.json").read_text())
    whole = read("packs")
    remarks = {entry.path: entry.twins for entry in whole.packs if entry.id == "team"}
    assert remarks == {
        "packs/a-team.json": ("packs/e-team.json",),
        "packs/e-team.json": ("packs/a-team.json", "packs/f-team.json"),
        "packs/f-team.json": ("packs/e-team.json",),
    }
    assert row(whole, 0)["remark"] == "same id and version, other content: packs/e-team.json"


# The formats.


def grid(content: bytes, name: str = "Agents") -> list[list[Any]]:
    book = openpyxl.load_workbook(io.BytesIO(content))
    return [[cell.value for cell in line] for line in book[name].iter_rows()]


def test_the_workbook_has_every_sheet_and_no_formula(folder: Path) -> None:
    book = openpyxl.load_workbook(io.BytesIO(write(read("packs"), "xlsx")))
    assert book.sheetnames == ["Agents", "Tools", "Obligations", "Reviews", "Findings", "Packs", "Counts", "About"]
    for page in book:
        assert page.freeze_panes == "A2"
        assert page.auto_filter.ref is not None
        for line in page.iter_rows():
            for cell in line:
                assert cell.data_type != "f" and cell.hyperlink is None
                assert not isinstance(cell.value, datetime)


def test_the_sheets_say_what_the_rows_say(folder: Path) -> None:
    whole = read("packs")
    content = write(whole, "xlsx")
    agents = grid(content)
    assert agents[0] == [column.title for column in COLUMNS]
    for number in range(len(whole.rows)):
        expected = row(whole, number)
        got = dict(zip([column.key for column in COLUMNS], agents[number + 1], strict=True))
        assert got.pop("digest") == expected.pop("digest")[:12]
        assert {key: str(value or (0 if value == 0 else "")).replace("\n", "; ") for key, value in got.items()} == (
            expected
        )
    assert agents[5][0] == "could not be read" and agents[5][4] == "packs/d-broken-pack.yaml"
    tools = grid(content, "Tools")
    assert [line[4] for line in tools[1:]] == ["pay", "look", "odd", "mute"]
    assert tools[2][6:] == ["read", "reversible", "pd:Name (Name)", "lead\naide", 2]
    assert tools[3][6] == '["write"] (not of the format; shown as written)'
    assert tools[4][6:9] == ["not declared"] * 3
    obligations = grid(content, "Obligations")
    assert [(line[0], line[4], line[5], line[6]) for line in obligations[1:]] == [
        ("team", "lead", "agent", "log"),
        ("team", "aide", "pack", "watch"),
        ("odd", "the pack itself (no agents declared)", None, row(whole, 2)["obligations"]),
        ("bare", "the pack itself (no agents declared)", None, "not declared"),
    ]
    assert obligations[1][13] == "external board (handled elsewhere; nothing to resolve)"
    assert obligations[1][15] == 0 and obligations[2][15] == 2 and obligations[2][14] == 1
    reviews = grid(content, "Reviews")
    assert [line[6] for line in reviews[1:]] == ["bias", "look", "bias", "look", "declared, empty", "not declared"]
    assert reviews[1][8:11] == ["P3M", "every 3 months", "audit"]
    assert reviews[2][8:12] == [
        "quarterly (not of the format; shown as written)",
        None,
        "not declared",
        "obligation watch (leads nowhere)",
    ]
    findings = grid(content, "Findings")
    assert findings[1][:3] == ["team", "2.0.0", "packs/a-team.json"]
    assert findings[-1][2] == "packs/d-broken-pack.yaml"


def test_csv_is_inert_and_says_the_same(folder: Path) -> None:
    whole = read("packs")
    content = write(whole, "csv")
    assert content.count(b"\r\n") == len(content.splitlines()) and not content.startswith(b"\xef\xbb\xbf")
    lines = list(csv.reader(io.StringIO(content.decode(), newline="")))
    assert lines[0] == [column.title for column in COLUMNS]
    for number in range(len(whole.rows)):
        expected = [text if text != HOSTILE else f"'{HOSTILE}" for text in row(whole, number).values()]
        assert lines[number + 1] == expected
    assert lines[5][0] == "could not be read" and "PPG103" in lines[5][-1]
    assert not [cell for line in lines for cell in line if cell[:1] in {"=", "+", "-", "@", "\t", "\r"}]


def test_json_has_everything(folder: Path) -> None:
    data = json.loads(write(read("packs"), "json"))
    assert list(data) == ["format", "ppgov", "generated_at", "vocabularies", "summary", "packs", "unread", "counts"]
    assert data["format"] == "ppgov-register/1" and data["generated_at"] == STAMP
    assert {name: data["summary"][name] for name in ("packs", "unread", "rows", "agents")} == {
        "packs": 3,
        "unread": 1,
        "rows": 4,
        "agents": 2,
    }
    lead = data["packs"][0]["agents"][0]
    assert lead["fields"]["autonomy_level"] == {
        "declared": True,
        "origin": "agent",
        "of_format": True,
        "values": [{"written": "acts_autonomously", "iri": None, "label": None}],
        "left_out": 0,
    }
    assert lead["fields"]["operator_role"]["declared"] is False
    assert lead["computed"]["consequences"] == [
        {"effect": "read", "reversibility": "reversible", "tools": 1},
        {"effect": "external", "reversibility": "irreversible", "tools": 1},
        {"effect": '["write"]', "reversibility": "reversible", "tools": 1},
    ]
    assert lead["obligations"]["entries"][0]["controls"] == [
        {"kind": "external", "written": "board", "outcome": "not-resolvable"}
    ]
    assert data["packs"][1]["agents"][0]["fields"]["operator_role"]["values"][0]["written"] == HOSTILE
    assert data["packs"][1]["agents"][0]["obligations"]["of_format"] is False
    assert data["unread"][0]["path"] == "packs/d-broken-pack.yaml"


def test_markdown_rows_stay_rows(folder: Path) -> None:
    text = write(read("packs"), "markdown").decode()
    table = text.partition("## Agents\n")[2].partition("\n## ")[0].strip().splitlines()
    assert len(table) == 2 + 4
    bars = [len(re.findall(r"(?<!\\)\|", line)) for line in table]
    assert bars == [len(COLUMNS) + 1] * 6
    assert "<img" not in text and "](y)" not in text.replace("\\]", "")
    assert "## Could not be read" in text and "packs/d-broken-pack.yaml" in text
    assert "not declared" in table[-1]


def test_long_cells_say_what_they_leave_out(tmp_path: Path) -> None:
    obligations = [{"id": f"o{number}", "obligation": "x"} for number in range(30)]
    path = tmp_path / "p.json"
    path.write_text(json.dumps(pack(metadata=governed(intended_purpose="w" * 12_000, obligations=obligations))))
    whole = read(str(path))
    for form in ("html", "markdown"):
        text = write(whole, form).decode().replace("\\[", "[").replace("\\]", "]")
        assert "w" * 600 + " … [cut after 600 characters]" in text
        assert "w" * 601 not in text and "… and 5 more" in text and "o24" in text and "o25" not in text
    assert "w" * 10_000 + " … [2,000 more characters]" in write(whole, "csv").decode()
    assert grid(write(whole, "xlsx"))[1][5].endswith(" … [2,000 more characters]")


def test_html_holds_the_rows_and_no_markup_of_packs(folder: Path) -> None:
    whole = read("packs")
    text = write(whole, "html").decode()
    body = text.partition("<tbody>")[2]
    assert text.count("<tr data-") == 4
    assert "<img" not in text and text.count("</script>") == 2
    assert "onerror=alert(1)" in text and "&lt;img src=x onerror=alert(1)&gt;" in body
    assert not re.search(r"<[^>]*\son\w+=", re.sub(r"(?s)<script>.*?</script>", "", text))
    assert not re.search(r"<[^>]*\sstyle=", text)
    assert "default-src 'none'" in text
    for number in range(4):
        for key in ("owner", "risk", "contexts"):
            assert escape(row(whole, number)[key].split("; ")[0].split(" (")[0]) in body


@pytest.mark.parametrize("form", FORMATS)
def test_same_input_same_bytes(folder: Path, form: str) -> None:
    assert write(read("packs"), form) == write(read("packs"), form)


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_at_all(tmp_path: Path, form: str) -> None:
    assert write(register([], generated_at=NOW), form)


@pytest.mark.parametrize("form", ["html", "markdown"])
def test_the_register_judges_nothing(folder: Path, form: str) -> None:
    text = write(read("packs"), form).decode()
    assert not re.search(r"\b(compliant|complies|certified|passed|score of|safe to|ranked)\b", text, re.IGNORECASE)


# The numbers.


def by_key(whole: Register) -> dict[str, Table]:
    return {table.key: table for table in tables(whole)}


def test_the_numbers_of_each_table_add_up(folder: Path) -> None:
    whole = read("packs", str(Path(__file__).parents[1] / "samples"))
    rows = len(whole.rows)
    found = by_key(whole)
    for table in found.values():
        assert sum(number for line in table.rows for number in line.numbers) == table.total
        assert sum(table.column_total(index) for index in range(len(table.columns))) == table.total
        for share in table.shares:
            assert 0 <= share.part <= share.whole
    agents: list[Agent] = [agent for _, agent in whole.rows]
    assert found["risk"].total == rows
    assert sum(line.beside[0] for line in found["autonomy"].rows) == rows
    assert found["autonomy"].total == sum(len(agent.tools) for agent in agents)
    assert found["reviews"].total == sum(len(agent.reviews) for agent in agents)
    assert found["controls"].total == sum(len(o.controls) + o.malformed for a in agents for o in a.obligations)


def test_the_numbers_by_hand(folder: Path) -> None:
    found = by_key(read("packs"))
    autonomy = {line.label: line.numbers for line in found["autonomy"].rows}
    assert found["autonomy"].columns == (
        "read",
        "write",
        "external (implies write)",
        '["write"] (not of the format)',
        "not declared",
    )
    assert autonomy == {
        "suggests": (1, 0, 0, 0, 1),
        "acts_with_approval": (0, 0, 0, 0, 0),
        "acts_with_oversight": (0, 0, 0, 0, 0),
        "acts_autonomously": (1, 0, 1, 1, 0),
        "autonomous (not of the format)": (0, 0, 0, 0, 0),
        "not declared": (0, 0, 0, 0, 0),
    }
    assert [share[1:] for share in found["autonomy"].shares] == [(1, 4), (1, 5)]
    controls = {line.label: (line.numbers, line.beside) for line in found["controls"].rows}
    assert found["controls"].columns == ("found", "switched off", "not found", "handled elsewhere", "cannot be read")
    assert controls == {
        "field (declared)": ((1, 0, 0, 0, 0), (1, 0)),
        "validator (enforced)": ((0, 0, 0, 0, 0), (0, 0)),
        "eval (watched)": ((1, 0, 1, 0, 0), (1, 0)),
        "external (handled elsewhere)": ((0, 0, 0, 1, 0), (1, 1)),
        "cannot be read": ((0, 0, 0, 0, 1), (1, 0)),
    }
    assert [share[1:] for share in found["controls"].shares] == [(1, 4), (0, 2)]
    reviews = {line.label: line.numbers for line in found["reviews"].rows}
    assert found["reviews"].columns == ("every 3 months", "no duration: quarterly", "not declared")
    assert reviews == {"audit": (2, 0, 0), "not declared": (0, 2, 0)}
    risk = {line.label: line.numbers for line in found["risk"].rows}
    assert risk == {"risk:HighRisk (High Risk)": (2,), "not declared": (2,)}


def test_many_names_are_summed_up_and_still_add_up(tmp_path: Path) -> None:
    for number in range(40):
        reviews = [{"id": "r", "type": "x", "cadence": f"P{number + 1}D", "owner": f"team {number}"}]
        data = pack(id=f"p{number}", metadata=governed(risk_classification=f"class {number}", reviews=reviews))
        (tmp_path / f"{number:02}.json").write_text(json.dumps(data))
    found = by_key(read(str(tmp_path)))
    assert len(found["reviews"].rows) == 13 and len(found["reviews"].columns) == 9
    assert (
        found["reviews"].rows[-2].label == "all other owners" and found["reviews"].columns[-2] == "all other cadences"
    )
    assert len(found["risk"].rows) == 15 and found["risk"].rows[-2].numbers == (27,)
    for table in found.values():
        assert sum(number for line in table.rows for number in line.numbers) == table.total
        assert draw(table).text.startswith("<svg")


def test_a_picture_shows_every_number_and_silence_by_a_pattern(folder: Path) -> None:
    for table in tables(read("packs")):
        text = draw(table).text
        assert f'aria-label="{table.title}' in text
        for line in table.rows:
            for number in line.numbers:
                assert not number or f">{number}<" in text or f">{number} of {table.total}<" in text
    risk = draw(by_key(read("packs"))["risk"]).text
    assert risk.count('fill="url(#risk-silent)"') == 1


# The command.


@pytest.mark.parametrize("form", FORMATS)
def test_the_command_writes_each_format(folder: Path, form: str) -> None:
    result = run("packs", "--format", form, "-o", "out/register")
    assert result.return_value == 3
    assert "d-broken-pack.yaml: could not be read" in result.stderr
    written = Path("out/register").read_bytes()
    assert written[:2] == b"PK" if form == "xlsx" else written.decode()
    assert run("packs", "--format", form).stdout_bytes == written


def test_readable_packs_exit_0(folder: Path) -> None:
    assert run("packs/a-team.json", "packs/b-odd.json", "-o", "r.html").return_value == 0


def test_a_folder_without_packs(tmp_path: Path) -> None:
    result = run(str(tmp_path), "-o", str(tmp_path / "r.html"))
    assert result.return_value == 3 and "no pack found" in result.stderr


def test_reports_are_written_and_linked(folder: Path) -> None:
    (folder / "e-team.json").write_text(json.dumps(team() | {"description": "other"}))
    result = run("packs", "-o", "out/deep/r.html", "--reports", "out/reports")
    assert result.return_value == 3
    names = sorted(path.name for path in Path("out/reports").iterdir())
    assert names == ["bare-1.0.0.html", "odd-1.0.0.html", "team-2.0.0.html", "team-2.0.0~2.html"]
    links = re.findall(r'<a href="([^"#]+)"', Path("out/deep/r.html").read_text())
    assert links == [
        *("../reports/team-2.0.0.html",) * 2,
        "../reports/odd-1.0.0.html",
        "../reports/bare-1.0.0.html",
        *("../reports/team-2.0.0~2.html",) * 2,
    ]
    for target in links:
        assert "<title>Governance report" in (Path("out/deep") / target).read_text()


def test_reports_cannot_be_made_of_standard_input(folder: Path) -> None:
    result = run("-", "--reports", "out")
    assert isinstance(result.exception, UsageError)


def test_a_link_is_a_relative_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert link("reports/a b#?.html", "r.html") == "reports/a%20b%23%3F.html"
    assert link("javascript:x/a.html", "r.html") == "javascript%3Ax/a.html"
    assert link("reports/a.html", "out/r.html") == "../reports/a.html"
    assert link("reports/a.html", None) == "reports/a.html"


def test_two_reports_never_share_a_file() -> None:
    taken: dict[str, int] = {}
    assert [free_name(name, taken) for name in ("a-1.html", "A-1.html", "a-1~2.html", "a-1.html")] == [
        "a-1.html",
        "A-1~2.html",
        "a-1~2~2.html",
        "a-1~3.html",
    ]


@pytest.mark.parametrize("value", [None, 0, True, "x", [], ["x", 3, None], {}, {"a": [1]}, 1.5])
def test_no_value_in_any_place_stops_a_register(tmp_path: Path, value: object) -> None:
    """Each place of a full pack holds the value once; every format still comes out."""
    whole = full_pack()
    places: list[tuple[str | int, ...]] = [
        *((name,) for name in whole),
        *(("metadata", "governance", name) for name in whole["metadata"]["governance"]),
        *(("tools", "look", "action_scope", name) for name in ("effect", "reversibility", "data_classes")),
        *(("agents", "members"), ("agents", "members", "chat"), ("agents", "members", "chat", "governance")),
        *(("metadata", "governance", "obligations", 0, name) for name in ("id", "obligation", "controls", "note")),
        *(("metadata", "governance", "reviews", 0, name) for name in ("id", "type", "cadence", "owner", "satisfies")),
        *(("requires", "providers"), ("prompts", "chat", "tested_models"), ("prompts", "chat", "tools")),
    ]
    for number, place in enumerate(places):
        data: Any = full_pack()
        holder: Any = data
        for token in place[:-1]:
            holder = holder[token]
        holder[place[-1]] = value
        (tmp_path / f"{number:03}-pack.json").write_text(json.dumps(data))
    found = read(str(tmp_path))
    assert len(found.packs) + len(found.unread) >= len(places) - 3
    for form in FORMATS:
        assert write(found, form)
    for table in tables(found):
        assert sum(count for line in table.rows for count in line.numbers) == table.total


def test_several_processes_give_the_same(folder: Path) -> None:
    targets = [Target(str(path), named=True) for path in sorted(folder.glob("*.json"))[:3]] * 80
    act = partial(record, options=Options())
    assert list(each(targets, act, 2)) == list(each(targets, act, 1))
