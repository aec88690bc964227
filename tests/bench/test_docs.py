"""Every command that the documentation shows can be run as it stands there.

A command is a line of a fenced or indented block that begins with `$ `; a backslash at its end continues it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bench import peers
from bench.datasets import CORPUS
from bench.web import write_warc
from bench.web.served import answer
from bench.web.server import serve

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])

# What can be tried here: it needs no data from elsewhere, installs nothing and writes no file of the project.
OURS = re.compile(r"winnow\s|python3? -m (bench|pipeline)\b")
# What crawls goes to the small web, which the documentation serves on this port.
PORT = "8642"
OUTSIDE = re.compile(r"\.\./shared|\bmake\b|--update|-m bench\.figures\s*$")


def commands(markdown: str) -> list[str]:
    """The commands in a document, in order."""
    joined = re.sub(r"\\\n\s*(?:> )?", " ", markdown)
    return re.findall(r"^[ \t]*\$ (.+?)[ \t]*$", joined, re.MULTILINE)


SHOWN = [
    pytest.param(command, id=f"{document.name}: {command}")
    for document in DOCUMENTS
    for command in commands(document.read_text(encoding="utf-8"))
    if OURS.search(command) and not OUTSIDE.search(command)
]


def test_commands_are_found_in_fenced_and_indented_blocks() -> None:
    fenced = "```console\n$ winnow extract a.html \\\n    -f json\nits output\n```\n"
    indented = "\n    $ winnow bench | head -3\n    its output\n"
    assert commands(f"It costs $ 5.\n{fenced}{indented}") == [
        "winnow extract a.html  -f json",
        "winnow bench | head -3",
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The parts of a checkout that a reader's commands name, so that what they write is not left in the project."""
    shutil.copytree(CORPUS, tmp_path / "bench" / "corpus")
    shutil.copy(CORPUS / "pages" / "001-ferry-pilot.html", tmp_path / "page.html")
    shutil.move(write_warc(tmp_path / "web")[0], tmp_path / "crawl.warc.gz")
    return tmp_path


@pytest.mark.parametrize("command", SHOWN)
def test_a_command_of_the_documentation_works(command: str, folder: Path) -> None:
    named = {name for name in peers.PEERS if re.search(rf"--peer\S*\s\S*{name}", command)}
    if missing := named - set(peers.installed()):
        pytest.skip(f"not installed here: {', '.join(sorted(missing))}")
    with serve(answer) as port:
        run = shell(command.replace(f":{PORT}", f":{port}"), folder)
    assert run.returncode == 0, run.stderr.decode()
    assert run.stdout


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.run(
        ["/bin/bash", "-o", "pipefail", "-c", command],
        cwd=folder, env=os.environ | {"PATH": path}, capture_output=True, check=False, timeout=600,
    )  # fmt: skip
