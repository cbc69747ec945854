"""The report as HTML, Markdown and JSON: complete, accessible, and harmless whatever the pack says.

Golden files: when a change is meant, accept it with `PPGOV_ACCEPT=1 pytest tests/test_render.py` and read the diff.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import itertools
import json
import os
import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from ppgov import render
from ppgov.audit import audit
from ppgov.errors import InputError
from ppgov.picture import draw
from ppgov.report import Report, build
from ppgov.source import parse
from ppgov.visible import hidden, shorten, visible, width
from tests.packs import governed, pack, prompt, source, tool

NOW = datetime(2026, 12, 1, 9, 30, tzinfo=UTC)
HERE = Path(__file__).parent
GOLDEN = HERE / "golden"
TEMPLATES = HERE.parent / "report_templates"

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'; style='x",
    "{{ 7 * 7 }} {% raw %}",
    "a\u202eb\u2066c\u200f",
    "nul\x00 esc\x1b vt\x0b del\x7f nel\x85",
    "tags\U000e0041\U000e0042 bom\ufeff soft\u00ad",
    "lone\ud800 non\ufffe private\ue000",
    "@octocat #1 GH-2 !3 [a](http://b.example) ![i](http://c.example/i.png) www.evil.example http://evil.example",
    "**bold** _it_ `code` ~~gone~~ | cell | a\n\n# head\n- item\n<!-- -->",
    "W" * 400,
    "javascript:alert(1)",
    "]]> --> </style></svg></title>",
    "שלום مرحبا 中文 🙂 \u0301",
    "$x$ \\(y\\) :smile: &lt; &amp;",
]


def of(data: dict[str, Any]) -> Report:
    return build(audit(source(data)), generated_at=NOW)


def hostile(text: str) -> Report:
    """A pack that says `text` wherever a text can stand."""
    controls = [{"field": text}, {"validator": text}, {"eval": text}, {"external": text}, {text: text}]
    applies = {"capability": text, text: text}
    obligation = {"id": text, "obligation": text, "note": text, "applies_to": applies, "controls": controls}
    review = {"id": text, "type": text, "cadence": text, "owner": text, "satisfies": [text], "eval": text}
    governance = {
        "vocabularies": {text: text, "ok": "https://a.example/"},
        "intended_purpose": text, "foreseeable_misuse": [text], "autonomy_level": text, "accountable_owner": text,
        "operator_role": text, "capabilities": [text, f"ok:{text}", f"https://a.example/{text}"],
        "independent_of": {"axes": [text], "enforcement": text}, "obligations": [obligation], "reviews": [review],
        "extensions": {text: {text: text}}, text: text,
    }  # fmt: skip
    scope = {"effect": text, "reversibility": text, "data_classes": [text]}
    parameters = {"properties": {text: {"type": text, "description": text}}}
    measure = {"id": text, "type": text, "trigger": text, "threshold": {"operator": text, "value": text}}
    step = {"id": text, "kind": "agent", "prompt_task": text, "termination": {"tool_called": text, "max_steps": text}}
    state = {"prompt_task": text, "on_event": {text: text, "b": "z"}, "max_visits": text, "on_max_visits": text}
    provider = {"key": text + "2", "role": text, "required": text, "description": text, "capabilities": {text: text}}
    return of(pack(
        id=text, name=text, version=text, description=text, **{"$schema": text, text: text},
        prompts={text: prompt(
            text, description=text, tools=[text], tool_policy={"tool_choice": text, "blocklist": [text, "z"]},
            variables=[{"name": text, "type": text, "required": text, "binding": {text: text}}],
            validators=[{"id": text, "type": text, "params": {text: text}, "message": text}],
            evals=[{**measure, "when": {text: text}}], media={text: {text: text}},
            tested_models=[{"provider": text, "model": text, "date": text, "notes": text}],
            model_overrides={text: {text: text}}, extensions={text: text})},
        tools={text: tool(text, description=text, action_scope=scope, parameters=parameters)},
        fragments={text: text}, skills=[text, {"name": text, "instructions": text}],
        workflow={"version": text, "entry": text, "states": {text: state}, "engine": {"budget": {text: text}, "e": 1}},
        compositions={text: {"version": text, "steps": [{"id": text, "kind": text, "branches": [step]}]}},
        agents={"entry": text, "members": {text: {"description": text, "governance": governance}}},
        requires={"providers": [text, provider]},
        metadata={"domain": text, "governance": governance},
    ))  # fmt: skip


class Page(HTMLParser):
    """Every tag with its attributes, and the text that a reader sees."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self.style = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "link", "br", "col", "img", "rect", "line", "circle", "polygon"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "style":
            self.style += data
        else:
            self.text.append(data)

    def named(self, *names: str) -> list[dict[str, str | None]]:
        return [attrs for tag, attrs in self.tags if tag in names]


def desk() -> Report:
    raw = (GOLDEN / "card-desk.yaml").read_bytes()
    whole = build(audit(parse(raw, "card-desk.yaml")), generated_at=NOW)
    # What other parts of the project may change without changing this report: the rules and the vocabularies.
    method = dataclasses.replace(whole.method, rules=whole.method.rules[:2], tool="ppgov VERSION")
    cover = dataclasses.replace(whole.cover, vocabularies=whole.cover.vocabularies[:1])
    return dataclasses.replace(whole, method=method, cover=cover)


@pytest.mark.parametrize(("name", "write"), [("card-desk.html", render.html), ("card-desk.md", render.markdown)])
def test_golden(name: str, write: Any) -> None:
    path, written = GOLDEN / name, write(desk())
    if os.environ.get("PPGOV_ACCEPT"):
        path.write_text(written, encoding="utf-8")
    assert written == path.read_text(encoding="utf-8")


def test_json_is_the_data() -> None:
    whole = desk()
    data = json.loads(render.json_text(whole))
    assert data["format"] == "ppgov-report/1"
    assert data["cover"]["sha256"] == whole.cover.sha256
    assert list(data) == [field.name for field in dataclasses.fields(whole)]
    assert data["obligations"][0]["obligations"][0]["controls"][0]["outcome"] == "resolved"
    assert json.loads(render.json_text(of(pack(name="\ud800"))))["cover"]["name"] == "\ud800"


@pytest.mark.parametrize("write", [render.html, render.markdown, render.json_text])
def test_same_report_same_bytes(write: Any) -> None:
    assert write(desk()) == write(desk())


def test_page_is_self_contained_and_lets_only_its_own_style_through() -> None:
    page = Page(render.html(desk()))
    assert not page.named("script", "link", "img", "iframe", "form", "input", "object", "base")
    assert not [
        key for _, attrs in page.tags for key in attrs if key == "style" or key.startswith("on") or key == "src"
    ]
    policy = next(m["content"] for m in page.named("meta") if m.get("http-equiv") == "Content-Security-Policy")
    digest = base64.b64encode(hashlib.sha256(page.style.encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert "url(" not in page.style and "@import" not in page.style


def test_page_can_be_read_with_a_keyboard_and_a_screen_reader() -> None:
    page = Page(render.html(desk()))
    assert page.open == []
    (root,) = page.named("html")
    assert root["lang"] == "en"
    assert len(page.named("main")) == len(page.named("h1")) == 1
    assert len(page.named("header", "nav", "footer")) == 3
    assert page.named("a")[0]["href"] == "#content"
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    targets = [href[1:] for attrs in page.named("a") if (href := attrs["href"] or "").startswith("#")]
    assert set(targets) <= set(ids)
    assert len(page.named("caption")) == len(page.named("table"))
    assert all(attrs.get("scope") in ("row", "col") for attrs in page.named("th"))
    assert all(attrs["role"] == "img" and attrs["aria-label"] for attrs in page.named("svg"))


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_stays_text_in_html(text: str) -> None:
    written = render.html(hostile(text))
    page = Page(written)
    assert page.open == []
    plain = Page(render.html(hostile("plain")))
    known = {tag for tag, _ in plain.tags} | {"ul", "li", "pre", "a", "strong"}
    assert {tag for tag, _ in page.tags} <= known
    assert not page.named("script", "img")
    assert not any(hidden(character) for character in written)
    assert all(re.match(r"(#|https?://)", attrs["href"] or "") for attrs in page.named("a"))
    written.encode("utf-8")


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_stays_text_in_markdown(text: str) -> None:
    written = render.markdown(hostile(text))
    parsed = MarkdownIt("gfm-like", {"linkify": False, "html": True}).parse(written)
    flat = [token for block in parsed for token in (block, *(block.children or ()))]
    assert not [
        t
        for t in flat
        if t.type in ("link_open", "image", "code_inline", "fence", "code_block", "s_open", "html_block")
    ]
    assert {t.content for t in flat if t.type == "html_inline"} <= {"<br>"}
    headings = sum(t.type == "heading_open" for t in flat)
    plain = MarkdownIt("gfm-like", {"linkify": False}).parse(render.markdown(hostile("plain")))
    assert headings == sum(t.type == "heading_open" for t in plain)
    assert sum(t.type == "table_open" for t in flat) == sum(t.type == "table_open" for t in plain)
    seen = "".join(t.content for t in flat if t.type == "text")
    assert not re.search(r"@\w|#\d|GH-\d|!\d|https?://|www\.\w", seen)


def test_markdown_tables_keep_their_columns() -> None:
    columns = 0
    for line in render.markdown(desk()).splitlines():
        count = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
        assert count in (0, columns) or columns == 0
        columns = count


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a_b", r"a\_b"),
        ("- item", r"\- item"),
        ("1. item", r"1\. item"),
        ("plain - text 1.5", "plain - text 1.5"),
        ("two\nlines", "two lines"),
        ("@name", "@&#8203;name"),
        ("user@host", "user@&#8203;host"),
        ("a | b", r"a \| b"),
        ("<b>", "&#60;b&#62;"),
        ("---", r"\---"),
        ("\u202e", r"\[U+202E\]"),
    ],
)
def test_plain_markdown(text: str, plain: str) -> None:
    assert render.plain_markdown(text) == plain


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\n\ttext", "plain\n\ttext"),
        ("naïve — “quotes”", "naïve — “quotes”"),
        ("a\x00\x1b[31m", "a[U+0000 U+001B][31m"),
        ("a\u202eb", "a[U+202E]b"),
        ("\ud83d", "[U+D83D]"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("\U000e0041", "[U+E0041]"),
        ("a\r\nb", "a\nb"),
    ],
)
def test_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_visible_shows_undrawable_characters_and_cuts_long_text() -> None:
    assert visible("x中文y", frozenset("中文")) == "x[U+4E2D U+6587]y"
    assert visible("é" * 11, limit=10) == "é" * 10 + " … [1 more characters]"
    assert visible("a" * 11, limit=None) == "a" * 11


def test_shorten_counts_wide_characters_twice() -> None:
    assert (width("中文a"), width("e\u0301")) == (5, 1)
    assert shorten("中文字", 5) == "中文…"
    assert shorten("short", 5) == "short"
    assert shorten("two\nlines", 20) == "two lines"


FORBIDDEN = re.compile(
    r"\b(compliant|complies|certified|passes|passed|approved by ppgov|score of|low risk|safe to)\b", re.IGNORECASE
)


@pytest.mark.parametrize("path", sorted(TEMPLATES.rglob("*.j2")), ids=lambda path: path.name)
def test_templates_judge_nothing(path: Path) -> None:
    assert not FORBIDDEN.search(path.read_text(encoding="utf-8"))


def test_an_external_control_never_looks_like_the_others() -> None:
    text = render.html(desk())
    assert "✓" not in text and "✔" not in text
    assert "external controls only: nothing in this pack to resolve" in text
    assert "external only" in draw(desk()).controls[1][0].text


def test_the_users_templates_come_first(tmp_path: Path) -> None:
    (tmp_path / "html").mkdir()
    (tmp_path / "html" / "summary.html.j2").write_text("<p>Ours: {{ report.cover.id }}</p>")
    (tmp_path / "screen.css").write_text("body { color: teal }")
    (tmp_path / "report.md.j2").write_text("# {{ report.cover.name }}\n")
    text = render.html(desk(), template_dir=tmp_path)
    assert "<p>Ours: card-desk</p>" in text and "color: teal" in text
    assert "Declared facts" in text
    assert render.markdown(desk(), template_dir=tmp_path) == "# Card desk\n"


@pytest.mark.parametrize(
    ("template", "says"),
    [
        ("{{ nothing }}", "'nothing' is undefined"),
        ("{{ report.nothing }}", "has no attribute 'nothing'"),
        ("{% if %}", "line 1"),
        ("{{ 1 / 0 }}", "ZeroDivisionError"),
        ("{{ report.cover.is_not[99] }}", "no element 99"),
        ("{{ ''.__class__.__mro__ }}", "unsafe"),
        ("{{ report.__class__ }}", "unsafe"),
        ("{% include '../../etc/passwd' %}", "TemplateNotFound"),
        ("{% include '/etc/passwd' %}", "TemplateNotFound"),
        ("{{ range(10 ** 9) }}", "OverflowError"),
    ],
)
def test_a_faulty_template_is_named(tmp_path: Path, template: str, says: str) -> None:
    (tmp_path / "report.md.j2").write_text(template)
    with pytest.raises(InputError) as caught:
        render.markdown(desk(), template_dir=tmp_path)
    assert says in caught.value.message and "report.md.j2" in caught.value.message
    assert caught.value.advice


def test_pictures_say_what_the_data_says() -> None:
    pictures = draw(desk())
    assert pictures.consequence is not None
    assert "external and compensable: 1" in pictures.consequence.text
    assert ["external only" in svg.text for table in pictures.controls for svg in table] == [False, True]
    (flow,) = pictures.workflow
    assert flow.text.count("<polygon") == 5
    assert 'stroke-dasharray="4 2.5"' in flow.text
    empty = draw(of(pack()))
    assert (empty.consequence, empty.controls, empty.workflow) == (None, (), ())


def test_a_tall_workflow_is_cut_between_states() -> None:
    states = {f"s{n}": {"prompt_task": "chat", "on_event": {"next": f"s{n + 1}", "back": "s0"}} for n in range(40)}
    parts = draw(of(pack(workflow={"version": 1, "entry": "s0", "states": states}))).workflow
    assert len(parts) > 1
    boxes = [re.findall(r">(s\d+)</text>", part.text) for part in parts]
    assert sorted(name for found in boxes for name in found) == sorted(states)
    tops = [float(match) for part in parts for match in re.findall(r'viewBox="0 ([\d.]+)', part.text)]
    assert tops == sorted(set(tops))
    assert all(float(high) <= 900 for part in parts for high in re.findall(r'height="([\d.]+)" role', part.text))


def test_many_obligations_and_controls_fit_their_picture() -> None:
    controls = [{"external": "x"}] * 9
    rows = [{"id": f"o{n}", "obligation": "duty", "controls": controls} for n in range(50)]
    (drawings,) = draw(of(pack(metadata=governed(obligations=rows)))).controls
    assert len(drawings) == 2
    assert "+3" in drawings[0].text


def test_many_tools_are_counted_beyond_those_named() -> None:
    tools = {f"t{n}": tool(f"t{n}", action_scope={"effect": "read", "reversibility": "reversible"}) for n in range(12)}
    drawing = draw(of(pack(tools=tools))).consequence
    assert drawing is not None and "and 4 more" in drawing.text and ">12</text>" in drawing.text


def test_long_words_of_the_pdf_can_be_broken_and_are_cut() -> None:
    assert render.breakable("short " * 200) == "short " * 200
    assert render.breakable("k" * 300) == "\u200b".join(["k" * 30] * 10)
    long = render.breakable("k" * 2_500)
    assert long.count("k") == 2_000
    assert long.endswith(" … [500 more characters]")
