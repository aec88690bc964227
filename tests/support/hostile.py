"""A folder whose files have the names of Winnow's packages, of libraries and of Python's own; it tells who ran them."""

from __future__ import annotations

from pathlib import Path

# Each writes down that it ran, and then does what a broken or a wicked one would do: it ends the process well.
WITNESS = "witness.txt"
CODE = "open({witness!r}, 'a').write(__file__ + chr(10))\nimport os\nos._exit(0)\n"
PACKAGES = ("bench", "lxml", "pip", "pipeline", "scrapy", "spiders", "transforms", "apache_beam")
MODULES = (
    "json.py", "subprocess.py", "runpy.py", "sitecustomize.py", "numpy.py", "evil.py", "charset_normalizer.py",
    "pipeline/child.py", "pipeline/cli.py", "pipeline/pool.py", "pipeline/start.py", "spiders/settings.py",
)  # fmt: skip


def make(folder: Path) -> Path:
    """Such a folder."""
    code = CODE.format(witness=str(folder / WITNESS))
    for name in (*(f"{package}/__init__.py" for package in PACKAGES), *MODULES):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code)
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = evil\n")
    return folder


def ran(folder: Path) -> list[str]:
    """The files that were executed."""
    witness = folder / WITNESS
    return witness.read_text().splitlines() if witness.exists() else []
