"""One valid pack that uses every property of the format, for tests that mutate or walk it."""

from __future__ import annotations

from typing import Any

from tests.packs import governed, pack, prompt, tool

_EXTENSIONS = {"acme/x": {"kind": 1}}
_PARAMETERS = {
    "temperature": 0.5,
    "max_tokens": 10,
    "top_p": 1,
    "top_k": None,
    "frequency_penalty": -2,
    "presence_penalty": 2.0,
}


def full_pack() -> dict[str, Any]:
    """A fresh copy."""
    return pack(
        **{"$schema": "https://promptpack.org/schema/v1.9.0/promptpack.schema.json"},
        description="All of it",
        template_engine={"version": "v1", "syntax": "{{variable}}", "features": ["fragments"]},
        prompts={"chat": _prompt(), "plain": prompt("plain")},
        fragments={"tone": "Be brief."},
        tools={"look": _tool()},
        metadata={
            "domain": "finance",
            "language": "en",
            "tags": ["a"],
            "cost_estimate": {"min_cost_usd": 0, "max_cost_usd": 1.5, "avg_cost_usd": 1},
            "own": {"free": [1]},
            **governed(**_governance()),
        },
        compilation={
            "compiled_with": "packc",
            "created_at": "2026-01-01T00:00:00Z",
            "schema": "v1",
            "source": "a.yaml",
        },
        evals=[_eval()],
        workflow=_workflow(),
        agents=_agents(),
        skills=[
            "./skills/a",
            {"path": "./skills/b", "preload": True},
            {"name": "n", "description": "d", "instructions": "i"},
        ],
        compositions={"answer": _composition()},
        requires={"providers": ["default", _provider()]},
    )


def _prompt() -> dict[str, Any]:
    return prompt(
        "chat",
        description="Chats",
        variables=[_variable()],
        tools=["look"],
        tool_policy={"tool_choice": "auto", "max_rounds": 1, "max_tool_calls_per_turn": 2, "blocklist": ["look"]},
        pipeline={"stages": ["template"], "middleware": [{"type": "log", "config": {"a": 1}}]},
        parameters=_PARAMETERS,
        validators=[
            {
                "id": "says-so",
                "type": "phrase",
                "enabled": True,
                "message": "no",
                "fail_on_violation": False,
                "params": {"a": 1},
                "extensions": _EXTENSIONS,
            }
        ],
        evals=[_eval()],
        provider="default",
        tested_models=[
            {
                "provider": "p",
                "model": "m",
                "date": "2026-01-01",
                "success_rate": 0.5,
                "avg_tokens": 1,
                "avg_cost": 0,
                "avg_latency_ms": 3,
                "notes": "n",
            }
        ],
        model_overrides={
            "m": {
                "system_template_prefix": "a",
                "system_template_suffix": "b",
                "system_template": "c",
                "parameters": _PARAMETERS,
            }
        },
        media=_media(),
        extensions=_EXTENSIONS,
    )


def _variable() -> dict[str, Any]:
    return {
        "name": "user",
        "type": "string",
        "required": True,
        "default": None,
        "description": "d",
        "example": [1],
        "validation": {
            "pattern": "a",
            "min_length": 0,
            "max_length": 2,
            "minimum": 0.5,
            "maximum": 2,
            "enum": [1, "a", None],
        },
        "binding": {"kind": "env", "field": "f", "auto_populate": True, "filter": "trim"},
    }


def _tool() -> dict[str, Any]:
    return tool(
        "look",
        parameters={"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
        action_scope={
            "effect": "read",
            "reversibility": "reversible",
            "data_classes": ["dpv:Data"],
            "extensions": _EXTENSIONS,
        },
        extensions=_EXTENSIONS,
    )


def _governance() -> dict[str, Any]:
    return {
        "vocabularies": {"acme": "https://acme.example/v#"},
        "intended_purpose": "p",
        "foreseeable_misuse": ["m"],
        "autonomy_level": "suggests",
        "accountable_owner": "team",
        "operator_role": "acme:Role",
        "risk_classification": "acme:Low",
        "intended_deployment_contexts": ["acme:Desk"],
        "capabilities": ["acme:Talk"],
        "approved_environments": ["prod"],
        "requires_ai_disclosure": False,
        "extensions": _EXTENSIONS,
        "independent_of": {"axes": ["model", "tools"], "enforcement": "strict"},
        "obligations": [
            {
                "id": "o",
                "obligation": "acme:Duty",
                "applies_to": {"capability": "acme:Talk", "data_class": "dpv:Data", "risk_classification": "acme:Low"},
                "controls": [
                    {"field": "autonomy_level"},
                    {"validator": "says-so"},
                    {"eval": "tone"},
                    {"external": "elsewhere"},
                ],
                "note": "n",
                "extensions": _EXTENSIONS,
            }
        ],
        "reviews": [
            {
                "id": "r",
                "type": "pp:RedTeaming",
                "cadence": "P1Y2M3W4DT5H6M7S",
                "owner": "team",
                "satisfies": ["o"],
                "eval": "tone",
                "extensions": _EXTENSIONS,
            }
        ],
    }


def _eval() -> dict[str, Any]:
    return {
        "id": "tone",
        "description": "d",
        "type": "llm_judge",
        "trigger": "every_turn",
        "sample_percentage": 5,
        "enabled": True,
        "params": {"a": 1},
        "metric": {"name": "m:x", "type": "gauge", "range": {"min": 0, "max": 1.5}, "own": 1},
        "threshold": {"operator": "gte", "value": 0.5},
        "message": "m",
        "when": {"a": 1},
        "groups": ["g"],
        "extensions": _EXTENSIONS,
    }


def _media() -> dict[str, Any]:
    return {
        "enabled": True,
        "supported_types": ["image", "scan"],
        "image": {
            "max_size_mb": 1,
            "allowed_formats": ["png"],
            "default_detail": "low",
            "require_caption": True,
            "max_images_per_msg": 1,
        },
        "audio": {"max_size_mb": 1, "allowed_formats": ["mp3"], "max_duration_sec": 1, "require_metadata": True},
        "video": {"max_size_mb": 1, "allowed_formats": ["mp4"], "max_duration_sec": 1, "require_metadata": True},
        "document": {
            "max_size_mb": 1,
            "allowed_formats": ["pdf"],
            "max_pages": 1,
            "require_metadata": True,
            "extraction_mode": "raw",
        },
        "scan": {"max_size_mb": 1, "allowed_formats": ["obj"], "require_metadata": True, "validation_params": {"a": 1}},
        "examples": [
            {
                "name": "n",
                "description": "d",
                "role": "user",
                "parts": [
                    {"type": "text", "text": "t"},
                    {
                        "type": "image",
                        "media": {
                            "file_path": "a.png",
                            "url": "https://acme.example/a.png",
                            "base64": "QQ==",
                            "mime_type": "image/png",
                            "detail": "low",
                            "caption": "c",
                        },
                    },
                ],
            }
        ],
    }


def _workflow() -> dict[str, Any]:
    return {
        "version": 1,
        "entry": "open",
        "states": {
            "open": {
                "prompt_task": "chat",
                "description": "d",
                "on_event": {"done": "closed"},
                "persistence": "transient",
                "orchestration": "hybrid",
                "control": "agent",
                "skills": "none",
                "terminal": False,
                "max_visits": 2,
                "on_max_visits": "closed",
                "artifacts": {"a": {"type": "text/plain", "description": "d", "mode": "append"}},
                "extensions": _EXTENSIONS,
            },
            "closed": {"orchestration": "composition", "composition": "answer", "terminal": True},
        },
        "engine": {"budget": {"max_total_visits": 1, "max_tool_calls": 2, "max_wall_time_sec": 3}, "own": 1},
    }


def _agents() -> dict[str, Any]:
    return {
        "entry": "chat",
        "members": {
            "chat": {
                "description": "d",
                "tags": ["t"],
                "input_modes": ["text/plain"],
                "output_modes": ["text/plain"],
                "state": "open",
                "governance": {"autonomy_level": "acts_with_approval"},
                "extensions": _EXTENSIONS,
            }
        },
    }


def _provider() -> dict[str, Any]:
    return {
        "key": "judge",
        "role": "llm",
        "required": False,
        "description": "d",
        "capabilities": {
            "modalities": ["text"],
            "min_context_tokens": 1,
            "tool_use": True,
            "structured_output": True,
            "embedding_dimensions": 1,
            "x-own": 1,
        },
    }


def _composition() -> dict[str, Any]:
    compare = {"path": "${read.output.x}", "op": "in", "value": [1]}
    exists = {"path": "${read.output.y}", "exists": False}
    return {
        "version": 1,
        "description": "d",
        "input_schema": "i",
        "output_schema": "o",
        "output": "both",
        "engine": {"own": 1},
        "extensions": _EXTENSIONS,
        "steps": [
            {
                "id": "read",
                "kind": "prompt",
                "description": "d",
                "prompt_task": "plain",
                "provider": "judge",
                "input": "${input.x}",
                "output_schema": "o",
                "modifiers": {"retry": {"max_attempts": 1}, "eval": ["tone"]},
            },
            {
                "id": "work",
                "kind": "agent",
                "prompt_task": "chat",
                "provider": "default",
                "input": {"a": "${read.output.x}"},
                "tools": ["look"],
                "termination": {"max_steps": 3, "tool_called": "look"},
                "output_schema": "o",
                "depends_on": ["read"],
            },
            {"id": "call", "kind": "tool", "tool": "look", "args": {"a": 1}},
            {
                "id": "choose",
                "kind": "branch",
                "predicate": {"all_of": [compare, {"any_of": [exists, {"not": compare}]}]},
                "then": "both",
                "else": "own",
            },
            {
                "id": "both",
                "kind": "parallel",
                "branches": [
                    {"id": "left", "kind": "tool", "tool": "look"},
                    {"id": "right", "kind": "prompt", "prompt_task": "plain"},
                ],
                "reduce": {"strategy": "barrier", "into": "all"},
            },
            {"id": "own", "kind": "acme.judge", "anything": 1},
        ],
    }
