"""Ends a job on Flink: Beam's job server, told to cancel, forgets the job and leaves it running."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from typing import Any
from urllib.request import Request, urlopen

ASK_SECONDS = 10.0
# A job is cancelled when its tasks have heard of it; a task in the middle of a page hears late.
END_SECONDS = 30.0
_ENDED = frozenset({"CANCELED", "FAILED", "FINISHED"})


def cancel(master: str, name: str) -> None:
    """Cancel the one running job of this name, and return when it has ended. Nothing if there is none, or several."""
    if master.startswith("["):
        return  # [auto], [local]: there is no address to ask
    if not master.startswith(("http://", "https://")):
        master = f"http://{master}"
    with suppress(OSError, ValueError, KeyError):
        running = [job for job in _ask(master, "/jobs/overview")["jobs"] if job["state"] not in _ENDED]
        named = [job["jid"] for job in running if job["name"] == name]
        if len(named) != 1:
            return
        _ask(master, f"/jobs/{named[0]}?mode=cancel", "PATCH")
        ends = time.monotonic() + END_SECONDS
        while _ask(master, f"/jobs/{named[0]}")["state"] not in _ENDED and time.monotonic() < ends:
            time.sleep(0.2)


def _ask(master: str, path: str, method: str = "GET") -> dict[str, Any]:
    request = Request(master.rstrip("/") + path, method=method)  # noqa: S310  of http alone, see above
    with urlopen(request, timeout=ASK_SECONDS) as answer:  # noqa: S310
        found: dict[str, Any] = json.loads(answer.read() or b"{}")
        return found
