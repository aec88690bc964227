"""Other extractors, each as a function from the bytes of a page to its text. They are an extra: `winnow[bench]`."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

from bench.exceptions import BenchError
from transforms.charset import decode

Extract = Callable[[bytes], str]


@dataclass(frozen=True)
class Peer:
    """How to get hold of a peer."""

    package: str  # to import
    distribution: str  # to install
    make: Callable[[], Extract]


def _trafilatura() -> Extract:
    trafilatura = import_module("trafilatura")
    # Not `deduplicate`: with it the same page gives another text the fourth time.
    return lambda html: trafilatura.extract(html, include_comments=False, deduplicate=False) or ""


def _resiliparse() -> Extract:
    text = import_module("resiliparse.extract.html2text").extract_plain_text
    encoding = import_module("resiliparse.parse.encoding")

    def extract(html: bytes) -> str:
        decoded = encoding.bytes_to_str(html, encoding.detect_encoding(html))
        return str(text(decoded, main_content=True, alt_texts=False))

    return extract


def _readability() -> Extract:
    readability = import_module("readability")
    lxml_html = import_module("lxml.html")

    def extract(html: bytes) -> str:
        # It returns HTML; the text of its blocks on lines of their own.
        summary = readability.Document(decode(html).utf8.decode()).summary(html_partial=True)
        return "\n".join(lxml_html.fromstring(summary).itertext())

    return extract


def _justext() -> Extract:
    justext = import_module("justext")
    # It needs the stop words of the page's language: those of all its languages, since the language is not known.
    stop_words = frozenset().union(*(justext.get_stoplist(language) for language in justext.get_stoplists()))

    def extract(html: bytes) -> str:
        paragraphs = justext.justext(decode(html).utf8, stop_words, encoding="utf-8")
        return "\n".join(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate)

    return extract


def _boilerpy3() -> Extract:
    logging.getLogger("boilerpy3").setLevel(logging.ERROR)  # it warns of nested links, page after page
    extractor = import_module("boilerpy3.extractors").ArticleExtractor(raise_on_failure=False)
    return lambda html: str(extractor.get_content(decode(html).utf8.decode()))


def _inscriptis() -> Extract:
    inscriptis = import_module("inscriptis")

    def extract(html: bytes) -> str:
        # All text, laid out; it refuses an XML declaration in a string.
        return str(inscriptis.get_text(re.sub(r"^\s*<\?xml[^>]*>", "", decode(html).utf8.decode())))

    return extract


PEERS: dict[str, Peer] = {
    "trafilatura": Peer("trafilatura", "trafilatura", _trafilatura),
    "resiliparse": Peer("resiliparse", "resiliparse", _resiliparse),
    "readability": Peer("readability", "readability-lxml", _readability),
    "justext": Peer("justext", "justext", _justext),
    "boilerpy3": Peer("boilerpy3", "boilerpy3", _boilerpy3),
    "inscriptis": Peer("inscriptis", "inscriptis", _inscriptis),
}


def peer(name: str) -> Extract:
    """The named peer; raises BenchError, with what to install, if it is not there."""
    if name not in PEERS:
        raise BenchError(f"there is no peer {name!r}; there are: {', '.join(PEERS)}")
    if find_spec(PEERS[name].package) is None:
        raise BenchError(f"the peer {name} is not installed: pip install 'winnow[bench]'")
    return _as_text(PEERS[name].make())


def _as_text(extract: Extract) -> Extract:
    """A peer that raises on a page has found no text there: that is its result, not the end of the run."""

    def guarded(html: bytes) -> str:
        try:
            return extract(html)
        except Exception:  # noqa: BLE001 - any error of somebody else's code
            return ""

    return guarded


def installed() -> list[str]:
    """The names of the peers that can run here."""
    return [name for name, entry in PEERS.items() if find_spec(entry.package) is not None]
