"""Every error that this package raises on purpose."""

from __future__ import annotations


class BenchError(Exception):
    """The bench cannot do what it was asked; the message says what was looked for, and where."""
