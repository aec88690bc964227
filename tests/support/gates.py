"""A gate: a file whose absence holds pages of a run back (gated.py), and one that says that some page waits there."""

from __future__ import annotations

from pathlib import Path

# The variable of the environment that names the gate.
GATE = "WINNOW_TEST_GATE"


def reached(gate: Path) -> Path:
    """The file that says that some page waits at a gate: it has the number of the worker that waits for it."""
    return gate.with_name(gate.name + ".reached")


def seen(gate: Path) -> Path:
    """The file with the addresses of all pages that have come to a gate, a line each, as often as they came."""
    return gate.with_name(gate.name + ".seen")
