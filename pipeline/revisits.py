"""What a revisit record refers to: keys that it shares with the record that holds its page (WARC 1.1, section 6.7)."""

from __future__ import annotations

import hashlib

from pipeline.clean import Settings, url_of
from pipeline.http import parse_response
from pipeline.warc import Record

KEY_BYTES = 16
# A status line and headers; the body is not looked at.
_HEAD_BYTES = 64 << 10


def keys_of_original(record: Record, settings: Settings) -> list[bytes]:
    """The keys under which a record with a page can be found; none if it holds no page that is to be cleaned."""
    if record.type not in ("response", "resource"):
        return []
    if record.type == "response" and parse_response(record.block[:_HEAD_BYTES]).status not in settings.statuses:
        return []
    return _keys(record.header("WARC-Record-ID"), url_of(record), record.header("WARC-Date"), _digest(record))


def keys_of_revisit(record: Record) -> list[bytes]:
    """The keys of the record that a revisit refers to, the surest first."""
    return _keys(
        record.header("WARC-Refers-To"),
        (record.header("WARC-Refers-To-Target-URI") or "").strip("<> ") or None,
        record.header("WARC-Refers-To-Date"),
        _digest(record),
    )


def _digest(record: Record) -> str | None:
    algorithm, _, value = (record.header("WARC-Payload-Digest") or "").partition(":")
    return f"{algorithm.strip().lower()}:{value.strip().upper()}" if value.strip() else None


def _keys(record_id: str | None, url: str | None, date: str | None, digest: str | None) -> list[bytes]:
    written = []
    if record_id:
        written.append(f"id {record_id.strip('<> ')}")
    if url and date:
        written.append(f"at {date} {url}")
    if digest:
        written.append(f"payload {digest}")
    return [hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=KEY_BYTES).digest() for text in written]
