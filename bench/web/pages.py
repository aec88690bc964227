"""The sites and their pages: templates as of real sites, filled with prose from prose.json.

Everything is drawn from random.Random, seeded with text: the same on every machine, in every process.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from html import escape
from pathlib import Path
from random import Random
from string import Template
from typing import Any

from bench.web.bodies import BODIES, Writer

FOLDER = Path(__file__).parent
SEED = "winnow"
# Pages were published within the year before the crawl.
NEWEST = date(2024, 2, 28)
TEASERS, LINKS = 3, 5
DESCRIPTION = 140  # characters

GERMAN = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember"
SPANISH = "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
MONTHS = {"de": GERMAN.split(), "es": SPANISH.split()}


@dataclass(frozen=True)
class Site:
    """What the pages of a site have in common."""

    name: str  # of its template, its prose and its archive
    host: str
    language: str
    path: str  # of a page, with its number, its slug, its section and its date
    section_path: str
    charset: str = "utf-8"
    content_type: str = "text/html; charset=utf-8"


SITES = (
    Site("news", "www.calderbay-courier.example", "en", "/{date:%Y/%m/%d}/{slug}", "/{section}"),
    # The server says nothing of the charset: only the page does.
    Site("blog", "sauerteig-tagebuch.example", "de", "/{slug}.html", "/{section}/", "cp1252", "text/html"),
    Site("shop", "boutique.atelier-fournier.example", "fr", "/produit/{number}-{slug}", "/{section}"),
    Site("forum", "forum.velomaster.example", "ru", "/viewtopic.php?t={slug}", "/viewforum.php?f={section}"),
    Site("docs", "docs.trilla.example", "es", "/es/{section}/{slug}.html", "/es/{section}/"),
)


@dataclass(frozen=True)
class Page:
    """A page as its server would send it, and the text that it was made for."""

    url: str
    html: bytes
    content_type: str
    text: str  # the gold: title and main content, a line a block


@dataclass(frozen=True)
class _Entry:
    """A page as the lists of its site mention it."""

    url: str
    slug: str
    title: str
    section: str
    published: date


def sites() -> dict[Site, tuple[Page, ...]]:
    """Every site of the web with its pages, 8 to 12 each."""
    return {site: _pages(site) for site in SITES}


def pages() -> tuple[Page, ...]:
    """All pages of the web."""
    return tuple(page for site in SITES for page in _pages(site))


@cache
def prose(name: str) -> dict[str, Any]:
    """The words of a site: its titles, sentences, people."""
    words: dict[str, Any] = json.loads((FOLDER / "prose.json").read_text(encoding="utf-8"))[name]
    return words


@cache
def _pages(site: Site) -> tuple[Page, ...]:
    draw = Random(f"{SEED} {site.name}")  # noqa: S311  nothing here is secret
    entries = [_entry(site, number, slug, draw) for number, slug in enumerate(prose(site.name)["titles"], start=1)]
    template = Template((FOLDER / "templates" / f"{site.name}.html").read_text(encoding="utf-8"))
    return tuple(_page(site, template, entry, entries, draw) for entry in entries)


def _entry(site: Site, number: int, slug: str, draw: Random) -> _Entry:
    words = prose(site.name)
    section = draw.choice(list(words["sections"]))
    published = NEWEST - timedelta(days=draw.randrange(365))
    path = site.path.format(date=published, slug=slug, number=1000 + 37 * number, section=section)
    return _Entry(f"https://{site.host}{path}", slug, words["titles"][slug], section, published)


def _page(site: Site, template: Template, entry: _Entry, entries: list[_Entry], draw: Random) -> Page:
    words = prose(site.name)
    writer = Writer(words, draw)
    author = draw.choice(words["people"])
    blocks = BODIES[site.name](writer)
    text = [entry.title, *(block.text for block in blocks if block.text)]
    others = draw.sample([other for other in entries if other is not entry], TEASERS + LINKS - 1)
    published = f"{entry.published.isoformat()}T{draw.randint(6, 21):02}:{draw.randrange(60):02}:00+00:00"
    fields = {
        "title": entry.title,
        "url": entry.url,
        "slug": entry.slug,
        "author": author,
        "published": published,
        "date": _written(entry.published, site.language),
        "description": _cut(text[1]),
        "section": entry.section,
        "section_label": words["sections"][entry.section],
        "price": f"{draw.randint(9, 189)}.{draw.choice(['00', '50', '90'])}",
    }
    html = template.substitute(
        {name: escape(value) for name, value in fields.items()},
        json_ld=_json_ld(site, fields),
        nav="\n".join(_link(_section_path(site, name), label) for name, label in words["sections"].items()),
        body="\n".join(block.html for block in blocks),
        teasers="\n".join(_teaser(site, other, writer) for other in others[:TEASERS]),
        links="\n".join(_link(other.url, other.title) for other in [*others[TEASERS:], entry]),
    )
    return Page(entry.url, html.encode(site.charset), site.content_type, "\n".join(text))


def _section_path(site: Site, section: str) -> str:
    return site.section_path.format(section=section)


def _link(href: str, label: str) -> str:
    return f'<li><a href="{escape(href)}">{escape(label)}</a></li>'


def _teaser(site: Site, entry: _Entry, writer: Writer) -> str:
    link = f'<a href="{escape(entry.url)}">{escape(entry.title)}</a>'
    if site.name == "forum":
        return f"<tr><td>{link}</td><td>{writer.draw.randint(0, 60)}</td></tr>"
    return f'<li class="teaser"><h3>{link}</h3><p>{escape(_cut(writer.sentence(), 70))}</p></li>'


def _cut(text: str, limit: int = DESCRIPTION) -> str:
    return text if len(text) <= limit else re.sub(r"\W*\s\S*$", "", text[:limit]) + " …"


def _written(day: date, language: str) -> str:
    """A date as people write it there."""
    if language in MONTHS:
        month = MONTHS[language][day.month - 1]
        return f"{day.day}. {month} {day.year}" if language == "de" else f"{day.day} de {month} de {day.year}"
    return f"{day:%d.%m.%Y}" if language == "ru" else f"{day:%d/%m/%Y}"


def _json_ld(site: Site, fields: dict[str, str]) -> str:
    """What search engines are told; a script, so nothing in it is escaped as in HTML."""
    if site.name == "shop":
        offer = {"@type": "Offer", "price": fields["price"], "priceCurrency": "EUR"}
        return _json({"@context": "https://schema.org", "@type": "Product", "name": fields["title"], "offers": offer})
    kind = "NewsArticle" if site.name == "news" else "TechArticle"
    author = {"@type": "Person", "name": fields["author"]}
    return _json(
        {
            "@context": "https://schema.org",
            "@type": kind,
            "headline": fields["title"],
            "datePublished": fields["published"],
            "author": author,
        }
    )


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False).replace("</", "<\\/")
