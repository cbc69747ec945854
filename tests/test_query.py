"""`ppgov query` as users run it: answers in every format, limits that hold, and nothing left behind."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest

from tests.packs import governed, pack, prompt, tool
from tests.test_cli import ROOT, run, write

TOOLS = "SELECT ?tool ?effect { ?tool a pg:Tool OPTIONAL { ?tool pg:actionScope/pg:effect ?effect } }"
V = "https://packs.invalid/desk/1.0.0"
CROSS = (
    "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n1 ?o . FILTER(?a != ?d && ?g != ?j) }"
)
BOMB = (
    "SELECT ?c { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . "
    f'FILTER(REGEX(CONCAT(STR(?c), STR(?f), STR(?i), "{"a" * 3000}"), "(x+x+)+y|(a|aa)+$b")) }}'
)


def desk(**parts: Any) -> dict[str, Any]:
    tools = {"pay": tool("pay", action_scope={"effect": "external"}), "see": tool("see")}
    return pack(tools=tools, metadata=governed(autonomy_level="suggests", accountable_owner="=1+1"), **parts)


@pytest.fixture
def path(tmp_path: Path) -> str:
    return write(tmp_path / "p.json", desk())


def test_a_table_for_people(path: str) -> None:
    done = run("query", path, "-e", TOOLS)
    assert (done.returncode, done.stderr) == (0, "2 rows\n")
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["tool", "effect"]
    assert lines[2].split() == ["<desk/1.0.0/tools/pay>", "pg:external"]
    assert lines[3].split() == ["<desk/1.0.0/tools/see>"]
    assert lines[-1] == "<…> is below https://packs.invalid/"


@pytest.mark.parametrize(("form", "parser"), [("json", "JSON"), ("xml", "XML"), ("tsv", "TSV")])
def test_the_formats_of_the_standard_read_back(path: str, form: str, parser: str) -> None:
    done = run("query", path, "-e", TOOLS, "--format", form)
    parsed = ox.parse_query_results(done.stdout.encode(), format=getattr(ox.QueryResultsFormat, parser))
    assert isinstance(parsed, ox.QuerySolutions)
    assert [variable.value for variable in parsed.variables] == ["tool", "effect"]
    rows = [(row["tool"], row["effect"]) for row in parsed]
    external = ox.NamedNode("https://w3id.org/ppgov/ns#external")
    assert rows == [(ox.NamedNode(f"{V}/tools/pay"), external), (ox.NamedNode(f"{V}/tools/see"), None)]


def test_csv_has_no_formula(path: str) -> None:
    done = run("query", path, "-e", "SELECT ?owner { ?g pg:accountableOwner ?owner } LIMIT 1", "--format", "csv")
    assert list(csv.reader(io.StringIO(done.stdout))) == [["owner"], ["'=1+1"]]


def test_markdown_and_xlsx(path: str, tmp_path: Path) -> None:
    import openpyxl

    text = run("query", path, "-e", TOOLS, "--format", "markdown").stdout
    assert text.splitlines()[:3] == [
        "| tool | effect |",
        "| --- | --- |",
        "| `<desk/1.0.0/tools/pay>` | `pg:external` |",
    ]
    done = run("query", path, "-e", "SELECT ?owner { ?g pg:accountableOwner ?owner } LIMIT 1", "--format", "xlsx", "-o",
               f"{tmp_path}/a.xlsx")  # fmt: skip
    assert done.returncode == 0, done.stderr
    cell = openpyxl.load_workbook(tmp_path / "a.xlsx")["Answer"]["A2"]
    assert (cell.value, cell.data_type) == ("=1+1", "s")


@pytest.mark.parametrize(("text", "answer"), [("ASK { ?t a pg:Tool }", "true"), ("ASK { ?t a pg:Skill }", "false")])
def test_ask(path: str, text: str, answer: str) -> None:
    assert run("query", path, "-e", text).stdout == f"{answer}\n"
    assert json.loads(run("query", path, "-e", text, "--format", "json").stdout) == {
        "head": {},
        "boolean": answer == "true",
    }


def test_construct_and_describe(path: str) -> None:
    done = run("query", path, "-e", "CONSTRUCT { ?t a pg:Tool } { ?t a pg:Tool }", "--format", "nquads")
    kind = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <https://w3id.org/ppgov/ns#Tool>"
    assert done.stdout == f"<{V}/tools/pay> {kind} .\n<{V}/tools/see> {kind} .\n"
    turtle = run("query", path, "-e", f"DESCRIBE <{V}/tools/pay>").stdout
    assert "@prefix pg:" in turtle and "pg:Tool" in turtle


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "give one query"),
        (("-e", TOOLS, "--name", "tools-by-effect"), "give one query"),
        (("-e", TOOLS, "--format", "turtle"), "SELECT cannot be written as turtle"),
        (("-e", "ASK { }", "--format", "csv"), "ASK cannot be written as csv"),
        (("-e", "DESCRIBE pg:x", "--format", "json"), "CONSTRUCT and DESCRIBE cannot be written as json"),
        (("--name", "tools-by-efect"), "no query"),
        (("-e", TOOLS, "--param", "x"), "has no value"),
        (("-e", TOOLS, "--param", "x=1", "--param", "x=2"), "given twice"),
        (("-e", "SELECT * {\n ?s ?p }"), "query:2:"),
        (("-e", TOOLS, "--store", "x"), "exclude each other"),
    ],
)
def test_what_cannot_be_asked(path: str, arguments: tuple[str, ...], says: str) -> None:
    done = run("query", path, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_nothing_to_ask() -> None:
    done = run("query", "-e", TOOLS)
    assert done.returncode == 2 and "nothing to ask" in done.stderr


def test_labels_and_places(tmp_path: Path) -> None:
    data = desk()
    data["metadata"]["governance"]["capabilities"] = ["ai:Profiling"]
    path = write(tmp_path / "p.json", data)
    text = "SELECT ?tool ?iri { ?tool a pg:Tool . ?t pg:iri ?iri }"
    plain = run("query", path, "-e", text, "--labels", "--locate", "--format", "csv").stdout
    header, first, _ = csv.reader(io.StringIO(plain))
    assert header == ["tool", "tool_location", "iri", "iri_label"]
    row = dict(zip(header, first, strict=True))
    lines = Path(path).read_text().splitlines()
    line = next(number for number, text in enumerate(lines, 1) if '"pay": {' in text)
    assert row["tool_location"] == f"{path}:{line}:3"
    assert row["iri_label"] == "Profiling"
    shown = run("query", path, "-e", text, "--labels").stdout
    assert 'ai:Profiling "Profiling"' in shown


def test_a_term_as_written_has_its_label_unless_packs_mean_two_things(tmp_path: Path) -> None:
    text = "SELECT DISTINCT ?said { ?t pg:written ?said ; pg:iri ?iri }"
    one = write(tmp_path / "p.json", pack(metadata=governed(capabilities=["ai:Profiling"])))
    assert 'ai:Profiling "Profiling"' in run("query", one, "-e", text, "--labels").stdout
    own = {"ai": "https://other.example/#"}
    data = pack(id="other", metadata=governed(capabilities=["ai:Profiling"], vocabularies=own))
    other = write(tmp_path / "q.json", data)
    shown = run("query", one, other, "-e", text, "--labels").stdout
    assert "ai:Profiling" in shown and '"Profiling"' not in shown


def test_the_slice_of_the_vocabulary_is_there(tmp_path: Path) -> None:
    path = write(tmp_path / "p.json", pack(metadata=governed(capabilities=["ai:Profiling"])))
    text = "ASK { ?t pg:iri ?i . ?i skos:broader* dpv:Processing }"
    assert run("query", path, "-e", text).stdout == "true\n"


def test_from_and_graph_see_the_loaded_graphs(path: str) -> None:
    graphs = run(
        "query", path, "-e", "SELECT DISTINCT ?g { GRAPH ?g { ?s a pg:Tool } }", "--format", "csv"
    ).stdout.split()
    assert len(graphs) == 2 and graphs[1].endswith("/declared")
    text = "SELECT (COUNT(*) AS ?n) FROM <" + graphs[1] + "> { ?s a pg:Tool }"
    assert run("query", path, "-e", text, "--format", "csv").stdout.split() == ["n", "2"]
    assert run("query", path, "-e", f"ASK FROM <{graphs[1]}> {{ ?s pg:undeclared ?f }}").stdout == "false\n"
    assert run("query", path, "-e", "ASK { ?s pg:undeclared ?f }").stdout == "true\n"


def test_a_query_file_standard_input_and_a_parameter(path: str, tmp_path: Path) -> None:
    (tmp_path / "q.rq").write_text("SELECT ?tool { ?tool a pg:Tool ; dct:identifier ?key }")
    done = run("query", path, "-f", f"{tmp_path}/q.rq", "--param", "key=see", "--format", "csv")
    assert done.stdout.split() == ["tool", f"{V}/tools/see"]
    unknown = run("query", path, "-f", f"{tmp_path}/q.rq", "--param", "kye=see")
    assert unknown.returncode == 2 and "has no variable 'kye'" in unknown.stderr and "key" in unknown.stderr
    done = run("query", path, "-f", "-", "--format", "csv", stdin=b"SELECT ?t { ?t a pg:Tool } ORDER BY ?t LIMIT 1")
    assert done.stdout.split() == ["t", f"{V}/tools/pay"]


def test_a_named_query_and_the_list(path: str) -> None:
    listed = json.loads(run("queries", "-f", "json").stdout)
    assert listed["format"] == "ppgov-queries/1" and len(listed["queries"]) >= 20
    for entry in listed["queries"]:
        assert entry["title"] and entry["question"].endswith("?")
    name = "tools-without-declared-consequence"
    assert name in run("queries").stdout
    shown = run("queries", "show", name).stdout
    assert shown.startswith(f"{name}: ") and "SELECT" in shown and f"ppgov query --name {name}" in shown
    assert run("query", path, "--name", name).returncode == 0
    missing = run("queries", "show", "nothing-like-it")
    assert missing.returncode == 2


def test_one_pack_that_cannot_be_read_does_not_keep_the_others_from_answering(path: str, tmp_path: Path) -> None:
    (tmp_path / "pack-b.json").write_text("{")
    done = run("query", str(tmp_path), "-e", TOOLS, "--format", "csv")
    assert done.returncode == 3
    assert len(done.stdout.splitlines()) == 3
    assert "pack-b.json:1:2" in done.stderr


def test_no_pack_at_all(tmp_path: Path) -> None:
    done = run("query", str(tmp_path), "-e", TOOLS)
    assert (done.returncode, done.stdout) == (3, "")


def children() -> set[str]:
    """Processes of this test run that hold a query."""
    listed = subprocess.run(["ps", "-ww", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout
    return {line for line in listed.splitlines() if "runaway-mark" in line and "ps -ww" not in line}


@pytest.mark.parametrize("text", [CROSS, BOMB])
def test_a_runaway_query_ends_and_leaves_nothing_behind(path: str, text: str) -> None:
    done = run("query", path, "-e", f"# runaway-mark\n{text}", "--timeout", "0.5", "--max-rows", "1000000000")
    assert (done.returncode, done.stdout) == (3, "")
    assert len(done.stderr.splitlines()) == 1
    assert "did not end within 0.5 seconds" in done.stderr or "memory" in done.stderr
    assert children() == set()


def test_more_rows_than_asked_for_is_an_error_and_no_answer(path: str) -> None:
    done = run("query", path, "-e", "SELECT * { ?a ?b ?c }", "--max-rows", "10")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "ppgov: the query has more than 10 rows: add LIMIT, or raise --max-rows\n"
    assert run("query", path, "-e", "SELECT * { ?a ?b ?c } LIMIT 10", "--max-rows", "10").returncode == 0
    graph = run("query", path, "-e", "CONSTRUCT WHERE { ?a ?b ?c }", "--max-rows", "10")
    assert (graph.returncode, graph.stdout) == (3, "")


def test_a_killed_parent_takes_its_child_along(path: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "ppgov", "query", path, "-e", f"# runaway-mark\n{CROSS}", "--timeout", "60"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 30
    while len(children()) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(children()) == 2  # the command and its child
    process.send_signal(signal.SIGKILL)
    process.wait()
    while children() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert children() == set()


def test_hostile_text_stays_in_its_cell(tmp_path: Path) -> None:
    evil = "a|b\n| c |\x1b[31m\u202e<b>`x`</b> [l](http://e.example) www.e.example"
    data = pack(prompts={"chat": prompt("chat")}, metadata=governed(accountable_owner=evil))
    path = write(tmp_path / "p.json", data)
    text = "SELECT ?owner { ?g a pg:GovernanceDeclaration ; pg:accountableOwner ?owner }"
    table = run("query", path, "-e", text).stdout
    assert "\x1b" not in table and "\u202e" not in table and len(table.splitlines()) == 3
    markdown = run("query", path, "-e", text, "--format", "markdown").stdout
    assert len(markdown.splitlines()) == 3 and "<b>" not in markdown and "[l](" not in markdown
    exact = json.loads(run("query", path, "-e", text, "--format", "json").stdout)
    assert exact["results"]["bindings"][0]["owner"]["value"] == evil


def test_the_same_bytes_twice(path: str) -> None:
    for form in ("table", "csv", "json", "markdown"):
        first, second = (run("query", path, "-e", "SELECT * { ?a ?b ?c }", "--format", form).stdout for _ in range(2))
        assert first == second
