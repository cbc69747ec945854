"""Write the parts of `docs/queries.md` that the queries themselves say; a test fails when the two differ."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ppgov.query.named import Example, Parameter, Query, catalogue

TARGET = Path(__file__).with_name("queries.md")

# Every query is under one topic; a test fails for one that is left out.
TOPICS: dict[str, tuple[str, ...]] = {
    "What agents can do, and how freely": (
        "irreversible-external-tools",
        "irreversible-tools-anywhere-in-the-pack",
        "tools-an-agent-reaches",
        "tools-no-agent-reaches",
        "tools-without-declared-consequence",
        "prompts-an-agent-reaches",
        "agents-and-their-autonomy",
        "ai-disclosure",
        "approved-environments",
        "independence-requirements",
    ),
    "Data, capabilities and risk classes": (
        "sensitive-data-through-tools-that-write",
        "data-that-tools-touch",
        "data-of-unknown-class",
        "tools-without-declared-data",
        "agents-with-a-capability",
        "agents-and-their-risk-class",
        "agents-at-or-under-a-risk-class",
    ),
    "Obligations and controls": (
        "obligations-and-their-controls",
        "obligations-with-external-controls-only",
        "obligations-without-a-review",
        "who-records-a-duty",
        "references-that-lead-nowhere",
        "controls-that-are-switched-off",
        "checks-that-are-switched-off",
    ),
    "Reviews and owners": (
        "reviews-by-owner",
        "reviews-by-cadence",
        "reviews-rarer-than",
        "what-reviews-answer-to",
        "agents-without-reviews",
        "owners-and-what-they-answer-for",
    ),
    "What is declared, what is not, and by whom": (
        "undeclared-fields",
        "nothing-declared-at-all",
        "values-of-a-field",
        "overrides-that-weaken-the-pack",
        "where-agents-differ-from-the-pack",
    ),
    "Providers and models": (
        "providers-that-packs-require",
        "providers-that-prompts-use",
        "tested-models",
    ),
    "Terms, prefixes and files": (
        "unknown-or-renamed-terms",
        "terms-in-free-words",
        "terms-of-other-vocabularies",
        "prefixes-with-two-meanings",
        "same-version-twice",
        "packs-and-their-files",
    ),
}

_PART = re.compile(r"(<!-- (\w+): made by make_queries.py -->\n).*?(<!-- end of \2 -->)", re.DOTALL)


def placed() -> dict[str, Query]:
    """The queries by name. Raises LookupError for one that has no topic."""
    queries = {query.name: query for query in catalogue()}
    listed = [name for names in TOPICS.values() for name in names]
    if sorted(listed) != sorted(queries):
        raise LookupError(f"no topic, or no query: {sorted(set(listed) ^ set(queries))}")
    return queries


def renewed(page: str) -> str:
    """The page with its made parts made anew."""
    queries = placed()
    made = {"index": "\n".join(index(queries)), "queries": "\n".join(sections(queries))}
    return _PART.sub(lambda part: f"{part[1]}\n{made[part[2]]}\n{part[3]}", page)


def index(queries: dict[str, Query]) -> Iterator[str]:
    """Question, query, command."""
    for topic, names in TOPICS.items():
        yield f"**{topic}**\n\n| question | query | command |\n|---|---|---|"
        for name in names:
            query = queries[name]
            yield f"| {cell(query.question)} | [{name}](#{name}) | `{command(query)}` |"
        yield ""


def command(query: Query) -> str:
    """How to ask it, with what it needs."""
    example = dict(query.example.given) if query.example else {}
    needed = "".join(f" --param {p.name}={example.get(p.name, '…')}" for p in query.parameters if p.required)
    return f"ppgov query packs/ --name {query.name}{needed}"


def sections(queries: dict[str, Query]) -> Iterator[str]:
    for names in TOPICS.values():
        for name in names:
            yield from section(queries[name])


def section(query: Query) -> Iterator[str]:
    yield f"### {query.name}\n\n**{query.title}.** {query.question}\n"
    if query.parameters:
        yield "| parameter | | |\n|---|---|---|"
        yield from (f"| `{p.name}` | {takes(p)} | {cell(p.meaning)} |" for p in query.parameters)
        yield ""
    yield "| column | |\n|---|---|"
    yield from (f"| `{column.name}` | {cell(column.meaning)} |" for column in query.columns)
    yield ""
    if query.example is not None:
        yield from shown(query, query.example)
    yield from (f"- {linked(note)}" for note in query.notes)
    if query.notes:
        yield ""


def linked(text: str) -> str:
    """The names of other queries as links."""
    names = {name for names in TOPICS.values() for name in names}
    return re.sub(r"[a-z]+(?:-[a-z]+)+", lambda word: f"[{word[0]}](#{word[0]})" if word[0] in names else word[0], text)


def takes(parameter: Parameter) -> str:
    """The type of a parameter and whether it has to be given."""
    kind = " or ".join(f"`{choice}`" for choice in parameter.choices) or parameter.type
    need = "required" if parameter.required else "optional"
    return f"{kind}, " + (need if parameter.default is None else f"`{parameter.default}` unless given")


def shown(query: Query, example: Example) -> Iterator[str]:
    given = "".join(f" --param {name}={value}" for name, value in example.given)
    yield f"```console\n$ ppgov query {' '.join(example.packs)} --name {query.name}{given}\n```\n"
    yield f"| {' | '.join(column.name for column in query.columns)} |\n|{'---|' * len(query.columns)}"
    yield from (f"| {' | '.join(f'`{value}`' for value in row)} |" for row in example.rows)
    yield ""


def cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    TARGET.write_text(renewed(TARGET.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"wrote {TARGET}")
