"""From spans of the canonical source to plain text."""

from __future__ import annotations

from itertools import chain

import numpy as np

from transforms import tags
from transforms.arrays import Arrays, Bools, Ints

# Control characters say nothing in text and break formats downstream; tab and newline matter in preformatted text.
NO_CONTROLS = bytes(32 if (byte < 32 and byte not in b"\t\n") or byte == 127 else byte for byte in range(256))

# Page text has no control characters once these are gone, so they can stand for other things meanwhile.
_LINE_END = b" \0 "
_PROTECT = bytes.maketrans(b" \t\n", b"\1\2\3")
_RELEASE = bytes.maketrans(b"\1\2\3", b" \t\n")


def text(arrays: Arrays, start: Ints, end: Ints) -> str:
    """The text inside the spans: white space collapsed, a line a block, preformatted text as it is."""
    first, last, line, preformatted = pieces(arrays, start, end)
    source = arrays.text.translate(NO_CONTROLS)
    texts = [source[begin:stop] for begin, stop in zip(first.tolist(), last.tolist(), strict=True)]
    verbatim = np.flatnonzero(preformatted).tolist()
    if verbatim:
        empty_lines = _empty_lines(arrays, first, preformatted)
        for place in verbatim:
            kept = texts[place].strip(b"\n").rstrip().translate(_PROTECT)
            texts[place] = b"\3" * empty_lines[place] + kept
    ends = [_LINE_END] * len(texts)
    for place in np.flatnonzero(line[1:] == line[:-1]).tolist():
        ends[place] = b" "  # the cells of a row, or what is left of a text that was chosen in parts
    # Splitting and joining all at once is much faster than piece by piece: line ends survive it as words of their own.
    collapsed = b" ".join(b"".join(chain.from_iterable(zip(texts, ends, strict=True))).split())
    lines = collapsed.replace(_LINE_END, b"\n").removesuffix(_LINE_END.rstrip()).rstrip()
    if verbatim:
        lines = lines.translate(_RELEASE)
    return unescape(lines.decode("utf-8", "replace"))


def _empty_lines(arrays: Arrays, first: Ints, preformatted: Bools) -> list[int]:
    """How many lines stand empty before each preformatted piece: <br><br> in it."""
    line_breaks = arrays.text_start[:-1][arrays.tag_id == tags.ID["br"]]
    before = np.searchsorted(line_breaks, first, side="right")
    since_last_piece = np.diff(before, prepend=before[:1])
    inside = preformatted & np.concatenate(([False], preformatted[:-1]))
    empty: list[int] = np.where(inside, np.maximum(since_last_piece - 1, 0), 0).tolist()
    return empty


def unescape(escaped: str) -> str:
    """Decode the entities of the canonical source, each once."""
    if "&" not in escaped:
        return escaped
    escaped = escaped.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"')
    return escaped.replace("&amp;", "&")


def pieces(arrays: Arrays, start: Ints, end: Ints) -> tuple[Ints, Ints, Ints, Bools]:
    """Cut the text of the spans at line ends, table cells and span ends; leave out what has no visible character.

    Returns for each piece its text offsets [first, last), the number of the line it belongs to, and whether it is
    preformatted.
    """
    ids, places, size = arrays.tag_id, arrays.text_start[:-1], len(arrays.text) + 1
    ends_line = np.zeros(size, dtype=bool)
    ends_line[places[tags.IS_BREAK[ids]]] = True
    cut = ends_line.copy()
    cut[places[tags.IS_CELL[ids]]] = True
    begin, stop = arrays.text_offset(start), arrays.text_offset(end)
    begin, stop = begin[begin < stop], stop[begin < stop]  # the rest is tags alone
    cut[begin] = cut[stop] = True
    cuts = np.flatnonzero(cut)
    # The spans are disjoint, so each offset begins one at most and ends one at most.
    step = np.zeros(size, dtype=np.int8)
    step[begin] += 1
    step[stop] -= 1
    chosen = np.cumsum(step[cuts])[:-1] > 0
    line = np.cumsum(ends_line[cuts])[:-1]
    keep = np.flatnonzero(chosen & (np.diff(arrays.visible_before[cuts]) > 0))
    first, last = cuts[keep], cuts[keep + 1]
    return first, last, line[keep], _preformatted(arrays, first)


def _preformatted(arrays: Arrays, text_offsets: Ints) -> Bools:
    starts = tags.IS_PREFORMATTED[arrays.tag_id] & arrays.starting
    if not starts.any():
        return np.zeros(len(text_offsets), dtype=bool)
    tag = np.searchsorted(arrays.text_start, text_offsets, side="right") - 1
    return arrays.enclosing(starts)[np.minimum(tag, arrays.count - 1)] > 0
