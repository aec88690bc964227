"""The quality gate: no extractor's F1 on a known corpus may sink below its pinned floor.

    python -m bench.gate DATA            check; exit status 1 below a floor
    python -m bench.gate DATA --update   raise floors that were surpassed, add new extractors
    python -m bench.gate DATA --update --lower    also lower floors: say why in the commit

Floors stand in floors.json by the hash of the corpus, so that they cannot be met by changing the pages.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.datasets import Dataset, load
from bench.exceptions import BenchError
from bench.run import contestant, run
from transforms import extractors

FLOORS = Path(__file__).parent / "floors.json"
METRIC = "bow"
TOLERANCE = 0.0005  # floors are rounded to three places


def corpus_hash(data: Dataset) -> str:
    """A hash over all pages and gold texts."""
    digest = hashlib.sha256()
    for sample in data.with_gold().samples:
        for part in (sample.id.encode(), sample.html(), (sample.gold or "").encode("utf-8", "replace")):
            digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()


def measure(data: Dataset, names: Sequence[str]) -> dict[str, float]:
    """The mean F1 of each extractor."""
    results = run(data, [contestant(name) for name in names], [METRIC])
    return {result.contestant: result.mean(METRIC).f1 for result in results}


def failures(measured: dict[str, float], floors: dict[str, float]) -> list[str]:
    """What is wrong: extractors below their floor, without one, or gone."""
    below = [
        f"{name}: F1 {measured[name]:.4f} is below its floor {floor:.3f}"
        for name, floor in floors.items()
        if name in measured and measured[name] < floor - TOLERANCE
    ]
    without = [f"{name}: F1 {measured[name]:.4f}, but no floor yet" for name in measured if name not in floors]
    gone = [
        f"{name}: has a floor {floor:.3f}, but was not measured"
        for name, floor in floors.items()
        if name not in measured
    ]
    return below + without + gone


def updated(measured: dict[str, float], floors: dict[str, float], *, lower: bool) -> dict[str, float]:
    """New floors; raises BenchError if one would have to be lowered and that was not asked for."""
    sunk = [name for name, floor in floors.items() if measured.get(name, 0.0) < floor - TOLERANCE]
    if sunk and not lower:
        raise BenchError(f"refusing to lower the floors of {', '.join(sunk)}; --lower does it")
    # Within the tolerance of its floor an extractor keeps it: no floor creeps down update by update.
    return {name: round(f1, 3) if lower else max(round(f1, 3), floors.get(name, 0.0)) for name, f1 in measured.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Check or update the floors."""
    parser = argparse.ArgumentParser(prog="python -m bench.gate", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("data", help="a data set with gold text, or `corpus`")
    parser.add_argument("--update", action="store_true", help="raise floors, add new ones")
    parser.add_argument("--lower", action="store_true", help="with --update: lower floors too")
    parser.add_argument("--floors", type=Path, default=FLOORS, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    try:
        return _gate(load(options.data), options)
    except BenchError as error:
        print(f"bench.gate: {error}", file=sys.stderr)
        return 2


def _gate(data: Dataset, options: argparse.Namespace) -> int:
    pinned: dict[str, Any] = json.loads(options.floors.read_text()) if options.floors.is_file() else {}
    key = corpus_hash(data)
    floors: dict[str, float] = pinned.get(key, {}).get("floors", {})
    measured = measure(data, list(extractors))
    if options.update:
        entry = {"name": data.name, "metric": METRIC, "floors": updated(measured, floors, lower=options.lower)}
        options.floors.write_text(json.dumps(pinned | {key: entry}, indent=2) + "\n")
        print(f"{len(measured)} floors for {data.name} ({key[:12]}) written to {options.floors}")
        return 0
    if not floors:
        raise BenchError(
            f"no floors for {data.name} with hash {key[:12]}: the corpus is new or changed; --update pins it"
        )
    wrong = failures(measured, floors)
    print("\n".join(wrong) or f"all {len(floors)} extractors are at or above their floors on {data.name}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
