"""An extractor that holds a run in its middle: on a page that asks for it, it waits until a gate is opened.

It also writes down which pages it has seen, so that a test knows which of them were cleaned again.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from gates import GATE, reached, seen

from transforms import Page
from transforms.registry import extractors
from transforms.selection import Spans, everything

WAIT = b"please-wait"
# Only ends a test that forgot its gate.
MOST_SECONDS = 300.0


@extractors.add("gated", "of the tests")
def gated(page: Page) -> Spans:
    """Keeps everything; on some pages not at once, where the environment names a gate."""
    name = os.environ.get(GATE)
    if name:
        with seen(Path(name)).open("a", encoding="utf-8") as file:
            file.write(f"{page.url}\n")
    if name and WAIT in page.source:
        gate = Path(name)
        reached(gate).write_text(str(os.getppid()), encoding="ascii")
        ends = time.monotonic() + MOST_SECONDS
        while not gate.exists() and time.monotonic() < ends:
            time.sleep(0.05)
    return everything(page.arrays)
