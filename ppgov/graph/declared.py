"""The declared graph: what the file says, and nothing else."""

from __future__ import annotations

from ppgov.graph.shape import PACK
from ppgov.graph.slot import IDENTIFIER, Walk
from ppgov.graph.token import TYPE, dct, pg, scalar, segment
from ppgov.pack import Pack

_COLLECTIONS = ("prompts", "tools", "agents", "compositions", "providers")


def declared(pack: Pack, *, base_iri: str, sha256: str, extensions: bool) -> Walk:
    """Walk the whole pack. The digest is in the graph's name only, so that a resource is the same in every copy."""
    data = pack.data
    all_versions = base_iri + segment(data.get("id"))
    version = f"{all_versions}/{segment(data.get('version'))}"
    walk = Walk(version, f"<{version}/graph/{sha256[:16]}/declared>", extensions)
    walk.terms = f"{version}/terms/pack/"
    walk.bases = {name: f"{version}/{name}/" for name in _COLLECTIONS}
    walk.bases["states"] = f"{version}/workflow/states/"
    walk.bases["review"] = f"{all_versions}/~review/"
    subject, of = walk.entity(version, "", data, PACK), f"<{all_versions}>"
    walk.quads += ((subject, dct("isVersionOf"), of, walk.graph), (of, TYPE, pg("Pack"), walk.graph))
    if (identifier := scalar(data.get("id"))) is not None and "id" in data:
        walk.quads.append((of, IDENTIFIER, identifier, walk.graph))
    return walk
