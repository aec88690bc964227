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
    Refusal,
    Settings,
    Templates,
    Verdict,
    admit,
    as_line,
    failed,
    judge,
    judge_revisit,
    payload_names,
    refused,
    url_of,
)
from pipeline.files import InputError, open_binary
from pipeline.outcomes import Outcome
from pipeline.revisits import keys_of_original, keys_of_revisit
from pipeline.site_names import site_of
from pipeline.warc import Loss, Record, can_be_split, read
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
PAGE, ORIGINAL = 1, 2  # the items of a revisit: its page while it is cleaned, the record with it while it is read
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
    def marked(self, number: int) -> Iterator[None]:
        """If the process dies here, the parent knows of which item."""
        os.pwrite(self.mark, number.to_bytes(NUMBER_BYTES, "little"), 0)
        try:
            yield
        finally:
            os.pwrite(self.mark, IDLE.to_bytes(NUMBER_BYTES, "little"), 0)

    @contextmanager
    def at_work(self, number: int) -> Iterator[None]:
        """Run one page within its time, marked."""
        with self.marked(number):
            signal.setitimer(signal.ITIMER_PROF, self.page_seconds)
            try:
                yield
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)

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


def _records(worker: Worker, request: dict[str, Any]) -> Iterator[tuple[int, Record, int]]:
    """The records of [start, stop) with their numbers and places; what cannot be read is told as lost.

    The first item there is `number`; the first to be told is `known`.
    """
    position, flushed = request["start"], monotonic()
    try:
        with open_binary(request["uri"]) as stream:
            items = read(stream, position, request["stop"], size=request["size"], max_block=worker.settings.max_block)
            for number, (item, nth) in zip(count(request["number"]), numbered(items), strict=False):
                if number < request["known"]:
                    continue
                if isinstance(item, Loss):
                    worker.say("loss", *item)
                    position = item.end
                    continue
                yield number, item, nth
                position = item.offset + item.length
                if monotonic() - flushed > FLUSH_SECONDS:
                    worker.say("at", position - request["start"])
                    worker.out.flush()
                    flushed = monotonic()
    except (InputError, OSError) as error:
        worker.say("loss", position, request["stop"], f"{UNREADABLE}: {error}")


def _range(worker: Worker, request: dict[str, Any]) -> None:
    """Clean the records of a range."""
    uri, give_up = request["uri"], {int(number): why for number, why in request["give_up"].items()}
    duplicates = {tuple(place) for place in request["duplicates"]}
    templates = stored(request["templates"])
    for number, record, nth in _records(worker, request):
        if record.type == REVISIT:
            keys = [name.hex() for name in keys_of_revisit(record)]
            site = site_of(url_of(record), worker.settings.site_by)
            worker.say("revisit", record.offset, record.length, nth, keys, site)
        else:
            duplicate = (record.offset, nth) in duplicates
            work = partial(judge, record, worker.settings, uri, duplicate=duplicate, templates=templates)
            worker.report(_judged(worker, record, uri, give_up.get(number) or (number, work)), record)
    worker.say("done")


def _names(names_of: Callable[[Record, Settings], list[bytes]], worker: Worker, request: dict[str, Any]) -> None:
    """Say by which names each record of a range can be found.

    A record that goes wrong has none: the step that cleans will book it.
    """
    for number, record, nth in _records(worker, request):
        names: list[bytes] = []
        if str(number) not in request["give_up"]:
            with suppress(Exception), worker.at_work(number):
                names = names_of(record, worker.settings)
        worker.say("names", record.offset, nth, [name.hex() for name in names])
    worker.say("done")


def _layout(worker: Worker, request: dict[str, Any]) -> None:
    """Say whether a file can be read from several places; nothing if it cannot be read at all."""
    with suppress(InputError, OSError), open_binary(request["uri"]) as stream:
        worker.say("layout", can_be_split(stream, request["size"]))
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
    """Clean one revisit by the record that it refers to, if there is one and it can be read."""
    settings, uri, place = worker.settings, request["uri"], request["original"]
    record = Record(request["offset"], request["length"], REVISIT, (), b"", 0, None, 0)  # all that is known of it
    try:
        record = _nth_at(uri, record.offset, request["nth"], settings.max_block)
        original = _original(worker, place, request["unread"]) if place else None
    except (InputError, OSError) as error:
        work: Callable[[], Verdict] = partial(
            refused, record, Refusal(Outcome.REVISIT_UNRESOLVED, str(error)), settings, uri
        )
    else:
        if original is None:
            work = partial(judge, record, settings, uri)
        else:
            template = Template.unpacked(request["template"]) if request["template"] else None
            work = partial(judge_revisit, record, original, settings, uri, _named(place), lambda _: template)
    worker.report(_judged(worker, record, uri, request["give_up"] or (PAGE, work)), record)
    worker.say("done")


def _original(worker: Worker, place: dict[str, Any], died: str | None) -> Record:
    """The record with the page of a revisit; raises InputError with the reason why there is none any more.

    Its file is another one, and may be gone, damaged or changed by now: that costs the revisit alone. `died` says how
    this process ended when it read that record before.
    """
    problem: object = died
    if died is None:
        try:
            with worker.marked(ORIGINAL):
                return _matching(place["uri"], place["offset"], bytes.fromhex(place["key"]), worker.settings)
        except Exception as error:  # noqa: BLE001  whatever these bytes do to the reader
            problem = str(error) or repr(error)
    raise InputError(f"the record it refers to, {_named(place)}, {UNREADABLE}: {problem}")


def _named(place: dict[str, Any]) -> str:
    return f"{place['uri']}:{place['offset']}"


def _sketch(worker: Worker, request: dict[str, Any]) -> None:
    """The sites of a range, and sketches of the pages that may be in the samples of their sites.

    A page that cannot be sketched is passed by: the step that cleans will book it.
    """
    settings, gate, sites = worker.settings, Gate(request["most"]), set()
    for number, record, _ in _records(worker, request):
        if record.type not in PAGE_TYPES:
            continue
        url = url_of(record) or ""
        site = site_of(url, settings.site_by)
        if site and (site, record.type == REVISIT) not in sites:
            sites.add((site, record.type == REVISIT))
            worker.say("site", site, record.type == REVISIT)
        name = key(url)
        wanted = site and request["most"] and number not in request["bad"] and gate.admits(site, name)
        if wanted and _say_sketch(worker, record, number, (site, name, url)):
            gate.sketched(site, name)
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


def _at(uri: str, offset: int, max_block: int) -> Iterator[Record | Loss]:
    """The records of the member at `offset`, and what is lost of it."""
    with open_binary(uri) as stream:
        size = stream.seek(0, os.SEEK_END)
        yield from read(stream, offset, offset + 1, size=size, max_block=max_block)


def _nth_at(uri: str, offset: int, nth: int, max_block: int) -> Record:
    records = (item for item in _at(uri, offset, max_block) if isinstance(item, Record))
    for place, record in enumerate(records):
        if place == nth:
            return record
    raise InputError(f"{uri} has changed while it was read: no record at byte {offset:,}")


def _matching(uri: str, offset: int, key: bytes, settings: Settings) -> Record:
    loss = None
    for item in _at(uri, offset, settings.max_block):
        if isinstance(item, Loss):
            loss = item
        elif key in keys_of_original(item, settings):
            return item
    raise InputError(loss.reason if loss else "the file has changed while it was read")


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
    "payloads": partial(_names, payload_names),
    "originals": partial(_names, keys_of_original),
    "layout": _layout,
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
