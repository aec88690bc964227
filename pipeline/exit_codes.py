"""What the command's exit status means. A closed list: docs/exit-codes.md explains each."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit status of every `winnow` command."""

    OK = 0
    USAGE = 2  # the command was called wrongly, or an input is not there; nothing was done
    PARTIAL = 3  # there is a result, but part of the input is known to be missing from it
    INTERRUPTED = 130  # Ctrl-C
