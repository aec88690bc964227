"""From spans of the canonical source to plain text."""

from __future__ import annotations

import numpy as np

from transforms import tags
from transforms.arrays import Arrays, Bools, Ints

# Control characters say nothing in text and break formats downstream; tab and newline matter in preformatted text.
_NO_CONTROLS = bytes(32 if (byte < 32 and byte not in b"\t\n") or byte == 127 else byte for byte in range(256))


def text(arrays: Arrays, start: Ints, end: Ints) -> str:
    """The text inside the spans: white space collapsed, a line a block, preformatted text as it is."""
    first, last, line, preformatted = pieces(arrays, start, end)
    source = arrays.text.translate(_NO_CONTROLS)
    lines: list[str] = []
    previous = -1
    for begin, stop, number, verbatim in zip(
        first.tolist(), last.tolist(), line.tolist(), preformatted.tolist(), strict=True
    ):
        piece = source[begin:stop].decode("utf-8", "replace")
        piece = piece.strip("\n").rstrip() if verbatim else " ".join(piece.split())
        if number == previous and piece:
            lines[-1] = f"{lines[-1]} {piece}"
        elif piece:
            lines.append(piece)
            previous = number
    return unescape("\n".join(lines))


def unescape(escaped: str) -> str:
    """Decode the entities of the canonical source, each once."""
    if "&" not in escaped:
        return escaped
    escaped = escaped.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&#13;", "")
    return escaped.replace("&amp;", "&")


def pieces(arrays: Arrays, start: Ints, end: Ints) -> tuple[Ints, Ints, Ints, Bools]:
    """Cut the text of the spans at line ends, table cells and span ends; leave out what has no visible character.

    Returns for each piece its text offsets [first, last), the number of the line it belongs to, and whether it is
    preformatted.
    """
    ids = arrays.tag_id
    breaks = np.unique(arrays.text_start[:-1][tags.IS_BREAK[ids]])
    cells = arrays.text_start[:-1][tags.IS_CELL[ids]]
    begin, stop = arrays.text_offset(start), arrays.text_offset(end)
    cuts = np.unique(np.concatenate((breaks, cells, begin, stop)))
    if len(start) == 0 or len(cuts) < 2:
        none = np.empty(0, dtype=np.int64)
        return none, none, none, none.astype(bool)
    first, last = cuts[:-1], cuts[1:]
    span = np.searchsorted(begin, first, side="right") - 1
    keep = (span >= 0) & (first < stop[span]) & (arrays.visible_before[last] > arrays.visible_before[first])
    first, last = first[keep], last[keep]
    line = np.searchsorted(breaks, first, side="right")
    return first, last, line, _preformatted(arrays, first)


def _preformatted(arrays: Arrays, text_offsets: Ints) -> Bools:
    starts = tags.IS_PREFORMATTED[arrays.tag_id] & arrays.starting
    if not starts.any():
        return np.zeros(len(text_offsets), dtype=bool)
    tag = np.searchsorted(arrays.text_start, text_offsets, side="right") - 1
    return arrays.enclosing(starts)[np.minimum(tag, arrays.count - 1)] > 0
