"""Every error that this package raises on purpose."""

from __future__ import annotations


class TransformError(ValueError):
    """The caller asked for something that does not exist; the message lists what does."""


class UnknownExtractor(TransformError):  # noqa: N818 - reads as what happened
    """Raised by `extract` for a name that is not in the registry."""


class BadParameter(TransformError):  # noqa: N818 - reads as what happened
    """Raised by `extract` for a parameter that an extractor does not have, or a value outside its range."""


class UnknownParser(TransformError):  # noqa: N818 - reads as what happened
    """Raised by `Page.parse` for a parser that is not in the table of parsers."""


class NotATree(TransformError):  # noqa: N818 - reads as what happened
    """Raised where depths, nested sequences or bytes do not describe one tree."""


class NotASketch(TransformError):  # noqa: N818 - reads as what happened
    """Raised for bytes that are no sketch of a page, or of another version."""


class NotATemplate(TransformError):  # noqa: N818 - reads as what happened
    """Raised for a line that is no template of a site, or of another version."""
