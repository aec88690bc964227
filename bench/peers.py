"""Other extractors, each as a function from the bytes of a page to its text. They are an extra: `winnow[bench]`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec

from bench.exceptions import BenchError

Extract = Callable[[bytes], str]


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


PEERS: dict[str, tuple[str, Callable[[], Extract]]] = {
    "trafilatura": ("trafilatura", _trafilatura),
    "resiliparse": ("resiliparse", _resiliparse),
}


def peer(name: str) -> Extract:
    """The named peer; raises BenchError, with what to install, if it is not there."""
    if name not in PEERS:
        raise BenchError(f"there is no peer {name!r}; there are: {', '.join(PEERS)}")
    package, make = PEERS[name]
    if find_spec(package) is None:
        raise BenchError(f"the peer {name} is not installed: pip install 'winnow[bench]'")
    return make()


def installed() -> list[str]:
    """The names of the peers that can run here."""
    return [name for name, (package, _) in PEERS.items() if find_spec(package) is not None]
