"""A page: bytes in, canonical source and arrays out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from transforms import metadata
from transforms.arrays import Arrays
from transforms.canonical import EMPTY, canonicalise
from transforms.charset import decode


@dataclass(frozen=True)
class Page:
    """One HTML page as its canonical source, from which everything else is derived without parsing again.

    Small and picklable: the arrays are left behind and made anew on the other side.
    """

    source: bytes
    clues: tuple[metadata.Clue, ...] = ()
    url: str | None = None
    charset: str = "utf-8"
    charset_evidence: str = "utf8"  # bom, http, meta, utf8, detected, default
    replaced: int = 0  # characters that could not be decoded
    html_size: int = 0  # bytes as given to parse()
    repaired: str | None = None  # the parser gave up at first, for this reason; a second reading got the whole text
    truncated: str | None = None  # the parser gave up for this reason and text is missing

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
            clues=canonical.clues,
            url=url,
            charset=decoded.charset,
            charset_evidence=decoded.evidence,
            replaced=decoded.replaced,
            html_size=len(raw),
            repaired=canonical.repaired,
            truncated=canonical.truncated,
        )

    @cached_property
    def arrays(self) -> Arrays:
        """The canonical source as numpy arrays."""
        return Arrays(self.source)

    @cached_property
    def metadata(self) -> metadata.Metadata:
        """Title, author, date and so on; None where the page does not say."""
        return metadata.read(self.clues, self.source, self.url)

    @property
    def is_empty(self) -> bool:
        """Whether there was nothing that a reader could see."""
        return self.source == EMPTY or not self.arrays.visible.any()

    def __getstate__(self) -> dict[str, Any]:
        derived = {"arrays", "metadata"}
        return {name: value for name, value in self.__dict__.items() if name not in derived}
