"""What decides the output of a run beside its input and its options: the code, and what the code is built on."""

from __future__ import annotations

import hashlib
import platform
import re
import sys
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.metadata import requires, version
from pathlib import Path

DISTRIBUTION = "winnow"
# All of their files, for data decides as code does. The crawler and the benchmarks write no output of a run.
PACKAGES = ("transforms", "pipeline")
_COMPILED = "__pycache__"
_NAME = re.compile(r"[A-Za-z0-9._-]+")


@cache
def of_code() -> dict[str, str]:
    """Digests of the code of this process, and the versions of what it is built on. Read once: it takes some 40 ms."""
    needed = [wanted for wanted in requires(DISTRIBUTION) or () if "extra ==" not in wanted]
    names = sorted(found[0] for wanted in needed if (found := _NAME.match(wanted)))
    return {
        "winnow": version(DISTRIBUTION),
        "python": platform.python_version(),
        **{name: version(name) for name in names},
        **of_modules(PACKAGES),
    }


def of_modules(names: Iterable[str]) -> dict[str, str]:
    """A digest of the source of each module, of a package with all that is in it. What they import is not looked at."""
    return {name: digest(_paths(name)) for name in names}


def _paths(name: str) -> list[Path]:
    module = sys.modules.get(name) or import_module(name)
    return [Path(path) for path in getattr(module, "__path__", None) or [getattr(module, "__file__", None)] if path]


def digest(paths: Iterable[Path]) -> str:
    """A hash over files and the files of folders, with their names, wherever they stand."""
    total = hashlib.sha256()
    for root in paths:
        files = [root] if root.is_file() else sorted(path for path in root.rglob("*") if path.is_file())
        for file in files:
            name = file.relative_to(root.parent).as_posix()
            if _COMPILED not in file.parts:
                total.update(f"{name} {hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()
