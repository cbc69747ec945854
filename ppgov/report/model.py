"""The report as data: the context of every template, and the content of the JSON report.

Plain values only (texts, numbers, booleans, tuples and the classes below). Texts stand as in the pack;
`render` makes them safe for its format. An empty text or tuple means that nothing is declared, unless a
`declared` beside it says otherwise. docs/templates.md describes every field for template authors.
"""

from __future__ import annotations

from dataclasses import dataclass

FORMAT = "ppgov-report/1"


@dataclass(frozen=True, slots=True)
class Where:
    """A place in the pack: RFC 6901 pointer, 1-based line and column."""

    pointer: str
    line: int | None
    column: int | None


@dataclass(frozen=True, slots=True)
class TermRef:
    """A term as written and what it expands to; `href` is the IRI when it is http(s), else empty."""

    written: str
    form: str
    iri: str
    href: str
    label: str
    standing: str


@dataclass(frozen=True, slots=True)
class Item:
    """One text of a value. `term` is set in the slots that hold terms."""

    text: str
    where: Where
    term: TermRef | None = None


@dataclass(frozen=True, slots=True)
class Value:
    """A declaration, or its absence. `shape`: text, list, term, terms, flag, number, code (JSON as written), summary.

    `origin` is "pack" or "agent" where a value could come from either, else empty. `refused` says in words why the
    format does not take the value, which is shown as written all the same; empty for a value that it takes.
    """

    declared: bool
    shape: str = "text"
    items: tuple[Item, ...] = ()
    origin: str = ""
    where: Where | None = None
    note: str = ""
    refused: str = ""

    @property
    def text(self) -> str:
        """The items as one text."""
        return "; ".join(item.text for item in self.items)


@dataclass(frozen=True, slots=True)
class Note:
    """Something to know of one place in the pack."""

    text: str
    where: Where


@dataclass(frozen=True, slots=True)
class Notes:
    """What the format refuses in a section, and what is declared empty there; `_more` are those that are not listed."""

    section: str
    refused: tuple[Note, ...]
    refused_more: int
    empty: tuple[Note, ...]
    empty_more: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A named value: one row of a list of properties."""

    name: str
    value: Value


@dataclass(frozen=True, slots=True)
class VocabularySource:
    title: str
    release: str
    date: str
    namespaces: tuple[str, ...]
    sha256: str


@dataclass(frozen=True, slots=True)
class Cover:
    id: str
    name: str
    version: str
    description: str
    path: str
    form: str
    bytes: int
    sha256: str
    canonical_sha256: str
    schema: str
    format_version: str
    vocabularies: tuple[VocabularySource, ...]
    generated_at: str
    is_not: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Count:
    """`part` of `whole`; `whole` is None where the count stands for itself."""

    label: str
    part: int
    whole: int | None
    section: str


@dataclass(frozen=True, slots=True)
class Summary:
    """`statements` are sentences about what is missing or could not be read."""

    governance_declared: bool
    statements: tuple[str, ...]
    counts: tuple[Count, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """One governance field of the pack; `about` says what the field is for."""

    field: str
    title: str
    about: str
    value: Value


@dataclass(frozen=True, slots=True)
class AgentFact:
    """A field in force for an agent. `departure` is empty, "replaces", "overlays", "adds", "repeats" or "rebinds"."""

    field: str
    title: str
    value: Value
    departure: str
    pack_value: Value


@dataclass(frozen=True, slots=True)
class Agent:
    key: str
    entry: bool
    where: Where
    properties: tuple[Entry, ...]
    declares: bool
    facts: tuple[AgentFact, ...]
    departures: tuple[str, ...]
    undeclared: tuple[str, ...]
    prompts: tuple[str, ...]
    tools: tuple[str, ...]
    states: tuple[str, ...]
    compositions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """The tools of one effect and one reversibility; an empty name means undeclared."""

    effect: str
    reversibility: str
    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    type: str
    required: bool
    description: str


@dataclass(frozen=True, slots=True)
class Tool:
    key: str
    description: str
    where: Where
    scope_declared: bool
    effect: Value
    reversibility: Value
    data_classes: Value
    reached_by: tuple[str, ...]
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True, slots=True)
class Tools:
    """`by_agents`: reach was computed for agents; else for the pack as its own subject."""

    effects: tuple[str, ...]
    reversibilities: tuple[str, ...]
    matrix: tuple[MatrixCell, ...]
    by_agents: bool
    tools: tuple[Tool, ...]


@dataclass(frozen=True, slots=True)
class Validator:
    prompt: str
    id: str
    type: str
    where: Where
    enabled: Value
    message: Value
    params: Value
    fail_on_violation: Value
    named_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Eval:
    """`prompt` is empty for an eval of the pack."""

    prompt: str
    id: str
    type: str
    where: Where
    trigger: Value
    sample: Value
    threshold: Value
    enabled: Value
    details: tuple[Entry, ...]
    named_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ToolPolicy:
    prompt: str
    where: Where
    tool_choice: Value
    max_rounds: Value
    max_calls: Value
    blocklist: Value


@dataclass(frozen=True, slots=True)
class Guardrails:
    validators: tuple[Validator, ...]
    evals: tuple[Eval, ...]
    policies: tuple[ToolPolicy, ...]


@dataclass(frozen=True, slots=True)
class Target:
    """What a reference leads to; `holder` says in words which prompt or which part of the pack holds it."""

    where: Where
    holder: str
    enabled: bool


@dataclass(frozen=True, slots=True)
class Reference:
    """`kind` is field, validator, eval, external or obligation; `words` says where it leads.

    `outcome`: resolved, disabled, unresolved, field-undeclared, unknown-field, not-resolvable.
    """

    kind: str
    written: str
    outcome: str
    words: str
    where: Where
    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class Obligation:
    """`remark` is empty unless all controls are external, or none of them resolves."""

    id: str
    term: Value
    applies_to: tuple[Entry, ...]
    note: Value
    controls: tuple[Reference, ...]
    malformed: tuple[Item, ...]
    external_only: bool
    remark: str
    reviews: tuple[str, ...]
    where: Where


@dataclass(frozen=True, slots=True)
class ObligationTable:
    """The obligations of one subject: an empty `agent` is the pack. `inherited`: only those that come out otherwise."""

    agent: str
    inherited: bool
    obligations: tuple[Obligation, ...]


@dataclass(frozen=True, slots=True)
class Review:
    id: str
    type: Value
    cadence: Value
    cadence_words: str
    owner: Value
    satisfies: tuple[Reference, ...]
    eval: Reference | None
    where: Where


@dataclass(frozen=True, slots=True)
class ReviewTable:
    agent: str
    inherited: bool
    reviews: tuple[Review, ...]


@dataclass(frozen=True, slots=True)
class Independence:
    """A requirement in force; an empty `agent` is the pack. `note` marks the format's own default."""

    agent: str
    origin: str
    axes: tuple[Item, ...]
    enforcement: str
    enforcement_declared: bool
    note: str
    where: Where


@dataclass(frozen=True, slots=True)
class Provider:
    key: str
    role: str
    where: Where
    required: str
    description: str
    capabilities: tuple[Entry, ...]
    used_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TestedModel:
    prompt: str
    provider: str
    model: str
    date: str
    where: Where
    results: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Models:
    providers: tuple[Provider, ...]
    tested: tuple[TestedModel, ...]


@dataclass(frozen=True, slots=True)
class Transition:
    """`event` is empty for the way out when `max_visits` is reached; `known`: the target state exists."""

    event: str
    target: str
    known: bool
    where: Where


@dataclass(frozen=True, slots=True)
class State:
    key: str
    entry: bool
    terminal: bool
    reached: bool
    runs: str
    where: Where
    properties: tuple[Entry, ...]
    max_visits: str
    transitions: tuple[Transition, ...]


@dataclass(frozen=True, slots=True)
class Workflow:
    """`stops` are the declared stopping conditions, in words."""

    declared: bool
    version: str
    entry: str
    where: Where | None
    states: tuple[State, ...]
    budget: tuple[Entry, ...]
    engine: tuple[Entry, ...]
    stops: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    rule: str
    name: str
    level: str
    message: str
    hint: str
    where: Where
    related: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    errors: int
    warnings: int
    notes: int
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class GlossaryTerm:
    """`uses` are the slots in words, `lines` the places."""

    term: TermRef
    vocabulary: str
    uses: tuple[str, ...]
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PrefixUse:
    prefix: str
    namespace: str
    origin: str


@dataclass(frozen=True, slots=True)
class Glossary:
    terms: tuple[GlossaryTerm, ...]
    prefixes: tuple[PrefixUse, ...]


@dataclass(frozen=True, slots=True)
class Variable:
    name: str
    type: str
    required: str
    where: Where
    details: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Prompt:
    key: str
    where: Where
    properties: tuple[Entry, ...]
    template: Value
    template_sha256: str
    template_length: int
    tools: Value
    variables: tuple[Variable, ...]
    overrides: tuple[Entry, ...]
    media: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class TextDigest:
    """A text of the pack by its digest; `length` in characters."""

    key: str
    sha256: str
    length: int
    where: Where


@dataclass(frozen=True, slots=True)
class Step:
    """`depth` is 0 for a step of the composition, one more for each enclosing parallel step."""

    id: str
    kind: str
    depth: int
    where: Where
    properties: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Composition:
    key: str
    where: Where
    properties: tuple[Entry, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Inventory:
    prompts: tuple[Prompt, ...]
    fragments: tuple[TextDigest, ...]
    skills: tuple[Entry, ...]
    compositions: tuple[Composition, ...]
    metadata: tuple[Entry, ...]
    compilation: tuple[Entry, ...]
    template_engine: tuple[Entry, ...]
    rest: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Extension:
    """One `extensions` object, as JSON text; nothing in it was read."""

    holder: str
    text: str
    where: Where


@dataclass(frozen=True, slots=True)
class RuleRun:
    """A rule and the parts of the pack on which it could not run."""

    id: str
    name: str
    level: str
    clause: str
    title: str
    not_run_on: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Method:
    tool: str
    format_version: str
    statements: tuple[str, ...]
    rules: tuple[RuleRun, ...]


@dataclass(frozen=True, slots=True)
class SignOff:
    statement: str
    roles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    format: str
    cover: Cover
    notes: tuple[Notes, ...]
    summary: Summary
    facts: tuple[Fact, ...]
    agents: tuple[Agent, ...]
    tools: Tools
    guardrails: Guardrails
    obligations: tuple[ObligationTable, ...]
    reviews: tuple[ReviewTable, ...]
    independence: tuple[Independence, ...]
    models: Models
    workflow: Workflow
    findings: Findings
    glossary: Glossary
    inventory: Inventory
    extensions: tuple[Extension, ...]
    method: Method
    signoff: SignOff
