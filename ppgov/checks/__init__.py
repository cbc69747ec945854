"""The registry of rules: every rule once, by id. Ids are never reused."""

from __future__ import annotations

from ppgov.checks import composition, governance, reference, structure, term
from ppgov.checks.rule import Case, Found, Rule

__all__ = ["BY_ID", "BY_NAME", "RULES", "Case", "Found", "Rule"]

RULES: tuple[Rule, ...] = tuple(
    sorted(
        (*structure.RULES, *reference.RULES, *composition.RULES, *term.RULES, *governance.RULES),
        key=lambda rule: rule.id,
    )
)
BY_ID: dict[str, Rule] = {rule.id: rule for rule in RULES}
BY_NAME: dict[str, Rule] = {rule.name: rule for rule in RULES}
