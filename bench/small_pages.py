"""A site of many small pages for bench/crawling.py: `python -m bench.small_pages PAGES` prints its port and serves.

Page n leads to the pages that come next, and back to some that are known, so that a crawler always has a few dozen
before it. `/counted` says how many pages were asked for, and in how many seconds.
"""

from __future__ import annotations

import json
import sys
import threading
from time import monotonic

from bench.web.server import Answer, Asked, serve

AHEAD, BEHIND = 8, 12
JSON = (("Content-Type", "application/json"),)
PROSE = "The river is high but calm, said the warden, who has watched it from the same bridge for thirty-one years. "


class SmallPages:
    """The pages, and who asked for them."""

    def __init__(self, pages: int) -> None:
        self._pages = pages
        self._count, self._first, self._last = 0, 0.0, 0.0

    def __call__(self, asked: Asked) -> Answer:
        """What the server answers."""
        if asked.path == "/counted":
            seen = {"pages": self._count, "seconds": self._last - self._first}
            return Answer(json.dumps(seen).encode(), headers=JSON)
        number = asked.path.removeprefix("/page/") if asked.path != "/" else "0"
        if not number.isdigit() or int(number) >= self._pages:
            return Answer(b"", "404 Not Found")
        self._last = monotonic()
        self._first = self._first or self._last
        self._count += 1
        return Answer(self._page(int(number)))

    def _page(self, number: int) -> bytes:
        ahead = range(number + 1, min(number + 1 + AHEAD, self._pages))
        behind = range(1, min(number, BEHIND))
        links = "\n".join(f'<li><a href="/page/{other}">Page {other}</a></li>' for other in (*behind, *ahead))
        text = f"<p>{PROSE * 3}</p>\n" * 4
        return (
            f'<!DOCTYPE html>\n<html lang="en"><head><title>Page {number}</title></head>\n<body><nav><ul>\n{links}\n'
            f"</ul></nav>\n<h1>Page {number}</h1>\n{text}</body></html>\n"
        ).encode()


def main() -> None:
    """Serve until the process is ended."""
    with serve(SmallPages(int(sys.argv[1]))) as port:
        print(port, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
