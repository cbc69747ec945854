"""Write `docs/rules.md` from the rules; `make rules-doc` runs it, and a test fails when the two differ."""

from __future__ import annotations

from pathlib import Path

from ppgov.checks import RULES, Rule

TARGET = Path(__file__).with_name("rules.md")
FAMILIES = {
    "1": "Reading and structure",
    "2": "References",
    "3": "Terms",
    "4": "Governance",
    "5": "Independence",
    "6": "Reviews",
}
HEAD = """\
# Rules

Made from the rules by `make rules-doc`; `ppgov explain ID` prints the same. An id is never used again.
An error is something that the format or its specification forbids, or a name that leads nowhere. A warning is
something to look at: the pack can be right.
"""


def text() -> str:
    parts = [HEAD]
    for digit, title in FAMILIES.items():
        rules = [rule for rule in RULES if rule.id[3] == digit]
        parts += [f"## {title}\n", "| id | name | level | |\n|---|---|---|---|\n" + "".join(map(line, rules))]
        parts += [section(rule) for rule in rules]
    return "\n".join(parts)


def line(rule: Rule) -> str:
    """A row of the table: the first paragraph of the manual says what is wrong."""
    what = " ".join(rule.manual.partition("\n\n")[0].split()).replace("|", "\\|")
    return f"| [{rule.id}](#{rule.id.lower()}-{rule.name}) | {rule.name} | {rule.level} | {what} |\n"


def section(rule: Rule) -> str:
    """The manual as Markdown: reasons as they stand, fragments of packs as code."""
    blocks = [f"### {rule.id} {rule.name}\n", f"{rule.level}; {rule.clause}\n"]
    for block in rule.manual.split("\n\n"):
        code = block.startswith(("Bad:", "Good:"))
        blocks.append(f"```\n{block}\n```\n" if code else block.replace("\nFix: ", "  \nFix: ") + "\n")
    return "\n".join(blocks)


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
    print(f"wrote {TARGET}")
