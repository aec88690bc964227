"""The process that meets the pages: reads a range of an archive, cleans its records, and may die of one of them.

Lines of JSON come in on standard input: first how to work, then one request after the other. Lines go out on standard
output: one when it is ready, then for each record a line with its entry in the accounts, and one with its document or
dead letter. Nothing but JSON crosses, so that a parser that was taken over by a page can harm no other process.
`pipeline/guard.py` is the other end.

The number of the item at work stands in a file that both processes hold, so that after a death the parent knows which
page it was. The kernel ends this process when a page takes too long: no parser written in C can delay that.
"""

from __future__ import annotations

import base64
import fcntl
import importlib
import json
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import count
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO, cast

from pipeline.clean import (
    NO_TEMPLATES,
    Candidate,
    Settings,
    Templates,
    Verdict,
    admit,
    as_line,
    failed,
    judge,
    judge_revisit,
    url_of,
)
from pipeline.files import InputError, open_binary
from pipeline.outcomes import Outcome
from pipeline.revisits import keys_of_original, keys_of_revisit
from pipeline.site_names import site_of
from pipeline.warc import Loss, Record, read
from transforms import Page
from transforms.sites import Template, sketch
from transforms.sites.sample import Gate, key

# Records that say which sites there are.
REVISIT = "revisit"
PAGE_TYPES = frozenset({"response", "resource", REVISIT})
# Templates that are kept in memory, of those of a range: some ten KB each.
KNOWN_SITES = 1_000
# Results wait for each other so long at most: the parent shows progress by them.
FLUSH_SECONDS = 0.2
READY = b'["ready"]\n'  # the first line; instead of it there may be one that says why not
UNREADABLE = "cannot be read"  # a file or a server, this time
IDLE = 0  # what the shared file says while no page is at work; items count from 1
NUMBER_BYTES = 8
# Linux ends this process first when memory runs out, not the one that holds the results of others.
OOM_SCORE = 500


@dataclass(frozen=True)
class Worker:
    """How this process works."""

    settings: Settings
    page_seconds: float  # of CPU time
    mark: int  # the file that says what is at work
    out: BinaryIO

    @contextmanager
    def at_work(self, number: int) -> Iterator[None]:
        """Run one page within its time; if the process dies here, the parent knows of which item."""
        os.pwrite(self.mark, number.to_bytes(NUMBER_BYTES, "little"), 0)
        signal.setitimer(signal.ITIMER_PROF, self.page_seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            os.pwrite(self.mark, IDLE.to_bytes(NUMBER_BYTES, "little"), 0)

    def say(self, *values: Any) -> None:
        """Write one line."""
        self.out.write(json.dumps(values).encode() + b"\n")

    def report(self, verdict: Verdict, record: Record) -> None:
        """Write what became of a record."""
        self.say("record", record.offset, record.length, verdict.entry, verdict.explanation is not None)
        self.out.write(as_line(verdict.document))
        if verdict.explanation is not None:
            self.out.write(as_line(verdict.explanation))


def serve(worker: Worker, requests: Iterator[dict[str, Any]]) -> None:
    """Answer each request with the lines of its items, and a last one."""
    for request in requests:
        (kind, asked), *_ = request.items()
        ANSWERS[kind](worker, asked)
        worker.out.flush()


def _range(worker: Worker, request: dict[str, Any]) -> None:
    """Clean the records of [start, stop), from the item numbered `number` on; those in `skip` are known already."""
    uri, give_up = request["uri"], {int(number): why for number, why in request["give_up"].items()}
    duplicates = {tuple(place) for place in request["duplicates"]}
    templates = stored(request["templates"])
    flushed = monotonic()
    position = request["start"]
    numbers = count(request["number"])
    try:
        with open_binary(uri) as stream:
            items = read(stream, position, request["stop"], size=request["size"], max_block=worker.settings.max_block)
            for number, (item, nth) in zip(numbers, numbered(items), strict=False):
                if number < request["known"]:
                    continue
                if isinstance(item, Loss):
                    worker.say("loss", *item)
                    position = item.end
                    continue
                if item.type == "revisit":
                    keys = [name.hex() for name in keys_of_revisit(item)]
                    site = site_of(url_of(item), worker.settings.site_by)
                    worker.say("revisit", item.offset, item.length, nth, keys, site)
                else:
                    duplicate = (item.offset, nth) in duplicates
                    work = partial(judge, item, worker.settings, uri, duplicate=duplicate, templates=templates)
                    verdict = _judged(worker, item, uri, give_up.get(number) or (number, work))
                    worker.report(verdict, item)
                position = item.offset + item.length
                if monotonic() - flushed > FLUSH_SECONDS:
                    worker.out.flush()
                    flushed = monotonic()
    except (InputError, OSError) as error:
        worker.say("loss", position, request["stop"], f"{UNREADABLE}: {error}")
    worker.say("done")


def numbered(items: Iterator[Record | Loss]) -> Iterator[tuple[Record | Loss, int]]:
    """Each item with its place among the records that share its offset, from 0."""
    offset, nth = -1, 0
    for item in items:
        if isinstance(item, Record):
            nth = nth + 1 if item.offset == offset else 0
            offset = item.offset
        yield item, nth


GivenUp = tuple[str, str]  # outcome and reason, found out by a death


def _judged(worker: Worker, record: Record, uri: str, work: GivenUp | tuple[int, Callable[[], Verdict]]) -> Verdict:
    """What becomes of a record: the work on it, under its number, or why that was given up."""
    first, second = work
    if isinstance(second, str):
        return failed(record, Outcome(first), second, worker.settings, uri)
    try:
        with worker.at_work(cast("int", first)):
            return second()
    except MemoryError:
        return failed(record, Outcome.OUT_OF_MEMORY, "memory for one page used up", worker.settings, uri)
    except Exception as error:  # noqa: BLE001  whatever a page makes an extractor do, the other pages are cleaned
        return failed(record, Outcome.CRASHED, repr(error)[:500], worker.settings, uri)


def _revisit(worker: Worker, request: dict[str, Any]) -> None:
    """Clean one revisit by the record that it refers to, if there is one."""
    settings, uri, place = worker.settings, request["uri"], request["original"]
    record = _nth_at(uri, request["offset"], request["nth"], settings.max_block)
    original = _matching(place["uri"], place["offset"], bytes.fromhex(place["key"]), settings) if place else None
    if original is None:
        work = partial(judge, record, settings, uri)
    else:
        found_at = f"{place['uri']}:{place['offset']}"
        template = Template.unpacked(request["template"]) if request["template"] else None
        work = partial(judge_revisit, record, original, settings, uri, found_at, lambda _: template)
    worker.report(_judged(worker, record, uri, request["give_up"] or (1, work)), record)
    worker.say("done")


def _sketch(worker: Worker, request: dict[str, Any]) -> None:
    """The sites of a range, and sketches of the pages that may be in the samples of their sites.

    A page that cannot be sketched is passed by: the step that cleans will book it.
    """
    settings, gate, sites = worker.settings, Gate(request["most"]), set()
    bad = set(request["bad"])
    flushed = monotonic()
    try:
        with open_binary(request["uri"]) as stream:
            items = read(stream, request["start"], request["stop"], size=request["size"], max_block=settings.max_block)
            for number, item in enumerate(items, 1):
                if isinstance(item, Loss) or item.type not in PAGE_TYPES:
                    continue
                url = url_of(item) or ""
                site = site_of(url, settings.site_by)
                if site and (site, item.type == REVISIT) not in sites:
                    sites.add((site, item.type == REVISIT))
                    worker.say("site", site, item.type == REVISIT)
                name = key(url)
                wanted = site and request["most"] and number not in bad and gate.admits(site, name)
                if wanted and _say_sketch(worker, item, number, (site, name, url)):
                    gate.sketched(site, name)
                if monotonic() - flushed > FLUSH_SECONDS:
                    worker.say("at", item.offset - request["start"])
                    worker.out.flush()
                    flushed = monotonic()
    except (InputError, OSError):
        pass  # the step that cleans says what could not be read
    worker.say("done")


def _say_sketch(worker: Worker, record: Record, number: int, named: tuple[str, bytes, str]) -> bool:
    """Sketch a page, if the record holds one; whether it was sketched."""
    site, name, url = named
    with suppress(Exception), worker.at_work(number):
        admitted = admit(record, worker.settings)
        if isinstance(admitted, Candidate):
            page = Page.parse(admitted.payload, url=url, content_type=admitted.content_type)
            if not page.truncated and not page.is_empty:
                made = sketch(page).encode()
                worker.say("sketch", site, name.hex(), base64.b64encode(made).decode("ascii"))
                return True
    return False


def stored(path: str | None) -> Templates:
    """The templates in a file, each read when it is first asked for. A line is a site as JSON, a tab, its template."""
    if path is None:
        return NO_TEMPLATES
    lines: dict[str, str] = {}
    with Path(path).open(encoding="utf-8") as file:
        for line in file:
            quoted, _, written = line.partition("\t")
            lines[json.loads(quoted)] = written

    @lru_cache(maxsize=KNOWN_SITES)
    def template(site: str) -> Template | None:
        return Template.unpacked(lines[site]) if site in lines else None

    return template


def _at(uri: str, offset: int, max_block: int) -> Iterator[Record]:
    """The records of the member at `offset`."""
    with open_binary(uri) as stream:
        size = stream.seek(0, os.SEEK_END)
        for item in read(stream, offset, offset + 1, size=size, max_block=max_block):
            if isinstance(item, Record):
                yield item


def _nth_at(uri: str, offset: int, nth: int, max_block: int) -> Record:
    for place, record in enumerate(_at(uri, offset, max_block)):
        if place == nth:
            return record
    raise InputError(f"{uri} has changed while it was read: no record at byte {offset:,}")


def _matching(uri: str, offset: int, key: bytes, settings: Settings) -> Record | None:
    records = _at(uri, offset, settings.max_block)
    return next((record for record in records if key in keys_of_original(record, settings)), None)


def _limit_memory(page_bytes: int) -> None:
    """Let this process take so much more than it has now; Linux alone says how much that is."""
    with suppress(OSError, ValueError):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + page_bytes
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(OOM_SCORE), encoding="ascii")


def _die_with_parent(life: int) -> None:
    """Have the kernel end this process when the other end of `life` closes, whatever it is doing then.

    Its standard input would tell it too, but not while it is in a page that never ends.
    """
    with suppress(OSError):  # systems that send no signal for a pipe
        fcntl.fcntl(life, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(life, fcntl.F_SETFL, fcntl.fcntl(life, fcntl.F_GETFL) | os.O_ASYNC)


ANSWERS: dict[str, Callable[[Worker, dict[str, Any]], None]] = {
    "range": _range,
    "revisit": _revisit,
    "sketch": _sketch,
}


def main() -> int:
    """Read how to work, then answer requests until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's; it closes our input
    # Whatever a library prints goes to standard error.
    out = os.fdopen(os.dup(1), "wb", buffering=1 << 20)
    os.dup2(2, 1)
    lines = (json.loads(line) for line in sys.stdin.buffer)
    how = next(lines, None)
    if how is None:
        return 0
    _die_with_parent(how["life"])
    try:
        for module in how["imports"]:
            importlib.import_module(module)
        _limit_memory(how["page_bytes"])
        worker = Worker(Settings.of(how["settings"]), how["page_seconds"], how["mark"], out)
    except Exception as error:  # noqa: BLE001  modules of users, too, run here
        out.write(f"{type(error).__name__}: {error}".replace("\n", " ").encode() + b"\n")
        out.flush()
        return 1
    with suppress(BrokenPipeError):
        out.write(READY)
        out.flush()
        serve(worker, lines)
    return 0
