"""The rest of the pack format, slot by slot: what each property of each object becomes in the declared graph."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ppgov.graph.governance import ACTION_SCOPE, EXTENSIONS, Governance
from ppgov.graph.slot import (
    IDENTIFIER,
    POSITION,
    Child,
    Free,
    Inline,
    Json,
    Keyed,
    Link,
    Listed,
    Many,
    Shape,
    Slot,
    Walk,
    numbered,
)
from ppgov.graph.token import TYPE, dct, integer, pg, scalar, segment, text

TITLE = dct("title")
DESCRIPTION = pg("description")
VERSION = pg("version")


@dataclass(frozen=True, slots=True)
class Transitions(Slot):
    """`on_event`: one node for each event, with the state it leads to."""

    def objects(self, walk: Walk, node: str, pointer: str, value: object) -> Iterable[str]:
        found, graph = [], walk.graph
        for event, target in value.items() if isinstance(value, dict) else ():
            thing = f"<{node}/transitions/{segment(event)}>"
            found.append(thing)
            walk.quads += ((thing, TYPE, pg("Transition"), graph), (thing, pg("event"), text(event), graph))
            if type(target) is str:
                walk.quads.append((thing, pg("targetState"), f"<{walk.bases['states']}{segment(target)}>", graph))
            elif (literal := scalar(target)) is not None:
                walk.quads.append((thing, pg("targetState"), literal, graph))
        return found


@dataclass(frozen=True, slots=True)
class Agents(Slot):
    """`agents.members`: the key names a prompt, and the agent's governance is a scope of its own for terms."""

    def objects(self, walk: Walk, node: str, pointer: str, value: object) -> Iterable[str]:
        found, pack_terms = [], walk.terms
        for key, item in value.items() if isinstance(value, dict) else ():
            if isinstance(item, dict):
                walk.terms = f"{walk.version}/terms/{segment('agent-' + key)}/"
                agent = AGENTS.one(walk, node, pointer, key, item)
                walk.quads.append((agent, pg("agentPrompt"), f"<{walk.bases['prompts']}{segment(key)}>", walk.graph))
                found.append(agent)
        walk.terms = pack_terms
        return found


@dataclass(frozen=True, slots=True)
class Compositions(Slot):
    """`compositions`: each has step names of its own."""

    def objects(self, walk: Walk, node: str, pointer: str, value: object) -> Iterable[str]:
        found = []
        for key, item in value.items() if isinstance(value, dict) else ():
            if isinstance(item, dict):
                walk.steps = {}
                walk.bases["steps"] = f"{node}/compositions/{segment(key)}/steps/"
                found.append(COMPOSITIONS.one(walk, node, pointer, key, item))
        return found


@dataclass(frozen=True, slots=True)
class Steps(Slot):
    """Steps, those of a branch included: all lie side by side under their composition, for ids are unique in it."""

    def objects(self, walk: Walk, node: str, pointer: str, value: object) -> Iterable[str]:
        found = []
        for index, item in enumerate(value if isinstance(value, list) else ()):
            if isinstance(item, dict):
                name = numbered(segment(item.get("id")), walk.steps)
                step = walk.entity(walk.bases["steps"] + name, f"{pointer}/{index}", item, STEP)
                walk.quads.append((step, POSITION, integer(index + 1), walk.graph))
                found.append(step)
        return found


@dataclass(frozen=True, slots=True)
class MediaTypes(Child):
    """`media`: whatever is no property of its own is the configuration of the media type that it is called after."""

    def objects(self, walk: Walk, node: str, pointer: str, value: object) -> Iterable[str]:
        # not super(): a frozen dataclass with slots is made anew, and super() still means the first one
        found = Child.objects(self, walk, node, pointer, value)
        for key, item in value.items() if isinstance(value, dict) else ():
            if key not in self.shape.slots and isinstance(item, dict):
                kind = MEDIA_TYPES.one(walk, f"{node}/media", pointer, key, item)
                walk.quads.append((f"<{node}/media>", MEDIA_TYPES.predicate, kind, walk.graph))
        return found


def _texts(**names: str) -> dict[str, Slot]:
    """Properties that hold one scalar, with the name of their predicate."""
    return {key: Slot(pg(name)) for key, name in names.items()}


PARAMETERS = Shape(
    pg("Parameters"),
    _texts(
        temperature="temperature",
        max_tokens="maxTokens",
        top_p="topP",
        top_k="topK",
        frequency_penalty="frequencyPenalty",
        presence_penalty="presencePenalty",
    ),
)
VALIDATION = Shape(
    pg("Validation"),
    {
        **_texts(
            pattern="pattern",
            min_length="minLength",
            max_length="maxLength",
            minimum="minimum",
            maximum="maximum",
        ),
        "enum": Free(pg("allowedValue"), each=True),
    },
)
BINDING = Shape(
    pg("Binding"),
    _texts(kind="bindingKind", field="bindingField", auto_populate="autoPopulate", filter="bindingFilter"),
)
VARIABLE = Shape(
    pg("Variable"),
    {
        "name": Slot(IDENTIFIER),
        "type": Slot(pg("variableType")),
        "required": Slot(pg("required")),
        "default": Free(pg("default")),
        "description": Slot(DESCRIPTION),
        "example": Free(pg("example")),
        "validation": Child(pg("validation"), "validation", VALIDATION),
        "binding": Child(pg("binding"), "binding", BINDING),
    },
)
TOOL_POLICY = Shape(
    pg("ToolPolicy"),
    {
        **_texts(tool_choice="toolChoice", max_rounds="maxRounds", max_tool_calls_per_turn="maxToolCallsPerTurn"),
        "blocklist": Link(pg("blockedTool"), "tools", many=True),
    },
)
MIDDLEWARE = Shape(pg("Middleware"), {"type": Slot(pg("middlewareType")), "config": Json(pg("config"))})
STAGE = Shape(pg("Stage"), {"stage": Slot(TITLE)})
PIPELINE = Shape(
    pg("Pipeline"),
    {
        "stages": Listed(pg("stage"), "stages", STAGE, bare="stage", ordered=True),
        "middleware": Listed(pg("middleware"), "middleware", MIDDLEWARE, ordered=True),
    },
)
VALIDATOR = Shape(
    pg("Validator"),
    {
        "id": Slot(IDENTIFIER),
        **_texts(type="validatorType", enabled="enabled", message="message", fail_on_violation="failOnViolation"),
        "params": Json(pg("params")),
        "extensions": EXTENSIONS,
    },
)
RANGE = Shape("", _texts(min="rangeMinimum", max="rangeMaximum"), open=True)
METRIC = Shape(
    pg("Metric"),
    {"name": Slot(IDENTIFIER), "type": Slot(pg("metricType")), "range": Inline("", RANGE)},
    open=True,
)
THRESHOLD = Shape(pg("Threshold"), _texts(operator="operator", value="thresholdValue"))
EVAL = Shape(
    pg("Eval"),
    {
        "id": Slot(IDENTIFIER),
        **_texts(
            description="description",
            type="evalType",
            trigger="trigger",
            sample_percentage="samplePercentage",
            enabled="enabled",
            message="message",
        ),
        "params": Json(pg("params")),
        "metric": Child(pg("metric"), "metric", METRIC),
        "threshold": Child(pg("threshold"), "threshold", THRESHOLD),
        "when": Json(pg("when")),
        "groups": Many(pg("group")),
        "extensions": EXTENSIONS,
    },
)
TESTED_MODEL = Shape(
    pg("TestedModel"),
    _texts(
        provider="providerName",
        model="modelName",
        date="testedOn",
        success_rate="successRate",
        avg_tokens="averageTokens",
        avg_cost="averageCost",
        avg_latency_ms="averageLatencyMs",
        notes="note",
    ),
)
MODEL_OVERRIDE = Shape(
    pg("ModelOverride"),
    {
        **_texts(
            system_template_prefix="systemTemplatePrefix",
            system_template_suffix="systemTemplateSuffix",
            system_template="systemTemplate",
        ),
        "parameters": Child(pg("parameters"), "parameters", PARAMETERS),
    },
)
MEDIA_TYPE = Shape(
    pg("MediaType"),
    {
        **_texts(
            max_size_mb="maxSizeMb",
            default_detail="defaultDetail",
            require_caption="requireCaption",
            max_images_per_msg="maxImagesPerMessage",
            max_duration_sec="maxDurationSec",
            require_metadata="requireMetadata",
            max_pages="maxPages",
            extraction_mode="extractionMode",
        ),
        "allowed_formats": Many(pg("allowedFormat")),
        "validation_params": Json(pg("params")),
    },
    open=True,
)
MEDIA_TYPES = Keyed(pg("mediaType"), "types", MEDIA_TYPE)
MEDIA_REFERENCE = Shape(
    pg("MediaReference"),
    _texts(file_path="filePath", url="url", base64="base64", mime_type="mimeType", detail="detail", caption="caption"),
)
PART = Shape(
    pg("ContentPart"),
    {**_texts(type="partType", text="text"), "media": Child(pg("mediaReference"), "media", MEDIA_REFERENCE)},
)
MEDIA_EXAMPLE = Shape(
    pg("MediaExample"),
    {
        "name": Slot(TITLE),
        **_texts(description="description", role="messageRole"),
        "parts": Listed(pg("part"), "parts", PART, ordered=True),
    },
)
MEDIA = Shape(
    pg("Media"),
    {
        "enabled": Slot(pg("enabled")),
        "supported_types": Many(pg("supportedType")),
        "examples": Listed(pg("mediaExample"), "examples", MEDIA_EXAMPLE),
    },
)
PROMPT = Shape(
    pg("Prompt"),
    {
        "id": Slot(pg("ownId")),
        "name": Slot(TITLE),
        "description": Slot(DESCRIPTION),
        "version": Slot(VERSION),
        "system_template": Slot(pg("systemTemplate")),
        "variables": Listed(pg("variable"), "variables", VARIABLE, key="name"),
        "tools": Link(pg("mayUseTool"), "tools", many=True),
        "tool_policy": Child(pg("toolPolicy"), "tool_policy", TOOL_POLICY),
        "pipeline": Child(pg("pipeline"), "pipeline", PIPELINE),
        "parameters": Child(pg("parameters"), "parameters", PARAMETERS),
        "validators": Listed(pg("validator"), "validators", VALIDATOR, ordered=True),
        "evals": Listed(pg("eval"), "evals", EVAL, key="id"),
        "provider": Link(pg("usesProvider"), "providers"),
        "tested_models": Listed(pg("testedModel"), "tested_models", TESTED_MODEL),
        "model_overrides": Keyed(pg("modelOverride"), "model_overrides", MODEL_OVERRIDE),
        "media": MediaTypes(pg("media"), "media", MEDIA),
        "extensions": EXTENSIONS,
    },
)
TOOL = Shape(
    pg("Tool"),
    {
        "name": Slot(pg("ownName")),
        "description": Slot(DESCRIPTION),
        "parameters": Json(pg("parameterSchema")),
        "action_scope": Child(pg("actionScope"), "action_scope", ACTION_SCOPE),
        "extensions": EXTENSIONS,
    },
)
ARTIFACT = Shape(pg("Artifact"), _texts(type="artifactType", description="description", mode="artifactMode"))
STATE = Shape(
    pg("State"),
    {
        "prompt_task": Link(pg("runsPrompt"), "prompts"),
        "on_event": Transitions(pg("transition")),
        **_texts(
            description="description",
            persistence="persistence",
            orchestration="orchestration",
            control="controlledBy",
            skills="skillPath",
            terminal="terminal",
            max_visits="maxVisits",
        ),
        "composition": Link(pg("runsComposition"), "compositions"),
        "on_max_visits": Link(pg("onMaxVisits"), "states"),
        "artifacts": Keyed(pg("artifact"), "artifacts", ARTIFACT),
        "extensions": EXTENSIONS,
    },
)
BUDGET = Shape(
    pg("Budget"),
    _texts(max_total_visits="maxTotalVisits", max_tool_calls="maxToolCalls", max_wall_time_sec="maxWallTimeSec"),
)
ENGINE = Shape("", {"budget": Child(pg("budget"), "budget", BUDGET)}, open=True)
WORKFLOW = Shape(
    pg("Workflow"),
    {
        "version": Slot(VERSION),
        "entry": Link(pg("entryState"), "states"),
        "states": Keyed(pg("state"), "states", STATE),
        "engine": Inline("", ENGINE),
    },
)
AGENT = Shape(
    pg("Agent"),
    {
        "description": Slot(DESCRIPTION),
        "tags": Many(pg("tag")),
        "input_modes": Many(pg("inputMode")),
        "output_modes": Many(pg("outputMode")),
        "state": Link(pg("agentState"), "states"),
        "governance": Governance(pg("governance")),
        "extensions": EXTENSIONS,
    },
)
AGENTS = Keyed(pg("agent"), "agents", AGENT)
REDUCER = Shape(pg("Reducer"), _texts(strategy="strategy", into="into"), open=True)
TERMINATION = Shape(
    pg("Termination"),
    {"max_steps": Slot(pg("maxSteps")), "tool_called": Link(pg("endsWithTool"), "tools")},
    open=True,
)
RETRY = Shape("", _texts(max_attempts="maxAttempts"), open=True)
MODIFIERS = Shape("", {"retry": Inline("", RETRY), "eval": Many(pg("evalReference"))}, open=True)
STEP = Shape(
    pg("Step"),
    {
        "id": Slot(IDENTIFIER),
        "kind": Slot(pg("stepKind")),
        "description": Slot(DESCRIPTION),
        "depends_on": Link(pg("dependsOn"), "steps", many=True),
        "modifiers": Inline("", MODIFIERS),
        "prompt_task": Link(pg("runsPrompt"), "prompts"),
        "provider": Link(pg("usesProvider"), "providers"),
        "input": Free(pg("input")),
        "output_schema": Slot(pg("outputSchema")),
        "tools": Link(pg("mayUseTool"), "tools", many=True),
        "termination": Child(pg("termination"), "termination", TERMINATION),
        "tool": Link(pg("callsTool"), "tools"),
        "args": Json(pg("args")),
        "predicate": Json(pg("predicate")),
        "then": Link(pg("then"), "steps"),
        "else": Link(pg("else"), "steps"),
        "branches": Steps(pg("branch")),
        "reduce": Child(pg("reducer"), "reduce", REDUCER),
    },
    open=True,
)
COMPOSITION = Shape(
    pg("Composition"),
    {
        "version": Slot(VERSION),
        "description": Slot(DESCRIPTION),
        "input_schema": Slot(pg("inputSchema")),
        "output_schema": Slot(pg("outputSchema")),
        "output": Slot(pg("output")),
        "steps": Steps(pg("step")),
        "engine": Json(pg("engine")),
        "extensions": EXTENSIONS,
    },
)
COMPOSITIONS = Keyed(pg("composition"), "compositions", COMPOSITION)
SKILL = Shape(
    pg("Skill"),
    {
        "path": Slot(pg("skillPath")),
        "preload": Slot(pg("preload")),
        "name": Slot(TITLE),
        "description": Slot(DESCRIPTION),
        "instructions": Slot(pg("instructions")),
    },
)
CAPABILITIES = Shape(
    pg("ProviderCapabilities"),
    {
        "modalities": Many(pg("modality")),
        **_texts(
            min_context_tokens="minContextTokens",
            tool_use="toolUse",
            structured_output="structuredOutput",
            embedding_dimensions="embeddingDimensions",
        ),
    },
    open=True,
)
PROVIDER = Shape(
    pg("Provider"),
    {
        "key": Slot(IDENTIFIER),
        **_texts(role="providerRole", required="required", description="description"),
        "capabilities": Child(pg("providerCapabilities"), "capabilities", CAPABILITIES),
    },
)
TEMPLATE_ENGINE = Shape(
    pg("TemplateEngine"),
    {"version": Slot(VERSION), "syntax": Slot(pg("syntax")), "features": Many(pg("feature"))},
)
COST = Shape(
    pg("CostEstimate"),
    _texts(min_cost_usd="minCostUsd", max_cost_usd="maxCostUsd", avg_cost_usd="averageCostUsd"),
    open=True,
)
METADATA = Shape(
    "",
    {
        "domain": Slot(pg("domain")),
        "language": Slot(dct("language")),
        "tags": Many(pg("tag")),
        "cost_estimate": Child(pg("costEstimate"), "metadata/cost_estimate", COST),
        "governance": Governance(pg("governance")),
    },
    open=True,
)
COMPILATION = Shape(
    pg("Compilation"),
    _texts(compiled_with="compiledWith", created_at="createdAt", schema="schema", source="source"),
    open=True,
)
FRAGMENT = Shape(pg("Fragment"), _texts(text="text"))
PACK = Shape(
    pg("PackVersion"),
    {
        "$schema": Slot(pg("schema")),
        "name": Slot(TITLE),
        "version": Slot(VERSION),
        "description": Slot(DESCRIPTION),
        "template_engine": Child(pg("templateEngine"), "template_engine", TEMPLATE_ENGINE),
        "prompts": Keyed(pg("prompt"), "prompts", PROMPT),
        "fragments": Keyed(pg("fragment"), "fragments", FRAGMENT, bare="text"),
        "tools": Keyed(pg("tool"), "tools", TOOL),
        "metadata": Inline("", METADATA),
        "compilation": Child(pg("compilation"), "compilation", COMPILATION),
        "evals": Listed(pg("eval"), "evals", EVAL, key="id"),
        "workflow": Child(pg("workflow"), "workflow", WORKFLOW),
        "agents": Inline("", Shape("", {"entry": Link(pg("entryAgent"), "agents"), "members": Agents(pg("agent"))})),
        "skills": Listed(pg("skill"), "skills", SKILL, bare="path", ordered=True),
        "compositions": Compositions(pg("composition")),
        "requires": Inline(
            "",
            Shape("", {"providers": Listed(pg("providerRequirement"), "providers", PROVIDER, key="key", bare="key")}),
        ),
    },
)
