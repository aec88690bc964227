"""What tree edit distance and its candidates cost, by the size of the trees, in one run.

    python -m bench.trees [--sizes N,N,...] [--pairs N] [--json FILE]

Pairs of made-up trees, the same in every run: *near* ones are a tree and a copy with one node in twenty relabelled,
taken out or put in; *far* ones have the same labels and nothing else in common. CPU time, the best of a few runs; cells
and shares are the same on every machine.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import fmean
from time import process_time

import numpy as np

from bench.table import write_json
from transforms.edit_distance import cost, distance, most_edits
from transforms.edit_plan import plan
from transforms.edit_tables import by_cells, by_rows
from transforms.pqgrams import bands, signature
from transforms.trees import Tree, from_preorder

SIZES = (10, 30, 100, 300, 1000, 2000)
PAIRS = 5
REPEATS = 3
ENOUGH = 0.1  # seconds, after which nothing is repeated
TAU = 0.2  # of the larger tree's nodes may differ
EDITED = 0.05
DEEPEST, LABELS = 12, 20  # about what blocks of pages have
MOST_SINGLE_CELLS = 200_000  # more of them one by one take too long to wait for
BAND_ROWS = 4


@dataclass(frozen=True)
class Cost:
    """Means over the pairs of one size and kind; None where nothing was measured."""

    size: int
    kind: str  # near, far
    distance_ms: float  # without a limit
    within_ms: float  # with at most TAU of the nodes
    cells: float  # of both trees as they are, without a limit
    filled: float  # cells that the distance without a limit had to fill
    bounds_decide: float  # the share of pairs for which that is none
    undecided: float  # the share beyond the budget
    cells_ms: float | None  # all cells, one by one
    rows_ms: float  # all cells, by rows
    signature_ms: float  # of one tree, with its bands


def made_up(size: int, seed: int) -> Tree:
    """A tree of so many nodes: each is a child of the last one or of one of its ancestors, deep ones more often."""
    random = np.random.default_rng(seed)
    depths = [0]
    for share in random.random(size - 1).tolist():
        depths.append(1 + int((1 - share * share) * (min(depths[-1], DEEPEST - 1) + 1)))
    return from_preorder(np.array(depths), random.integers(LABELS, size=size))


def edited(tree: Tree, edits: int, seed: int) -> Tree:
    """A copy at a distance of at most so many edits, made by relabelling, inserting and deleting nodes at random."""
    random = np.random.default_rng(seed)
    depths, labels = tree.depth[tree.preorder].tolist(), tree.labels[tree.preorder].tolist()
    for kind, share, label in zip(random.integers(3, size=edits), random.random(edits), range(edits), strict=True):
        place = 1 + int(share * (len(labels) - 1))
        if kind == 0 or len(labels) < 3:
            labels[place] = LABELS + label
        elif kind == 1:
            depths.insert(place, depths[place])
            labels.insert(place, LABELS + label)
        else:
            depth = depths.pop(place)
            del labels[place]
            while place < len(depths) and depths[place] > depth:
                depths[place] -= 1  # its children move up
                place += 1
    return from_preorder(np.array(depths), np.array(labels))


def fastest(run: Callable[[], object]) -> float:
    """Milliseconds of CPU time, the best of a few runs in a row; fewer if they are long."""
    best, started = float("inf"), process_time()
    for _ in range(REPEATS):
        before = process_time()
        run()
        best = min(best, process_time() - before)
        if process_time() - started >= ENOUGH:
            break
    return 1000 * best


def fresh(tree: Tree) -> Tree:
    """The tree without anything that was derived from it."""
    return Tree(tree.labels, tree.left)


def compare(a: Tree, b: Tree, tau: float | None = None) -> int | None:
    """The distance of trees that were never looked at before."""
    return distance(fresh(a), fresh(b), None if tau is None else most_edits(a, b, tau))


def keys(tree: Tree) -> tuple[bytes, ...]:
    """The buckets of a tree that was never looked at before."""
    return bands(signature(fresh(tree)), BAND_ROWS)


def measure(size: int, kind: str, pairs: int = PAIRS) -> Cost:
    """What pairs of this size and kind cost."""
    firsts = [made_up(size, 2 * seed) for seed in range(pairs)]
    if kind == "near":
        seconds = [edited(tree, max(1, int(EDITED * size)), seed) for seed, tree in enumerate(firsts)]
    else:
        seconds = [made_up(size, 2 * seed + 1) for seed in range(pairs)]
    both = list(zip(firsts, seconds, strict=True))
    plans = [plan(a, b) for a, b in both]
    single = all(each.cells <= MOST_SINGLE_CELLS for each in plans)
    filled = [cost(a, b) for a, b in both]
    return Cost(
        size=size,
        kind=kind,
        distance_ms=fmean(fastest(partial(compare, a, b)) for a, b in both),
        within_ms=fmean(fastest(partial(compare, a, b, TAU)) for a, b in both),
        cells=fmean(each.cells for each in plans),
        filled=fmean(filled),
        bounds_decide=fmean(cells == 0 for cells in filled),
        undecided=fmean(distance(a, b) is None for a, b in both),
        cells_ms=fmean(fastest(partial(by_cells, each)) for each in plans) if single else None,
        rows_ms=fmean(fastest(partial(by_rows, each)) for each in plans),
        signature_ms=fmean(fastest(partial(keys, tree)) for tree in firsts),
    )


def table(costs: Sequence[Cost]) -> str:
    """The costs as a Markdown table."""

    def ms(value: float | None) -> str:
        return "" if value is None else f"{value:.2f}" if value < 10 else f"{value:.0f}"

    limited = f"at most {TAU:.0%}, ms"
    counts = ("cells", "filled", "bounds decide", "undecided")
    names = ("nodes", "pairs", "distance, ms", limited, *counts, "one by one, ms", "by rows, ms", "signature, ms")
    rows = [f"| {' | '.join(names)} |", "|---:|---|" + "---:|" * (len(names) - 2)]
    rows += [
        f"| {each.size} | {each.kind} | {ms(each.distance_ms)} | {ms(each.within_ms)} | {each.cells:,.0f} "
        f"| {each.filled:,.0f} | {each.bounds_decide:.0%} | {each.undecided:.0%} | {ms(each.cells_ms)} "
        f"| {ms(each.rows_ms)} | {ms(each.signature_ms)} |"
        for each in costs
    ]
    return "\n".join(rows)


def _sizes(text: str) -> list[int]:
    sizes = [int(each) for each in text.split(",")]
    if min(sizes) < 3:
        raise argparse.ArgumentTypeError("trees have at least 3 nodes")
    return sizes


def _positive(text: str) -> int:
    if int(text) < 1:
        raise argparse.ArgumentTypeError("at least one pair is needed")
    return int(text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(prog="python -m bench.trees", description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", type=_sizes, default=SIZES, help="nodes a tree, separated by commas")
    parser.add_argument("--pairs", type=_positive, default=PAIRS, help=f"of each size and kind (default: {PAIRS})")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    options = parser.parse_args(arguments)
    costs = [measure(size, kind, options.pairs) for size in options.sizes for kind in ("near", "far")]
    print(f"{options.pairs} pairs each; CPU time, best of {REPEATS}\n")
    print(table(costs))
    if options.json:
        write_json(options.json, [asdict(each) for each in costs])
        print(f"\nwritten to {options.json}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
