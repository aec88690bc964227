"""Whole crawls as a user runs them, against a server on loopback; a host is a case."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from crawls import (
    CONTACT,
    HTML,
    NOT_FOUND,
    ROOT,
    Ran,
    Web,
    assert_sound,
    crawl,
    page,
    pages,
    records,
    redirect,
    robots,
    segments,
    web,
)

from bench.web.served import TRAPS, addresses, answer, seeds, trap
from bench.web.server import HANG, LOOPBACK, Answer, Asked, serve
from pipeline.exit_codes import ExitCode


def sometimes(*answers: Answer) -> object:
    """One answer after the other; the last one from then on."""
    waiting = list(answers)
    return lambda _: waiting.pop(0) if len(waiting) > 1 else waiting[0]


BOMB = gzip.compress(b'<a href="/x">' + bytes(40 << 20))
MANY = {
    # Links: within the site, to other sites, in circles, to redirections and errors.
    "links.example/": page("Front", "/a", "/b", "http://other.example/", "/moved", "/gone", "ftp://links.example/x"),
    "links.example/a": page("A", "/", "/b", "/c"),
    "links.example/b": page("B", "http://www.links.example/", "/a#part"),
    "links.example/c": page("C"),
    "links.example/moved": redirect("/target"),
    "links.example/target": page("Target"),
    "www.links.example/": page("With www", "/d"),
    "www.links.example/d": page("D"),
    # robots.txt in all its states.
    "robots200.example/robots.txt": robots("User-agent: *", "Disallow: /no", "Allow: /no/but"),
    "robots200.example/": page("Rules", "/no/1", "/no/but", "/yes"),
    "robots200.example/yes": page("Yes"),
    "robots200.example/no/1": page("No"),
    "robots200.example/no/but": page("But"),
    "robots403.example/robots.txt": Answer(b"User-agent: *\nDisallow: /", "403 Forbidden", HTML),
    "robots403.example/": page("Allowed, for there are no rules"),
    "robots503.example/robots.txt": Answer(b"", "503 Service Unavailable", HTML),
    "robots503.example/": page("Not allowed"),
    "robotsgone.example/robots.txt": Answer(wait=HANG),
    "robotsgone.example/": page("Not allowed either"),
    "robotslate.example/robots.txt": sometimes(Answer(b"", "500 Oh", HTML), robots("User-agent: *", "Disallow: /no")),
    "robotslate.example/": page("Allowed later", "/no"),
    "robotsmoved.example/robots.txt": redirect("http://links.example/its-robots"),
    "links.example/its-robots": robots("User-agent: *", "Disallow: /no"),
    "robotsmoved.example/": page("Rules elsewhere", "/no"),
    # What pages ask for.
    "asks.example/": page("Front", "/noindex", "/nofollow", "/header", "/others"),
    "asks.example/noindex": page("Not to be kept", "/from-noindex", head='<meta name="robots" content="noindex">'),
    "asks.example/from-noindex": page("Kept"),
    "asks.example/nofollow": page("Kept", "/from-nofollow", head='<meta name="winnow" content="nofollow">'),
    "asks.example/from-nofollow": page("Nobody leads here"),
    "asks.example/header": Answer(b"%PDF", headers=(("Content-Type", "application/pdf"), ("X-Robots-Tag", "noindex"))),
    "asks.example/others": Answer(b"<p>kept", headers=(*HTML, ("X-Robots-Tag", "otherbot: noindex"))),
    # Hosts that ask for less.
    "busy.example/": sometimes(Answer(b"", "429 Too Many", (*HTML, ("Retry-After", "1"))), page("Now", "/next")),
    "busy.example/next": page("Next"),
    "refusing.example/": page("Front", *(f"/{number}" for number in range(8))),
    **{f"refusing.example/{number}": Answer(b"", "503 No", HTML) for number in range(8)},
    "patient.example/": page("Front", "/tomorrow", "/other"),
    "patient.example/tomorrow": Answer(b"", "503 No", (*HTML, ("Retry-After", "86400"))),
    "patient.example/other": Answer(b"", "503 No", (*HTML, ("Retry-After", "86400"))),
    "slow.example/robots.txt": robots("User-agent: *", "Crawl-delay: 0.4"),
    "slow.example/": page("Front", "/1", "/2", "/3"),
    **{f"slow.example/{number}": page(str(number)) for number in (1, 2, 3)},
    # Hosts that fail.
    "flaky.example/": sometimes(Answer(b"", "500 Oh", HTML), Answer(b"", "502 Oh", HTML), page("At last")),
    "wrong.example/": Answer(b"", "500 Always", HTML),
    "nonsense.example/": Answer(raw=b"220 smtp.example ready\r\n"),
    "cut.example/": Answer(b"half", headers=(*HTML, ("Content-Length", "100")), close=True),
    "large.example/": Answer(b"<p>large" + b"x" * 300_000, headers=HTML),
    "bomb.example/": Answer(BOMB, headers=(*HTML, ("Content-Encoding", "gzip"))),
    # Where redirections lead.
    "lead.example/": page("Front", "/file", "/data", "/away", "/round", "/port"),
    "lead.example/file": redirect("file:///etc/hostname"),
    "lead.example/data": redirect("data:text/html,hello"),
    "lead.example/away": redirect("http://other.example/"),
    "lead.example/round": redirect("/round"),
    "lead.example/port": redirect("http://lead.example:22/"),
    "other.example/": page("Other"),
    "seed.example/": redirect("http://deep.seed.example/"),
    "deep.seed.example/": page("Where the seed leads", "/x"),
    "deep.seed.example/x": page("X"),
}  # fmt: skip

HOSTS = sorted({name.partition("/")[0] for name in MANY} - {"other.example", "www.links.example", "deep.seed.example"})


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ran, Web]:
    """One crawl of all the hosts above."""
    folder = tmp_path_factory.mktemp("many")
    fast = ("-s", "PAUSE_SECONDS=0.05", "-s", "ROBOTS_RETRY_SECONDS=0.1,0.2", "--timeout", "1.5", "--max-body", "100K")
    with web(dict(MANY)) as made:  # type: ignore[arg-type]
        ran = crawl(made.port, folder, *fast, *(f"http://{host}/" for host in HOSTS))
    return ran, made


def stored(ran: Ran, host: str) -> set[str]:
    return {url.removeprefix(f"http://{host}") for url in pages(ran.folder) if url.startswith(f"http://{host}/")}


def test_every_segment_is_sound_and_every_page_there_once(many: tuple[Ran, Web]) -> None:
    ran, _ = many
    assert_sound(ran.folder)
    assert set(pages(ran.folder).values()) == {1}
    assert (
        sum(ran.stats["fetches"].values())
        == sum(pages(ran.folder).values())
        + len(ran.notes)
        + len(
            [
                record
                for record in records(ran.folder)
                if record.type == "response" and record.url.endswith("robots.txt")
            ]
        )
        + ran.stats["fetches"]["noindex"]
    )


def test_links_are_followed_within_the_site_and_not_beyond(many: tuple[Ran, Web]) -> None:
    ran, made = many
    assert stored(ran, "links.example") >= {"/", "/a", "/b", "/c", "/moved", "/gone", "/target"}
    assert stored(ran, "www.links.example") == {"/", "/d"}
    assert made.targets("other.example") == Counter()
    assert all(count == 1 for count in made.targets("links.example").values())
    assert ran.stats["links_not_followed"]["out_of_scope"] >= 2


def test_robots_txt_is_obeyed_whatever_it_answers(many: tuple[Ran, Web]) -> None:
    ran, made = many
    assert stored(ran, "robots200.example") >= {"/", "/yes", "/no/but"}
    assert ran.notes["http://robots200.example/no/1"] == "robots_denied"
    assert made.targets("robots200.example")["/no/1"] == 0
    assert made.targets("robots403.example")["/"] == 1
    for host in ("robots503.example", "robotsgone.example"):
        assert made.targets(host) == {"/robots.txt": 3}
        assert ran.notes[f"http://{host}/"] == "robots_unreachable"
    assert made.targets("robotslate.example") == {"/robots.txt": 2, "/": 1}
    assert ran.notes["http://robotsmoved.example/no"] == "robots_denied"
    assert made.targets("robotsmoved.example")["/"] == 1


def test_pages_are_kept_and_followed_as_they_ask(many: tuple[Ran, Web]) -> None:
    ran, made = many
    assert stored(ran, "asks.example") - {"/robots.txt"} == {"/", "/nofollow", "/from-noindex", "/others"}
    assert made.targets("asks.example")["/from-nofollow"] == 0
    kept = [record for record in records(ran.folder) if record.url == "http://asks.example/noindex"]
    assert [record.type for record in kept] == ["metadata"]
    assert b"outcome: noindex" in kept[0].block
    assert ran.stats["fetches"]["noindex"] == 2


def test_a_host_that_asks_for_time_gets_it(many: tuple[Ran, Web]) -> None:
    ran, made = many
    assert made.targets("busy.example") == {"/robots.txt": 1, "/": 2, "/next": 1}
    assert stored(ran, "busy.example") >= {"/", "/next"}
    assert max(made.gaps("busy.example")) >= 1


def test_crawl_delay_is_kept_to(many: tuple[Ran, Web]) -> None:
    _, made = many
    assert made.targets("slow.example") == {"/robots.txt": 1, "/": 1, "/1": 1, "/2": 1, "/3": 1}
    # Counted by the server: what was on the way a little longer may come a little sooner after the one before.
    assert min(made.gaps("slow.example")[1:]) > 0.3


def test_a_host_that_keeps_refusing_is_left_alone(many: tuple[Ran, Web]) -> None:
    ran, made = many
    refused = {url: outcome for url, outcome in ran.notes.items() if "refusing.example" in url}
    assert set(refused.values()) == {"host_refusing"}
    # Six refusals in a row, and what was under way when the sixth came.
    assert sum(made.targets("refusing.example").values()) <= 2 + 6 + 8
    assert ran.notes["http://patient.example/tomorrow"] == "host_refusing"
    assert ran.status == ExitCode.PARTIAL
    assert "did not want to be asked" in ran.err


def test_failures_have_names_and_are_tried_again(many: tuple[Ran, Web]) -> None:
    ran, made = many
    assert made.targets("flaky.example")["/"] == 3
    assert stored(ran, "flaky.example") >= {"/"}
    assert made.targets("wrong.example")["/"] == 3
    [wrong] = [
        record for record in records(ran.folder) if record.url == "http://wrong.example/" and record.type == "response"
    ]
    assert wrong.block.startswith(b"HTTP/1.1 500 Always\r\n")
    assert ran.notes["http://nonsense.example/"] == "broken" or ran.notes["http://nonsense.example/"] == "timed_out"


def test_cut_bodies_say_so(many: tuple[Ran, Web]) -> None:
    ran, _ = many
    cut = {
        record.url: (record.headers["WARC-Truncated"], len(record.block.partition(b"\r\n\r\n")[2]))
        for record in records(ran.folder)
        if "WARC-Truncated" in record.headers
    }
    assert cut == {"http://cut.example/": ("disconnect", 4), "http://large.example/": ("length", 100 << 10)}


def test_a_bomb_is_stored_as_it_came(many: tuple[Ran, Web]) -> None:
    ran, made = many
    [bomb] = [
        record for record in records(ran.folder) if record.url == "http://bomb.example/" and record.type == "response"
    ]
    assert gzip.decompress(bomb.block.partition(b"\r\n\r\n")[2]).startswith(b'<a href="/x">')
    assert made.targets("bomb.example")["/x"] == 1


def test_redirections_lead_nowhere_they_should_not(many: tuple[Ran, Web]) -> None:
    ran, made = many
    leads = {"/", "/file", "/data", "/away", "/round", "/port"}
    assert stored(ran, "lead.example") - {"/robots.txt"} == leads
    assert not made.targets("lead.example:22")
    assert stored(ran, "deep.seed.example") >= {"/", "/x"}


def test_requests_say_who_is_there_and_carry_no_cookies(many: tuple[Ran, Web]) -> None:
    _, made = many
    assert all(asked.headers["user-agent"].endswith(f"(+{CONTACT})") for asked in made.asked)
    assert all(asked.headers["user-agent"].startswith("winnow/") for asked in made.asked)
    assert not any({"cookie", "referer", "authorization"} & set(asked.headers) for asked in made.asked)


def test_the_request_is_stored_as_it_was_sent(many: tuple[Ran, Web]) -> None:
    ran, made = many
    [asked] = [asked for asked in made.asked if asked.host == "links.example" and asked.target == "/a"]
    [request] = [
        record for record in records(ran.folder) if record.type == "request" and record.url == "http://links.example/a"
    ]
    lines = request.block.decode().split("\r\n")
    assert lines[0] == "GET /a HTTP/1.1"
    assert {line.partition(": ")[0].lower(): line.partition(": ")[2] for line in lines[1:-2]} == asked.headers


def test_what_was_decoded_and_the_robots_policy_are_in_every_segment(many: tuple[Ran, Web]) -> None:
    ran, _ = many
    infos = [record.block.decode() for record in records(ran.folder) if record.type == "warcinfo"]
    assert len(infos) == len(segments(ran.folder))
    assert all("decoded: nothing" in info and "robots: RFC 9309" in info and CONTACT in info for info in infos)


def test_outlinks_are_in_the_metadata(many: tuple[Ran, Web]) -> None:
    ran, _ = many
    [about] = [
        record for record in records(ran.folder) if record.type == "metadata" and record.url == "http://links.example/a"
    ]
    assert b"outlink: http://links.example/c L a/@href\r\n" in about.block
    assert b"via: http://links.example/\r\n" in about.block
    assert b"depth: 1\r\n" in about.block


def test_a_redirection_to_an_address_that_is_not_allowed_is_not_followed(tmp_path: Path) -> None:
    asked: list[Asked] = []

    def secret(request: Asked) -> Answer:
        asked.append(request)
        return page("Secret")

    def answers(request: Asked) -> Answer:
        return NOT_FOUND if request.path == "/robots.txt" else redirect(f"http://127.0.0.2:{port}/secret")

    # A second server, on an address of loopback that is not among the allowed ones.
    with serve(secret, "127.0.0.2") as port, serve(answers) as front:
        command = [
            sys.executable, "-m", "pipeline.cli", "crawl", f"http://{LOOPBACK}:{front}/", "-o", str(tmp_path),
            "--contact", CONTACT, "--delay", "0", "--spider", "urls", "--allow-network", f"{LOOPBACK}/32",
            "--allow-port", str(port), "--allow-port", str(front),
        ]  # fmt: skip
        subprocess.run(command, cwd=ROOT, capture_output=True, check=False, timeout=600)
    assert asked == []
    assert Ran(0, "", "", tmp_path).notes == {f"http://127.0.0.2:{port}/secret": "refused_address"}


def test_limits_on_pages_and_depth_hold_for_every_site(tmp_path: Path) -> None:
    tree = {
        f"{host}/{path}": page(path, *(f"/{path}{digit}" for digit in "123"))
        for host in ("a.example", "b.example")
        for path in (
            "",
            *"123",
            *(a + b for a in "123" for b in "123"),
            *(a + b + c for a in "12" for b in "12" for c in "12"),
        )
    }
    with web(tree) as made:  # type: ignore[arg-type]
        ran = crawl(made.port, tmp_path / "deep", "http://a.example/", "--max-depth", "2")
        assert {len(url.rpartition("/")[2]) for url in pages(ran.folder)} == {0, 1, 2}
        assert len(pages(ran.folder)) == 13
        ran = crawl(made.port, tmp_path / "few", "http://a.example/", "http://b.example/", "--max-pages", "5")
    assert Counter(url.split("/")[2] for url in pages(ran.folder)) == {"a.example": 5, "b.example": 5}
    assert ran.stats["fetches"]["limit"] > 0


def test_patterns_and_the_domain_as_scope(tmp_path: Path) -> None:
    answers = {
        "a.site.example/": page(
            "A", "/keep/1", "/keep/no", "/other", "http://b.site.example/keep/2", "http://else.example/keep"
        ),
        "a.site.example/keep/1": page("1"),
        "a.site.example/keep/no": page("no"),
        "a.site.example/other": page("other"),
        "b.site.example/keep/2": page("2"),
        "else.example/keep": page("else"),
    }
    with web(answers) as made:  # type: ignore[arg-type]
        options = ("--scope", "domain", "--include", "/keep/", "--exclude", "no$")
        ran = crawl(made.port, tmp_path, "http://a.site.example/", *options)
    assert set(pages(ran.folder)) == {
        "http://a.site.example/",
        "http://a.site.example/keep/1",
        "http://b.site.example/keep/2",
    }
    assert ran.stats["links_not_followed"] == {"excluded": 2, "out_of_scope": 1}


def test_a_site_of_traps_comes_to_an_end(tmp_path: Path) -> None:
    with serve(lambda asked: trap(asked) if asked.path != "/robots.txt" else NOT_FOUND) as port:
        ran = crawl(port, tmp_path, f"http://{TRAPS}/", "--max-per-shape", "15")
    assert ran.status == ExitCode.OK
    assert ran.stats["links_not_followed"]["trap"] > 10
    assert 30 < sum(pages(ran.folder).values()) < 120
    assert_sound(ran.folder)


def test_the_sitemap_spider_takes_what_robots_names_and_what_is_new(tmp_path: Path) -> None:
    with serve(answer) as port:
        ran = crawl(port, tmp_path / "all", "--spider", "sitemap", *seeds())
        articles = {url for url in pages(ran.folder) if "sitemap" not in url}
        assert articles == addresses()
        ran = crawl(port, tmp_path / "new", "--spider", "sitemap", "--since", "2023-01-01", seeds()[0])
    news = {url for url in addresses() if "calderbay" in url}
    assert len({url for url in pages(ran.folder) if "sitemap" not in url}) == len(news) // 2
    assert_sound(ran.folder)


def test_the_feed_spider_takes_the_pages_of_feeds_of_both_kinds(tmp_path: Path) -> None:
    front = page(
        "Front",
        "/x",
        head='<link rel="alternate" type="application/rss+xml" href="http://sauerteig-tagebuch.example/feed.xml">',
    )

    def answers(asked: Asked) -> Answer:
        return front if asked.host == "front.example" else answer(asked)

    with serve(answers) as port:
        ran = crawl(port, tmp_path, "--spider", "feed", "http://docs.trilla.example/atom.xml", "http://front.example/")
    found = Counter(url.split("/")[2] for url in pages(ran.folder) if not url.endswith(".xml"))
    assert found == {"docs.trilla.example": 4, "sauerteig-tagebuch.example": 4, "front.example": 1}


def test_the_urls_spider_takes_a_list_from_standard_input_or_a_file(tmp_path: Path) -> None:
    listed = tmp_path / "list.txt"
    listed.write_text("# a comment\nhttp://b.example/2\n")
    answers = {
        "a.example/1": page("1", "/not-followed"),
        "b.example/2": redirect("http://c.example/3"),
        "c.example/3": page("3"),
    }
    with web(answers) as made:  # type: ignore[arg-type]
        ran = crawl(
            made.port,
            tmp_path / "out",
            "--spider",
            "urls",
            "-",
            "--url-file",
            str(listed),
            stdin="http://a.example/1\n\n",
        )
    assert set(pages(ran.folder)) == {"http://a.example/1", "http://b.example/2", "http://c.example/3"}


def test_plain_scrapy_crawl_works_as_well(tmp_path: Path) -> None:
    with serve(answer) as port:
        options = [f"CRAWL_DIR={tmp_path}", f"CONTACT={CONTACT}", "ALLOW_PRIVATE=1", f"CONNECT_TO=*={LOOPBACK}:{port}"]
        settings = [
            part for option in (*options, "DOWNLOAD_DELAY=0", "AUTOTHROTTLE_START_DELAY=0") for part in ("-s", option)
        ]
        command = [
            sys.executable,
            "-m",
            "scrapy",
            "crawl",
            "site",
            "-a",
            f"urls={seeds()[0]}",
            "-a",
            "max_depth=1",
            *settings,
        ]
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)
    assert ran.returncode == 0, ran.stderr
    assert {url for url in addresses() if url.startswith(seeds()[0])} <= set(pages(tmp_path))
    assert_sound(tmp_path)
