"""The command as a user runs it: in a process of its own, with real files and pipes."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pipeline.exit_codes import ExitCode

if TYPE_CHECKING:
    from pathlib import Path

ARTICLE = """<html lang="en"><head><title>Rain</title><meta name="author" content="Ann Field"></head><body>
<ul><li><a href="/">Home</a></li><li><a href="/news">News</a></li></ul>
<h1>Rain &amp; wind</h1>
<p>It has been raining on the town since early morning, and nobody expects it to stop before the weekend is over.</p>
<p>The river is high but calm, said the warden, who has watched it from the same bridge for thirty-one years.</p>
<ul><li><a href="/imprint">Imprint</a></li></ul>
</body></html>
"""


def winnow(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "pipeline.cli", *arguments], input=stdin, capture_output=True, check=False, timeout=600
    )


@pytest.fixture
def article(tmp_path: Path) -> str:
    path = tmp_path / "rain.html"
    path.write_text(ARTICLE, encoding="utf-8")
    return str(path)


def test_a_file_is_extracted_to_text(article: str) -> None:
    run = winnow("extract", article, "--extractor", "density")
    assert run.returncode == ExitCode.OK
    lines = run.stdout.decode().splitlines()
    assert lines[0].startswith("It has been raining")
    assert lines[-1].startswith("The river is high")
    assert run.stderr == b""


def test_standard_input_and_literal_html_give_the_same_text() -> None:
    piped = winnow("extract", "-", "-e", "baseline", stdin=ARTICLE.encode())
    literal = winnow("extract", ARTICLE, "-e", "baseline")
    assert piped.stdout == literal.stdout
    assert "Rain & wind" in piped.stdout.decode()


def test_markdown_has_headings_and_resolved_links(article: str) -> None:
    run = winnow("extract", article, "-e", "baseline", "-f", "markdown", "--url", "https://town.example/weather/")
    text = run.stdout.decode()
    assert "# Rain & wind" in text
    assert "- [News](https://town.example/news)" in text


def test_json_holds_metadata_sizes_and_text(article: str) -> None:
    record = json.loads(winnow("extract", article, "-e", "lqf", "-f", "json").stdout)
    assert record["title"] == "Rain"
    assert record["author"] == "Ann Field"
    assert record["language"] == "en"
    assert record["published"] is None
    assert record["html_size"] == len(ARTICLE.encode())
    assert record["text_size"] == len(record["text"].encode())
    assert "Home" not in record["text"]


def test_parameters_reach_the_extractor(article: str) -> None:
    strict = winnow("extract", article, "-e", "block", "-p", "threshold=1000")
    lax = winnow("extract", article, "-e", "block", "-p", "threshold=0")
    assert strict.stdout.strip() == b""
    assert b"Imprint" in lax.stdout


def test_the_charset_of_the_content_type_counts() -> None:
    page = "<p>Gründe für Größe</p>".encode("cp850")
    run = winnow("extract", "-", "-e", "baseline", "--content-type", "text/html; charset=ibm850", stdin=page)
    # ibm850 is no charset of the web: it is not believed, and the text is still text.
    assert run.returncode == ExitCode.OK
    latin = winnow("extract", "-", "-e", "baseline", "--content-type", "text/html; charset=iso-8859-1",
                   stdin="<p>Gründe für Größe</p>".encode("latin-1"))  # fmt: skip
    assert latin.stdout.decode().strip() == "Gründe für Größe"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("extract", "missing.html"), "there is no file missing.html"),
        (("extract", "."), "is a folder"),
        (("extract", "<p>x", "-e", "cter"), "Did you mean 'cetr'?"),
        (("extract", "<p>x", "-e", "cetr", "-p", "k=1"), "a whole number from 2 to 20"),
        (("extract", "<p>x", "-e", "cetr", "-p", "lambda=1"), "has no parameter 'lambda'; its parameters: k=3"),
        (("extract", "<p>x", "-e", "cetr", "-p", "k"), "NAME=VALUE"),
    ],
)
def test_a_wrong_call_says_what_is_right(arguments: tuple[str, ...], says: str) -> None:
    run = winnow(*arguments)
    assert run.returncode == ExitCode.USAGE
    assert says in run.stderr.decode()
    assert run.stdout == b""


def test_empty_input_gives_empty_text() -> None:
    run = winnow("extract", "-")
    assert run.returncode == ExitCode.OK
    assert run.stdout == b"\n"


def test_all_extractors_are_listed_with_paper_and_parameters() -> None:
    text = winnow("extractors").stdout.decode()
    assert "cetr-km" in text
    assert "CETR - Content Extraction via Tag Ratios" in text
    assert "threshold=1.5" in text
    entries = json.loads(winnow("extractors", "--json").stdout)
    assert len(entries) == 24
    assert all(entry["summary"] and entry["paper"] for entry in entries)


def test_a_reader_that_leaves_early_is_no_error() -> None:
    page = "<p>" + "many words in one long page " * 40_000
    command = f"{sys.executable} -m pipeline.cli extract - -e baseline | head -c 10"
    shell = ["/bin/bash", "-o", "pipefail", "-c", command]
    run = subprocess.run(shell, input=page.encode(), capture_output=True, check=False)
    assert run.stdout == b"many words"
    assert run.stderr == b""
    assert run.returncode == 0
