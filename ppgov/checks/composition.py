"""2xx: the step graphs of compositions (RFC 0010)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ppgov.checks.rule import Case, Found, Rule, row, rule
from ppgov.findings import quote
from ppgov.pack import Entity, Pack, Step, escape
from ppgov.suggest import DidYouMean

_CLAUSE = "RFC 0010"
_PARTS = {"prompt": ("input",), "agent": ("input",), "tool": ("args",), "branch": ("predicate",)}
_SHOWN = 12  # steps of a circle that a message names
_EXPRESSION = re.compile(r"\$\{([^{}]*)\}").finditer


def _by_composition(pack: Pack) -> dict[str, list[Step]]:
    steps: dict[str, list[Step]] = {key: [] for key in pack.compositions}
    for step in pack.steps:
        steps[step.composition].append(step)
    return steps


@rule("PPG211", "duplicate-step-id", "error", clause=_CLAUSE, reads=("compositions",))
def duplicate_step_id(case: Case) -> Iterator[Found]:
    """Two steps of one composition have the same id, nested branches included.

    Why: a reference to the id, and every trace record, could mean either step.
    Fix: give each step its own id.

    Bad:  steps: [{id: read, ...}, {id: read, ...}]
    Good: steps: [{id: read, ...}, {id: summarise, ...}]
    """
    for steps in _by_composition(case.pack).values():
        first: dict[str, Step] = {}
        for step in steps:
            if step.id is None:
                continue
            earlier = first.setdefault(step.id, step)
            if earlier is not step:
                yield Found(
                    step.entity.at("id"),
                    f"the step id {quote(step.id)} is used twice",
                    "give each step its own id",
                    ((earlier.entity.at("id"), "first used here"),),
                )


@rule("PPG212", "unresolved-step-reference", "error", clause=_CLAUSE, reads=("compositions", "prompts", "evals"))
def unresolved_step_reference(case: Case) -> Iterator[Found]:
    """`then`, `else`, `depends_on`, `output`, a `${...}` reference, `prompt_task` or `modifiers.eval` names nothing.

    Why: what runs, and on which input, cannot be told from the pack.
    Fix: name a step of the same composition, a prompt or an eval. Data is written `${input.x}` or `${step.output.x}`.

    Bad:  depends_on: [clasify]
    Good: depends_on: [classify]
    """
    prompts = case.pack.root.mapping("prompts")
    evals = {item.entity.key for item in case.pack.evals}
    for key, steps in _by_composition(case.pack).items():
        ids = {step.id for step in steps if step.id is not None}
        composition = case.pack.compositions[key]
        output = composition.text("output")
        if output is not None and output not in ids:
            yield Found(
                composition.at("output"), f"the step {quote(output)} does not exist", DidYouMean(output, ids, "steps")
            )
        for step in steps:
            for pointer, name in _step_names(step):
                if name not in ids:
                    yield Found(pointer, f"the step {quote(name)} does not exist", DidYouMean(name, ids, "steps"))
            yield from _expressions(step, ids)
            task = step.entity.text("prompt_task")
            if step.kind in ("prompt", "agent") and task is not None and task not in prompts:
                hint = DidYouMean(task, case.pack.prompts, "prompts")
                yield Found(step.entity.at("prompt_task"), f"the prompt {quote(task)} does not exist", hint)
            modifiers = step.entity.child("modifiers")
            for pointer, name in modifiers.texts("eval") if modifiers else ():
                if name not in evals:
                    yield Found(pointer, f"the eval {quote(name)} does not exist", DidYouMean(name, evals, "evals"))


def _step_names(step: Step) -> Iterator[tuple[str, str]]:
    yield from step.entity.texts("depends_on")
    yield from _branch_targets(step)


def _branch_targets(step: Step) -> Iterator[tuple[str, str]]:
    if step.kind == "branch":
        for name in ("then", "else"):
            if (target := step.entity.text(name)) is not None:
                yield step.entity.at(name), target


def _expressions(step: Step, ids: set[str]) -> Iterator[Found]:
    """The `${...}` references of one step. A step of a vendor's kind is read by the vendor's runtime alone."""
    for part in _PARTS.get(step.kind or "", ()):
        for pointer, text in _strings(step.entity.data.get(part), step.entity.at(part)):
            for match in _EXPRESSION(text):
                head, _, rest = match[1].strip().partition(".")
                if head == "input":
                    continue
                if head not in ids:
                    hint = DidYouMean(head, {*ids, "input"}, "steps")
                    yield Found(pointer, f"the reference {quote(match[0])} names no step", hint)
                elif rest.partition(".")[0] != "output":
                    yield Found(
                        pointer,
                        f"the reference {quote(match[0])} names no output",
                        f"write ${{{head}.output}}, or a path below it",
                    )


def _strings(value: Any, pointer: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield pointer, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _strings(item, f"{pointer}/{escape(key)}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _strings(item, f"{pointer}/{index}")


agent_step_without_termination = row("PPG213", "agent-step-without-termination", "error", _CLAUSE, """
    An agent step does not say when it ends.

    Why: it is a loop of a model and tools; without `max_steps` or `tool_called` nothing bounds it.
    Fix: add `termination` with one of the two, or both.

    Bad:  {id: work, kind: agent, prompt_task: worker}
    Good: {id: work, kind: agent, prompt_task: worker, termination: {max_steps: 8}}
    """)  # fmt: skip


incomplete_parallel_step = row("PPG214", "incomplete-parallel-step", "error", _CLAUSE, """
    A parallel step has fewer than two branches, or no complete reducer.

    Why: with one branch nothing is parallel; without a reducer the results have no declared place.
    Fix: give it two branches or more, and `reduce` with `strategy` and `into`.

    Bad:  {id: both, kind: parallel, branches: [{...}], reduce: {strategy: append, into: all}}
    Good: {id: both, kind: parallel, branches: [{...}, {...}], reduce: {strategy: append, into: all}}
    """)  # fmt: skip


invalid_step_kind = row("PPG216", "invalid-step-kind", "error", _CLAUSE, """
    A step's kind is none of prompt, agent, tool, branch and parallel, and carries no vendor's name.

    Why: what the step does is not defined anywhere.
    Fix: use one of the five, or a runtime's own kind written `vendor.kind`.

    Bad:  kind: judge
    Good: kind: omnia.judge
    """)  # fmt: skip


@rule("PPG215", "cyclic-composition", "error", clause=_CLAUSE, reads=("compositions",))
def cyclic_composition(case: Case) -> Iterator[Found]:
    """The steps of a composition depend on each other in a circle.

    Why: no step of the circle can start; a loop belongs into the workflow, where it has limits.
    Fix: remove one of the references that the message names.

    Bad:  steps: [{id: a, depends_on: [b], ...}, {id: b, ...}]
    Good: steps: [{id: a, ...}, {id: b, depends_on: [a], ...}]
    """
    for steps in _by_composition(case.pack).values():
        by_id = {step.id: step for step in steps if step.id is not None}
        if len(by_id) < sum(step.id is not None for step in steps):
            continue  # PPG211: with an id used twice the references have no one meaning
        order = {name: index for index, name in enumerate(by_id)}
        for circle in _circles(_waits(steps, by_id)):
            start = min(range(len(circle)), key=lambda index: order[circle[index]])
            names = circle[start:] + circle[:start]
            path = " → ".join(
                quote(name) for name in (*names[:_SHOWN], *(["…"] if len(names) > _SHOWN else []), names[0])
            )
            yield Found(
                by_id[names[0]].entity.pointer,
                f"the steps wait for each other in a circle: {path}",
                "change one of the references between them, or the order of the steps",
                tuple((by_id[name].entity.pointer, "on the circle") for name in names[1:_SHOWN]),
            )


_Node = str | tuple[str]  # the end of a step, by its id; the start of a parallel step, by its id in a tuple


def _waits(steps: list[Step], by_id: dict[str, Step]) -> dict[_Node, dict[_Node, None]]:
    """What each step waits for: `depends_on`, the data that it reads, a branch, else the order of the file.

    A branch's target without `depends_on` follows the branch, not its neighbour in the file. A parallel step
    starts before the steps in it and ends after them.
    """
    waits: dict[_Node, dict[_Node, None]] = {name: {} for name in by_id}
    chosen = {target for step in steps for _, target in _branch_targets(step)}

    def start(name: str) -> _Node:
        return (name,) if by_id[name].kind == "parallel" else name

    def add(then: str | None, before: str | None) -> None:
        if then in by_id and before in by_id:
            waits.setdefault(start(then), {})[before] = None

    previous: str | None = None
    for step in steps:
        if step.id is None:
            continue
        if step.kind == "parallel":
            waits[step.id][(step.id,)] = None
        for _, name in step.entity.texts("depends_on"):
            add(step.id, name)
        for name in _producers(step):
            add(step.id, name)
        for _, target in _branch_targets(step):
            add(target, step.id)
        if step.parent in by_id:
            waits.setdefault(start(step.id), {})[(step.parent,)] = None
            waits[step.parent][step.id] = None
        elif step.parent is None:
            if "depends_on" not in step.entity.data and step.id not in chosen:
                add(step.id, previous)
            previous = step.id
    return waits


def _producers(step: Step) -> Iterator[str]:
    """The steps whose output a step reads."""
    for part in _PARTS.get(step.kind or "", ()):
        for _, text in _strings(step.entity.data.get(part), ""):
            for match in _EXPRESSION(text):
                head, _, rest = match[1].strip().partition(".")
                if head != "input" and rest.partition(".")[0] == "output":
                    yield head


def _circles(waits: dict[_Node, dict[_Node, None]]) -> Iterator[list[str]]:
    """Circles without a common step, at most ten: each takes another walk over all steps."""
    from graphlib import CycleError, TopologicalSorter  # most packs have no composition

    for _ in range(10 if waits else 0):
        try:
            TopologicalSorter(waits).prepare()
        except CycleError as error:
            circle: list[_Node] = error.args[1][:-1]
            yield list(dict.fromkeys(node if isinstance(node, str) else node[0] for node in circle))
            gone = set(circle)
            waits = {
                node: {before: None for before in others if before not in gone}
                for node, others in waits.items()
                if node not in gone
            }
        else:
            return


@rule("PPG228", "predicate-value-not-array", "warning", clause=_CLAUSE, reads=("compositions",))
def predicate_value_not_array(case: Case) -> Iterator[Found]:
    """A predicate with `in` or `not_in` compares with a value that is no list.

    Why: membership of a single value has no agreed meaning.
    Fix: write the value as a list.

    Bad:  {path: "${classify.output.intent}", op: in, value: refund}
    Good: {path: "${classify.output.intent}", op: in, value: [refund]}
    """
    for step in case.pack.steps:
        if step.kind == "branch":
            for predicate in _predicates(step.entity.child("predicate")):
                if predicate.data.get("op") in ("in", "not_in") and not isinstance(
                    predicate.data.get("value", []), list
                ):
                    operator = predicate.data["op"]
                    yield Found(
                        predicate.at("value"), f"the value of '{operator}' is no list", "write it in square brackets"
                    )


def _predicates(predicate: Entity | None) -> Iterator[Entity]:
    if predicate is not None:
        yield predicate
        yield from _predicates(predicate.child("not"))
        for name in ("all_of", "any_of"):
            for entry in predicate.entries(name):
                yield from _predicates(entry)


RULES: tuple[Rule, ...] = (
    duplicate_step_id,
    unresolved_step_reference,
    agent_step_without_termination,
    incomplete_parallel_step,
    cyclic_composition,
    invalid_step_kind,
    predicate_value_not_array,
)
