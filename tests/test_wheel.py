"""The wheel has all that the code reads, and works where there is no checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("transforms", "pipeline", "spiders", "bench")
# Not of the package: what Python and the benchmarks write beside it.
WRITTEN = shutil.ignore_patterns("__pycache__", "results")
DATA = """
import json, bench
from bench.datasets import load
from bench.gate import FLOORS, corpus_hash
from bench.web import sites
floors = json.loads(FLOORS.read_text(encoding="utf-8"))
print(bench.__file__)
print(corpus_hash(load("corpus")) in floors, len(sites()), sum(map(len, sites().values())) > 40)
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what is built from: an older build beside the checkout would lend its files."""
    folder = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    for name in PACKAGES:
        shutil.copytree(ROOT / name, folder / name, ignore=WRITTEN)
    return folder


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    before = {path.relative_to(source) for path in source.rglob("*")}
    folder = tmp_path_factory.mktemp("wheel")
    _pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(source))
    for path in sorted(source.rglob("*"), reverse=True):  # what the build has left there
        if path.relative_to(source) not in before:
            path.rmdir() if path.is_dir() else path.unlink()
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    _pip("install", "--no-deps", "--target", str(folder), str(wheel))
    return folder


def _pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def _run(installed: Path, folder: Path, *command: str) -> str:
    """What a command prints away from the checkout; the dependencies are those of this Python."""
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_every_file_of_the_packages_is_in_the_wheel(source: Path, wheel: Path) -> None:
    files = {str(path.relative_to(source)) for name in PACKAGES for path in (source / name).rglob("*")}
    files = {name for name in files if (source / name).is_file()}
    assert {"bench/floors.json", "bench/web/prose.json", "transforms/py.typed"} < files
    with ZipFile(wheel) as packed:
        assert not files - set(packed.namelist())


def test_the_command_works_without_a_checkout(installed: Path, tmp_path: Path) -> None:
    winnow = str(installed / "bin" / "winnow")
    assert _run(installed, tmp_path, winnow, "--version").startswith("winnow ")
    page = "<html><body><p>The ferry left the harbour an hour late, and nobody on board minded.</p></body></html>"
    assert "The ferry left the harbour" in _run(installed, tmp_path, winnow, "extract", "-e", "block", page)


def test_the_data_of_the_bench_is_read_without_a_checkout(installed: Path, tmp_path: Path) -> None:
    where, found = _run(installed, tmp_path, sys.executable, "-c", DATA).splitlines()
    assert Path(where).is_relative_to(installed)
    assert found == "True 5 True"
