"""Every named query: what its header promises, and its rows on a small fleet, in both engines, written by hand."""

from __future__ import annotations

import hashlib
import importlib.util
import re
from functools import cache
from pathlib import Path
from types import ModuleType

import pyoxigraph as ox
import pytest
import rdflib

from ppgov.audit import Audit, audit_path
from ppgov.errors import InputError, UsageError
from ppgov.graph import BASE_IRI, nquads, of
from ppgov.graph.token import Quad
from ppgov.query import named
from ppgov.query.bind import bind
from ppgov.query.table import PREFIXES, Term, curie
from ppgov.serialise import dataset
from ppgov.terms import WELL_KNOWN

ROOT = Path(__file__).resolve().parent.parent
FLEET = ROOT / "tests" / "query_fleet"
NAMES = [query.name for query in named.catalogue()]
XSD_INTEGER = "http://www.w3.org/2001/XMLSchema#integer"

# Query, parameters, rows. IRIs of packs are relative to the base, and `~` stands for the pack of the row's first
# cell (up to its version). Rows of other order are the same rows: `test_engines_agree` looks at the order.
CASES: list[tuple[str, dict[str, str], str]] = [
    (
        "agents-and-their-autonomy",
        {},
        """
        bare/1.0.0 | not declared | not declared
        claims/1.0.0/agents/clerk | pg:suggests | ~/agents/clerk/governance
        claims/1.0.0/agents/mirror | pg:acts_with_approval | ~/governance
        claims/1.0.0/agents/payer | pg:acts_autonomously | ~/agents/payer/governance
        clinic/2.0.0 | pg:suggests | ~/governance
        desk/3.1.0/agents/plan | not declared | not declared
        desk/3.1.0/agents/write | not declared | not declared
        notes/1.0.0 | not declared | not declared
        """,
    ),
    (
        "agents-and-their-autonomy",
        {"level": "acts_autonomously"},
        """
        bare/1.0.0 | not declared | not declared
        claims/1.0.0/agents/payer | pg:acts_autonomously | ~/agents/payer/governance
        desk/3.1.0/agents/plan | not declared | not declared
        desk/3.1.0/agents/write | not declared | not declared
        notes/1.0.0 | not declared | not declared
        """,
    ),
    (
        "agents-and-their-risk-class",
        {},
        """
        bare/1.0.0 | not declared | not declared
        claims/1.0.0/agents/clerk | acme:Clerical | https://clerk.example/v#Clerical
        claims/1.0.0/agents/mirror | risk:HighRisk | risk:HighRisk
        claims/1.0.0/agents/payer | risk:HighRisk | risk:HighRisk
        clinic/2.0.0 | eu-aiact:RiskLevelHighAnnexIII | eu-aiact:RiskLevelHighAnnexIII
        desk/3.1.0/agents/plan | not declared | not declared
        desk/3.1.0/agents/write | not declared | not declared
        notes/1.0.0 | not declared | not declared
        """,
    ),
    (
        "agents-at-or-under-a-risk-class",
        {"class": "dpv:RiskLevel"},
        """
        claims/1.0.0/agents/mirror | risk:HighRisk | risk:HighRisk
        claims/1.0.0/agents/payer | risk:HighRisk | risk:HighRisk
        """,
    ),
    ("agents-at-or-under-a-risk-class", {"class": "eu-aiact:RiskLevel"}, ""),
    (
        "agents-at-or-under-a-risk-class",
        {"class": "https://clerk.example/v#Clerical"},
        "claims/1.0.0/agents/clerk | acme:Clerical | https://clerk.example/v#Clerical",
    ),
    (
        "agents-with-a-capability",
        {},
        """
        claims/1.0.0/agents/mirror | ai:Profiling | ai:Profiling
        claims/1.0.0/agents/payer | ai:Profiling | ai:Profiling
        """,
    ),
    (
        "agents-with-a-capability",
        {"class": "dpv:Processing"},
        """
        claims/1.0.0/agents/mirror | ai:Profiling | ai:Profiling
        claims/1.0.0/agents/payer | ai:Profiling | ai:Profiling
        """,
    ),
    ("agents-with-a-capability", {"class": "dpv:DecisionMaking"}, ""),
    (
        "agents-without-reviews",
        {},
        """
        bare/1.0.0 | not declared
        claims/1.0.0/agents/clerk | declared as an empty list
        desk/3.1.0/agents/plan | not declared
        desk/3.1.0/agents/write | not declared
        notes/1.0.0 | not declared
        """,
    ),
    (
        "ai-disclosure",
        {},
        """
        bare/1.0.0 | not declared | not declared
        claims/1.0.0/agents/clerk | true | ~/governance
        claims/1.0.0/agents/mirror | true | ~/governance
        claims/1.0.0/agents/payer | false | ~/agents/payer/governance
        clinic/2.0.0 | false | ~/governance
        desk/3.1.0/agents/plan | not declared | not declared
        desk/3.1.0/agents/write | not declared | not declared
        notes/1.0.0 | not declared | not declared
        """,
    ),
    (
        "approved-environments",
        {},
        """
        bare/1.0.0 | not declared
        claims/1.0.0/agents/clerk | prod
        claims/1.0.0/agents/mirror | prod
        claims/1.0.0/agents/payer | lab
        claims/1.0.0/agents/payer | prod
        clinic/2.0.0 | declared as an empty list
        desk/3.1.0/agents/plan | not declared
        desk/3.1.0/agents/write | not declared
        notes/1.0.0 | not declared
        """,
    ),
    (
        "approved-environments",
        {"environment": "lab"},
        """
        bare/1.0.0 | not declared
        claims/1.0.0/agents/payer | lab
        desk/3.1.0/agents/plan | not declared
        desk/3.1.0/agents/write | not declared
        notes/1.0.0 | not declared
        """,
    ),
    (
        "checks-that-are-switched-off",
        {},
        """
        clinic/2.0.0 | eval | accuracy | ~/evals/accuracy
        clinic/2.0.0/prompts/visit | validator | cites | ~/prompts/visit/validators/1
        """,
    ),
    (
        "controls-that-are-switched-off",
        {},
        """
        clinic/2.0.0 | ~/governance/obligations/cite/controls/1 | cites | ~/prompts/visit/validators/1
        clinic/2.0.0 | ~/governance/obligations/cite/controls/2 | accuracy | ~/evals/accuracy
        clinic/2.0.0 | ~/governance/reviews/monthly | accuracy | ~/evals/accuracy
        """,
    ),
    (
        "data-of-unknown-class",
        {},
        """
        clinic/2.0.0/tools/look_around | patient moods | pg:FreeString | not declared | ~
        clinic/2.0.0/tools/read_chart | dpv:HealthData | pg:UnknownTerm | pg:read | ~
        """,
    ),
    (
        "data-that-tools-touch",
        {},
        """
        claims/1.0.0/tools/ledger | pd:Transaction | pg:read
        clinic/2.0.0/tools/look_around | pd:MedicalHealth | not declared
        clinic/2.0.0/tools/save_chart | pd:MedicalHealth | pg:write
        clinic/2.0.0/tools/save_chart | pd:Name | pg:write
        clinic/2.0.0/tools/send_letter | dpv:SpecialCategoryPersonalData | pg:external
        """,
    ),
    ("data-that-tools-touch", {"class": "pd:Financial"}, "claims/1.0.0/tools/ledger | pd:Transaction | pg:read"),
    (
        "data-that-tools-touch",
        {"class": "pp:FinancialAccount"},
        "claims/1.0.0/tools/pay | pp:FinancialAccount | pg:external",
    ),
    (
        "independence-requirements",
        {},
        """
        bare/1.0.0 | not declared | not declared
        claims/1.0.0/agents/clerk | pg:accountable_owner | pg:strict
        claims/1.0.0/agents/clerk | pg:model | pg:strict
        claims/1.0.0/agents/mirror | pg:accountable_owner | pg:strict
        claims/1.0.0/agents/mirror | pg:model | pg:strict
        claims/1.0.0/agents/payer | pg:model | advisory by default, not declared
        clinic/2.0.0 | not declared | not declared
        desk/3.1.0/agents/plan | not declared | not declared
        desk/3.1.0/agents/write | not declared | not declared
        notes/1.0.0 | not declared | not declared
        """,
    ),
    (
        "irreversible-external-tools",
        {},
        """
        claims/1.0.0/tools/pay | ~/agents/payer | pg:acts_autonomously
        claims/1.0.0/tools/refund | no agent reaches it | does not apply
        clinic/2.0.0/tools/send_letter | no agent reaches it | does not apply
        """,
    ),
    (
        "irreversible-tools-anywhere-in-the-pack",
        {},
        """
        claims/1.0.0/agents/clerk | pg:suggests | ~/tools/pay | false
        claims/1.0.0/agents/clerk | pg:suggests | ~/tools/refund | false
        claims/1.0.0/agents/mirror | pg:acts_with_approval | ~/tools/pay | false
        claims/1.0.0/agents/mirror | pg:acts_with_approval | ~/tools/refund | false
        claims/1.0.0/agents/payer | pg:acts_autonomously | ~/tools/pay | true
        claims/1.0.0/agents/payer | pg:acts_autonomously | ~/tools/refund | false
        clinic/2.0.0 | pg:suggests | ~/tools/send_letter | false
        """,
    ),
    (
        "nothing-declared-at-all",
        {},
        """
        bare/1.0.0 | pack
        desk/3.1.0 | pack
        desk/3.1.0/agents/write | agent
        """,
    ),
    (
        "obligations-and-their-controls",
        {},
        """
        claims/1.0.0/agents/payer/governance/obligations/second | dpv:Audit | external | Sampling
        claims/1.0.0/governance/obligations/first | dpv:HumanOversight | field | autonomy_level
        claims/1.0.0/governance/obligations/second | dpv:Audit | external | Sampling
        clinic/2.0.0/governance/obligations/cite | dpv:HumanOversight | eval | accuracy
        clinic/2.0.0/governance/obligations/cite | dpv:HumanOversight | external | The ward sister reads each text
        clinic/2.0.0/governance/obligations/cite | dpv:HumanOversight | validator | cites
        clinic/2.0.0/governance/obligations/keep | legal-eu-gdpr:A15 | external | Archive
        clinic/2.0.0/governance/obligations/keep | legal-eu-gdpr:A15 | external | Registry
        clinic/2.0.0/governance/obligations/missing | House rule 7 | eval | no-such-eval
        clinic/2.0.0/governance/obligations/missing | House rule 7 | field | operator_role
        """,
    ),
    (
        "obligations-and-their-controls",
        {"kind": "validator"},
        "clinic/2.0.0/governance/obligations/cite | dpv:HumanOversight | validator | cites",
    ),
    (
        "obligations-with-external-controls-only",
        {},
        """
        claims/1.0.0/agents/payer/governance/obligations/second | dpv:Audit | Sampling
        claims/1.0.0/governance/obligations/second | dpv:Audit | Sampling
        clinic/2.0.0/governance/obligations/keep | legal-eu-gdpr:A15 | Archive
        clinic/2.0.0/governance/obligations/keep | legal-eu-gdpr:A15 | Registry
        """,
    ),
    (
        "obligations-without-a-review",
        {},
        """
        claims/1.0.0/agents/clerk | ~/governance/obligations/first | dpv:HumanOversight | declared
        claims/1.0.0/agents/clerk | ~/governance/obligations/second | dpv:Audit | declared
        clinic/2.0.0 | ~/governance/obligations/keep | legal-eu-gdpr:A15 | declared
        clinic/2.0.0 | ~/governance/obligations/missing | House rule 7 | declared
        """,
    ),
    (
        "overrides-that-weaken-the-pack",
        {},
        """
        claims/1.0.0/agents/clerk | review is left out | quarterly | not in the list
        claims/1.0.0/agents/clerk | review is left out | weekly | not in the list
        claims/1.0.0/agents/payer | AI disclosure is no longer required | true | false
        claims/1.0.0/agents/payer | autonomy level is higher | pg:acts_with_approval | pg:acts_autonomously
        claims/1.0.0/agents/payer | environment is added | not in the list | lab
        claims/1.0.0/agents/payer | independence axis is left out | pg:accountable_owner | not in the list
        claims/1.0.0/agents/payer | independence is no longer strict | pg:strict | not declared
        claims/1.0.0/agents/payer | obligation is left out | first | not in the list
        claims/1.0.0/agents/payer | review is left out | weekly | not in the list
        claims/1.0.0/agents/payer | review recurs more rarely: quarterly | P3M | P1Y
        """,
    ),
    (
        "owners-and-what-they-answer-for",
        {},
        """
        audit | review owner | claims/1.0.0/agents/payer/governance/reviews/quarterly
        audit | review owner | claims/1.0.0/governance/reviews/quarterly
        audit | review owner | clinic/2.0.0/governance/reviews/yearly
        claims-desk | accountable owner | claims/1.0.0/agents/clerk
        claims-desk | accountable owner | claims/1.0.0/agents/mirror
        claims-desk | accountable owner | claims/1.0.0/agents/payer
        claims-desk | review owner | claims/1.0.0/governance/reviews/weekly
        desk | accountable owner | desk/3.1.0/agents/plan
        not declared | accountable owner | bare/1.0.0
        not declared | accountable owner | desk/3.1.0/agents/write
        notes-team | accountable owner | notes/1.0.0
        other-team | accountable owner | notes/1.0.0
        ward-3 | accountable owner | clinic/2.0.0
        ward-3 | review owner | clinic/2.0.0/governance/reviews/monthly
        """,
    ),
    (
        "owners-and-what-they-answer-for",
        {"owner": "ward-3"},
        """
        ward-3 | accountable owner | clinic/2.0.0
        ward-3 | review owner | clinic/2.0.0/governance/reviews/monthly
        """,
    ),
    (
        "packs-and-their-files",
        {},
        """
        bare/1.0.0 | Bare | 1.0.0 | sha256:bare.yaml
        claims/1.0.0 | Claims | 1.0.0 | sha256:claims.yaml
        clinic/2.0.0 | Clinic | 2.0.0 | sha256:clinic.yaml
        desk/3.1.0 | Desk | 3.1.0 | sha256:desk.json
        notes/1.0.0 | Notes | 1.0.0 | sha256:notes-of-another-team.yaml
        notes/1.0.0 | Notes | 1.0.0 | sha256:notes.json
        notes/1.0.0 | Notes | 1.0.0 | sha256:notes.yaml
        """,
    ),
    (
        "prefixes-with-two-meanings",
        {},
        """
        acme | https://claims.example/v# | claims/1.0.0/governance
        acme | https://clerk.example/v# | claims/1.0.0/agents/clerk/governance
        acme | https://clinic.example/v# | clinic/2.0.0/governance
        dpv | https://desk.example/own# | desk/3.1.0/agents/plan/governance
        dpv | https://w3id.org/dpv# | well known
        """,
    ),
    (
        "prompts-an-agent-reaches",
        {},
        """
        bare/1.0.0 | ~/prompts/talk
        claims/1.0.0/agents/clerk | ~/prompts/clerk
        claims/1.0.0/agents/mirror | ~/prompts/mirror
        claims/1.0.0/agents/payer | ~/prompts/payer
        clinic/2.0.0 | ~/prompts/letter
        clinic/2.0.0 | ~/prompts/visit
        desk/3.1.0/agents/plan | ~/prompts/plan
        desk/3.1.0/agents/write | ~/prompts/lonely
        desk/3.1.0/agents/write | ~/prompts/write
        notes/1.0.0 | ~/prompts/note
        """,
    ),
    (
        "prompts-an-agent-reaches",
        {"agent_key": "write"},
        """
        desk/3.1.0/agents/write | ~/prompts/lonely
        desk/3.1.0/agents/write | ~/prompts/write
        """,
    ),
    (
        "providers-that-packs-require",
        {},
        """
        bare/1.0.0 | not declared | not declared | not declared
        claims/1.0.0 | not declared | not declared | not declared
        clinic/2.0.0 | local | llm | true
        clinic/2.0.0 | spare | not declared | not declared
        desk/3.1.0 | main | llm | not declared
        notes/1.0.0 | not declared | not declared | not declared
        """,
    ),
    (
        "providers-that-prompts-use",
        {},
        """
        bare/1.0.0/prompts/talk | not declared | not declared
        claims/1.0.0/prompts/clerk | not declared | not declared
        claims/1.0.0/prompts/mirror | not declared | not declared
        claims/1.0.0/prompts/payer | not declared | not declared
        clinic/2.0.0/prompts/letter | ~/providers/default | not declared
        clinic/2.0.0/prompts/visit | ~/providers/local | llm
        desk/3.1.0/prompts/lonely | not declared | not declared
        desk/3.1.0/prompts/plan | not declared | not declared
        desk/3.1.0/prompts/write | ~/providers/main | llm
        notes/1.0.0/prompts/note | not declared | not declared
        """,
    ),
    (
        "providers-that-prompts-use",
        {"key": "default"},
        """
        bare/1.0.0/prompts/talk | not declared | not declared
        claims/1.0.0/prompts/clerk | not declared | not declared
        claims/1.0.0/prompts/mirror | not declared | not declared
        claims/1.0.0/prompts/payer | not declared | not declared
        clinic/2.0.0/prompts/letter | ~/providers/default | not declared
        desk/3.1.0/prompts/lonely | not declared | not declared
        desk/3.1.0/prompts/plan | not declared | not declared
        notes/1.0.0/prompts/note | not declared | not declared
        """,
    ),
    (
        "references-that-lead-nowhere",
        {},
        """
        clinic/2.0.0 | ~/governance/obligations/missing/controls/1 | operator_role | pg:FieldUndeclared
        clinic/2.0.0 | ~/governance/obligations/missing/controls/2 | no-such-eval | pg:Unresolved
        clinic/2.0.0 | ~/governance/reviews/yearly | gone | pg:Unresolved
        """,
    ),
    (
        "reviews-by-cadence",
        {},
        """
        7 | P1W | claims/1.0.0/governance/reviews/weekly | claims-desk
        31 | P1M | clinic/2.0.0/governance/reviews/monthly | ward-3
        92 | P3M | claims/1.0.0/governance/reviews/quarterly | audit
        366 | P1Y | claims/1.0.0/agents/payer/governance/reviews/quarterly | audit
        366 | P1Y | clinic/2.0.0/governance/reviews/yearly | audit
        """,
    ),
    (
        "reviews-by-owner",
        {},
        """
        audit | claims/1.0.0/agents/payer/governance/reviews/quarterly | dpv:Audit | P1Y
        audit | claims/1.0.0/governance/reviews/quarterly | dpv:Audit | P3M
        audit | clinic/2.0.0/governance/reviews/yearly | dpv:Audit | P1Y
        claims-desk | claims/1.0.0/governance/reviews/weekly | dpv:ReviewProcedure | P1W
        ward-3 | clinic/2.0.0/governance/reviews/monthly | pp:AccuracyReview | P1M
        """,
    ),
    (
        "reviews-by-owner",
        {"owner": "claims-desk"},
        "claims-desk | claims/1.0.0/governance/reviews/weekly | dpv:ReviewProcedure | P1W",
    ),
    ("reviews-by-owner", {"owner": 'nobody" } #'}, ""),
    (
        "reviews-rarer-than",
        {},
        """
        366 | P1Y | claims/1.0.0/agents/payer/governance/reviews/quarterly | audit
        366 | P1Y | clinic/2.0.0/governance/reviews/yearly | audit
        """,
    ),
    (
        "reviews-rarer-than",
        {"max_days": "31"},
        """
        92 | P3M | claims/1.0.0/governance/reviews/quarterly | audit
        366 | P1Y | claims/1.0.0/agents/payer/governance/reviews/quarterly | audit
        366 | P1Y | clinic/2.0.0/governance/reviews/yearly | audit
        """,
    ),
    (
        "same-version-twice",
        {},
        """
        notes/1.0.0 | sha256:notes.json + notes.yaml | the same
        notes/1.0.0 | sha256:notes-of-another-team.yaml + notes.json | different
        notes/1.0.0 | sha256:notes-of-another-team.yaml + notes.yaml | different
        """,
    ),
    (
        "sensitive-data-through-tools-that-write",
        {},
        """
        clinic/2.0.0/tools/look_around | not declared | pd:MedicalHealth | ~
        clinic/2.0.0/tools/save_chart | pg:write | pd:MedicalHealth | ~
        clinic/2.0.0/tools/send_letter | pg:external | dpv:SpecialCategoryPersonalData | no agent reaches it
        """,
    ),
    (
        "sensitive-data-through-tools-that-write",
        {"class": "pp:FinancialAccount"},
        "claims/1.0.0/tools/pay | pg:external | pp:FinancialAccount | ~/agents/payer",
    ),
    ("sensitive-data-through-tools-that-write", {"class": "pd:Transaction"}, ""),
    (
        "terms-in-free-words",
        {},
        """
        clinic/2.0.0/terms/pack/House%20rule%207 | House rule 7 | pg:FreeString
        clinic/2.0.0/terms/pack/eu-gdpr%3AA22 | eu-gdpr:A22 | pg:UnresolvedCurie
        clinic/2.0.0/terms/pack/patient%20moods | patient moods | pg:FreeString
        clinic/2.0.0/terms/pack/ward%3A%20night%20shift | ward: night shift | pg:FreeString
        """,
    ),
    (
        "terms-of-other-vocabularies",
        {},
        """
        claims/1.0.0/terms/agent-clerk/acme%3AClerical | acme:Clerical | https://clerk.example/v#Clerical
        clinic/2.0.0/terms/pack/acme%3ASummaries | acme:Summaries | https://clinic.example/v#Summaries
        desk/3.1.0/terms/agent-plan/dpv%3APlanning | dpv:Planning | https://desk.example/own#Planning
        desk/3.1.0/terms/agent-plan/https%3A%2F%2Fdesk.example%2Fother%23Reading | https://desk.example/other#Reading \
| https://desk.example/other#Reading
        """,
    ),
    (
        "tested-models",
        {},
        """
        bare/1.0.0/prompts/talk | not declared | not declared | not declared
        claims/1.0.0/prompts/clerk | not declared | not declared | not declared
        claims/1.0.0/prompts/mirror | not declared | not declared | not declared
        claims/1.0.0/prompts/payer | not declared | not declared | not declared
        clinic/2.0.0/prompts/letter | not declared | not declared | not declared
        clinic/2.0.0/prompts/visit | acme | med-1 | 2026-01-02
        desk/3.1.0/prompts/lonely | not declared | not declared | not declared
        desk/3.1.0/prompts/plan | not declared | not declared | not declared
        desk/3.1.0/prompts/write | not declared | not declared | not declared
        notes/1.0.0/prompts/note | not declared | not declared | not declared
        """,
    ),
    ("tested-models", {"model": "med-1"}, "clinic/2.0.0/prompts/visit | acme | med-1 | 2026-01-02"),
    (
        "tools-an-agent-reaches",
        {},
        """
        claims/1.0.0/agents/clerk | ~/tools/ledger | pg:read | not declared
        claims/1.0.0/agents/payer | ~/tools/ledger | pg:read | not declared
        claims/1.0.0/agents/payer | ~/tools/pay | pg:external | pg:irreversible
        clinic/2.0.0 | ~/tools/look_around | not declared | not declared
        clinic/2.0.0 | ~/tools/read_chart | pg:read | not declared
        clinic/2.0.0 | ~/tools/save_chart | pg:write | pg:reversible
        desk/3.1.0/agents/plan | ~/tools/post | pg:external | pg:compensable
        desk/3.1.0/agents/write | ~/tools/search | not declared | not declared
        """,
    ),
    (
        "tools-an-agent-reaches",
        {"agent_key": "payer", "effect": "external"},
        "claims/1.0.0/agents/payer | ~/tools/pay | pg:external | pg:irreversible",
    ),
    (
        "tools-an-agent-reaches",
        {"reversibility": "compensable"},
        """
        claims/1.0.0/agents/clerk | ~/tools/ledger | pg:read | not declared
        claims/1.0.0/agents/payer | ~/tools/ledger | pg:read | not declared
        clinic/2.0.0 | ~/tools/look_around | not declared | not declared
        clinic/2.0.0 | ~/tools/read_chart | pg:read | not declared
        desk/3.1.0/agents/plan | ~/tools/post | pg:external | pg:compensable
        desk/3.1.0/agents/write | ~/tools/search | not declared | not declared
        """,
    ),
    (
        "tools-no-agent-reaches",
        {},
        """
        claims/1.0.0/tools/refund | pg:external | pg:irreversible
        clinic/2.0.0/tools/send_letter | pg:external | pg:irreversible
        clinic/2.0.0/tools/wipe | pg:write | not declared
        """,
    ),
    (
        "tools-without-declared-consequence",
        {},
        """
        clinic/2.0.0/tools/look_around | not declared | not declared | ~
        clinic/2.0.0/tools/wipe | pg:write | not declared | no agent reaches it
        desk/3.1.0/tools/search | not declared | not declared | ~/agents/write
        """,
    ),
    (
        "tools-without-declared-data",
        {},
        """
        claims/1.0.0/tools/refund | pg:external | no agent reaches it
        clinic/2.0.0/tools/wipe | pg:write | no agent reaches it
        desk/3.1.0/tools/post | pg:external | ~/agents/plan
        desk/3.1.0/tools/search | not declared | ~/agents/write
        """,
    ),
    (
        "undeclared-fields",
        {"field": "pg:operatorRole"},
        """
        bare/1.0.0 | pack | pg:operatorRole
        claims/1.0.0 | pack | pg:operatorRole
        claims/1.0.0/agents/mirror | agent | pg:operatorRole
        claims/1.0.0/agents/payer | agent | pg:operatorRole
        clinic/2.0.0 | pack | pg:operatorRole
        desk/3.1.0 | pack | pg:operatorRole
        desk/3.1.0/agents/plan | agent | pg:operatorRole
        desk/3.1.0/agents/write | agent | pg:operatorRole
        notes/1.0.0 | pack | pg:operatorRole
        """,
    ),
    (
        "undeclared-fields",
        {"field": "pg:accountableOwner", "kind": "agent"},
        "desk/3.1.0/agents/write | agent | pg:accountableOwner",
    ),
    (
        "unknown-or-renamed-terms",
        {},
        """
        clinic/2.0.0/terms/pack/dpv%3AFinancialData | dpv:FinancialData | pg:UnknownTerm | none known
        clinic/2.0.0/terms/pack/dpv%3AHealthData | dpv:HealthData | pg:UnknownTerm | none known
        clinic/2.0.0/terms/pack/dpv%3APublicLocation | dpv:PublicLocation | sunset | dpv:PublicSpace
        clinic/2.0.0/terms/pack/eu-aiact%3ARiskLevelHighAnnexIII | eu-aiact:RiskLevelHighAnnexIII | pg:Renamed \
| eu-aiact:RiskLevelHigh-A6-2
        """,
    ),
    (
        "values-of-a-field",
        {"field": "pg:capability"},
        """
        bare/1.0.0 | not declared | not declared
        claims/1.0.0 | ai:Profiling | ~/governance
        claims/1.0.0/agents/clerk | declared as an empty list | ~/agents/clerk/governance
        claims/1.0.0/agents/mirror | ai:Profiling | ~/governance
        claims/1.0.0/agents/payer | ai:Profiling | ~/governance
        clinic/2.0.0 | acme:Summaries | ~/governance
        clinic/2.0.0 | dpv:FinancialData | ~/governance
        desk/3.1.0 | not declared | not declared
        desk/3.1.0/agents/plan | dpv:Planning | ~/agents/plan/governance
        desk/3.1.0/agents/plan | https://desk.example/other#Reading | ~/agents/plan/governance
        desk/3.1.0/agents/write | not declared | not declared
        notes/1.0.0 | not declared | not declared
        """,
    ),
    (
        "values-of-a-field",
        {"field": "pg:obligation"},
        """
        bare/1.0.0 | not declared | not declared
        claims/1.0.0 | first | ~/governance
        claims/1.0.0 | second | ~/governance
        claims/1.0.0/agents/clerk | first | ~/governance
        claims/1.0.0/agents/clerk | second | ~/governance
        claims/1.0.0/agents/mirror | first | ~/governance
        claims/1.0.0/agents/mirror | second | ~/governance
        claims/1.0.0/agents/payer | second | ~/agents/payer/governance
        clinic/2.0.0 | cite | ~/governance
        clinic/2.0.0 | keep | ~/governance
        clinic/2.0.0 | missing | ~/governance
        desk/3.1.0 | not declared | not declared
        desk/3.1.0/agents/plan | not declared | not declared
        desk/3.1.0/agents/write | not declared | not declared
        notes/1.0.0 | not declared | not declared
        """,
    ),
    (
        "what-reviews-answer-to",
        {},
        """
        claims/1.0.0/agents/payer/governance/reviews/quarterly | obligation | second
        claims/1.0.0/governance/reviews/quarterly | obligation | first
        claims/1.0.0/governance/reviews/quarterly | obligation | second
        claims/1.0.0/governance/reviews/weekly | nothing | nothing
        clinic/2.0.0/governance/reviews/monthly | eval | accuracy
        clinic/2.0.0/governance/reviews/monthly | obligation | cite
        clinic/2.0.0/governance/reviews/yearly | obligation | cite
        clinic/2.0.0/governance/reviews/yearly | obligation | gone
        """,
    ),
    (
        "where-agents-differ-from-the-pack",
        {},
        """
        claims/1.0.0/agents/clerk | pg:approvedEnvironment | agent | prod
        claims/1.0.0/agents/clerk | pg:approvedEnvironment | pack | prod
        claims/1.0.0/agents/clerk | pg:autonomyLevel | agent | pg:suggests
        claims/1.0.0/agents/clerk | pg:autonomyLevel | pack | pg:acts_with_approval
        claims/1.0.0/agents/clerk | pg:capability | agent | declared as an empty list
        claims/1.0.0/agents/clerk | pg:capability | pack | ai:Profiling
        claims/1.0.0/agents/clerk | pg:operatorRole | agent | tech:Operator
        claims/1.0.0/agents/clerk | pg:operatorRole | pack | not declared
        claims/1.0.0/agents/clerk | pg:review | agent | declared as an empty list
        claims/1.0.0/agents/clerk | pg:review | pack | quarterly
        claims/1.0.0/agents/clerk | pg:review | pack | weekly
        claims/1.0.0/agents/clerk | pg:riskClassification | agent | acme:Clerical
        claims/1.0.0/agents/clerk | pg:riskClassification | pack | risk:HighRisk
        claims/1.0.0/agents/clerk | pg:vocabulary | agent | acme
        claims/1.0.0/agents/clerk | pg:vocabulary | pack | acme
        claims/1.0.0/agents/payer | pg:approvedEnvironment | agent | lab
        claims/1.0.0/agents/payer | pg:approvedEnvironment | agent | prod
        claims/1.0.0/agents/payer | pg:approvedEnvironment | pack | prod
        claims/1.0.0/agents/payer | pg:autonomyLevel | agent | pg:acts_autonomously
        claims/1.0.0/agents/payer | pg:autonomyLevel | pack | pg:acts_with_approval
        claims/1.0.0/agents/payer | pg:independentOf | agent | ~/agents/payer/governance/independent_of
        claims/1.0.0/agents/payer | pg:independentOf | pack | ~/governance/independent_of
        claims/1.0.0/agents/payer | pg:obligation | agent | second
        claims/1.0.0/agents/payer | pg:obligation | pack | first
        claims/1.0.0/agents/payer | pg:obligation | pack | second
        claims/1.0.0/agents/payer | pg:requiresAiDisclosure | agent | false
        claims/1.0.0/agents/payer | pg:requiresAiDisclosure | pack | true
        claims/1.0.0/agents/payer | pg:review | agent | quarterly
        claims/1.0.0/agents/payer | pg:review | pack | quarterly
        claims/1.0.0/agents/payer | pg:review | pack | weekly
        desk/3.1.0/agents/plan | pg:accountableOwner | agent | desk
        desk/3.1.0/agents/plan | pg:accountableOwner | pack | not declared
        desk/3.1.0/agents/plan | pg:capability | agent | dpv:Planning
        desk/3.1.0/agents/plan | pg:capability | agent | https://desk.example/other#Reading
        desk/3.1.0/agents/plan | pg:capability | pack | not declared
        desk/3.1.0/agents/plan | pg:vocabulary | agent | dpv
        desk/3.1.0/agents/plan | pg:vocabulary | pack | not declared
        """,
    ),
    (
        "who-records-a-duty",
        {"duty": "dpv:HumanOversight"},
        """
        claims/1.0.0/governance/obligations/first | dpv:HumanOversight | dpv:HumanOversight
        clinic/2.0.0/governance/obligations/cite | dpv:HumanOversight | dpv:HumanOversight
        """,
    ),
    (
        "who-records-a-duty",
        {"duty": "dpv:TechnicalOrganisationalMeasure"},
        """
        claims/1.0.0/agents/payer/governance/obligations/second | dpv:Audit | dpv:Audit
        claims/1.0.0/governance/obligations/first | dpv:HumanOversight | dpv:HumanOversight
        claims/1.0.0/governance/obligations/second | dpv:Audit | dpv:Audit
        clinic/2.0.0/governance/obligations/cite | dpv:HumanOversight | dpv:HumanOversight
        """,
    ),
]

FIELDS = {
    "accountableOwner",
    "approvedEnvironment",
    "autonomyLevel",
    "capability",
    "foreseeableMisuse",
    "independentOf",
    "intendedDeploymentContext",
    "intendedPurpose",
    "obligation",
    "operatorRole",
    "requiresAiDisclosure",
    "review",
    "riskClassification",
}
OF_CLAIMS = {"foreseeableMisuse", "intendedDeploymentContext", "intendedPurpose"}
UNDECLARED = {
    "bare/1.0.0": FIELDS,
    "claims/1.0.0": OF_CLAIMS | {"operatorRole"},
    "claims/1.0.0/agents/clerk": OF_CLAIMS,
    "claims/1.0.0/agents/mirror": OF_CLAIMS | {"operatorRole"},
    "claims/1.0.0/agents/payer": OF_CLAIMS | {"operatorRole"},
    "clinic/2.0.0": {"foreseeableMisuse", "independentOf", "intendedPurpose", "operatorRole"},
    "desk/3.1.0": FIELDS,
    "desk/3.1.0/agents/plan": FIELDS - {"accountableOwner", "capability"},
    "desk/3.1.0/agents/write": FIELDS,
    "notes/1.0.0": FIELDS - {"accountableOwner"},
}

Rows = list[tuple[str, ...]]


def quads(*paths: Path) -> list[Quad]:
    found: list[Quad] = []
    for path in paths:
        audited = audit_path(str(path))
        assert isinstance(audited, Audit)
        found += of(audited)
    return found


def stored(found: list[Quad]) -> ox.Store:
    store = ox.Store()
    store.extend(ox.parse(nquads(found).encode(), format=ox.RdfFormat.N_QUADS))
    return store


@cache
def fleet() -> tuple[ox.Store, rdflib.Dataset]:
    found = quads(*sorted(FLEET.iterdir()))
    graph = dataset(found)
    graph.default_union = True
    return stored(found), graph


def short(iri: str) -> str:
    return curie(iri) or iri.removeprefix(BASE_IRI)


def text_of(name: str, given: dict[str, str]) -> str:
    query = named.load(name)
    return bind(query.text, named.values(query, given, PREFIXES))


def oxigraph(store: ox.Store, text: str) -> Rows:
    solutions = store.query(text, use_default_graph_as_union=True)
    assert isinstance(solutions, ox.QuerySolutions)
    rows: Rows = []
    for solution in solutions:
        cells = list(solution)
        assert all(isinstance(cell, (ox.NamedNode, ox.Literal)) for cell in cells), "an empty cell"
        rows.append(tuple(short(cell.value) if isinstance(cell, ox.NamedNode) else cell.value for cell in cells))
    return rows


def with_rdflib(graph: rdflib.Dataset, text: str) -> Rows:
    return [
        tuple(short(str(cell)) if isinstance(cell, rdflib.URIRef) else str(cell) for cell in row)
        for row in graph.query(text)
        if isinstance(row, rdflib.query.ResultRow)
    ]


def expected(text: str) -> Rows:
    """The rows of a case: `~` and digests put in."""
    rows: Rows = []
    for line in text.strip().splitlines():
        cells = [cell.strip() for cell in line.split(" | ")]
        home = "/".join(cells[0].split("/")[:2])
        found: list[str] = []
        for cell in cells:
            if cell.startswith("sha256:"):
                files = cell.removeprefix("sha256:").split(" + ")
                found += sorted(hashlib.sha256((FLEET / file).read_bytes()).hexdigest() for file in files)
            else:
                found.append(home + cell.removeprefix("~") if cell.startswith("~") else cell)
        rows.append(tuple(found))
    return sorted(rows)


@pytest.mark.parametrize(("name", "given", "rows"), CASES)
def test_rows_are_those_written_by_hand(name: str, given: dict[str, str], rows: str) -> None:
    assert sorted(oxigraph(fleet()[0], text_of(name, given))) == expected(rows)


def test_every_undeclared_field_of_every_subject_has_a_row() -> None:
    wanted = sorted(
        (subject, "agent" if "/agents/" in subject else "pack", f"pg:{field}")
        for subject, fields in UNDECLARED.items()
        for field in fields
    )
    assert sorted(oxigraph(fleet()[0], text_of("undeclared-fields", {}))) == wanted


@pytest.mark.filterwarnings("ignore:Dataset:DeprecationWarning")  # rdflib's own use of what it deprecates
@pytest.mark.parametrize(("name", "given"), [(name, given) for name, given, _ in CASES] + [("undeclared-fields", {})])
def test_engines_agree_on_rows_and_their_order(name: str, given: dict[str, str]) -> None:
    store, graph = fleet()
    text = text_of(name, given)
    rows = oxigraph(store, text)
    assert with_rdflib(graph, text) == rows
    assert len(set(rows)) == len(rows)


def test_every_query_and_every_parameter_has_a_case() -> None:
    assert len(NAMES) >= 24
    assert {name for name, _, _ in CASES} == set(NAMES)
    used = {(name, parameter) for name, given, _ in CASES for parameter in given}
    assert used == {(query.name, parameter.name) for query in named.catalogue() for parameter in query.parameters}


@pytest.mark.parametrize("name", NAMES)
def test_the_header_says_what_the_query_does(name: str) -> None:
    query = named.load(name)
    body = re.sub(r"(?m)^#.*\n", "", query.text)
    assert query.name == name and query.path.endswith(f"{name}.rq")
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name)
    assert query.title and query.question.endswith("?") and query.columns and query.example is not None
    order = re.findall(r"\?(\w+)", body[body.rindex("ORDER BY") :])
    columns = [column.name for column in query.columns]
    solutions = fleet()[0].query(text_of(name, dict(given_for(name))), use_default_graph_as_union=True)
    assert isinstance(solutions, ox.QuerySolutions)
    assert [variable.value for variable in solutions.variables] == columns
    assert all(f"?{parameter.name}" in body for parameter in query.parameters)
    assert order == columns  # so that the order is total


def given_for(name: str) -> tuple[tuple[str, str], ...]:
    example = named.load(name).example
    return example.given if example is not None else ()


@pytest.mark.parametrize("name", NAMES)
def test_the_example_is_true(name: str) -> None:
    example = named.load(name).example
    assert example is not None and example.rows
    found = oxigraph(stored(quads(*(ROOT / path for path in example.packs))), text_of(name, dict(example.given)))
    shown = [tuple(cell.removeprefix("<").removesuffix(">") for cell in row) for row in example.rows]
    assert [row for row in shown if row not in found] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_words_record_and_do_not_judge(name: str) -> None:
    header = "\n".join(line for line in named.load(name).text.splitlines() if line.startswith("#"))
    assert re.search(r"complian|violat|\brisky\b|satisfied|\bfails?\b", header, re.IGNORECASE) is None


@pytest.mark.parametrize("name", NAMES)
def test_sister_queries_that_are_named_exist(name: str) -> None:
    query = named.load(name)
    assert set(re.findall(r"\b[a-z]+(?:-[a-z]+){2,}\b", " ".join(query.notes))) <= set(NAMES)


def test_well_known_prefixes_are_all_in_the_query_on_prefixes() -> None:
    text = named.load("prefixes-with-two-meanings").text
    pairs = re.findall(r'\("([^"]+)" "([^"]+)"(?: "well known")?\)', text)
    assert sorted(pairs) == sorted([*WELL_KNOWN.items(), *WELL_KNOWN.items()])


def test_files_without_a_canonical_form_cannot_be_compared(tmp_path: Path) -> None:
    for name, number in (("one.json", "1"), ("other.json", "9007199254740993")):
        text = (FLEET / "notes.json").read_text(encoding="utf-8")
        (tmp_path / name).write_text(
            text.replace('"Take notes."', f'"Take notes.", "parameters": {{"top_k": {number}}}')
        )
    rows = oxigraph(stored(quads(tmp_path / "one.json", tmp_path / "other.json")), text_of("same-version-twice", {}))
    assert [(row[0], row[3]) for row in rows] == [("notes/1.0.0", "cannot be compared")]


# --- Headers

HEADER = """\
# title: Reviews
# question: Who
#   reviews?
# parameter: owner (string, optional): the owner
# parameter: days (integer, default 92): days, (at most)
# parameter: kind (string a|b, required): the kind
# parameter: class (term, default dpv:Data): the class
# column: review: the review
# column: owned_by: the owner
# example: samples/a.yaml samples/b.yaml --param owner=fair lending --param kind=a
#   pg:x | y
# note: One.
# note: Two.

# a comment of the query itself
SELECT ?review ?owned_by WHERE { ?review ?p ?owned_by }
"""


def test_a_header_is_parsed() -> None:
    query = named.parse(HEADER, "folder/mine.rq")
    assert (query.name, query.title, query.question) == ("mine", "Reviews", "Who reviews?")
    assert query.parameters == (
        named.Parameter("owner", "string", False, None, "the owner"),
        named.Parameter("days", "integer", False, "92", "days, (at most)"),
        named.Parameter("kind", "string", True, None, "the kind", ("a", "b")),
        named.Parameter("class", "term", False, "dpv:Data", "the class"),
    )
    assert query.columns == (named.Column("review", "the review"), named.Column("owned_by", "the owner"))
    assert query.example == named.Example(
        ("samples/a.yaml", "samples/b.yaml"), (("owner", "fair lending"), ("kind", "a")), (("pg:x", "y"),)
    )
    assert query.notes == ("One.", "Two.") and query.text == HEADER


@pytest.mark.parametrize("text", ["SELECT * WHERE { ?s ?p ?o }", "# mine\nASK { ?s ?p ?o }", "", "# note: x\nASK {}"])
def test_a_query_of_ones_own_needs_no_header(text: str) -> None:
    query = named.parse(text, "mine.rq")
    assert query == named.Query("mine", "mine", "", (), (), None, (), text, "mine.rq")


@pytest.mark.parametrize(
    ("line", "place", "message"),
    [
        ("# tittle: x", "mine.rq:2", "no entry of the header"),
        ("# just words", "mine.rq:2", "no entry of the header"),
        ("# parameter: owner", "mine.rq:2", "no parameter"),
        ("# parameter: owner (text, optional): x", "mine.rq:2", "no parameter"),
        ("# parameter: days (integer 1|2, optional): x", "mine.rq:2", "no parameter"),
        ("# parameter: owner (string, maybe): x", "mine.rq:2", "no parameter"),
        ("# column: review", "mine.rq:2", "no column"),
        ("# title: twice", "mine.rq:2", "stands twice"),
        ("# note:", "mine.rq:2", "empty"),
        ("# example: a.yaml", "mine.rq:2", "no example"),
        ("# example: a.yaml --param x\n#   a", "mine.rq:2", "no example"),
        ("# column: a: x\n# example: a.yaml\n#   1 | 2", "mine.rq:3", "2 cells and the answer 1 columns"),
        ("# column: a: x\n# column: a: y", "mine.rq", "'a' stands twice"),
    ],
)
def test_a_malformed_header_is_refused_with_its_line(line: str, place: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        named.parse(f"# title: Mine\n{line}\nASK {{}}\n", "mine.rq")
    assert caught.value.message.startswith(f"{place}: ") and message in caught.value.message
    assert caught.value.advice and caught.value.exit_code == 3


# --- Names and parameters


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        named.load("review-by-owner")
    assert caught.value.advice == "did you mean 'reviews-by-owner'?" and caught.value.exit_code == 2


@pytest.mark.parametrize("name", ["../ppgov", "reviews-by-owner.rq", "", "zzzzzzzzzzzz"])
def test_a_name_is_never_a_path(name: str) -> None:
    with pytest.raises(UsageError):
        named.load(name)


def test_the_catalogue_is_sorted() -> None:
    assert sorted(NAMES) == NAMES == sorted(path.stem for path in (ROOT / "vocab" / "queries").glob("*.rq"))


QUERY = named.parse(HEADER, "mine.rq")


def test_values_are_given_and_default() -> None:
    assert named.values(QUERY, {"kind": "b", "owner": '"}', "days": "007"}, PREFIXES) == {
        "kind": Term("literal", "b"),
        "owner": Term("literal", '"}'),
        "days": Term("literal", "7", XSD_INTEGER),
        "class": Term("iri", "https://w3id.org/dpv#Data"),
    }
    assert named.values(QUERY, {"kind": "a", "class": "pg:Tool", "days": "-1"}, PREFIXES) == {
        "kind": Term("literal", "a"),
        "days": Term("literal", "-1", XSD_INTEGER),
        "class": Term("iri", "https://w3id.org/ppgov/ns#Tool"),
    }
    assert (
        named.values(QUERY, {"kind": "a", "class": "https://x.example/y"}, {})["class"].value == "https://x.example/y"
    )


@pytest.mark.parametrize(
    ("given", "message", "advice"),
    [
        ({"kind": "a", "onwer": "x"}, "no parameter 'onwer'", "did you mean 'owner'?"),
        ({"kind": "a", "zzz": "x"}, "no parameter 'zzz'", "parameters: class, days, kind, owner"),
        ({}, "needs the parameter 'kind'", "the kind"),
        ({"kind": "c"}, "cannot be 'c'", "one of: a, b"),
        ({"kind": "a", "days": "many"}, "'many' is no whole number", "digits"),
        ({"kind": "a", "days": "1.5"}, "'1.5' is no whole number", "digits"),
        ({"kind": "a", "days": "٣"}, "is no whole number", "digits"),
        ({"kind": "a", "class": "acme:Thing"}, "'acme:Thing' gives no IRI", "known prefixes: dpv"),
        ({"kind": "a", "class": "some words"}, "'some words' gives no IRI", "CURIE"),
        ({"kind": "a", "class": "http://x> } DROP ALL #"}, "gives no IRI", "CURIE"),
    ],
)
def test_values_that_are_none_are_refused(given: dict[str, str], message: str, advice: str) -> None:
    with pytest.raises(UsageError) as caught:
        named.values(QUERY, given, {"dpv": WELL_KNOWN["dpv"]})
    assert message in caught.value.message and advice in caught.value.advice


def test_a_query_without_parameters_says_so() -> None:
    with pytest.raises(UsageError) as caught:
        named.values(named.parse("ASK {}", "mine.rq"), {"owner": "x"}, PREFIXES)
    assert "takes no parameters" in caught.value.advice


# --- The page


def page() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_queries", ROOT / "docs" / "make_queries.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_made_from_the_queries() -> None:
    made = page()
    written = (ROOT / "docs" / "queries.md").read_text(encoding="utf-8")
    assert made.renewed(written) == written, "run python docs/make_queries.py"
    for query in named.catalogue():
        assert f"### {query.name}\n" in written and f"(#{query.name})" in written


def test_the_query_that_the_page_shows_works() -> None:
    written = (ROOT / "docs" / "queries.md").read_text(encoding="utf-8")
    match = re.search(r"(?s)```sparql\n(.*?)```", written)
    assert match is not None
    query = named.parse(match[1], "mine.rq")
    assert [parameter.name for parameter in query.parameters] == ["owner", "days", "kind", "type"]
    assert query.example is not None
    store = stored(quads(*(ROOT / path for path in query.example.packs)))
    prefixes = "".join(f"PREFIX {prefix}: <{space}>\n" for prefix, space in PREFIXES.items())
    given = dict(query.example.given)
    text = prefixes + bind(query.text, named.values(query, given, PREFIXES))
    assert oxigraph(store, text) == [tuple(cell.strip("<>") for cell in row) for row in query.example.rows]
    none = prefixes + bind(query.text, named.values(query, given | {"owner": "nobody"}, PREFIXES))
    assert oxigraph(store, none) == []
