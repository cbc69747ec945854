"""Pictures of the report as SVG text: consequences, controls, workflow. A table beside each says the same in words.

Presentation attributes carry the light colours (WeasyPrint reads only these); the classes let the page's
style sheet recolour them for dark screens. One unit is about a quarter of a millimetre on A4.

The workflow is laid out here: states stand in one column in the order in which they are reached, each
transition leaves its own line of the box, forward ones run on the right and returns on the left, every
one in a lane of its own. A layered layout from a library (grandalf is the one in pure Python, without a
release since 2023) places boxes but neither routes labelled edges nor cuts a tall drawing at a page end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from ppgov.report.model import MatrixCell, ObligationTable, Reference, Report, State, Tools, Workflow
from ppgov.visible import shorten, visible, width

WIDTH = 680
PAGE, PART = 880, 430  # tallest drawing that fits a page of the PDF beside its caption; of the parts of a taller one

INK, MUTED, LINE, TINT, ACCENT, PAPER = "#1b1f24", "#57606a", "#8c959f", "#e6eef6", "#0b4f8a", "#ffffff"
SANS, MONO = "IBM Plex Sans", "IBM Plex Mono"


@dataclass(frozen=True, slots=True)
class Svg:
    """One drawing. Templates print it as it is: every text in it has been escaped."""

    text: str

    def __html__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Pictures:
    """`consequence` is None without tools; `controls` has some for each obligation table, `workflow` one or more."""

    consequence: Svg | None
    controls: tuple[tuple[Svg, ...], ...]
    workflow: tuple[Svg, ...]


@dataclass(frozen=True, slots=True)
class Pen:
    """Draws with characters that no font has shown as code points."""

    missing: frozenset[str]

    def safe(self, text: str) -> str:
        return visible(text, self.missing)

    def text(self, x: float, y: float, text: str, *, size: float = 10, mono: bool = False, bold: bool = False,
             anchor: str = "start", fill: str = INK, columns: int = 0) -> str:  # fmt: skip
        shown = self.safe(text)
        shown = escape(shorten(shown, columns) if columns else shown)
        weight = ' font-weight="600"' if bold else ""
        return (
            f'<text x="{_n(x)}" y="{_n(y)}" font-family="{MONO if mono else SANS}" font-size="{_n(size)}"{weight}'
            f' text-anchor="{anchor}" fill="{fill}" class="{_INKS[fill]}{" mono" if mono else ""}">{shown}</text>'
        )

    def svg(self, top: float, height: float, title: str, parts: Sequence[str]) -> Svg:
        name = escape(self.safe(title))
        return Svg(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 {_n(top)} {WIDTH} {_n(height)}" width="{WIDTH}"'
            f' height="{_n(height)}" role="img" aria-label="{name}"><title>{name}</title>{"".join(parts)}</svg>'
        )


_INKS = {INK: "ink", MUTED: "muted", ACCENT: "accent"}


def _n(number: float) -> str:
    """A number as short as it can be, so that the bytes do not depend on rounding noise."""
    return f"{number:.1f}".removesuffix(".0")


def _box(x: float, y: float, w: float, h: float, *, kind: str = "cell", dashed: bool = False) -> str:
    fill, stroke = {"cell": (PAPER, LINE), "full": (TINT, ACCENT), "plain": ("none", LINE)}[kind]
    dash = ' stroke-dasharray="3 2"' if dashed else ""
    return (
        f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(w)}" height="{_n(h)}" fill="{fill}" stroke="{stroke}"'
        f' stroke-width="0.8"{dash} class="{kind}"/>'
    )


def _line(x1: float, y1: float, x2: float, y2: float, *, dashed: bool = False, colour: str = ACCENT) -> str:
    dash = ' stroke-dasharray="4 2.5"' if dashed else ""
    return (
        f'<line x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}" stroke="{colour}" stroke-width="1"{dash}'
        f' class="{"edge" if colour == ACCENT else "rule"}"/>'
    )


def draw(report: Report, missing: frozenset[str] = frozenset()) -> Pictures:
    pen = Pen(missing)
    return Pictures(
        consequence=consequence(pen, report.tools) if report.tools.tools else None,
        controls=tuple(() if table.inherited else tuple(controls(pen, table)) for table in report.obligations),
        workflow=tuple(workflow(pen, report.workflow)) if report.workflow.states else (),
    )


_NAMES_SHOWN = 8
_HEAD = 104


def consequence(pen: Pen, tools: Tools) -> Svg:
    """Effect across, reversibility down; what is not declared has a dashed column and a dashed row of its own."""
    wide = (WIDTH - _HEAD - 2) / len(tools.effects)
    parts = [pen.text(0, 11, "reversibility ↓  effect →", size=8.5, fill=MUTED)]
    for index, effect in enumerate(tools.effects):
        x = _HEAD + index * wide
        note = " (implies write)" if effect == "external" else ""
        parts.append(pen.text(x + 6, 11, (effect or "not declared") + note, size=10, bold=True, columns=26))
    y = 18.0
    for way in tools.reversibilities:
        row = [cell for cell in tools.matrix if cell.reversibility == way]
        high = 24 + 11 * max(1, *(min(len(cell.tools), _NAMES_SHOWN + 1) for cell in row))
        parts.append(pen.text(0, y + 16, way or "not declared", size=10, bold=True, columns=18))
        for index, cell in enumerate(row):
            parts.extend(_matrix_cell(pen, cell, _HEAD + index * wide, y, wide, high))
        y += high + 4
    filled = [cell for cell in tools.matrix if cell.tools]
    told = "; ".join(
        f"{cell.effect or 'effect not declared'} and {cell.reversibility or 'reversibility not declared'}:"
        f" {len(cell.tools)}"
        for cell in filled
    )
    return pen.svg(0, y, f"Consequence matrix of {len(tools.tools)} tools. {told}.", parts)


def _matrix_cell(pen: Pen, cell: MatrixCell, x: float, y: float, wide: float, high: float) -> Iterator[str]:
    undeclared = not (cell.effect and cell.reversibility)
    yield _box(x, y, wide - 4, high, kind="full" if cell.tools else "cell", dashed=undeclared)
    if not cell.tools:
        yield pen.text(x + 6, y + 16, "0", size=10, fill=MUTED)
        return
    yield pen.text(x + 6, y + 16, str(len(cell.tools)), size=12, bold=True)
    columns = int((wide - 16) / 5.1)
    for index, name in enumerate(cell.tools[:_NAMES_SHOWN]):
        yield pen.text(x + 6, y + 29 + index * 11, name, size=8.5, mono=True, columns=columns)
    if len(cell.tools) > _NAMES_SHOWN:
        more = f"and {len(cell.tools) - _NAMES_SHOWN} more"
        yield pen.text(x + 6, y + 29 + _NAMES_SHOWN * 11, more, size=8.5, fill=MUTED)


_KINDS = (
    ("field", "declared (field)"),
    ("validator", "enforced (validator)"),
    ("eval", "watched (eval)"),
    ("external", "handled elsewhere"),
)
_ROWS = 44
_LABEL = 190
_KIND_WIDTH = 98


def controls(pen: Pen, table: ObligationTable) -> Iterator[Svg]:
    """One row an obligation, one column a kind of control, one mark a control; shapes differ, not colours."""
    for start in range(0, len(table.obligations), _ROWS):
        rows = table.obligations[start : start + _ROWS]
        parts = [
            pen.text(_LABEL + index * _KIND_WIDTH + 4, 10, words, size=8.5, bold=True)
            for index, (_, words) in enumerate(_KINDS)
        ]
        for number, row in enumerate(rows):
            y = 16 + number * 16
            parts.append(_line(0, y, WIDTH, y, colour=LINE))
            parts.append(pen.text(2, y + 11.5, row.id or "(no id)", size=9, mono=True, columns=33))
            for index, (kind, _) in enumerate(_KINDS):
                marks = [control for control in row.controls if control.kind == kind]
                parts.extend(_marks(pen, marks, _LABEL + index * _KIND_WIDTH + 10, y + 8))
            if row.external_only:
                parts.append(pen.text(WIDTH - 2, y + 11.5, "external only", size=8.5, bold=True, anchor="end"))
        bottom = 16 + len(rows) * 16
        parts.append(_line(0, bottom, WIDTH, bottom, colour=LINE))
        parts.extend(_legend(pen, bottom + 14))
        title = f"{len(rows)} of {len(table.obligations)} obligations by kind of control; the table names each target."
        yield pen.svg(0, bottom + 22, title, parts)


def _marks(pen: Pen, marks: Sequence[Reference], x: float, y: float) -> Iterator[str]:
    for index, control in enumerate(marks[:6]):
        some_off = control.outcome == "resolved" and not all(target.enabled for target in control.targets)
        yield _mark("partly" if some_off else control.outcome, x + index * 13, y)
    if len(marks) > 6:
        yield pen.text(x + 6 * 13 - 4, y + 3.5, f"+{len(marks) - 6}", size=8.5)


def _mark(outcome: str, x: float, y: float) -> str:
    """A disc leads somewhere, a barred ring to something switched off, a cross nowhere, a dashed square is external.

    A half disc leads to several things, of which some are switched off.
    """
    if outcome == "resolved":
        return f'<circle cx="{_n(x)}" cy="{_n(y)}" r="4" fill="{ACCENT}" class="dot"/>'
    if outcome == "not-resolvable":
        return _box(x - 4, y - 4, 8, 8, kind="plain", dashed=True)
    ring = f'<circle cx="{_n(x)}" cy="{_n(y)}" r="4" fill="none" stroke="{ACCENT}" stroke-width="1.2" class="edge"/>'
    if outcome == "disabled":
        return ring + _line(x - 4, y + 4, x + 4, y - 4)
    if outcome == "partly":
        half = f"M{_n(x)} {_n(y - 4)}A4 4 0 0 0 {_n(x)} {_n(y + 4)}Z"
        return ring + f'<path d="{half}" fill="{ACCENT}" class="dot"/>'
    return _line(x - 3.5, y - 3.5, x + 3.5, y + 3.5) + _line(x - 3.5, y + 3.5, x + 3.5, y - 3.5)


def _legend(pen: Pen, y: float) -> Iterator[str]:
    x = 6.0
    for outcome, words in (
        ("resolved", "leads to something declared"),
        ("partly", "partly switched off"),
        ("disabled", "leads to something switched off"),
        ("unresolved", "leads nowhere"),
        ("not-resolvable", "external: nothing to resolve"),
    ):
        yield _mark(outcome, x, y - 3)
        yield pen.text(x + 9, y, words, size=8.5, fill=MUTED)
        x += 24 + width(words) * 4.6


# The workflow.

_LEFT, _RIGHT = 190, 490  # the edges of the state boxes
_ROW, _TOP, _GAP = 13, 32, 16


@dataclass(frozen=True, slots=True)
class _Box:
    state: State
    top: float
    height: float

    @property
    def port(self) -> float:
        """Where transitions arrive."""
        return self.top + 11


@dataclass(frozen=True, slots=True)
class _Edge:
    start: float
    end: float
    back: bool
    dashed: bool


_MOST_STATES = 150
_MOST_LINES = 500


def workflow(pen: Pen, flow: Workflow) -> Iterator[Svg]:
    """The state diagram, cut between boxes where it is taller than a page; lines run on at the same place."""
    if len(flow.states) > _MOST_STATES or sum(len(state.transitions) for state in flow.states) > _MOST_LINES:
        return  # nobody can follow so many lines, and each part of the picture would repeat them all
    boxes = _place(flow)
    lanes = _lanes(list(_edges(boxes)))
    slices = _cut(boxes)
    count = sum(len(state.transitions) for state in flow.states)
    for number, (top, bottom, part) in enumerate(slices, 1):
        parts = [shape for box in part for shape in _state(pen, box)]
        for edge, lane in lanes:
            parts.extend(_edge(edge, lane, top, bottom))
        start = flow.entry or "no declared entry"
        name = f"Workflow of {len(flow.states)} states and {count} transitions, starting at {start}"
        more = f", part {number} of {len(slices)}" if len(slices) > 1 else ""
        yield pen.svg(top, bottom - top, f"{name}{more}; the table below says the same in words.", parts)


def _place(flow: Workflow) -> list[_Box]:
    """States in the order in which a walk from the entry meets them, then those that it never meets."""
    states = {state.key: state for state in flow.states}
    order: dict[str, None] = {}
    pending = [flow.entry]
    while pending:
        key = pending.pop(0)
        if key in states and key not in order:
            order[key] = None
            pending.extend(transition.target for transition in states[key].transitions)
    y = 4.0
    boxes = []
    for key in (*order, *(key for key in states if key not in order)):
        height = _TOP + _ROW * len(states[key].transitions) + (5 if states[key].transitions else 0)
        boxes.append(_Box(states[key], y, height))
        y += height + _GAP
    return boxes


def _edges(boxes: Sequence[_Box]) -> Iterator[_Edge]:
    at = {box.state.key: box for box in boxes}
    for box in boxes:
        for index, transition in enumerate(box.state.transitions):
            target = at.get(transition.target)
            if target is not None:
                start = box.top + _TOP + _ROW * index + 4
                yield _Edge(start, target.port, target.top <= box.top, not transition.event)


def _lanes(edges: Sequence[_Edge]) -> list[tuple[_Edge, float]]:
    """Each edge with the x of its vertical: short ones nearest to the boxes, none on top of another."""
    placed: dict[bool, list[list[_Edge]]] = {False: [], True: []}
    for edge in sorted(edges, key=lambda e: (abs(e.end - e.start), e.start)):
        low, high = sorted((edge.start, edge.end))
        for lane in placed[edge.back]:
            if all(high < min(e.start, e.end) - 2 or low > max(e.start, e.end) + 2 for e in lane):
                lane.append(edge)
                break
        else:
            placed[edge.back].append([edge])
    result: list[tuple[_Edge, float]] = []
    for back, lanes in placed.items():
        step = min(11.0, 170 / max(1, len(lanes)))
        for index, lane in enumerate(lanes):
            x = _LEFT - 14 - index * step if back else _RIGHT + 14 + index * step
            result.extend((edge, x) for edge in lane)
    return sorted(result, key=lambda pair: (pair[0].start, pair[0].end, pair[1]))


def _cut(boxes: Sequence[_Box]) -> list[tuple[float, float, list[_Box]]]:
    """(top, bottom, boxes) of each part: one page, or else parts of half a page, which leave less of it empty."""
    parts: list[tuple[float, float, list[_Box]]] = []
    limit = PAGE if boxes[-1].top + boxes[-1].height <= PAGE else PART
    top, held = 0.0, list[_Box]()
    for box in boxes:
        if held and box.top + box.height - top > limit:
            bottom = box.top - _GAP / 2
            parts.append((top, bottom, held))
            top, held = bottom, []
        held.append(box)
    last = held[-1]
    parts.append((top, last.top + last.height + 4, held))
    return parts


def _state(pen: Pen, box: _Box) -> Iterator[str]:
    state, wide = box.state, _RIGHT - _LEFT
    yield _box(_LEFT, box.top, wide, box.height, kind="full" if state.reached else "cell", dashed=not state.reached)
    if state.terminal:
        yield _box(_LEFT + 2.5, box.top + 2.5, wide - 5, box.height - 5, kind="plain")
    flags = [
        word
        for word, on in (
            ("entry", state.entry),
            ("terminal", state.terminal),
            ("not reached from the entry", not state.reached),
        )
        if on
    ]
    if state.max_visits:
        flags.append(f"max {shorten(state.max_visits, 6)} visits")
    tail = ", ".join(flags)
    yield pen.text(_LEFT + 8, box.top + 14, state.key, size=10.5, bold=True, columns=44 - width(tail))
    if tail:
        yield pen.text(_RIGHT - 8, box.top + 14, tail, size=8.5, anchor="end", fill=MUTED)
    yield pen.text(
        _LEFT + 8, box.top + 26, state.runs or "runs: not declared", size=8.5, mono=True, fill=MUTED, columns=54
    )
    for index, transition in enumerate(state.transitions):
        target = shorten(pen.safe(transition.target), 24) + ("" if transition.known else " (no such state)")
        event = transition.event or "at max visits"
        label = f"{shorten(pen.safe(event), 54 - 3 - width(target))} → {target}"
        yield pen.text(_LEFT + 14, box.top + _TOP + _ROW * index + 7, label, size=8.5, columns=60)


def _edge(edge: _Edge, x: float, top: float, bottom: float) -> Iterator[str]:
    """The three strokes of a transition as far as they lie between top and bottom, and its arrow head."""
    side = _LEFT if edge.back else _RIGHT
    if top <= edge.start < bottom:
        yield _line(side, edge.start, x, edge.start, dashed=edge.dashed)
    low, high = max(top, min(edge.start, edge.end)), min(bottom, max(edge.start, edge.end))
    if low < high:
        yield _line(x, low, x, high, dashed=edge.dashed)
    if top <= edge.end < bottom:
        tip = side - 1 if edge.back else side + 1
        base = tip - 6 if edge.back else tip + 6
        yield _line(x, edge.end, base, edge.end, dashed=edge.dashed)
        points = f"{_n(tip)},{_n(edge.end)} {_n(base)},{_n(edge.end - 3)} {_n(base)},{_n(edge.end + 3)}"
        yield f'<polygon points="{points}" fill="{ACCENT}" class="dot"/>'
