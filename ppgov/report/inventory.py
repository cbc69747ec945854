"""Everything else the pack holds, so that nothing in the file goes unmentioned; texts by their digest."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace

from ppgov.pack import Entity, Pack, escape
from ppgov.report.model import (
    Composition,
    Entry,
    Extension,
    Inventory,
    Item,
    Prompt,
    Step,
    TextDigest,
    Value,
    Variable,
)
from ppgov.report.reader import Reader, scalar, verbatim

_PACK_SHOWN = (
    "$schema", "id", "name", "version", "description", "template_engine", "prompts", "fragments", "tools", "metadata",
    "compilation", "evals", "workflow", "agents", "skills", "compositions", "requires",
)  # fmt: skip
_PROMPT_PROPERTIES = ("id", "name", "version", "description", "provider", "parameters", "pipeline")
_PROMPT_SHOWN = (
    "system_template", "variables", "tools", "tool_policy", "validators", "evals", "tested_models", "model_overrides",
    "media", "extensions", *_PROMPT_PROPERTIES,
)  # fmt: skip
_STEP_LEFT_OUT = ("id", "kind", "branches")

BY_DIGEST = "text shown by its digest"


def digest(text: str) -> str:
    """SHA-256 of a text's UTF-8 bytes, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _in_short(text: str) -> str:
    return f"{len(text)} characters, SHA-256 {digest(text)}"


def inventory(reader: Reader) -> Inventory:
    root = reader.audit.pack.root
    metadata, compilation, engine = root.child("metadata"), root.child("compilation"), root.child("template_engine")
    return Inventory(
        prompts=tuple(_prompt(reader, prompt) for prompt in reader.audit.pack.prompts.values()),
        fragments=tuple(_fragments(reader, root)),
        skills=tuple(_skills(reader, root)),
        compositions=tuple(_composition(reader, entity) for entity in reader.audit.pack.compositions.values()),
        metadata=reader.rest(metadata.data, metadata.pointer, ("governance",)) if metadata else (),
        compilation=reader.rest(compilation.data, compilation.pointer) if compilation else (),
        template_engine=reader.rest(engine.data, engine.pointer) if engine else (),
        rest=reader.rest(root.data, "", _PACK_SHOWN),
    )


def _prompt(reader: Reader, prompt: Entity) -> Prompt:
    template = prompt.text("system_template")
    overrides, media = prompt.child("model_overrides"), prompt.child("media")
    properties = reader.entries(prompt, _PROMPT_PROPERTIES)
    unknown = reader.rest(prompt.data, prompt.pointer, _PROMPT_SHOWN)
    return Prompt(
        key=prompt.key,
        where=reader.where(prompt.pointer),
        properties=(*properties, *unknown),
        template=_template(reader, prompt),
        template_sha256=digest(template) if template is not None else "",
        template_length=len(template) if template is not None else 0,
        tools=reader.value(prompt.data, "tools", prompt.pointer),
        variables=tuple(_variable(reader, entity) for entity in prompt.entries("variables", "name")),
        overrides=tuple(_overrides(reader, overrides)) if overrides else (),
        media=reader.rest(media.data, media.pointer) if media else (),
    )


def _template(reader: Reader, prompt: Entity) -> Value:
    """The prompt's text by length and digest."""
    text = prompt.text("system_template")
    if text is None:
        return reader.lost(prompt, "system_template")
    where = reader.where(prompt.at("system_template"))
    return Value(True, "text", (Item(_in_short(text), where),), "", where)


def _variable(reader: Reader, entity: Entity) -> Variable:
    required = scalar(entity.data["required"]) if "required" in entity.data else ""
    details = reader.rest(entity.data, entity.pointer, ("name", "type", "required"))
    return Variable(entity.key, entity.text("type") or "", required, reader.where(entity.pointer), details)


def _overrides(reader: Reader, overrides: Entity) -> Iterator[Entry]:
    """One entry a model and property; template texts by length and digest, like the prompts' own."""
    for key, model in overrides.data.items():
        pointer = overrides.at(key)
        if not isinstance(model, dict):
            yield Entry(key, reader.written(model, pointer))
            continue
        for name, value in model.items():
            place = f"{pointer}/{escape(name)}"
            if isinstance(value, str) and name.startswith("system_template"):
                yield Entry(f"{key}: {name}", replace(reader.written(_in_short(value), place), note=BY_DIGEST))
            else:
                yield Entry(f"{key}: {name}", reader.written(value, place))


def _fragments(reader: Reader, root: Entity) -> Iterator[TextDigest]:
    for key, text in root.mapping("fragments").items():
        if isinstance(text, str):
            yield TextDigest(key, digest(text), len(text), reader.where(root.at("fragments", key)))


def _skills(reader: Reader, root: Entity) -> Iterator[Entry]:
    """A skill by its name, path or index; the instructions of an inline skill by length and digest."""
    listed = root.data.get("skills")
    for index, skill in enumerate(listed if isinstance(listed, list) else ()):
        pointer = root.at("skills", index)
        if not isinstance(skill, dict):
            yield Entry("path", reader.written(skill, pointer))
            continue
        kind = "inline skill" if "name" in skill else "path"
        if isinstance(text := skill.get("instructions"), str):
            shown = reader.written({**skill, "instructions": _in_short(text)}, pointer)
            yield Entry(kind, replace(shown, note=BY_DIGEST))
        else:
            yield Entry(kind, reader.written(skill, pointer))


def _composition(reader: Reader, entity: Entity) -> Composition:
    return Composition(
        key=entity.key,
        where=reader.where(entity.pointer),
        properties=reader.rest(entity.data, entity.pointer, ("steps", "extensions")),
        steps=tuple(_steps(reader, entity, "steps", 0)),
    )


def _steps(reader: Reader, holder: Entity, name: str, depth: int) -> Iterator[Step]:
    for entity in holder.entries(name):
        properties = reader.rest(entity.data, entity.pointer, _STEP_LEFT_OUT)
        yield Step(entity.key, entity.text("kind") or "", depth, reader.where(entity.pointer), properties)
        yield from _steps(reader, entity, "branches", depth + 1)


def extensions(reader: Reader) -> tuple[Extension, ...]:
    """Every `extensions` object of the format's closed list of holders, verbatim and unread."""
    found = []
    for entity, name in holders(reader.audit.pack):
        if "extensions" in entity.data:
            text = verbatim(entity.data["extensions"])
            found.append(Extension(name, text, reader.where(entity.at("extensions"))))
    return tuple(found)


def holders(pack: Pack) -> Iterator[tuple[Entity, str]]:
    """Each object that may carry extensions (`spec/governance.md` section 1), with its name in words."""
    for agent, block in pack.blocks():
        where = "" if agent is None else f" of agent {agent}"
        yield block, f"governance{where}" if agent else "governance of the pack"
        for obligation in block.entries("obligations"):
            yield obligation, f"obligation {obligation.key}{where}"
        for review in block.entries("reviews"):
            yield review, f"review {review.key}{where}"
    for tool in pack.tools.values():
        yield tool, f"tool {tool.key}"
        if (scope := tool.child("action_scope")) is not None:
            yield scope, f"action scope of tool {tool.key}"
    for prompt in pack.prompts.values():
        yield prompt, f"prompt {prompt.key}"
    for key, validator in pack.validators:
        yield validator, f"validator {validator.key} of prompt {key}"
    for item in pack.evals:
        yield item.entity, f"eval {item.entity.key}" + (f" of prompt {item.prompt}" if item.prompt is not None else "")
    for kind, entities in (("agent", pack.agents), ("state", pack.states), ("composition", pack.compositions)):
        for entity in entities.values():
            yield entity, f"{kind} {entity.key}"
