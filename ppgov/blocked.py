"""Which rules a broken part of a pack keeps from running.

A reference into a list that the schema refuses leads nowhere for that reason alone. To call it unresolved too
would report one fault twice, and untruly; so the rule does not run, and the report says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ppgov.pack import Pack, escape

# What can be referred to, and the rules that look it up.
_LOOKED_UP: dict[str, tuple[str, ...]] = {
    "prompts": ("PPG202", "PPG205", "PPG208", "PPG212"),
    "tools": ("PPG201", "PPG224"),
    "evals": ("PPG204", "PPG212"),
    "validators": ("PPG205",),
    "fragments": ("PPG222",),
    "states": ("PPG203", "PPG207"),
    "compositions": ("PPG209",),
    "steps": ("PPG212",),
    "providers": ("PPG218",),
    "obligations": ("PPG231",),
    "governance": ("PPG230",),
    "vocabularies": ("PPG301",),
}


def blocks(pack: Pack) -> Iterator[tuple[str, tuple[str, ...]]]:
    """(rule, pointers of what is in its way). Meant for packs that the schema refuses; of others it gives nothing."""
    found: dict[str, list[str]] = {}
    for kind, pointer in _broken(pack):
        for rule in _LOOKED_UP[kind]:
            found.setdefault(rule, []).append(pointer)
    return ((rule, tuple(pointers[:100])) for rule, pointers in found.items())


def size(value: Any) -> int:
    """How many values an object holds, itself counted."""
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(size(child) for child in children)


def _broken(pack: Pack) -> Iterator[tuple[str, str]]:
    data = pack.data
    if not isinstance(data.get("prompts"), dict) or not data["prompts"]:
        yield "prompts", "/prompts"
    for name in ("tools", "fragments", "compositions"):
        if not isinstance(data.get(name, {}), dict):
            yield name, f"/{name}"
    yield from (("evals", pointer) for pointer in _without_id(data, "evals", ""))
    for key, prompt in pack.root.mapping("prompts").items():
        pointer = f"/prompts/{escape(key)}"
        if not isinstance(prompt, dict):
            yield from (("evals", pointer), ("validators", pointer))
            continue
        yield from (("evals", place) for place in _without_id(prompt, "evals", pointer))
        yield from (("validators", place) for place in _without_id(prompt, "validators", pointer, may_lack=True))
    yield from _broken_flow(pack)
    yield from _broken_governance(pack)


def _broken_flow(pack: Pack) -> Iterator[tuple[str, str]]:
    workflow = pack.data.get("workflow", {})
    if "workflow" in pack.data and (not isinstance(workflow, dict) or not isinstance(workflow.get("states"), dict)):
        yield "states", "/workflow"
    for key, composition in pack.root.mapping("compositions").items():
        pointer = f"/compositions/{escape(key)}"
        if not isinstance(composition, dict) or not isinstance(composition.get("steps"), list):
            yield "steps", pointer
    for step in pack.steps:
        if step.id is None:
            yield "steps", step.entity.pointer
    requires = pack.data.get("requires", {})
    providers = requires.get("providers", []) if isinstance(requires, dict) else None
    if not isinstance(providers, list) or len(providers) > len(pack.providers):
        yield "providers", "/requires"


def _broken_governance(pack: Pack) -> Iterator[tuple[str, str]]:
    metadata = pack.data.get("metadata", {})
    if not isinstance(metadata, dict) or not isinstance(metadata.get("governance", {}), dict):
        yield from (("governance", "/metadata"), ("obligations", "/metadata"), ("vocabularies", "/metadata"))
    for _, block in pack.blocks():
        yield from (("obligations", place) for place in _without_id(block.data, "obligations", block.pointer))
        if not isinstance(block.data.get("vocabularies", {}), dict):
            yield "vocabularies", block.at("vocabularies")


def _without_id(holder: dict[str, Any], name: str, pointer: str, *, may_lack: bool = False) -> Iterator[str]:
    """Where a list, or the id of something in it, cannot be read."""
    items = holder.get(name, [])
    if not isinstance(items, list):
        yield f"{pointer}/{name}"
        return
    for index, item in enumerate(items):
        if not isinstance(item, dict) or not isinstance(item.get("id", "" if may_lack else None), str):
            yield f"{pointer}/{name}/{index}"
