"""From one WARC record to its text, or to the reason why there is none. Pure functions: no Beam, no files.

`admit` decides whether a record holds a page and undoes the codings of HTTP; `cleaned` extracts the text of a page;
`judge` is both, with the record's entry in the accounts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from isal import isal_zlib

from pipeline import codings
from pipeline.http import NO_HEAD, HttpMessage, decode_body, parse_response
from pipeline.outcomes import BIN_OF, FAILURES, Entry, Outcome, Sizes, in_bins
from pipeline.records import LIMIT
from pipeline.sniff import is_html
from pipeline.warc import MAX_BLOCK, Record
from transforms import Page, extract
from transforms.render import unescape

# A page that unpacks to more is no page; browsers themselves give up at some hundred MB of HTML.
MAX_PAGE = 32 << 20
# HTML deflates to a tenth, long tables to a hundredth; deflate's limit is 1,032.
MAX_RATIO = 200
# Of igzip, whose levels go from 0 to 3: ten times as fast as zlib's level 6 for a tenth more bytes.
SIZE_LEVEL = 2

_RESPONSES = frozenset({"response", "resource"})


@dataclass(frozen=True)
class Settings:
    """How pages are chosen and cleaned."""

    extractor: str = "cetr-km"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    statuses: frozenset[int] = frozenset({200})
    max_block: int = MAX_BLOCK
    max_page: int = MAX_PAGE
    max_ratio: int = MAX_RATIO

    def as_dict(self) -> dict[str, Any]:
        """For another process, as JSON."""
        return {**self.__dict__, "parameters": dict(self.parameters), "statuses": sorted(self.statuses)}

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Settings:
        """The settings that `as_dict` wrote."""
        return cls(**{**values, "statuses": frozenset(values["statuses"])})


class Candidate(NamedTuple):
    """A record that holds a page, its codings undone."""

    payload: bytes
    stored: int  # bytes of the body as the archive holds it
    content_type: str | None


class Refusal(NamedTuple):
    """Why a record is not cleaned."""

    outcome: Outcome
    reason: str
    stored: int = 0  # bytes of its body as the archive holds it
    decoded: int | None = None  # of the body with its codings undone, if they were


class Verdict(NamedTuple):
    """What became of a record: the document of a cleaned page, or the dead letter of anything else."""

    entry: Entry
    document: dict[str, Any]

    @property
    def is_clean(self) -> bool:
        """Whether there is text."""
        return self.entry.outcome == Outcome.CLEANED.value


def site_of(url: str | None) -> str:
    """The host that a page belongs to, in lower case; empty if its address has none."""
    try:
        return (urlsplit(url or "").hostname or "").rstrip(".").lower()
    except ValueError:  # brackets without an IPv6 address
        return ""


def url_of(record: Record) -> str | None:
    """The address of a record's page; some writers put it into angle brackets."""
    url = record.header("WARC-Target-URI")
    return url.strip("<> ") if url else None


def admit(record: Record, settings: Settings) -> Candidate | Refusal:  # noqa: PLR0911  one for each way to be refused
    """The page in a record, or why it holds none that is to be cleaned. Never raises."""
    if record.type == "revisit":
        return Refusal(Outcome.REVISIT_UNRESOLVED, "the record it refers to is not in this run")
    if record.type == "conversion":
        return Refusal(Outcome.DERIVED, "made from another record", len(record.block))
    if record.type not in _RESPONSES:
        return Refusal(Outcome.ARCHIVE_RECORD, f"{record.type[:80]} record")
    message, content_type = _message(record)
    stored = len(message.body)
    if record.type == "response" and message.status not in settings.statuses:
        return Refusal(Outcome.BAD_STATUS, message.problem or f"status {message.status}", stored)
    if record.truncated == LIMIT:
        return Refusal(Outcome.TOO_LARGE, f"{record.declared:,} bytes, the limit is {settings.max_block:,}", stored)
    payload, problem = decode_body(message, max_bytes=settings.max_page, max_ratio=settings.max_ratio)
    if problem == codings.UNDECODABLE and record.truncated and payload:
        problem = None  # the archive says that it is cut: what there is of it can be read
    if problem:
        codes = ", ".join(message.all("content-encoding") + message.all("transfer-encoding")) or "no coding"
        return Refusal(Outcome(problem), f"{codes[:80]}: {len(payload):,} bytes of {stored:,}", stored, len(payload))
    if not is_html(payload, content_type):
        return Refusal(Outcome.NOT_HTML, (content_type or "no Content-Type")[:80], stored, len(payload))
    return Candidate(payload, stored, content_type)


def _message(record: Record) -> tuple[HttpMessage, str | None]:
    """The HTTP message of a record, and the type of its body."""
    if record.type == "resource":
        return HttpMessage(None, (), record.block, NO_HEAD), record.header("Content-Type")
    message = parse_response(record.block)
    return message, next(iter(message.all("content-type")), None)


def payload_digest(candidate: Candidate) -> bytes:
    """What two pages have in common iff their payloads are the same bytes."""
    return hashlib.sha256(candidate.payload).digest()


def judge(record: Record, settings: Settings, source: str, *, duplicate: bool = False) -> Verdict:
    """What becomes of a record, `source` being the file that it stands in. Raises only what a crash would raise."""
    admitted = admit(record, settings)
    if isinstance(admitted, Candidate) and duplicate:
        admitted = Refusal(
            Outcome.DUPLICATE, f"sha256:{payload_digest(admitted).hex()}", admitted.stored, len(admitted.payload)
        )
    if isinstance(admitted, Refusal):
        return refused(record, admitted, source)
    return cleaned(record, admitted, settings, source)


def judge_revisit(record: Record, original: Record, settings: Settings, source: str, found_at: str) -> Verdict:
    """What becomes of a revisit whose original is at hand: its page is the original's."""
    admitted = admit(original, settings)
    if isinstance(admitted, Refusal):
        reason = f"the record it refers to, {found_at}, is {admitted.outcome.value}: {admitted.reason}"
        return refused(record, Refusal(Outcome.REVISIT_UNRESOLVED, reason), source)
    page = Candidate(admitted.payload, 0, admitted.content_type)
    verdict = cleaned(record, page, settings, source)
    verdict.document["revisit_of"] = found_at
    return verdict


def refused(record: Record, refusal: Refusal, source: str) -> Verdict:
    """The dead letter of a record that is not cleaned, its payload booked by what became of it."""
    read = record.head + len(record.block)
    decoded = refusal.stored if refusal.decoded is None else refusal.decoded
    place = BIN_OF[refusal.outcome]
    own = read - refusal.stored
    amounts = {"overhead": own}
    amounts[place.value] = amounts.get(place.value, 0) + decoded
    url = url_of(record)
    entry = Entry(refusal.outcome.value, site_of(url), read, decoded - refusal.stored, in_bins(**amounts), sizes=None)
    return Verdict(entry, _letter(record, source, url, refusal.outcome, refusal.reason))


def failed(record: Record, outcome: Outcome, reason: str, source: str) -> Verdict:
    """The dead letter of a page that could not be cleaned though it should have been."""
    stored = len(_message(record)[0].body) if record.type in _RESPONSES else 0
    return refused(record, Refusal(outcome, reason, stored), source)


def _letter(record: Record, source: str, url: str | None, outcome: Outcome, reason: str) -> dict[str, Any]:
    return {
        "outcome": outcome.value,
        "reason": reason,
        "url": url,
        "type": record.type[:80],
        "fetched": record.header("WARC-Date"),
        "file": source,
        "offset": record.offset,
        "length": record.length,
    }


def cleaned(record: Record, candidate: Candidate, settings: Settings, source: str) -> Verdict:
    """The text of a page with all that is known of it; a dead letter if it has none, or the parser gave up."""
    url = url_of(record)
    page = Page.parse(candidate.payload, url=url, content_type=candidate.content_type)
    if page.truncated:
        refusal = Refusal(Outcome.PARSE_TRUNCATED, page.truncated, candidate.stored, len(candidate.payload))
        return refused(record, refusal, source)
    text = extract(page, settings.extractor, **settings.parameters).text
    size = len(candidate.payload)
    kept, boilerplate = shares(page, text)
    read = record.head + len(record.block)
    bins = in_bins(
        overhead=read - candidate.stored, markup=size - kept - boilerplate, boilerplate=boilerplate, text=kept
    )
    site = site_of(url)
    gained = size - candidate.stored
    if not text:
        entry = Entry(Outcome.EMPTY.value, site, read, gained, bins, sizes=None)
        return Verdict(entry, _letter(record, source, url, Outcome.EMPTY, _why_empty(page, settings)))
    utf8 = text.encode()
    sizes = Sizes(size, len(utf8), compressed(candidate.payload), compressed(utf8))
    metadata = page.metadata
    document = {
        "url": url,
        "site": site,
        "fetched": record.header("WARC-Date"),
        "title": metadata.title,
        "author": metadata.author,
        "published": metadata.published,
        "language": metadata.language,
        "text": text,
        "extractor": settings.extractor,
        "sizes": sizes._asdict(),
        "sha256": hashlib.sha256(utf8).hexdigest(),
        "charset": page.charset,
        "truncated": record.truncated,
        "file": source,
        "offset": record.offset,
        "record_id": record.header("WARC-Record-ID"),
        "revisit_of": None,
    }
    return Verdict(Entry(Outcome.CLEANED.value, site, read, gained, bins, sizes), document)


def _why_empty(page: Page, settings: Settings) -> str:
    return "no text on the page" if page.is_empty else f"{settings.extractor} chose none of the text"


def shares(page: Page, text: str) -> tuple[int, int]:
    """How many bytes of the page were kept as text, and how many are text that was not kept.

    Counted in the page's own charset, white space collapsed: what the text takes up in the page, not in the output.
    """
    everything = b" ".join(page.arrays.text.split())
    kept, total = len(text.encode()), len(everything)
    if page.charset not in ("utf-8", "ascii") or b"&" in everything:
        whole = unescape(everything.decode("utf-8", "replace"))
        kept, total = _encoded_size(text, page.charset), _encoded_size(whole, page.charset)
    kept = min(kept, page.html_size)
    return kept, min(max(total - kept, 0), page.html_size - kept)


def _encoded_size(text: str, charset: str) -> int:
    # A character that the charset lacks stands in the page as a reference.
    return len(text.encode(charset, "xmlcharrefreplace"))


def compressed(data: bytes) -> int:
    """Bytes of `data` as gzip, by igzip."""
    return len(isal_zlib.compress(data, SIZE_LEVEL, 31))


def as_line(document: Mapping[str, Any]) -> bytes:
    """One line of JSON, in UTF-8."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"


__all__ = ["FAILURES", "Candidate", "Refusal", "Settings", "Verdict", "admit", "as_line", "judge"]
