"""Workbooks: every text stays a text, whatever it begins with, and the same tables give the same bytes."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import openpyxl
import pytest

from ppgov import workbook as module
from ppgov.workbook import MAX_TEXT, Scalar, Sheet, cell_text, inert, workbook

HOSTILE = (
    "=1+1",
    "=cmd|' /C calc'!A0",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    '=HYPERLINK("http://example.org";"x")',
    "http://example.org/",
    "mailto:a@example.org",
    "internal:Sheet1!A1",
    "{=1}",
    "2026-12-01",
    "00123",
    "TRUE",
    "_x0041_",
)


def opened(content: bytes) -> openpyxl.Workbook:
    return openpyxl.load_workbook(io.BytesIO(content))


def sheet(rows: list[tuple[Scalar, ...]], header: tuple[str, ...] = ("a",), name: str = "Rows") -> Sheet:
    return Sheet(name, header, rows)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_is_a_text(text: str) -> None:
    content = workbook([sheet([(text,)])])
    cell = opened(content)["Rows"]["A2"]
    assert cell.data_type == "s"
    assert cell.hyperlink is None
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        page = archive.read("xl/worksheets/sheet1.xml").decode()
        assert "<f>" not in page and "<hyperlink" not in page
        assert not [name for name in archive.namelist() if name.endswith("sheet1.xml.rels")]


def test_values_keep_their_types() -> None:
    page = opened(workbook([sheet([(1, 2.5, True, None, "", 2**60, float("inf"))], tuple("abcdefg"))]))["Rows"]
    assert [cell.value for cell in page[2]] == [1, 2.5, True, None, "", str(2**60), "inf"]
    assert [cell.data_type for cell in page[2]][:3] == ["n", "n", "b"]


def test_the_header_is_frozen_and_filtered() -> None:
    page = opened(workbook([sheet([("x", "y"), ("z", "w")], ("one", "two"))]))["Rows"]
    assert page.freeze_panes == "A2"
    assert page.auto_filter.ref == "A1:B3"
    assert page["A1"].font.b
    assert page["A2"].alignment.wrap_text


def test_columns_are_as_wide_as_their_texts_within_bounds() -> None:
    page = opened(workbook([sheet([("x" * 500, "y" * 20, "z")], ("a", "b", "c"))]))["Rows"]
    widths = [page.column_dimensions[letter].width for letter in "ABC"]
    assert widths[0] == pytest.approx(48, abs=1) and widths[1] == pytest.approx(22, abs=1)
    assert widths[2] == pytest.approx(8, abs=1)


def test_a_text_that_a_cell_cannot_hold_says_what_was_cut() -> None:
    shown = cell_text("x" * 40_000)
    assert len(shown) <= MAX_TEXT
    kept = len(shown.partition(" … [")[0])
    assert shown.endswith(f" … [{40_000 - kept:,} more characters]")
    assert cell_text("x" * MAX_TEXT) == "x" * MAX_TEXT


def test_the_limit_counts_as_the_format_does() -> None:
    """A character beyond the first plane takes two of the 32,767 units."""
    shown = cell_text("\U0001f600" * 20_000)
    assert len(shown.encode("utf-16-le")) // 2 <= MAX_TEXT
    assert "more characters]" in shown


def test_what_xml_cannot_hold_is_made_visible() -> None:
    page = opened(workbook([sheet([("a\x00b\x0bc\ud800d\u202ee",)])]))["Rows"]
    assert page["A2"].value == "a[U+0000]b[U+000B]c[U+D800]d[U+202E]e"


def test_line_breaks_stay() -> None:
    assert opened(workbook([sheet([("a\nb",)])]))["Rows"]["A2"].value == "a\nb"


def test_same_tables_same_bytes() -> None:
    moment = datetime(2026, 12, 1, 9, tzinfo=UTC)
    tables = [sheet([("x", 1), ("=y", 2)], ("a", "b"))]
    first = workbook(tables, created=moment)
    assert first == workbook(tables, created=moment)
    assert opened(first).properties.created == datetime(2026, 12, 1, 9)  # noqa: DTZ001 - as the library reads it


def test_sheet_names_that_excel_refuses() -> None:
    names = ("a/b", "A/B", "x" * 40, "", "History", "'q'")
    book = opened(workbook([sheet([("v",)], name=name) for name in names]))
    assert book.sheetnames == ["a_b", "A_B~2", "x" * 31, "Sheet", "History~2", "q"]


def test_rows_beyond_a_sheet_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_ROWS", 4)
    whole = opened(workbook([sheet([("a",), ("b",), ("c",)])]))["Rows"]
    assert [cell.value for cell in whole["A"]] == ["a", "a", "b", "c"]
    page = opened(workbook([sheet([("a",), ("b",), ("c",), ("d",)])]))["Rows"]
    assert [cell.value for cell in page["A"]] == ["a", "a", "b", "2 more rows: a sheet holds 4"]


def test_an_empty_table_has_its_header() -> None:
    assert opened(workbook([sheet([], ("a", "b"))]))["Rows"]["B1"].value == "b"


@pytest.mark.parametrize(
    "start", ["=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠", " =", "\u00a0=", "\ufeff=", "\n+"]
)
def test_a_csv_cell_that_would_run_gets_an_apostrophe(start: str) -> None:
    assert inert(f"{start}cmd|' /C calc'!A0") == f"'{start}cmd|' /C calc'!A0"


@pytest.mark.parametrize("text", ["", "plain", "a=b", "1-2", "x@example.org", "'=1", "…", "(none)", " "])
def test_other_csv_cells_stay(text: str) -> None:
    assert inert(text) == text


def test_the_file_opens_from_disk(tmp_path: Path) -> None:
    path = tmp_path / "x.xlsx"
    path.write_bytes(workbook([sheet([("v",)])]))
    assert openpyxl.load_workbook(path)["Rows"]["A2"].value == "v"
