"""A client for HTTP/1.1 that keeps every byte of a response as it came, within limits on size and time.

Scrapy's own handlers hand out headers in another spelling and order and bodies without their chunks. An archive is to
hold what the server said, so this one reads the connection itself: RFC 9112, as far as a crawler needs it (GET, no
bodies sent).
"""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timezone
from time import monotonic
from typing import cast

from pipeline.http import HttpMessage, fields
from spiders.connect import Connector
from spiders.exceptions import FetchError
from spiders.exchange import DISCONNECT, LENGTH, TIME, Exchange
from spiders.outcomes import Outcome
from spiders.urls import Url

# Idle connections are closed after so long, as servers do themselves, and when there are more than so many.
IDLE_SECONDS, IDLE = 15.0, 128
NO_BODY = frozenset({204, 304})

_STATUS = re.compile(rb"HTTP/(\d)\.(\d)[ \t]+(\d{3})(?!\d)")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_CHUNK = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]*)?\r?\n")
_CHUNK_LINE = 4096  # bytes of a line with the size of a chunk, at most


@dataclass(frozen=True)
class FetchLimits:
    """Of one fetch."""

    body: int = 10 << 20  # bytes on the wire
    head: int = 128 << 10
    seconds: float = 60.0


@dataclass(frozen=True)
class _Received:
    block: bytes
    message: HttpMessage
    truncated: str | None


class _Connection(asyncio.Protocol):
    """One connection to a server; serves one request at a time."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.address: str | None = None
        self.idle_since = 0.0
        self.reusable = False
        self._done: asyncio.Future[_Received] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        peer = transport.get_extra_info("peername")
        self.address = str(peer[0]) if peer else None

    async def send(self, request: bytes, limits: FetchLimits) -> _Received:
        """Send a request and wait for its response; raises FetchError if none comes."""
        loop = asyncio.get_running_loop()
        assert self.transport is not None  # noqa: S101  it is connected
        self._raw = bytearray()
        self._limits = limits
        self._status, self._body_at = 0, -1
        self._headers: tuple[tuple[str, str], ...] = ()
        self._length: int | None = None
        self._chunk_at: int | None = None  # where the next line with a size begins
        self._done = loop.create_future()
        timer = loop.call_later(limits.seconds, self._time_is_up)
        self.transport.write(request)
        try:
            return await self._done
        finally:
            timer.cancel()
            self._done = None

    def close(self) -> None:
        self.reusable = False
        if self.transport:
            self.transport.abort()

    @property
    def closed(self) -> bool:
        return self.transport is None or self.transport.is_closing()

    def data_received(self, data: bytes) -> None:
        if self._done is None or self._done.done():
            self.close()  # nobody asked
            return
        looked_at = max(0, len(self._raw) - 3)  # the blank line may have begun before
        self._raw += data
        if self._body_at < 0 and not self._read_head(looked_at):
            return
        self._read_body()

    def connection_lost(self, _: Exception | None) -> None:
        self.reusable, self.transport = False, None
        if self._done is None or self._done.done():
            return
        if self._body_at < 0:
            self._fail(Outcome.BROKEN, "the connection ended before the head of a response did")
        elif self._length is None and self._chunk_at is None:
            self._finish(len(self._raw), None, keep=False)
        else:
            self._finish(len(self._raw), DISCONNECT, keep=False)

    def _time_is_up(self) -> None:
        if self._done is None or self._done.done():
            return
        if self._body_at < 0:
            self._fail(Outcome.TIMED_OUT, f"no response within {self._limits.seconds:g} s")
        else:
            self._finish(len(self._raw), TIME, keep=False)

    def _read_head(self, start: int) -> bool:
        raw = self._raw
        end = _HEAD_END.search(raw, start)
        if not end:
            if len(raw) > self._limits.head:
                self._fail(Outcome.BROKEN, f"the head of the response is longer than {self._limits.head} bytes")
            elif len(raw) > 8 and not raw.startswith(b"HTTP/"):
                self._fail(Outcome.BROKEN, "the response is not HTTP")
            return False
        status = _STATUS.match(raw)
        if not status or end.end() > self._limits.head:
            self._fail(Outcome.BROKEN, "the head of the response is not HTTP, or too long")
            return False
        if 100 <= int(status[3]) < 200:  # RFC 9110, 15.2: interim, another one follows
            del raw[: end.end()]
            return self._read_head(0) if raw else False
        self._status, self._body_at = int(status[3]), end.end()
        self._headers = fields(bytes(raw[raw.find(b"\n") + 1 : end.start()]))
        self._frame((int(status[1]), int(status[2])))
        return True

    def _frame(self, version: tuple[int, int]) -> None:
        """How long the body is: RFC 9112, 6.3."""
        named: dict[str, list[str]] = {}
        for name, value in self._headers:
            named.setdefault(name.lower(), []).append(value.lower())
        lengths = {part.strip() for value in named.get("content-length", ()) for part in value.split(",")}
        self._keep = version >= (1, 1) and "close" not in ",".join(named.get("connection", ()))
        if self._status in NO_BODY:
            self._length = 0
        elif "transfer-encoding" in named:
            self._keep = self._keep and not lengths
            if named["transfer-encoding"][-1].rpartition(",")[2].strip() == "chunked":
                self._chunk_at = self._body_at
        elif len(lengths) == 1 and (length := lengths.pop()).isascii() and length.isdigit():
            self._length = int(length)
        # Otherwise the body lasts until the connection ends; so it does where the lengths contradict each other.

    def _read_body(self) -> None:
        end: int | None = None
        if self._length is not None:
            end = self._body_at + self._length if len(self._raw) >= self._body_at + self._length else None
        elif self._chunk_at is not None:
            end = self._end_of_chunks()
        limit = self._body_at + self._limits.body
        if (end or len(self._raw)) > limit:
            self._finish(limit, LENGTH, keep=False)
        elif end is not None:
            self._finish(end, None, keep=self._keep and end == len(self._raw))

    def _end_of_chunks(self) -> int | None:
        raw = self._raw
        while self._chunk_at is not None and self._chunk_at < len(raw):
            size = _CHUNK.match(raw, self._chunk_at)
            if not size:
                if len(raw) - self._chunk_at > _CHUNK_LINE or b"\n" in raw[self._chunk_at :]:
                    # No size of a chunk: nobody can say where the body ends.
                    self._chunk_at = None
                return None
            length = int(size[1], 16)
            if length == 0:
                return self._end_of_trailers(size.end())
            after = size.end() + length
            if len(raw) < after + 1 or (raw[after] == 13 and len(raw) < after + 2):
                return None
            self._chunk_at = after + (2 if raw[after] == 13 else 1)
        return None

    def _end_of_trailers(self, start: int) -> int | None:
        raw = self._raw
        for blank in (b"\r\n", b"\n"):
            if raw.startswith(blank, start):
                return start + len(blank)
        end = _HEAD_END.search(raw, start)
        if end is None and len(raw) - start > self._limits.head:
            return len(raw)  # nobody needs so many
        return end.end() if end else None

    def _finish(self, end: int, truncated: str | None, *, keep: bool) -> None:
        block = bytes(self._raw[:end])
        message = HttpMessage(self._status, self._headers, block[self._body_at :], None)
        self._raw = bytearray()
        self.reusable = keep
        if not keep:
            self.close()
        assert self._done is not None  # noqa: S101  data is only looked at while somebody waits
        self._done.set_result(_Received(block, message, truncated))

    def _fail(self, outcome: Outcome, reason: str) -> None:
        self.close()
        self._raw = bytearray()
        assert self._done is not None  # noqa: S101
        self._done.set_exception(FetchError(outcome, reason))


class Client:
    """Fetches URLs over connections that are kept and used again."""

    def __init__(self, connector: Connector, limits: FetchLimits, per_host: int) -> None:
        self.limits = limits
        self._connector, self._per_host = connector, per_host
        self._idle: OrderedDict[tuple[str, str], list[_Connection]] = OrderedDict()

    async def fetch(self, url: Url, request: bytes, limits: FetchLimits | None = None) -> Exchange:
        """The response to a request that is already written; raises FetchError if there is none."""
        limits = limits or self.limits
        began, start = datetime.now(timezone.utc), monotonic()
        connection = self._taken(url)
        received = None
        if connection:
            try:
                received = await connection.send(request, limits)
            except FetchError as error:
                # The server may have closed it a moment ago; if it sent nothing, a new one gets the same chance.
                if error.outcome is not Outcome.BROKEN:
                    raise
        if received is None:
            connection = await self._connector.connect(url.scheme, url.name, url.port, _Connection)
            received = await connection.send(request, limits)
        assert connection is not None  # noqa: S101
        address = connection.address
        self._keep(url, connection)
        block, message, truncated = received.block, received.message, received.truncated
        return Exchange(url.text, began, monotonic() - start, address, request, block, message, truncated)

    def _taken(self, url: Url) -> _Connection | None:
        idle = self._idle.get((url.scheme, url.host))
        while idle:
            connection = idle.pop()
            if not connection.closed and monotonic() - connection.idle_since < IDLE_SECONDS:
                return connection
            connection.close()
        return None

    def _keep(self, url: Url, connection: _Connection) -> None:
        if not connection.reusable or connection.closed:
            return
        connection.idle_since = monotonic()
        idle = self._idle.setdefault((url.scheme, url.host), [])
        idle.append(connection)
        self._idle.move_to_end((url.scheme, url.host))
        if len(idle) > self._per_host:
            idle.pop(0).close()
        if len(self._idle) > IDLE:
            for old in self._idle.popitem(last=False)[1]:
                old.close()

    def close(self) -> None:
        """End all idle connections."""
        for idle in self._idle.values():
            for connection in idle:
                connection.close()
        self._idle.clear()
