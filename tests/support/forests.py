"""Small trees for hypothesis, and tree edit distance as it is defined."""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

from hypothesis import strategies as st

from transforms.trees import Tree, from_nested

Node: TypeAlias = "tuple[int | Node, ...]"  # a label, then the children
Forest: TypeAlias = "tuple[Node, ...]"

# Few labels, so that many nodes could be mapped onto many others.
LABELS = st.sampled_from([0, 1, 2])


def _with_children(nodes: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    return st.builds(lambda label, children: (label, *children), LABELS, st.lists(nodes, max_size=4))


nodes: st.SearchStrategy[Node] = st.recursive(LABELS.map(lambda label: (label,)), _with_children, max_leaves=6)
trees: st.SearchStrategy[Tree] = nodes.map(from_nested)


@cache
def literal_distance(f: Forest, g: Forest) -> int:
    """The distance of two forests: the last root of either is left out, or both are mapped onto each other."""
    if not f or not g:
        return sum(literal_size(node) for node in (*f, *g))
    (label_f, *below_f), (label_g, *below_g) = f[-1], g[-1]
    return min(
        literal_distance((*f[:-1], *below_f), g) + 1,
        literal_distance(f, (*g[:-1], *below_g)) + 1,
        literal_distance(f[:-1], g[:-1]) + literal_distance(tuple(below_f), tuple(below_g)) + (label_f != label_g),
    )


def literal_size(node: Node) -> int:
    return 1 + sum(literal_size(child) for child in node[1:])
