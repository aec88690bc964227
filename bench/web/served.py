"""The small web, served: its five sites with all that a crawler meets there, and a sixth that is nothing but traps.

The pages are those of pages.py, under http: a server on loopback has no certificates for them.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Callable
from functools import cache
from html import escape

from bench.web.archive import coded, png
from bench.web.pages import NEWEST, SITES, Page, Site, prose, sites
from bench.web.server import Answer, Asked

TRAPS = "endless.example"
HTML = (("Content-Type", "text/html; charset=utf-8"),)
XML = (("Content-Type", "application/xml"),)
TEXT = (("Content-Type", "text/plain; charset=utf-8"),)
NOT_FOUND = Answer(b"<!DOCTYPE html><title>404</title><h1>404 Not Found</h1>", "404 Not Found", HTML)
BOMB_BYTES = 32 << 20
SITEMAP = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<{0} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{1}\n</{0}>\n'
)


def seeds() -> list[str]:
    """Where each of the five sites begins."""
    return [f"http://{site.host}/" for site in SITES]


def addresses() -> set[str]:
    """The addresses of all their articles, as they are served."""
    return {_plain(page.url) for found in sites().values() for page in found}


def answer(asked: Asked) -> Answer:
    """What the small web answers."""
    if asked.host == TRAPS:
        return trap(asked)
    found = _answers().get(asked.host, {}).get(asked.target)
    if found is None:
        return NOT_FOUND
    etag = next((value for name, value in found.headers if name == "ETag"), None)
    if etag and asked.headers.get("if-none-match") == etag:
        return Answer(b"", "304 Not Modified", (("ETag", etag),))
    return found


@cache
def _answers() -> dict[str, dict[str, Answer]]:
    return {site.host: _site(site, found) for site, found in sites().items()}


def _plain(url: str) -> str:
    return url.replace("https://", "http://", 1)


def _site(site: Site, found: tuple[Page, ...]) -> dict[str, Answer]:
    root = f"http://{site.host}"
    served = {_plain(page.url).removeprefix(root): _article(site, page, place) for place, page in enumerate(found)}
    listed = [(_plain(page.url), page.text.partition("\n")[0]) for page in found]
    sections = prose(site.name)["sections"]
    front = [*listed, *((site.section_path.format(section=name), label) for name, label in sections.items())]
    served["/"] = _index(
        site, site.host, [*front, ("/latest", "Latest"), ("/about", "About"), ("/img/logo.png", "Logo")]
    )
    for name, label in sections.items():
        path = site.section_path.format(section=name)
        served[path] = _index(site, str(label), [entry for entry in listed if f"/{name}/" in entry[0]] or listed[:3])
    served |= {f"/{name}": _index(site, name, [("/", site.host)]) for name in ("about", "contact", "privacy", "terms")}
    served["/latest"] = _redirect(listed[0][0])
    served["/img/logo.png"] = Answer(png(zlib.crc32(site.host.encode())), headers=(("Content-Type", "image/png"),))
    return served | _robots(site) | _sitemaps(root, [url for url, _ in listed]) | _feeds(root, listed)


def _article(site: Site, page: Page, place: int) -> Answer:
    html = page.html.replace(f"https://{site.host}".encode(), f"http://{site.host}".encode())
    headers, body = coded(html, page.content_type, place, br=False)  # nobody asks for it
    tag = ("ETag", f'"{hashlib.sha1(html, usedforsecurity=False).hexdigest()[:16]}"')
    return Answer(body, headers=(*headers, tag, ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")))


def _index(site: Site, title: str, links: list[tuple[str, str]]) -> Answer:
    items = "\n".join(f'<li><a href="{escape(href)}">{escape(label)}</a></li>' for href, label in links)
    html = (
        f'<!DOCTYPE html><html lang="{site.language}">\n'
        f'<head><meta charset="utf-8"><meta name="robots" content="noindex">'
        f"<title>{escape(title)}</title></head><body><h1>{escape(title)}</h1><ul>\n{items}\n</ul></body></html>\n"
    )
    return Answer(html.encode(), headers=HTML)


def _redirect(url: str) -> Answer:
    return Answer(b"", "301 Moved Permanently", (*HTML, ("Location", url)))


def _robots(site: Site) -> dict[str, Answer]:
    """Of every site another one: plain, with a delay, behind a redirection, or none."""
    if site.name == "shop":
        return {}
    members = "Disallow: /memberlist.php\nDisallow: /posting.php\n" if site.name == "forum" else ""
    delay = "Crawl-delay: 0.05\n" if site.name == "blog" else ""
    rules = (
        f"User-agent: *\n{delay}Disallow: /search\nDisallow: /staff\n{members}Sitemap: http://{site.host}/sitemap.xml\n"
    )
    plain = Answer(rules.encode(), headers=TEXT)
    if site.name == "docs":
        return {"/robots.txt": _redirect("/meta/robots.txt"), "/meta/robots.txt": plain}
    return {"/robots.txt": plain}


def _sitemaps(root: str, urls: list[str]) -> dict[str, Answer]:
    """An index of two: one as it is, one gzipped, with pages that were changed long ago."""
    half = len(urls) // 2
    index = "\n".join(f"<sitemap><loc>{root}/{name}</loc></sitemap>" for name in ("sitemap-1.xml", "sitemap-2.xml.gz"))
    new, old = _urlset(urls[:half], NEWEST.isoformat()), _urlset(urls[half:], "2019-05-01")
    return {
        "/sitemap.xml": Answer(SITEMAP.format("sitemapindex", index).encode(), headers=XML),
        "/sitemap-1.xml": Answer(new, headers=XML),
        "/sitemap-2.xml.gz": Answer(gzip.compress(old, mtime=0), headers=(("Content-Type", "application/gzip"),)),
    }


def _urlset(urls: list[str], changed: str) -> bytes:
    lines = "\n".join(f"<url><loc>{escape(url)}</loc><lastmod>{changed}</lastmod></url>" for url in urls)
    return SITEMAP.format("urlset", lines).encode()


def _feeds(root: str, listed: list[tuple[str, str]]) -> dict[str, Answer]:
    newest = listed[:4]
    items = "".join(f"<item><title>{escape(title)}</title><link>{escape(url)}</link></item>" for url, title in newest)
    rss = f'<?xml version="1.0"?>\n<rss version="2.0"><channel><link>{root}/</link>{items}</channel></rss>'
    entries = "".join(f'<entry><link rel="alternate" href="{escape(url)}"/></entry>' for url, _ in newest)
    atom = f'<feed xmlns="http://www.w3.org/2005/Atom"><link rel="self" href="{root}/atom.xml"/>{entries}</feed>'
    return {"/feed.xml": Answer(rss.encode(), headers=XML), "/atom.xml": Answer(atom.encode(), headers=XML)}


def trap(asked: Asked) -> Answer:
    """A site without end: a calendar, session ids, paths that repeat, filters, bombs, and answers that never come."""
    name = asked.path.split("/")[1]
    made = _TRAPS.get(name)
    return made(asked) if made else NOT_FOUND


def _links(*urls: str) -> Answer:
    links = "".join(f'<a href="{escape(url)}">more</a> ' for url in urls)
    return Answer(f"<!DOCTYPE html><title>More</title><body>{links}</body>".encode(), headers=HTML)


def _calendar(asked: Asked) -> Answer:
    month = int(asked.path.rpartition("/")[2] or 0)
    return _links(f"/calendar/{month + 1}", f"/calendar/{month + 2}")


def _session(asked: Asked) -> Answer:
    token = hashlib.sha1(asked.target.encode(), usedforsecurity=False).hexdigest()
    return _links(f"/session/{token}", f"/session/shop;jsessionid={token}", f"/session/shop?PHPSESSID={token}")


def _filters(asked: Asked) -> Answer:
    chosen = asked.target.partition("?")[2]
    return _links(*(f"/filters?{chosen + '&' if chosen else ''}{name}=1" for name in ("red", "blue", "large")))


def _bomb(_: Asked) -> Answer:
    return Answer(gzip.compress(bytes(BOMB_BYTES), mtime=0), headers=(*HTML, ("Content-Encoding", "gzip")))


_TRAPS: dict[str, Callable[[Asked], Answer]] = {
    "": lambda _: _links("/calendar/1", "/session/1", "/deeper/", "/filters", "/bomb", "/circle", "/file", "/cut"),
    "calendar": _calendar,
    "session": _session,
    "deeper": lambda asked: _links(f"{asked.path}deeper/"),
    "filters": _filters,
    "bomb": _bomb,
    "circle": lambda asked: _redirect(f"/circle?{len(asked.target)}"),
    "file": lambda _: _redirect("file:///etc/hostname"),
    "cut": lambda _: Answer(b"<p>cut", headers=(*HTML, ("Content-Length", "1000")), close=True),
}
