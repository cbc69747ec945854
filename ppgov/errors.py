"""What stops a run. Each error carries one line of advice and its exit code."""

from __future__ import annotations


class PpgovError(Exception):
    """Base of every error that a user can cause. `message` says what and where, `advice` what to do."""

    exit_code = 3

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice


class UsageError(PpgovError):
    """A name or an option that does not exist: an agent, a rule, a format."""

    exit_code = 2


class InputError(PpgovError):
    """An input that cannot be read, or an output that cannot be written."""


class MissingLibraryError(PpgovError):
    """A system library or an optional extra that the requested output needs is not installed."""


class UnreadableError(InputError):
    """An input that is no pack data: one 1xx rule, and the place (1-based) where reading stopped."""

    def __init__(
        self, rule: str, message: str, advice: str, line: int | None = None, column: int | None = None
    ) -> None:
        super().__init__(message, advice)
        self.rule = rule
        self.line = line
        self.column = column


class ReadFault(Exception):
    """Raised inside a reader, which knows offsets only; `first` is the offset of an earlier twin."""

    def __init__(self, rule: str, message: str, advice: str, offset: int, first: int | None = None) -> None:
        super().__init__(message)
        self.rule, self.message, self.advice = rule, message, advice
        self.offset, self.first = offset, first
