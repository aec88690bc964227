"""A web server on loopback, for the demonstration, the tests and the benchmarks of crawling.

One server stands for a whole web: what it answers may depend on the Host that is asked for. It speaks HTTP/1.1
itself, so that it can also do what no good server does: dribble, hang up within a body, answer nonsense.
"""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast

LOOPBACK = "127.0.0.1"
HANG = float("inf")


@dataclass(frozen=True)
class Asked:
    """A request."""

    method: str
    host: str  # of the Host header
    target: str  # path and query
    headers: dict[str, str]  # names in lower case

    @property
    def path(self) -> str:
        """Without the query."""
        return self.target.partition("?")[0]


@dataclass(frozen=True)
class Answer:
    """A response."""

    body: bytes = b""
    status: str = "200 OK"
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/html; charset=utf-8"),)
    wait: float = 0.0  # seconds before it begins; HANG: it never does
    raw: bytes | None = None  # instead of all of the above, as it stands
    pieces: Sequence[bytes] = ()  # after that, one every `pause` seconds
    pause: float = 0.1
    close: bool = False  # hang up afterwards

    def written(self) -> bytes:
        """As it goes over the wire."""
        if self.raw is not None:
            return self.raw
        names = {name.lower() for name, _ in self.headers}
        bodiless = self.status.startswith(("204", "304"))
        framed = bodiless or self.close or "transfer-encoding" in names or "content-length" in names
        length = () if framed else (("Content-Length", str(len(self.body))),)
        lines = "".join(f"{name}: {value}\r\n" for name, value in (*self.headers, *length))
        head = f"HTTP/1.1 {self.status}\r\n{lines}\r\n".encode("latin-1")
        return head if bodiless else head + self.body


Answers = Callable[[Asked], Answer]


class _Connection(asyncio.Protocol):
    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._buffer = b""
        self._busy: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while self._busy is None and (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            head, self._buffer = self._buffer[:end], self._buffer[end + 4 :]
            self._answer(_asked(head))

    def _answer(self, asked: Asked) -> None:
        answer = self._answers(asked)
        if answer.wait or answer.pieces:
            self._busy = asyncio.ensure_future(self._slowly(answer))
            return
        self._transport.write(answer.written())
        if answer.close:
            self._transport.close()

    async def _slowly(self, answer: Answer) -> None:
        if answer.wait == HANG:
            return  # the other side gives up
        await asyncio.sleep(answer.wait)
        self._transport.write(answer.written())
        for piece in answer.pieces:
            await asyncio.sleep(answer.pause)
            self._transport.write(piece)
        self._busy = None
        if answer.close:
            self._transport.close()
        elif self._buffer:
            self.data_received(b"")

    def connection_lost(self, _: Exception | None) -> None:
        if self._busy:
            self._busy.cancel()


def _asked(head: bytes) -> Asked:
    first, *lines = head.decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return Asked(method, headers.get("host", ""), target, headers)


@contextmanager
def serve(
    answers: Answers, address: str = LOOPBACK, port: int = 0, *, tls: ssl.SSLContext | None = None
) -> Iterator[int]:
    """Serve in a thread of its own; gives the port. `answers` is called there, one request at a time."""
    loop = asyncio.new_event_loop()
    server = loop.run_until_complete(loop.create_server(lambda: _Connection(answers), address, port, ssl=tls))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        server.close()
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()
