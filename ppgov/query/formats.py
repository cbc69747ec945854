"""Answers as bytes: the W3C's result formats with the data as it is, and forms for people with short names."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from ppgov.errors import UsageError
from ppgov.graph.token import XSD
from ppgov.markdown import plain_markdown
from ppgov.query.table import PREFIXES, Answer, Form, Table, Term, curie, written
from ppgov.visible import visible, width

if TYPE_CHECKING:
    from ppgov.workbook import Scalar

# The formats of each kind of answer; the first is the default.
FORMATS: dict[Form, tuple[str, ...]] = {
    "select": ("table", "csv", "tsv", "json", "xml", "markdown", "xlsx"),
    "ask": ("table", "json", "xml"),
    "graph": ("turtle", "nquads"),
}
ALL_FORMATS = tuple(dict.fromkeys(form for forms in FORMATS.values() for form in forms))

_NUMERIC = frozenset(f"{XSD}{name}" for name in ("integer", "decimal", "double", "float"))
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII).fullmatch
_INTEGER = re.compile(r"[+-]?[0-9]{1,15}", re.ASCII).fullmatch
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_RELATIVE = re.compile(r"[A-Za-z0-9_%~][A-Za-z0-9_%~.\-]*(?:/[A-Za-z0-9_%~][A-Za-z0-9_%~.\-]*)*").fullmatch
_BELOW = "<…>"
_RESULTS = "http://www.w3.org/2005/sparql-results#"


def fitting(form: Form, wanted: str | None) -> str:
    """The format to write. Raises UsageError for one that this kind of answer does not have."""
    if wanted is None:
        return FORMATS[form][0]
    if wanted not in FORMATS[form]:
        kind = {"select": "SELECT", "ask": "ASK", "graph": "CONSTRUCT and DESCRIBE"}[form]
        raise UsageError(f"{kind} cannot be written as {wanted}", f"formats: {', '.join(FORMATS[form])}")
    return wanted


def write(answer: Answer, form: str, *, labels: bool = False, locate: bool = False, base_iri: str = "") -> bytes:
    """The answer in a format that fits it. IRIs below `base_iri` are shortened in the forms for people."""
    fitting(answer.form, form)
    if answer.form == "graph":
        return answer.triples.encode() if form == "nquads" else _turtle(answer.triples)
    if answer.table is None:
        return _truth(form, truth=bool(answer.truth))
    table = answer.table if locate else answer.table._replace(places={})
    table = table if labels else table._replace(labels={})
    if form in _EXACT:
        return _EXACT[form](_widened(table))
    return _SHOWN[form](_shown(table, base_iri))


def _truth(form: str, *, truth: bool) -> bytes:
    word = "true" if truth else "false"
    if form == "json":
        return f'{{"head":{{}},"boolean":{word}}}\n'.encode()
    if form == "xml":
        return f'<?xml version="1.0"?>\n<sparql xmlns="{_RESULTS}"><head/><boolean>{word}</boolean></sparql>\n'.encode()
    return f"{word}\n".encode()


def _turtle(triples: str) -> bytes:
    import pyoxigraph as ox

    used = {prefix: space for prefix, space in PREFIXES.items() if f"<{space}" in triples}
    parsed = (quad.triple for quad in ox.parse(triples.encode(), format=ox.RdfFormat.N_TRIPLES))
    content = ox.serialize(parsed, format=ox.RdfFormat.TURTLE, prefixes=used) or b""
    lines = content.splitlines(keepends=True)
    header = [line for line in lines if line.startswith(b"@prefix ")]  # in the order of a hash map
    return b"".join(sorted(header) + lines[len(header) :])


# --- columns beside a variable


_Known = Mapping[str, tuple[str, ...]]


def _widened(table: Table) -> Table:
    """The table with its labels and places as variables of their own, `x_label` and `x_location` beside `x`."""
    if not table.labels and not table.places:
        return table
    labels = {iri: (label,) for iri, label in table.labels.items()}
    names: list[str] = []
    columns: list[tuple[int, _Known | None]] = []  # the column that it stands beside, and what is known of its terms
    for at, variable in enumerate(table.variables):
        names.append(variable)
        columns.append((at, None))
        for what, known in (("label", labels), ("location", table.places)):
            if any(_of(row[at], known) for row in table.rows):
                names.append(_free(f"{variable}_{what}", (*table.variables, *names)))
                columns.append((at, known))
    rows = [tuple(row[at] if known is None else _of(row[at], known) for at, known in columns) for row in table.rows]
    return Table(tuple(names), rows)


def _of(term: Term | None, known: _Known) -> Term | None:
    """What is known of an IRI, or of a term as a pack writes it, as one text."""
    values = known.get(term.value) if term is not None and term.kind != "bnode" else None
    return Term("literal", " ".join(values)) if values else None


def _free(name: str, taken: Iterable[str]) -> str:
    while name in taken:
        name += "_"
    return name


# --- the W3C's formats


def _csv(table: Table) -> bytes:
    """SPARQL 1.1 CSV; a text that a spreadsheet would take for a formula gets an apostrophe."""
    from ppgov.workbook import inert

    def cell(term: Term | None) -> str:
        if term is None:
            return ""
        if term.kind == "bnode":
            return f"_:{term.value}"
        return term.value if term.datatype in _NUMERIC and _NUMBER(term.value) else inert(term.value)

    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow(table.variables)
    if len(table.variables) == 1:  # an unbound cell alone is an empty line, not a pair of quotation marks
        alone = csv.writer(stream)
        for (term,) in table.rows:
            if term is None:
                stream.write("\r\n")
            else:
                alone.writerow([cell(term)])
    else:
        writer.writerows([cell(term) for term in row] for row in table.rows)
    return stream.getvalue().encode()


def _tsv(table: Table) -> bytes:
    lines = ["\t".join(f"?{variable}" for variable in table.variables)]
    lines += ("\t".join("" if term is None else written(term) for term in row) for row in table.rows)
    return "".join(f"{line}\n" for line in lines).encode()


def _json(table: Table) -> bytes:
    """One solution a line."""
    head = _json_text({"vars": list(table.variables)})
    rows = [
        _json_text({name: _bound(t) for name, t in zip(table.variables, row, strict=True) if t is not None})
        for row in table.rows
    ]
    body = ",\n".join(rows)
    return f'{{"head":{head},"results":{{"bindings":[\n{body}\n]}}}}\n'.encode()


def _bound(term: Term) -> dict[str, str]:
    bound = {"type": {"iri": "uri", "bnode": "bnode", "literal": "literal"}[term.kind], "value": term.value}
    if term.language:
        bound["xml:lang"] = term.language
    elif term.datatype:
        bound["datatype"] = term.datatype
    return bound


def _json_text(value: object) -> str:
    """What nobody can see is written as its escape."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def _xml(table: Table) -> bytes:
    """XML has no way to write most control characters: they become U+FFFD."""
    head = "".join(f"<variable name={quoteattr(variable)}/>" for variable in table.variables)
    lines = [f'<?xml version="1.0"?>\n<sparql xmlns="{_RESULTS}">\n<head>{head}</head>\n<results>']
    for row in table.rows:
        cells = (
            f"<binding name={quoteattr(name)}>{_element(term)}</binding>"
            for name, term in zip(table.variables, row, strict=True)
            if term is not None
        )
        lines.append(f"<result>{''.join(cells)}</result>")
    return ("\n".join(lines) + "\n</results>\n</sparql>\n").encode()


def _element(term: Term) -> str:
    value = escape(_NOT_XML.sub("\ufffd", term.value), {"\r": "&#xD;"})
    if term.kind == "iri":
        return f"<uri>{value}</uri>"
    if term.kind == "bnode":
        return f"<bnode>{value}</bnode>"
    if term.language:
        return f"<literal xml:lang={quoteattr(term.language)}>{value}</literal>"
    return f"<literal datatype={quoteattr(term.datatype)}>{value}</literal>" if term.datatype else _plain(value)


def _plain(value: str) -> str:
    return f"<literal>{value}</literal>"


# --- forms for people


class _Cell(NamedTuple):
    """A term as people read it: `name` is set for what can have a label, and then `text` is the label."""

    name: str = ""
    text: str = ""
    term: Term | None = None
    uses: tuple[str, str] | None = None  # what shortens the name, and what that stands for

    def __str__(self) -> str:
        return f'{self.name} "{self.text}"' if self.name and self.text else self.name or self.text


class _Page(NamedTuple):
    """A table for people. `names` says what the short names stand for."""

    header: tuple[str, ...]
    rows: list[tuple[_Cell, ...]]
    names: list[tuple[str, str]]


def _shown(table: Table, base_iri: str) -> _Page:
    placed = _widened(table._replace(labels={}))
    rows = [tuple(_cell(term, table.labels, base_iri) for term in row) for row in placed.rows]
    names = {cell.uses for row in rows for cell in row if cell.uses is not None}
    return _Page(placed.variables, rows, sorted(names))


def _cell(term: Term | None, labels: Mapping[str, str], base_iri: str) -> _Cell:
    if term is None:
        return _Cell()
    if term.kind == "bnode":
        return _Cell("", f"_:{term.value}", term)
    label = _line(labels.get(term.value, ""))
    if term.kind == "literal":
        text = _line(term.value)
        return _Cell(text, label, term) if label else _Cell("", text, term)
    if short := curie(term.value):
        prefix = short.partition(":")[0]
        return _Cell(short, label, term, (f"{prefix}:", PREFIXES[prefix]))
    rest = term.value.removeprefix(base_iri)
    if rest != term.value and _RELATIVE(rest):  # as SPARQL writes an IRI relative to its BASE
        return _Cell(f"<{rest}>", label, term, (_BELOW, base_iri))
    return _Cell(f"<{_line(term.value)}>", label, term)


def _line(text: str) -> str:
    """One line of visible characters, nothing left out."""
    return visible(text, limit=None).replace("\n", "\\n").replace("\t", "\\t")


def _text(page: _Page) -> bytes:
    """Columns aligned, nothing cut, however wide."""
    rows = [page.header, *(tuple(str(cell) for cell in row) for row in page.rows)]
    widths = [max(width(row[at]) for row in rows) for at in range(len(page.header))]
    lines = [_aligned(rows[0], widths), "  ".join("-" * size for size in widths)]
    lines += (_aligned(row, widths) for row in rows[1:])
    lines += (line for name, space in page.names if name == _BELOW for line in ("", f"{_BELOW} is below {space}"))
    return "".join(f"{line}\n" for line in lines).encode()


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(text + " " * (size - width(text)) for text, size in zip(cells, widths, strict=True)).rstrip()


def _markdown(page: _Page) -> bytes:
    """A table of GitHub-flavoured Markdown: names as code, and texts that cannot become markup or a link."""
    lines = [_bordered(plain_markdown(title) for title in page.header), _bordered("---" for _ in page.header)]
    lines += (_bordered(map(_marked, row)) for row in page.rows)
    if page.names:
        lines.append("")
        spaces = (f"`{name}` is {'below ' if name == _BELOW else ''}`{space}`" for name, space in page.names)
        lines.append(", ".join(spaces) + ".")
    return "".join(f"{line}\n" for line in lines).encode()


def _bordered(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _marked(cell: _Cell) -> str:
    if not cell.name:
        return plain_markdown(cell.text)
    code = f"`{cell.name.replace('|', '%7C').replace('`', '%60')}`"
    return f"{code} “{plain_markdown(cell.text)}”" if cell.text else code


def _xlsx(page: _Page) -> bytes:
    from ppgov.workbook import Sheet, workbook

    sheets = [Sheet("Answer", page.header, [tuple(map(_scalar, row)) for row in page.rows])]
    if page.names:
        sheets.append(Sheet("Names", ("name", "stands for names below"), list(page.names)))
    return workbook(sheets)


def _scalar(cell: _Cell) -> Scalar:
    """Numbers and truths as such, where a cell holds them exactly."""
    term = cell.term
    if term is None or term.kind != "literal" or not term.datatype:
        return str(cell) or None
    if term.datatype == f"{XSD}boolean" and term.value in ("true", "false"):
        return term.value == "true"
    if term.datatype in _NUMERIC and _INTEGER(term.value):
        return int(term.value)
    if term.datatype in _NUMERIC and _NUMBER(term.value) and len(term.value) <= 15:
        return float(term.value)
    return term.value


_EXACT: dict[str, Callable[[Table], bytes]] = {"csv": _csv, "tsv": _tsv, "json": _json, "xml": _xml}
_SHOWN: dict[str, Callable[[_Page], bytes]] = {"table": _text, "markdown": _markdown, "xlsx": _xlsx}
