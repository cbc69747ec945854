"""The real terms nearest to a name that a vocabulary does not hold. Offered, never applied."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cached_property

from ppgov.termindex import split_iri
from ppgov.terms import WELL_KNOWN

MOST = 4
_LONGEST = 80  # difflib is quadratic, and nobody misspells a longer name by accident
_CLOSE, _CLOSE_IN_SLOT = 0.78, 0.8

_GDPR = WELL_KNOWN["legal-eu-gdpr"]
_ARTICLE = re.compile(r"art(?:icle)?[-._ ]*([0-9]+)(.*)", re.IGNORECASE | re.DOTALL)
_ARTICLE_PART = re.compile(r"[0-9A-Za-z]+")


class NearTerms:
    """Searches the names of the given terms (IRIs); `slots` and `in_slot` say which are usual where."""

    def __init__(
        self, terms: Iterable[str], slots: Callable[[str], tuple[str, ...]], in_slot: Callable[[str], frozenset[str]]
    ) -> None:
        self._terms = tuple(terms)
        self._slots = slots
        self._in_slot = in_slot

    @cached_property
    def _by_namespace(self) -> dict[str, dict[str, str]]:
        found: dict[str, dict[str, str]] = {}
        for iri in self._terms:
            namespace, local = split_iri(iri)
            found.setdefault(namespace, {})[local] = iri
        return found

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for iri in self._terms:
            found.setdefault(split_iri(iri)[1].casefold(), []).append(iri)
        return found

    def find(self, iri: str, slot: str | None) -> tuple[str, ...]:
        """At most four IRIs: an article of the GDPR by another spelling, the same name elsewhere, else close names."""
        namespace, local = split_iri(iri)
        if not local or len(local) > _LONGEST:
            return ()
        article = self._article(local) if namespace == _GDPR else ()
        if article:
            return article
        near = sorted(self._by_name.get(local.casefold(), ()))
        near = near or _close(local, self._by_namespace.get(namespace, {}).values(), _CLOSE)
        if not near and slot is not None:
            near = _close(local, sorted(self._in_slot(slot)), _CLOSE_IN_SLOT)
        return tuple(sorted(near, key=lambda term: slot not in self._slots(term))[:MOST])

    def _article(self, local: str) -> tuple[str, ...]:
        """`Article22`, `Art. 6(1)(a)`: DPV writes A22 and A6-1-a. An article without a term gives its parts."""
        match = _ARTICLE.fullmatch(local)
        if match is None:
            return ()
        name = "-".join(["A" + match.group(1), *_ARTICLE_PART.findall(match.group(2))])
        articles = self._by_namespace.get(_GDPR, {})
        if name in articles:
            return (articles[name],)
        parts = re.compile(re.escape(name) + "(-[0-9a-z]+)+").fullmatch
        return tuple(articles[part] for part in sorted(articles) if parts(part))[:MOST]


def _close(local: str, terms: Iterable[str], cutoff: float) -> list[str]:
    """The terms with the three names closest to `local`, the closest first."""
    import difflib

    named: dict[str, list[str]] = {}
    for term in terms:
        named.setdefault(split_iri(term)[1], []).append(term)
    return [term for name in difflib.get_close_matches(local, named, 3, cutoff) for term in named[name]]
