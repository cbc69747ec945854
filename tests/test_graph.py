"""The quads of a pack: what the file says, what follows from it, and nothing that nobody wrote."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppgov import duration
from ppgov.audit import Audit, audit, audit_path
from ppgov.graph import Copy, Quad, clashes, copy_of, nquads, of
from ppgov.graph.token import segment, structure, text
from ppgov.source import parse
from ppgov.vocabulary import load
from tests.graphs import COMPUTED, DECLARED, SHA256, V, graph_of, objects, parsed, rows
from tests.packs import governed, pack, prompt, tool

PG = "https://w3id.org/ppgov/ns#"
ROOT = Path(__file__).resolve().parent.parent
SAMPLES = sorted(path for path in (ROOT / "samples").iterdir() if path.suffix in (".yaml", ".json"))

NASTY: list[object] = [
    *("", ".", "..", "...", "a", "A", "a b", "a/b", "a%2Fb", "%41", "~", "~empty", "~missing", "x~2", "é", "e\u0301"),
    *("\ud800", "\ufffd", "\x00", "a\nb", "<>", "\U0001f600"),
    *(5, 5.0, -1, True, None, {}),
]


def values(data: Any) -> Iterator[Any]:
    """Every scalar of a document, and every key."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield key
            yield from values(value)
    elif isinstance(data, list):
        for value in data:
            yield from values(value)
    else:
        yield data


def structures(data: Any) -> Iterator[str]:
    """Every value of a document as JSON."""
    yield json.dumps(data)
    for value in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        yield from structures(value)


# --- tokens


def test_segments_are_injective_and_safe() -> None:
    made = [segment(key) for key in NASTY]
    assert made[-2:] == ["~missing", "~missing"]
    assert len(set(made[:-1])) == len(NASTY) - 1
    for name in made:
        assert name and name not in (".", "..") and name.isascii() and not set(name) & set('/?#[]@ <>"{}|\\^`')
        ox.NamedNode(f"https://packs.invalid/{name}")


@given(st.text(), st.text())
def test_different_keys_have_different_segments(one: str, other: str) -> None:
    assert (segment(one) == segment(other)) == (one == other)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_a_literal_is_written_as_pyoxigraph_writes_it(value: str) -> None:
    assert text(value) == str(ox.Literal(value))
    quad = f"<a:s> <a:p> {text(value)} ."
    (read,) = parsed(quad)
    assert read.object == ox.Literal(value)
    assert ox.serialize([read], format=ox.RdfFormat.N_QUADS) == f"{quad}\n".encode()


def test_half_a_surrogate_pair_becomes_the_replacement_character() -> None:
    assert text("a\ud800b") == '"a\ufffdb"'
    assert structure({"a": "\udfff"}) == '"{\\"a\\":\\"\ufffd\\"}"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON>'


# --- the declared graph


def full(schema: dict[str, Any], node: dict[str, Any], name: str, depth: int = 0) -> Any:
    """A value with everything that the schema has a name for; each string says what it stands for."""
    if "$ref" in node:
        target = node["$ref"].rpartition("/")[2]
        if depth > 6 and target in ("Step", "Predicate"):
            return {"id": name, "kind": "prompt"}
        return full(schema, schema["$defs"][target], name, depth + 1)
    if node.get("properties"):
        made = {key: full(schema, value, f"{name}.{key}", depth) for key, value in node["properties"].items()}
        for form in node.get("oneOf", ()):
            if depth < 8:
                made |= full(schema, form, name, depth + 1)
        rest = node.get("additionalProperties")
        return made | ({"own": full(schema, rest, f"{name}.own", depth)} if isinstance(rest, dict) else {})
    if "oneOf" in node:
        forms = [full(schema, form, f"{name}|{index}", depth) for index, form in enumerate(node["oneOf"])]
        return max(forms, key=lambda form: len(json.dumps(form)))
    kind = node.get("type")
    if kind == "array":
        return [full(schema, node["items"], f"{name}.{index}", depth) for index in range(2)]
    if kind == "object":
        rest = node.get("additionalProperties")
        return {f"{name}.key": full(schema, rest, f"{name}.value", depth) if isinstance(rest, dict) else name}
    if kind == "boolean":
        return True
    if kind in ("integer", "number") or isinstance(kind, list):
        return len(name) * 1000 + sum(map(ord, name)) % 997
    return name


def test_the_graph_holds_the_whole_pack() -> None:
    """Everything that the bundled schema names reaches the graph, as a literal or in an IRI."""
    schema = json.loads((ROOT / "vocab" / "promptpack-1.9.0.schema.json").read_text())
    data = full(schema, schema, "pack")
    found = graph_of(data, extensions=True)
    declared = {o for _, _, o, g in found if g.endswith("/declared>")}
    iris = {token[1:-1] for s, _, o, g in found if g.endswith("/declared>") for token in (s, o) if token[0] == "<"}
    segments = {part for iri in iris for part in iri.split("/")}
    spelled = "\n".join(declared)
    names = [value for value in values(data) if isinstance(value, str) and value.startswith("pack.")]
    assert len(names) > 300
    missing = [
        name
        for name in names
        if f'"{name}"' not in spelled and f'\\"{name}\\"' not in spelled and segment(name) not in segments
    ]
    assert missing == []
    numbers = [value for value in values(data) if isinstance(value, int) and value is not True]
    assert [number for number in numbers if str(number) not in spelled] == []


def _computed_names() -> set[str]:
    return {
        f"<{PG}{name}>"
        for name in (
            *("form", "iri", "prefixSource", "effectiveGovernance", "origin", "field", "declaredIn", "inherited"),
            *(
                "undeclared",
                "resolution",
                "of",
                "outcome",
                "target",
                "disabledTarget",
                "reachesPrompt",
            ),
            *("reachesTool", "cadenceMaxDays", "indexStatus", "removedIn", "instanceOf", "since", "termStatus"),
        )
    }


def assert_pure(data: Any, found: list[Quad]) -> None:
    """Every literal of the declared graph occurs in the file; no computed property is in it."""
    known = {re.sub("[\ud800-\udfff]", "\ufffd", str(value)) for value in values(data)}
    documents = {re.sub(r"\\ud[89a-f]..", r"\\ufffd", document) for document in structures(data)}
    for quad in parsed(nquads(found)):
        if not str(quad.graph_name).endswith("/declared>") or quad.predicate.value == f"{PG}position":
            continue
        assert f"<{quad.predicate.value}>" not in _computed_names()
        if isinstance(quad.object, ox.Literal):
            value, datatype = quad.object.value, quad.object.datatype.value.rpartition("#")[2]
            if datatype == "JSON":
                assert json.dumps(json.loads(value)) in documents
            elif datatype == "boolean":
                assert value.title() in known
            else:
                assert value in known, value


def sample(path: Path) -> Audit:
    audited = audit_path(str(path))
    assert isinstance(audited, Audit)
    return audited


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_the_declared_graph_is_pure(path: Path) -> None:
    audited = sample(path)
    assert_pure(audited.source.data, list(of(audited, extensions=True)))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_a_sample_has_no_blank_node_and_canonical_lines(path: Path) -> None:
    written = nquads(of(sample(path)))
    assert "_:" not in {token for line in written.splitlines() for token in (line[:2],)}
    lines = ox.serialize(parsed(written), format=ox.RdfFormat.N_QUADS)
    assert lines is not None
    assert sorted(lines.decode().splitlines()) == written.splitlines() == sorted(set(written.splitlines()))


def test_twins_of_one_pack_declare_the_same_but_for_the_spelling_of_numbers() -> None:
    yaml, json_ = (
        nquads(q for q in of(sample(ROOT / "samples" / f"translation-desk.{end}")) if q[3]) for end in ("yaml", "json")
    )
    digests = [sample(ROOT / "samples" / f"translation-desk.{end}").source.sha256[:16] for end in ("yaml", "json")]
    assert yaml.count('"0.20"^^') == 1 and yaml.count(":1.0e-6}") == 1
    assert yaml.replace(digests[0], digests[1]).replace('"0.20"', '"0.2"').replace("1.0e-6", "1e-06") == json_


def test_the_same_bytes_under_any_hash_seed() -> None:
    code = (
        "import sys\nfrom ppgov.audit import audit_path\nfrom ppgov.graph import nquads, of\n"
        "from ppgov.serialise import write\n"
        "text = nquads(of(audit_path('samples/claims-team.yaml')))\n"
        "for form in ('nquads', 'trig', 'turtle', 'jsonld'): sys.stdout.buffer.write(write(text, form))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            capture_output=True,
            check=True,
            env=os.environ | {"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1 and len(outputs.pop()) > 100_000


def test_a_minimal_pack() -> None:
    found = graph_of(pack())
    declared = {
        (s.replace(f"<{V}", "<"), p.rpartition("#")[2].rpartition("/")[2][:-1], o.replace(f"<{V}", "<"))
        for s, p, o, g in found
        if g == DECLARED
    }
    assert declared == {
        ("<>", "type", f"<{PG}PackVersion>"),
        ("<>", "isVersionOf", "<https://packs.invalid/desk>"),
        ("<https://packs.invalid/desk>", "type", f"<{PG}Pack>"),
        ("<https://packs.invalid/desk>", "identifier", '"desk"'),
        ("<>", "title", '"Desk"'),
        ("<>", "version", '"1.0.0"'),
        ("<>", "templateEngine", "</template_engine>"),
        ("</template_engine>", "type", f"<{PG}TemplateEngine>"),
        ("</template_engine>", "version", '"v1"'),
        ("</template_engine>", "syntax", '"{{variable}}"'),
        ("<>", "prompt", "</prompts/chat>"),
        ("</prompts/chat>", "type", f"<{PG}Prompt>"),
        ("</prompts/chat>", "identifier", '"chat"'),
        ("</prompts/chat>", "ownId", '"chat"'),
        ("</prompts/chat>", "title", '"Chat"'),
        ("</prompts/chat>", "version", '"1.0.0"'),
        ("</prompts/chat>", "systemTemplate", '"Answer briefly."'),
    }
    assert {q for q in found if not q[3]} == {
        (DECLARED, "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", f"<{PG}DeclaredGraph>", ""),
        (DECLARED, f"<{PG}about>", f"<{V}>", ""),
        (DECLARED, f"<{PG}sha256>", f'"{SHA256}"', ""),
        (COMPUTED, "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", f"<{PG}ComputedGraph>", ""),
        (COMPUTED, f"<{PG}about>", f"<{V}>", ""),
        (COMPUTED, "<http://www.w3.org/ns/prov#wasDerivedFrom>", DECLARED, ""),
    }


def test_the_base_iri_starts_every_own_iri() -> None:
    found = graph_of(pack(metadata=governed(capabilities=["ai:Profiling"])), base_iri="https://packs.example.org/p/")
    assert not [q for q in found if "packs.invalid" in " ".join(q)]
    assert "<https://packs.example.org/p/graph/vocab/dpv-2.3>" in {g for *_, g in found}


def test_nothing_is_defaulted() -> None:
    found = graph_of(
        pack(
            requires={"providers": ["main", {"key": "judge", "role": "llm"}]},
            metadata=governed(independent_of={"axes": ["model"]}),
            workflow={"version": 1, "entry": "s", "states": {"s": {"prompt_task": "chat"}}},
        )
    )
    assert objects(found, "governance/independent_of", "axis") == [f"<{PG}model>"]
    assert objects(found, "governance/independent_of", "enforcement") == []
    assert objects(found, "providers/main", "providerRole") == objects(found, "providers/main", "required") == []
    assert objects(found, "providers/judge", "providerRole") == ['"llm"'] and not objects(
        found, "providers/judge", "required"
    )
    assert not objects(found, "workflow/states/s", "terminal") and not objects(
        found, "workflow/states/s", "orchestration"
    )


def test_an_empty_list_is_declared_and_an_absent_one_is_not() -> None:
    found = graph_of(pack(metadata=governed(capabilities=[], requires_ai_disclosure=False)))
    assert objects(found, "governance", "declares") == [f"<{PG}capability>", f"<{PG}requiresAiDisclosure>"]
    assert objects(found, "governance", "capability") == []
    assert objects(found, "governance", "requiresAiDisclosure") == [
        '"false"^^<http://www.w3.org/2001/XMLSchema#boolean>'
    ]
    undeclared = objects(found, "effective", "undeclared", COMPUTED)
    assert len(undeclared) == 11
    assert not {f"<{PG}{name}>" for name in ("capability", "requiresAiDisclosure", "vocabulary", "extensions")} & set(
        undeclared
    )


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("autonomy_level", "autonomous", '"autonomous"'),
        ("autonomy_level", "suggests", f"<{PG}suggests>"),
        ("accountable_owner", 5, '"5"^^<http://www.w3.org/2001/XMLSchema#integer>'),
        ("accountable_owner", 2.5, '"2.5"^^<http://www.w3.org/2001/XMLSchema#decimal>'),
        ("accountable_owner", None, '"null"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON>'),
        ("requires_ai_disclosure", "yes", '"yes"'),
        ("operator_role", True, '"true"^^<http://www.w3.org/2001/XMLSchema#boolean>'),
        ("capabilities", "ai:Profiling", '"ai:Profiling"'),
        ("capabilities", [7], '"7"^^<http://www.w3.org/2001/XMLSchema#integer>'),
    ],
)
def test_a_value_of_the_wrong_kind_stays_a_literal(field: str, value: Any, expected: str) -> None:
    found = graph_of(pack(metadata=governed(**{field: value})))
    (predicate,) = objects(found, "governance", "declares")
    name = predicate.rpartition("#")[2][:-1]
    assert objects(found, "governance", name) == objects(found, "effective", name, COMPUTED) == [expected]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("accountable_owner", {"name": "x"}),
        ("accountable_owner", ["x"]),
        ("reviews", "x"),
        ("independent_of", ["model"]),
    ],
)
def test_an_object_or_an_array_in_the_wrong_place_is_left_out(field: str, value: Any) -> None:
    found = graph_of(pack(metadata=governed(**{field: value})))
    (predicate,) = objects(found, "governance", "declares")
    assert objects(found, "governance", predicate.rpartition("#")[2][:-1]) == []


def test_extensions_are_written_on_request_only() -> None:
    secret = {"com.acme": {"token": "s3cret"}}
    data = pack(
        prompts={"chat": prompt("chat", extensions=secret, validators=[{"type": "t", "extensions": secret}])},
        tools={"t": tool("t", extensions=secret, action_scope={"effect": "read", "extensions": secret})},
        evals=[{"id": "e", "type": "t", "trigger": "x", "extensions": secret}],
        workflow={"version": 1, "entry": "s", "states": {"s": {"prompt_task": "chat", "extensions": secret}}},
        agents={"entry": "chat", "members": {"chat": {"extensions": secret, "governance": {"extensions": secret}}}},
        compositions={
            "c": {"version": 1, "extensions": secret, "steps": [{"id": "s", "kind": "x.y", "extensions": secret}]}
        },
        metadata=governed(
            extensions=secret,
            obligations=[{"id": "o", "obligation": "x", "controls": [], "extensions": secret}],
            reviews=[{"id": "r", "type": "x", "cadence": "P1Y", "owner": "o", "extensions": secret}],
        ),
    )
    assert "s3cret" not in nquads(graph_of(data))
    assert objects(graph_of(data), "governance", "declares").count(f"<{PG}extensions>") == 1
    written = [q for q in graph_of(data, extensions=True) if q[2] == structure(secret)]
    assert len({s for s, *_, g in written if g == DECLARED}) == 13
    assert {s for s, *_, g in written if g == COMPUTED} == {f"<{V}/effective>", f"<{V}/agents/chat/effective>"}


def test_things_of_one_name_do_not_merge() -> None:
    obligation = {"id": "o", "obligation": "x", "controls": [{"external": "e"}, {"field": "reviews"}]}
    found = graph_of(
        pack(
            evals=[{"id": "e"}, {"id": "e"}, {}, {"type": "t"}, {"id": 5}],
            compositions={"c": {"steps": [{"id": "s", "branches": [{"id": "s"}, {"id": "t"}]}, {"id": "s"}]}},
            metadata=governed(obligations=[obligation, obligation, {"controls": []}]),
        )
    )
    below = f"<{V}/"
    assert [o.replace(below, "<") for s, p, o, _ in found if p == f"<{PG}eval>" and s == f"<{V}>"] == [
        *("<evals/e>", "<evals/e~2>", "<evals/~missing>", "<evals/~missing~2>", "<evals/~5>")
    ]
    assert [o.replace(below, "<") for s, p, o, g in found if p == f"<{PG}obligation>" and g == DECLARED] == [
        f"<governance/obligations/{name}>" for name in ("o", "o~2", "~missing")
    ]
    assert {s.replace(below, "<") for s, p, o, g in found if o == f"<{PG}Step>"} == {
        f"<compositions/c/steps/{name}>" for name in ("s", "s~2", "s~3", "t")
    }
    assert objects(found, "compositions/c/steps/s", "branch") == [
        f"{below}compositions/c/steps/s~2>",
        f"{below}compositions/c/steps/t>",
    ]
    assert objects(found, "governance/obligations/o~2", "control") == [
        f"{below}governance/obligations/o~2/controls/{n}>" for n in (1, 2)
    ]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, "~missing/~missing"),
        ({"id": "a b", "version": 1.1}, "a%20b/~1.1"),
        ({"id": "", "version": ".."}, "~empty/~dotdot"),
        ({"id": {}, "version": None}, "~missing/~missing"),
    ],
)
def test_a_pack_without_a_proper_name_has_iris_all_the_same(given: dict[str, Any], expected: str) -> None:
    data = pack()
    del data["id"], data["version"]
    found = graph_of(data | given)
    assert f"<https://packs.invalid/{expected}>" in {s for s, *_ in found}
    parsed(nquads(found))


def test_controls_and_reviews_as_written() -> None:
    found = graph_of(
        pack(
            metadata=governed(
                obligations=[
                    {
                        "id": "o",
                        "obligation": "dpv:Right",
                        "note": "n",
                        "applies_to": {"data_class": "pd:Name"},
                        "controls": [{"external": "a guard"}],
                    }
                ],
                reviews=[
                    {"id": "r/1", "type": "Annual", "cadence": "P2W", "owner": "team", "satisfies": ["o"], "eval": "e"}
                ],
            )
        )
    )
    control = "governance/obligations/o/controls/1"
    assert objects(found, control, "description") == ['"a guard"'] and objects(found, control, "reference") == []
    assert objects(found, "governance/obligations/o", "appliesToDataClass") == [f"<{V}/terms/pack/pd%3AName>"]
    review = "governance/reviews/r%2F1"
    assert objects(found, review, "reviewKey") == ["<https://packs.invalid/desk/~review/r%2F1>"]
    assert objects(found, review, "cadence") == ['"P2W"'] and objects(found, review, "satisfies") == ['"o"']
    assert objects(found, review, "cadenceMaxDays", COMPUTED) == ['"14"^^<http://www.w3.org/2001/XMLSchema#integer>']


def test_workflow_composition_and_media() -> None:
    media = {
        "enabled": True,
        "image": {"max_size_mb": 5},
        "x_ray": {"max_size_mb": 9, "beam": "soft"},
        "supported_types": ["image"],
    }
    found = graph_of(
        pack(
            prompts={"chat": prompt("chat", media=media, provider="main", tools=["t"])},
            workflow={
                "version": 1,
                "entry": "s",
                "engine": {"budget": {"max_tool_calls": 3}, "x": [1]},
                "states": {"s": {"on_event": {"go on": "t"}}},
            },
            compositions={
                "c": {
                    "steps": [
                        {"id": "a", "kind": "branch", "then": "b", "predicate": {"path": "p", "op": "in"}},
                        {"id": "b", "depends_on": ["a"]},
                    ]
                }
            },
            skills=["skills/", {"path": "x", "preload": True}],
        )
    )
    assert objects(found, "workflow/states/s/transitions/go%20on", "targetState") == [f"<{V}/workflow/states/t>"]
    assert objects(found, "workflow/budget", "maxToolCalls") == ['"3"^^<http://www.w3.org/2001/XMLSchema#integer>']
    assert objects(found, "workflow/other/x", "value") == [structure([1])]
    assert objects(found, "compositions/c/steps/a", "then") == [f"<{V}/compositions/c/steps/b>"]
    assert objects(found, "compositions/c/steps/b", "dependsOn") == [f"<{V}/compositions/c/steps/a>"]
    assert objects(found, "compositions/c/steps/a", "predicate") == [structure({"path": "p", "op": "in"})]
    assert objects(found, "prompts/chat", "usesProvider") == [f"<{V}/providers/main>"]
    assert objects(found, "prompts/chat/media", "mediaType") == [
        f"<{V}/prompts/chat/media/types/{kind}>" for kind in ("image", "x_ray")
    ]
    assert objects(found, "prompts/chat/media/types/x_ray/other/beam", "value") == [structure("soft")]
    assert objects(found, "skills/1", "skillPath") == ['"skills/"'] and objects(found, "skills/2", "preload")


# --- the computed graph


OVERRIDDEN = pack(
    prompts={
        "chat": prompt("chat", tools=["find", "pay"], tool_policy={"blocklist": ["pay"]}),
        "pay": prompt("pay", tools=["pay"]),
    },
    tools={"find": tool("find", action_scope={"effect": "read", "data_classes": ["acme:Card"]}), "pay": tool("pay")},
    evals=[{"id": "drift", "type": "t", "trigger": "x", "enabled": False}],
    metadata=governed(
        vocabularies={"acme": "https://acme.example/v#"},
        risk_classification="acme:Tier1",
        autonomy_level="suggests",
        operator_role="eu-aiact:AIDeployer",
        obligations=[
            {
                "id": "o",
                "obligation": "free text",
                "controls": [{"field": "autonomy_level"}, {"eval": "drift"}, {"external": "x"}],
            }
        ],
        reviews=[{"id": "r", "type": "pp:RedTeaming", "cadence": "P1Y", "owner": "team", "satisfies": ["o"]}],
    ),
    agents={
        "entry": "chat",
        "members": {
            "chat": {},
            "pay": {
                "governance": {
                    "vocabularies": {"acme": "https://acme.example/pay#"},
                    "autonomy_level": "acts_autonomously",
                    "capabilities": ["acme:Tier1", "nope:X"],
                    "obligations": [
                        {
                            "id": "p",
                            "obligation": "x",
                            "controls": [{"field": "nonsense"}, {"field": "intended_purpose"}, {"validator": "v"}],
                        }
                    ],
                }
            },
        },
    },
)


def test_the_origin_of_every_value() -> None:
    query = (
        "SELECT ?s ?f ?in ?i { ?s pg:effectiveGovernance ?e . ?e pg:origin ?o . ?o pg:field ?f ; "
        "pg:declaredIn ?in ; pg:inherited ?i }"
    )
    found = rows(graph_of(OVERRIDDEN), query)
    assert ("v:agents/pay", "pg:autonomyLevel", "v:agents/pay/governance", "false") in found
    assert ("v:agents/pay", "pg:operatorRole", "v:governance", "true") in found
    assert ("v:agents/chat", "pg:autonomyLevel", "v:governance", "true") in found
    assert {row[1] for row in found if row[0].endswith("1.0.0")} == {
        row[1] for row in found if row[0] == "v:agents/chat"
    }
    assert len(found) == 6 + 6 + 7


def test_effective_values_are_the_declared_nodes() -> None:
    found = graph_of(OVERRIDDEN)
    assert objects(found, "agents/pay/effective", "autonomyLevel", COMPUTED) == [f"<{PG}acts_autonomously>"]
    assert objects(found, "agents/chat/effective", "autonomyLevel", COMPUTED) == [f"<{PG}suggests>"]
    assert objects(found, "agents/pay/effective", "review", COMPUTED) == [f"<{V}/governance/reviews/r>"]
    assert objects(found, "agents/pay/effective", "vocabulary", COMPUTED) == [
        f"<{V}/agents/pay/governance/vocabularies/acme>"
    ]


def test_terms_expand_where_they_are_written() -> None:
    query = (
        "SELECT ?t ?w ?f ?i ?p { ?t pg:written ?w ; pg:form ?f OPTIONAL { ?t pg:iri ?i } OPTIONAL { ?t "
        "pg:prefixSource ?p } }"
    )
    found = {row[0].removeprefix("v:terms/"): row[1:] for row in rows(graph_of(OVERRIDDEN), query)}
    assert found["pack/acme%3ATier1"] == ("acme:Tier1", "pg:Curie", "https://acme.example/v#Tier1", "pg:Vocabularies")
    assert found["agent-pay/acme%3ATier1"] == (
        "acme:Tier1",
        "pg:Curie",
        "https://acme.example/pay#Tier1",
        "pg:Vocabularies",
    )
    assert found["pack/acme%3ACard"][2] == "https://acme.example/v#Card"
    assert found["agent-pay/nope%3AX"] == ("nope:X", "pg:UnresolvedCurie", "", "")
    assert found["pack/free%20text"] == ("free text", "pg:FreeString", "", "")
    assert found["pack/eu-aiact%3AAIDeployer"][3] == "pg:WellKnown"
    assert objects(graph_of(OVERRIDDEN), "agents/pay/effective", "riskClassification", COMPUTED) == [
        f"<{V}/terms/pack/acme%3ATier1>"
    ]


def test_references_resolve_for_each_subject() -> None:
    query = (
        "SELECT ?s ?ref ?o ?t ?d { ?s pg:effectiveGovernance/pg:resolution ?r . ?r pg:reference ?ref ; pg:outcome ?o "
        "OPTIONAL { ?r pg:target ?t } OPTIONAL { ?r pg:disabledTarget ?d } }"
    )
    found = rows(graph_of(OVERRIDDEN), query)
    assert [row[1:] for row in found if row[0] == "v:agents/chat"] == [
        ("autonomy_level", "pg:Resolved", "pg:autonomyLevel", ""),
        ("drift", "pg:Resolved", "v:evals/drift", "v:evals/drift"),
        ("o", "pg:Resolved", "v:governance/obligations/o", ""),
        ("x", "pg:NotResolvable", "", ""),
    ]
    assert [row[1:4] for row in found if row[0] == "v:agents/pay"] == [
        ("intended_purpose", "pg:FieldUndeclared", "pg:intendedPurpose"),
        ("nonsense", "pg:UnknownField", ""),
        ("o", "pg:Unresolved", ""),
        ("v", "pg:Unresolved", ""),
    ]


def test_a_reference_can_lead_to_two_places() -> None:
    check = {"id": "e", "type": "t", "trigger": "x"}
    found = graph_of(
        pack(
            evals=[check],
            prompts={"chat": prompt("chat", evals=[{**check, "enabled": False}])},
            metadata=governed(obligations=[{"id": "o", "obligation": "x", "controls": [{"eval": "e"}]}]),
        )
    )
    query = "SELECT ?t ?d { ?r pg:target ?t OPTIONAL { ?r pg:disabledTarget ?d } }"
    assert rows(found, query) == [
        ("v:evals/e", "v:prompts/chat/evals/e"),
        ("v:prompts/chat/evals/e", "v:prompts/chat/evals/e"),
    ]


def test_reach_is_the_agents_and_without_agents_the_packs() -> None:
    found = graph_of(OVERRIDDEN)
    assert objects(found, "agents/chat", "reachesTool", COMPUTED) == [f"<{V}/tools/find>"]
    assert objects(found, "agents/pay", "reachesPrompt", COMPUTED) == [f"<{V}/prompts/pay>"]
    assert objects(found, "prompts/chat", "mayUseTool") == [f"<{V}/tools/find>", f"<{V}/tools/pay>"]
    without = {key: value for key, value in OVERRIDDEN.items() if key != "agents"}
    assert {o for s, p, o, _ in graph_of(without) if s == f"<{V}>" and p == f"<{PG}reachesTool>"} == {
        f"<{V}/tools/{key}>" for key in ("find", "pay")
    }


def test_no_governance_at_all_is_a_list_of_what_is_undeclared() -> None:
    found = graph_of(pack())
    assert len(objects(found, "effective", "undeclared", COMPUTED)) == 13
    assert objects(found, "effective", "origin", COMPUTED) == [] and f"<{V}/governance>" not in {s for s, *_ in found}


@pytest.mark.parametrize(
    ("cadence", "days"),
    [
        *(("P3M", 92), ("P1Y", 366), ("P52W", 364), ("P2W", 14), ("P1Y6M", 550), ("P12M", 366), ("P4Y", 1461)),
        *(("PT0S", 0), ("PT1H", 1), ("PT24H", 1), ("PT25H", 2), ("P1DT1S", 2)),
        *(
            ("P", None),
            ("PT", None),
            ("P1YT", None),
            ("monthly", None),
            ("p1y", None),
            ("P1.5Y", None),
            ("P1Y\n", None),
        ),
        *(("P٣M", None), ("P9999999999Y", 3652499999635), ("P" + "9" * 301 + "Y", None), ("", None)),
    ],
)
def test_the_longest_span_of_a_cadence(cadence: str, days: int | None) -> None:
    parsed_cadence = duration.parse(cadence)
    assert (duration.max_days(parsed_cadence) if parsed_cadence is not None else None) == days


def test_the_slice_holds_used_terms_and_what_is_above_them() -> None:
    found = graph_of(
        pack(
            metadata=governed(
                capabilities=["ai:Profiling", "eu-aiact:DeepFake", "dpv:Nonsense", "acme:X"],
                vocabularies={"acme": "https://a.example/#"},
            )
        )
    )
    status = (
        "SELECT ?w ?s ?r { ?t pg:written ?w ; pg:iri/pg:indexStatus ?s OPTIONAL { ?t pg:iri/dct:isReplacedBy ?r } }"
    )
    assert rows(found, status) == [
        ("acme:X", "pg:NotIndexed", ""),
        ("ai:Profiling", "pg:Known", ""),
        ("dpv:Nonsense", "pg:UnknownTerm", ""),
        ("eu-aiact:DeepFake", "pg:Renamed", "https://w3id.org/dpv/legal/eu/aiact#DeepFakeGeneration"),
    ]
    assert rows(
        found,
        "SELECT ?w { ?t pg:written ?w ; pg:iri/skos:broader+ dpv:Processing ."
        ' dpv:Processing skos:prefLabel "Processing"@en }',
    ) == [("ai:Profiling",)]
    graphs = {g for *_, g in found}
    assert graphs == {"", DECLARED, COMPUTED, "<https://packs.invalid/graph/vocab/dpv-2.3>"}


def test_a_users_vocabulary_has_its_facts_in_the_slice(tmp_path: Path) -> None:
    file = tmp_path / "own.ttl"
    file.write_text(
        "@prefix a: <https://a.example/#> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
        "@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix dct: <http://purl.org/dc/terms/> .\n"
        'a:Karte a skos:Concept ; skos:prefLabel "Karte"@de ; skos:broader <https://w3id.org/dpv#PersonalData> .\n'
        'a:Alt a skos:Concept ; skos:prefLabel "Alt" ; owl:deprecated true ; dct:isReplacedBy a:Karte .\n'
    )
    governance = governed(vocabularies={"a": "https://a.example/#"}, capabilities=["a:Karte", "a:Alt"])
    source = parse(json.dumps(pack(metadata=governance)).encode(), "x.json")
    found = list(of(audit(source, vocabulary=load([file]))))
    facts = {
        (p.rpartition("/")[2].rpartition("#")[2][:-1], o) for s, p, o, _ in found if s == "<https://a.example/#Alt>"
    }
    assert facts == {
        ("indexStatus", f"<{PG}Known>"),
        ("isReplacedBy", "<https://a.example/#Karte>"),
        ("prefLabel", '"Alt"'),
        ("termStatus", '"deprecated"'),
    }
    assert '"Karte"' in {o for s, _, o, _ in found if s == "<https://a.example/#Karte>"}
    assert rows(found, "SELECT ?t { ?t skos:broader dpv:PersonalData }") == [("https://a.example/#Karte",)]


# --- whatever the pack


def mutated(data: Any, draw: st.DataObject) -> Any:
    """The data with a few of its values replaced, moved or dropped."""
    junk: st.SearchStrategy[Any] = st.sampled_from(
        [
            None,
            True,
            0,
            -1,
            2.5,
            10**30,
            "",
            "x",
            "a:b",
            "\ud800",
            "..",
            "P1Y",
            [],
            {},
            [[]],
            [{}],
            {"id": 1},
            {"": {"": []}},
            ["x", "x"],
        ]
    )
    text_ = json.dumps(data)
    for _ in range(draw.draw(st.integers(1, 6))):
        data = json.loads(text_)
        places: list[tuple[Any, Any]] = []
        stack = [data]
        while stack:
            item = stack.pop()
            children = list(item.items()) if isinstance(item, dict) else list(enumerate(item))
            for key, value in children:
                places.append((item, key))
                if isinstance(value, (dict, list)):
                    stack.append(value)
        if not places:
            break
        holder, key = places[draw.draw(st.integers(0, len(places) - 1))]
        what = draw.draw(st.sampled_from(["junk", "drop", "copy", "rename"]))
        if what == "junk":
            holder[key] = draw.draw(junk)
        elif what == "drop":
            del holder[key]
        elif what == "copy":
            holder[key] = json.loads(json.dumps(places[draw.draw(st.integers(0, len(places) - 1))][0]))
        elif isinstance(holder, dict):
            holder[draw.draw(st.sampled_from(["id", "kind", "extensions", "~/", "", "governance", "\udfff"]))] = (
                holder.pop(key)
            )
        text_ = json.dumps(data)
    return data


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(SAMPLES), st.data())
def test_any_document_gives_a_readable_and_pure_graph(path: Path, draw: st.DataObject) -> None:
    data = mutated(sample(path).source.data, draw)
    found = graph_of(data, extensions=True)
    quads = parsed(nquads(found))
    assert not [q for q in quads if isinstance(q.subject, ox.BlankNode) or isinstance(q.object, ox.BlankNode)]
    assert nquads(found) == nquads(reversed(found))
    assert_pure(data, found)


def test_a_part_of_the_wrong_type_does_not_hide_the_rest() -> None:
    found = graph_of(
        pack(
            prompts={"chat": prompt("chat", media=[], validators=[5, {"id": {}, "type": "t"}]), "bad": "x"},
            workflow={"states": {"s": {"on_event": {"a": {}, "b": 5, "c": "s"}}, "t": None}},
            agents={"entry": ["chat"], "members": {"chat": {"tags": ["x"]}, "bad": 7}},
            compositions={"bad": [], "c": {"steps": [None, {"id": "s"}]}},
            metadata=governed(
                vocabularies={"a": {}, "b": "https://b.example/#"},
                obligations=[{"id": "o", "controls": [{"field": {}}, {"field": "reviews", "eval": 5}]}],
                reviews=[{"id": [], "cadence": 5}, "x", {"id": "r", "cadence": {}}],
            ),
        )
    )
    things = {s.removeprefix(f"<{V}/").rstrip(">") for s, p, _, g in found if g == DECLARED and p.endswith("#type>")}
    assert "prompts/bad" not in things and "agents/bad" not in things and "compositions/bad" not in things
    assert objects(found, "workflow/states/s/transitions/b", "targetState")[0].startswith('"5"')
    assert objects(found, "workflow/states/s/transitions/a", "targetState") == []
    assert objects(found, "prompts/chat", "validator") == [f"<{V}/prompts/chat/validators/2>"]
    assert (
        objects(found, "agents/chat", "tag") == ['"x"']
        and objects(found, "governance/vocabularies/a", "namespace") == []
    )
    assert len(objects(found, "governance/obligations/o/controls/2", "reference")) == 2
    assert objects(found, "governance/reviews/~missing", "reviewKey") == []
    assert objects(found, "governance/reviews/~missing", "cadence")[0].startswith('"5"')
    assert objects(found, "governance/reviews/r", "cadence") == []
    assert objects(found, "compositions/c", "step") == [f"<{V}/compositions/c/steps/s>"]


def test_an_audited_pack_that_is_broken() -> None:
    source = parse(
        json.dumps(pack(agents={"entry": 5, "members": {"x": {"governance": [1]}}}, evals={}, tools=[])).encode(),
        "x.json",
    )
    assert parsed(nquads(of(audit(source))))


# --- several packs in one graph


def test_different_files_that_claim_one_version_are_named() -> None:
    def copy(path: str, **parts: Any) -> Copy:
        return copy_of(audit(parse(json.dumps(pack(**parts)).encode(), path)))

    first, same, other, later = (
        copy("a.json"),
        copy("b.json"),
        copy("c\u202e.json", name="X"),
        copy("d.json", version="2"),
    )
    assert first.iri == "https://packs.invalid/desk/1.0.0" and (first.sha256, first.path) == (same.sha256, "a.json")
    assert list(clashes([first, same, later])) == []
    assert list(clashes([first, same, later, other])) == [
        "a.json, c\\u202e.json: different files with the same id and version; the graph holds them as one resource,"
        " <https://packs.invalid/desk/1.0.0>, with graphs of their own"
    ]
    many = [Copy("urn:x", str(number), f"{number}.json") for number in range(5)]
    assert [line[:35] for line in clashes(many)] == ["0.json, 1.json, 2.json and 2 more: "]


def test_a_version_that_is_a_number_is_another_than_the_same_text() -> None:
    number, text_ = (audit(parse(json.dumps(pack(version=version)).encode(), "a.json")) for version in (2, "2"))
    assert list(clashes([copy_of(number), copy_of(text_)])) == []
