"""Terms: a CURIE, an absolute IRI or a free string, expanded where it is written (RFC 0013).

The IRI check is stricter than RFC 3987, so that no RDF library sees a string it would refuse, or write out
broken. All checks are linear in the length of the string.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from ppgov import resources
from ppgov.pack import Entity, Pack

Form = Literal["curie", "iri", "free", "unresolved"]
Source = Literal["well-known", "vocabularies"]

_PREFIXES = json.loads(resources.text("vocab", "prefixes.json"))
WELL_KNOWN: dict[str, str] = _PREFIXES["well_known"]
_MISTAKEN: dict[str, str] = _PREFIXES["mistaken"]
_OPAQUE_SCHEMES: frozenset[str] = frozenset(_PREFIXES["schemes"])  # written without "//", yet no prefix unless declared

BAD_NAMESPACE = "its namespace is not an absolute IRI"
BAD_LOCAL_NAME = "the local name has characters that an IRI cannot hold"
BAD_IRI = "it is no valid absolute IRI"


class Term(NamedTuple):
    """A term as written and what it expands to.

    `iri` is set for the forms "curie" and "iri". `source` says who binds `prefix`; it is set for an "unresolved"
    term too when the prefix is bound and the fault is elsewhere: `notes` then holds BAD_NAMESPACE or BAD_LOCAL_NAME.
    """

    written: str
    form: Form
    iri: str | None = None
    prefix: str | None = None
    source: Source | None = None
    notes: tuple[str, ...] = ()


class TermUse(NamedTuple):
    """A term in a slot. `scope` is the agent whose prefixes are in force, None for the pack's."""

    slot: str
    scope: str | None
    pointer: str
    term: Term


# Compiling a character class with most of Unicode in it takes 10 ms, and nearly every term is ASCII.
_IRI_ASCII = r"A-Za-z0-9\-._~!$&'()*+,;=:@/?#%"
_IRI_CHARS = re.compile(rf"[{_IRI_ASCII}]*").fullmatch
_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9.\-]*").fullmatch
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*").fullmatch
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})").search
_SPACE = re.compile(r"\s").search
_NEED_HOST = frozenset(("http", "https", "ftp", "ws", "wss"))


@cache
def _iri_chars() -> re.Pattern[str]:
    """What an IRI may hold after its scheme, but for the brackets of an IP literal and private use characters."""
    planes = (plane << 16 for plane in range(1, 15))
    wide = "".join(f"{chr(start + (0x1000 if start == 0xE0000 else 0))}-{chr(start + 0xFFFD)}" for start in planes)
    return re.compile(rf"[{_IRI_ASCII}\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef{wide}]*")


@cache
def _ncname() -> re.Pattern[str]:
    """NCName of Namespaces in XML 1.0 (production 4)."""
    start = (
        "A-Za-z_\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d"
        "\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
    )
    return re.compile(rf"[{start}][{start}\-.0-9\u00b7\u0300-\u036f\u203f-\u2040]*")


def is_ncname(text: str) -> bool:
    """Whether the text can be a prefix."""
    return (_NAME(text) if text.isascii() else _ncname().fullmatch(text)) is not None


def is_absolute_iri(text: str) -> bool:
    """Whether the text is an IRI (RFC 3987) with a scheme, a host where that needs one, and no IP literal."""
    scheme, colon, rest = text.partition(":")
    if not colon or _SCHEME(scheme) is None or _BAD_ESCAPE(rest) is not None:
        return False
    if (_IRI_CHARS(rest) if rest.isascii() else _iri_chars().fullmatch(rest)) is None:
        return False
    before_fragment, _, fragment = rest.partition("#")
    hierarchy = before_fragment.partition("?")[0]
    if "#" in fragment or not hierarchy:
        return False
    needs_host = scheme.lower() in _NEED_HOST
    return _has_authority(hierarchy, needs_host=needs_host) if hierarchy.startswith("//") else not needs_host


def _has_authority(hierarchy: str, *, needs_host: bool) -> bool:
    user, _, place = hierarchy[2:].partition("/")[0].rpartition("@")
    host, _, port = place.partition(":")
    return "@" not in user and (not port or (port.isascii() and port.isdigit())) and (bool(host) or not needs_host)


def expand(value: str, prefixes: Mapping[str, str]) -> Term:
    """The term that `value` is; `prefixes` are the `vocabularies` in force where it is written."""
    prefix, colon, local = value.partition(":")
    if not colon:
        return Term(value, "free")
    if local.startswith("//"):
        return _address(value, prefix, prefixes)
    if prefix == "_":
        return Term(value, "free", notes=("'_:' is blank node syntax, not a prefix",))
    if _SPACE(value) is not None:
        return Term(value, "free", notes=("it has white space, so it is prose",))
    if not is_ncname(prefix):
        return Term(value, "free", notes=("what stands before the colon cannot be a prefix",))
    if prefix in prefixes:
        return _curie(value, prefix, local, prefixes[prefix], "vocabularies")
    if prefix in WELL_KNOWN:
        return _curie(value, prefix, local, WELL_KNOWN[prefix], "well-known")
    if prefix.lower() in _OPAQUE_SCHEMES and is_absolute_iri(value):
        return Term(value, "iri", value)
    return Term(value, "unresolved", prefix=prefix, notes=tuple(_advice(prefix, prefixes)))


def _address(value: str, prefix: str, prefixes: Mapping[str, str]) -> Term:
    """A value with "//" after its first colon: an IRI or nothing, even where the scheme is a declared prefix."""
    if not is_absolute_iri(value):
        return Term(value, "free", notes=(BAD_IRI,))
    notes = (f"'{prefix}' is a declared prefix too, but '//' makes this an IRI",) if prefix in prefixes else ()
    return Term(value, "iri", value, notes=notes)


def _curie(value: str, prefix: str, local: str, namespace: str, source: Source) -> Term:
    expanding = _expanded_curie.__wrapped__ if len(value) + len(namespace) > _KEPT_LENGTH else _expanded_curie
    return expanding(value, prefix, local, namespace, source)


_KEPT_LENGTH = 200  # longer ones would let a hostile fleet fill the memory


@lru_cache(maxsize=8192)  # the same few terms recur all over a fleet
def _expanded_curie(value: str, prefix: str, local: str, namespace: str, source: Source) -> Term:
    if not is_absolute_iri(namespace):
        return Term(value, "unresolved", None, prefix, source, (BAD_NAMESPACE,))
    iri = namespace + local
    if not is_absolute_iri(iri):
        return Term(value, "unresolved", None, prefix, source, (BAD_LOCAL_NAME,))
    notes = []
    if namespace != WELL_KNOWN.get(prefix, namespace):
        notes.append(f"'{prefix}' is {WELL_KNOWN[prefix]} everywhere else")
    if not local:
        notes.append("it has no local name and names the vocabulary itself")
    return Term(value, "curie", iri, prefix, source, tuple(notes))


def _advice(prefix: str, prefixes: Mapping[str, str]) -> Iterator[str]:
    """What a prefix that nobody binds may be a slip of."""
    if prefix in _MISTAKEN:
        yield _MISTAKEN[prefix]
    folded = prefix.casefold()
    for known in (*prefixes, *WELL_KNOWN):
        if known.casefold() == folded:
            yield f"prefixes are case-sensitive: '{known}'"
            return


def prefixes_at(pack: Pack, agent: str | None) -> dict[str, str]:
    """The `vocabularies` in force: the agent's over the pack's. A value that is no string binds its prefix to ""."""
    blocks = [pack.governance, pack.agent_governance.get(agent) if agent is not None else None]
    return {
        prefix: namespace if isinstance(namespace, str) else ""
        for block in blocks
        if block is not None
        for prefix, namespace in block.mapping("vocabularies").items()
    }


_Slot = tuple[str, str, str]  # slot, pointer, value as written

_APPLIES_TO = {"capability": "capabilities", "data_class": "data_classes", "risk_classification": "risk_classification"}


def uses(pack: Pack) -> tuple[TermUse, ...]:
    """Every term of the pack, in file order."""
    return tuple(_uses(pack))


def _uses(pack: Pack) -> Iterator[TermUse]:
    for part in pack.data:
        if part == "metadata" and pack.governance is not None:
            yield from _expanded(pack, None, _block(pack.governance))
        elif part == "agents":
            for agent, block in pack.agent_governance.items():
                yield from _expanded(pack, agent, _block(block))
        elif part == "tools":
            yield from _expanded(pack, None, _data_classes(pack))


def _expanded(pack: Pack, scope: str | None, slots: Iterator[_Slot]) -> Iterator[TermUse]:
    prefixes = prefixes_at(pack, scope)
    known: dict[str, Term] = {}  # the same few terms recur all over a pack
    for slot, pointer, written in slots:
        if written not in known:
            known[written] = expand(written, prefixes)
        yield TermUse(slot, scope, pointer, known[written])


def _data_classes(pack: Pack) -> Iterator[_Slot]:
    for tool in pack.tools.values():
        if (action_scope := tool.child("action_scope")) is not None:
            yield from (("data_classes", *found) for found in action_scope.texts("data_classes"))


def _block(block: Entity) -> Iterator[_Slot]:
    for field in block.data:
        if field in ("operator_role", "risk_classification"):
            yield from _text(block, field, field)
        elif field in ("intended_deployment_contexts", "capabilities"):
            yield from ((field, *found) for found in block.texts(field))
        elif field == "obligations":
            for obligation in block.entries("obligations"):
                yield from _obligation(obligation)
        elif field == "reviews":
            for review in block.entries("reviews"):
                yield from _text(review, "type", "reviews.type")


def _obligation(obligation: Entity) -> Iterator[_Slot]:
    for member in obligation.data:
        if member == "obligation":
            yield from _text(obligation, member, "obligation")
        elif member == "applies_to" and (applies_to := obligation.child("applies_to")) is not None:
            for trigger in applies_to.data:
                if trigger in _APPLIES_TO:
                    yield from _text(applies_to, trigger, _APPLIES_TO[trigger])


def _text(holder: Entity, name: str, slot: str) -> Iterator[_Slot]:
    value = holder.text(name)
    if value is not None:
        yield slot, holder.at(name), value
