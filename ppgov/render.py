"""The door to Jinja: report data in, HTML, Markdown or JSON text out.

Every text that a template prints passes `finalize` first, so no template, bundled or a user's own, can
forget to make pack text visible and harmless. Templates run in a sandbox and see plain values only.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ppgov import resources
from ppgov.errors import InputError
from ppgov.markdown import plain_markdown
from ppgov.picture import Pictures, draw
from ppgov.report import Report
from ppgov.visible import visible

if TYPE_CHECKING:
    from jinja2.sandbox import SandboxedEnvironment

HTML_TEMPLATE = "report.html.j2"
MARKDOWN_TEMPLATE = "report.md.j2"
STYLES = {"html": ("page.css", "screen.css"), "pdf": ("page.css", "pdf.css")}

# What a mistake in a user's template can raise, beside Jinja's own errors.
_TEMPLATE_FAULTS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class Fonts:
    """What draws the text: `packaged` fonts, those `borrowed` from the machine; code points `missing` in all."""

    packaged: tuple[str, ...] = ()
    borrowed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    faces: str = ""


@dataclass(frozen=True, slots=True)
class Attached:
    """A file inside the PDF, as the report's method names it."""

    name: str
    description: str
    sha256: str


def html(
    report: Report,
    *,
    template_dir: Path | None = None,
    medium: str = "html",
    fonts: Fonts | None = None,
    attached: tuple[Attached, ...] = (),
    undrawable: frozenset[str] = frozenset(),
) -> str:
    """The report as one self-contained page; `medium` "pdf" is the same page styled for WeasyPrint.

    `undrawable` are characters that no font has: they show as code points.
    """
    from markupsafe import Markup

    def finalize(value: object) -> object:
        if isinstance(value, str) and not hasattr(value, "__html__"):
            return breakable(visible(value, undrawable)) if medium == "pdf" else visible(value, undrawable)
        return "" if value is None else value

    environment = _environment(template_dir, finalize)
    style = "\n".join(_source(environment, name) for name in STYLES[medium])
    fonts = fonts or Fonts()
    page = _render(
        environment,
        HTML_TEMPLATE,
        template_dir,
        report=report,
        pictures=draw(report, undrawable),
        fonts=fonts,
        attached=attached,
        medium=medium,
        style=Markup(fonts.faces + style),  # noqa: S704 - our own files, or the user's, never the pack's
        style_hash=_style_hash(fonts.faces + style),
    )
    # WeasyPrint orders text by paragraph, with or without `bdi`; each element costs it memory.
    return page.replace("<bdi>", "").replace("</bdi>", "") if medium == "pdf" else page


_UNBROKEN = re.compile(r"\S{300,}")
_LONGEST_WORD = 2_000


def breakable(text: str) -> str:
    """A word of 300 characters or more with a place to break after every 30, and cut after 2,000, saying so.

    The time that a line breaker takes grows with the square of the word: for 10,000 characters it was a minute.
    """

    def broken(match: re.Match[str]) -> str:
        word = match[0]
        rest = f" … [{len(word) - _LONGEST_WORD:,} more characters]" if len(word) > _LONGEST_WORD else ""
        return "\u200b".join(re.findall(".{1,30}", word[:_LONGEST_WORD], re.DOTALL)) + rest

    return _UNBROKEN.sub(broken, text)


def markdown(report: Report, *, template_dir: Path | None = None) -> str:
    """The report as GitHub-flavoured Markdown, for a pull request."""
    environment = _environment(template_dir, _plain)
    return _tidy(_render(environment, MARKDOWN_TEMPLATE, template_dir, report=report, medium="md"))


def page(template: str, *, styles: tuple[str, ...], scripts: tuple[str, ...], rules: str, **context: object) -> str:
    """A self-contained page from a bundled template; `rules` are style rules of our own, after the style sheets.

    The template gets the style and each script with the source that lets it through the page's own policy.
    """
    from markupsafe import Markup

    environment = _environment(None, _visible)
    style = "\n".join(_source(environment, name) for name in styles) + rules
    sources = tuple(_source(environment, name) for name in scripts)
    return _render(
        environment,
        template,
        None,
        style=Markup(style),  # noqa: S704 - our own files
        style_hash=_style_hash(style),
        scripts=tuple(Markup(source) for source in sources),  # noqa: S704 - our own files
        script_hashes=tuple(_style_hash(source) for source in sources),
        **context,
    )


def text_page(template: str, **context: object) -> str:
    """A Markdown page from a bundled template."""
    return _tidy(_render(_environment(None, _plain), template, None, **context))


def _visible(value: object) -> object:
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return visible(value)
    return "" if value is None else value


def _plain(value: object) -> object:
    from markupsafe import Markup

    if isinstance(value, str) and not hasattr(value, "__html__"):
        return Markup(plain_markdown(value))  # noqa: S704 - escaped for Markdown by the very call
    return "" if value is None else value


def _tidy(text: str) -> str:
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def json_text(report: Report) -> str:
    """The report data as JSON (`ppgov-report/1`), texts as in the pack."""
    return json.dumps(dataclasses.asdict(report), indent=2) + "\n"


def _environment(template_dir: Path | None, finalize: Callable[[object], object]) -> SandboxedEnvironment:
    from jinja2 import ChoiceLoader, FileSystemLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    folders = [folder for folder in (template_dir, resources.folder("report_templates")) if folder is not None]
    environment = ImmutableSandboxedEnvironment(
        loader=ChoiceLoader([FileSystemLoader(folder) for folder in folders]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=finalize,
    )
    environment.globals = {
        "range": environment.globals["range"],
        "dict": environment.globals["dict"],
        "namespace": environment.globals["namespace"],
    }
    return environment


def _source(environment: SandboxedEnvironment, name: str) -> str:
    """The text of a style sheet; the user's folder wins."""
    loader = environment.loader
    return loader.get_source(environment, name)[0] if loader is not None else ""


def _style_hash(style: str) -> str:
    """The source expression that lets this style sheet through the page's own Content-Security-Policy, and no other."""
    return "sha256-" + base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()


def _render(environment: SandboxedEnvironment, name: str, template_dir: Path | None, **context: object) -> str:
    from jinja2 import TemplateError, TemplateSyntaxError

    try:
        return environment.get_template(name).render(context)
    except TemplateSyntaxError as error:
        raise InputError(f"template {error.name}, line {error.lineno}: {error.message}", _ADVICE) from error
    except TemplateError as error:
        raise InputError(f"template {name}: {type(error).__name__}: {error.message or ''}", _ADVICE) from error
    except _TEMPLATE_FAULTS as error:
        if template_dir is None:
            raise
        raise InputError(f"template {name}: {type(error).__name__}: {error}", _ADVICE) from error


_ADVICE = "docs/templates.md describes what a template may use"

__all__ = ["Attached", "Fonts", "Pictures", "html", "json_text", "markdown", "page", "plain_markdown", "text_page"]
