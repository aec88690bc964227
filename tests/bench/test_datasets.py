"""What each layout of a data set is read as, and what is said about a folder that is none or not complete."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from bench.datasets import CORPUS, Dataset, Sample, load
from bench.exceptions import BenchError
from transforms import Page, extract

PAGE = "<p>Grüße vom Fluss</p>".encode()


def put(path: Path, content: bytes | str) -> Path:
    """Write a file, compressed if its name says so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def lines(*entries: object) -> str:
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)


def corpus_entry(name: str, **other: str) -> dict[str, str]:
    return {"id": name, "url": f"https://{name}.example/", "type": "article", "gold": "Grüße"} | other


def refused(path: Path) -> str:
    with pytest.raises(BenchError) as raised:
        load(path)
    return str(raised.value)


# The project's own corpus


def test_a_corpus_has_gold_address_type_and_site(tmp_path: Path) -> None:
    put(tmp_path / "gold.jsonl", lines(corpus_entry("b", type="forum"), corpus_entry("a")))
    put(tmp_path / "pages" / "a.html", PAGE)
    put(tmp_path / "pages" / "b.html", b"<p>other")
    data = load(tmp_path)
    assert data.name == tmp_path.name
    # In the order of gold.jsonl, not that of the folder.
    assert [sample.id for sample in data.samples] == ["b", "a"]
    first, second = data.samples
    assert (first.type, first.site, first.url) == ("forum", "b.example", "https://b.example/")
    assert (second.html(), second.gold, second.stripped) == (PAGE, "Grüße", False)


def test_a_line_separator_inside_a_gold_text_does_not_end_its_line(tmp_path: Path) -> None:
    gold = "one\u2028two\x85three"
    put(tmp_path / "gold.jsonl", lines(corpus_entry("a", gold=gold)))
    put(tmp_path / "pages" / "a.html", PAGE)
    assert load(tmp_path).samples[0].gold == gold


def test_a_corpus_without_one_of_its_pages_is_refused(tmp_path: Path) -> None:
    put(tmp_path / "gold.jsonl", lines(corpus_entry("here"), corpus_entry("gone")))
    put(tmp_path / "pages" / "here.html", PAGE)
    message = refused(tmp_path)
    assert f"{tmp_path / 'gold.jsonl'}, line 2 names gone" in message
    assert f"there is no {tmp_path / 'pages' / 'gone.html'}" in message


@pytest.mark.parametrize("field", ["id", "url", "type", "gold"])
def test_a_corpus_entry_without_a_field_is_refused(tmp_path: Path, field: str) -> None:
    entry = corpus_entry("a")
    del entry[field]
    put(tmp_path / "gold.jsonl", lines(entry))
    put(tmp_path / "pages" / "a.html", PAGE)
    message = refused(tmp_path)
    assert f"gold.jsonl, line 1: no field {field}; there are {', '.join(entry)}" in message


# WCXB


def wcxb_entry(gold: str | None = "Grüße", **other: object) -> str:
    truth = {"ground_truth": {"main_content": gold, "with": [], "without": []}, "url": "https://www.shop.example/x"}
    return json.dumps(truth | {"_internal": {"page_type": {"primary": "product"}}} | other)


def test_wcxb_is_read_with_types_sites_and_what_was_stripped(tmp_path: Path) -> None:
    for number in ("4000", "0007", "3999"):
        put(tmp_path / "dev" / "html" / f"{number}.html.gz", PAGE + number.encode())
        put(tmp_path / "dev" / "ground-truth" / f"{number}.json", wcxb_entry(f"Grüße {number}"))
    put(tmp_path / "metadata.json", "{}")
    data = load(tmp_path)
    assert [(sample.id, sample.stripped) for sample in data.samples] == [
        ("0007", False), ("3999", False), ("4000", True)
    ]  # fmt: skip
    first = data.samples[0]
    assert first.html() == PAGE + b"0007"
    assert (first.gold, first.type, first.site) == ("Grüße 0007", "product", "www.shop.example")


def test_one_split_of_wcxb_is_a_data_set_too(tmp_path: Path) -> None:
    for split in ("dev", "test"):
        put(tmp_path / split / "html" / "1.html.gz", split)
        put(tmp_path / split / "ground-truth" / "1.json", wcxb_entry())
    assert [sample.html() for sample in load(tmp_path).samples] == [b"dev", b"test"]
    assert [sample.html() for sample in load(tmp_path / "test").samples] == [b"test"]


def test_a_wcxb_page_without_main_content_has_no_gold(tmp_path: Path) -> None:
    for number, truth in enumerate((wcxb_entry(None), wcxb_entry(ground_truth={"title": "x"}), wcxb_entry("text"))):
        put(tmp_path / "html" / f"{number}.html.gz", PAGE)
        put(tmp_path / "ground-truth" / f"{number}.json", truth)
    data = load(tmp_path)
    assert [sample.gold for sample in data.samples] == [None, None, "text"]
    assert [sample.id for sample in data.with_gold().samples] == ["2"]


def test_a_wcxb_truth_without_its_page_or_field_is_refused(tmp_path: Path) -> None:
    put(tmp_path / "html" / "1.html.gz", PAGE)
    truth = put(tmp_path / "ground-truth" / "1.json", json.dumps({"url": "https://a.example/", "gold": ""}))
    assert refused(tmp_path) == f"{truth}: no field ground_truth; there are url, gold"
    gone = put(tmp_path / "ground-truth" / "2.json", wcxb_entry())
    truth.unlink()
    assert refused(tmp_path) == f"{gone} has no page {tmp_path / 'html' / '2.html.gz'}"


# article-extraction-benchmark


def test_the_article_benchmark_is_read_in_the_order_of_its_names(tmp_path: Path) -> None:
    truth = {
        "ff": {"articleBody": "second", "url": "https://b.example/2"},
        "0a": {"articleBody": "first", "url": "https://a.example/1"},
    }
    put(tmp_path / "ground-truth.json", json.dumps(truth))
    for name in truth:
        put(tmp_path / "html" / f"{name}.html.gz", PAGE)
    data = load(tmp_path)
    assert [(sample.id, sample.gold, sample.site) for sample in data.samples] == [
        ("0a", "first", "a.example"), ("ff", "second", "b.example")
    ]  # fmt: skip
    assert {sample.type for sample in data.samples} == {"article"}
    assert data.samples[0].html() == PAGE


def test_the_article_benchmark_without_a_page_or_a_body_is_refused(tmp_path: Path) -> None:
    truth = put(tmp_path / "ground-truth.json", json.dumps({"0a": {"url": "https://a.example/1"}}))
    (tmp_path / "html").mkdir()
    page = tmp_path / "html" / "0a.html.gz"
    assert refused(tmp_path) == f"{truth} names 0a, but there is no {page}"
    put(page, PAGE)
    assert refused(tmp_path) == f"{truth}, 0a: no field articleBody; there are url"


# CleanEval


@pytest.mark.parametrize(
    ("pages", "gold", "name"),
    [("en_original", "en_cleaned", "1.txt"), ("original", "cleaned", "1-cleaned.txt"), ("input", "gold", "1.txt")],
)
def test_cleaneval_is_read_without_its_address_line_and_marks(tmp_path: Path, pages: str, gold: str, name: str) -> None:
    put(tmp_path / pages / "1.html", PAGE)
    text = "URL: http://river.example/news.html\n\n<h>Headline\n\n<p>A paragraph <of> words.\n<l>item</l>\n"
    put(tmp_path / gold / name, text)
    (sample,) = load(tmp_path).samples
    assert (sample.id, sample.url, sample.site) == ("1", "http://river.example/news.html", "river.example")
    assert sample.gold == "Headline\n\nA paragraph <of> words.\nitem"
    assert sample.html() == PAGE


@pytest.mark.parametrize(
    ("text", "url", "gold"),
    [
        ("<p>No address here", None, "No address here"),
        ("URL:\nHeadline\nText", "", "Headline\nText"),
        ("<p>The URL: http://x.example/ is text", None, "The URL: http://x.example/ is text"),
    ],
)
def test_only_an_address_line_of_cleaneval_is_taken_off(tmp_path: Path, text: str, url: str | None, gold: str) -> None:
    put(tmp_path / "en_original" / "1.html", PAGE)
    put(tmp_path / "en_cleaned" / "1.txt", text)
    (sample,) = load(tmp_path).samples
    assert (sample.url, sample.gold) == (url, gold)


def test_cleaneval_pages_come_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("30", "4", "200"):
        put(tmp_path / "en_original" / f"{name}.html", PAGE)
        put(tmp_path / "en_cleaned" / f"{name}.txt", name)
    assert [sample.gold for sample in load(tmp_path).samples] == ["200", "30", "4"]


def test_a_cleaneval_page_without_gold_is_refused(tmp_path: Path) -> None:
    page = put(tmp_path / "en_original" / "1.html", PAGE)
    (tmp_path / "en_cleaned").mkdir()
    cleaned = tmp_path / "en_cleaned"
    assert (
        refused(tmp_path) == f"{page} has no gold text; looked for {cleaned / '1.txt'} and {cleaned / '1-cleaned.txt'}"
    )


# Line JSON


def test_a_collection_of_sites_is_one_file_a_site(tmp_path: Path) -> None:
    put(tmp_path / "news.jsonl.gz", lines({"url": "https://n.example/1", "html": "<p>n", "gold": "n"}))
    entries = [{"url": f"https://f.example/{number}", "html": f"<p>{number}", "gold": str(number)} for number in (2, 1)]
    put(tmp_path / "forum.jsonl.gz", lines(*entries))
    put(tmp_path / "sites.json", "{}")
    data = load(tmp_path)
    assert [(sample.id, sample.site, sample.gold) for sample in data.samples] == [
        ("forum-0000", "forum", "2"), ("forum-0001", "forum", "1"), ("news-0000", "news", "n")
    ]  # fmt: skip
    assert data.samples[0].html() == b"<p>2"
    assert [sample.id for sample in load(tmp_path / "news.jsonl.gz").samples] == ["news-0000"]


def test_line_json_may_have_types_blank_lines_and_no_gold(tmp_path: Path) -> None:
    entries = lines({"html": "<p>ü", "type": "forum"}) + "\n" + lines({"html": "<p>b", "gold": "b"}) + "\n"
    data = load(put(tmp_path / "pages.jsonl", entries))
    assert [(sample.type, sample.gold, sample.url) for sample in data.samples] == [
        ("forum", None, None), ("", "b", None)
    ]  # fmt: skip
    assert data.samples[0].html() == "<p>ü".encode()


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"url": "x", "text": "y"}', "line 2: no field html; there are url, text"),
        ('{"html": ', "line 2: this is not JSON"),
        ('["html"]', "line 2: a JSON object is needed, not list"),
    ],
)
def test_a_line_that_is_no_page_is_named(tmp_path: Path, line: str, says: str) -> None:
    file = put(tmp_path / "pages.jsonl", lines({"html": "<p>"}) + line + "\n")
    assert refused(file).startswith(f"{file}, {says}")


def test_a_compressed_file_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    file = put(tmp_path / "cut.jsonl.gz", lines({"html": "<p>" + "many words " * 1000}))
    file.write_bytes(file.read_bytes()[:-20])
    assert refused(file).startswith(f"cannot read {file}: ")


# Any folder of pages


def test_a_folder_of_html_is_read_at_any_depth_without_gold(tmp_path: Path) -> None:
    put(tmp_path / "b.html", PAGE)
    put(tmp_path / "a" / "c.htm", b"<p>c")
    put(tmp_path / "a" / "d.html.gz", b"<p>d")
    put(tmp_path / "notes.txt", "no page")
    (tmp_path / "saved.html").mkdir()
    data = load(tmp_path)
    assert [(sample.id, sample.html()) for sample in data.samples] == [
        (str(Path("a", "c.htm")), b"<p>c"), (str(Path("a", "d.html.gz")), b"<p>d"), ("b.html", PAGE)
    ]  # fmt: skip
    assert data.with_gold().samples == ()


def test_a_page_that_cannot_be_unpacked_is_named_when_it_is_read(tmp_path: Path) -> None:
    page = put(tmp_path / "broken.html.gz", PAGE)
    page.write_bytes(b"<p>not compressed at all")
    (sample,) = load(tmp_path).samples
    with pytest.raises(BenchError, match=r"cannot read .*broken\.html\.gz"):
        sample.html()


# What is no data set


def test_a_folder_in_no_known_layout_is_refused_with_all_layouts(tmp_path: Path) -> None:
    put(tmp_path / "readme.txt", "no pages")
    message = refused(tmp_path)
    assert f"{tmp_path} is none of the layouts that are known" in message
    for looked_for in (
        "the project's corpus: gold.jsonl and pages/ID.html",
        "WCXB: [SPLIT/]html/ID.html.gz and [SPLIT/]ground-truth/ID.json",
        "article-extraction-benchmark: ground-truth.json and html/ID.html.gz",
        "CleanEval: en_original/N.html and en_cleaned/N.txt",
        "line JSON: NAME.jsonl or NAME.jsonl.gz",
        "a folder of HTML: *.html",
    ):
        assert looked_for in message
    assert "none of the layouts" in refused(tmp_path / "readme.txt")


def test_a_name_that_does_not_exist_is_refused_with_those_beside_it(tmp_path: Path) -> None:
    put(tmp_path / "wcxb" / "x.html", PAGE)
    put(tmp_path / "news.jsonl", "")
    message = refused(tmp_path / "wcbx")
    assert f"there is no folder or file {tmp_path / 'wcbx'}" in message
    assert f"in {tmp_path} there is: news.jsonl, wcxb" in message
    assert "`corpus`" in message


def test_a_data_set_without_pages_is_refused(tmp_path: Path) -> None:
    file = put(tmp_path / "empty.jsonl", "")
    assert refused(file) == f"{file} looks like line JSON, but holds no page"


# What data sets can do


def numbered(count: int) -> Dataset:
    return Dataset("numbered", tuple(Sample(str(number), lambda: PAGE) for number in range(count)))


def test_some_pages_are_chosen_evenly_from_the_whole_data_set() -> None:
    assert [sample.id for sample in numbered(30).spread(20).samples][-1] == "28"
    assert [sample.id for sample in numbered(10).spread(3).samples] == ["0", "3", "6"]
    assert [sample.id for sample in numbered(5).spread(9).samples] == ["0", "1", "2", "3", "4"]
    assert [sample.id for sample in numbered(5).spread(1).samples] == ["0"]


# The corpus that is shipped


def test_the_shipped_corpus_has_thirty_pages_of_seven_types_in_many_languages() -> None:
    samples = load("corpus").samples
    entries = [json.loads(line) for line in (CORPUS / "gold.jsonl").read_bytes().splitlines()]
    assert [sample.id for sample in samples] == [entry["id"] for entry in entries]
    assert len(samples) == 30
    assert {sample.type for sample in samples} == {
        "article", "forum", "product", "collection", "listing", "documentation", "service"
    }  # fmt: skip
    assert len({entry["language"] for entry in entries}) >= 6
    assert {page.stem for page in (CORPUS / "pages").glob("*.html")} == {sample.id for sample in samples}


@pytest.mark.parametrize("sample", load("corpus").samples, ids=lambda sample: sample.id)
def test_every_gold_line_of_the_shipped_corpus_is_text_of_its_page(sample: Sample) -> None:
    text = " ".join(extract(Page.parse(sample.html()), "baseline").text.split())
    gold = [" ".join(line.split()) for line in (sample.gold or "").split("\n")]
    assert len(gold) >= 3
    assert [line for line in gold if not line or line not in text] == []
