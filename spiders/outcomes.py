"""What becomes of a fetch. A closed list: docs/crawling.md explains each."""

from __future__ import annotations

from enum import Enum


class Outcome(Enum):
    """Every URL that is taken from the frontier ends in exactly one of these."""

    STORED = "stored"  # a response record
    TRUNCATED = "truncated"  # a response record that a limit or the server cut; WARC-Truncated says which
    UNCHANGED = "unchanged"  # a revisit record: as in the previous crawl
    REDIRECTED = "redirected"  # a response record of a redirection; its target is another URL
    HTTP_ERROR = "http_error"  # a response record with a status of 400 or more
    NOINDEX = "noindex"  # the page asks not to be kept; only its metadata record is written
    ROBOTS_DENIED = "robots_denied"
    ROBOTS_UNREACHABLE = "robots_unreachable"  # 5xx, 429 or no answer, after retries: all of the host is disallowed
    REFUSED_ADDRESS = "refused_address"  # not a public address
    REFUSED_PORT = "refused_port"
    REFUSED_SCHEME = "refused_scheme"
    UNRESOLVED = "unresolved"  # the name has no address
    UNREACHABLE = "unreachable"  # no connection
    TLS_FAILED = "tls_failed"
    TIMED_OUT = "timed_out"  # before the head of a response was there
    BROKEN = "broken"  # what came is not HTTP, or its head is too long, or the connection ended within it
    HOST_REFUSING = "host_refusing"  # the host said 429 or 503 too often and is left alone for this run
    LIMIT = "limit"  # a limit of its site was reached first
    CRASHED = "crashed"  # a fault of the program; the log has it


# Something is in a segment that says so: it is not fetched again when the crawl is resumed.
ARCHIVED = frozenset(
    {
        Outcome.STORED,
        Outcome.TRUNCATED,
        Outcome.UNCHANGED,
        Outcome.REDIRECTED,
        Outcome.HTTP_ERROR,
        Outcome.NOINDEX,
    }
)
# What counts towards a limit on pages.
PAGES = frozenset({Outcome.STORED, Outcome.TRUNCATED, Outcome.UNCHANGED})
# What is so now is so later: nothing was sent, and nothing will be.
REFUSED = frozenset({Outcome.REFUSED_ADDRESS, Outcome.REFUSED_PORT, Outcome.REFUSED_SCHEME})
# Worth another attempt a little later.
TRANSIENT = frozenset({Outcome.UNREACHABLE, Outcome.TIMED_OUT, Outcome.BROKEN, Outcome.UNRESOLVED})
