"""Failures of a whole run. Failures of one record are values: see pipeline/outcomes.py."""

from __future__ import annotations


class PipelineError(Exception):
    """The message says what is wrong, and what to do."""


class UsageError(PipelineError):
    """Raised before any work: the command cannot do what it was asked."""


class CannotStart(PipelineError):  # noqa: N818  reads as what happened
    """Raised when the process that cleans pages does not come up: whatever the pages are, none can be cleaned here."""

    SAYS = "the process that cleans pages cannot start"

    def __init__(self, why: str) -> None:
        super().__init__(f"{self.SAYS}: {why}")


class AccountsDoNotBalance(PipelineError):  # noqa: N818  reads as what happened
    """Raised at the end of a run whose records or bytes do not add up; nothing that it wrote has a name."""
