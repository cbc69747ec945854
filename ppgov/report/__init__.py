"""One audit as report data: `build` turns an Audit into a `Report` of plain values."""

from __future__ import annotations

from ppgov.report.build import build
from ppgov.report.model import FORMAT, Report

__all__ = ["FORMAT", "Report", "build"]
