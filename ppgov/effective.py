"""Override: which declaration is in force for the pack or for one agent, and where it was written.

RFC 0013: per field, present on the agent replaces the pack's value, absent inherits;
arrays, objects and `extensions` replace whole. Nothing is defaulted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ppgov.errors import UsageError
from ppgov.findings import quote
from ppgov.pack import GOVERNANCE_FIELDS, Entity, Pack

Origin = Literal["pack", "agent"]


@dataclass(frozen=True, slots=True)
class Field:
    """A declared value, the block that holds it and the pointer of the value."""

    name: str
    value: Any
    origin: Origin
    pointer: str


@dataclass(frozen=True, slots=True)
class Effective:
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
        names = ", ".join(sorted(pack.agents)) or "none: the pack declares no agents"
        raise UsageError(f"no agent {quote(agent)} in this pack", f"agents: {names}")
    own = pack.agent_governance.get(agent) if agent is not None else None
    sources: tuple[tuple[Origin, Entity | None], ...] = (("agent", own), ("pack", pack.governance))
    fields: dict[str, Field] = {}
    for name in GOVERNANCE_FIELDS:
        for origin, block in sources:
            if block is not None and name in block.data:
                fields[name] = Field(name, block.data[name], origin, block.at(name))
                break
    return Effective(agent, fields, pack.governance, own)


def subjects(pack: Pack) -> dict[str | None, Effective]:
    """The pack's own effective governance (key None) and that of each agent, in file order."""
    return {key: effective(pack, key) for key in (None, *pack.agents)}
