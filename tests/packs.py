"""Small packs for tests, built from a minimal valid one."""

from __future__ import annotations

import copy
from typing import Any

from ppgov.source import Source, parse


def pack(**parts: Any) -> dict[str, Any]:
    """A minimal valid pack with the given top-level parts laid over it."""
    data: dict[str, Any] = {
        "id": "desk",
        "name": "Desk",
        "version": "1.0.0",
        "template_engine": {"version": "v1", "syntax": "{{variable}}"},
        "prompts": {"chat": prompt("chat")},
    }
    data.update(copy.deepcopy(parts))
    return data


def prompt(key: str, **parts: Any) -> dict[str, Any]:
    return {"id": key, "name": key.title(), "version": "1.0.0", "system_template": "Answer briefly.", **parts}


def tool(key: str, **parts: Any) -> dict[str, Any]:
    return {"name": key, "description": f"Runs {key}", **parts}


def governed(**fields: Any) -> dict[str, Any]:
    """The `metadata` part with the given governance fields."""
    return {"governance": fields}


def source(data: dict[str, Any], path: str = "pack.json") -> Source:
    import json

    return parse(json.dumps(data, indent=1).encode(), path)
