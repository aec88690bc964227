"""Content that several pages of a site have: kept on all of them or on one, booked, told, and removed by the paper."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from archives import archive, clean, contents, lines, response
from site_pages import MENU, article

from pipeline.clean import Settings
from pipeline.cli import main
from pipeline.exit_codes import ExitCode
from pipeline.ledger import MostlyRemoved, MostlyRemovedSites
from pipeline.report import table
from pipeline.template_files import read_templates
from transforms.sites import FIRST

ONE = ("--direct_num_workers=1", "--direct_running_mode=in_memory")
TWO = ("--direct_num_workers=2", "--direct_running_mode=multi_processing")
# Keeps all text that the site step has left, on any page.
ALL_TEXT = Settings("block", {"threshold": 0, "site_threshold": 0}, explain=True)
SETTINGS = {
    "all": ALL_TEXT,
    "first": replace(ALL_TEXT, shared=FIRST),
    "paper": replace(ALL_TEXT, site_rules="paper"),
}
SAID = (
    "The tide tables of this coast were first printed by a widow in the lower town, who sold them from her window for "
    "a penny each, until the year of the flood."
)
NOTE = f"<div class=note><h2>On the tides</h2>\n<p>{SAID}</p></div>"
NOTE_SIZE = len(f"On the tides {SAID}")
# In the first archive the later addresses: the order of addresses is not that in which the pages are read.
HALVES = (range(10, 20), range(10))
WITH_NOTE = (13, 17, 4)


def address(number: int) -> str:
    return f"http://a.example/{number:02}"


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Twenty pages of a site in two archives, three of them with the same note."""
    folder = tmp_path_factory.mktemp("crawl")
    return [
        archive(
            folder / f"{place}.warc.gz",
            *(response(address(n), article(n, after=NOTE if n in WITH_NOTE else "").encode()) for n in numbers),
        )
        for place, numbers in enumerate(HALVES)
    ]


@pytest.fixture(scope="module")
def runs(crawl: list[str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The output of a run in each of three ways, by one worker."""
    folder = tmp_path_factory.mktemp("runs")
    for name, settings in SETTINGS.items():
        clean(folder / name, *crawl, settings=settings, split=2_000, beam=ONE)
    return {name: folder / name for name in SETTINGS}


def stats_of(out: Path) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = json.loads((out / "stats.json").read_bytes())
    assert not found["imbalances"]
    assert found["bytes_total"] == found["read"]["records"] + found["read"]["gained"] == sum(found["bytes"].values())
    (by_site,) = [json.loads(line) for line in (out / "sites.jsonl").read_bytes().splitlines()]
    assert by_site["bytes"] == found["bytes"]
    return found


def pages_with_note(out: Path) -> set[str]:
    return {row["url"] for row in lines(out / "text") if SAID in row["text"]}


def explained(out: Path, key: str) -> dict[str, list[str]]:
    """For each page that has the note among its blocks under `key`, the rules that say so."""
    found = {
        row["url"]: [block["rule"] for block in row[key] if block["text"].startswith("On the tides")]
        for row in lines(out / "explained")
    }
    return {url: rules for url, rules in found.items() if rules}


def test_what_several_pages_share_stays_on_all_of_them_and_is_booked(runs: dict[str, Path]) -> None:
    out, stats = runs["all"], stats_of(runs["all"])
    assert pages_with_note(out) == {address(n) for n in WITH_NOTE}
    assert stats["bytes"]["shared"] == 3 * NOTE_SIZE
    # What was kept, in two bins: this page's own, and what other pages have, too.
    assert stats["bytes"]["text"] + stats["bytes"]["shared"] == stats["sizes"]["text"]["total"]
    assert explained(out, "shared") == {address(n): ["shared"] for n in WITH_NOTE}
    assert explained(out, "removed") == {}


def test_what_several_pages_share_stays_on_the_first_of_them_if_asked(runs: dict[str, Path]) -> None:
    out, stats = runs["first"], stats_of(runs["first"])
    first, *others = sorted(address(n) for n in WITH_NOTE)
    assert pages_with_note(out) == {first}
    assert stats["bytes"]["text"] == stats["sizes"]["text"]["total"]
    # Each with the space that kept it from the text before.
    assert stats["bytes"]["shared"] == 2 * (NOTE_SIZE + 1)
    assert explained(out, "shared") == {first: ["shared"]}
    assert explained(out, "removed") == {url: ["shared"] for url in others}
    # All but the note is as in the other run.
    kept_on_all = {
        row["url"]: row["text"].replace(f"On the tides\n{SAID}", "").rstrip() for row in lines(runs["all"] / "text")
    }
    assert {
        row["url"]: row["text"].replace(f"On the tides\n{SAID}", "").rstrip() for row in lines(out / "text")
    } == kept_on_all


def test_the_published_rules_remove_what_several_pages_share(runs: dict[str, Path]) -> None:
    out, stats = runs["paper"], stats_of(runs["paper"])
    assert pages_with_note(out) == set()
    assert stats["bytes"]["shared"] == 0
    assert explained(out, "shared") == {}
    assert explained(out, "removed") == {address(n): ["repeated"] for n in WITH_NOTE}
    assert stats["bytes"]["template"] >= stats_of(runs["all"])["bytes"]["template"] + 3 * NOTE_SIZE
    template = read_templates(str(out / "templates.jsonl.gz"))["a.example"]
    assert template.rules.as_published
    assert not template.shared


@pytest.mark.parametrize("name", SETTINGS)
def test_order_and_workers_change_no_byte(tmp_path: Path, crawl: list[str], runs: dict[str, Path], name: str) -> None:
    clean(tmp_path / "out", *reversed(crawl), settings=SETTINGS[name], split=2_000, beam=TWO)
    assert contents(tmp_path / "out") == contents(runs[name])


def test_a_file_of_templates_says_which_page_is_the_first(
    tmp_path: Path, crawl: list[str], runs: dict[str, Path]
) -> None:
    known = str(runs["all"] / "templates.jsonl.gz")
    clean(tmp_path / "out", crawl[0], templates=known, settings=SETTINGS["first"])
    assert pages_with_note(tmp_path / "out") == set()  # page 4 has it, and is in the other archive
    clean(tmp_path / "both", *crawl, templates=known, settings=SETTINGS["first"])
    assert pages_with_note(tmp_path / "both") == {address(4)}


# The published BlockExtractor


def test_block_takes_the_threshold_of_the_paper_with_its_rules_and_ours_with_ours(tmp_path: Path) -> None:
    # A character of text for each character of tags: more than 0.4, and less than 1.5.
    def html(number: int) -> bytes:
        said = f"Thin {number * 7919 + 12_345_678}: {'xyz' * number}"
        thin = f"<div><p class=a-class-with-a-long-name><span class=another-one>{said}</span></p></div>"
        return article(number, body=f"<p>{'Thick words of ' * 9}{number * 104_729}.</p>", after=thin).encode()

    path = archive(tmp_path / "a.warc.gz", *(response(address(n), html(n)) for n in range(4, 10)))
    block = Settings("block")
    clean(tmp_path / "ours", path, settings=block)
    clean(tmp_path / "paper", path, settings=replace(block, site_rules="paper"))
    clean(tmp_path / "again", path, settings=block, templates=str(tmp_path / "paper" / "templates.jsonl.gz"))
    told = {name: [row["text"] for row in lines(tmp_path / name / "text")] for name in ("ours", "paper", "again")}
    assert all("Thin" in text for text in told["ours"])
    assert told["paper"] == told["again"] != []
    assert not any("Thin" in text for text in told["paper"])


# What people are told


def told(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[str, str]:
    assert main([*map(str, arguments)]) == ExitCode.OK
    printed = capsys.readouterr()
    return printed.out, printed.err


def test_templates_show_and_diff_list_what_is_shared(
    crawl: list[str], runs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ours, paper = runs["all"] / "templates.jsonl.gz", tmp_path / "paper.jsonl"
    out, _ = told(capsys, "templates", "learn", *crawl, "-o", paper, "--site-rules", "paper")
    assert read_templates(str(paper)) == read_templates(str(runs["paper"] / "templates.jsonl.gz"))

    out, _ = told(capsys, "templates", "show", ours)
    assert "  shared       3 pages  On the tides The tide tables" in out
    assert "the paper" not in out
    out, _ = told(capsys, "templates", "show", paper)
    assert "20 different contents, by the rules of the paper\n" in out
    assert "  repeated     3 pages  On the tides The tide tables" in out
    assert "shared" not in out

    out, _ = told(capsys, "templates", "diff", paper, ours)
    assert "a.example: changed, 2 kept, 1 gone, 0 new\n  - On the tides" in out
    assert "  shared: 0 kept, 0 gone, 1 new\n    + On the tides" in out
    out, _ = told(capsys, "templates", "diff", ours, paper, "--json")
    assert json.loads(out)["shared"]["gone"] == 1
    out, _ = told(capsys, "templates", "diff", ours, ours)
    assert out == "a.example: same, 2 kept, 0 gone, 0 new\n  shared: 1 kept, 0 gone, 0 new\n"


def test_a_page_is_applied_to_with_or_without_what_others_share(
    runs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    html = tmp_path / "new.html"
    html.write_text(article(50, after=NOTE), encoding="utf-8")
    file = runs["all"] / "templates.jsonl.gz"
    call = ("templates", "apply", file, html, "--url", address(50), "-e", "block", "-p", "site_threshold=0")
    assert SAID in told(capsys, *call)[0]
    out, _ = told(capsys, *call, "--shared", "first")
    assert "Account 50" in out
    assert SAID not in out


def test_the_command_names_where_shared_text_went(
    tmp_path: Path, crawl: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("-e", "block")
    out, _ = told(capsys, "clean", *crawl, "-o", tmp_path / "all", *options)
    assert "   kept\n" in out
    out, _ = told(capsys, "clean", *crawl, "-o", tmp_path / "first", *options, "--shared", "first")
    assert "   kept on one page of each site, removed from others\n" in out
    stats = {name: json.loads((tmp_path / name / "stats.json").read_bytes()) for name in ("all", "first")}
    assert [stats[name]["shared"] for name in stats] == ["all", "first"]
    assert pages_with_note(tmp_path / "all") == {address(n) for n in WITH_NOTE}
    assert pages_with_note(tmp_path / "first") == {address(4)}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--no-site-templates", "--site-rules", "paper"), "--site-rules is for what sites repeat"),
        (("--no-site-templates", "--shared", "first"), "--shared first is for what sites repeat"),
        (("--templates", "{file}", "--site-rules", "ours"), "{file} was learned by its own"),
        (("--site-rules", "paper", "--shared", "first"), "no text is shared"),
        (("--site-rules", "theirs"), "choose from"),
        (("--shared", "none"), "choose from"),
    ],
)
def test_an_option_that_would_change_nothing_is_refused(  # noqa: PLR0917  fixtures
    tmp_path: Path, crawl: list[str], runs: dict[str, Path], capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...], says: str,
) -> None:  # fmt: skip
    file = str(runs["all"] / "templates.jsonl.gz")
    call = ["clean", *crawl, "-o", str(tmp_path / "out"), *(argument.format(file=file) for argument in arguments)]
    try:
        status = main(call)
    except SystemExit as ended:  # argparse's own way
        status = ended.code  # type: ignore[assignment]
    assert status == ExitCode.USAGE
    assert says.format(file=file) in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


# Sites that lose most of their text


def poor(host: str, footer_words: int) -> list[bytes]:
    """Six pages of a site that says little but its footer."""
    footer = f"<div class=foot><p>{' '.join(f'footer{n}' for n in range(footer_words))}.</p></div>"
    own = [f"{host} says {n * 7919} {'once and ' * n}never again than {n} times." for n in range(6)]
    pages = [f"<html><body>{MENU}<div class=own><p>{said}</p></div>{footer}</body></html>" for said in own]
    return [response(f"http://{host}/{n}", html.encode()) for n, html in enumerate(pages)]


def test_sites_that_lose_most_of_their_text_are_named(
    tmp_path: Path, crawl: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    hosts = [f"poor{n:02}.example" for n in range(23)]
    sites = [poor(host, 40 + n) for n, host in enumerate(hosts)]
    paths = [
        *crawl,
        archive(tmp_path / "1.warc.gz", *(record for pages in sites for record in pages[:3])),
        archive(tmp_path / "2.warc.gz", *(record for pages in sites for record in pages[3:])),
    ]
    outs = [tmp_path / "one", tmp_path / "two"]
    printed, _ = told(capsys, "clean", *paths, "-o", outs[0], *ONE)
    told(capsys, "clean", *reversed(paths), "-o", outs[1], *TWO)
    one, two = (json.loads((out / "stats.json").read_bytes()) for out in outs)
    assert one == two
    named = one["mostly_removed"]
    assert named["sites"] == 23
    assert [site["site"] for site in named["largest"]] == hosts[:2:-1]  # those with the longest footers
    booked = {row["site"]: row["bytes"] for row in map(json.loads, (outs[0] / "sites.jsonl").read_bytes().splitlines())}
    for site in named["largest"]:
        size = booked[site["site"]]
        assert site["removed"] == size["template"]
        assert site["visible"] == size["template"] + size["boilerplate"] + size["text"] + size["shared"]
        assert site["share"] == round(site["removed"] / site["visible"], 3) > 0.8
        assert site["pages"] == 6
    assert "sites that lost > 80% of their text" in printed
    first = named["largest"][0]
    assert f"  poor22.example{'':23}{'6':>11}{first['share']:>9.1%}\n" in printed
    assert "  ... and 3 more, see sites.jsonl\n" in printed
    assert "a.example " not in printed


def test_the_name_of_a_site_gives_a_terminal_no_orders(runs: dict[str, Path]) -> None:
    stats = dict(stats_of(runs["all"]))
    site = MostlyRemoved("a\x1b[31m\ud800\u202e.example", 9, 100, 90)
    printed = table({**stats, "mostly_removed": MostlyRemovedSites(1, (site,)).as_dict()})
    assert "  a?[31m??.example " in printed


def test_a_run_in_which_no_site_loses_much_says_nothing_of_it(runs: dict[str, Path]) -> None:
    assert stats_of(runs["all"])["mostly_removed"] == {"sites": 0, "largest": []}
