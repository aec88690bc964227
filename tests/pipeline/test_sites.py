"""Whole runs that remove what sites repeat: the same bytes whatever the order, and templates that can be used again."""

from __future__ import annotations

import gzip
import json
import socket
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import archives
import pytest
from archives import archive, clean, contents, http, lines, member, record, response
from hypothesis import given
from hypothesis import strategies as st
from site_pages import article

from pipeline import template_commands, work
from pipeline.child import stored
from pipeline.clean import Settings
from pipeline.cli import main
from pipeline.exit_codes import ExitCode
from pipeline.guard import Bounds, Cleaner, Range, SiteSeen, Sketched
from pipeline.site_names import SITE_BY, site_of
from pipeline.template_files import read_templates
from transforms import Page
from transforms.sites import Template
from transforms.sites.sample import PAGES, key, merged
from transforms.sites.sketch import decode
from transforms.sites.template import header

THREADS = ("--direct_num_workers=2", "--direct_running_mode=multi_threading")
PROCESSES = ("--direct_num_workers=2", "--direct_running_mode=multi_processing")
# Keeps all text that the site step has left.
ALL = Settings("block", {"threshold": 0, "site_threshold": 0})
EXPLAINED = replace(ALL, explain=True)
MENU, IMPRINT = "home\nnews\nsport", "All rights reserved"


def page(number: int, **parts: str) -> bytes:
    return article(number, **parts).encode()


def site(path: Path, numbers: range, host: str = "a.example", **parts: str) -> str:
    return archive(path, *(response(f"http://{host}/{n}", page(n, **parts)) for n in numbers))


def texts(out: Path) -> dict[str, str]:
    return {row["url"]: row["text"] for row in lines(out / "text")}


def templates(out: Path) -> dict[str, Template]:
    return read_templates(str(out / "templates.jsonl.gz"))


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Two sites over three archives, with a page of one stored twice, images among them, and a site of two pages."""
    folder = tmp_path_factory.mktemp("crawl")
    image = http(b"\x89PNG\r\n", content_type="image/png")
    first = site(folder / "1.warc.gz", range(6))
    second = archive(
        folder / "2.warc.gz",
        *(record(image, url=f"http://a.example/{n}.png") for n in range(5)),
        *(response(f"http://a.example/{n}", page(n)) for n in range(6, 9)),
        response("http://a.example/again", page(2)),
        *(response(f"http://b.example/{n}", page(20 + n, after="<p>Of the other site alone.</p>")) for n in range(5)),
    )
    return [first, second, site(folder / "3.warc.gz", range(40, 42), "small.example")]


@pytest.fixture(scope="module")
def run(crawl: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of a run over the crawl, in small ranges, by one worker."""
    out = tmp_path_factory.mktemp("run") / "out"
    clean(out, *crawl, settings=EXPLAINED, split=1_000)
    return out


# Text and accounts


def test_what_a_site_repeats_is_removed_and_booked(run: Path) -> None:
    for url, text in texts(run).items():
        small = "small" in url
        assert (MENU in text) == (IMPRINT in text) == small, url
        assert "Headline" in text, url
        assert "alone, and nobody else" in text, url
    stats = json.loads((run / "stats.json").read_bytes())
    assert stats["bytes"]["template"] > 0
    assert not stats["imbalances"]
    assert stats["bytes_total"] == stats["read"]["records"] + stats["read"]["gained"] == sum(stats["bytes"].values())
    booked = [json.loads(line) for line in (run / "sites.jsonl").read_bytes().splitlines()]
    by_site = {row["site"]: row["bytes"]["template"] for row in booked}
    assert sum(by_site.values()) == stats["bytes"]["template"]
    assert by_site["small.example"] == 0
    # Menu and imprint of ten pages; white space between texts may be counted or not.
    repeated = len("home news sport") + len(
        "All rights reserved by the Society of Friends of the Harbour, Dock Street."
    )
    assert abs(by_site["a.example"] - 10 * repeated) <= 10 * 4
    assert set(templates(run)) == {"a.example", "b.example"}


def test_without_the_step_pages_are_as_they_were_and_no_templates_are_written(tmp_path: Path, crawl: list[str]) -> None:
    stats = clean(tmp_path / "out", *crawl, settings=ALL, learn=False)
    assert all(MENU in text and IMPRINT in text for text in texts(tmp_path / "out").values())
    assert stats["bytes"]["template"] == 0
    assert not list((tmp_path / "out").glob("templates*"))
    assert not (tmp_path / "out" / "explained").exists()  # nobody asked


def test_an_explanation_is_written_for_every_page_if_asked(run: Path) -> None:
    explained = lines(run / "explained")
    assert [row["url"] for row in explained] == [row["url"] for row in lines(run / "text")]
    for row in explained:
        begins = [removed["text"][:4] for removed in row["removed"]]
        assert begins == ([] if "small" in row["url"] else ["home", *(["Of t"] * ("b." in row["url"])), "All "])
        assert all(removed["match"] not in {None, row["url"]} for removed in row["removed"])


# The same bytes


@pytest.mark.parametrize(
    "beam",
    [THREADS, PROCESSES, ("--direct_num_workers=1", "--direct_runner_bundle_repeat=1")],
    ids=["threads", "processes", "repeats"],
)
def test_order_workers_and_repeats_change_no_byte(
    tmp_path: Path, crawl: list[str], run: Path, beam: tuple[str, ...]
) -> None:
    clean(tmp_path / "out", *reversed(crawl), settings=EXPLAINED, split=1_000, beam=beam)
    once = contents(run)
    assert once == contents(tmp_path / "out")
    assert "templates.jsonl.gz" in once
    assert len([name for name in once if name.startswith("text/")]) > 3


def large(tmp_path: Path) -> str:
    """A site of 100 pages between 100 images, some pages stored twice."""
    image = http(b"\x89PNG\r\n", content_type="image/png")
    records = []
    for n in range(100):
        records += [record(image, url=f"http://a.example/{n}.png"), response(f"http://a.example/{n}", page(n))]
        records += [records[-1]] * (n % 3 == 0)
    return archive(tmp_path / "large.warc.gz", *records)


def test_how_files_are_cut_changes_no_text_and_no_template(tmp_path: Path) -> None:
    path = large(tmp_path)
    clean(tmp_path / "whole", path, split=0)
    clean(tmp_path / "cut", path, split=10_000)
    assert len(list((tmp_path / "cut" / "text").iterdir())) > 5
    assert lines(tmp_path / "whole" / "text") == lines(tmp_path / "cut" / "text")
    for name in ("templates.jsonl.gz", "sites.jsonl"):
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "cut" / name).read_bytes()
    assert templates(tmp_path / "cut")["a.example"].pages == PAGES


def test_the_templates_of_a_run_give_the_same_text_as_learning(tmp_path: Path, crawl: list[str], run: Path) -> None:
    # And with them a new page, that would teach nothing by itself.
    new = site(tmp_path / "new.warc.gz", range(77, 78), "b.example")
    clean(tmp_path / "used", *crawl, new, templates=str(run / "templates.jsonl.gz"), settings=EXPLAINED)
    assert not list((tmp_path / "used").glob("_temporary"))
    said = texts(tmp_path / "used")
    text = said.pop("http://b.example/77")
    assert MENU not in text
    assert "Headline 77" in text
    assert said == texts(run)


# Sites


def test_hosts_of_one_registrable_domain_are_one_site_if_asked(tmp_path: Path) -> None:
    # Two pages a host: too few to learn from, unless they come together.
    parts = [
        site(tmp_path / f"{number}.warc.gz", range(number, number + 2), host)
        for number, host in ((0, "www.a.co.uk"), (10, "blog.a.co.uk"), (20, "b.co.uk"))
    ]
    clean(tmp_path / "domain", *parts, settings=replace(ALL, site_by="domain"))
    for url, text in texts(tmp_path / "domain").items():
        assert (MENU in text) == ("b.co.uk" in url)
    assert set(templates(tmp_path / "domain")) == {"a.co.uk"}
    assert {row["site"] for row in lines(tmp_path / "domain" / "text")} == {"a.co.uk", "b.co.uk"}


def test_pages_of_a_host_with_and_without_www_are_of_one_site(tmp_path: Path) -> None:
    # Two pages a spelling: too few to learn from, unless they come together.
    parts = [
        site(tmp_path / f"{number}.warc.gz", range(number, number + 2), host)
        for number, host in ((0, "www.a.example"), (10, "a.example"), (20, "blog.a.example"))
    ]
    clean(tmp_path / "out", *parts, settings=ALL)
    assert {url for url, text in texts(tmp_path / "out").items() if MENU in text} == {
        "http://blog.a.example/20",
        "http://blog.a.example/21",
    }
    assert {row["site"] for row in lines(tmp_path / "out" / "text")} == {"a.example", "blog.a.example"}


@pytest.mark.parametrize(
    ("url", "host", "domain"),
    [
        ("http://WWW.A.co.uk./x", "a.co.uk", "a.co.uk"),
        ("http://a.co.uk:80/x", "a.co.uk", "a.co.uk"),
        ("http://www2.a.co.uk/", "www2.a.co.uk", "a.co.uk"),
        ("https://blog.a.co.uk:8080/", "blog.a.co.uk:8080", "a.co.uk"),
        ("http://a.co.uk:bad/", "a.co.uk", "a.co.uk"),
        ("http://co.uk/", "co.uk", "co.uk"),
        ("http://192.168.0.1/", "192.168.0.1", "192.168.0.1"),
        ("http://[2001:db8::1]/", "2001:db8::1", "2001:db8::1"),
        ("http://[2001:db8::1]:8080/", "[2001:db8::1]:8080", "2001:db8::1"),
        ("http://[bad/", "", ""),
        ("dns:a.example", "", ""),
        ("", "", ""),
        (None, "", ""),
        ("http://a.exa\tmp\nle\r/", "a.example", "a.example"),
    ],
)
def test_the_site_of_an_address(url: str | None, host: str, domain: str) -> None:
    assert site_of(url) == host
    assert site_of(url, "domain") == domain


@given(st.text(), st.text(), st.sampled_from(SITE_BY))
def test_any_address_has_a_site_or_none(host: str, path: str, by: str) -> None:
    for url in (f"http://{host}/{path}", host):
        assert not set("\t\r\n") & set(site_of(url, by))


@pytest.mark.parametrize("name", ["a\tb", "a\nb", "a\0b", "a\u2028b", "a\x85b", 'a"b', "ä"])
def test_templates_beside_a_range_are_found_by_any_name(name: str) -> None:
    known = {site: Template(site, 5, 5, content_slots=frozenset([1])) for site in (name, "a", "z")}
    packed = tuple((site, template.packed(explaining=True)) for site, template in known.items())
    with work.stored_beside(packed) as path:
        found = stored(path)
        assert {site: found(site) for site in known} == known
        assert found("other") is None


def test_a_revisit_is_masked_as_a_page_of_its_own_site(tmp_path: Path) -> None:
    digest = {"WARC_Payload_Digest": "sha1:ABC"}
    note = "<div class=note><p>Printed on paper by the other house.</p></div>"
    first = archive(
        tmp_path / "1.warc.gz",
        *(response(f"http://a.example/{n}", page(n)) for n in range(5)),
        response("http://a.example/both", page(90, after=note), **digest),
    )
    revisit = record(b"HTTP/1.1 200 OK\r\n\r\n", "revisit", "http://b.example/both", **digest)
    # The other site has notes and no menu.
    plain = [f"<div class=text><p>Of {n} and only {n}, told at length.</p></div>{note}" for n in range(5)]
    second = archive(
        tmp_path / "2.warc.gz",
        *(response(f"http://b.example/{n}", html.encode()) for n, html in enumerate(plain)),
        revisit,
    )
    stats = clean(tmp_path / "out", first, second, settings=ALL)
    assert stats["records"] == {"cleaned": 12}
    said = texts(tmp_path / "out")
    assert ("home" in said["http://a.example/both"], "by the other house" in said["http://a.example/both"]) == (
        False,
        True,
    )
    assert ("home" in said["http://b.example/both"], "by the other house" in said["http://b.example/both"]) == (
        True,
        False,
    )


# Samples


def whole(path: str) -> Range:
    size = Path(path).stat().st_size
    return Range(0, 0, path, 0, size, size)


@pytest.fixture
def cleaner(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cleaner]:
    monkeypatch.setenv("PYTHONPATH", str(Path(archives.__file__).parent))
    made = Cleaner(Settings(), Bounds(seconds=1.0, memory=1 << 30), ["deadly_parser"])
    yield made
    made.close()


def test_a_large_site_is_sampled_and_most_of_its_pages_are_not_even_sketched(tmp_path: Path, cleaner: Cleaner) -> None:
    path = site(tmp_path / "a.warc.gz", range(300))
    found = [item for item in cleaner.sketches(whole(path), PAGES) if isinstance(item, Sketched)]
    assert PAGES <= len(found) < 250
    sample = merged((item.key, item.sketch) for item in found)
    wanted = sorted((key(f"http://a.example/{n}"), f"http://a.example/{n}") for n in range(300))[:PAGES]
    assert [(name, decode(made).url) for name, made in sample] == wanted


def test_a_damaged_archive_teaches_what_can_be_read(tmp_path: Path, cleaner: Cleaner) -> None:
    path = Path(site(tmp_path / "a.warc.gz", range(5)))
    damaged = bytearray(member(response("http://a.example/bad", page(9) * 4)))
    damaged[200:208] = b"\xff" * 8
    path.write_bytes(path.read_bytes() + bytes(damaged) + member(response("http://a.example/after", page(60))))
    found = [item for item in cleaner.sketches(whole(str(path)), PAGES) if isinstance(item, Sketched)]
    assert [decode(item.sketch).url.rpartition("/")[2] for item in found] == ["0", "1", "2", "3", "4", "after"]


@pytest.mark.parametrize("wish", ["please-segfault", "please-hang", "please-eat-memory"])
def test_a_page_that_kills_who_sketches_it_costs_only_itself(tmp_path: Path, cleaner: Cleaner, wish: str) -> None:
    path = archive(
        tmp_path / "a.warc.gz",
        *(
            response(f"http://a.example/{n}", page(n, after=f"<p>{wish}</p>" if n in {2, 3, 7} else ""))
            for n in range(9)
        ),
    )
    found = list(cleaner.sketches(whole(path), PAGES))
    assert {item for item in found if isinstance(item, SiteSeen)} == {SiteSeen("a.example", revisits=False)}
    sketched = {decode(item.sketch).url[-1] for item in found if isinstance(item, Sketched)}
    assert sketched == set("014568")


def test_a_run_with_pages_that_kill_learns_from_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(archives.__file__).parent))
    monkeypatch.setattr(Page, "parse", Page.parse)  # the run imports the parser here, too
    monkeypatch.delitem(sys.modules, "deadly_parser", raising=False)
    path = archive(
        tmp_path / "a.warc.gz",
        *(
            response(f"http://a.example/{n}", page(n, after="<p>please-segfault</p>" if n == 4 else ""))
            for n in range(8)
        ),
    )
    stats = clean(tmp_path / "out", path, settings=ALL, imports=("deadly_parser",))
    assert stats["records"] == {"cleaned": 7, "crashed": 1}
    assert all(MENU not in text for text in texts(tmp_path / "out").values())
    assert templates(tmp_path / "out")["a.example"].pages == 7


# winnow templates


def told(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    try:
        status = main(["templates", *map(str, arguments)])
    except SystemExit as ended:  # argparse's own way
        status = ended.code  # type: ignore[assignment]
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_templates_are_learned_shown_and_applied(
    tmp_path: Path, crawl: list[str], run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "sites.jsonl.gz"
    status, out, _ = told(capsys, "learn", *crawl, "-o", file)
    assert (status, out) == (ExitCode.OK, f"3 sites, 2 of them with a template, written to {file}\n")
    of_run = (run / "templates.jsonl.gz").read_bytes()
    assert gzip.decompress(file.read_bytes()) == gzip.decompress(of_run)  # as a run learns them

    status, out, _ = told(capsys, "show", file)
    assert status == ExitCode.OK
    assert "a.example: 10 pages, 9 different contents" in out
    assert "Of the other site alone." in out
    status, out, _ = told(capsys, "show", file, "b.example", "--json")
    assert Template.decode(out) == read_templates(str(file))["b.example"]

    html = tmp_path / "page.html"
    html.write_bytes(page(55))
    applied = ("apply", file, html, "--url", "http://a.example/55", "-e", "block", "-p", "site_threshold=0")
    status, out, _ = told(capsys, *applied)
    assert status == ExitCode.OK
    assert "Headline 55" in out
    assert "home" not in out
    status, out, _ = told(capsys, *applied, "--explain")
    assert [json.loads(line)["rule"] for line in out.splitlines()] == ["repeated", "repeated"]


def test_learning_from_a_damaged_archive_says_what_is_missing_and_ends_as_partial(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    members = [member(response(f"http://a.example/{n}", page(n))) for n in range(12)]
    path, file = tmp_path / "a.warc.gz", tmp_path / "sites.jsonl.gz"
    path.write_bytes(b"".join(_spoiled(data) if n >= 4 else data for n, data in enumerate(members)))
    status, out, err = told(capsys, "learn", path, "-o", file)
    assert (status, out) == (ExitCode.PARTIAL, f"1 sites, 1 of them with a template, written to {file}\n")
    lost = sum(map(len, members[4:]))
    assert err == f"winnow: {path}: {lost:,} bytes could not be read: corrupt member\n"
    assert set(read_templates(str(file))) == {"a.example"}


def test_learning_goes_on_without_a_file_that_a_server_does_not_give(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, file = site(tmp_path / "a.warc.gz", range(6)), tmp_path / "sites.jsonl.gz"
    with socket.socket() as closed:  # bound, but nobody listens
        closed.bind(("127.0.0.1", 0))
        uri = f"http://127.0.0.1:{closed.getsockname()[1]}/gone.warc.gz"
        status, _, err = told(capsys, "learn", path, uri, "-o", file)
    assert status == ExitCode.PARTIAL
    assert err.startswith(f"winnow: {uri}: cannot read {uri}")
    assert set(read_templates(str(file))) == {"a.example"}


def _spoiled(data: bytes) -> bytes:
    return data[:200] + b"\xff" * 8 + data[208:]


def test_learning_says_what_is_missing_once_also_if_a_page_kills(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(archives.__file__).parent))
    monkeypatch.setattr(template_commands, "Cleaner", partial(Cleaner, imports=["deadly_parser"]))
    spoiled = _spoiled(member(response("http://a.example/0", page(0))))
    pages = [page(n, after="<p>please-segfault</p>" * (n == 3)) for n in range(6)]
    path = tmp_path / "a.warc.gz"
    path.write_bytes(
        spoiled + b"".join(member(response(f"http://a.example/{n}", html)) for n, html in enumerate(pages))
    )
    status, _, err = told(capsys, "learn", path, "-o", tmp_path / "sites.jsonl.gz")
    assert status == ExitCode.PARTIAL
    assert err == f"winnow: {path}: {len(spoiled):,} bytes could not be read: corrupt member\n"


def test_a_file_of_templates_without_compression_is_read_as_well(
    tmp_path: Path, crawl: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    plain, packed = tmp_path / "sites.jsonl", tmp_path / "sites.jsonl.gz"
    told(capsys, "learn", *crawl, "-o", plain)
    told(capsys, "learn", *crawl, "-o", packed)
    assert plain.read_bytes() == gzip.decompress(packed.read_bytes())
    assert read_templates(str(plain)) == read_templates(str(packed))


def test_diff_says_what_changed_and_warns_of_a_redesign(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def learned(name: str, **parts: str) -> Path:
        path = site(tmp_path / f"{name}.warc.gz", range(6), **parts)
        told(capsys, "learn", path, "-o", tmp_path / f"{name}.jsonl.gz")
        return tmp_path / f"{name}.jsonl.gz"

    banner = "<div class=banner><p>A banner that is new this year.</p></div>"
    old, more = learned("old"), learned("more", before=banner)
    status, out, err = told(capsys, "diff", old, more)
    assert (status, err) == (ExitCode.OK, "")
    assert out == "a.example: changed, 2 kept, 0 gone, 1 new\n  + A banner that is new this year.\n"
    status, out, err = told(capsys, "diff", old, old)
    assert (out, err) == ("a.example: same, 2 kept, 0 gone, 0 new\n", "")

    new = [
        article(n).replace("menu", "top").replace("imprint", "bottom").replace("<body>", f"<body>{banner}")
        for n in range(6)
    ]
    path = archive(
        tmp_path / "new.warc.gz", *(response(f"http://a.example/{n}", p.encode()) for n, p in enumerate(new))
    )
    told(capsys, "learn", path, "-o", tmp_path / "new.jsonl.gz")
    status, out, err = told(capsys, "diff", old, tmp_path / "new.jsonl.gz")
    assert status == ExitCode.OK
    assert "a.example: redesigned, 0 kept, 2 gone, 3 new" in out
    assert err == "winnow: a.example was redesigned: learn its template again\n"
    status, out, err = told(capsys, "diff", old, tmp_path / "new.jsonl.gz", "--json")
    assert json.loads(out)["change"] == "redesigned"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("learn", "{no}.warc.gz", "-o", "{new}"), "{no}.warc.gz"),
        (("learn", "{warc}", "-o", "{no}/sites.jsonl.gz"), "cannot write {no}/sites.jsonl.gz"),
        (("learn", "{warc}"), "--output"),
        (("show", "{no}"), "there is no file {no}"),
        (("show", "{warc}"), "{warc}"),
        (("show", "{text}"), "{text}: this is no file of templates"),
        (("show", "{text}.gz"), "{text}.gz"),
        (("show", "{old}"), "has version 1; version 2 can be read; `winnow templates learn`"),
        (("show", "{broken}"), "{broken}: this line is no template of a site"),
        (("show", "{file}", "b.example"), "has no template of 'b.example'; it has 1 sites: a.example"),
        (("diff", "{file}", "{no}"), "there is no file {no}"),
        (("diff", "{text}", "{file}"), "this is no file of templates"),
        (("apply", "{file}", "{text}", "--url", "http://b.example/"), "has no template of 'b.example'"),
        (("apply", "{file}", "{no}", "--url", "http://a.example/"), "cannot read {no}"),
        (("apply", "{file}", "{text}", "--url", "http://a.example/", "-e", "cter"), "cter"),
        (("apply", "{file}", "{text}"), "--url"),
        (("forget", "{file}"), "forget"),
        ((), "VERB"),
    ],
)
def test_a_wrong_call_is_answered_with_what_is_wrong(
    tmp_path: Path, arguments: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {name: str(tmp_path / name) for name in ("no", "new", "text", "old", "broken", "file")}
    names["warc"] = site(tmp_path / "a.warc.gz", range(4))
    (tmp_path / "text").write_text("This is some text.\n", encoding="utf-8")
    (tmp_path / "text.gz").write_text("This is not compressed.\n", encoding="utf-8")
    old = {**json.loads(header()), "version": 1}
    (tmp_path / "old").write_text(json.dumps(old) + '\n{"site": "a.example"}\n', encoding="utf-8")
    (tmp_path / "broken").write_text(header() + '\n{"site": "a.example"}\n', encoding="utf-8")
    (tmp_path / "file").write_text(header() + "\n" + Template("a.example").encode() + "\n", encoding="utf-8")
    status, out, err = told(capsys, *(argument.format(**names) for argument in arguments))
    assert status == ExitCode.USAGE
    assert says.format(**names) in err
    assert out == ""
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("broken", ["no such file", "first line", "old version", "later line"])
def test_a_run_with_a_wrong_file_of_templates_does_not_begin(
    tmp_path: Path, broken: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "sites.jsonl"
    first = {"first line": "{}", "old version": header().replace("2", "1")}.get(broken, header())
    if broken != "no such file":
        file.write_text(f"{first}\n{Template('b.example').encode()}\n" + '{"site": "a.example"}\n', encoding="utf-8")
    path = site(tmp_path / "a.warc.gz", range(4))
    status = main(["clean", path, "-o", str(tmp_path / "out"), "--templates", str(file)])
    assert status == ExitCode.USAGE
    assert str(file) in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
