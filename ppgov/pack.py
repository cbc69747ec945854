"""The typed view of a pack: every entity with its key and its JSON pointer.

The view is tolerant: a value whose type the schema refuses is left out here (the schema reports it), so
that every check can still read the rest. Entities keep the data as written; nothing is defaulted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

GOVERNANCE_FIELDS = (
    "vocabularies",
    "intended_purpose",
    "foreseeable_misuse",
    "autonomy_level",
    "accountable_owner",
    "operator_role",
    "risk_classification",
    "intended_deployment_contexts",
    "capabilities",
    "approved_environments",
    "requires_ai_disclosure",
    "independent_of",
    "obligations",
    "reviews",
    "extensions",
)
CONTROL_KINDS = ("field", "validator", "eval", "external")


def escape(token: str) -> str:
    """A key as one reference token of a JSON pointer (RFC 6901 section 3)."""
    return token.replace("~", "~0").replace("/", "~1") if "~" in token or "/" in token else token


class Entity(NamedTuple):
    """One object of the pack. `key` is its map key, its id, or its index where it has neither."""

    key: str
    pointer: str
    data: dict[str, Any]

    def at(self, *tokens: str | int) -> str:
        """The pointer of something below this object."""
        pointer = self.pointer
        for token in tokens:
            pointer += "/" + (escape(token) if token.__class__ is str else str(token))
        return pointer

    def text(self, name: str) -> str | None:
        value = self.data.get(name)
        return value if isinstance(value, str) else None

    def mapping(self, name: str) -> dict[str, Any]:
        value = self.data.get(name)
        return value if isinstance(value, dict) else {}

    def child(self, name: str) -> Entity | None:
        value = self.data.get(name)
        return Entity(name, f"{self.pointer}/{name}", value) if isinstance(value, dict) else None

    def texts(self, name: str) -> Iterator[tuple[str, str]]:
        """The strings of an array, each with its pointer."""
        value = self.data.get(name)
        if isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, str):
                    yield f"{self.pointer}/{name}/{index}", item

    def members(self, name: str) -> Iterator[Entity]:
        """The objects of a map, in file order."""
        base = f"{self.pointer}/{name}"
        for key, item in self.mapping(name).items():
            if isinstance(item, dict):
                yield Entity(key, f"{base}/{escape(key)}", item)

    def entries(self, name: str, key: str = "id") -> Iterator[Entity]:
        """The objects of an array; each is called by its member `key`, else by its index."""
        value = self.data.get(name)
        if isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, dict):
                    own = item.get(key)
                    yield Entity(own if isinstance(own, str) else str(index), f"{self.pointer}/{name}/{index}", item)


class Provider(NamedTuple):
    """A provider requirement; a bare string is `{key, role: llm, required: true}` (RFC 0012)."""

    key: str
    role: str
    required: bool
    pointer: str
    data: dict[str, Any] | str


class Step(NamedTuple):
    """A composition step, nested branches included; `parent` is the id of the enclosing parallel step."""

    composition: str
    entity: Entity
    parent: str | None

    @property
    def id(self) -> str | None:
        return self.entity.text("id")

    @property
    def kind(self) -> str | None:
        return self.entity.text("kind")


class Eval(NamedTuple):
    """An eval with the prompt that holds it (None: pack level)."""

    entity: Entity
    prompt: str | None


class Pack(NamedTuple):
    """A pack as read. Maps are keyed as in the file; tuples are in file order."""

    root: Entity
    prompts: Mapping[str, Entity]
    tools: Mapping[str, Entity]
    evals: tuple[Eval, ...]
    validators: tuple[tuple[str, Entity], ...]
    states: Mapping[str, Entity]
    compositions: Mapping[str, Entity]
    steps: tuple[Step, ...]
    agents: Mapping[str, Entity]
    providers: tuple[Provider, ...]
    governance: Entity | None
    agent_governance: Mapping[str, Entity]

    @property
    def data(self) -> dict[str, Any]:
        return self.root.data

    @property
    def id(self) -> str | None:
        return self.root.text("id")

    @property
    def version(self) -> str | None:
        """As written, also where it is a number, which the format refuses (PPG112)."""
        version = self.data.get("version")
        return str(version) if isinstance(version, str | int | float) and not isinstance(version, bool) else None

    @property
    def has_workflow(self) -> bool:
        return isinstance(self.data.get("workflow"), dict)

    def blocks(self) -> Iterator[tuple[str | None, Entity]]:
        """Each governance object as written: (None, the pack's), then (agent key, the agent's)."""
        if self.governance is not None:
            yield None, self.governance
        yield from self.agent_governance.items()


def view(data: dict[str, Any]) -> Pack:
    """The view of parsed pack data (a mapping)."""
    root = Entity("", "", data)
    prompts = {entity.key: entity for entity in root.members("prompts")}
    workflow, agents = root.child("workflow"), root.child("agents")
    metadata, requires = root.child("metadata"), root.child("requires")
    compositions = {entity.key: entity for entity in root.members("compositions")}
    members = {entity.key: entity for entity in agents.members("members")} if agents else {}
    blocks = {key: block for key, agent in members.items() if (block := agent.child("governance"))}
    return Pack(
        root=root,
        prompts=prompts,
        tools={entity.key: entity for entity in root.members("tools")},
        evals=(
            *(Eval(entity, None) for entity in root.entries("evals")),
            *(Eval(entity, prompt.key) for prompt in prompts.values() for entity in prompt.entries("evals")),
        ),
        validators=tuple((p.key, entity) for p in prompts.values() for entity in p.entries("validators")),
        states={entity.key: entity for entity in workflow.members("states")} if workflow else {},
        compositions=compositions,
        steps=tuple(step for c in compositions.values() for step in _steps(c.key, c, "steps", None)),
        agents=members,
        providers=tuple(_providers(requires)) if requires else (),
        governance=metadata.child("governance") if metadata else None,
        agent_governance=blocks,
    )


def _steps(composition: str, holder: Entity, name: str, parent: str | None) -> Iterator[Step]:
    for entity in holder.entries(name):
        yield Step(composition, entity, parent)
        if "." not in (entity.text("kind") or ""):  # what a vendor's step holds is the vendor's
            yield from _steps(composition, entity, "branches", entity.key)


def _providers(requires: Entity) -> Iterator[Provider]:
    listed = requires.data.get("providers")
    for index, item in enumerate(listed if isinstance(listed, list) else ()):
        pointer = requires.at("providers", index)
        if isinstance(item, str):
            yield Provider(item, "llm", True, pointer, item)
        elif isinstance(item, dict) and isinstance(item.get("key"), str):
            role = item.get("role")
            yield Provider(
                item["key"], role if isinstance(role, str) else "", item.get("required") is not False, pointer, item
            )
