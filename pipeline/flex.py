"""The launcher of the Dataflow Flex Template: its parameters in, the arguments of `winnow clean` out.

A template has named parameters with one value each, a command has positional and repeated ones and flags. What is no
parameter of the command (`--project`, `--temp_location`, ...) is Beam's and goes on as it is.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from pipeline import cli
from pipeline.exceptions import UsageError

# Between the values of parameters that the command takes several of. A comma is part of `status` and of some URLs.
SEPARATOR = " "
POSITIONAL = frozenset({"inputs"})
FLAGS = frozenset({"dedup", "explain", "no_site_templates", "resume"})
REPEATED = {"parameter": "--parameter", "imports": "--import"}
SINGLE = frozenset(
    {
        "output", "extractor", "format", "compression", "status", "max_failed", "prefix", "split_bytes", "page_seconds",
        "page_memory", "site_by", "site_rules", "shared", "templates",
    }
)  # fmt: skip
PARAMETERS = POSITIONAL | FLAGS | REPEATED.keys() | SINGLE
_TRUTH = {"true": True, "false": False}


def translated(given: Sequence[str]) -> list[str]:
    """The arguments of `winnow clean`; raises UsageError for a parameter that has no value, or a wrong one."""
    inputs: list[str] = []
    arguments: list[str] = []
    for argument in given:
        name, equals, value = argument.removeprefix("--").partition("=")
        if name not in PARAMETERS:
            arguments.append(argument)
        elif not equals:
            raise UsageError(f"a parameter of the template is written --{name}=VALUE")
        elif name in POSITIONAL:
            inputs += value.split(SEPARATOR)
        elif name in FLAGS:
            if value.lower() not in _TRUTH:
                raise UsageError(f"{name} is true or false, not {value!r}")
            arguments += [f"--{name.replace('_', '-')}"] * _TRUTH[value.lower()]
        elif name in REPEATED:
            arguments += [f"{REPEATED[name]}={part}" for part in value.split(SEPARATOR) if part]
        elif value:  # a parameter left empty in a form is one that was not given
            arguments.append(f"--{name.replace('_', '-')}={value}")
    return [*filter(None, inputs), *arguments]


def main(given: Sequence[str] | None = None) -> int:
    """Build the graph and leave it where Dataflow looks for it; returns the exit status of the command."""
    try:
        arguments = translated(sys.argv[1:] if given is None else given)
    except UsageError as error:
        sys.stderr.write(f"winnow: {error}\n")
        return 2
    return cli.main(["clean", *arguments])


if __name__ == "__main__":
    sys.exit(main())
