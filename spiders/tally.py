"""The account of a crawl: fetches by outcome, links that were not followed by reason, and what failed and why."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from time import monotonic
from typing import Any

from spiders.outcomes import ARCHIVED, PAGES, Outcome
from spiders.visits import PAGE, Visit

NOT_FETCHED = "not-fetched.jsonl"
STATS = "stats.json"

# Why a link was not followed.
OUT_OF_SCOPE, EXCLUDED, TOO_DEEP, TRAP = "out_of_scope", "excluded", "too_deep", "trap"
TOO_MANY_REDIRECTS = "too_many_redirects"


class Tally:
    """Counts over all runs of a crawl; `began` and what is derived from it are of this run."""

    def __init__(self, folder: Path) -> None:
        self.outcomes: Counter[Outcome] = Counter()
        self.restored = 0  # fetches of earlier runs
        self.links: Counter[str] = Counter()
        self.bytes = 0  # of records
        self.pages = 0
        self.pages_before = 0
        self.began = monotonic()
        # Made anew in every run: what failed in an earlier one is tried again.
        self._notes = (folder / NOT_FETCHED).open("w", encoding="utf-8")

    def restore(self, kind: str, outcome: Outcome, size: int) -> None:
        """Book a fetch of an earlier run."""
        self._count(kind, outcome, size)
        self.restored += 1
        self.pages_before = self.pages

    def book(self, visit: Visit, outcome: Outcome, size: int = 0, reason: str = "") -> None:
        """Book the outcome of a fetch."""
        self._count(visit.kind, outcome, size)
        if outcome not in ARCHIVED and outcome is not Outcome.LIMIT:
            note = {"url": visit.url, "outcome": outcome.value, "reason": reason, "via": visit.via}
            self._notes.write(json.dumps(note, ensure_ascii=True) + "\n")

    def _count(self, kind: str, outcome: Outcome, size: int) -> None:
        self.outcomes[outcome] += 1
        self.bytes += size
        self.pages += kind == PAGE and outcome in PAGES

    @property
    def rate(self) -> float:
        """Pages a second in this run."""
        return (self.pages - self.pages_before) / max(monotonic() - self.began, 1e-9)

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "fetches": {outcome.value: self.outcomes[outcome] for outcome in Outcome if self.outcomes[outcome]},
            "fetched_in_earlier_runs": self.restored,
            "links_not_followed": dict(sorted(self.links.items())),
            "pages": self.pages,
            "record_bytes": self.bytes,
            "seconds": round(monotonic() - self.began, 3),
            "pages_per_second": round(self.rate, 3),
        }

    def close(self) -> None:
        """Keep what was noted."""
        self._notes.close()
