"""What can become of a record, and where its bytes are booked. Two closed lists: docs/outcomes.md explains each."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Outcome(str, Enum):
    """Every record ends in exactly one."""

    CLEANED = "cleaned"
    EMPTY = "empty"
    ARCHIVE_RECORD = "archive_record"
    DERIVED = "derived"
    NOT_HTML = "not_html"
    BAD_STATUS = "bad_status"
    DUPLICATE = "duplicate"
    REVISIT_UNRESOLVED = "revisit_unresolved"
    TOO_LARGE = "too_large"
    BOMB_CAPPED = "bomb_capped"
    ENCODING_UNSUPPORTED = "encoding_unsupported"
    UNDECODABLE = "undecodable"
    PARSE_TRUNCATED = "parse_truncated"
    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out_of_memory"
    CRASHED = "crashed"


class Bin(str, Enum):
    """Where the bytes of a record go; those of all records add up to the bytes that were read."""

    OVERHEAD = "overhead"  # headers of WARC and HTTP, and the records that an archive keeps about itself
    NOT_A_PAGE = "not_a_page"
    DUPLICATE = "duplicate"
    FAILED = "failed"
    MARKUP = "markup"
    TEMPLATE = "template"  # text that the site prints around its content
    BOILERPLATE = "boilerplate"
    TEXT = "text"
    SHARED = "shared"  # content that stands on other pages of the site, too: kept, or left to one of them


BINS = tuple(Bin)

# Pages that should have been cleaned and were not: `--max-failed` counts them.
FAILURES = frozenset(
    {
        Outcome.REVISIT_UNRESOLVED,
        Outcome.TOO_LARGE,
        Outcome.BOMB_CAPPED,
        Outcome.ENCODING_UNSUPPORTED,
        Outcome.UNDECODABLE,
        Outcome.PARSE_TRUNCATED,
        Outcome.TIMEOUT,
        Outcome.OUT_OF_MEMORY,
        Outcome.CRASHED,
    }
)

# Where the payload of a record goes that was not cleaned; of an empty page it is split as of a cleaned one.
BIN_OF = {
    Outcome.ARCHIVE_RECORD: Bin.OVERHEAD,
    Outcome.DERIVED: Bin.NOT_A_PAGE,
    Outcome.NOT_HTML: Bin.NOT_A_PAGE,
    Outcome.BAD_STATUS: Bin.NOT_A_PAGE,
    Outcome.DUPLICATE: Bin.DUPLICATE,
    **dict.fromkeys(FAILURES, Bin.FAILED),
}


class Sizes(NamedTuple):
    """Bytes of a page and of its text, plain and compressed: the four that Weninger and Hsu report."""

    html: int
    text: int
    html_gzip: int
    text_gzip: int


class Entry(NamedTuple):
    """What one record adds to the accounts."""

    outcome: str
    site: str
    read: int  # bytes of its header and block as the archive holds them, the archive's own compression undone
    gained: int  # what undoing the codings of HTTP added to that, or took from it; of a revisit, the page it refers to
    bins: tuple[int, ...]  # in the order of BINS; their sum is read + gained
    sizes: Sizes | None  # of a cleaned page


def in_bins(**amounts: int) -> tuple[int, ...]:
    """The amounts in the order of BINS, by their names."""
    return tuple(amounts.get(place.value, 0) for place in BINS)
