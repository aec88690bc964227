"""One request and its response, with the bytes as they went over the wire."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pipeline.http import HttpMessage

# Reasons of WARC-Truncated (WARC 1.1, section 5.13).
LENGTH, TIME, DISCONNECT = "length", "time", "disconnect"


@dataclass(frozen=True)
class Exchange:
    """What was sent and what came back."""

    url: str
    began: datetime
    seconds: float
    address: str | None  # that was connected to
    request: bytes  # head and all
    block: bytes  # the response: status line, headers, body in its codings
    message: HttpMessage  # the response, taken apart; `body` is the end of `block`
    truncated: str | None  # LENGTH, TIME or DISCONNECT

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.message.status or 0

    @property
    def head(self) -> bytes:
        """Status line and headers, with the blank line."""
        return self.block[: len(self.block) - len(self.message.body)]

    def header(self, name: str) -> str | None:
        """The first header of that name, whatever its case."""
        return next(iter(self.message.all(name)), None)
