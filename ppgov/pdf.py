"""The door to WeasyPrint: report data in, one file out that is PDF/A-3a (ISO 19005-3) and PDF/UA-1 (ISO 14289-1).

WeasyPrint writes one of the two; `_finish` adds the identification of the other, with the schema that PDF/A
asks for. Nothing is fetched but the packaged fonts. Every date is `generated_at`, so equal input gives equal bytes.
"""

from __future__ import annotations

import hashlib
import importlib
import io
import logging
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.request import url2pathname

from ppgov import resources
from ppgov.errors import MissingLibraryError
from ppgov.render import Attached, Fonts, html
from ppgov.report import Report
from ppgov.visible import hidden

if TYPE_CHECKING:
    from types import ModuleType

# CSS weight and style of each packaged face. The sans family comes as one variable file a style.
_FACES = (
    ("fontpkg_ibm_plex_sans", "IBM Plex Sans", "IBMPlexSans[wdth,wght].ttf", None, "normal"),
    ("fontpkg_ibm_plex_sans", "IBM Plex Sans", "IBMPlexSans-Italic[wdth,wght].ttf", None, "italic"),
    ("fontpkg_ibm_plex_mono", "IBM Plex Mono", "IBMPlexMono-Regular.ttf", 400, "normal"),
    ("fontpkg_ibm_plex_mono", "IBM Plex Mono", "IBMPlexMono-SemiBold.ttf", 600, "normal"),
)

_PANGO = (
    "install Pango: Debian or Ubuntu `apt install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0`,"
    " Fedora `dnf install pango`, macOS `brew install pango`; HTML, Markdown and JSON need none of it"
)


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file to put inside the PDF. `relationship` is Source, Data, Supplement or Alternative (ISO 32000-2, 7.11.3)."""

    name: str
    content: bytes
    description: str
    relationship: str = "Data"

    @property
    def media_type(self) -> str:
        """By our own table: WeasyPrint would ask the machine's."""
        return _MEDIA_TYPES.get(Path(self.name).suffix, "application/octet-stream")


_MEDIA_TYPES = {".yaml": "application/yaml", ".json": "application/json", ".nq": "application/n-quads"}


def pdf(
    report: Report, *, generated_at: datetime, attachments: Sequence[Attachment] = (), template_dir: Path | None = None
) -> bytes:
    """The report as PDF bytes. Raises MissingLibraryError without Pango."""
    attachments = sorted(attachments, key=lambda a: a.name.encode())  # readers search the list of names by halves
    weasyprint = _weasyprint()
    faces = _faces()
    base = (template_dir or resources.folder("report_templates")).resolve()
    attached = tuple(Attached(a.name, a.description, hashlib.sha256(a.content).hexdigest()) for a in attachments)
    with _steady(generated_at):
        page = html(
            report, template_dir=template_dir, medium="pdf", fonts=Fonts(_packaged(), faces=faces), attached=attached
        )
        unusual = frozenset(c for c in set(page) if not c.isascii() and not hidden(c))
        missing, borrowed = _probe(weasyprint, faces, unusual)
        if missing or borrowed:
            codes = tuple(f"U+{ord(c):04X}" for c in sorted(missing))
            fonts = Fonts(_packaged(), borrowed, codes, faces)
            page = html(
                report, template_dir=template_dir, medium="pdf", fonts=fonts, attached=attached, undrawable=missing
            )
        written = b""
        for attempt in range(8):
            document = weasyprint.HTML(
                string=page, base_url=base.as_uri() + "/", url_fetcher=_fetcher(template_dir)
            ).render()
            written = _write(weasyprint, document, generated_at, attachments, attempt)
            if _AMBIGUOUS not in written:
                break
        return written


# A stream whose data ends in a carriage return: a strict reader takes that for part of the line end, and the
# stream's Length (ISO 19005-3, 6.1.7.1) for wrong.
_AMBIGUOUS = b"\r\nendstream"


def _write(
    weasyprint: ModuleType, document: Any, generated_at: datetime, attachments: Sequence[Attachment], attempt: int
) -> bytes:
    moment = generated_at.astimezone(UTC).replace(microsecond=0)
    files = [
        weasyprint.Attachment(
            string=a.content, name=a.name, description=a.description, created=moment, modified=moment,
            relationship=a.relationship,
        )
        for a in attachments
    ]  # fmt: skip
    document.metadata.attachments = files

    def finish(_document: object, file: Any) -> None:
        _identify(file)
        _name_media_types(file, attachments)
        _end_streams(file, attempt)

    written: bytes = document.write_pdf(pdf_variant="pdf/a-3a", finisher=finish)
    return written


def _streams(file: Any) -> Iterator[Any]:
    pydyf = importlib.import_module("pydyf")
    yield from (entry for entry in file.objects if isinstance(entry, pydyf.Stream))


def _identify(file: Any) -> None:
    """Identify the file as PDF/UA-1 too, and leave the metadata readable: archives search it without decompressing."""
    for stream in _streams(file):
        if stream.extra.get("Type") == "/Metadata":
            stream.compress = False
            packet = b"".join(part if isinstance(part, bytes) else str(part).encode() for part in stream.stream)
            end = packet.rindex(b"</rdf:RDF>")
            stream.stream = [packet[:end] + _UA.encode() + packet[end:]]


def _name_media_types(file: Any, attachments: Sequence[Attachment]) -> None:
    """The media type of each attachment, whatever WeasyPrint guessed."""
    embedded = [stream for stream in _streams(file) if stream.extra.get("Type") == "/EmbeddedFile"]
    for stream, attachment in zip(embedded, attachments, strict=True):
        stream.extra["Subtype"] = "/" + attachment.media_type.replace("/", "#2f")


def _end_streams(file: Any, attempt: int) -> None:
    """Let no stream end in a carriage return (see _AMBIGUOUS): write those few in hexadecimal.

    The two streams that pydyf makes of all other objects cannot be reached here. When one of them ends so, the
    next attempt adds an unused object, which changes their bytes.
    """
    pydyf = importlib.import_module("pydyf")
    for stream in _streams(file):
        _, _, body = bytes(stream.data).partition(b"\nstream\n")
        data = body.removesuffix(b"\nendstream")
        if data.endswith(b"\r"):
            held = "/FlateDecode" if stream.compress else str(stream.extra.get("Filter", ""))
            stream.stream, stream.compress = [data.hex().encode() + b">"], False
            stream.extra["Filter"] = f"[/ASCIIHexDecode {held}]"
            if "DecodeParms" in stream.extra:
                stream.extra["DecodeParms"] = pydyf.Array(["null", stream.extra["DecodeParms"]])
    if attempt:
        file.add_object(pydyf.String("-" * attempt))


# The identification of PDF/UA (ISO 14289-1 clause 5) and the extension schema by which PDF/A lets it in.
_UA = (
    '<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"'
    ' xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">'
    '<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">'
    "<pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI>"
    "<pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix><pdfaSchema:schema>PDF/UA identification</pdfaSchema:schema>"
    '<pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType="Resource">'
    "<pdfaProperty:category>internal</pdfaProperty:category>"
    "<pdfaProperty:description>Part of ISO 14289 that the file conforms to</pdfaProperty:description>"
    "<pdfaProperty:name>part</pdfaProperty:name><pdfaProperty:valueType>Integer</pdfaProperty:valueType>"
    "</rdf:li></rdf:Seq></pdfaSchema:property></rdf:li></rdf:Bag></pdfaExtension:schemas></rdf:Description>"
    '<rdf:Description rdf:about="" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/">'
    "<pdfuaid:part>1</pdfuaid:part></rdf:Description>"
)


def _weasyprint() -> ModuleType:
    try:
        # It prints its own advice when a library is missing; ours names the commands.
        with redirect_stdout(io.StringIO()):
            return importlib.import_module("weasyprint")
    except OSError as error:
        raise MissingLibraryError("PDF needs the Pango text libraries, which are not installed", _PANGO) from error


def _font_files() -> Iterator[tuple[str, Path, int | None, str]]:
    for package, family, name, weight, style in _FACES:
        root: Path = importlib.import_module(package).ROOT
        path = root / "files" / name
        if not path.is_file():
            # Pango would fall back to another font without a word.
            raise MissingLibraryError(
                f"the font file {name} of {family} is missing", f"reinstall {package.replace('_', '-')}"
            )
        yield family, path, weight, style


def _faces() -> str:
    """The @font-face rules of the packaged fonts."""
    rules = []
    for family, path, weight, style in _font_files():
        fixed = f" font-weight: {weight};" if weight is not None else ""
        rules.append(
            f'@font-face {{ font-family: "{family}"; src: url("{path.as_uri()}"); font-style: {style};{fixed} }}\n'
        )
    return "".join(rules)


def _packaged() -> tuple[str, ...]:
    return tuple(dict.fromkeys(family for _, family, *_ in _FACES))


def _fetcher(template_dir: Path | None) -> Any:
    """Reads the packaged fonts and files in the template folders; refuses every other address."""
    urls = importlib.import_module("weasyprint.urls")  # untyped, like all of it

    fonts = {path.as_uri(): path for _, path, *_ in _font_files()}
    folders = [
        folder.resolve() for folder in (template_dir, resources.folder("report_templates")) if folder is not None
    ]

    class Fetcher(urls.URLFetcher):  # type: ignore[name-defined, misc]
        def fetch(self, url: str, headers: object = None) -> Any:
            path = fonts.get(url)
            if path is None and url.startswith("file:///"):
                named = Path(url2pathname(url.removeprefix("file://"))).resolve()
                path = named if any(named.is_relative_to(folder) for folder in folders) else None
            if path is None:
                raise ValueError("only the packaged fonts and the template folder may be read")
            return urls.URLFetcherResponse(url, path.read_bytes())

    return Fetcher()


class _Warnings(logging.Handler):
    """Collects the characters that WeasyPrint reports as drawn by no font."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.missing: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        if record.msg.startswith(".notdef") and isinstance(record.args, tuple):
            self.missing.add(str(record.args[0]))


def _probe(weasyprint: ModuleType, faces: str, characters: frozenset[str]) -> tuple[frozenset[str], tuple[str, ...]]:
    """(characters that no font draws, families of the machine that draw the others): the engine's own answer.

    A font list would not do: what counts is which font Pango picks, and whether it picks one.
    """
    if not characters:
        return frozenset(), ()
    listed = "".join(f"<p>{escape(c)}</p>" for c in sorted(characters))
    page = (
        f'<html lang="en"><style>{faces} p {{ margin: 0 }} div {{ font-family: "IBM Plex Sans" }}'
        f' div + div {{ font-family: "IBM Plex Mono" }}</style><div>{listed}</div><div>{listed}</div></html>'
    )
    heard = _Warnings()
    logger = logging.getLogger("weasyprint")
    logger.addHandler(heard)
    try:
        document = weasyprint.HTML(string=page, base_url="about:probe", url_fetcher=_fetcher(None)).render()
        document.write_pdf()
    finally:
        logger.removeHandler(heard)
    families = {font.family for font in document.fonts.values()} - set(_packaged())
    return frozenset(heard.missing), tuple(sorted(families))


@contextmanager
def _steady(moment: datetime) -> Iterator[None]:
    """WeasyPrint as a library ought to behave: silent, and with no clock of its own.

    What it, fontTools and Pillow log concerns our style sheets and fonts. fontTools stamps each font that it saves
    with the time, unless SOURCE_DATE_EPOCH is set; WeasyPrint leaves a colour profile open for the collector.
    """
    loggers = [logging.getLogger(name) for name in ("weasyprint", "fontTools", "PIL")]
    before = [(logger, logger.propagate) for logger in loggers]
    silent = logging.NullHandler()
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    for logger in loggers:
        logger.propagate = False
        logger.addHandler(silent)
    os.environ["SOURCE_DATE_EPOCH"] = str(int(moment.timestamp()))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            yield
    finally:
        for logger, propagate in before:
            logger.propagate = propagate
            logger.removeHandler(silent)
        if epoch is None:
            del os.environ["SOURCE_DATE_EPOCH"]
        else:
            os.environ["SOURCE_DATE_EPOCH"] = epoch
