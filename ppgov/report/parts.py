"""What the pack is made of, as far as governance looks at it: tools, guardrails, models, workflow."""

from __future__ import annotations

from collections.abc import Iterator

from ppgov.pack import Entity, Pack
from ppgov.reach import states_from
from ppgov.report.model import (
    Eval,
    Guardrails,
    Item,
    MatrixCell,
    Models,
    Parameter,
    Provider,
    State,
    TestedModel,
    Tool,
    ToolPolicy,
    Tools,
    Transition,
    Validator,
    Value,
    Workflow,
)
from ppgov.report.reader import Reader, scalar, written_id

OUTSIDE = "not a value of the format"
EFFECTS = ("read", "write", "external")
REVERSIBILITIES = ("reversible", "compensable", "irreversible")


def tools(reader: Reader) -> Tools:
    rows = tuple(_tool(reader, entity) for entity in reader.audit.pack.tools.values())
    places = [(_place(t.effect), _place(t.reversibility), t.key) for t in rows]
    effects, ways = _axis(EFFECTS, [e for e, _, _ in places]), _axis(REVERSIBILITIES, [r for _, r, _ in places])
    cells = tuple(
        MatrixCell(effect, way, tuple(key for e, r, key in places if (e, r) == (effect, way)))
        for way in ways
        for effect in effects
    )
    return Tools(effects, ways, cells, bool(reader.audit.pack.agents), rows)


def _place(value: Value) -> str:
    """Where in the matrix a value stands: by itself, among those that the format refuses, or as undeclared ("")."""
    return OUTSIDE if value.refused else value.text


def _axis(known: tuple[str, ...], found: list[str]) -> tuple[str, ...]:
    """The format's values, one place for all that it refuses where there is any, and "" for undeclared."""
    return (*known, OUTSIDE, "") if OUTSIDE in found else (*known, "")


def _tool(reader: Reader, entity: Entity) -> Tool:
    scope = entity.child("action_scope")

    def declared(name: str) -> Value:
        if scope is None:
            return reader.lost(entity, "action_scope")
        return reader.value(scope.data, name, scope.pointer)

    reached = tuple(key for key, reach in reader.audit.reach.items() if key is not None and entity.key in reach.tools)
    if None in reader.audit.reach and entity.key in reader.audit.reach[None].tools:
        reached = ("the pack",)
    return Tool(
        key=entity.key,
        description=entity.text("description") or "",
        where=reader.where(entity.pointer),
        scope_declared=scope is not None,
        effect=declared("effect"),
        reversibility=declared("reversibility"),
        data_classes=declared("data_classes"),
        reached_by=reached,
        parameters=tuple(_parameters(entity)),
    )


def _parameters(tool: Entity) -> Iterator[Parameter]:
    schema = tool.child("parameters")
    if schema is None:
        return
    required = {name for _, name in schema.texts("required")}
    for parameter in schema.members("properties"):
        written = parameter.data.get("type")
        kind = "" if written is None else scalar(written)
        yield Parameter(parameter.key, kind, parameter.key in required, parameter.text("description") or "")


def guardrails(reader: Reader) -> Guardrails:
    named = _named(reader)
    pack = reader.audit.pack
    return Guardrails(
        validators=tuple(_validator(reader, prompt, entity, named) for prompt, entity in pack.validators),
        evals=tuple(_eval(reader, item.prompt or "", item.entity, named) for item in pack.evals),
        policies=tuple(
            _policy(reader, prompt.key, policy)
            for prompt in pack.prompts.values()
            if (policy := prompt.child("tool_policy"))
        ),
    )


def _named(reader: Reader) -> dict[str, tuple[str, ...]]:
    """Which controls and reviews lead to a place, in words, by the pointer of the place."""
    found: dict[str, dict[str, None]] = {}
    for subject, resolutions in reader.audit.resolutions.items():
        suffix = f" (agent {subject})" if subject is not None else ""
        for obligation in resolutions.obligations:
            for control in obligation.controls:
                for target in control.reference.targets if control.reference else ():
                    words = f"obligation {obligation.entity.key}"
                    if obligation.entity.pointer.startswith("/agents/"):
                        words += suffix
                    found.setdefault(target.pointer, {})[words] = None
        for review in resolutions.reviews:
            for target in review.eval.targets if review.eval else ():
                words = f"review {review.entity.key}"
                if review.entity.pointer.startswith("/agents/"):
                    words += suffix
                found.setdefault(target.pointer, {})[words] = None
    return {pointer: tuple(words) for pointer, words in found.items()}


def _validator(reader: Reader, prompt: str, entity: Entity, named: dict[str, tuple[str, ...]]) -> Validator:
    data, base = entity.data, entity.pointer
    return Validator(
        prompt=prompt,
        id=written_id(entity),
        type=entity.text("type") or "",
        where=reader.where(base),
        enabled=reader.value(data, "enabled", base),
        message=reader.value(data, "message", base),
        params=reader.value(data, "params", base),
        fail_on_violation=reader.value(data, "fail_on_violation", base),
        named_by=named.get(base, ()),
    )


def _eval(reader: Reader, prompt: str, entity: Entity, named: dict[str, tuple[str, ...]]) -> Eval:
    data, base = entity.data, entity.pointer
    return Eval(
        prompt=prompt,
        id=written_id(entity),
        type=entity.text("type") or "",
        where=reader.where(base),
        trigger=reader.value(data, "trigger", base),
        sample=reader.value(data, "sample_percentage", base),
        threshold=_threshold(reader, entity),
        enabled=reader.value(data, "enabled", base),
        details=reader.entries(entity, ("description", "metric", "when", "groups", "params", "message")),
        named_by=named.get(base, ()),
    )


def _threshold(reader: Reader, entity: Entity) -> Value:
    """Operator and value in one text, each as written."""
    holder = entity.child("threshold")
    if holder is None:
        return reader.value(entity.data, "threshold", entity.pointer)
    parts = [scalar(holder.data[name]) for name in ("operator", "value") if name in holder.data]
    where = reader.where(holder.pointer)
    return Value(True, "text", (Item(" ".join(parts), where),) if parts else (), "", where)


def _policy(reader: Reader, prompt: str, policy: Entity) -> ToolPolicy:
    data, base = policy.data, policy.pointer
    return ToolPolicy(
        prompt,
        reader.where(base),
        reader.value(data, "tool_choice", base),
        reader.value(data, "max_rounds", base),
        reader.value(data, "max_tool_calls_per_turn", base),
        reader.value(data, "blocklist", base),
    )


def models(reader: Reader) -> Models:
    pack = reader.audit.pack
    used = _provider_uses(pack)
    providers = []
    for provider in pack.providers:
        data = provider.data if isinstance(provider.data, dict) else {}
        capabilities = data.get("capabilities")
        required = "required (default: bare name)" if isinstance(provider.data, str) else "not declared"
        providers.append(
            Provider(
                key=provider.key,
                role=provider.role if isinstance(provider.data, dict) else "llm (default: bare name)",
                where=reader.where(provider.pointer),
                required=scalar(data["required"]) if "required" in data else required,
                description=scalar(data.get("description", "")),
                capabilities=reader.rest(capabilities, f"{provider.pointer}/capabilities")
                if isinstance(capabilities, dict)
                else (),
                used_by=tuple(used.get(provider.key, ())),
            )
        )
    tested = tuple(
        TestedModel(
            prompt.key,
            model.text("provider") or "",
            model.text("model") or "",
            model.text("date") or "",
            reader.where(model.pointer),
            reader.rest(model.data, model.pointer, ("provider", "model", "date")),
        )
        for prompt in pack.prompts.values()
        for model in prompt.entries("tested_models")
    )
    return Models(tuple(providers), tested)


def _provider_uses(pack: Pack) -> dict[str, list[str]]:
    used: dict[str, list[str]] = {}
    for prompt in pack.prompts.values():
        if (name := prompt.text("provider")) is not None:
            used.setdefault(name, []).append(f"prompt {prompt.key}")
    for step in pack.steps:
        if (name := step.entity.text("provider")) is not None:
            used.setdefault(name, []).append(f"step {step.composition}.{step.entity.key}")
    return used


def workflow(reader: Reader) -> Workflow:
    pack = reader.audit.pack
    holder = pack.root.child("workflow")
    if holder is None:
        return Workflow(False, "", "", None, (), (), (), tuple(_agent_step_stops(reader)))
    entry = holder.text("entry") or ""
    reached = states_from(pack, entry)
    engine = holder.child("engine")
    budget = engine.child("budget") if engine else None
    return Workflow(
        declared=True,
        version=scalar(holder.data.get("version", "")),
        entry=entry,
        where=reader.where(holder.pointer),
        states=tuple(
            _state(reader, state, entry=state.key == entry, reached=state.key in reached)
            for state in pack.states.values()
        ),
        budget=reader.rest(budget.data, budget.pointer) if budget else (),
        engine=reader.rest(engine.data, engine.pointer, ("budget",)) if engine else (),
        stops=(*_state_stops(reader), *_agent_step_stops(reader)),
    )


def _state(reader: Reader, state: Entity, *, entry: bool, reached: bool) -> State:
    names = ["description", "orchestration", "control", "persistence", "skills", "artifacts"]
    if state.data.get("terminal") is not True:
        names.append("terminal")
    return State(
        key=state.key,
        entry=entry,
        terminal=state.data.get("terminal") is True,
        reached=reached,
        runs=_runs(state),
        where=reader.where(state.pointer),
        properties=reader.entries(state, names),
        max_visits=scalar(state.data["max_visits"]) if "max_visits" in state.data else "",
        transitions=tuple(_transitions(reader, state)),
    )


def _runs(state: Entity) -> str:
    """What a state runs: in composition mode its composition, in any other its prompt; the other is set for nothing."""
    composed = state.data.get("orchestration") == "composition"
    named = {"composition": state.text("composition"), "prompt": state.text("prompt_task")}
    used = "composition" if composed else "prompt"
    parts = [f"{used} {named[used]}"] if named[used] is not None else []
    for kind, name in named.items():
        if kind != used and name is not None:
            parts.append(
                f"{kind} {name} is set but not used: its orchestration is {'' if composed else 'not '}composition"
            )
    return "; ".join(parts)


def _transitions(reader: Reader, state: Entity) -> Iterator[Transition]:
    known = reader.audit.pack.states
    for event, target in state.mapping("on_event").items():
        if isinstance(target, str):
            yield Transition(event, target, target in known, reader.where(state.at("on_event", event)))
    if (target := state.text("on_max_visits")) is not None:
        yield Transition("", target, target in known, reader.where(state.at("on_max_visits")))


def _state_stops(reader: Reader) -> Iterator[Item]:
    for state in reader.audit.pack.states.values():
        if state.data.get("terminal") is True:
            yield Item(f"state {state.key} is terminal", reader.where(state.at("terminal")))
        if "max_visits" in state.data:
            limit = scalar(state.data["max_visits"])
            then = state.text("on_max_visits")
            way = f", then goes to {then}" if then is not None else ""
            yield Item(f"state {state.key} is visited at most {limit} times{way}", reader.where(state.at("max_visits")))


def _agent_step_stops(reader: Reader) -> Iterator[Item]:
    for step in reader.audit.pack.steps:
        stop = step.entity.child("termination")
        if stop is None:
            continue
        name = f"step {step.entity.key} of composition {step.composition}"
        if "max_steps" in stop.data:
            yield Item(f"{name} ends after {scalar(stop.data['max_steps'])} steps", reader.where(stop.at("max_steps")))
        if (tool := stop.text("tool_called")) is not None:
            yield Item(f"{name} ends when it calls {tool}", reader.where(stop.at("tool_called")))
