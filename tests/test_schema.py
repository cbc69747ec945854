"""Each kind of structural fault: one finding, at its place, in words; and the versions of the format."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ppgov import explanation, schema, structure, wording
from ppgov.schema import (
    FORMAT_VERSION,
    FORMAT_VERSIONS,
    SCHEMA_FILE,
    Violation,
    format_version,
    format_violations,
    newer_properties,
    unknown_format,
    violations,
)
from ppgov.structure import Node, all_properties, properties_of
from tests.full_pack import full_pack
from tests.packs import governed, pack, prompt, tool

SHARED = Path(__file__).parents[2] / "shared"
URL = "https://promptpack.org/schema/{}/promptpack.schema.json"


def found(data: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(item.rule, item.pointer, item.message) for item in violations(data)]


def only(data: dict[str, Any]) -> Violation:
    (item,) = violations(data)
    return item


def composed(*steps: Any) -> dict[str, Any]:
    return pack(compositions={"c": {"version": 1, "steps": list(steps)}})


def branching(predicate: Any) -> dict[str, Any]:
    return composed({"id": "b", "kind": "branch", "then": "b", "predicate": predicate})


def reviewed(cadence: Any) -> dict[str, Any]:
    return pack(metadata=governed(reviews=[{"id": "r", "type": "t", "owner": "o", "cadence": cadence}]))


def controlled(*controls: Any) -> dict[str, Any]:
    return pack(metadata=governed(obligations=[{"id": "o", "obligation": "d", "controls": list(controls)}]))


def with_states(**states: Any) -> dict[str, Any]:
    return pack(workflow={"version": 1, "entry": "a", "states": states})


def with_media(**media: Any) -> dict[str, Any]:
    return pack(prompts={"chat": prompt("chat", media={"enabled": True, **media})})


CADENCE = "/metadata/governance/reviews/0/cadence"
AXES = "/metadata/governance/independent_of/axes"
CONTROL = "/metadata/governance/obligations/0/controls/0"
STEP = "/compositions/c/steps/0"

# A broken pack, and the rule, the pointer, the message and the hint (or how it begins) of its one fault.
ONE_FAULT: dict[str, tuple[dict[str, Any], str, str, str, str]] = {
    "missing in a map entry": (
        pack(prompts={"chat": {"id": "chat", "name": "Chat", "version": "1.0.0"}}),
        "PPG110",
        "/prompts/chat",
        "the prompt 'chat' has no 'system_template'",
        "add `system_template`: ",
    ),
    "missing in a list entry": (
        pack(evals=[{"id": "tone", "type": "x"}]),
        "PPG110",
        "/evals/0",
        "the eval 'tone' has no 'trigger'",
        "add `trigger`: ",
    ),
    "missing where nothing names the object": (
        with_media(examples=[{"name": "n", "role": "user", "parts": [{"text": "t"}]}]),
        "PPG110",
        "/prompts/chat/media/examples/0/parts/0",
        "the message part number 1 of the media example 'n' has no 'type'",
        "add `type`: ",
    ),
    "missing in a part of the pack": (
        pack(template_engine={"version": "v1"}),
        "PPG110",
        "/template_engine",
        "the template engine has no 'syntax'",
        "add `syntax`: ",
    ),
    "missing in a part of an object": (
        pack(evals=[{"id": "e", "type": "x", "trigger": "t", "metric": {"type": "gauge"}}]),
        "PPG110",
        "/evals/0/metric",
        "the metric of the eval 'e' has no 'name'",
        "add `name`: ",
    ),
    "missing in an open object, misspelt": (
        branching({"pth": "x", "op": "in", "value": []}),
        "PPG110",
        f"{STEP}/predicate",
        "the comparison of the branch step 'b' has no 'path'",
        "did you mean 'path' by 'pth'?",
    ),
    "missing axes": (
        pack(metadata=governed(independent_of={})),
        "PPG110",
        "/metadata/governance/independent_of",
        "the independence requirement of the governance block has no 'axes'",
        "add `axes`: ",
    ),
    "unknown": (
        pack(metadata=governed(autonomy="x")),
        "PPG111",
        "/metadata/governance/autonomy",
        "the governance block has no property 'autonomy'",
        "did you mean 'autonomy_level'?",
    ),
    "unknown, in an agent's governance": (
        pack(agents={"entry": "chat", "members": {"chat": {"governance": {"reviws": []}}}}),
        "PPG111",
        "/agents/members/chat/governance/reviws",
        "the governance block of the agent 'chat' has no property 'reviws'",
        "did you mean 'reviews'?",
    ),
    "unknown, an old name": (
        pack(metadata=governed(independent_of={"on": ["model"]})),
        "PPG111",
        "/metadata/governance/independent_of/on",
        "the independence requirement of the governance block has no property 'on'",
        "did you mean 'axes'?",
    ),
    "unknown, cut short, for a required property": (
        pack(tools={"look": {"name": "look", "desc": "Looks"}}),
        "PPG111",
        "/tools/look/desc",
        "the tool 'look' has no property 'desc'",
        "did you mean 'description'?",
    ),
    "unknown, at home elsewhere": (
        pack(governance={}),
        "PPG111",
        "/governance",
        "the pack has no property 'governance'",
        "`governance` belongs to the metadata or the agent",
    ),
    "unknown, like nothing": (
        pack(template_engine={"version": "v1", "syntax": "s", "zzz": 1}),
        "PPG111",
        "/template_engine/zzz",
        "the template engine has no property 'zzz'",
        "known here: version, syntax, features",
    ),
    "unknown, where extensions are": (
        pack(tools={"look": tool("look", zzz=1)}),
        "PPG111",
        "/tools/look/zzz",
        "the tool 'look' has no property 'zzz'",
        "known here: name, description, parameters, action_scope, extensions; keys of your own go under `extensions`",
    ),
    "unknown, with a pointer to escape": (
        pack(tools={"a/~b": tool("look", **{"x/~y": 1})}),
        "PPG111",
        "/tools/a~1~0b/x~1~0y",
        "the tool 'a/~b' has no property 'x/~y'",
        "known here: ",
    ),
    "a number for a string": (
        pack(version=1.1),
        "PPG112",
        "/version",
        "'version': expected a string, found a number (1.1)",
        "write a semantic version of three numbers, such as 1.2.0, between quotes",
    ),
    "a boolean for a string": (
        pack(fragments={"no": False}),
        "PPG112",
        "/fragments/no",
        "'no' of 'fragments': expected a string, found false",
        "quote it",
    ),
    "null for a mapping": (
        pack(prompts={"chat": None}),
        "PPG112",
        "/prompts/chat",
        "'chat' of 'prompts': expected a mapping, found null",
        "write a value or remove the key",
    ),
    "a list for a mapping": (
        pack(tools=[]),
        "PPG112",
        "/tools",
        "'tools': expected a mapping, found a list",
        "write a mapping, as in {name: value}",
    ),
    "a string for a list": (
        pack(metadata={"tags": "x"}),
        "PPG112",
        "/metadata/tags",
        "'tags' of the metadata: expected a list, found a string ('x')",
        "write a list, as in ['x']",
    ),
    "a mapping for a list": (
        pack(evals={}),
        "PPG112",
        "/evals",
        "'evals': expected a list, found a mapping",
        "write a list, as in [a, b]",
    ),
    "a mapping for a string": (
        pack(description={}),
        "PPG112",
        "/description",
        "'description': expected a string, found a mapping",
        "write one text",
    ),
    "a string for a boolean": (
        pack(metadata=governed(requires_ai_disclosure="yes")),
        "PPG112",
        "/metadata/governance/requires_ai_disclosure",
        "'requires_ai_disclosure' of the governance block: expected true or false, found a string ('yes')",
        "write true or false, without quotes",
    ),
    "a quoted number": (
        pack(prompts={"chat": prompt("chat", parameters={"top_p": "0.5"})}),
        "PPG112",
        "/prompts/chat/parameters/top_p",
        "'top_p' of the parameters of the prompt 'chat': expected a number, found a string ('0.5')",
        "remove the quotes",
    ),
    "no number": (
        pack(prompts={"chat": prompt("chat", parameters={"top_p": []})}),
        "PPG112",
        "/prompts/chat/parameters/top_p",
        "'top_p' of the parameters of the prompt 'chat': expected a number, found a list",
        "write a number",
    ),
    "a fraction": (
        pack(prompts={"chat": prompt("chat", parameters={"top_k": 1.5})}),
        "PPG112",
        "/prompts/chat/parameters/top_k",
        "'top_k' of the parameters of the prompt 'chat': expected a whole number or null, found a number (1.5)",
        "write a whole number",
    ),
    "a vocabulary that is no string": (
        pack(metadata=governed(vocabularies={"acme": 1})),
        "PPG112",
        "/metadata/governance/vocabularies/acme",
        "'acme' of 'vocabularies' of the governance block: expected a string, found a number (1)",
        "quote it",
    ),
    "an item of the wrong type": (
        pack(prompts={"chat": prompt("chat", tools=["a", 2])}),
        "PPG112",
        "/prompts/chat/tools/1",
        "item 2 of 'tools' of the prompt 'chat': expected a string, found a number (2)",
        "quote it",
    ),
    "neither of two types": (
        pack(requires={"providers": [3]}),
        "PPG112",
        "/requires/providers/0",
        "item 1 of 'providers' of the requires block: expected a string or a mapping, found a number (3)",
        "quote it",
    ),
    "a skill of the wrong type": (
        pack(skills=[5]),
        "PPG112",
        "/skills/0",
        "item 1 of 'skills': expected a string or a mapping, found a number (5)",
        "quote it",
    ),
    "a control that is no mapping": (
        controlled("eval"),
        "PPG112",
        CONTROL,
        "item 1 of 'controls' of the obligation 'o': expected a mapping, found a string ('eval')",
        "write a mapping",
    ),
    "a control's value": (
        controlled({"eval": 3}),
        "PPG112",
        f"{CONTROL}/eval",
        "'eval' of the control number 1 of the obligation 'o': expected a string, found a number (3)",
        "quote it",
    ),
    "a step that is no mapping": (
        composed(7),
        "PPG112",
        STEP,
        "item 1 of 'steps' of the composition 'c': expected a mapping, found a number (7)",
        "write a mapping",
    ),
    "a state that is no mapping": (
        with_states(a=3),
        "PPG112",
        "/workflow/states/a",
        "'a' of 'states' of the workflow: expected a mapping, found a number (3)",
        "write a mapping",
    ),
    "a termination that is no mapping": (
        composed({"id": "s", "kind": "agent", "prompt_task": "chat", "termination": 5}),
        "PPG112",
        f"{STEP}/termination",
        "'termination' of the agent step 's': expected a mapping, found a number (5)",
        "write a mapping",
    ),
    "a predicate that is no mapping": (
        branching("x"),
        "PPG112",
        f"{STEP}/predicate",
        "'predicate' of the branch step 'b': expected a mapping, found a string ('x')",
        "write a mapping",
    ),
    "not in the list": (
        pack(metadata=governed(autonomy_level="autonomous")),
        "PPG113",
        "/metadata/governance/autonomy_level",
        "'autonomy_level' of the governance block: 'autonomous' is not one of "
        "suggests, acts_with_approval, acts_with_oversight, acts_autonomously",
        "did you mean 'acts_autonomously'?",
    ),
    "like nothing in the list": (
        pack(metadata=governed(independent_of={"axes": ["model"], "enforcement": "hard"})),
        "PPG113",
        "/metadata/governance/independent_of/enforcement",
        "'enforcement' of the independence requirement of the governance block: 'hard' is not one of strict, advisory",
        "use one of these",
    ),
    "not the only value": (
        pack(compositions={"c": {"version": 2, "steps": [{"id": "a", "kind": "tool", "tool": "t"}]}}),
        "PPG113",
        "/compositions/c/version",
        "'version' of the composition 'c': a number (2) is not 1",
        "write 1",
    ),
    "a mode that does not exist": (
        with_states(a={"orchestration": "compositon", "composition": "c"}),
        "PPG113",
        "/workflow/states/a/orchestration",
        "'orchestration' of the workflow state 'a': 'compositon' is not one of internal, external, hybrid, composition",
        "did you mean 'composition'?",
    ),
    "an id in another form": (
        pack(id="My Pack"),
        "PPG114",
        "/id",
        "'id': expected lower-case letters, digits and hyphens, starting with a letter, found 'My Pack'",
        "for example 'my-pack'",
    ),
    "an id with a line break": (
        pack(id="desk\n"),
        "PPG114",
        "/id",
        "'id': expected lower-case letters, digits and hyphens, starting with a letter, found 'desk\\n'",
        "remove the line break at the end",
    ),
    "a version of two numbers": (
        pack(version="1.0"),
        "PPG114",
        "/version",
        "'version': expected a semantic version of three numbers, such as 1.2.0, found '1.0'",
        "for example '1.0.0'",
    ),
    "a language with its country": (
        pack(metadata={"language": "en-GB"}),
        "PPG114",
        "/metadata/language",
        "'language' of the metadata: expected a language code of two lower-case letters, such as en, found 'en-GB'",
        "for example 'en'",
    ),
    "a name that cannot be mended": (
        pack(tools={"x": tool("9")}),
        "PPG114",
        "/tools/x/name",
        "'name' of the tool 'x': expected letters, digits and underscores, not starting with a digit, found '9'",
        "write letters, digits and underscores, not starting with a digit",
    ),
    "a long text that nobody mends": (
        pack(tools={"x": tool("look here " * 20)}),
        "PPG114",
        "/tools/x/name",
        "'name' of the tool 'x': expected letters, digits and underscores, not starting with a digit, found "
        "'look here look here look here look here look here look here…'",
        "write letters",
    ),
    "an empty text": (pack(name=""), "PPG115", "/name", "'name' is empty", "write a text"),
    "an empty id breaks one rule, not two": (pack(id=""), "PPG115", "/id", "'id' is empty", "write a text"),
    "a long text": (
        pack(name="x" * 201),
        "PPG115",
        "/name",
        "'name' has 201 characters, but at most 200 are allowed",
        "shorten it to 200",
    ),
    "an empty map": (pack(prompts={}), "PPG115", "/prompts", "'prompts' is empty", "add an entry"),
    "an empty list": (
        controlled(),
        "PPG115",
        "/metadata/governance/obligations/0/controls",
        "'controls' of the obligation 'o' is empty",
        "add an entry",
    ),
    "a number too large": (
        pack(evals=[{"id": "e", "type": "x", "trigger": "t", "sample_percentage": 250}]),
        "PPG115",
        "/evals/0/sample_percentage",
        "'sample_percentage' of the eval 'e' is 250, above the maximum of 100",
        "write a number of at most 100",
    ),
    "a number too small": (
        with_states(a={"prompt_task": "chat", "max_visits": 0}),
        "PPG115",
        "/workflow/states/a/max_visits",
        "'max_visits' of the workflow state 'a' is 0, below the minimum of 1",
        "write a number of at least 1",
    ),
    "a number too long to print": (
        pack(evals=[{"id": "e", "type": "x", "trigger": "t", "sample_percentage": 10**400}]),
        "PPG115",
        "/evals/0/sample_percentage",
        "'sample_percentage' of the eval 'e' is a very long number, above the maximum of 100",
        "write a number of at most 100",
    ),
    "no form of a skill": (
        pack(skills=[{"preload": True}]),
        "PPG116",
        "/skills/0",
        "item 1 of 'skills' has none of the possible forms: a path; a mapping with path; "
        "a mapping with name, description and instructions",
        "complete one of these forms",
    ),
    "a misspelt form of a skill": (
        pack(skills=[{"pth": "x"}]),
        "PPG116",
        "/skills/0",
        "item 1 of 'skills' has none of the possible forms: a path; a mapping with path; "
        "a mapping with name, description and instructions",
        "did you mean 'path' by 'pth'?",
    ),
    "a skill of the path form": (
        pack(skills=[{"path": "x", "name": "y"}]),
        "PPG111",
        "/skills/0/name",
        "the skill 'y' has no property 'name'",
        "known here: path, preload",
    ),
    "a skill of the inline form": (
        pack(skills=[{"name": "x", "description": "d"}]),
        "PPG110",
        "/skills/0",
        "the skill 'x' has no 'instructions'",
        "add `instructions`: ",
    ),
    "a provider's mapping": (
        pack(requires={"providers": [{"key": "a"}]}),
        "PPG110",
        "/requires/providers/0",
        "the provider requirement 'a' has no 'role'",
        "add `role`: ",
    ),
    "no form of a predicate": (
        branching({"path": "x"}),
        "PPG116",
        f"{STEP}/predicate",
        "'predicate' of the branch step 'b' has none of the possible forms: "
        "path, op and value; path and exists; all_of; any_of; not",
        "complete one of these forms",
    ),
    "two forms of a predicate": (
        branching({"path": "x", "op": "in", "value": [], "exists": True}),
        "PPG116",
        f"{STEP}/predicate",
        "'predicate' of the branch step 'b' mixes a comparison and a test for presence",
        "write one of them",
    ),
    "two broken forms of a predicate": (
        branching({"all_of": 3, "any_of": 3}),
        "PPG116",
        f"{STEP}/predicate",
        "'predicate' of the branch step 'b' mixes an all_of condition and an any_of condition",
        "write one of them",
    ),
    "deep in a predicate": (
        branching({"not": {"any_of": [{"path": "x", "exists": "yes"}]}}),
        "PPG112",
        f"{STEP}/predicate/not/any_of/0/exists",
        "'exists' of the test for presence 'x': expected true or false, found a string ('yes')",
        "write true or false",
    ),
    "a custom media type that fits a built-in one": (
        with_media(scan={"max_size_mb": 1}),
        "PPG116",
        "/prompts/chat/media/scan",
        "'scan' of the media configuration of the prompt 'chat' reads as a custom media type "
        "and as the image configuration at once",
        "add what only this media type has",
    ),
    "a broken custom media type": (
        with_media(scan={"max_size_mb": 0}),
        "PPG115",
        "/prompts/chat/media/scan/max_size_mb",
        "'max_size_mb' of the media type 'scan' is 0, below the minimum of 1",
        "write a number of at least 1",
    ),
    "a property of another medium": (
        with_media(image={"max_pages": 3}),
        "PPG111",
        "/prompts/chat/media/image/max_pages",
        "the image configuration of the media configuration of the prompt 'chat' has no property 'max_pages'",
        "`max_pages` belongs to the document configuration",
    ),
    "a state in composition mode without one": (
        with_states(a={"orchestration": "composition"}),
        "PPG209",
        "/workflow/states/a",
        "the workflow state 'a' has no 'composition'",
        "add `composition`: ",
    ),
    "a state without a prompt": (
        with_states(a={}),
        "PPG209",
        "/workflow/states/a",
        "the workflow state 'a' has no 'prompt_task'",
        "add `prompt_task`: ",
    ),
    "a state with a composition but without the mode": (
        with_states(a={"composition": "c"}),
        "PPG209",
        "/workflow/states/a",
        "the workflow state 'a' has no 'prompt_task'",
        "add `orchestration: composition`",
    ),
    "a state with a misspelt prompt": (
        with_states(a={"promt_task": "chat"}),
        "PPG111",
        "/workflow/states/a/promt_task",
        "the workflow state 'a' has no property 'promt_task'",
        "did you mean 'prompt_task'?",
    ),
    "an agent step without termination": (
        composed({"id": "plan", "kind": "agent", "prompt_task": "chat"}),
        "PPG213",
        STEP,
        "the agent step 'plan' has no 'termination'",
        "add `termination`: ",
    ),
    "an empty termination": (
        composed({"id": "plan", "kind": "agent", "prompt_task": "chat", "termination": {}}),
        "PPG213",
        f"{STEP}/termination",
        "'termination' of the agent step 'plan' has neither max_steps nor tool_called",
        "add max_steps or tool_called",
    ),
    "a misspelt termination": (
        composed({"id": "plan", "kind": "agent", "prompt_task": "chat", "termination": {"max_step": 3}}),
        "PPG213",
        f"{STEP}/termination",
        "'termination' of the agent step 'plan' has neither max_steps nor tool_called",
        "did you mean 'max_steps'?",
    ),
    "a termination that never comes": (
        composed({"id": "plan", "kind": "agent", "prompt_task": "chat", "termination": {"max_steps": 0}}),
        "PPG115",
        f"{STEP}/termination/max_steps",
        "'max_steps' of the termination of the agent step 'plan' is 0, below the minimum of 1",
        "write a number",
    ),
    "a parallel step with one branch": (
        composed(
            {
                "id": "p",
                "kind": "parallel",
                "branches": [{"id": "q", "kind": "tool", "tool": "t"}],
                "reduce": {"strategy": "a", "into": "b"},
            }
        ),
        "PPG214",
        f"{STEP}/branches",
        "'branches' of the parallel step 'p' has 1 entry, but needs at least 2",
        "add entries until there are 2",
    ),
    "a parallel step without branches": (
        composed({"id": "p", "kind": "parallel", "reduce": {"strategy": "a", "into": "b"}}),
        "PPG214",
        STEP,
        "the parallel step 'p' has no 'branches'",
        "add `branches`: ",
    ),
    "half a reducer": (
        composed(
            {
                "id": "p",
                "kind": "parallel",
                "branches": [{"id": i, "kind": "tool", "tool": "t"} for i in "ab"],
                "reduce": {"into": "b"},
            }
        ),
        "PPG214",
        f"{STEP}/reduce",
        "the reducer of the parallel step 'p' has no 'strategy'",
        "add `strategy`: ",
    ),
    "within a branch": (
        composed(
            {
                "id": "p",
                "kind": "parallel",
                "branches": [{"id": i, "kind": "tool"} if i == "b" else {"id": i, "kind": "a.x"} for i in "ab"],
                "reduce": {"into": "b", "strategy": "c"},
            }
        ),
        "PPG110",
        f"{STEP}/branches/1",
        "the tool step 'b' has no 'tool'",
        "add `tool`: ",
    ),
    "a misspelt step kind": (
        composed({"id": "x", "kind": "paralel"}),
        "PPG216",
        f"{STEP}/kind",
        "'paralel' is no kind of step",
        "did you mean 'parallel'?",
    ),
    "a step kind without a vendor": (
        composed({"id": "x", "kind": "judge"}),
        "PPG216",
        f"{STEP}/kind",
        "'judge' is no kind of step",
        "use prompt, agent, tool, branch, parallel, or a vendor's own kind, as in vendor.kind",
    ),
    "a step kind that is no string": (
        composed({"id": "x", "kind": 3}),
        "PPG216",
        f"{STEP}/kind",
        "'kind' of the step 'x': expected a string, found a number (3)",
        "quote it",
    ),
    "a step without a kind": (
        composed({"id": "x"}),
        "PPG110",
        STEP,
        "the step 'x' has no 'kind'",
        "add `kind`: ",
    ),
    "a step without an id": (
        composed({"kind": "tool", "tool": "t"}),
        "PPG110",
        STEP,
        "the tool step number 1 of the composition 'c' has no 'id'",
        "add `id`: ",
    ),
    "a control of no kind": (
        controlled({}),
        "PPG405",
        CONTROL,
        "item 1 of 'controls' of the obligation 'o' names none of field, validator, eval, external",
        "name one of field, validator, eval, external",
    ),
    "a control of a misspelt kind": (
        controlled({"evall": "x"}),
        "PPG405",
        CONTROL,
        "item 1 of 'controls' of the obligation 'o' names none of field, validator, eval, external",
        "did you mean 'eval'?",
    ),
    "a control of two kinds": (
        controlled({"eval": 1, "field": "b", "zzz": 2}),
        "PPG405",
        CONTROL,
        "item 1 of 'controls' of the obligation 'o' names field and eval at once",
        "write one control for each",
    ),
    "a control with one key too many": (
        controlled({"eval": "a", "zzz": 1}),
        "PPG111",
        f"{CONTROL}/zzz",
        "the control number 1 of the obligation 'o' has no property 'zzz'",
        "known here: field",
    ),
    "no axis": (
        pack(metadata=governed(independent_of={"axes": []})),
        "PPG501",
        AXES,
        "'axes' of the independence requirement of the governance block is empty",
        "add an entry",
    ),
    "an axis twice": (
        pack(metadata=governed(independent_of={"axes": ["model", "tools", "model"]})),
        "PPG501",
        f"{AXES}/2",
        "item 3 of 'axes' of the independence requirement of the governance block repeats 'model'",
        "remove one of the two",
    ),
    "an unknown axis": (
        pack(metadata=governed(independent_of={"axes": ["models"]})),
        "PPG501",
        f"{AXES}/0",
        "item 1 of 'axes' of the independence requirement of the governance block: 'models' is not one of "
        "model, provider, tools, prompts, accountable_owner",
        "did you mean 'model'?",
    ),
    "an axis that is no text": (
        pack(metadata=governed(independent_of={"axes": [{}]})),
        "PPG501",
        f"{AXES}/0",
        "item 1 of 'axes' of the independence requirement of the governance block: a mapping is not one of "
        "model, provider, tools, prompts, accountable_owner",
        "use one of these",
    ),
    "axes that are no list": (
        pack(metadata=governed(independent_of={"axes": "model"})),
        "PPG501",
        AXES,
        "'axes' of the independence requirement of the governance block: expected a list, found a string ('model')",
        "write a list, as in ['model']",
    ),
    "a rhythm in words": (
        reviewed("quarterly"),
        "PPG601",
        CADENCE,
        "'cadence' of the review 'r': expected an ISO 8601 duration, such as P3M, P1Y or P2W, found 'quarterly'",
        "for example 'P3M'",
    ),
    "a rhythm without its P": (
        reviewed("12m"),
        "PPG601",
        CADENCE,
        "'cadence' of the review 'r': expected an ISO 8601 duration, such as P3M, P1Y or P2W, found '12m'",
        "for example 'P12M'",
    ),
    "an empty duration": (
        reviewed("PT"),
        "PPG601",
        CADENCE,
        "'cadence' of the review 'r': expected an ISO 8601 duration, such as P3M, P1Y or P2W, found 'PT'",
        "write an ISO 8601 duration, such as P3M, P1Y or P2W",
    ),
    "a duration in other digits": (
        reviewed("P٣M"),
        "PPG601",
        CADENCE,
        "'cadence' of the review 'r': expected an ISO 8601 duration, such as P3M, P1Y or P2W, found 'P٣M'",
        "write an ISO 8601",
    ),
    "a rhythm that is a number": (
        reviewed(3),
        "PPG601",
        CADENCE,
        "'cadence' of the review 'r': expected a string, found a number (3)",
        "write an ISO 8601 duration, such as P3M, P1Y or P2W, between quotes",
    ),
}


@pytest.mark.parametrize("case", ONE_FAULT)
def test_one_fault_is_one_violation(case: str) -> None:
    data, rule, pointer, message, hint = ONE_FAULT[case]
    item = only(data)
    assert (item.rule, item.pointer, item.message) == (rule, pointer, message)
    assert item.hint.startswith(hint)


UNREAD = {
    "a number for a string",
    "null for a mapping",
    "a list for a mapping",
    "a mapping for a list",
    "a string for a list",
    "neither of two types",
    "no form of a skill",
    "two forms of a predicate",
    "axes that are no list",
    "a rhythm that is a number",
    "a step kind that is no string",
}
READ = {
    "missing in a map entry",
    "unknown",
    "a mapping for a string",
    "a string for a boolean",
    "a fraction",
    "not in the list",
    "an id in another form",
    "an empty list",
    "a control of two kinds",
    "a misspelt step kind",
}


@pytest.mark.parametrize("case", sorted(UNREAD | READ))
def test_a_value_of_the_wrong_type_goes_unread(case: str) -> None:
    assert only(ONE_FAULT[case][0]).unread is (case in UNREAD)


def test_a_valid_pack_has_no_violations() -> None:
    assert violations(pack()) == ()
    assert violations(full_pack()) == ()


def test_one_fault_in_a_full_pack_is_one_violation() -> None:
    data = full_pack() | {"name": ""}
    data["workflow"]["version"] = 1.0
    data["compositions"]["answer"]["steps"][3]["predicate"] = {"all_of": [], "any_of": 3}
    assert [item.pointer for item in violations(data)] == ["/name"]


def test_all_missing_properties_are_reported_at_the_object() -> None:
    names = ("id", "name", "version", "template_engine", "prompts")
    assert found({}) == [("PPG110", "", f"the pack has no '{name}'") for name in names]


def test_independent_faults_are_all_reported_in_document_order() -> None:
    data = pack(version=1.1, tools={"look": tool("look", zzz=1)}, metadata={"language": "EN"}, fragments={"a": 1})
    assert [(rule, pointer) for rule, pointer, _ in found(data)] == [
        ("PPG112", "/version"),
        ("PPG111", "/tools/look/zzz"),
        ("PPG114", "/metadata/language"),
        ("PPG112", "/fragments/a"),
    ]


def test_a_property_that_is_present_is_not_merged_with_its_misspelling() -> None:
    data = pack(metadata=governed(independent_of={"axes": ["model"], "on": ["model"]}))
    assert found(data) == [
        (
            "PPG111",
            "/metadata/governance/independent_of/on",
            "the independence requirement of the governance block has no property 'on'",
        )
    ]


@pytest.mark.parametrize("number", [1.0, 10**30, 1e300, 2**53])
def test_whole_numbers_of_any_size_are_whole_numbers(number: float) -> None:
    assert violations(pack(workflow={"version": number, "entry": "a", "states": {"a": {"prompt_task": "chat"}}})) == ()


def test_true_is_no_number() -> None:
    data = pack(workflow={"version": True, "entry": "a", "states": {"a": {"prompt_task": "chat"}}})
    assert only(data).message == "'version' of the workflow: expected a whole number, found true"


@pytest.mark.parametrize(
    "form", [{"all_of": [], "path": "x", "op": 1, "value": 2}, {"not": {"path": "x", "exists": True}, "all_of": 3}]
)
def test_a_predicate_with_one_whole_form_is_valid(form: dict[str, Any]) -> None:
    assert violations(branching(form)) == ()


def test_a_custom_media_type_with_a_property_of_its_own_is_valid() -> None:
    assert violations(with_media(scan={"max_size_mb": 1, "dpi": 300})) == ()


# Text that jsonschema-rs cannot read


def test_half_of_a_surrogate_pair_counts_as_a_character() -> None:
    assert violations(pack(metadata={"a\ud800": "b\udc00"})) == ()
    assert violations(pack(metadata={"a": ["\ud800", {"\udfff": None}], "\ud83d\ude00": 1.5, "c": True})) == ()


def test_a_surrogate_in_a_key_stays_in_the_pointer() -> None:
    item = only(pack(tools={"\ud800": tool("look", zzz=1)}))
    assert item.pointer == "/tools/\ud800/zzz"
    assert item.message == "the tool '\\ud800' has no property 'zzz'"


def test_a_surrogate_breaks_a_pattern() -> None:
    assert only(pack(id="a\ud800")).rule == "PPG114"


# The validator decides


def test_what_only_the_validator_refuses_is_reported_in_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explanation, "explain", lambda data: ())
    item = only(pack(tools={"a/b": tool("9")}))
    assert (item.rule, item.pointer, item.unread) == ("PPG116", "/tools/a~1b/name", True)
    assert item.message.startswith('"9" does not match')


def test_a_number_beyond_printing_does_not_crash() -> None:
    data = pack(evals=[{"id": "e", "type": "x", "trigger": "t", "threshold": {"value": 10**5000}}])
    assert [item.pointer for item in violations(data)] == ["/evals/0/threshold/value"]


# Hostile packs


def nested(depth: int, leaves: int) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = [{"id": "l", "kind": "prompt", "prompt_task": 3} for _ in range(leaves)]
    for level in range(depth):
        reduce = {"strategy": "append", "into": "all"}
        steps = [
            {"id": f"p{level}", "kind": "parallel", "branches": steps, "reduce": reduce},
            {"id": "q", "kind": "a.b"},
        ]
    return steps


def test_faults_deep_in_nested_steps_are_found_once() -> None:
    items = violations(composed(*nested(44, 20)))
    assert len({item.pointer for item in items}) == len(items) == 20
    assert items[0].pointer == "/compositions/c/steps/0" + "/branches/0" * 44 + "/prompt_task"


def test_many_faults_are_all_reported() -> None:
    data = pack(evals=[{"id": "a", "type": "b", "trigger": 5, f"unknown{index}": 1} for index in range(2000)])
    assert len(violations(data)) == 4000


def test_suggestions_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explanation, "_GUESSES", 1)
    first, second = violations(pack(metadata=governed(reviws=[], obligatons=[])))
    assert first.hint == "did you mean 'reviews'?"
    assert second.hint.startswith("known here: ")


def test_the_text_of_all_faults_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explanation, "MAX_TEXT", 200)
    items = violations(pack(fragments={f"f{index}": index for index in range(9)}))
    assert [item.rule for item in items] == ["PPG112", "PPG106"]
    assert (items[-1].pointer, items[-1].message) == ("", "the pack has more structural problems than can be listed")


def test_the_limit_holds_inside_a_form_that_is_only_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explanation, "MAX_TEXT", 150)
    items = violations(branching({"path": 1, "op": 2, "value": 3, "exists": 4}) | {"version": 1})
    assert [item.rule for item in items] == ["PPG112", "PPG106"]


def test_the_deepest_predicate_is_walked() -> None:
    predicate: dict[str, Any] = {"path": "x"}
    for _ in range(94):
        predicate = {"not": predicate, "all_of": 3}
    assert [item.pointer for item in violations(branching(predicate))] == [f"{STEP}/predicate"]


def test_a_very_long_text_has_no_form() -> None:
    assert wording.matches(r"^[a-z]+$".replace("+", "*"), "a" * 100_000)
    assert only(pack(version="1.0.0-" + "0a." * 50_000 + "!")).rule == "PPG114"


# The versions of the format


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("latest", "latest"),
        ("v1", "1"),
        ("v1.2", "1.2"),
        ("v1.3.1", "1.3.1"),
        ("v1.9.0", "1.9.0"),
        ("v1.9", "1.9"),
        ("v1.9.1", None),
        ("v1.10", None),
        ("v2.0", None),
        ("v0.9", None),
        ("v1.2.7", None),
        ("1.2", None),
        ("v1.2.3.4", None),
        ("v", None),
    ],
)
def test_the_version_that_a_pack_names(name: str, version: str | None) -> None:
    data = pack(**{"$schema": URL.format(name)})
    assert format_version(data) == version
    assert [item.rule for item in unknown_format(data)] == ([] if version else ["PPG120"])


def test_a_pack_that_names_no_version_says_nothing_wrong() -> None:
    assert format_version(pack()) is None
    assert format_violations(pack()) == ()
    assert format_violations(pack(**{"$schema": 3})) == ()


def test_an_unknown_format_is_named() -> None:
    (item,) = format_violations(pack(**{"$schema": "https://acme.example/pack.json"}))
    assert (item.rule, item.pointer) == ("PPG120", "/$schema")
    assert item.message == (
        "'https://acme.example/pack.json' names no PromptPack format version; the pack was checked as format 1.9.0"
    )
    assert item.hint == f"name {URL.format('v1.9.0')}, or leave $schema out"
    (item,) = format_violations(pack(**{"$schema": URL.format("v2.1")}))
    assert item.message == "format version 2.1 is not known; the pack was checked as format 1.9.0"


def test_the_current_version_and_latest_know_everything() -> None:
    for name in ("latest", "v1", "v1.9", "v1.9.0"):
        assert format_violations(full_pack() | {"$schema": URL.format(name)}) == ()


NEWER = {
    "1.0": {
        "/prompts/chat/evals",
        "/prompts/chat/media",
        "/prompts/chat/provider",
        "/prompts/chat/extensions",
        "/prompts/chat/validators/0/id",
        "/prompts/chat/validators/0/extensions",
        "/tools/look/action_scope",
        "/tools/look/extensions",
        "/metadata/governance",
        "/evals",
        "/workflow",
        "/agents",
        "/skills",
        "/compositions",
        "/requires",
    },
    "1.3.0": {
        "/prompts/chat/provider",
        "/prompts/chat/extensions",
        "/prompts/chat/evals/0/extensions",
        "/prompts/chat/validators/0/id",
        "/prompts/chat/validators/0/extensions",
        "/tools/look/action_scope",
        "/tools/look/extensions",
        "/metadata/governance",
        "/evals/0/extensions",
        "/skills",
        "/compositions",
        "/requires",
        "/workflow/states/open/control",
        "/workflow/states/open/skills",
        "/workflow/states/open/terminal",
        "/workflow/states/open/max_visits",
        "/workflow/states/open/on_max_visits",
        "/workflow/states/open/artifacts",
        "/workflow/states/open/extensions",
        "/workflow/states/closed/composition",
        "/workflow/states/closed/terminal",
        "/workflow/engine/budget",
        "/agents/members/chat/state",
        "/agents/members/chat/governance",
        "/agents/members/chat/extensions",
    },
    "1.7": {
        "/prompts/chat/provider",
        "/prompts/chat/extensions",
        "/prompts/chat/evals/0/extensions",
        "/prompts/chat/validators/0/id",
        "/prompts/chat/validators/0/extensions",
        "/evals/0/extensions",
        "/metadata/governance/independent_of",
        "/metadata/governance/obligations",
        "/metadata/governance/reviews",
        "/workflow/states/open/extensions",
        "/agents/members/chat/extensions",
        "/compositions/answer/extensions",
        "/compositions/answer/steps/0/provider",
        "/compositions/answer/steps/1/provider",
    },
    "1.8.0": {
        "/prompts/chat/provider",
        "/compositions/answer/steps/0/provider",
        "/compositions/answer/steps/1/provider",
        "/metadata/governance/independent_of/axes",
    },
    "1.8": {
        "/prompts/chat/provider",
        "/compositions/answer/steps/0/provider",
        "/compositions/answer/steps/1/provider",
    },
}


@pytest.mark.parametrize("version", NEWER)
def test_properties_newer_than_the_named_version(version: str) -> None:
    items = format_violations(full_pack() | {"$schema": URL.format(f"v{version}")})
    assert {item.rule for item in items} == {"PPG121"}
    assert {item.pointer for item in items} == NEWER[version]
    assert len(items) == len(NEWER[version])


def test_a_newer_property_names_both_versions() -> None:
    (item,) = newer_properties(pack(skills=["a"]), "1.3.0")
    assert item.message == "'skills' came with format 1.3.1, but $schema names 1.3.0"
    assert item.hint == f"name {URL.format('v1.3.1')} or a later one"
    assert newer_properties(pack(skills=["a"]), "1.3") == ()


def test_the_text_of_newer_properties_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "MAX_TEXT", 15)
    first, last = newer_properties(pack(skills=["a"], workflow={}, evals=[]), "1.1")
    assert (first.pointer, last.rule, last.pointer) == ("/skills", "PPG121", "/$schema")
    assert last.message == "more properties are newer than format 1.1 than can be listed"


def test_newer_properties_of_a_broken_pack() -> None:
    step = {"id": "s", "kind": "prompt", "provider": "p"}
    data = pack(
        prompts=[3], compositions={"c": {"steps": [step, 5, {"kind": "tool", "provider": "p"}]}, "d": 4}, agents=None
    )
    assert [item.pointer for item in newer_properties(data, "1.5.0")] == ["/compositions/c/steps/0/provider"]


# The bundled schema


def bare(node: Any, *, inside: str = "") -> Any:
    """A schema without its descriptions and annotations; `properties` and `$defs` hold names, not keywords."""
    if isinstance(node, list):
        return [bare(entry) for entry in node]
    if not isinstance(node, dict):
        return node
    named = inside in ("properties", "$defs")
    left_out = () if named else ("description", "x-since", "title", "$id")
    return {key: bare(value, inside="" if named else key) for key, value in node.items() if key not in left_out}


@pytest.mark.skipif(not SHARED.is_dir(), reason="the specification is not beside this checkout")
def test_the_bundled_schema_has_the_structure_of_the_specification() -> None:
    given = json.loads((SHARED / "spec" / "promptpack-1.9.0.structure.schema.json").read_text())
    assert bare(json.loads(structure.schema_text())) == bare(given)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the packs are not beside this checkout")
def test_real_packs_fit_the_format() -> None:
    paths = sorted((SHARED / "packs" / "promptkit").glob("*.json"))
    assert len(paths) == 26
    for path in paths:
        data = json.loads(path.read_text())
        assert violations(data) == (), path.name
        assert unknown_format(data) == (), path.name


def test_the_bundled_schema_is_a_schema() -> None:
    from jsonschema import Draft202012Validator

    Draft202012Validator.check_schema(json.loads(structure.schema_text()))


def test_every_property_has_its_line_and_its_version() -> None:
    facts = all_properties()
    assert len(facts) == 311
    for fact in facts:
        assert fact.description.endswith((".", "/")) and len(fact.description) <= 110, fact
        assert f"{fact.since}.0"[:5] in FORMAT_VERSIONS or fact.since in FORMAT_VERSIONS, fact
    assert len({(fact.owner, fact.name) for fact in facts}) == len(facts)


def test_properties_of_an_object() -> None:
    facts = {fact.name: fact for fact in properties_of("Review")}
    assert list(facts) == ["id", "type", "cadence", "owner", "satisfies", "eval", "extensions"]
    assert (facts["cadence"].type, facts["cadence"].required, facts["cadence"].since) == ("string", True, "1.8.0")
    assert (facts["satisfies"].type, facts["satisfies"].required) == ("list of string", False)
    types = {fact.name: fact.type for fact in properties_of("")}
    assert types["prompts"] == "map of Prompt"
    assert types["evals"] == "list of Eval"
    assert types["workflow"] == "WorkflowConfig"
    assert {fact.type for fact in properties_of("ActionScope")} >= {"one of read, write, external", "object"}
    assert {fact.name: fact.type for fact in properties_of("Parameters")}["top_k"] == "integer or null"
    assert {fact.name: fact.type for fact in properties_of("Variable")}["default"] == "any"
    assert {fact.name: fact.type for fact in properties_of("Variable.validation")}["enum"] == "list"
    assert properties_of("Nothing") == ()


def nodes(node: Node) -> list[Node]:
    inner = [*(item.node for item in (node.properties or {}).values()), node.rest, node.items, *node.forms]
    return [node, *(found for part in inner if part is not None for found in nodes(part))]


def test_every_pattern_and_every_closed_object_has_its_words() -> None:
    model = structure.structure()
    everything = [node for top in (model.root, *model.definitions.values()) for node in nodes(top)]
    assert {node.pattern for node in everything if node.pattern} == set(wording.PATTERNS)
    assert {node.path for node in everything if node.properties and node.path not in wording.KINDS} == {"ExtensionStep"}
    paths = {node.path for node in everything}
    assert set(wording.CLAIMED) | set(wording.CLAIMED_MISSING) | set(wording.CLAIMED_COUNT) <= paths
    assert set(wording.FORMS) <= paths
    assert set(wording.RHYTHMS.values()) == {
        value for value in wording.RHYTHMS.values() if violations(reviewed(value)) == ()
    }


def test_the_full_pack_uses_every_property() -> None:
    used: set[tuple[str, str]] = set()

    def walk(node: Node, value: Any) -> None:
        node = model.resolve(node)
        for form in map(model.resolve, node.forms):
            if (
                not form.properties
                or "kind" not in form.properties
                or value.get("kind") in form.properties["kind"].node.allowed
            ):
                walk(form, value)
        for entry in value if isinstance(value, list) and node.items else ():
            assert node.items is not None
            walk(node.items, entry)
        for key, entry in value.items() if isinstance(value, dict) else ():
            item = (node.properties or {}).get(key)
            if item is not None:
                used.add((node.path, key))
                walk(item.node, entry)
            elif node.rest is not None:
                walk(node.rest, entry)

    model = structure.structure()
    walk(model.root, full_pack())
    assert {(fact.owner, fact.name) for fact in all_properties()} - used == {("ExtensionStep", "kind")}


def test_one_name_for_the_schema_file() -> None:
    assert structure.SCHEMA_FILE == SCHEMA_FILE
    assert json.loads(structure.schema_text())["version"] == FORMAT_VERSION == FORMAT_VERSIONS[-1]


def test_checking_a_valid_pack_loads_no_explanation() -> None:
    code = f"""
import sys
from ppgov import schema
assert "jsonschema_rs" not in sys.modules
assert schema.violations({pack()!r}) == ()
assert not {{"ppgov.explanation", "ppgov.structure", "ppgov.wording", "jsonschema", "difflib"}} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
