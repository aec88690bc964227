"""From one WARC record to its text, or to the reason why there is none. Pure functions: no Beam, no files.

`admit` decides whether a record holds a page and undoes the codings of HTTP; `cleaned` extracts the text of a page;
`judge` is both, with the record's entry in the accounts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import deflate

from pipeline import codings
from pipeline.http import NO_HEAD, HttpMessage, decode_body, parse_response
from pipeline.outcomes import BIN_OF, Entry, Outcome, Sizes, in_bins
from pipeline.records import LIMIT
from pipeline.shares import shares
from pipeline.site_names import HOST, site_of
from pipeline.site_rules import OURS, without_template
from pipeline.sniff import is_html
from pipeline.warc import MAX_BLOCK, Record
from transforms import Page, extract
from transforms.sites import ALL, Masked, Template
from transforms.sites.reasons import SHARED

# A page that unpacks to more is no page; browsers themselves give up at some hundred MB of HTML.
MAX_PAGE = 32 << 20
# HTML deflates to a tenth, long tables to a hundredth; deflate's limit is 1,032.
MAX_RATIO = 200
# Of libdeflate: five times as fast as zlib's level 6 for a tenth more bytes. Not igzip, which is faster still: the same
# page may take a byte more there at another time.
SIZE_LEVEL = 1

_RESPONSES = frozenset({"response", "resource"})

Templates = Callable[[str], "Template | None"]  # by site


def NO_TEMPLATES(_: str) -> None:  # noqa: N802  a constant that happens to be a function
    """No site is known."""


@dataclass(frozen=True)
class Settings:
    """How pages are chosen and cleaned."""

    extractor: str = "cetr-km"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    statuses: frozenset[int] = frozenset({200})
    max_block: int = MAX_BLOCK
    max_page: int = MAX_PAGE
    max_ratio: int = MAX_RATIO
    site_by: str = HOST
    site_rules: str = OURS  # by which templates are learned
    shared: str = ALL  # the pages on which text stays that several pages of a site share
    explain: bool = False

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
    explanation: dict[str, Any] | None = None  # what was removed from the page, and why


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


def payload_names(record: Record, settings: Settings) -> list[bytes]:
    """The digest of the page in a record; none if it holds none."""
    page = admit(record, settings)
    return [payload_digest(page)] if isinstance(page, Candidate) else []


def judge(
    record: Record, settings: Settings, source: str, *, duplicate: bool = False, templates: Templates = NO_TEMPLATES
) -> Verdict:
    """What becomes of a record, `source` being the file that it stands in. Raises only what a crash would raise.

    `templates` are those of the sites that are known.
    """
    admitted = admit(record, settings)
    if isinstance(admitted, Candidate) and duplicate:
        admitted = Refusal(
            Outcome.DUPLICATE, f"sha256:{payload_digest(admitted).hex()}", admitted.stored, len(admitted.payload)
        )
    if isinstance(admitted, Refusal):
        return refused(record, admitted, settings, source)
    return cleaned(record, admitted, settings, source, templates)


def judge_revisit(  # noqa: PLR0917  two records and where they stand
    record: Record,
    original: Record,
    settings: Settings,
    source: str,
    found_at: str,
    templates: Templates = NO_TEMPLATES,
) -> Verdict:
    """What becomes of a revisit whose original is at hand: its page is the original's."""
    admitted = admit(original, settings)
    if isinstance(admitted, Refusal):
        reason = f"the record it refers to, {found_at}, is {admitted.outcome.value}: {admitted.reason}"
        return refused(record, Refusal(Outcome.REVISIT_UNRESOLVED, reason), settings, source)
    page = Candidate(admitted.payload, 0, admitted.content_type)
    verdict = cleaned(record, page, settings, source, templates)
    verdict.document["revisit_of"] = found_at
    return verdict


def refused(record: Record, refusal: Refusal, settings: Settings, source: str) -> Verdict:
    """The dead letter of a record that is not cleaned, its payload booked by what became of it."""
    read = record.head + len(record.block)
    decoded = refusal.stored if refusal.decoded is None else refusal.decoded
    place = BIN_OF[refusal.outcome]
    own = read - refusal.stored
    amounts = {"overhead": own}
    amounts[place.value] = amounts.get(place.value, 0) + decoded
    url = url_of(record)
    site = site_of(url, settings.site_by)
    entry = Entry(refusal.outcome.value, site, read, decoded - refusal.stored, in_bins(**amounts), sizes=None)
    return Verdict(entry, _letter(record, source, url, refusal.outcome, refusal.reason))


def failed(record: Record, outcome: Outcome, reason: str, settings: Settings, source: str) -> Verdict:
    """The dead letter of a page that could not be cleaned though it should have been."""
    stored = len(_message(record)[0].body) if record.type in _RESPONSES else 0
    return refused(record, Refusal(outcome, reason, stored), settings, source)


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


def cleaned(
    record: Record, candidate: Candidate, settings: Settings, source: str, templates: Templates = NO_TEMPLATES
) -> Verdict:
    """The text of a page with all that is known of it; a dead letter if it has none, or the parser gave up."""
    url = url_of(record)
    page = Page.parse(candidate.payload, url=url, content_type=candidate.content_type)
    if page.truncated:
        refusal = Refusal(Outcome.PARSE_TRUNCATED, page.truncated, candidate.stored, len(candidate.payload))
        return refused(record, refusal, settings, source)
    site = site_of(url, settings.site_by)
    masked = without_template(page, templates(site), settings.shared)
    chosen = extract(masked.page, settings.extractor, **settings.parameters)
    text = chosen.text
    size = len(candidate.payload)
    parts = shares(masked, chosen, settings.shared)
    read = record.head + len(record.block)
    bins = in_bins(overhead=read - candidate.stored, markup=size - sum(parts.values()), **parts)
    gained = size - candidate.stored
    explanation = _explained(url, masked) if settings.explain else None
    if not text:
        entry = Entry(Outcome.EMPTY.value, site, read, gained, bins, sizes=None)
        return Verdict(entry, _letter(record, source, url, Outcome.EMPTY, _why_empty(masked, settings)), explanation)
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
    return Verdict(Entry(Outcome.CLEANED.value, site, read, gained, bins, sizes), document, explanation)


def _why_empty(masked: Masked, settings: Settings) -> str:
    if masked.whole.is_empty:
        return "no text on the page"
    if masked.page.is_empty:
        on_others = any(block.rule == SHARED for block in masked.removed)
        return "nothing but what the site repeats" + ", and what other pages of it keep" * on_others
    return f"{settings.extractor} chose none of the text"


def _explained(url: str | None, masked: Masked) -> dict[str, Any]:
    """For every block that was removed as the site's, why; and which ones other pages have, too, and were kept."""
    return {
        "url": url,
        "removed": [block._asdict() for block in masked.removed],
        "shared": [block._asdict() for block in masked.shared],
    }


def compressed(data: bytes) -> int:
    """Bytes of `data` as gzip, by libdeflate."""
    return len(deflate.gzip_compress(data, SIZE_LEVEL))


def as_line(document: Mapping[str, Any]) -> bytes:
    """One line of JSON, in UTF-8."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"
