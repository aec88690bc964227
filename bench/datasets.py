"""Pages with gold text, read from the layouts in which they are published.

A data set is a folder (or a file) in one of the layouts of LOADERS; `load` recognises which. Pages are read one by one
when iterated over, so that a large data set costs no memory.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench.exceptions import BenchError

CORPUS = Path(__file__).parent / "corpus"

# WCXB pages with an id from here on were stripped of scripts, styles and comments before publication.
WCXB_STRIPPED_FROM = 4000

SHOWN = 20  # names in a message


@dataclass(frozen=True)
class Sample:
    """One page of a data set."""

    id: str
    html: Callable[[], bytes]
    gold: str | None = None  # None: a page without gold text, good for measuring speed
    url: str | None = None
    type: str = ""
    site: str = ""
    stripped: bool = False  # scripts, styles and comments are gone: of no use for measuring speed


@dataclass(frozen=True)
class Dataset:
    """A name, and pages in a fixed order."""

    name: str
    samples: tuple[Sample, ...] = field(repr=False)

    def with_gold(self) -> Dataset:
        """Only the pages that have gold text."""
        return Dataset(self.name, tuple(sample for sample in self.samples if sample.gold is not None))

    def spread(self, pages: int) -> Dataset:
        """At most this many pages, evenly spread."""
        total = len(self.samples)
        chosen = range(total) if pages >= total else [number * total // pages for number in range(pages)]
        return Dataset(self.name, tuple(self.samples[number] for number in chosen))


def load(where: str | Path) -> Dataset:
    """Read the data set in this folder or file; `corpus` names the one that comes with the project."""
    path = CORPUS if str(where) == "corpus" else Path(where)
    if not path.exists():
        raise BenchError(f"there is no folder or file {path}; {_beside(path)}`corpus` names the one that is shipped")
    for name, (recognise, read) in LOADERS.items():
        if recognise(path):
            samples = tuple(read(path))
            if not samples:
                raise BenchError(f"{path} looks like {name}, but holds no page")
            return Dataset(f"{path.resolve().name}", samples)
    looked_for = "\n".join(f"  {name}: {recognise.__doc__}" for name, (recognise, _) in LOADERS.items())
    raise BenchError(f"{path} is none of the layouts that are known:\n{looked_for}")


def _beside(path: Path) -> str:
    """What there is where something was looked for."""
    names = sorted(entry.name for entry in path.parent.glob("*") if not entry.name.startswith("."))
    shown = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
    return f"in {path.parent} there is: {shown}; " if names else ""


def is_corpus(path: Path) -> bool:
    """gold.jsonl and pages/ID.html"""
    return (path / "gold.jsonl").is_file() and (path / "pages").is_dir()


def read_corpus(path: Path) -> Iterator[Sample]:
    """The project's own small corpus."""
    for where, entry in _entries(path / "gold.jsonl"):
        name, gold, url, kind = (_field(entry, key, where) for key in ("id", "gold", "url", "type"))
        page = path / "pages" / f"{name}.html"
        if not page.is_file():
            raise BenchError(f"{where} names {name}, but there is no {page}")
        yield Sample(name, _reader(page), gold, url, kind, site=_host(url))


def _wcxb_splits(path: Path) -> list[Path]:
    return [folder for folder in (path, *sorted(path.glob("*"))) if (folder / "ground-truth").is_dir()]


def is_wcxb(path: Path) -> bool:
    """[SPLIT/]html/ID.html.gz and [SPLIT/]ground-truth/ID.json (WCXB)"""
    return path.is_dir() and any((split / "html").is_dir() for split in _wcxb_splits(path))


def read_wcxb(path: Path) -> Iterator[Sample]:
    """The Web Content eXtraction Benchmark."""
    for split in _wcxb_splits(path):
        for truth in sorted((split / "ground-truth").glob("*.json")):
            entry = _object(truth.read_bytes(), str(truth))
            page = split / "html" / f"{truth.stem}.html.gz"
            if not page.is_file():
                raise BenchError(f"{truth} has no page {page}")
            kind = entry.get("_internal", {}).get("page_type", {}).get("primary", "")
            number = int(truth.stem) if truth.stem.isdecimal() else 0
            # Some published pages have no main_content: they count as pages without gold text.
            gold = _field(entry, "ground_truth", str(truth)).get("main_content")
            yield Sample(
                truth.stem, _reader(page), gold, entry.get("url"), kind,
                site=_host(entry.get("url")), stripped=number >= WCXB_STRIPPED_FROM,
            )  # fmt: skip


def is_article_benchmark(path: Path) -> bool:
    """ground-truth.json and html/ID.html.gz (article-extraction-benchmark)"""
    return (path / "ground-truth.json").is_file() and (path / "html").is_dir()


def read_article_benchmark(path: Path) -> Iterator[Sample]:
    """scrapinghub's article-extraction-benchmark."""
    truth = path / "ground-truth.json"
    for name, entry in sorted(_object(truth.read_bytes(), str(truth)).items()):
        page = path / "html" / f"{name}.html.gz"
        if not page.is_file():
            raise BenchError(f"{truth} names {name}, but there is no {page}")
        gold, url = _field(entry, "articleBody", f"{truth}, {name}"), entry.get("url")
        yield Sample(name, _reader(page), gold, url, "article", site=_host(url))


_CLEANEVAL = (("en_original", "en_cleaned"), ("original", "cleaned"), ("input", "gold"), ("html", "gold"))


def _cleaneval_folders(path: Path) -> tuple[Path, Path] | None:
    for pages, gold in _CLEANEVAL:
        if (path / pages).is_dir() and (path / gold).is_dir():
            return path / pages, path / gold
    return None


def is_cleaneval(path: Path) -> bool:
    """en_original/N.html and en_cleaned/N.txt or N-cleaned.txt, or original/ and cleaned/ (CleanEval)"""
    return path.is_dir() and _cleaneval_folders(path) is not None


def read_cleaneval(path: Path) -> Iterator[Sample]:
    """CleanEval 2007. Its gold text begins with a line "URL: ..." and has <p>, <h> and <l> before the blocks."""
    pages, gold = _cleaneval_folders(path) or (path, path)
    for page in sorted(pages.glob("*.html")):
        candidates = (gold / f"{page.stem}.txt", gold / f"{page.stem}-cleaned.txt")
        truth = next((candidate for candidate in candidates if candidate.is_file()), None)
        if truth is None:
            raise BenchError(f"{page} has no gold text; looked for {' and '.join(map(str, candidates))}")
        text = truth.read_text(encoding="utf-8", errors="replace")
        url, body = re.match(r"(?:\s*URL:[^\S\n]*(\S*)\s*\n)?(.*)", text, re.DOTALL).groups()  # type: ignore[union-attr]
        yield Sample(page.stem, _reader(page), re.sub(r"</?[phl]>", "", body).strip(), url, site=_host(url))


def is_lines(path: Path) -> bool:
    """NAME.jsonl or NAME.jsonl.gz, or a folder of them: objects with html, gold, url (line JSON, site collections)"""
    return bool(_line_files(path))


def _line_files(path: Path) -> list[Path]:
    if path.is_file():
        return [path] if path.name.endswith((".jsonl", ".jsonl.gz")) else []
    return sorted([*path.glob("*.jsonl"), *path.glob("*.jsonl.gz")])


def read_lines(path: Path) -> Iterator[Sample]:
    """Line JSON; the site of a page is the name of its file."""
    for file in _line_files(path):
        name = file.name.split(".jsonl")[0]
        for number, (where, entry) in enumerate(_entries(file)):
            html = partial(_same, str(_field(entry, "html", where)).encode("utf-8", "replace"))
            yield Sample(
                f"{name}-{number:04}", html, entry.get("gold"), entry.get("url"), entry.get("type", ""), site=name
            )


def _same(html: bytes) -> bytes:
    return html


def is_folder_of_html(path: Path) -> bool:
    """*.html, *.htm or *.html.gz at any depth, without gold text"""
    return path.is_dir() and next(_html_files(path), None) is not None


def _html_files(path: Path) -> Iterator[Path]:
    return (file for file in path.rglob("*") if file.name.endswith((".html", ".htm", ".html.gz")) and file.is_file())


def read_folder_of_html(path: Path) -> Iterator[Sample]:
    """Any folder of pages."""
    for file in sorted(_html_files(path)):
        yield Sample(str(file.relative_to(path)), _reader(file))


def _reader(page: Path) -> Callable[[], bytes]:
    return partial(_read, page)


def _read(file: Path) -> bytes:
    try:
        return gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    except (OSError, EOFError, zlib.error) as error:
        raise BenchError(f"cannot read {file}: {error}") from None


def _entries(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Where each object of line JSON stands, and the object; blank lines do not count."""
    try:
        with gzip.open(file, "rb") if file.suffix == ".gz" else file.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield (where := f"{file}, line {number}"), _object(line, where)
    except (OSError, EOFError, zlib.error) as error:
        raise BenchError(f"cannot read {file}: {error}") from None


def _object(text: bytes, where: str) -> dict[str, Any]:
    try:
        entry = json.loads(text)
    except ValueError as error:
        raise BenchError(f"{where}: this is not JSON: {error}") from None
    if not isinstance(entry, dict):
        raise BenchError(f"{where}: a JSON object is needed, not {type(entry).__name__}")
    return entry


def _field(entry: dict[str, Any], name: str, where: str) -> Any:
    if name not in entry:
        raise BenchError(f"{where}: no field {name}; there are {', '.join(entry) or 'none'}")
    return entry[name]


def _host(url: str | None) -> str:
    try:
        return urlsplit(url or "").hostname or ""
    except ValueError:
        return ""


LOADERS: dict[str, tuple[Callable[[Path], bool], Callable[[Path], Iterator[Sample]]]] = {
    "the project's corpus": (is_corpus, read_corpus),
    "WCXB": (is_wcxb, read_wcxb),
    "article-extraction-benchmark": (is_article_benchmark, read_article_benchmark),
    "CleanEval": (is_cleaneval, read_cleaneval),
    "line JSON": (is_lines, read_lines),
    "a folder of HTML": (is_folder_of_html, read_folder_of_html),
}
