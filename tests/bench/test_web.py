"""The small web of the demonstration, and the archives of its crawl."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from bench.web import MISSING_ORIGINAL, Page, pages, sites, write_warc
from bench.web.served import TRAPS, addresses, answer, seeds
from bench.web.server import Asked
from pipeline.check import examine
from pipeline.http import HttpMessage, decode_body
from transforms import Page as ParsedPage

# Of the words of a page's gold text, so many stand in its HTML as they are; others have a character reference in them.
FOUND = 0.95
OTHER_ANSWERS = 5  # a site: robots.txt, 404, 301, an image, data


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    return write_warc(tmp_path_factory.mktemp("web"))


def test_every_site_has_a_handful_of_pages_that_differ() -> None:
    found = sites()
    assert len(found) == 5
    assert all(8 <= len(of_site) <= 12 for of_site in found.values())
    assert len({page.url for page in pages()}) == len({page.text for page in pages()}) == len(pages())
    assert all(page.url.startswith(f"https://{site.host}/") for site, of_site in found.items() for page in of_site)


def test_the_archives_are_the_same_in_another_process(archives: tuple[Path, ...], tmp_path: Path) -> None:
    script = "import sys; from pathlib import Path; from bench.web import write_warc; write_warc(Path(sys.argv[1]))"
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], cwd=root, check=True)
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in archives}
    assert all((tmp_path / path.name).read_bytes() == path.read_bytes() for path in archives)


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.url)
def test_a_page_holds_its_gold_text_and_says_what_it_is(page: Page) -> None:
    parsed = ParsedPage.parse(page.html, url=page.url, content_type=page.content_type)
    html = page.html.decode(parsed.charset)
    words = re.findall(r"\w+", page.text)
    assert sum(word in html for word in words) >= FOUND * len(words)
    assert len(page.text) < len(html) / 2
    assert parsed.metadata.title == page.text.split("\n")[0]
    assert "$" not in re.sub(r"<pre>.*?</pre>", "", html, flags=re.DOTALL)  # a field that nobody filled


def test_the_pages_are_in_five_languages_and_two_charsets() -> None:
    parsed = [ParsedPage.parse(page.html, content_type=page.content_type) for page in pages()]
    assert {(page.metadata.language or "")[:2] for page in parsed} == {"en", "de", "fr", "ru", "es"}
    assert {page.charset for page in parsed} == {"utf-8", "cp1252"}


def test_warcio_reads_every_record_and_finds_every_digest_right(archives: tuple[Path, ...]) -> None:
    for path, of_site in zip(archives, sites().values(), strict=True):
        kinds: Counter[str] = Counter()
        bodies = {}
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream, check_digests="raise"):
                kinds[record.rec_type] += 1
                body = record.raw_stream.read()  # its own brotli reader fails with brotli 1.2
                # warcio does not look at the digests of revisits, and says so with None.
                assert record.digest_checker.passed is (None if record.rec_type == "revisit" else True)
                if record.rec_type == "response":
                    bodies[record.rec_headers.get_header("WARC-Target-URI")] = _decoded(record, body)
        assert all(bodies[page.url] == page.html for page in of_site)
        revisits = 2 if path.name.startswith(MISSING_ORIGINAL) else 1
        responses = len(of_site) + 1 + OTHER_ANSWERS
        assert kinds == {
            "warcinfo": 1,
            "request": responses + revisits,
            "response": responses,
            "revisit": revisits,
        }


def _decoded(record: Any, body: bytes) -> bytes:
    message = HttpMessage(200, tuple(record.http_headers.headers), body, None)
    payload, problem = decode_body(message, max_bytes=1 << 20, max_ratio=100)
    assert problem is None
    return payload


def test_a_revisit_has_the_date_and_the_digest_of_the_page_that_it_refers_to(archives: tuple[Path, ...]) -> None:
    unresolved = []
    for path in archives:
        stored, revisits = set(), []
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream):
                header = record.rec_headers.get_header
                digest = header("WARC-Payload-Digest")
                if record.rec_type == "response":
                    stored.add((header("WARC-Target-URI"), header("WARC-Date"), digest))
                elif record.rec_type == "revisit":
                    revisits.append((header("WARC-Refers-To-Target-URI"), header("WARC-Refers-To-Date"), digest))
        unresolved += [path.name for revisit in revisits if revisit not in stored]
    assert unresolved == [f"{MISSING_ORIGINAL}.warc.gz"]


def test_the_archives_are_healthy_and_every_block_has_its_digest(archives: tuple[Path, ...]) -> None:
    for path in archives:
        health = examine(str(path))
        assert health.healthy
        assert health.digests == sum(health.records.values())
        assert health.cut == 0


def test_the_small_web_is_served_under_its_names() -> None:
    asked = Asked("GET", "www.calderbay-courier.example", "/", {})
    front = answer(asked)
    assert front.status == "200 OK"
    assert {f"http://{site.host}/" for site in sites()} == set(seeds())
    assert answer(replace(asked, target="/robots.txt")).body.startswith(b"User-agent")
    assert answer(replace(asked, host="nobody.example")).status.startswith("404")
    article = next(url for url in sorted(addresses()) if "calderbay" in url)
    target = article.removeprefix("http://www.calderbay-courier.example")
    etag = dict(answer(replace(asked, target=target)).headers)["ETag"]
    again = answer(replace(asked, target=target, headers={"if-none-match": etag}))
    assert again.status.startswith("304")
    assert again.written().endswith(b"\r\n\r\n")


def test_the_traps_have_no_end() -> None:
    target, seen = "/calendar/1", set()
    for _ in range(50):
        seen.add(target)
        found = re.findall(rb'href="([^"]+)"', answer(Asked("GET", TRAPS, target, {})).body)
        target = found[0].decode()
    assert len(seen) == 50
