"""How Winnow starts Python: no folder that somebody happens to be in can take the place of its code, or of a library.

`python -m` and `python -c` look for modules in the current folder first, and every Python looks in PYTHONPATH before
its own library. A process that is started here looks for Winnow's packages where this process has them, then in its
own library and what is installed, and last where this process looks as well: there are the modules that users name
with --import. (`-P` would spare the current folder, too, but Python 3.10 does not know it; `-I` would lose packages
that a user has installed for himself.)
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("pipeline", "transforms")
# The first statements see built-in modules only: sys.path begins with the current folder.
_BEGIN = """\
import sys
sys.path[:] = [place for place in sys.path if place]
from importlib.machinery import PathFinder
class Own:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return PathFinder.find_spec(name, [{root!r}]) if name in {packages!r} else None
sys.meta_path.insert(0, Own)
sys.path += [place for place in {rest!r} if place not in sys.path]
"""


def python(code: str, *arguments: str) -> list[str]:
    """The command that runs `code`, in which `sys` is imported, with `arguments` in sys.argv[1:]."""
    flags = ["-E"]  # without PYTHONPATH
    if sys.flags.no_user_site:
        flags.append("-s")
    if sys.flags.utf8_mode:  # said by PYTHONUTF8, perhaps; names of files depend on it
        flags += ["-X", "utf8"]
    rest = [str(Path(place).absolute()) for place in sys.path]
    begin = _BEGIN.format(root=str(ROOT), packages=PACKAGES, rest=rest)
    return [sys.executable, *flags, "-c", begin + code, *arguments]
