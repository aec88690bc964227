"""Small WARC files for the tests, made byte by byte, and a run of the pipeline over them."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

from pipeline import job as jobs

# Long enough for every extractor to see content in it.
SENTENCES = (
    "The ferry left the harbour an hour late, and nobody on board seemed to mind the wait in the early sun.",
    "Below the bridge the river was high and brown, carrying whole branches that had come down in the night.",
    "The keeper of the lock has written down every boat since the spring of the year in which his father died.",
    "A baker from the upper town brought rolls, which were gone before the second bell had been rung.",
    "In the evening the wind turned, and the smell of the salt works came over the roofs as far as the mill.",
)


def page(number: int = 0, extra: str = "") -> bytes:
    """An article of its own, with a menu and a footer around it."""
    paragraphs = "".join(
        f"<p>{SENTENCES[(number + n) % len(SENTENCES)]} It was day {number} of {n + 3}.</p>\n" for n in range(4)
    )
    menu = "".join(f'<li><a href="/{name}">{name}</a></li>\n' for name in ("home", "news", "sport", "contact"))
    return (
        f"<!doctype html><html lang=en><head><title>Day {number}</title><script>var a = {number};</script></head>\n"
        f"<body><ul>{menu}</ul>\n<h1>Day {number}</h1>\n{paragraphs}{extra}<p><a href='/imprint'>Imprint</a></p>"
        "</body></html>"
    ).encode()


def http(
    body: bytes, status: str = "200 OK", content_type: str | None = "text/html; charset=utf-8", *more: str
) -> bytes:
    """A response as a server sends it."""
    headers = [f"HTTP/1.1 {status}", *([f"Content-Type: {content_type}"] if content_type else []), *more]
    return "\r\n".join([*headers, "", ""]).encode() + body


def record(block: bytes, kind: str = "response", url: str | None = "http://a.example/", **headers: str) -> bytes:
    """A WARC record; `headers` with underscores for hyphens, `WARC_Date="..."`."""
    lines = ["WARC/1.1", f"WARC-Type: {kind}"]
    if url:
        lines.append(f"WARC-Target-URI: {url}")
    headers = {"WARC_Date": "2026-01-02T03:04:05Z", "Content_Length": str(len(block)), **headers}
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + block + b"\r\n\r\n"


def response(url: str, body: bytes, **headers: str) -> bytes:
    """A page that was fetched."""
    return record(http(body), url=url, **headers)


def member(data: bytes) -> bytes:
    """One gzip member."""
    deflate = zlib.compressobj(6, wbits=31)
    return deflate.compress(data) + deflate.flush()


def archive(path: Path, *records: bytes) -> str:
    """A .warc.gz with one member a record."""
    path.write_bytes(b"".join(map(member, records)))
    return str(path)


def site(path: Path, pages: int, host: str = "a.example", first: int = 0) -> str:
    """An archive of so many different pages of one site."""
    return archive(path, *(response(f"http://{host}/{n}", page(first + n)) for n in range(pages)))


def clean(output: Path, *inputs: str, beam: tuple[str, ...] = (), **wishes: Any) -> dict[str, Any]:
    """Run the pipeline as the command does; returns its statistics."""
    job = jobs.prepare(inputs, output=str(output), **wishes)
    stats = jobs.run(job, beam or ("--direct_num_workers=1", "--direct_running_mode=in_memory"))
    assert stats is not None
    return stats


def lines(folder: Path, name: str = "*.jsonl.gz") -> list[dict[str, Any]]:
    """All lines of the JSON files in a folder of the output, in the order of their names."""
    found = []
    for file in sorted(folder.glob(name)):
        found += [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]
    return found


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its name."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
