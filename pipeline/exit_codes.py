"""What the command's exit status means. A closed list: docs/exit-codes.md explains each."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit status of every `winnow` command."""

    OK = 0
    FAILED = 1  # a run could not be ended: a disk is full, a cluster gave up; nothing that it wrote has a name
    USAGE = 2  # the command was called wrongly, or an input is not there; nothing was done
    PARTIAL = 3  # there is a result, but part of the input is known to be missing from it
    UNBALANCED = 4  # the accounts of a run do not balance; nothing that it wrote has a name
    CANNOT_START = 5  # the process that cleans pages does not come up: Winnow is broken here; nothing has a name
    INTERRUPTED = 130  # Ctrl-C
