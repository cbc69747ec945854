"""Override: which declaration is in force for the pack or for one agent, and where it was written.

RFC 0013: per field, present on the agent replaces the pack's value, absent inherits;
arrays, objects and `extensions` replace whole. Nothing is defaulted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from ppgov.errors import UsageError
from ppgov.findings import quote
from ppgov.pack import GOVERNANCE_FIELDS, Entity, Pack

Origin = Literal["pack", "agent"]


class Field(NamedTuple):
    """A declared value, the block that holds it and the pointer of the value."""

    name: str
    value: Any
    origin: Origin
    pointer: str


class Effective(NamedTuple):
    """The governance in force for one subject: `agent` is None for the pack itself."""

    agent: str | None
    fields: Mapping[str, Field]
    pack_block: Entity | None
    agent_block: Entity | None

    @property
    def declared(self) -> bool:
        """Whether anything is declared; no declaration resolves to nothing, not to an empty record."""
        return bool(self.fields)

    @property
    def undeclared(self) -> tuple[str, ...]:
        """Fields that nobody declared, in the format's order, without `vocabularies` and `extensions`."""
        return tuple(f for f in GOVERNANCE_FIELDS if f not in self.fields and f not in ("vocabularies", "extensions"))

    def block(self, name: str) -> Entity | None:
        """The governance object in which the field in force is written."""
        field = self.fields.get(name)
        if field is None:
            return None
        return self.agent_block if field.origin == "agent" else self.pack_block


def effective(pack: Pack, agent: str | None = None) -> Effective:
    """The governance in force. Raises UsageError for an agent that the pack does not have."""
    if agent is not None and agent not in pack.agents:
        members = pack.root.child("agents")
        if members and agent in members.mapping("members"):
            raise UsageError(f"the agent {quote(agent)} is declared, but is no mapping", "see what ppgov check says")
        names = ", ".join(sorted(pack.agents)) or "none: the pack declares no agents"
        raise UsageError(f"no agent {quote(agent)} in this pack", f"agents: {names}")
    own = pack.agent_governance.get(agent) if agent is not None else None
    return Effective(agent, _fields(pack.governance, own), pack.governance, own)


def _fields(pack_block: Entity | None, agent_block: Entity | None) -> dict[str, Field]:
    sources: tuple[tuple[Origin, Entity | None], ...] = (("agent", agent_block), ("pack", pack_block))
    fields: dict[str, Field] = {}
    for name in GOVERNANCE_FIELDS:
        for origin, block in sources:
            if block is not None and name in block.data:
                fields[name] = Field(name, block.data[name], origin, block.at(name))
                break
    return fields


def subjects(pack: Pack) -> dict[str | None, Effective]:
    """The pack's own effective governance (key None) and that of each agent, in file order."""
    base = effective(pack)
    return {None: base} | {
        key: effective(pack, key)
        if key in pack.agent_governance
        else Effective(key, base.fields, pack.governance, None)
        for key in pack.agents
    }
