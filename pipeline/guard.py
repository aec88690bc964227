"""Cleaning at arm's length: a child process meets the pages; one that kills it is known, booked and passed by.

A child reads a range itself, so that only text crosses between the processes. When it dies (a fault in a parser, a page
that takes too long, the kernel short of memory), the next one goes on where the last report ended, and the page at work
ends as a dead letter.
"""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, BinaryIO, NamedTuple, cast

from pipeline.child import IDLE, NUMBER_BYTES, ORIGINAL, PAGE, READY
from pipeline.clean import Settings
from pipeline.exceptions import CannotStart
from pipeline.outcomes import Entry, Outcome, Sizes
from pipeline.start import python
from pipeline.warc import Loss

# Real pages take milliseconds; ones made to be slow end here.
PAGE_SECONDS = 30.0
# A page of the largest size takes some hundred MB.
PAGE_BYTES = 2 << 30
# A child that dies so often in a row with no page at work will not get through.
DEATHS_WITHOUT_A_PAGE = 3
# A child that something ends before it is ready is started again so often: the kernel may have been short of memory.
STARTS = 3
_CHILD = "from pipeline.child import main; sys.exit(main())"
READER_CRASHED = "the reader crashed"
# A child ends by itself when its input does, unless it is in a page.
GRACE_SECONDS = 1.0


class Range(NamedTuple):
    """A stretch of an archive: the records that begin in it are one unit of work, and one shard of output."""

    file: int  # its place among the files of the run, sorted by name
    part: int  # of the file
    uri: str
    start: int
    stop: int
    size: int  # of the whole file

    @property
    def shard(self) -> str:
        """The name of the output that this range gives."""
        return f"{self.file:05}-{self.part:04}"


def revisits_shard(file: int) -> str:
    """The name of the output that the revisits of a file give."""
    return f"{file:05}-revisits"


class Judged(NamedTuple):
    """What became of a record."""

    length: int  # of the file
    entry: Entry
    line: bytes  # its document or dead letter
    explanation: bytes | None = None  # what was removed from the page, and why


class Revisit(NamedTuple):
    """A revisit record, not judged yet."""

    file: int
    uri: str
    offset: int
    nth: int
    length: int
    keys: tuple[str, ...]
    site: str = ""


class Named(NamedTuple):
    """A record, and the names in hexadecimal by which others may know it."""

    offset: int
    nth: int
    names: tuple[str, ...]


class SiteSeen(NamedTuple):
    """A site of which a range has pages, or revisits of pages."""

    site: str
    revisits: bool


class Sketched(NamedTuple):
    """A page of a site, for its sample."""

    site: str
    key: bytes
    sketch: bytes


class Original(NamedTuple):
    """Where the page of a revisit was found, and by which key."""

    uri: str
    offset: int
    key: str


@dataclass(frozen=True)
class Bounds:
    """What one page may take."""

    seconds: float = PAGE_SECONDS  # of CPU time
    memory: int = PAGE_BYTES


@dataclass
class _Progress:
    """How far a range has been reported."""

    anchor: int  # an offset that reading can begin at again
    anchored: int = 1  # the number of the item there
    known: int = 1  # the number of the first item that was not reported

    def passed(self, offset: int | None) -> None:
        """One more item; `offset` if it is a record."""
        if offset is not None and offset > self.anchor:
            self.anchor, self.anchored = offset, self.known
        self.known += 1


# The children of this process that live, and whether all work here has been told to end.
_living: set[subprocess.Popen[bytes]] = set()
_stopped = threading.Event()


def stop_all() -> None:
    """End every child of this process at once, and start no other: Ctrl-C."""
    _stopped.set()
    for child in list(_living):
        child.kill()


def is_stopped() -> bool:
    """Whether `stop_all` was called."""
    return _stopped.is_set()


def _entry(outcome: str, site: str, read: int, gained: int, bins: list[int], sizes: list[int] | None) -> Entry:  # noqa: PLR0917  a row of JSON
    return Entry(outcome, site, read, gained, tuple(bins), Sizes(*sizes) if sizes else None)


class Cleaner:
    """A child process that cleans ranges, replaced when a page ends it. Not for several threads at once."""

    def __init__(self, settings: Settings, bounds: Bounds = Bounds(), imports: Sequence[str] = ()) -> None:
        self._how = {
            "settings": settings.as_dict(),
            "imports": list(imports),
            "page_seconds": bounds.seconds,
            "page_bytes": bounds.memory,
        }
        self._bounds = bounds
        self._mark = tempfile.TemporaryFile()  # noqa: SIM115  closed by close()
        self._child: subprocess.Popen[bytes] | None = None
        self._life = -1  # nothing is ever written here: it closes when this process ends, however that happens
        self._cause: tuple[int, tuple[str, str]] = (IDLE, ("", ""))  # of the last death

    def clean(
        self, work: Range, duplicates: Sequence[tuple[int, int]] = (), templates: str | None = None
    ) -> Iterator[Judged | Revisit | Loss]:
        """Every item of the range, in order. `duplicates` are the (offset, place) of records to be booked as such.

        `templates` is a file of them, as `child.stored` reads it.
        """
        more = {"duplicates": [list(place) for place in duplicates], "templates": templates}
        return self._through("range", work, more)

    def payloads(self, work: Range) -> Iterator[Named]:
        """Every record of the range, named by the digest of its page if it holds one that is to be cleaned."""
        return (item for item in self._through("payloads", work) if isinstance(item, Named))

    def originals(self, work: Range) -> Iterator[Named]:
        """Every record of the range, named by the keys under which a revisit may look for it."""
        return (item for item in self._through("originals", work) if isinstance(item, Named))

    def can_be_split(self, uri: str, size: int) -> bool:
        """Whether a file can be read from several places; not if it cannot be read."""
        for _ in range(DEATHS_WITHOUT_A_PAGE):
            said = [values[0] for kind, *values in self._whole_answer({"layout": {"uri": uri, "size": size}}) if values]
            if self._child is not None:
                return said == [True]
        return False

    def _through(self, kind: str, work: Range, more: Mapping[str, Any] = MappingProxyType({})) -> Iterator[Any]:
        """What is answered to the request `kind` of each item of a range, in order; after a death it goes on."""
        progress = _Progress(work.start)
        given_up: dict[int, tuple[str, str]] = {}
        deaths = 0
        while True:
            request = {
                "uri": work.uri,
                "start": progress.anchor,
                "stop": work.stop,
                "size": work.size,
                "number": progress.anchored,
                "known": progress.known,
                "give_up": given_up,
                **more,
            }
            before = progress.known
            for item, offset in self._items({kind: request}, work.file, work.uri):
                progress.passed(offset)
                yield item
            if self._child is not None:
                return
            number, why = self._cause
            if number:
                given_up[number] = why
                continue
            deaths = deaths + 1 if progress.known == before else 1
            if deaths >= DEATHS_WITHOUT_A_PAGE:
                yield Loss(progress.anchor, work.stop, f"{READER_CRASHED}: {why[1]}")
                return

    def sketches(self, work: Range, most: int) -> Iterator[SiteSeen | Sketched | Loss | int]:
        """The sites in a range, and sketches of at most about `most` pages each; numbers say how many bytes were read.

        After a death all is said once more, without the page that caused it: who listens counts the same thing once.
        """
        request = {
            "uri": work.uri, "start": work.start, "stop": work.stop, "size": work.size, "most": most,
            "number": 1, "known": 1,
        }  # fmt: skip
        bad: list[int] = []
        deaths = 0
        while deaths < DEATHS_WITHOUT_A_PAGE:
            for kind, *values in self._whole_answer({"sketch": {**request, "bad": bad}}):
                if kind == "site":
                    yield SiteSeen(*values)
                elif kind == "sketch":
                    site, name, made = values
                    yield Sketched(site, bytes.fromhex(name), base64.b64decode(made))
                elif kind == "loss":
                    yield Loss(*values)
                elif kind == "at":
                    yield values[0]
            if self._child is not None:
                return
            number, why = self._cause
            deaths = 0 if number else deaths + 1
            bad.append(number)
        yield Loss(work.start, work.stop, f"{READER_CRASHED}: {why[1]}")

    def revisit(self, revisit: Revisit, original: Original | None, template: str | None = None) -> Judged:
        """What becomes of a revisit whose page is `original`, or was not found."""
        give_up = unread = None
        for _ in range(DEATHS_WITHOUT_A_PAGE):
            request = {
                "uri": revisit.uri,
                "offset": revisit.offset,
                "nth": revisit.nth,
                "length": revisit.length,
                "original": original._asdict() if original else None,
                "unread": unread,
                "template": template,
                "give_up": give_up,
            }
            for item, _offset in self._items({"revisit": request}, revisit.file, revisit.uri):
                if isinstance(item, Judged):
                    judged = item
            if self._child is not None:
                return judged
            number, why = self._cause
            if number == PAGE:
                give_up = why
            elif number == ORIGINAL:
                unread = why[1]
        raise RuntimeError(f"{revisit.uri}: the revisit record at byte {revisit.offset:,} cannot be read: {why[1]}")

    def close(self) -> None:
        """End the child."""
        if self._child is not None:
            self._end(self._child)
            self._child = None
        self._mark.close()

    def _items(
        self, request: dict[str, Any], file: int, uri: str
    ) -> Iterator[tuple[Judged | Revisit | Named | Loss, int | None]]:
        """What the child answers, with the offset of what is a record. If it died, there is no child afterwards."""
        for kind, *values in self._whole_answer(request):
            if kind == "loss":
                yield Loss(*values), None
            elif kind == "revisit":
                offset, length, nth, keys, site = values
                yield Revisit(file, uri, offset, nth, length, tuple(keys), site), offset
            elif kind == "record":
                offset, length, entry, _, document, explanation = values
                yield Judged(length, _entry(*entry), document, explanation), offset
            elif kind == "names":
                offset, nth, names = values
                yield Named(offset, nth, tuple(names)), offset

    def _whole_answer(self, request: dict[str, Any]) -> Iterator[list[Any]]:
        """The lines of an answer; if it was not read to its end, there is no child afterwards."""
        child = self._child or self.start()
        ended = False
        try:
            for answer in self._answers(child, request):
                ended = answer[0] == "done"
                yield answer
        finally:
            if not ended:
                # It died, or nobody wants the rest of its answer: the next request needs another one.
                self._child = None
                self._cause = self._obituary(child)

    @staticmethod
    def _answers(child: subprocess.Popen[bytes], request: dict[str, Any]) -> Iterator[list[Any]]:
        """The lines of an answer as far as they are whole; a record has its document and its explanation with it."""
        requests, lines = cast("BinaryIO", child.stdin), cast("BinaryIO", child.stdout)
        with suppress(BrokenPipeError):
            requests.write(json.dumps(request).encode() + b"\n")
            requests.flush()
        while (line := lines.readline()).endswith(b"\n"):
            answer = json.loads(line)
            if answer[0] == "record":
                document = lines.readline()
                explanation = lines.readline() if answer[4] else None
                if not (document if explanation is None else explanation).endswith(b"\n"):
                    return
                answer += (document, explanation)
            yield answer
            if answer[0] == "done":
                return

    def start(self) -> subprocess.Popen[bytes]:
        """A child that is ready; raises CannotStart. There is no need to call this before the other methods."""
        for _ in range(STARTS):
            child = self._begun()
            first = cast("BinaryIO", child.stdout).readline()
            if first == READY:
                return child
            self._child = None
            _, (_, why) = self._obituary(child)
            if _stopped.is_set():
                raise KeyboardInterrupt
            if child.returncode >= 0:  # by itself, as it would the next time
                break
        said = first.decode("utf-8", "replace").strip()
        raise CannotStart(said[:500] or f"{why} before it was ready; standard error may say why")

    def _begun(self) -> subprocess.Popen[bytes]:
        if _stopped.is_set():
            raise KeyboardInterrupt
        mark = self._mark.fileno()
        life, self._life = os.pipe()
        os.pwrite(mark, IDLE.to_bytes(NUMBER_BYTES, "little"), 0)
        # One page at a time needs no threads of its own, and they would count against its memory.
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        try:
            self._child = subprocess.Popen(  # noqa: S603
                python(_CHILD), stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[mark, life], env=environment
            )
        except OSError as error:
            os.close(self._life)
            self._life = -1
            raise CannotStart(str(error)) from error
        finally:
            os.close(life)
        _living.add(self._child)
        how = {**self._how, "mark": mark, "life": life}
        with suppress(BrokenPipeError):
            requests = cast("BinaryIO", self._child.stdin)
            requests.write(json.dumps(how).encode() + b"\n")
            requests.flush()
        return self._child

    def _obituary(self, child: subprocess.Popen[bytes]) -> tuple[int, tuple[str, str]]:
        """The number of the item that was at work, 0 if none was, and its outcome with the reason."""
        status = self._end(child)
        number = int.from_bytes(os.pread(self._mark.fileno(), NUMBER_BYTES, 0), "little")
        if status == -signal.SIGPROF:
            return number, (Outcome.TIMEOUT.value, f"more than {self._bounds.seconds:g} s of CPU time")
        if status < 0:
            name = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
            return number, (Outcome.CRASHED.value, f"the process ended with {name}")
        return number, (Outcome.CRASHED.value, f"the process ended with status {status}")

    def _end(self, child: subprocess.Popen[bytes]) -> int:
        for stream in (child.stdin, child.stdout):
            with suppress(BrokenPipeError):
                cast("BinaryIO", stream).close()
        _living.discard(child)
        try:
            return child.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:  # in the middle of a page that nobody waits for
            child.kill()
            return child.wait()
        finally:
            life, self._life = self._life, -1
            if life >= 0:  # a teardown and an interrupt may both end the child
                os.close(life)
