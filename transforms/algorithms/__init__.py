"""The extractors. Importing this package fills the registry, in the order in which they are listed."""

from transforms.algorithms import (  # noqa: I001 - the order of the registry: the seeds' own, then what they compare with
    density,
    ttr,
    cetr,
    block,
    blurring,
    lines,
    tokens,
    subtree,
    features,
)

__all__ = ["block", "blurring", "cetr", "density", "features", "lines", "subtree", "tokens", "ttr"]
