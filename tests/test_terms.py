"""Expansion of terms where they are written, and the IRI check that keeps bad IRIs from the RDF libraries."""

from __future__ import annotations

import random

import pyoxigraph
import pytest
from rdflib.term import _is_valid_uri

from ppgov.pack import view
from ppgov.terms import (
    BAD_IRI,
    BAD_LOCAL_NAME,
    BAD_NAMESPACE,
    WELL_KNOWN,
    TermUse,
    expand,
    is_absolute_iri,
    is_ncname,
    prefixes_at,
    uses,
)
from tests.packs import governed, pack, tool

PREFIXES = {
    "acme": "https://acme.example/vocab#",
    "dpv": "https://evil.example/dpv#",
    "noslash": "https://acme.example/vocab",
    "bad": "not an iri",
    "urn": "https://acme.example/u#",
    "https": "https://acme.example/h#",
}
ACME, OWN, KNOWN = "https://acme.example/vocab#", "vocabularies", "well-known"

# written, form, IRI, who binds the prefix, a word of the note
TABLE = [
    ("eu-aiact:AIDeployer", "curie", "https://w3id.org/dpv/legal/eu/aiact#AIDeployer", KNOWN, None),
    ("dpv:PersonalData", "curie", "https://evil.example/dpv#PersonalData", OWN, "https://w3id.org/dpv# everywhere"),
    ("acme:X", "curie", ACME + "X", OWN, None),
    ("acme:", "curie", ACME, OWN, "no local name"),
    ("acme:A B", "free", None, None, "prose"),
    ("Note: see the policy", "free", None, None, "prose"),
    ("12:30 review", "free", None, None, "prose"),
    ("https://w3id.org/dpv#Data", "iri", "https://w3id.org/dpv#Data", None, "declared prefix too"),
    ("https://x.example/a b", "free", None, None, BAD_IRI),
    ("http:foo", "unresolved", None, None, None),
    ("urn:isbn:123", "curie", "https://acme.example/u#isbn:123", OWN, None),
    ("mailto:a@b.example", "iri", "mailto:a@b.example", None, None),
    ("did:web:x", "iri", "did:web:x", None, None),
    ("nist-ai-rmf:Measure-2.11", "unresolved", None, None, None),
    ("_:b0", "free", None, None, "blank node"),
    ("DPV:Data", "unresolved", None, None, "case-sensitive: 'dpv'"),
    ("eu-gdpr:A22", "unresolved", None, None, "PromptPack's is 'legal-eu-gdpr'"),
    ("noslash:X", "curie", "https://acme.example/vocabX", OWN, None),
    ("bad:X", "unresolved", None, OWN, BAD_NAMESPACE),
    ("acme:ChangeManagementPolicy-4.2", "curie", ACME + "ChangeManagementPolicy-4.2", OWN, None),
    ("https:thing", "curie", "https://acme.example/h#thing", OWN, None),
    ("://x", "free", None, None, BAD_IRI),
    ("a:b:c", "unresolved", None, None, None),
    ("acme:x#y", "unresolved", None, OWN, BAD_LOCAL_NAME),
    ("acme:%zz", "unresolved", None, OWN, BAD_LOCAL_NAME),
    ("acme:café", "curie", ACME + "café", OWN, None),
    ("C:\\x", "unresolved", None, None, None),
    ("free text", "free", None, None, None),
    ("tag:x.example,2026:y", "iri", "tag:x.example,2026:y", None, None),
    ("http://[::1]/x", "free", None, None, BAD_IRI),
    ("javascript:alert(1)", "unresolved", None, None, None),
    ("acme:\u200bX", "curie", ACME + "\u200bX", OWN, None),
    ("9a:b", "free", None, None, "cannot be a prefix"),
    ("été:X", "unresolved", None, None, None),
    ("²:X", "free", None, None, "cannot be a prefix"),
    ("urn:a b", "free", None, None, "prose"),
    ("Acme:X", "unresolved", None, None, "case-sensitive: 'acme'"),
    ("", "free", None, None, None),
]


@pytest.mark.parametrize(("written", "form", "iri", "source", "note"), TABLE)
def test_expansion_table(written: str, form: str, iri: str | None, source: str | None, note: str | None) -> None:
    term = expand(written, PREFIXES)
    assert (term.written, term.form, term.iri, term.source) == (written, form, iri, source)
    assert (note in " ".join(term.notes)) if note else (not term.notes)


def test_an_opaque_scheme_is_an_iri_only_when_it_is_a_valid_one() -> None:
    assert expand("urn:isbn:123", {}).form == "iri"
    assert expand("urn:", {}).form == "unresolved"
    assert expand("urn:<x>", {}).form == "unresolved"


def test_well_known_prefixes_are_sixteen_absolute_namespaces() -> None:
    assert len(WELL_KNOWN) == 16
    assert all(is_absolute_iri(namespace) and is_ncname(prefix) for prefix, namespace in WELL_KNOWN.items())


@pytest.mark.parametrize(
    "good",
    [
        "https://a.example",
        "HTTPS://user:pw@a.example:8080/x;y?q=/?#f/?",
        "file:///etc/hosts",
        "urn:x:é",
        "tag:a,2026:b",
        "http://例え.example/\U0001f600",
        "x:/",
        "x:\U000e1000",
    ],
)
def test_absolute_iris(good: str) -> None:
    assert is_absolute_iri(good)
    pyoxigraph.NamedNode(good)


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "a",
        "a:",
        ":b",
        "1a:b",
        "http:b",
        "http://",
        "http://:80/",
        "http://u@/x",
        "http://h:port/",
        "http://h:٣/",
        "http://a@b@c/",
        "http://[::1]/",
        "x:a b",
        "x:a\nb",
        "x:\x00",
        "x:%zz",
        "x:%4",
        "x:#a#b",
        "x:<a>",
        "x:a\\b",
        "x:\ue000",
        "x:\ufffe",
        "x:\ud800",
        "é:x",
        "x:?q",
        "x:[a]",
    ],
)
def test_what_is_no_absolute_iri(bad: str) -> None:
    assert not is_absolute_iri(bad)


def test_no_library_refuses_an_iri_that_is_accepted() -> None:
    draw = random.Random(20260101)  # noqa: S311 - a seeded sample of hostile strings
    starts = ["https://", "http://a.b", "urn:", "acme:", "https://h/", "tag:", "file:///"]
    characters = (
        "abcXYZ019-._~:/?#[]@!$&'()*+,;=%<>\"{}|\\^` \n\t\u00e9\u4e2d\u200b\ufffe\ue000\U0001f600\U000e0001%20%zz"
    )
    accepted = 0
    for _ in range(20_000):
        text = draw.choice(starts) + "".join(draw.choices(characters, k=draw.randint(0, 9)))
        if is_absolute_iri(text):
            accepted += 1
            pyoxigraph.NamedNode(text)
            assert _is_valid_uri(text), text
    assert 3_000 < accepted < 8_000


@pytest.mark.parametrize("unit", ["a", "%20", "a@", "a:", "/", "é", "#", "?", "%2", "a b"])
def test_ten_mebibytes_end(unit: str) -> None:
    """Anything but a linear check would not come back from these."""
    text = "https://" + unit * (10 * 1024 * 1024 // len(unit))
    assert is_absolute_iri(text) == (unit in ("a", "%20", "é"))
    assert expand(text[6:] + ":" + text, {}).form == "free"


def test_ncnames() -> None:
    assert all(map(is_ncname, ["a", "_", "eu-aiact", "a.b", "été", "a\u00b7", "日本"]))
    assert not any(map(is_ncname, ["", "1", "-a", ".a", "a:b", "a b", "²", "a²", "a\n", "\u0300a"]))


def test_agent_prefixes_lie_over_the_packs_and_a_bad_value_binds_to_nothing() -> None:
    seen = view(
        pack(
            metadata=governed(vocabularies={"a": "https://a.example/#", "b": "https://b.example/#", "c": 5}),
            agents={"entry": "chat", "members": {"chat": {"governance": {"vocabularies": {"b": "urn:b:"}}}}},
        )
    )
    assert prefixes_at(seen, None) == {"a": "https://a.example/#", "b": "https://b.example/#", "c": ""}
    assert prefixes_at(seen, "chat") == {"a": "https://a.example/#", "b": "urn:b:", "c": ""}
    assert prefixes_at(seen, "nobody") == prefixes_at(seen, None)
    assert expand("c:X", prefixes_at(seen, None)).notes == (BAD_NAMESPACE,)
    assert prefixes_at(view(pack()), None) == {}


def short(found: TermUse) -> tuple[str, str | None, str, str]:
    return found.slot, found.scope, found.pointer, found.term.written


def test_every_slot_in_file_order() -> None:
    governance = {
        "reviews": [{"type": "pp:RedTeaming"}, {"id": "x"}],
        "operator_role": "eu-aiact:AIDeployer",
        "risk_classification": 5,
        "capabilities": ["ai:Profiling", 7, "free"],
        "intended_deployment_contexts": ["dpv:Sector"],
        "obligations": [
            {
                "applies_to": {"data_class": "pd:Email", "capability": "c", "risk_classification": "r", "other": "o"},
                "obligation": "dpv:Right",
            },
            {"applies_to": "no object"},
            "no object",
        ],
    }
    seen = view(
        pack(
            tools={"t/1": tool("t/1", action_scope={"data_classes": ["a:X", "a:X"]}), "t2": tool("t2")},
            agents={
                "entry": "chat",
                "members": {"chat": {"governance": {"risk_classification": "a:X", "vocabularies": {"a": "urn:a:"}}}},
            },
            metadata=governed(**governance, vocabularies={"a": "https://a.example/#"}),
        )
    )
    block = "/metadata/governance"
    assert [short(found) for found in uses(seen)] == [
        ("data_classes", None, "/tools/t~11/action_scope/data_classes/0", "a:X"),
        ("data_classes", None, "/tools/t~11/action_scope/data_classes/1", "a:X"),
        ("risk_classification", "chat", "/agents/members/chat/governance/risk_classification", "a:X"),
        ("reviews.type", None, f"{block}/reviews/0/type", "pp:RedTeaming"),
        ("operator_role", None, f"{block}/operator_role", "eu-aiact:AIDeployer"),
        ("capabilities", None, f"{block}/capabilities/0", "ai:Profiling"),
        ("capabilities", None, f"{block}/capabilities/2", "free"),
        ("intended_deployment_contexts", None, f"{block}/intended_deployment_contexts/0", "dpv:Sector"),
        ("data_classes", None, f"{block}/obligations/0/applies_to/data_class", "pd:Email"),
        ("capabilities", None, f"{block}/obligations/0/applies_to/capability", "c"),
        ("risk_classification", None, f"{block}/obligations/0/applies_to/risk_classification", "r"),
        ("obligation", None, f"{block}/obligations/0/obligation", "dpv:Right"),
    ]


def test_a_term_means_what_the_prefixes_where_it_is_written_say() -> None:
    seen = view(
        pack(
            metadata=governed(vocabularies={"a": "https://a.example/#"}, operator_role="a:X"),
            agents={
                "entry": "chat",
                "members": {"chat": {"governance": {"vocabularies": {"a": "urn:a:"}, "risk_classification": "a:X"}}},
            },
        )
    )
    assert [found.term.iri for found in uses(seen)] == ["https://a.example/#X", "urn:a:X"]
    assert uses(view(pack())) == ()
