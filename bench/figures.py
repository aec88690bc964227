"""Draws what each algorithm sees on one page, from Winnow's own arrays: the pictures of docs/algorithms.md.

    python -m bench.figures [OUTPUT_FOLDER]

Without a folder they go to docs/figures.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench.datasets import CORPUS
from bench.plots import cloud, series
from transforms import Page
from transforms.algorithms import block, cetr, density
from transforms.clusters import k_means_from_origin
from transforms.segmentation import segment
from transforms.tagratio import lines

PAGE = CORPUS / "pages" / "001-ferry-pilot.html"
FIGURES = Path(__file__).parent.parent / "docs" / "figures"
SIGMA = 1.0  # so that lines can be told apart in the picture: the paper's "std" smooths over most of this page


def draw(page: Page) -> dict[str, str]:
    """The figures by file name."""
    arrays = page.arrays
    _, length = density.strings(arrays)
    left, right = density.region(length, 0.333, 4)
    in_region = [left <= number <= right for number in range(len(length))]
    found = lines(arrays)
    smoothed = cetr.smooth(found.ratio, SIGMA)
    slope = np.abs(cetr.smooth(cetr.derivative(smoothed, 3), SIGMA))
    content = (k_means_from_origin(smoothed, slope, 3) > 0).tolist()
    nothing = [False] * len(found.ratio)
    densities = block.block_density(arrays, segment(arrays))
    points = list(zip(slope.tolist(), smoothed.tolist(), strict=True))
    return {
        "density.svg": series(length.tolist(), in_region, "string", "length"),
        "tag-ratio-raw.svg": series(found.ratio.tolist(), nothing, "line", "characters per tag"),
        "tag-ratio-smoothed.svg": series(smoothed.tolist(), content, "line", "smoothed tag ratio"),
        "tag-ratio-plane.svg": cloud(points, content, "absolute smoothed derivative", "smoothed tag ratio"),
        "block.svg": series(densities.tolist(), (densities > 1.5).tolist(), "block", "text length / tag length"),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the figures."""
    given = sys.argv[1:] if arguments is None else arguments
    folder = Path(given[0]) if given else FIGURES
    folder.mkdir(parents=True, exist_ok=True)
    for name, svg in draw(Page.parse(PAGE.read_bytes())).items():
        (folder / name).write_text(svg + "\n", encoding="utf-8")
        print(folder / name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
