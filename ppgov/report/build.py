"""From an audit to the report, section by section in the order of DESIGN section 4."""

from __future__ import annotations

from datetime import datetime

from ppgov.audit import Audit
from ppgov.report import closing, governance, inventory, marks, parts
from ppgov.report.model import FORMAT, Report
from ppgov.report.reader import Reader


def build(audit: Audit, *, generated_at: datetime) -> Report:
    """The report on one readable pack. `generated_at` must know its time zone."""
    reader = Reader(audit)
    facts, agents, tools = governance.facts(reader), governance.agents(reader), parts.tools(reader)
    obligations, reviews = governance.obligations(reader), governance.reviews(reader)
    return Report(
        format=FORMAT,
        cover=closing.cover(reader, generated_at),
        notes=marks.notes(reader),
        summary=closing.summary(reader, facts, agents, tools, obligations, reviews),
        facts=facts,
        agents=agents,
        tools=tools,
        guardrails=parts.guardrails(reader),
        obligations=obligations,
        reviews=reviews,
        independence=governance.independence(reader),
        models=parts.models(reader),
        workflow=parts.workflow(reader),
        findings=closing.findings(reader),
        glossary=closing.glossary(reader),
        inventory=inventory.inventory(reader),
        extensions=inventory.extensions(reader),
        method=closing.method(reader),
        signoff=closing.signoff(reader),
    )
