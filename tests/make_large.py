"""A large pack that tries a report's layout: many rows, long prose, unbroken words, several scripts.

`python tests/make_large.py > large.yaml` writes it; the same bytes each time. It is valid and gives no finding.
"""

from __future__ import annotations

import itertools
import sys
from typing import Any

import yaml

Data = dict[str, Any]

LONG_WORD = ("Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft" * 4)[:300]
ARABIC = "يساعد هذا المساعد الموظفين في مراجعة طلبات التوريد، ولا يتخذ أي قرار بنفسه (نسخة 2)."
HEBREW = "העוזר מכין טיוטה בלבד; אדם מאשר כל תשלום מעל 5,000 ש\u05f4ח."
CHINESE = "本助手仅供采购部门内部使用,所有付款须经人工复核后方可执行。数据保存期限为十年。"
JAPANESE = "このアシスタントは見積書を比較しますが、発注はしません。最終判断は担当者が行います。"
KOREAN = "이 도우미는 계약서를 요약하며, 서명은 항상 담당자가 합니다."
EMOJI = "Status: 🟢 on time, 🟡 late, 🔴 blocked; owner 👩🏽‍⚖️, escalation 🇪🇺."

VERBS = ("read", "list", "compare", "draft", "update", "send", "approve", "cancel")
NOUNS = ("invoice", "contract", "supplier", "shipment", "budget")
SCOPES: tuple[Data | None, ...] = (
    *(
        {"effect": e, "reversibility": r}
        for e in ("read", "write", "external")
        for r in ("reversible", "compensable", "irreversible")
    ),
    *({"effect": effect} for effect in ("read", "write", "external")),
    *({"reversibility": value} for value in ("reversible", "compensable", "irreversible")),
    {},
    None,
)
DATA_CLASSES = (
    "dpv:CommerciallyConfidentialData",
    "pd:Contact",
    "pd:BankAccount",
    "pp:FinancialAccount",
    "dpv:NonPersonalData",
    "https://supply.example/classes/price-agreements-under-embargo",
    "supply:SanctionsListEntry",
    "delivery dates as promised",
)
OBLIGATIONS = (
    "legal-eu-gdpr:A13",
    "legal-eu-gdpr:DataMinimisationPrinciple",
    "dpv:HumanOversight",
    "dpv:ApprovalProcedure",
    "http://data.europa.eu/eli/reg/2024/1689/art_50/oj",
    "http://data.europa.eu/eli/dir/2014/24/oj",
    "supply:FourEyesAboveThreshold",
    "dpv:LoggingPolicy",
    "Purchasing rule 12: three quotes for anything above 5,000 euro",
    "risk:OversightControl",
)
REVIEW_TYPES = (
    "pp:BiasTesting",
    "pp:AccuracyReview",
    "pp:RedTeaming",
    "dpv:DPIA",
    "dpv:SecurityAudit",
    "supply:SpendReview",
)
CADENCES = ("P1M", "P3M", "P1Y", "P2W", "P90D", "P1Y6M", "PT12H", "P1DT6H")
AGENTS = (
    "front-desk",
    "quote-comparer",
    "contract-reader",
    "supplier-scout",
    "sanctions-screener",
    "order-writer",
    "payment-preparer",
    "shipment-tracker",
    "dispute-handler",
    "budget-keeper",
    "archive-clerk",
    "report-writer",
)


def large_pack() -> Data:
    """40 tools, 30 obligations, 12 agents, 20 reviews, 15 states, 3 compositions; the pack declares every field."""
    return {
        "$schema": "https://promptpack.org/schema/v1.9.0/promptpack.schema.json",
        "id": "large-purchasing-suite",
        "name": "Purchasing suite with everything at once, named at a length that a cover page has to break somewhere",
        "version": "12.34.56-rc.7+build.20260401",
        "description": prose(5000),
        "template_engine": {
            "version": "v1",
            "syntax": "{{variable}}",
            "features": ["basic_substitution", "fragments", "loops"],
        },
        "requires": {"providers": providers()},
        "fragments": {
            "house-rules": prose(900),
            "arabic": ARABIC,
            "hebrew": HEBREW,
            "chinese": CHINESE,
            "emoji": EMOJI,
        },
        "prompts": {key: prompt(index, key) for index, key in enumerate((*AGENTS, "closing", "triage"))},
        "tools": {entry["name"]: entry for entry in tools()},
        "evals": [evaluation(index) for index in range(16)],
        "compositions": {"compare-quotes": comparing(), "screen-supplier": screening(), "close-month": closing()},
        "workflow": workflow(),
        "agents": {"entry": AGENTS[0], "members": {key: agent(index, key) for index, key in enumerate(AGENTS)}},
        "skills": skills(),
        "metadata": {"domain": "purchasing", "language": "en", "tags": tags(), "governance": governance()},
    }


def prose(length: int) -> str:
    """Sentences up to exactly `length` characters, with a paragraph break now and then."""
    parts = (
        "The suite reads what suppliers send and prepares what buyers decide.",
        "A buyer sees each figure with the document that it came from.",
        "Nothing is ordered, paid or cancelled before the person named in the budget has agreed to it.",
        "Where two documents contradict each other, both are quoted and nothing is merged.",
        "Deadlines are computed in the time zone of the supplier and shown in the buyer's.",
        "Price agreements under embargo leave the house in no form, not as a summary and not as a trend.\n\n",
    )
    text = ""
    for part in itertools.cycle(parts):
        text += part if part.endswith("\n") else part + " "
        if len(text) >= length:
            return text[:length].rstrip() + "." * (length - len(text[:length].rstrip()))
    raise AssertionError


def providers() -> list[str | Data]:
    return [
        "default",
        {
            "key": "judge",
            "role": "llm",
            "description": prose(220),
            "capabilities": {"min_context_tokens": 200000, "x-region": "eu"},
        },
        {"key": "vectors", "role": "embedding", "required": False, "capabilities": {"embedding_dimensions": 1536}},
    ]


def tools() -> list[Data]:
    """40 tools over all 17 ways to declare a scope, the missing one included."""
    entries = []
    for index, (noun, verb) in enumerate(itertools.product(NOUNS, VERBS)):
        name = f"{verb}_{noun}"
        entry: Data = {"name": name, "description": f"{verb.capitalize()} one {noun} or several, as the buyer asked"}
        if index == 7:
            entry["description"] = f"Cancel an invoice; the ledger calls this {LONG_WORD}"
        if index % 9 == 4:
            entry["description"] = prose(400)
        scope = SCOPES[index % len(SCOPES)]
        if scope is not None:
            entry["action_scope"] = {**scope, **classes(index)}
        if index % 3 == 0:
            entry["parameters"] = {
                "type": "object",
                "properties": {"id": {"type": "string"}, "reason": {"type": "string"}},
                "required": ["id"],
            }
        entries.append(entry)
    return entries


def classes(index: int) -> Data:
    count = index % 5
    return (
        {"data_classes": [DATA_CLASSES[(index + step) % len(DATA_CLASSES)] for step in range(count)]} if count else {}
    )


def tool_names() -> list[str]:
    return [f"{verb}_{noun}" for noun, verb in itertools.product(NOUNS, VERBS)]


def prompt(index: int, key: str) -> Data:
    names = tool_names()
    listed = [names[(index * 7 + step * 3) % len(names)] for step in range(3 + index % 8)]
    text = (ARABIC, CHINESE, JAPANESE, KOREAN, HEBREW, EMOJI)[index % 6]
    entry: Data = {
        "id": key,
        "name": key.replace("-", " ").capitalize(),
        "version": f"1.{index}.0",
        "description": text,
        "system_template": "{{fragments.house-rules}}\n\n"
        + prose(1500 if index % 4 else 5000)
        + f"\n\n{text}\nRequest: {{{{request}}}}",
        "variables": [
            {
                "name": "request",
                "type": "string",
                "required": True,
                "description": LONG_WORD if index == 2 else "What the buyer asks",
            }
        ],
        "tools": list(dict.fromkeys(listed)),
        "validators": [
            {
                "id": f"{key}-no-embargoed-prices",
                "type": "banned_topics",
                "params": {"topics": ["embargo"]},
                "message": "No prices under embargo.",
            },
            {"id": f"{key}-cites", "type": "citation_required"},
        ],
    }
    if index % 3 == 0:
        entry["tool_policy"] = {"max_rounds": 4 + index, "blocklist": [entry["tools"][0]]}
    if index % 2 == 0:
        entry["tested_models"] = [tested(index, model) for model in ("large-model-2026-01", "small-model-2026-03")]
        entry["model_overrides"] = {
            "small-model-2026-03": {"system_template_suffix": "Answer in a list.", "parameters": {"temperature": 0}}
        }
    if index % 5 == 1:
        entry["evals"] = [
            {"id": f"{key}-tone", "type": "llm_judge", "trigger": "sample_turns", "sample_percentage": index + 0.5}
        ]
        entry["provider"] = "judge"
    return entry


def tested(index: int, model: str) -> Data:
    return {
        "provider": "example",
        "model": model,
        "date": f"2026-0{1 + index % 9}-15",
        "success_rate": 0.9 + index / 200,
        "avg_latency_ms": 800 + 50 * index,
        "notes": prose(120),
    }


def evaluation(index: int) -> Data:
    triggers = ("every_turn", "on_session_complete", "sample_sessions", "on_workflow_step")
    entry: Data = {
        "id": f"measure-{index:02d}",
        "type": ("llm_judge", "contains", "regex", "custom")[index % 4],
        "trigger": triggers[index % 4],
        "description": (prose(180), CHINESE, ARABIC, "Short")[index % 4],
        "groups": ["quality", "compliance"][: 1 + index % 2],
    }
    if index % 2:
        entry["metric"] = {
            "name": f"purchasing_measure_{index}",
            "type": ("gauge", "counter", "histogram", "boolean")[index % 4],
            "range": {"min": 0, "max": 1},
        }
        entry["threshold"] = {"operator": "gte", "value": index / 16}
    if index == 15:  # no control and no review names it
        entry["enabled"] = False
    return entry


def governance() -> Data:
    return {
        "vocabularies": {"supply": "https://supply.example/vocab#"},
        "intended_purpose": prose(2000),
        "foreseeable_misuse": [
            prose(300),
            HEBREW,
            f"Passing the embargo off as {LONG_WORD}",
            "Splitting an order to stay below the limit",
            JAPANESE,
        ],
        "autonomy_level": "acts_with_approval",
        "accountable_owner": "group-purchasing",
        "operator_role": "eu-aiact:AIDeployer",
        "risk_classification": "supply:Class3",
        "intended_deployment_contexts": [
            "dpv:VendorManagement",
            "dpv:VendorPayment",
            "supply:SharedServiceCentre",
            "图书馆采购",
            LONG_WORD[:120],
        ],
        "capabilities": [
            "ai:InformationRetrieval",
            "ai:AutomaticSummarisation",
            "ai:NamedEntityRecognition",
            "dpv:DecisionMaking",
            "supply:PriceForecast",
        ],
        "approved_environments": [
            f"purchasing-{region}-{number}" for region in ("eu", "us", "ap") for number in (1, 2, 3)
        ],
        "requires_ai_disclosure": True,
        "independent_of": {
            "axes": ["model", "provider", "tools", "prompts", "accountable_owner"],
            "enforcement": "strict",
        },
        "obligations": [obligation(index) for index in range(30)],
        "reviews": [review(index) for index in range(20)],
        "extensions": {
            "supply.register": {"entry": "P-7", "levels": {"one": {"two": {"three": [1, 2, {"four": EMOJI}]}}}},
            "supply.note": LONG_WORD,
        },
    }


def obligation(index: int) -> Data:
    """All 15 sets of control kinds in turn; `index` 0 has a field only, 14 all four."""
    kinds = [kind for bit, kind in enumerate(("field", "validator", "eval", "external")) if (index % 15 + 1) >> bit & 1]
    entry: Data = {
        "id": f"duty-{index:02d}" if index != 11 else "duty-" + LONG_WORD[:90],
        "obligation": OBLIGATIONS[index % len(OBLIGATIONS)],
        "controls": [control(kind, index) for kind in kinds],
    }
    if index % 4 == 0:
        entry["applies_to"] = {
            "capability": "ai:InformationRetrieval",
            "data_class": "pd:BankAccount",
            "risk_classification": "supply:Class3",
        }
    if index % 6 == 5:
        entry["note"] = prose(600)
    if index % 7 == 3:
        entry["extensions"] = {"supply.control": {"framework": "internal", "number": f"PC-{index}"}}
    return entry


def control(kind: str, index: int) -> Data:
    fields = ("requires_ai_disclosure", "autonomy_level", "independent_of", "approved_environments")
    values = {
        "field": fields[index % len(fields)],
        "validator": f"{AGENTS[index % len(AGENTS)]}-cites",
        "eval": f"measure-{index % 15:02d}",
        "external": (prose(160), CHINESE, ARABIC, "Signature in the purchasing system")[index % 4],
    }
    return {kind: values[kind]}


def review(index: int) -> Data:
    entry: Data = {
        "id": f"review-{index:02d}",
        "type": REVIEW_TYPES[index % len(REVIEW_TYPES)],
        "cadence": CADENCES[index % len(CADENCES)],
        "owner": ("internal-audit", "purchasing-controls", "采购合规组", "Überwachung und Prüfung")[index % 4],
    }
    if index % 5 != 4:
        entry["satisfies"] = [f"duty-{duty:02d}" for duty in range(index, 30, 9) if duty != 11]
    if index % 2 == 0:
        entry["eval"] = f"measure-{index % 15:02d}"
    return entry


def agent(index: int, key: str) -> Data:
    entry: Data = {"description": (prose(150), JAPANESE, HEBREW)[index % 3], "tags": tags()[: index % 6]}
    if index == 0:
        return {**entry, "state": "front"}
    own: Data = {}
    if index % 2:
        own |= {
            "autonomy_level": ("suggests", "acts_with_approval", "acts_with_oversight", "acts_autonomously")[
                index // 2 % 4
            ]
        }
    if index % 3 == 0:
        own |= {"accountable_owner": f"{key}-team", "risk_classification": "risk:HighRisk", "capabilities": []}
    if index % 4 == 1:
        own |= {
            "vocabularies": {"supply": f"https://supply.example/{key}#"},
            "operator_role": "supply:Agent",
            "approved_environments": ["purchasing-eu-1"],
        }
    if index in (5, 10):
        duties = [{**obligation(number), "id": f"own-{number}"} for number in (14, 29)]
        own |= {
            "obligations": duties,
            "reviews": [{**review(3), "satisfies": ["own-14"]}],
            "foreseeable_misuse": [prose(250)],
        }
    return {**entry, "governance": own} if own else entry


def workflow() -> Data:
    """A hub of agents' states, two composition states and three ends."""
    states: Data = {
        "front": {
            "prompt_task": AGENTS[0],
            "control": "user",
            "on_event": {f"needs_{key.replace('-', '_')}": key for key in AGENTS[1:10]},
        },
    }
    for index, key in enumerate(AGENTS[1:10]):
        following = AGENTS[2 + index] if index < 8 else "closing-month"
        states[key] = {
            "prompt_task": key,
            "description": (prose(90), CHINESE, ARABIC)[index % 3],
            "on_event": {
                "done": following,
                "back_to_front": "front",
                "stuck_for_longer_than_the_supplier_allows": "handed-over",
            },
            "max_visits": 2 + index,
            "on_max_visits": "handed-over",
            "artifacts": {f"result_{index}": {"type": "application/json", "mode": ("replace", "append")[index % 2]}},
        }
    states["quotes"] = {
        "orchestration": "composition",
        "composition": "compare-quotes",
        "on_event": {"compared": "order-writer"},
    }
    states["screening"] = {
        "orchestration": "composition",
        "composition": "screen-supplier",
        "on_event": {"clear": "quotes", "hit": "handed-over"},
    }
    states["closing-month"] = {
        "orchestration": "composition",
        "composition": "close-month",
        "on_event": {"closed": "finished"},
    }
    states["handed-over"] = {"prompt_task": "closing", "orchestration": "external", "terminal": True}
    states["finished"] = {"prompt_task": "closing", "terminal": True}
    states["supplier-scout"]["on_event"]["found"] = "screening"
    budget = {"max_total_visits": 80, "max_tool_calls": 400, "max_wall_time_sec": 7200}
    return {"version": 2, "entry": "front", "states": states, "engine": {"budget": budget}}


def comparing() -> Data:
    branches = [
        {
            "id": f"quote_{n}",
            "kind": "agent",
            "prompt_task": "quote-comparer",
            "input": "${input.quotes}",
            "termination": {"max_steps": 3 + n},
        }
        for n in range(6)
    ]
    steps = [
        {
            "id": "sort_request",
            "kind": "prompt",
            "prompt_task": "triage",
            "input": {"request": "${input.request}"},
            "output_schema": "schemas/triage.json",
        },
        {"id": "each", "kind": "parallel", "branches": branches, "reduce": {"strategy": "append", "into": "rows"}},
        {
            "id": "table",
            "kind": "prompt",
            "prompt_task": "report-writer",
            "input": {"rows": "${each.output.rows}"},
            "modifiers": {"eval": ["measure-00"]},
        },
    ]
    return {"version": 1, "description": prose(200), "steps": steps, "output": "table"}


def screening() -> Data:
    predicate = {
        "any_of": [
            {"path": "${lists.output.hits}", "op": "greater_than", "value": 0},
            {
                "all_of": [
                    {"path": "${lists.output.country}", "op": "not_in", "value": ["NO", "IS", "LI"]},
                    {"not": {"path": "${input.waiver}", "exists": True}},
                ]
            },
        ]
    }
    steps = [
        {
            "id": "lists",
            "kind": "tool",
            "tool": "list_supplier",
            "args": {"id": "${input.supplier}"},
            "modifiers": {"retry": {"max_attempts": 4}},
        },
        {"id": "decide", "kind": "branch", "predicate": predicate, "then": "escalate", "else": "clear"},
        {
            "id": "escalate",
            "kind": "agent",
            "prompt_task": "sanctions-screener",
            "termination": {"max_steps": 5, "tool_called": "send_supplier"},
        },
        {
            "id": "clear",
            "kind": "tool",
            "tool": "update_supplier",
            "args": {"status": "clear", "basis": "${lists.output}"},
        },
        {"id": "note", "kind": "prompt", "prompt_task": "archive-clerk", "depends_on": ["escalate", "clear"]},
    ]
    return {"version": 1, "steps": steps, "engine": {"timeout_sec": 60}}


def closing() -> Data:
    steps = [
        {"id": "collect", "kind": "tool", "tool": "list_budget"},
        {"id": "judge_entries", "kind": "supply.judge", "panel": 3},
        {
            "id": "report",
            "kind": "prompt",
            "prompt_task": "budget-keeper",
            "provider": "judge",
            "input": {"entries": "${collect.output}"},
        },
    ]
    return {"version": 1, "description": KOREAN, "steps": steps}


def skills() -> list[str | Data]:
    inline = [
        {"name": f"Handbook chapter {number}", "description": prose(100), "instructions": prose(1200)}
        for number in range(1, 4)
    ]
    return ["./skills/incoterms", {"path": "@supply/embargo", "preload": True}, *inline]


def tags() -> list[str]:
    return ["purchasing", "procure-to-pay", "סחר", "采购", "🧾", LONG_WORD[:60]]


class _Plain(yaml.SafeDumper):
    """Repeats equal parts in full, as a pack written by hand would."""

    def ignore_aliases(self, data: object) -> bool:
        return True


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr] # a text stream when run as a script
    yaml.dump(large_pack(), sys.stdout, Dumper=_Plain, allow_unicode=True, sort_keys=False, width=110)
