"""The documentation says what the tool does: every command, option, rule, exit code and link."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import ppgov.cli as cli_module
from ppgov.checks import RULES
from ppgov.cli import cli

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted(DOCS.glob("*.md"))]
COMMANDS_TEXT = (DOCS / "commands.md").read_text(encoding="utf-8")


def commands(group: click.Group = cli, path: str = "ppgov") -> Iterator[tuple[str, click.Command]]:
    """Every command that does something, with the words that call it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


COMMANDS = dict(commands())


def section(call: str) -> str:
    """What commands.md says of a command, with the part that holds for several."""
    name = call.split()[1]
    parts = re.split(r"(?m)^## ", COMMANDS_TEXT)
    return "".join(part for part in parts if part.startswith((f"{name}\n", "Common")))


def test_help_shows_each_command_s_own_first_sentence() -> None:
    for name, _, line in cli_module.COMMANDS:
        command = cli.get_command(click.Context(cli), name)
        assert command is not None and command.help is not None
        assert command.help.split("\n\n")[0].replace("\n", " ") == line


@pytest.mark.parametrize("call", COMMANDS)
def test_every_command_and_option_is_described(call: str) -> None:
    assert f"`{call}" in (ROOT / "README.md").read_text(encoding="utf-8")
    text = section(call)
    assert f"`{call}" in text
    for option in COMMANDS[call].params:
        if isinstance(option, click.Option):
            for spelling in option.opts:
                assert re.search(rf"`{spelling}[` ]", text), f"{call} {spelling}"


def test_no_option_is_described_that_does_not_exist() -> None:
    real = {spelling for command in COMMANDS.values() for option in command.params for spelling in option.opts}
    real |= {"--help", "-h", "--version", "-"}
    assert set(re.findall(r"`(--?[a-z][a-z-]*)", COMMANDS_TEXT)) <= real


@pytest.mark.parametrize("call", COMMANDS)
def test_help_names_a_purpose_for_every_option(call: str) -> None:
    """A choice speaks for itself; every other option says what it does."""
    for option in COMMANDS[call].params:
        if isinstance(option, click.Option) and not isinstance(option.type, click.Choice):
            assert option.help, f"{call} {option.opts}"


def test_choices_are_described() -> None:
    for call, command in COMMANDS.items():
        for option in command.params:
            if isinstance(option.type, click.Choice):
                for choice in option.type.choices:
                    assert choice in section(call), f"{call} {option.opts} {choice}"


def test_the_rules_page_is_made_from_the_rules() -> None:
    spec = importlib.util.spec_from_file_location("make_rules", DOCS / "make_rules.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page = (DOCS / "rules.md").read_text(encoding="utf-8")
    if page != module.text():
        pytest.fail("docs/rules.md is not what the rules say: run `make rules-doc`", pytrace=False)
    assert re.findall(r"(?m)^### (PPG\d{3}) ", page) == [rule.id for rule in RULES]


def test_the_finding_in_the_readme_is_what_the_tool_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    match = re.search(
        r"(?s)```console\n\$ ppgov (check \S+)\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8")
    )
    assert match
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(cli, match[1].split(), standalone_mode=False)
    assert result.stdout == match[2]
    assert result.return_value == 1


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]*)[^)]*\)", re.sub(r"(?s)```.*?```", "", text)):
        if target and not target.startswith(("https://", "http://")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
    headings = {
        re.sub(r"[^\w -]", "", line).strip().lower().replace(" ", "-") for line in re.findall(r"(?m)^#+ (.*)$", text)
    }
    for anchor in re.findall(r"\]\(#([^)]+)\)", text):
        assert anchor in headings, f"{page.name}#{anchor}"


def test_exit_codes_are_the_same_on_both_pages() -> None:
    for page in (ROOT / "README.md", DOCS / "commands.md"):
        assert re.findall(r"(?m)^\| (\d) \| ", page.read_text(encoding="utf-8")) == list("01234"), page.name


def test_the_json_examples_have_the_shape_of_the_real_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    examples = [
        json.loads(text)
        for text in re.findall(r"(?s)```json\n(.*?)```", (DOCS / "formats.md").read_text(encoding="utf-8"))
    ]
    arguments = {
        "ppgov-check/1": ["check", "samples/broken/PPG204-unresolved-eval/bad.yaml", "--format", "json"],
        "ppgov-effective/1": ["show", "samples/claims-team.yaml", "--agent", "payer", "--format", "json"],
    }
    assert [example["format"] for example in examples] == list(arguments)
    for example in examples:
        real = json.loads(CliRunner().invoke(cli, arguments[example["format"]], standalone_mode=False).stdout)
        assert list(example) == list(real)
        if "packs" in example:
            assert list(example["packs"][0]) == list(real["packs"][0])
            assert list(example["packs"][0]["findings"][0]) == list(real["packs"][0]["findings"][0])
            assert list(example["summary"]) == list(real["summary"])
        else:
            shown = list(example["fields"].values())
            assert {tuple(field) for field in shown} == {tuple(field) for field in real["fields"].values()}
            (term,) = shown[1]["terms"]
            (real_term,) = real["fields"]["operator_role"]["terms"]
            assert list(term) == list(real_term)
