"""The PDF: one file that is PDF/A-3a and PDF/UA-1, with its attachments, equal bytes for equal input."""

from __future__ import annotations

import importlib
import json
import logging
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import page
import pytest

from ppgov import pdf as door
from ppgov.audit import audit
from ppgov.errors import MissingLibraryError
from ppgov.pdf import Attachment, pdf
from ppgov.render import html
from ppgov.report import Report, build
from ppgov.source import parse
from tests.conftest import has_pango
from tests.packs import governed, pack, source

pytestmark = pytest.mark.skipif(not has_pango(), reason="Pango is not installed")

NOW = datetime(2026, 12, 1, 9, 30, tzinfo=UTC)
RAW = (Path(__file__).parent / "golden" / "card-desk.yaml").read_bytes()
FILES = (
    Attachment("pack.yaml", RAW, "The pack", "Source"),
    Attachment("findings.json", b'{"a": "\xc3\xa9"}\r', "The findings"),
    Attachment("graph.nq", b"", "The graph"),
)

needs = {
    name: pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not installed")
    for name in ("qpdf", "pdffonts")
}


def report(data: dict[str, Any] | None = None) -> Report:
    read = source(data) if data is not None else parse(RAW, "card-desk.yaml")
    return build(audit(read), generated_at=NOW)


@cache
def sample() -> bytes:
    return pdf(report(), generated_at=NOW, attachments=FILES)


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "report.pdf"
    path.write_bytes(sample())
    return path


def objects(path: Path) -> dict[str, Any]:
    """Every object of the file, as qpdf sees it."""
    run = subprocess.run(["qpdf", "--json", "--json-stream-data=inline", str(path)], capture_output=True, check=True)
    found: dict[str, Any] = json.loads(run.stdout)["qpdf"][1]
    return found


@pytest.mark.parametrize("profile", ["3a", "ua1"])
def test_conforms(profile: str) -> None:
    checked = page.validate_pdf_bytes(sample(), profile=profile)
    assert [(failure.rule_id, failure.message) for failure in checked.failures] == []
    assert checked.is_compliant


@pytest.mark.parametrize("profile", ["3a", "ua1"])
@pytest.mark.parametrize(
    "data",
    [
        pack(),
        pack(
            name="שלום 中文 🙂 \u202e",
            description="W" * 3000,
            metadata=governed(intended_purpose="ελληνικά, Ω, 漢字\x00"),
        ),
        pack(version=1, tools=[], workflow={"states": {}}, metadata=governed(obligations=[], reviews=[])),
    ],
    ids=["no governance", "scripts", "broken"],
)
def test_conforms_whatever_the_pack_holds(data: dict[str, Any], profile: str) -> None:
    checked = page.validate_pdf_bytes(pdf(report(data), generated_at=NOW), profile=profile)
    assert [(failure.rule_id, failure.message) for failure in checked.failures] == []


def test_page_count_is_that_of_a_small_report() -> None:
    assert 10 <= page.validate_pdf_bytes(sample(), profile="3a").document.page_count <= 25


@needs["qpdf"]
def test_qpdf_finds_no_fault(written: Path) -> None:
    run = subprocess.run(["qpdf", "--check", str(written)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_same_input_same_bytes() -> None:
    assert pdf(report(), generated_at=NOW, attachments=FILES) == sample()


def test_the_moment_counts_not_its_time_zone() -> None:
    tokyo = NOW.astimezone(timezone(timedelta(hours=9)))
    whole = report(pack())
    assert pdf(whole, generated_at=tokyo, attachments=FILES) == pdf(whole, generated_at=NOW, attachments=FILES)


@needs["pdffonts"]
def test_only_the_packaged_fonts_are_embedded(written: Path) -> None:
    """A wrong font path falls back without a word, so look at what is in the file."""
    plain = written.with_name("plain.pdf")
    plain.write_bytes(pdf(report(pack()), generated_at=NOW))
    listed = subprocess.run(["pdffonts", str(plain)], capture_output=True, text=True, check=True).stdout.splitlines()[
        2:
    ]
    names = {line.split()[0].split("+")[1] for line in listed}
    assert names and all(name.startswith(("IBM-Plex-Sans", "IBM-Plex-Mono")) for name in names)
    assert all(" yes yes yes " in line for line in listed)  # embedded, subset, mapped to Unicode


@needs["qpdf"]
def test_attachments_are_the_bytes_they_were(written: Path) -> None:
    for file in FILES:
        run = subprocess.run(["qpdf", f"--show-attachment={file.name}", str(written)], capture_output=True, check=True)
        assert run.stdout == file.content
    filespecs = [
        o["value"] for o in objects(written).values() if o.get("value", {}) and isinstance(o.get("value"), dict)
    ]
    kinds = {v["/UF"].removeprefix("u:"): v["/AFRelationship"] for v in filespecs if v.get("/Type") == "/Filespec"}
    assert kinds == {"pack.yaml": "/Source", "findings.json": "/Data", "graph.nq": "/Data"}


@needs["qpdf"]
def test_dates_and_media_types_are_ours(written: Path) -> None:
    streams = [o["stream"]["dict"] for o in objects(written).values() if "stream" in o]
    embedded = [d for d in streams if d.get("/Type") == "/EmbeddedFile"]
    assert [d["/Subtype"] for d in embedded] == ["/application/json", "/application/n-quads", "/application/yaml"]
    assert {d["/Params"][key] for d in embedded for key in ("/CreationDate", "/ModDate")} == {"u:D:20261201093000Z"}
    info = next(
        o["value"] for o in objects(written).values() if isinstance(o.get("value"), dict) and "/Producer" in o["value"]
    )
    assert info["/CreationDate"] == info["/ModDate"] == "u:D:20261201093000Z"
    assert info["/Title"] == "u:Governance report: Card desk 2.1.0"


@needs["qpdf"]
def test_bookmarks_follow_the_headings(written: Path) -> None:
    values = [o["value"] for o in objects(written).values() if isinstance(o.get("value"), dict)]
    titles = [v["/Title"].removeprefix("u:") for v in values if "/Title" in v and ("/Dest" in v or "/A" in v)]
    for title in (
        "Card desk",
        "Contents",
        "1 Summary",
        "6 Obligations and controls",
        "16 Sign-off",
        "Agent refunder (entry)",
    ):
        assert title in titles or title.removesuffix(" (entry)") in titles, titles


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not installed")
def test_footer_names_pack_digest_and_page(written: Path) -> None:
    text = subprocess.run(
        ["pdftotext", "-layout", str(written), "-"], capture_output=True, text=True, check=True
    ).stdout
    pages = text.split("\f")[:-1]
    digest = report().cover.sha256
    for number, content in enumerate(pages, 1):
        assert f"page {number} of {len(pages)}" in content
        assert f"SHA-256 {digest}" in content and "Card desk 2.1.0" in content
    contents = next(content for content in pages if "Contents" in content)
    assert re.search(rf"Sign-off[ .]+{len(pages)}\b", contents)


def test_no_form_fields_and_metadata_is_readable() -> None:
    assert b"/AcroForm" not in sample()
    assert b"<pdfuaid:part>1</pdfuaid:part>" in sample()


def test_nothing_goes_to_the_log_or_the_streams(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        pdf(report(pack(name="中")), generated_at=NOW)
    assert caplog.records == []
    assert capfd.readouterr() == ("", "")
    assert logging.getLogger("weasyprint").propagate


def test_characters_that_no_font_draws_show_as_code_points(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def spy(*args: Any, **given: Any) -> str:
        seen.append(html(*args, **given))
        return seen[-1]

    monkeypatch.setattr(door, "html", spy)
    unassigned_script = "\U0001f7f0\U0001fae9"  # newer than the fonts of any machine that lacks emoji
    pdf(report(pack(name=f"Desk {unassigned_script}")), generated_at=NOW)
    last = seen[-1]
    drawn = "the machine's" in last
    assert drawn or "[U+1F7F0 U+1FAE9]" in last


def test_borrowed_fonts_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "_probe", lambda *_: (frozenset("中"), ("Noto Sans Test",)))
    seen: list[str] = []

    def spy(*args: Any, **given: Any) -> str:
        seen.append(html(*args, **given))
        return seen[-1]

    monkeypatch.setattr(door, "html", spy)
    pdf(report(pack(name="Desk 中")), generated_at=NOW)
    assert "[U+4E2D]" in seen[-1] and "Noto Sans Test" in seen[-1] and "中" not in seen[-1]
    assert "1 different ones" in seen[-1]


def test_fetcher_reads_fonts_and_template_folders_only(tmp_path: Path) -> None:
    (tmp_path / "logo.svg").write_text("<svg/>")
    outside = tmp_path.parent / "outside.txt"
    outside.write_text("no")
    fetcher = door._fetcher(tmp_path)
    assert fetcher.fetch((tmp_path / "logo.svg").as_uri()).read() == b"<svg/>"
    font = next(path for _, path, *_ in door._font_files())
    assert fetcher.fetch(font.as_uri()).read()[:4] == b"\x00\x01\x00\x00"
    for url in (outside.as_uri(), (tmp_path / ".." / "outside.txt").as_uri(), "https://example.org/",
                "data:text/plain,x",
                f"file://localhost{font}", "file:///etc/passwd", "ftp://example.org/x"):  # fmt: skip
        with pytest.raises(ValueError, match="only the packaged fonts"):
            fetcher.fetch(url)


def test_a_users_template_may_bring_a_picture_but_nothing_from_outside(tmp_path: Path) -> None:
    (tmp_path / "html").mkdir()
    (tmp_path / "logo.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
    )
    (tmp_path / "html" / "summary.html.j2").write_text(
        '<p><img src="logo.svg" alt="Logo"> <img src="https://example.org/x.png" alt="none">'
        ' <img src="/etc/hostname" alt="none"></p>'
    )
    made = pdf(report(), generated_at=NOW, template_dir=tmp_path)
    assert page.validate_pdf_bytes(made, profile="3a").is_compliant


def test_missing_pango_is_named_with_the_commands(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = importlib.import_module

    def refuse(name: str, package: str | None = None) -> ModuleType:
        if name == "weasyprint":
            print("advice of its own")  # noqa: T201
            raise OSError("cannot load library 'libpango-1.0-0'")
        return real(name, package)

    monkeypatch.setattr(importlib, "import_module", refuse)
    with pytest.raises(MissingLibraryError) as caught:
        pdf(report(), generated_at=NOW)
    assert caught.value.exit_code == 3
    assert capsys.readouterr() == ("", "")
    for command in ("apt install libpango", "dnf install pango", "brew install pango"):
        assert command in caught.value.advice


def test_a_missing_font_file_is_an_error_not_another_font(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "_FACES", (("fontpkg_ibm_plex_sans", "IBM Plex Sans", "Gone.ttf", None, "normal"),))
    with pytest.raises(MissingLibraryError, match=r"Gone\.ttf"):
        pdf(report(), generated_at=NOW)


class _Stub:
    """A pydyf file of the given streams."""

    def __init__(self, *streams: Any) -> None:
        self.objects = list(streams)
        self.added: list[Any] = []

    def add_object(self, entry: Any) -> None:
        self.added.append(entry)


def test_no_stream_ends_in_a_carriage_return() -> None:
    pydyf = importlib.import_module("pydyf")
    plain = pydyf.Stream([b"data\r"])
    held = pydyf.Stream([b"data\r"], {"Filter": "/DCTDecode", "DecodeParms": pydyf.Dictionary()})
    fine = pydyf.Stream([b"data"])
    numbered = (pydyf.Stream([f"{n}" * 5], compress=True) for n in range(0, 9000, 7))
    packed = next(stream for stream in numbered if stream.data.endswith(b"\r\nendstream"))
    door._end_streams(_Stub(plain, held, fine, packed), 0)
    assert plain.data == b"<</Filter [/ASCIIHexDecode ]/Length 11>>\nstream\n646174610d>\nendstream"
    assert b"/Filter [/ASCIIHexDecode /DCTDecode]" in held.data and b"[null <<" in held.data
    assert fine.stream == [b"data"]
    assert b"/Filter [/ASCIIHexDecode /FlateDecode]" in packed.data and packed.data.endswith(b">\nendstream")


def test_an_ambiguous_end_is_written_again(monkeypatch: pytest.MonkeyPatch) -> None:
    attempts: list[int] = []

    def write(*args: Any) -> bytes:
        attempts.append(args[-1])
        return b"x\r\nendstream" if args[-1] < 2 else b"good"

    monkeypatch.setattr(door, "_write", write)
    assert pdf(report(pack()), generated_at=NOW) == b"good"
    assert attempts == [0, 1, 2]


def test_reading_and_html_need_no_weasyprint() -> None:
    heavy = ("weasyprint", "jinja2", "pydyf")
    code = f"import sys, ppgov.render, ppgov.report; sys.exit(any(name in sys.modules for name in {heavy}))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
