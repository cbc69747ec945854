"""A fleet of realistic packs: `python benchmarks/make_fleet.py 1000 FOLDER`. The same bytes each time.

Packs of 5 to 40 KB, every third one JSON, the rest YAML, a hundred to a folder. They differ in size and in what they
declare: some declare everything, some little; some name evals that do not exist, some use terms that were renamed.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

Data = dict[str, Any]

DOMAINS = ("claims", "payroll", "lending", "triage", "travel", "tenancy", "permits", "archive", "energy", "library")
VERBS = ("read", "search", "draft", "update", "send", "approve", "cancel", "export")
NOUNS = ("case", "invoice", "contract", "account", "appointment", "message", "record", "payment", "ticket", "profile")
TEAMS = ("fair-lending-team", "service-desk", "data-protection-office", "information-security", "clinical-safety")
EFFECTS = ("read", "read", "read", "write", "write", "external", None)
REVERSIBILITY = ("reversible", "compensable", "irreversible", None)
AUTONOMY = ("suggests", "acts_with_approval", "acts_with_oversight", "acts_autonomously")
DATA_CLASSES = (
    "pd:Name",
    "pd:EmailAddressWork",
    "pd:AccountIdentifier",
    "pd:Contact",
    "pd:BankAccount",
    "pd:CurrentEmployment",
    "pd:HealthRecord",
    "pd:MedicalHealth",
    "pd:Ethnicity",
    "pd:Religion",
    "pp:Public",
    "pp:FinancialAccount",
    "pp:Credentials",
    "dpv:NonPersonalData",
    "dpv:SpecialCategoryPersonalData",
    "dpv:CommerciallyConfidentialData",
    "tech:VideoContent",
)
RISKS = ("risk:LowRisk", "risk:ModerateRisk", "risk:HighRisk", "eu-aiact:RiskLevelTransparencyRequired")
CAPABILITIES = ("ai:ChatbotCapability", "ai:InformationRetrieval", "ai:NaturalLanguageGeneration", "ai:Profiling")
CONTEXTS = (
    "dpv:CustomerCare",
    "dpv:TechnicalServiceProvision",
    "eu-aiact:EducationSector",
    "dpv:HumanResourceManagement",
)
ROLES = ("dpv:EducationalOrganisation", "dpv:DataController", "dpv:DataController", "dpv:Employer")
OBLIGATIONS = (
    "legal-eu-gdpr:A13",
    "legal-eu-gdpr:DataMinimisationPrinciple",
    "legal-eu-gdpr:IntegrityConfidentialityPrinciple",
    "dpv:HumanOversight",
    "dpv:LoggingPolicy",
    "http://data.europa.eu/eli/reg/2024/1689/art_50/oj",
    "house:FourEyes",
    "Answers within two working days",
)
REVIEWS = ("pp:BiasTesting", "pp:AccuracyReview", "pp:RedTeaming", "dpv:DPIA", "dpv:SecurityAudit")
CADENCES = ("P1M", "P3M", "P6M", "P1Y", "P2Y", "PT24H")
MODELS = (
    ("openai", "gpt-4.1"),
    ("anthropic", "claude-sonnet-4"),
    ("vllm", "llama-3.3-70b"),
    ("vllm", "mistral-small-3"),
)
PROVIDERS = ("default", "judge", "vectors")
SENTENCES = (
    "Answer from the sources that you were given, and name the one that you used.",
    "One step at a time; ask whether it worked before you give the next one.",
    "Never ask for a password, and stop the user who is about to write one.",
    "Where two documents contradict each other, quote both and merge nothing.",
    "When two attempts have failed, open a ticket with everything that was tried.",
    "Deadlines are counted in working days of the office that decides.",
    "Nothing is sent, paid or cancelled before the person named in the file has agreed.",
    "Names of people leave the case only where the answer needs them.",
    "A figure is shown with the document and the page that it came from.",
    "Write for a reader who is in a hurry and has no file at hand.",
)


def fleet(number: int) -> Iterator[tuple[str, bytes]]:
    """(path in the folder, bytes) of each pack."""
    for index in range(number):
        data = pack(index)
        text = (
            json.dumps(data, ensure_ascii=False, indent=1) + "\n" if index % 3 == 2 else "\n".join(block(data)) + "\n"
        )
        ending = "json" if index % 3 == 2 else "yaml"
        yield f"{index // 100:04}/pack-{index:06}.{ending}", text.encode()


def write_fleet(folder: Path, number: int) -> int:
    """Write a fleet, and return its bytes."""
    size = 0
    for name, content in fleet(number):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        size += len(content)
    return size


def pack(index: int) -> Data:
    # One generator for each pack, so that pack 7 is the same in a fleet of ten and in one of ten thousand.
    draw = random.Random(index)  # noqa: S311 - the fleet has to be the same each time
    scale = draw.choice((0, 1, 1, 1, 2, 2, 3, 3, 4))
    domain = DOMAINS[index % len(DOMAINS)]
    tools = [f"{verb}_{noun}" for noun in NOUNS for verb in VERBS]
    names = draw.sample(tools, 3 + 4 * scale)
    keys = [f"{domain}-{part}" for part in ("desk", "reader", "writer", "checker", "closer", "helper")[: 1 + scale]]
    evals = [f"eval-{number}" for number in range(1 + 2 * scale)]
    validators = [f"{key}-limits" for key in keys]
    data: Data = {
        "$schema": "https://promptpack.org/schema/v1.9.0/promptpack.schema.json",
        "id": f"{domain}-{index:06}",
        "name": f"{domain.capitalize()} assistant {index}",
        "version": f"{1 + index % 4}.{index % 7}.{index % 3}",
        "description": prose(draw, 5 + scale // 2),
        "template_engine": {"version": "v1", "syntax": "{{variable}}", "features": ["basic_substitution", "fragments"]},
        "requires": {"providers": [provider(draw, key) for key in PROVIDERS[: draw.randint(1, 3)]]},
        "fragments": {"manner": prose(draw, 6 + scale), "escalate": prose(draw, 3 + scale // 2)},
        "prompts": {key: prompt(draw, key, names, scale) for key in keys},
        "tools": {name: tool(draw, name) for name in names},
        "evals": [evaluation(draw, name, domain) for name in evals],
        "metadata": {"domain": domain, "language": draw.choice(("en", "de", "no")), "tags": [domain, "fleet"]},
    }
    if scale > 1:
        members = {key: agent(draw, key, data["fragments"]) for key in keys}
        data["agents"] = {"entry": keys[0], "members": members}
    if draw.random() < 0.9:
        data["metadata"]["governance"] = governance(draw, scale, evals, validators)
    return data


def provider(draw: random.Random, key: str) -> Data:
    role = "embedding" if key == "vectors" else "llm"
    wanted: Data = (
        {"embedding_dimensions": 1536} if key == "vectors" else {"min_context_tokens": 32000, "tool_use": True}
    )
    return {"key": key, "role": role, "description": draw.choice(SENTENCES), "capabilities": wanted}


def prompt(draw: random.Random, key: str, names: Sequence[str], scale: int) -> Data:
    listed = draw.sample(names, min(len(names), 2 + 2 * scale))
    return {
        "id": key,
        "name": key.replace("-", " ").capitalize(),
        "version": f"1.{scale}.0",
        "description": draw.choice(SENTENCES),
        "system_template": "{{fragments.manner}}\n\n" + prose(draw, 10 + 2 * scale) + "\n\nCase: {{case}}\n",
        "variables": [{"name": "case", "type": "string", "required": True, "description": draw.choice(SENTENCES)}],
        "tools": listed,
        "tool_policy": {"tool_choice": "auto", "max_rounds": 5, "blocklist": draw.sample(listed, 1)},
        "parameters": {"temperature": draw.choice((0, 0.2, 0.7)), "max_tokens": 900},
        "validators": [
            {
                "id": f"{key}-limits",
                "type": "max_length",
                "enabled": draw.random() < 0.9,
                "params": {"characters": 1800},
            }
        ],
        "tested_models": [
            {"provider": name, "model": model, "date": "2026-02-03", "success_rate": 0.92, "avg_tokens": 380}
            for name, model in draw.sample(MODELS, 2)
        ],
    }


def tool(draw: random.Random, name: str) -> Data:
    verb, noun = name.split("_")
    entry: Data = {
        "name": name,
        "description": f"{verb.capitalize()} one {noun} or several. {draw.choice(SENTENCES)}",
        "parameters": {
            "type": "object",
            "properties": {"id": {"type": "string"}, "reason": {"type": "string", "enum": ["asked", "due", "broken"]}},
            "required": ["id"],
        },
    }
    effect, reversibility = draw.choice(EFFECTS), draw.choice(REVERSIBILITY)
    scope: Data = {"effect": effect} if effect else {}
    if reversibility and effect != "read":
        scope["reversibility"] = reversibility
    if draw.random() < 0.7:
        scope["data_classes"] = draw.sample(DATA_CLASSES, draw.randint(1, 3))
    if scope:
        entry["action_scope"] = scope
    return entry


def evaluation(draw: random.Random, name: str, domain: str) -> Data:
    return {
        "id": name,
        "description": draw.choice(SENTENCES),
        "type": draw.choice(("contains", "llm_judge", "secret_scan")),
        "trigger": draw.choice(("every_turn", "on_session_complete")),
        "enabled": draw.random() < 0.9,
        "metric": {"name": f"{domain}_{name.replace('-', '_')}", "type": "gauge", "range": {"min": 0, "max": 1}},
        "threshold": {"operator": "gte", "value": 0.8},
        "groups": ["quality"],
    }


def agent(draw: random.Random, key: str, fragments: Data) -> Data:
    entry: Data = {"description": draw.choice(SENTENCES), "tags": [key.split("-", maxsplit=1)[0]]}
    if draw.random() < 0.5:
        entry["governance"] = {"autonomy_level": draw.choice(AUTONOMY), "accountable_owner": draw.choice(TEAMS)}
        if draw.random() < 0.3:
            entry["governance"]["risk_classification"] = draw.choice(RISKS)
    return entry


def governance(draw: random.Random, scale: int, evals: Sequence[str], validators: Sequence[str]) -> Data:
    """Each field is left out now and then: a real fleet is never complete."""
    obligations = draw.sample(OBLIGATIONS, 1 + min(6, scale + draw.randint(0, 2)))
    ids = [f"duty-{number}" for number in range(len(obligations))]
    fields: Data = {
        "vocabularies": {"house": "https://house.example/vocab#"},
        "intended_purpose": prose(draw, 2),
        "foreseeable_misuse": draw.sample(SENTENCES, 2),
        "autonomy_level": draw.choice(AUTONOMY),
        "accountable_owner": draw.choice(TEAMS),
        "operator_role": draw.choice(ROLES),
        "risk_classification": draw.choice(RISKS),
        "intended_deployment_contexts": [*draw.sample(CONTEXTS, 2), "house:ServiceDesk"],
        "capabilities": draw.sample(CAPABILITIES, 2),
        "approved_environments": draw.sample(("test", "staging", "production"), 2),
        "requires_ai_disclosure": draw.random() < 0.7,
    }
    kept = {name: value for name, value in fields.items() if name == "vocabularies" or draw.random() < 0.85}
    kept["obligations"] = [
        {"id": key, "obligation": term, "controls": controls(draw, evals, validators)}
        for key, term in zip(ids, obligations, strict=True)
    ]
    kept["reviews"] = [
        {
            "id": f"review-{number}",
            "type": draw.choice(REVIEWS),
            "cadence": draw.choice(CADENCES),
            "owner": draw.choice(TEAMS),
            "satisfies": draw.sample(ids, 1),
            "eval": draw.choice(evals),
        }
        for number in range(scale)
    ]
    return kept


def controls(draw: random.Random, evals: Sequence[str], validators: Sequence[str]) -> list[Data]:
    kinds: list[Data] = [
        {"eval": draw.choice(evals) if draw.random() < 0.95 else "eval-gone"},
        {"validator": draw.choice(validators)},
        {"external": draw.choice(SENTENCES)},
        {"external": draw.choice(SENTENCES)},
    ]
    return draw.sample(kinds, draw.randint(1, 2))


def prose(draw: random.Random, sentences: int) -> str:
    return " ".join(draw.choice(SENTENCES) for _ in range(sentences))


PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./:;,()' -]*[A-Za-z0-9.)]")
OTHER = frozenset({"true", "false", "null", "yes", "no", "on", "off"})


def block(value: Any, indent: int = 0) -> Iterator[str]:
    """YAML in block style, as people write it; PyYAML's own writer takes fifty times as long."""
    pad = " " * indent
    entries = value.items() if isinstance(value, dict) else ((None, item) for item in value)
    for key, item in entries:
        lead = f"{pad}-" if key is None else f"{pad}{scalar(key)}:"
        if isinstance(item, dict | list) and item:
            nested = list(block(item, indent + 2))
            if key is None:
                yield f"{lead} {nested[0].lstrip()}"
                yield from nested[1:]
            else:
                yield lead
                yield from nested
        elif isinstance(item, str) and "\n" in item:
            yield f"{lead} |" + ("" if item.endswith("\n") else "-")
            yield from (f"{pad}  {line}" if line else "" for line in item.removesuffix("\n").split("\n"))
        else:
            yield f"{lead} {scalar(item)}"


def scalar(value: Any) -> str:
    plain = isinstance(value, str) and PLAIN.fullmatch(value) and not re.search(r": |:$| #", value)
    return value if plain and value.lower() not in OTHER else json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    count, target = sys.argv[1:]
    print(f"{write_fleet(Path(target), int(count)):,} bytes")
