"""The commands as a user runs them: output contracts, exit codes, and whole files or none."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ppgov.checks import RULES
from ppgov.cli import cli
from tests.conftest import has_pango
from tests.packs import governed, pack, prompt, tool

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "samples" / "support-assistant.yaml"


def run(
    *arguments: str, stdin: bytes | None = None, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run ppgov as its own process: exit codes and streams are those that a shell sees."""
    done = subprocess.run(
        [sys.executable, "-m", "ppgov", *arguments],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        check=False,
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def write(path: Path, data: Any) -> str:
    path.write_text(json.dumps(data, indent=1))
    return str(path)


def broken() -> dict[str, Any]:
    return pack(
        metadata=governed(
            obligations=[
                {"id": "o", "obligation": "legal-eu-gdpr:A22", "controls": [{"external": "x"}, {"eval": "ghost"}]}
            ],
            risk_classification="acme:Tier1",
        )
    )


def test_check_json_contract(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", broken())
    done = run("check", path, "--format", "json")
    assert done.returncode == 1
    assert done.stderr == ""
    answer = json.loads(done.stdout)
    assert list(answer) == ["format", "ppgov", "packs", "summary"]
    assert answer["format"] == "ppgov-check/1"
    assert answer["summary"] == {"packs": 1, "errors": 1, "warnings": 1, "notes": 0}
    (entry,) = answer["packs"]
    assert list(entry) == ["path", "id", "version", "sha256", "canonical_sha256", "audited", "findings"]
    assert (entry["path"], entry["id"], entry["version"], entry["audited"]) == (path, "desk", "1.0.0", True)
    assert len(entry["sha256"]) == len(entry["canonical_sha256"]) == 64
    error = next(finding for finding in entry["findings"] if finding["level"] == "error")
    assert list(error) == ["rule", "name", "level", "message", "hint", "pointer", "line", "column"]
    assert (error["rule"], error["name"]) == ("PPG204", "unresolved-eval")
    assert error["pointer"] == "/metadata/governance/obligations/0/controls/1/eval"
    line = (tmp_path / "a.json").read_text().splitlines()[error["line"] - 1]
    assert line[error["column"] - 1 :] == '"ghost"'


def test_an_unreadable_pack_in_json(tmp_path: Path) -> None:
    good, bad, absent = write(tmp_path / "a.json", pack()), tmp_path / "b.json", str(tmp_path / "c.json")
    bad.write_bytes(b'{"id": }')
    done = run("check", good, str(bad), absent, "--format", "json")
    assert done.returncode == 3
    packs = json.loads(done.stdout)["packs"]
    assert [entry["audited"] for entry in packs] == [True, False, False]
    for entry in packs[1:]:
        assert (entry["id"], entry["version"], entry["canonical_sha256"]) == (None, None, None)
        assert [finding["level"] for finding in entry["findings"]] == ["error"]
        assert entry["findings"][0]["rule"].startswith("PPG1")
    assert packs[1]["sha256"] is not None
    assert packs[1]["findings"][0]["line"] == 1
    assert packs[2]["sha256"] is None
    assert json.loads(done.stdout)["summary"] == {"packs": 3, "errors": 2, "warnings": 0, "notes": 0}


def test_text_shows_line_caret_and_hint(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(
        "id: desk\nname: Desk\nversion: 1.0.0\ntemplate_engine: {version: v1, syntax: '{{x}}'}\n"
        "prompts:\n  chat: {id: chat, name: Chat, version: 1.0.0, system_template: Hi, tools: [lokup]}\n"
        "tools:\n  lookup: {name: lookup, description: Looks up}\n"
    )
    done = run("check", str(path))
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0] == f"{path}:6:77: error PPG201 unknown-tool: the tool 'lokup' is not defined"
    assert lines[1].startswith("    6 |   chat: {id: chat")
    assert lines[2].index("^") == lines[1].index("lokup")
    assert lines[3] == "      hint: did you mean 'lookup'?"
    assert lines[-1] == "1 pack checked: 1 error, 0 warnings, 0 notes"
    quiet = run("check", "-q", str(path)).stdout.splitlines()
    assert quiet == lines[:1]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], 1),
        (["--fail-on", "warning"], 1),
        (["--fail-on", "never"], 0),
        (["--exit-zero"], 0),
        (["--ignore", "PPG204"], 0),
        (["--ignore", "PPG204", "--fail-on", "warning"], 1),
        (["--ignore", "unresolved-eval,PPG3", "--fail-on", "warning"], 0),
        (["--select", "PPG3"], 0),
        (["--select", "PPG2"], 1),
        (["--select", "PPG999"], 2),
        (["--select", ""], 2),
        (["--format", "sariff"], 2),
        (["--fail-on", "note"], 2),
    ],
)
def test_exit_codes(tmp_path: Path, arguments: list[str], code: int) -> None:
    path = write(tmp_path / "a.json", broken())
    for form in ("text", "json"):
        extra = [] if "--format" in arguments else ["--format", form]
        assert run("check", path, *arguments, *extra).returncode == code


def test_exit_zero_hides_findings_only(tmp_path: Path) -> None:
    assert run("check", "--exit-zero", str(tmp_path / "absent.yaml")).returncode == 3


def test_standard_input() -> None:
    done = run("check", "-", "--format", "json", stdin=json.dumps(pack()).encode())
    assert done.returncode == 0
    assert json.loads(done.stdout)["packs"][0]["path"] == "-"
    assert run("check", "-", stdin=SAMPLE.read_bytes()).returncode == 0


def test_folders(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    write(tmp_path / "a.json", pack())
    write(tmp_path / "sub" / "b.yaml", pack())
    write(tmp_path / "package.json", {"name": "other"})
    (tmp_path / "list.yaml").write_text("- a\n")
    (tmp_path / "noise.yaml").write_text("a: [")
    (tmp_path / "my.pack.json").write_text("{")
    done = run("check", str(tmp_path), "--format", "json", "-v")
    assert done.returncode == 3
    packs = json.loads(done.stdout)["packs"]
    names = [entry["path"].removeprefix(f"{tmp_path}/") for entry in packs]
    assert names == ["a.json", "my.pack.json", "sub/b.yaml"]
    for name in ("package.json", "list.yaml", "noise.yaml"):
        assert f"skipped {tmp_path}/{name}: " in done.stderr
    (tmp_path / "my.pack.json").unlink()
    done = run("check", f"{tmp_path}/")
    assert done.returncode == 0
    assert "2 packs checked: 0 errors, 0 warnings, 0 notes; 3 other files skipped" in done.stdout


@pytest.mark.parametrize("content", [{}, {"x.txt": "id: a"}, {"x.json": "{}"}])
def test_a_folder_without_packs(tmp_path: Path, content: dict[str, str]) -> None:
    for name, text in content.items():
        (tmp_path / name).write_text(text)
    good = write(tmp_path.parent / f"{tmp_path.name}.json", pack())
    done = run("check", str(tmp_path))
    assert (done.returncode, done.stdout) == (3, "")
    assert len(done.stderr.splitlines()) == 1
    assert run("check", str(tmp_path), good).returncode == 3


def test_a_named_file_is_never_skipped(tmp_path: Path) -> None:
    done = run("check", write(tmp_path / "package.json", {"name": "other"}), "--format", "json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["packs"][0]["audited"] is True


def test_show_contract(tmp_path: Path) -> None:
    data = pack(
        prompts={"chat": prompt("chat"), "pay": prompt("pay")},
        metadata=governed(
            vocabularies={"acme": "https://acme.example/v#"},
            risk_classification="acme:Tier1",
            autonomy_level="suggests",
        ),
        agents={
            "entry": "chat",
            "members": {"chat": {}, "pay": {"governance": {"autonomy_level": "acts_autonomously"}}},
        },
    )
    path = write(tmp_path / "p.json", data)
    done = run("show", path, "--agent", "pay", "--format", "json")
    assert done.returncode == 0
    answer = json.loads(done.stdout)
    assert answer["format"] == "ppgov-effective/1"
    assert (answer["pack"], answer["version"], answer["agent"]) == ("desk", "1.0.0", "pay")
    fields = answer["fields"]
    level = fields["autonomy_level"]
    assert (level["value"], level["origin"]) == ("acts_autonomously", "agent")
    assert level["pointer"] == "/agents/members/pay/governance/autonomy_level"
    assert '"acts_autonomously"' in (tmp_path / "p.json").read_text().splitlines()[level["line"] - 1]
    assert fields["risk_classification"]["origin"] == "pack"
    assert fields["risk_classification"]["terms"] == [
        {"written": "acme:Tier1", "form": "curie", "iri": "https://acme.example/v#Tier1", "label": None}
    ]
    assert fields["vocabularies"]["value"] == {"acme": "https://acme.example/v#"}
    assert "operator_role" in answer["undeclared"]
    assert run("show", path).stdout.startswith("desk 1.0.0: governance in force for the pack\n")
    unknown = run("show", path, "--agent", "pey")
    assert unknown.returncode == 2
    assert "agents: chat, pay" in unknown.stderr


def test_show_of_nothing(tmp_path: Path) -> None:
    done = run("show", write(tmp_path / "p.json", pack()), "--format", "json")
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["declared"], answer["fields"]) == (0, False, {})


def test_show_graph_and_report_exit_0_whatever_the_findings(tmp_path: Path) -> None:
    path = write(tmp_path / "p.json", broken())
    assert run("show", path).returncode == 0
    assert run("graph", path).returncode == 0
    assert run("report", path, "-o", f"{tmp_path}/").returncode == 0
    assert (tmp_path / "desk-1.0.0.html").exists()


@pytest.mark.parametrize("command", ["show", "graph", "report"])
def test_unreadable_packs_exit_3_with_one_line(tmp_path: Path, command: str) -> None:
    bad = tmp_path / "p.yaml"
    bad.write_text("a: [")
    done = run(command, str(bad))
    assert done.returncode == 3
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith(f"ppgov: {bad}:1:")


def test_one_bad_pack_does_not_keep_the_others_from_their_report(tmp_path: Path) -> None:
    good, bad = write(tmp_path / "a.json", pack()), tmp_path / "b.yaml"
    bad.write_text("a: [")
    done = run("report", str(bad), good, "--md", "-o", f"{tmp_path}/out/")
    assert done.returncode == 3
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["desk-1.0.0.md"]
    assert run("graph", str(bad), good).stdout.count("\n") > 20


def test_report_names_and_places(tmp_path: Path) -> None:
    path = write(tmp_path / "p.json", pack(id="../../evil", tools={"t": tool("t")}))
    run("report", path, "--md", cwd=tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["_.._evil-1.0.0.md", "p.json"]
    assert run("report", path, "--md", "-o", f"{tmp_path}/x.md").returncode == 0
    assert (tmp_path / "x.md").exists()
    assert run("report", path, "--md", "--html", "-o", f"{tmp_path}/y").returncode == 2
    assert not (tmp_path / "y").exists()


def test_same_input_same_bytes(tmp_path: Path) -> None:
    outputs = set()
    for seed in ("0", "1"):
        target = tmp_path / seed
        run(
            "report",
            str(SAMPLE),
            "--html",
            "--md",
            "--json",
            "-o",
            f"{target}/",
            "--now",
            "2026-12-01T09:00:00Z",
            PYTHONHASHSEED=seed,
        )
        outputs.add(tuple(path.read_bytes() for path in sorted(target.iterdir())))
        outputs.add(tuple(path.read_bytes() for path in sorted(target.iterdir())))
    assert len(outputs) == 1


def test_the_time_is_an_input(tmp_path: Path) -> None:
    path = write(tmp_path / "p.json", pack())
    run("report", path, "--md", "-o", f"{tmp_path}/a.md", "--now", "2001-02-03")
    run("report", path, "--md", "-o", f"{tmp_path}/b.md", SOURCE_DATE_EPOCH="981158400")
    for name in ("a.md", "b.md"):
        assert "2001" in (tmp_path / name).read_text()
    assert run("report", path, "--now", "soon").returncode == 2
    assert run("report", path, SOURCE_DATE_EPOCH="soon").returncode == 2
    empty = run("report", path, "--now", "")
    assert (empty.returncode, empty.stderr) == (2, "ppgov: no time: '': write it like 2026-12-01T09:00:00Z\n")


def test_a_template_folder_that_changes_nothing_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "p.json", pack())
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "reports.md.j2").write_text("x")
    refused = run("report", path, "--md", "--template", f"{tmp_path}/mine", "-o", "-")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "no template here" in refused.stderr
    (tmp_path / "mine" / "report.md.j2").write_text("mine")
    assert run("report", path, "--md", "--template", f"{tmp_path}/mine", "-o", "-").stdout == "mine\n"


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "p.json", pack())
    target = tmp_path / "file"
    target.write_text("kept")
    done = run("report", path, "--md", "-o", f"{target}/x.md")
    assert done.returncode == 3
    assert target.read_text() == "kept"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "p.json"]


def test_explain_and_rules() -> None:
    assert run("explain", "PPG203").stdout.startswith("PPG203 unknown-agent-state (error; RFC 0011)\n\n")
    assert run("explain", "unresolved-eval").stdout == run("explain", "ppg204").stdout
    unknown = run("explain", "PPG20x")
    assert unknown.returncode == 2
    listed = run("rules").stdout.splitlines()
    assert [line.split()[0] for line in listed] == [row.id for row in RULES]
    assert [entry["id"] for entry in json.loads(run("rules", "-f", "json").stdout)["rules"]] == [
        row.id for row in RULES
    ]


def test_people_directory(tmp_path: Path) -> None:
    data = pack(
        metadata=governed(reviews=[{"id": "r", "type": "pp:BiasTesting", "cadence": "P1Y", "owner": "Jane Doe"}])
    )
    path = write(tmp_path / "p.json", data)
    people = tmp_path / "people.txt"
    people.write_text("# our staff\njane doe\n")
    assert "PPG602" in run("check", path, "--directory", str(people)).stdout
    assert "PPG602" not in run("check", path).stdout
    assert run("check", path, "--directory", str(tmp_path / "absent")).returncode == 3


def test_colour_only_when_asked(tmp_path: Path) -> None:
    path = write(tmp_path / "p.json", broken())
    assert "\x1b[" not in run("check", path).stdout
    assert "\x1b[31" in run("check", path, "--color", "always").stdout
    assert "\x1b[" not in run("check", path, "--color", "never", NO_COLOR="1").stdout


def test_hostile_text_stays_on_its_line(tmp_path: Path) -> None:
    data = pack(prompts={"chat": prompt("chat", tools=["a\nb\x1b[31m\u202e" + "x" * 500])})
    done = run("check", write(tmp_path / "p.json", data))
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout
    assert all(len(line) < 900 for line in done.stdout.splitlines())


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    done = subprocess.run(
        f"{sys.executable} -m ppgov rules | head -1",
        shell=True,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.stderr == b""


def test_help_is_short_and_complete() -> None:
    text = CliRunner().invoke(cli, ["--help"]).output
    for name in cli.commands:
        assert f"  {name}" in text


def test_a_file_and_its_folder(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", pack())
    done = run("check", path, str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("1 pack checked")
    assert run("check", str(tmp_path), f"{tmp_path}/").returncode == 0


def test_a_folder_with_a_pipe_and_dangling_links(tmp_path: Path) -> None:
    write(tmp_path / "a.json", pack())
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "gone.pack.yaml").symlink_to("nowhere.yaml")
    (tmp_path / "other.yaml").symlink_to("nowhere.yaml")
    done = run("check", str(tmp_path), "-f", "json", "-v")
    assert done.returncode == 3
    packs = json.loads(done.stdout)["packs"]
    assert [(p["path"].rpartition("/")[2], p["audited"]) for p in packs] == [
        ("a.json", True),
        ("gone.pack.yaml", False),
    ]
    assert "other.yaml" in done.stderr


def test_a_subfolder_that_cannot_be_listed_leaves_the_rest(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from ppgov.source import walk

    (tmp_path / "locked").mkdir()
    write(tmp_path / "a.json", pack())
    listing = os.scandir

    def scandir(path: str) -> Any:
        if path.endswith("locked"):
            raise PermissionError(13, "Permission denied")
        return listing(path)

    monkeypatch.setattr(os, "scandir", scandir)
    problems: list[str] = []
    assert [Path(name).name for name in walk(str(tmp_path), problems)] == ["a.json"]
    assert problems == [f"{tmp_path}/locked: cannot be listed: Permission denied"]


@pytest.mark.parametrize("redirect", [">/dev/full", ">&-", "<&- -"])
def test_closed_and_full_streams_are_no_defect(tmp_path: Path, redirect: str) -> None:
    target = "" if redirect.endswith("-") and "<" in redirect else write(tmp_path / "a.json", pack())
    done = subprocess.run(
        f"exec {sys.executable} -m ppgov check {target} {redirect}",
        shell=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == 3
    assert "Traceback" not in done.stderr


def test_max_bytes_has_a_largest_value(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", pack())
    assert run("check", path, "--max-bytes", str(2**63)).returncode == 2
    assert run("check", path, "--max-bytes", "10").returncode == 3
    assert run("check", path, "--max-bytes", str(2**31 - 1)).returncode == 0


def test_an_unreadable_file_shows_its_line_too(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text("id: a\nname: [1, 2\nversion: 1\n")
    lines = run("check", str(path)).stdout.splitlines()
    assert lines[0].startswith(f"{path}:3:8: error PPG103 syntax-error")
    assert lines[1] == "    3 | version: 1"
    assert lines[2] == "      |        ^"


def test_the_caret_stays_with_its_place_in_a_long_line(tmp_path: Path) -> None:
    data = pack(prompts={"chat": prompt("chat", description="x" * 3000, tools=["ghost"])})
    path = tmp_path / "p.json"
    path.write_text(json.dumps(data))
    _, excerpt, caret, *_ = run("check", str(path)).stdout.splitlines()
    assert excerpt[caret.index("^") :].startswith('"ghost"')
    assert len(excerpt) < 220


def test_an_agent_that_is_no_mapping(tmp_path: Path) -> None:
    path = write(tmp_path / "p.json", pack(agents={"entry": "chat", "members": {"chat": None}}))
    done = run("show", path, "--agent", "chat")
    assert done.returncode == 2
    assert "is declared, but is no mapping" in done.stderr


def test_report_to_standard_output(tmp_path: Path) -> None:
    path = write(tmp_path / "p.json", pack())
    for place in ("-", "/dev/stdout"):
        done = run("report", path, "--md", "-o", place, cwd=tmp_path)
        assert done.returncode == 0
        assert done.stdout.startswith("#")
    assert [p.name for p in tmp_path.iterdir()] == ["p.json"]


def test_vocab(tmp_path: Path) -> None:
    assert run("vocab", "show", "ai:Profiling").stdout.startswith("ai:Profiling  Profiling\n")
    gone = run("vocab", "show", "eu-aiact:DeepFake", "-f", "json")
    assert gone.returncode == 1
    answer = json.loads(gone.stdout)
    assert answer["format"] == "ppgov-term/1"
    assert answer["removal"]["release"] == "DPV 2.1"
    assert answer["successor"]["curie"] == "eu-aiact:DeepFakeGeneration"
    assert run("vocab", "show", "nope").returncode == 2
    found = run("vocab", "search", "deep fake")
    assert "eu-aiact:DeepFakeGeneration" in found.stdout
    assert run("vocab", "search", "zzzz").returncode == 1
    assert json.loads(run("vocab", "search", "deep fake", "-f", "json").stdout)["format"] == "ppgov-terms/1"
    assert "legal-eu-gdpr" in run("vocab", "prefixes").stdout
    assert json.loads(run("vocab", "prefixes", "-f", "json").stdout)["prefixes"][0]["prefix"]
    broken_file = tmp_path / "v.ttl"
    broken_file.write_text("<a> <b>\n")
    assert run("vocab", "show", "ai:Profiling", "--vocab", str(broken_file)).returncode == 3


def test_base_iri_must_be_a_place(tmp_path: Path) -> None:
    path = write(tmp_path / "p.json", pack())
    for base in ("packs", "https://packs.example", "javascript"):
        assert run("graph", path, "--base-iri", base).returncode == 2
    assert "<https://packs.example/desk" in run("graph", path, "--base-iri", "https://packs.example/").stdout


@pytest.mark.skipif(not has_pango(), reason="Pango is not installed")
def test_pdf_report_carries_pack_findings_and_graph(tmp_path: Path) -> None:
    path = write(tmp_path / "p.json", broken())
    outputs = []
    for name in ("a", "b"):
        done = run("report", path, "--pdf", "-o", f"{tmp_path}/{name}.pdf", "--now", "2026-12-01")
        assert done.returncode == 0, done.stderr
        outputs.append((tmp_path / f"{name}.pdf").read_bytes())
    assert outputs[0] == outputs[1]
    assert outputs[0].startswith(b"%PDF-1.7")


def test_a_defect_is_exit_4_and_says_so(tmp_path: Path) -> None:
    path = write(tmp_path / "p.json", pack())
    program = "import ppgov.fleet, ppgov.cli; ppgov.fleet.gather = None; ppgov.cli.main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "check", path],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == 4
    assert done.stderr.splitlines()[-1].startswith("ppgov: internal error:")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_fleet_is_read_by_several_processes_in_order(tmp_path: Path, jobs: str) -> None:
    for number in range(230):
        write(tmp_path / f"{number:03}.json", pack(id=f"p{number}"))
    (tmp_path / "111.json").write_text('{"id": "x", "prompts": {}, "template_engine": {}}')
    done = run("check", str(tmp_path), "-j", jobs, "-f", "json")
    assert done.returncode == 1
    names = [entry["id"] for entry in json.loads(done.stdout)["packs"]]
    assert names == [f"p{number}" if number != 111 else "x" for number in range(230)]


@pytest.mark.parametrize("form", ["html", "md", "json"])
def test_a_report_says_which_vocabulary_file_has_which_digest(tmp_path: Path, form: str) -> None:
    terms = tmp_path / "acme.ttl"
    terms.write_text(
        "@prefix s: <http://www.w3.org/2004/02/skos/core#> . <https://acme.example/v#A> a s:Concept ; s:prefLabel 'A' ."
    )
    done = run("report", str(SAMPLE), f"--{form}", "-o", str(tmp_path / "out"), "--vocab", str(terms))
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "out").read_text()
    method = text[text.rindex("The index of terms in this tool") :]
    index = (ROOT / "vocab" / "terms.tsv").read_bytes()
    assert method.count(hashlib.sha256(index).hexdigest()) == 1
    modules = [line.split("\t") for line in index.decode().splitlines() if line.split("\t")[1] == "module"]
    assert len(modules) == 14 and [method.count(module[5]) for module in modules] == [1] * 14
    assert method.count(hashlib.sha256(terms.read_bytes()).hexdigest()) == 1
    assert "acme.ttl" in method
