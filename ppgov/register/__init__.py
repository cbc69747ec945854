"""The register: the inventory that a risk function keeps, one row an agent. It records; it ranks and scores nothing."""

from ppgov.register.build import record, register
from ppgov.register.model import FORMAT, Record, Register

FORMATS = ("html", "xlsx", "csv", "json", "markdown")

__all__ = ["FORMAT", "FORMATS", "Record", "Register", "record", "register", "write"]


def write(whole: Register, form: str) -> bytes:
    """The register as a file; `form` is one of FORMATS."""
    from ppgov.register import data, page, sheets

    if form == "xlsx":
        return sheets.xlsx(whole)
    text = {"html": page.html, "csv": sheets.csv_text, "json": data.json_text, "markdown": page.markdown}[form](whole)
    return text.encode("utf-8", "backslashreplace")
