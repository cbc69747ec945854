"""Text from packs inside GitHub-flavoured Markdown, where it must not become markup."""

from __future__ import annotations

import re

from ppgov.visible import visible

_MARKUP = re.compile(r"[\\`*_{}\[\]<>|~#!&$]")
_ENTITIES = frozenset("<>&$")
# What hosts turn into links or pictures after rendering: mentions, issues, merge requests, labels, emoji names.
_REFERENCE = re.compile(r"[@#!~%$&](?=\w)|\bGH-(?=\d)|:(?=[\w+-]+:)", re.IGNORECASE)
_ADDRESS = re.compile(r"(?<=\w):(?=//)", re.IGNORECASE)
_WORLD = re.compile(r"(?<=\bwww)(?=\.)", re.IGNORECASE)  # before the dot: after it, cmark-gfm still sees a link
_LINE_START = re.compile(r"(?:[-+=]|\d+[.)])(?=\s|$|[-+=])")


def plain_markdown(text: str) -> str:
    """Pack text that cannot become markup: no emphasis, link, autolink, mention, issue number, HTML, or table border.

    The zero-width space parts what a host would link after rendering; line breaks become spaces, so that a table row
    stays a row.
    """
    line = " ".join(visible(text).split())
    line = _REFERENCE.sub(lambda match: match[0] + "\u200b", line)
    line = _WORLD.sub("\u200b", _ADDRESS.sub(lambda match: match[0] + "\u200b", line))
    line = _MARKUP.sub(_escape_mark, line).replace("\u200b", "&#8203;")
    return "\\".join(_split_start(line)) if _LINE_START.match(line) else line


def _escape_mark(match: re.Match[str]) -> str:
    mark = match[0]
    return f"&#{ord(mark)};" if mark in _ENTITIES else f"\\{mark}"


def _split_start(line: str) -> tuple[str, str]:
    """Before and after the place where a backslash keeps a line from opening a list, a rule or a heading."""
    digits = len(line) - len(line.lstrip("0123456789"))
    return line[:digits], line[digits:]
