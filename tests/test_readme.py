"""The README's Python runs as it stands. (Its commands are run by tests/bench/test_docs.py.)"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_readme_s_python_runs(example: str) -> None:
    run = subprocess.run([sys.executable, "-c", example], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.stderr == ""
    assert run.returncode == 0
    assert "The last pilot of the Harrow Sound ferry" in run.stdout


def test_there_is_an_example() -> None:
    assert EXAMPLES
