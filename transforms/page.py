"""A page: bytes in, canonical source and arrays out."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from transforms import metadata, tags
from transforms.arrays import Arrays, Ints
from transforms.canonical import EMPTY, NO_HEAD, canonicalise
from transforms.charset import decode

# Enough for any page's headline and dates; a page with more of them is a list of other pages.
MAX_METADATA_ELEMENTS, MAX_ELEMENT = 200, 10_000


@dataclass(frozen=True)
class Page:
    """One HTML page as its canonical source, from which everything else is derived without parsing again.

    Small and picklable: the arrays are left behind and made anew on the other side.
    """

    source: bytes
    head: metadata.Head = NO_HEAD
    url: str | None = None
    charset: str = "utf-8"
    charset_evidence: str = "utf8"  # bom, http, meta, utf8, detected, default
    replaced: int = 0  # characters that could not be decoded
    html_size: int = 0  # bytes as given to parse()
    repaired: str | None = None  # the parser gave up at first, for this reason; a second reading got the whole text
    truncated: str | None = None  # the parser gave up for this reason and text is missing
    site_known: bool = False  # what its site repeats has been cut out of the source

    # Offsets that parsing found, to seed the arrays; they are left behind as these are.
    _markup: Ints | None = field(default=None, repr=False, compare=False)

    @classmethod
    def parse(
        cls, raw: bytes, url: str | None = None, content_type: str | None = None, *, parser: str = "lxml"
    ) -> Page:
        """Read the bytes of a page; `content_type` is the HTTP header, whose charset counts if it is right.

        Never raises on the content: broken or empty input gives a page with less or no text. A page that the
        parser did not read to its end has `truncated` set.
        """
        decoded = decode(raw, content_type)
        canonical = canonicalise(decoded.utf8, parser)
        return cls(
            source=canonical.source,
            head=canonical.head,
            url=url,
            charset=decoded.charset,
            charset_evidence=decoded.evidence,
            replaced=decoded.replaced,
            html_size=len(raw),
            repaired=canonical.repaired,
            truncated=canonical.truncated,
            _markup=canonical.markup,
        )

    @cached_property
    def arrays(self) -> Arrays:
        """The canonical source as numpy arrays."""
        return Arrays(self.source, self._markup)

    @cached_property
    def metadata(self) -> metadata.Metadata:
        """Title, author, date and so on; None where the page does not say."""
        arrays = self.arrays
        tag = np.flatnonzero(tags.IS_METADATA[arrays.tag_id] & arrays.starting)[:MAX_METADATA_ELEMENTS]
        start, end = arrays.tag_start[tag], arrays.tag_end[arrays.partner[tag]]
        elements = [self.source[a:b] for a, b in zip(start.tolist(), end.tolist(), strict=True) if b - a <= MAX_ELEMENT]
        return metadata.read(metadata.clues(self.head, elements), self.source, self.url)

    @property
    def is_empty(self) -> bool:
        """Whether there was nothing that a reader could see."""
        return self.source == EMPTY or not self.arrays.visible.any()

    def __getstate__(self) -> dict[str, Any]:
        derived = {"arrays", "metadata"}
        return {name: value for name, value in self.__dict__.items() if name not in derived} | {"_markup": None}
