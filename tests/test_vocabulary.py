"""The index of terms, a user's own vocabularies, suggestions and the pages that `ppgov vocab` prints."""

from __future__ import annotations

import difflib
import importlib.util
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from ppgov import resources
from ppgov.audit import audit
from ppgov.errors import InputError, UsageError
from ppgov.output import term_text
from ppgov.termpage import prefix_rows, term_page
from ppgov.terms import WELL_KNOWN, expand, is_absolute_iri
from ppgov.turtle import MAX_BYTES
from ppgov.vocabulary import Facts, Removal, Vocabulary, load, slots
from tests.packs import governed, pack, source

VOCAB = resources.folder("vocab")
DPV = Path(__file__).resolve().parent.parent.parent / "shared" / "dpv"
RELEASES = ("2.0", "2.1", "2.2", "2.3")
VOCABULARY = load()


def iri(curie: str) -> str:
    found = expand(curie, {}).iri
    assert found is not None
    return found


def suggested(written: str, slot: str | None = None) -> list[str]:
    return list(VOCABULARY.suggest(iri(written), slot))


def own(tmp_path: Path, text: str, name: str = "acme.ttl") -> Vocabulary:
    file = tmp_path / name
    file.write_text(PROLOGUE + text, encoding="utf-8")
    return load([file])


PROLOGUE = """\
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix sw: <http://www.w3.org/2003/06/sw-vocab-status/ns#> .
@prefix dpv: <https://w3id.org/dpv#> .
@prefix acme: <https://acme.example/v#> .
"""
ACME = "https://acme.example/v#"


# --- the bundled index


def builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_terms", VOCAB / "build_terms.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["build_terms"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(not DPV.is_dir(), reason="the DPV releases are not beside this checkout")
def test_the_index_is_what_the_script_builds() -> None:
    built = builder().build((release, DPV / release) for release in RELEASES)
    assert built.encode() == (VOCAB / "terms.tsv").read_bytes()


def test_the_script_compares_names_by_their_words() -> None:
    words = builder().words
    assert words("ErosionOfTrust") == words("TrustErosion")
    assert words("FavoriteColor") != words("FavouriteColour")
    assert words("HairColour") == words("HairColor")
    assert words("LoseCredibility") == words("CredibilityLoss")


def test_what_the_index_holds() -> None:
    kinds = Counter(line.split("\t")[1] for line in (VOCAB / "terms.tsv").read_text(encoding="utf-8").splitlines())
    assert (kinds["class"] - 17, kinds["property"], kinds["removed"], kinds["module"]) == (2894, 258, 176, 14)
    prefixes = Counter(str(VOCABULARY.curie(facts.iri)).partition(":")[0] for facts in VOCABULARY.terms)
    assert (prefixes["dpv"], prefixes["pp"], prefixes["hipaa"], len(prefixes)) == (1116, 11, 6, 16)
    assert sum(facts.status == "sunset" for facts in VOCABULARY.terms) == 12
    assert all(facts.label and is_absolute_iri(facts.iri) for facts in VOCABULARY.terms)
    assert not any(len(line) > 500 for line in (VOCAB / "terms.tsv").read_text(encoding="utf-8").splitlines())


def test_every_removed_term_says_where_it_went() -> None:
    rows = [line.split("\t") for line in (VOCAB / "terms.tsv").read_text(encoding="utf-8").splitlines()]
    removals = {row[0]: VOCABULARY.removal(iri(row[0])) for row in rows if row[1] == "removed"}
    assert all(removal is not None for removal in removals.values())
    known = [removal for removal in removals.values() if removal is not None and removal.successor is not None]
    assert len(known) == 88
    assert all(VOCABULARY.standing(str(removal.successor)) == "known" for removal in known)
    assert Counter(removal.how for removal in known) == {"renamed": 69, "moved": 3, "reviewed": 16}
    assert Counter(str(removal.release) for removal in removals.values() if removal is not None) == {
        "DPV 2.1": 126,
        "DPV 2.2": 47,
        "DPV 2.3": 3,
    }


@pytest.mark.parametrize(
    ("written", "release", "successor"),
    [
        ("eu-aiact:DeepFake", "DPV 2.1", "eu-aiact:DeepFakeGeneration"),
        ("eu-aiact:CriticalInfrastructure", "DPV 2.1", "eu-aiact:CriticalInfrastructureSector"),
        ("eu-aiact:RiskLevelHighAnnexIII", "DPV 2.3", "eu-aiact:RiskLevelHigh-A6-2"),
        ("dpv:CreditChecking", "DPV 2.1", "sector-finance:CreditChecking"),
        ("pd:HairColor", "DPV 2.2", "pd:HairColour"),
        ("pd:CountryOfBirth", "DPV 2.1", "pd:BirthCountry"),
        ("tech:SaaS", "DPV 2.1", "tech:ProvidedAsSaaS"),
        ("risk:LossCredibility", "DPV 2.1", "risk:CredibilityLoss"),
    ],
)
def test_renamed_terms(written: str, release: str, successor: str) -> None:
    removal = VOCABULARY.removal(iri(written))
    assert removal is not None
    assert (removal.release, removal.successor) == (release, iri(successor))
    assert VOCABULARY.standing(iri(written)) == "renamed"
    assert suggested(written) == [successor]
    assert VOCABULARY.facts(iri(written)) is None


def test_standings() -> None:
    def standing(written: str) -> str:
        return VOCABULARY.standing(iri(written))

    assert standing("dpv:PersonalData") == "known"
    assert standing("dpv:hasPurpose") == "known"
    assert standing("eu-aiact:DeepFake") == "renamed"
    assert standing("risk:LossGoods") == "removed"
    assert standing("dpv:FinancialData") == "unknown"
    assert standing("dpv:") == "unknown"
    assert standing("pp:Nothing") == "unknown"
    assert standing("https://acme.example/v#X") == "not-indexed"
    assert standing("https://w3id.org/dpv/loc#EU") == "not-indexed"
    assert standing("https://w3id.org/dpv/ai") == "not-indexed"
    assert standing("urn:isbn:1") == "not-indexed"


def test_facts() -> None:
    assert VOCABULARY.facts(iri("ai:Profiling")) == Facts(
        iri="https://w3id.org/dpv/ai#Profiling",
        label="Profiling",
        kind="class",
        parents=("https://w3id.org/dpv/ai#HumanOrientedCapability", "https://w3id.org/dpv#Profiling"),
        since="2.1",
        source="DPV 2.3",
    )
    phi = VOCABULARY.facts(iri("hipaa:PHI"))
    assert phi is not None
    assert (phi.label, phi.instrument, phi.since) == ("Protected health information", "45 CFR 160.103", None)
    sunset = VOCABULARY.facts(iri("dpv:PublicLocation"))
    assert sunset is not None and sunset.status == "sunset"
    assert VOCABULARY.removal(iri("dpv:PublicLocation")) == Removal(None, iri("dpv:PublicSpace"), "reviewed")
    assert VOCABULARY.removal(iri("dpv:LegalAgreement")) is None
    assert VOCABULARY.label(iri("eu-aiact:DeepFake")) == "Deep Fake"
    assert VOCABULARY.label(iri("dpv:FinancialData")) is None
    assert VOCABULARY.facts("https://acme.example/v#X") is None


def test_the_chains_of_the_model() -> None:
    def above(written: str) -> set[str | None]:
        return {VOCABULARY.curie(up) for up in VOCABULARY.ancestors(iri(written))}

    assert above("eu-aiact:RiskLevelHigh") >= {"eu-aiact:RiskLevelPermitted", "dpv:RiskLevel"}
    assert above("ai:Profiling") >= {"dpv:Processing", "ai:AI", "dpv:Technology"}
    assert "dpv:Processing" not in above("dpv:AutomatedDecisionMaking")
    assert above("eu-aiact:AuthorisedRepresentative") >= {"dpv:LegalEntity", "tech:Actor"}
    assert VOCABULARY.ancestors(iri("pd:Financial"))[0] == iri("dpv:PersonalData")
    assert iri("eu-aiact:RiskLevelHigh-A6-1") in VOCABULARY.children(iri("eu-aiact:RiskLevelHigh"))
    assert iri("ai:Profiling") in VOCABULARY.children(iri("dpv:Profiling"))
    assert VOCABULARY.instances(iri("risk:PotentialRisk"))
    assert VOCABULARY.children(iri("dpv:Nothing")) == VOCABULARY.instances(iri("dpv:Nothing")) == ()


def test_the_model_of_slots() -> None:
    assert {slot.name: len(VOCABULARY.usual(slot.name)) for slot in slots()} == {
        "operator_role": 91,
        "risk_classification": 77,
        "capabilities": 265,
        "data_classes": 343,
        "intended_deployment_contexts": 570,
        "reviews.type": 80,
        "obligation": 487,
    }
    placed = Counter(len(VOCABULARY.slots(facts.iri)) for facts in VOCABULARY.terms if facts.kind == "class")
    assert placed[0] == 1160
    assert sum(count for size, count in placed.items() if size > 1) == 154
    assert VOCABULARY.slots(iri("hipaa:PHI")) == ("data_classes",)
    assert VOCABULARY.slots(iri("dpv:hasPurpose")) == VOCABULARY.slots(iri("dpv:Nothing")) == ()
    assert VOCABULARY.usual("nothing") == frozenset()


def test_every_root_of_a_slot_exists() -> None:
    for slot in slots():
        for root in slot.roots | slot.exceptions | slot.also:
            assert VOCABULARY.standing(root) == "known", root


def test_where_the_terms_come_from() -> None:
    dpv, pp, hipaa = VOCABULARY.sources
    assert (dpv.title, dpv.release, dpv.date) == ("Data Privacy Vocabulary (DPV)", "2.3", "2026-02-25")
    assert (len(dpv.namespaces), len(dpv.modules), len(dpv.sha256)) == (14, 14, 64)
    assert {module.release for module in dpv.modules} == {"2.3"}
    assert (pp.namespaces, pp.release, pp.date) == ((WELL_KNOWN["pp"],), None, None)
    assert hipaa.title == "PromptPack HIPAA terms"
    assert VOCABULARY.origin(iri("ai:Nothing")) == "DPV 2.3"
    assert VOCABULARY.origin(iri("pp:Nothing")) == "the PromptPack vocabulary"
    assert VOCABULARY.origin("https://acme.example/v#X") is None


@pytest.mark.skipif(not DPV.is_dir(), reason="the DPV releases are not beside this checkout")
def test_the_digests_are_those_of_the_files() -> None:
    import hashlib

    dpv = {hashlib.sha256(file.read_bytes()).hexdigest() for file in (DPV / "2.3").glob("*.ttl")}
    assert {module.sha256 for module in VOCABULARY.sources[0].modules} == dpv


def test_loading_costs_little() -> None:
    """The bundled index is read once, and neither a parser of RDF nor a differ comes with it."""
    assert load() is load(())
    code = """
import sys
from ppgov.vocabulary import load
load().slots("https://w3id.org/dpv#PersonalData")
print([name for name in ("pyoxigraph", "rdflib", "difflib", "ppgov.termfile") if name in sys.modules])
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


# --- suggestions


@pytest.mark.parametrize(
    ("written", "nearest"),
    [
        ("dpv:FinancialData", ["pd:Financial", "pp:FinancialAccount"]),
        ("eu-aiact:HighRiskAI", ["eu-aiact:RiskLevelHigh", "eu-aiact:HighRiskAISystem"]),
        ("eu-aiact:CriticalInfrastructure", ["eu-aiact:CriticalInfrastructureSector"]),
        ("eu-aiact:DeepFake", ["eu-aiact:DeepFakeGeneration"]),
        ("eu-aiact:Article50", ["eu-aiact:RiskLevelTransparencyRequired", "dpv:AINotice"]),
        ("legal-eu-gdpr:Article22", ["legal-eu-gdpr:A22"]),
        ("legal-eu-gdpr:Article22-3", ["legal-eu-gdpr:A22-3-a", "legal-eu-gdpr:A22-3-b", "legal-eu-gdpr:A22-3-c"]),
        ("sector-finance:ConsumerCredit", ["sector-finance:LoanServiceProvision", "sector-finance:CreditChecking"]),
        ("sector-finance:Payments", ["sector-finance:PaymentProcessing"]),
        ("sector-health:Hospital", ["dpv:Hospital"]),
        (
            "sector-publicservices:CustomerService",
            ["dpv:CustomerCare", "sector-publicservices:PublicServiceProvision"],
        ),
        ("legal-eu-gdpr:Article6-1-a", ["legal-eu-gdpr:A6-1-a"]),
        ("legal-eu-gdpr:Art.6(1)(a)", ["legal-eu-gdpr:A6-1-a"]),
        ("legal-eu-gdpr:art17", ["legal-eu-gdpr:A17"]),
        ("legal-eu-gdpr:Article7", ["legal-eu-gdpr:A7-3"]),
        ("legal-eu-gdpr:Article5", []),
        ("legal-eu-gdpr:Artcle", []),
        ("eu-aiact:aideployer", ["eu-aiact:AIDeployer"]),
        ("dpv:Financial", ["pd:Financial"]),
        ("dpv:Controller", ["legal-eu-gdpr:Controller"]),
        ("hipaa:phi", ["hipaa:PHI"]),
        ("eu-aiact:RiskLevelHihg", ["eu-aiact:RiskLevelHigh", "eu-aiact:RiskLevelNotHigh", "eu-aiact:RiskLevel"]),
        ("pp:SyntheticMedi", ["pp:SyntheticMedia"]),
        ("dpv:Zzzzz", []),
        ("dpv:", []),
        ("dpv:PersonalData", []),
        ("dpv:" + "PersonalData" * 9, []),
        ("risk:LossGoods", []),
        ("https://acme.example/v#PersonalData", []),
    ],
)
def test_suggestions(written: str, nearest: list[str]) -> None:
    assert suggested(written) == nearest


def test_terms_usual_in_the_slot_come_first() -> None:
    assert suggested("dpv:Profilng", "capabilities")[0] == "dpv:Profiling"
    assert suggested("legal-us:Profilng", "capabilities") == [
        "dpv:Profiling",
        "ai:Profiling",
        "legal-eu-gdpr:Profiling",
    ]
    assert suggested("legal-us:Profilng") == []
    plain = suggested("dpv:serviceprovision")
    assert plain == sorted(plain) and len(plain) > 1
    in_slot = suggested("dpv:serviceprovision", "intended_deployment_contexts")
    usual = [VOCABULARY.slots(iri(term)) for term in in_slot]
    assert sorted(in_slot) == plain
    assert usual == sorted(usual, key=lambda names: "intended_deployment_contexts" not in names)


@pytest.mark.parametrize(
    ("written", "nearest"),
    [
        ("http://w3id.org/dpv#PersonalData", ["dpv:PersonalData"]),
        ("http://w3id.org/dpv#FinancialData", ["pd:Financial", "pp:FinancialAccount"]),
        ("https://w3id.org/dpv/dpv-pd#Financial", ["pd:Financial"]),
        ("https://w3id.org/dpv/dpv-legal#A22", ["legal-eu-gdpr:A22"]),
        ("https://w3id.org/dpv/dpv-skos/dpv-tech#Operator", ["tech:Operator"]),
        ("https://w3id.org/dpv/2.3/ai#Profiling", ["ai:Profiling"]),
        ("https://w3id.org/dpv/2.0/legal/eu/aiact#DeepFake", ["eu-aiact:DeepFakeGeneration"]),
        ("https://w3id.org/dpv/2.3#Zzzzz", []),
        ("https://w3id.org/dpv/ai/Profiling", ["ai:Profiling"]),
        ("https://w3id.org/dpv/PersonalData", ["dpv:PersonalData"]),
    ],
)
def test_a_mistaken_namespace_leads_to_the_right_one(written: str, nearest: list[str]) -> None:
    assert VOCABULARY.standing(written) == "unknown"
    assert VOCABULARY.origin(written) == "DPV 2.3"
    assert list(VOCABULARY.suggest(written)) == nearest


def test_a_suggestion_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    first = suggested("dpv:PersnalData")
    monkeypatch.setattr(difflib, "get_close_matches", lambda *_: pytest.fail("asked again"))
    assert suggested("dpv:PersnalData") == first
    assert first[0] == "dpv:PersonalData"


def test_an_endless_name_is_answered_but_not_kept() -> None:
    endless = iri("dpv:" + "PersonalData" * 99)
    for _ in range(2):
        assert (VOCABULARY.standing(endless), VOCABULARY.suggest(endless)) == ("unknown", ())


def test_search() -> None:
    def found(text: str) -> list[str | None]:
        return [VOCABULARY.curie(facts.iri) for facts in VOCABULARY.search(text)]

    assert found("deep fake") == ["eu-aiact:DeepFakeGeneration"]
    assert found("PHI")[0] == "hipaa:PHI"
    assert found("ai deployer")[0] == "eu-aiact:AIDeployer"
    assert found("eu-aiact: deployer")[0] == "eu-aiact:AIDeployer"
    assert found("no such thing at all") == found("  ") == []


# --- a vocabulary of one's own


def test_own_terms_are_known_labelled_and_placed(tmp_path: Path) -> None:
    vocabulary = own(
        tmp_path,
        """
        <https://acme.example/v> a owl:Ontology ; dct:title "Acme terms"@en, "Begriffe"@de ;
            owl:versionInfo "7" ; dct:created "2024-01-01" ; dct:modified "2025-02-03" ;
            owl:imports <https://nowhere.example/x> .
        acme:Tier a rdfs:Class ; rdfs:label "Stufe"@de, "Tier" ; rdfs:subClassOf dpv:RiskLevel .
        acme:Tier1 a acme:Tier ; skos:prefLabel "Tier one"@en, "Stufe eins"@de ; rdfs:label "T1"@en .
        acme:Old a skos:Concept ; skos:broader acme:Tier ; owl:deprecated true ; dct:isReplacedBy acme:Tier1 .
        acme:uses a owl:ObjectProperty .
        acme:Scheme a skos:ConceptScheme ; rdfs:label "No term" .
        _:someone rdfs:label "Nobody" .
        """,
    )
    tier = vocabulary.facts(ACME + "Tier1")
    assert tier == Facts(
        ACME + "Tier1", "Tier one", "class", (), (ACME + "Tier",), source="Acme terms", file=str(tmp_path / "acme.ttl")
    )
    assert vocabulary.label(ACME + "Tier") == "Tier"
    assert vocabulary.slots(ACME + "Tier1") == ("risk_classification",)
    assert vocabulary.ancestors(ACME + "Tier1")[:2] == (ACME + "Tier", iri("dpv:RiskLevel"))
    assert vocabulary.children(iri("dpv:RiskLevel"))[0] == ACME + "Tier"
    assert vocabulary.instances(ACME + "Tier") == (ACME + "Tier1",)
    old = vocabulary.facts(ACME + "Old")
    assert old is not None and old.status == "deprecated"
    assert vocabulary.removal(ACME + "Old") == Removal(None, ACME + "Tier1", "stated")
    used = vocabulary.facts(ACME + "uses")
    assert used is not None and (used.kind, used.label) == ("property", None)
    assert vocabulary.standing(ACME + "Tier9") == "unknown"
    assert vocabulary.origin(ACME + "Tier9") == "Acme terms"
    assert vocabulary.suggest(ACME + "Tier9") == ("acme:Tier", "acme:Tier1")
    assert vocabulary.suggest(iri("dpv:Tier1")) == ("acme:Tier1",)
    assert [vocabulary.curie(facts.iri) for facts in vocabulary.search("tier one")] == ["acme:Tier1"]
    source = vocabulary.sources[-1]
    assert (source.title, source.release, source.date, source.namespaces) == ("Acme terms", "7", "2025-02-03", (ACME,))


def test_a_file_without_a_header_goes_by_its_name(tmp_path: Path) -> None:
    vocabulary = own(tmp_path, 'acme:A rdfs:label "Alone" .')
    source = vocabulary.sources[-1]
    assert (source.title, source.release, source.date) == ("acme.ttl", None, None)
    assert vocabulary.standing(ACME + "A") == "known"


@pytest.mark.parametrize(
    ("labels", "best"),
    [
        ('rdfs:label "b"@en ; skos:prefLabel "a"@de', "b"),
        ('rdfs:label "b"@en ; skos:prefLabel "z"@en', "z"),
        ('rdfs:label "b"@EN-gb, "x"', "b"),
        ('rdfs:label "b"@fr, "a"@sv', "b"),
        ('rdfs:label "b", "a"@fr', "b"),
        ('rdfs:label "  "', None),
    ],
)
def test_which_label_is_shown(tmp_path: Path, labels: str, best: str | None) -> None:
    assert own(tmp_path, f"acme:A a skos:Concept ; {labels} .").label(ACME + "A") == best


def test_what_makes_a_subject_a_term(tmp_path: Path) -> None:
    vocabulary = own(
        tmp_path,
        """
        acme:ByLabel rdfs:label "x" .
        acme:ByScheme skos:inScheme acme:S .
        acme:Top skos:narrower acme:Below ; skos:narrowMatch acme:Matched .
        acme:Up skos:broadMatch dpv:Data .
        acme:Instance a dpv:Location .
        acme:Second a acme:Instance .
        <https://people.example/jo> a <http://xmlns.com/foaf/0.1/Person> ; rdfs:label "Jo" .
        acme:Status a skos:Concept ; sw:term_status "sunset"@en .
        acme:Stable a skos:Concept ; sw:term_status "stable" ; owl:deprecated false ; dct:isReplacedBy acme:Top .
        """,
    )
    names = {facts.iri.removeprefix(ACME) for facts in vocabulary.terms if facts.iri.startswith(ACME)}
    assert names == {
        "ByLabel", "ByScheme", "Top", "Below", "Matched", "Up", "Instance", "Second", "Status", "Stable",
    }  # fmt: skip
    assert vocabulary.standing("https://people.example/jo") == "not-indexed"
    assert vocabulary.slots(ACME + "Up") == ("data_classes",)
    assert vocabulary.children(ACME + "Top") == (ACME + "Below", ACME + "Matched")
    assert vocabulary.slots(ACME + "Second") == ("intended_deployment_contexts",)
    statuses = {name: vocabulary.facts(ACME + name) for name in ("Status", "Stable")}
    assert {name: facts and facts.status for name, facts in statuses.items()} == {"Status": "sunset", "Stable": None}


def test_cycles_and_undefined_parents_do_no_harm(tmp_path: Path) -> None:
    vocabulary = own(
        tmp_path,
        "acme:A skos:broader acme:B, acme:A . acme:B skos:broader acme:A, acme:Nowhere . acme:B a acme:B .",
    )
    assert vocabulary.ancestors(ACME + "A") == (ACME + "B", ACME + "Nowhere")
    assert vocabulary.slots(ACME + "A") == ()
    facts = vocabulary.facts(ACME + "A")
    assert facts is not None and facts.parents == (ACME + "B",)


def test_a_file_cannot_change_a_published_term_but_can_add_one(tmp_path: Path) -> None:
    vocabulary = own(
        tmp_path,
        """
        dpv:PersonalData a rdfs:Class ; rdfs:label "Anything" .
        dpv:Mine a rdfs:Class ; rdfs:label "Mine" .
        <https://w3id.org/dpv/legal/eu/aiact#DeepFake> a rdfs:Class ; rdfs:label "Again" .
        """,
    )
    assert vocabulary.label(iri("dpv:PersonalData")) == "Personal Data"
    assert vocabulary.standing(iri("dpv:Mine")) == "known"
    assert vocabulary.curie(iri("dpv:Mine")) == "dpv:Mine"
    assert vocabulary.standing(iri("eu-aiact:DeepFake")) == "known"
    assert VOCABULARY.standing(iri("dpv:Mine")) == "unknown"
    assert vocabulary.usual("data_classes") == VOCABULARY.usual("data_classes")


def test_several_files_and_their_prefixes(tmp_path: Path) -> None:
    first, second = tmp_path / "first.ttl", tmp_path / "second.ttl"
    first.write_text(PROLOGUE + 'acme:A a skos:Concept ; rdfs:label "A" .', encoding="utf-8")
    second.write_text(
        """@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <https://none.example/> .
        @prefix acme: <https://other.example/> . @prefix ai: <https://more.example/> .
        acme:B a skos:Concept . ai:C a skos:Concept . :D a skos:Concept .
        <https://acme.example/v#A> skos:prefLabel "Better"@en ; skos:broader acme:B .""",
        encoding="utf-8",
    )
    vocabulary = load([first, second])
    assert vocabulary.curie(ACME + "A") == "acme:A"
    assert vocabulary.curie("https://other.example/B") is None
    assert vocabulary.suggest("https://other.example/BB") == ()
    assert vocabulary.suggest("https://other.example/b") == ("https://other.example/B",)
    assert vocabulary.curie("https://more.example/C") is None
    assert vocabulary.label(ACME + "A") == "Better"
    assert vocabulary.ancestors(ACME + "A") == ("https://other.example/B",)
    assert [source.title for source in vocabulary.sources[3:]] == ["first.ttl", "second.ttl"]
    assert "ai" in vocabulary.prefixes and vocabulary.prefixes["ai"] == WELL_KNOWN["ai"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"@prefix a: <http://x.example/> .\na:x a <http://a b> .", ":2:7: Invalid IRI code point"),
        (b"\xff\xfe", ":1:1: Invalid UTF-8"),
        (b"<a> <b> <c> .", ":1:1: No scheme"),
        (b"{", ":1:1: "),
        (b"a:b a a:c .", ":1:1: "),
        (b"", ": it defines no term"),
        (b"@prefix owl: <http://www.w3.org/2002/07/owl#> . <http://a.example/> a owl:Ontology .", "defines no term"),
    ],
)
def test_a_bad_file_says_where(tmp_path: Path, data: bytes, message: str) -> None:
    file = tmp_path / "bad.ttl"
    file.write_bytes(data)
    with pytest.raises(InputError) as caught:
        load([file])
    assert caught.value.message.startswith(f"{file}:")
    assert message in caught.value.message
    assert caught.value.advice


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        load([tmp_path / "absent.ttl"])
    with pytest.raises(InputError, match="is a directory"):
        load([tmp_path])
    large = tmp_path / "large.ttl"
    with large.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(InputError, match="larger than 10 MiB"):
        load([large])


@pytest.mark.skipif(not DPV.is_dir(), reason="the DPV releases are not beside this checkout")
def test_a_whole_published_module_joins() -> None:
    vocabulary = load([DPV / "2.0" / "risk.ttl"])
    assert vocabulary.standing(iri("risk:LossGoods")) == "known"
    assert vocabulary.sources[-1].release == "2.0"
    assert "https://w3id.org/dpv/risk#" in vocabulary.sources[-1].namespaces


# --- pages


def test_the_page_of_a_term() -> None:
    page = term_page(VOCABULARY, "eu-aiact:RiskLevelHigh")
    assert (page.name.label, page.standing, page.kind, page.since) == ("Risk Level - High", "known", "class", "2.2")
    assert [parent.curie for parent in page.parents] == ["eu-aiact:RiskLevelPermitted"]
    assert [child.curie for child in page.children] == ["eu-aiact:RiskLevelHigh-A6-1", "eu-aiact:RiskLevelHigh-A6-2"]
    assert (page.slots, page.suggestions, page.vocabulary) == (("risk_classification",), (), "DPV 2.3")
    assert term_page(VOCABULARY, page.name.iri) == page


def test_the_page_of_a_term_that_is_gone_or_never_was() -> None:
    gone = term_page(VOCABULARY, "eu-aiact:DeepFake")
    assert gone.removal is not None and gone.removal.release == "DPV 2.1"
    assert gone.successor is not None and gone.successor.label == "Deep Fake Generation"
    assert (gone.standing, gone.kind, gone.name.label) == ("renamed", None, "Deep Fake")
    never = term_page(VOCABULARY, "dpv:FinancialData")
    assert (never.standing, never.suggestions) == ("unknown", ("pd:Financial", "pp:FinancialAccount"))
    elsewhere = term_page(VOCABULARY, "https://acme.example/v#X")
    assert (elsewhere.standing, elsewhere.vocabulary, elsewhere.name.curie) == ("not-indexed", None, None)


@pytest.mark.parametrize(
    ("written", "advice"),
    [("free text", "prefixes: "), ("DPV:Data", "'dpv'"), ("eu-gdpr:A22", "legal-eu-gdpr"), ("rik:X", "'risk'")],
)
def test_what_has_no_page(written: str, advice: str) -> None:
    with pytest.raises(UsageError) as caught:
        term_page(VOCABULARY, written)
    assert advice in caught.value.advice


def test_pages_of_own_terms_and_the_prefix_table(tmp_path: Path) -> None:
    vocabulary = own(tmp_path, 'acme:A a skos:Concept ; rdfs:label "A" .')
    assert term_page(vocabulary, "acme:A").name.iri == ACME + "A"
    rows = {row.prefix: row for row in prefix_rows(vocabulary)}
    assert list(rows)[:-1] == list(WELL_KNOWN) and list(rows)[-1] == "acme"
    assert (rows["acme"].terms, rows["acme"].vocabulary) == (1, "acme.ttl")
    assert (rows["dpv"].terms, rows["dpv"].vocabulary) == (1116, "DPV 2.3")
    assert {row.prefix for row in prefix_rows(VOCABULARY)} == set(WELL_KNOWN)


def test_the_page_of_an_own_term_in_a_published_namespace_names_the_file(tmp_path: Path) -> None:
    vocabulary = own(tmp_path, 'dpv:Mine a skos:Concept ; rdfs:label "Mine" .')
    page = term_page(vocabulary, "dpv:Mine")
    assert (page.vocabulary, page.file, page.namespace_of) == ("acme.ttl", str(tmp_path / "acme.ttl"), "DPV 2.3")
    lines = [line.strip() for line in term_text(page)]
    assert "standing    known; DPV 2.3, whose namespace this is, does not hold it" in lines
    assert "vocabulary  acme.ttl" in lines and f"file        {tmp_path / 'acme.ttl'}" in lines
    bundled = term_page(vocabulary, "dpv:Purpose")
    assert (bundled.vocabulary, bundled.file, bundled.namespace_of) == ("DPV 2.3", None, None)
    assert term_page(own(tmp_path, "acme:A a skos:Concept ."), "acme:A").namespace_of is None


@pytest.mark.parametrize(
    ("name", "kind"), [("List", "collection"), ("Order", "collection"), ("Scheme", "scheme"), ("", "ontology")]
)
def test_a_group_of_concepts_is_known_and_is_no_concept(tmp_path: Path, name: str, kind: str) -> None:
    vocabulary = own(
        tmp_path,
        """
        acme: a owl:Ontology ; rdfs:label "It" . acme:Scheme a skos:ConceptScheme ; rdfs:label "It" .
        acme:List a skos:Collection ; rdfs:label "It" ; skos:member acme:A .
        acme:Order a skos:OrderedCollection ; skos:prefLabel "It" .
        acme:A a skos:Concept ; skos:inScheme acme:Scheme ; skos:broader dpv:Purpose .
        """,
    )
    facts = vocabulary.facts(ACME + name)
    assert facts is not None and (facts.kind, facts.label) == (kind, "It")
    assert vocabulary.standing(ACME + name) == "known"
    assert vocabulary.slots(ACME + name) == ()
    assert [facts.iri for facts in vocabulary.terms if facts.iri.startswith(ACME)] == [ACME + "A"]
    data = pack(
        metadata=governed(vocabularies={"acme": ACME}, capabilities=[f"{ACME}{name}", "acme:Lis"], intended_purpose="x")
    )
    found = [(f.rule, f.message) for f in audit(source(data), vocabulary=vocabulary).findings if f.rule != "PPG301"]
    article = "an" if kind == "ontology" else "a"
    assert ("PPG306", f"'{ACME}{name}' is {article} {kind}, not a concept") in found
    assert [message for rule, message in found if rule == "PPG302"] == ["'acme:Lis' is not in It"]


def test_a_long_chain_of_own_terms_is_walked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    length = 600
    chain = "".join(f"acme:T{n} skos:broader acme:T{n - 1} .\n" for n in range(1, length))
    vocabulary = own(tmp_path, f"acme:T0 a skos:Concept ; skos:broader dpv:Purpose .\n{chain}")
    looked_up: list[str] = []
    facts = Vocabulary.facts

    def counted(self: Vocabulary, iri: str) -> Facts | None:
        looked_up.append(iri)
        return facts(self, iri)

    monkeypatch.setattr(Vocabulary, "facts", counted)
    usual = VOCABULARY.slots(iri("dpv:Purpose"))
    assert usual and {vocabulary.slots(f"{ACME}T{n}") for n in range(length)} == {usual}
    assert len(looked_up) < 60 * length  # from below each term walks the chain: half of length squared
    assert len(vocabulary.ancestors(f"{ACME}T{length - 1}")) == length + len(VOCABULARY.ancestors(iri("dpv:Purpose")))


def test_the_bundled_data_files_agree() -> None:
    prefixes = json.loads((VOCAB / "prefixes.json").read_text(encoding="utf-8"))
    reviewed = json.loads((VOCAB / "reviewed.json").read_text(encoding="utf-8"))
    assert prefixes["well_known"] == WELL_KNOWN
    assert not set(prefixes["mistaken"]) & set(WELL_KNOWN)
    assert len(reviewed["successors"]) == 16
    assert all(len(VOCABULARY.suggest(iri(written))) == len(terms) for written, terms in reviewed["hints"].items())
    assert "software-license-2023" in (VOCAB / "NOTICE.md").read_text(encoding="utf-8")
