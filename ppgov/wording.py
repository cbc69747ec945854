"""How structural problems are put into words: literal tables from the schema's terms to a reader's."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ppgov.findings import quote

# What the object at a node path is called in a sentence.
KINDS: dict[str, str] = {
    "": "pack",
    ".template_engine": "template engine",
    ".metadata": "metadata",
    ".metadata.cost_estimate": "cost estimate",
    ".compilation": "compilation record",
    ".requires": "requires block",
    "ProviderRequirement|1": "provider requirement",
    "ProviderCapabilities": "capabilities",
    "Prompt": "prompt",
    "Variable": "variable",
    "Variable.validation": "validation",
    "Variable.binding": "binding",
    "Governance": "governance block",
    "Governance.independent_of": "independence requirement",
    "Obligation": "obligation",
    "Obligation.applies_to": "applies_to block",
    "ObligationControl": "control",
    "Review": "review",
    "ActionScope": "action scope",
    "Tool": "tool",
    "Tool.parameters": "parameter schema",
    "ToolPolicy": "tool policy",
    "PipelineConfig": "pipeline",
    "MiddlewareConfig": "middleware",
    "Parameters": "parameters",
    "Validator": "validator",
    "TestedModel": "tested model",
    "ModelOverride": "model override",
    "MediaConfig": "media configuration",
    "MediaConfig{}": "media type",
    "ImageConfig": "image configuration",
    "AudioConfig": "audio configuration",
    "VideoConfig": "video configuration",
    "DocumentConfig": "document configuration",
    "GenericMediaTypeConfig": "media type",
    "MultimodalExample": "media example",
    "ContentPart": "message part",
    "MediaReference": "media reference",
    "Eval": "eval",
    "Eval.threshold": "threshold",
    "MetricDef": "metric",
    "MetricDef.range": "range",
    "WorkflowConfig": "workflow",
    "WorkflowConfig.engine": "engine block",
    "WorkflowState": "workflow state",
    "ArtifactDef": "artifact",
    "WorkflowBudget": "budget",
    "AgentsConfig": "agents block",
    "AgentDef": "agent",
    "SkillPathSource": "skill",
    "InlineSkill": "skill",
    "Composition": "composition",
    "Step": "step",
    "PromptStep": "prompt step",
    "AgentStep": "agent step",
    "ToolStep": "tool step",
    "BranchStep": "branch step",
    "ParallelStep": "parallel step",
    "ComparePredicate": "comparison",
    "ExistsPredicate": "test for presence",
    "AllOfPredicate": "all_of condition",
    "AnyOfPredicate": "any_of condition",
    "NotPredicate": "not condition",
    "Predicate": "condition",
    "Reducer": "reducer",
    "StepModifiers": "modifiers",
    "StepModifiers.retry": "retry block",
    "TerminationPredicate": "termination",
}

# The governance rows that a structural fault belongs to (spec, sections 5 and 7), so that it is reported once.
# At or below these properties every fault is the row's.
CLAIMED: dict[str, str] = {
    "Review.cadence": "PPG601",
    "Governance.independent_of.axes": "PPG501",
    "Step.kind": "PPG216",
}
# When these properties are missing, the row says so.
CLAIMED_MISSING: dict[str, str] = {
    "WorkflowState.composition": "PPG209",
    "WorkflowState.prompt_task": "PPG209",
    "AgentStep.termination": "PPG213",
    "ParallelStep.branches": "PPG214",
    "ParallelStep.reduce": "PPG214",
    "Reducer.strategy": "PPG214",
    "Reducer.into": "PPG214",
}
# When these lists are too short, the row says so.
CLAIMED_COUNT: dict[str, str] = {"ParallelStep.branches": "PPG214"}

# Names that drafts of the format used: (path of the object, old name) -> present name.
OLD_NAMES: dict[tuple[str, str], str] = {
    ("Governance.independent_of", "on"): "axes",
    ("Governance", "validations"): "reviews",
}

# The forms that a value may have where the format leaves a choice.
FORMS: dict[str, str] = {
    "SkillSource": "a path; a mapping with path; a mapping with name, description and instructions",
    "Predicate": "path, op and value; path and exists; all_of; any_of; not",
}

# Texts that people read and no rule looks at: a wrong type there keeps no rule from its work.
PROSE = frozenset(
    {
        "accountable_owner", "caption", "compiled_with", "created_at", "description", "domain", "external",
        "features", "foreseeable_misuse", "groups", "instructions", "intended_purpose", "into", "language",
        "message", "name", "note", "notes", "schema", "source", "strategy", "syntax", "tags", "text",
    }
)  # fmt: skip

_SEMVER = (
    r"^v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)"
    r"(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$"
)
_DURATION = (
    r"^P(?:(?:\d+Y(?:\d+M)?(?:\d+W)?(?:\d+D)?|\d+M(?:\d+W)?(?:\d+D)?|\d+W(?:\d+D)?|\d+D)"
    r"(?:T(?:\d+H(?:\d+M)?(?:\d+S)?|\d+M(?:\d+S)?|\d+S))?|T(?:\d+H(?:\d+M)?(?:\d+S)?|\d+M(?:\d+S)?|\d+S))$"
)
PATTERNS: dict[str, str] = {
    r"^[a-z][a-z0-9-]*$": "lower-case letters, digits and hyphens, starting with a letter",
    r"^[a-z][a-z0-9_-]*$": "lower-case letters, digits, hyphens and underscores, starting with a letter",
    r"^[a-zA-Z_][a-zA-Z0-9_]*$": "letters, digits and underscores, not starting with a digit",
    r"^[a-zA-Z_:][a-zA-Z0-9_:]*$": "letters, digits, underscores and colons, not starting with a digit",
    r"^[a-zA-Z0-9_-]+$": "letters, digits, hyphens and underscores",
    r"^[a-z0-9_]+$": "lower-case letters, digits and underscores",
    r"^[a-z]{2}$": "a language code of two lower-case letters, such as en",
    r"^[a-z][a-z0-9_-]*\.[a-z][a-z0-9_.-]*$": "a vendor's name, a dot and a kind, in lower case",
    _SEMVER: "a semantic version of three numbers, such as 1.2.0",
    _DURATION: "an ISO 8601 duration, such as P3M, P1Y or P2W",
}

# Words for a rhythm that people write instead of a duration.
RHYTHMS: dict[str, str] = {
    "daily": "P1D",
    "weekly": "P1W",
    "biweekly": "P2W",
    "fortnightly": "P2W",
    "monthly": "P1M",
    "quarterly": "P3M",
    "semiannually": "P6M",
    "half-yearly": "P6M",
    "biannually": "P6M",
    "yearly": "P1Y",
    "annual": "P1Y",
    "annually": "P1Y",
}

TYPES: dict[str, str] = {
    "string": "a string",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "null",
}
_LONGEST_TEXT = 100_000  # no name, version or duration is longer, and `re` takes 200 bytes for each character
_LONGEST_NUMBER = 1000  # bits; Python refuses to print much longer ones


def matches(pattern: str, value: str) -> bool:
    """Whether a text has the form, as ECMA 262 reads it: ASCII digits, and `$` only at the very end."""
    return len(value) <= _LONGEST_TEXT and re.compile(pattern, re.ASCII).fullmatch(value) is not None


def shown(value: object) -> str:
    """A scalar as it can stand in a message."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value.bit_length() > _LONGEST_NUMBER:
        return "a very long number"
    return quote(value) if isinstance(value, str) else "null" if value is None else str(value)


def found(value: object) -> str:
    """What stands there, in words: type and, for a scalar, value."""
    if isinstance(value, str):
        return f"a string ({shown(value)})"
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    return shown(value) if value is None or isinstance(value, bool) else f"a number ({shown(value)})"


def type_hint(types: tuple[str, ...], value: object) -> str:
    """What to do about a value of the wrong type; it knows what YAML makes of unquoted text."""
    if value is None:
        return "write a value or remove the key: in YAML an empty value is null"
    if "string" in types and isinstance(value, bool | int | float):
        return "quote it: without quotes it is no text"
    if "boolean" in types:
        return "write true or false, without quotes"
    if "object" in types:
        return "write a mapping, as in {name: value}"
    if "array" in types:
        return f"write a list, as in [{shown(value)}]" if isinstance(value, str) else "write a list, as in [a, b]"
    if "string" in types:
        return "write one text"
    if isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]+(\.[0-9]+)?", value):
        return "remove the quotes"
    return "write a whole number" if types[0] == "integer" else "write a number"


def mended(pattern: str, value: str) -> str:
    """A value of the right form that is near the given one, or an empty string."""
    if len(value) > 100:
        return ""
    plain = value.strip()
    for guess in (plain, *_guesses(pattern, plain)):
        if matches(pattern, guess):
            return guess
    return ""


def _guesses(pattern: str, value: str) -> tuple[str, ...]:
    if pattern == _SEMVER:
        return (f"{value}.0", f"{value}.0.0")
    if pattern == _DURATION:
        return (RHYTHMS.get(value.lower(), ""), value.upper(), f"P{value.upper()}")
    if pattern == r"^[a-z]{2}$":
        return (value.lower(), re.split(r"[-_]", value.lower())[0])
    separator = "-" if pattern in (r"^[a-z][a-z0-9-]*$", r"^[a-zA-Z0-9_-]+$") else "_"
    joined = re.sub(r"[^a-zA-Z0-9_:.-]+", separator, value)
    other = joined.replace("_" if separator == "-" else "-", separator)
    return (joined, joined.lower(), other, other.lower())


def limit_words(name: str, limit: float, value: str | Sequence[object] | Mapping[str, object] | float) -> str:
    """What is wrong with a number, a length or a count, and what is allowed."""
    if isinstance(value, int | float):
        side = "below the minimum" if name == "minimum" else "above the maximum"
        return f"is {shown(value)}, {side} of {limit}"
    if not value:
        return "is empty"
    single, many = ("character", "characters") if isinstance(value, str) else ("entry", "entries")
    held = f"has {len(value)} {single if len(value) == 1 else many}"
    return (
        f"{held}, but needs at least {limit}" if name.startswith("min") else f"{held}, but at most {limit} are allowed"
    )


def limit_hint(name: str, limit: float) -> str:
    """What to do about a limit that is not kept."""
    if name in ("minimum", "maximum"):
        return f"write a number of at {'least' if name == 'minimum' else 'most'} {limit}"
    if name in ("minItems", "minProperties"):
        return f"add entries until there are {limit}" if limit > 1 else "add an entry"
    return "write a text" if name == "minLength" else f"shorten it to {limit}"
