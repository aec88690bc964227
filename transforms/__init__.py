"""Pages as arrays, and the extractors that turn them into text. Imports neither Beam nor Scrapy."""

from __future__ import annotations

from transforms import algorithms as algorithms  # fills the registry
from transforms.exceptions import BadParameter, TransformError, UnknownExtractor, UnknownParser
from transforms.metadata import Metadata
from transforms.page import Page
from transforms.registry import Extractor, extract, extractors
from transforms.selection import Selection

__all__ = [
    "BadParameter",
    "Extractor",
    "Metadata",
    "Page",
    "Selection",
    "TransformError",
    "UnknownExtractor",
    "UnknownParser",
    "extract",
    "extractors",
]
