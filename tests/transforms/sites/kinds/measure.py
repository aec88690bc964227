"""How well the step that learns what a site repeats tells content from template, by the characters of a site."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from lxml import etree

from transforms import Page, extract
from transforms.sites import ALL, Masked, Sketch, Template, learn, mask, sketch
from transforms.sites.sample import PAGES, key
from transforms.sites.template import RULES, Rules

_MARK = re.compile(r' data-is="\w+"')


@dataclass(frozen=True)
class Found:
    """Characters by what they are, before and after the step."""

    before: Mapping[str, int]
    after: Mapping[str, int]
    lost: Mapping[str, str]  # content that is gone, by page
    emptied: Sequence[str]  # pages that lost all their text

    @property
    def recall(self) -> float:
        """Of content, shared or not: the part that is still there."""
        return sum(self.after[name] for name in ("content", "shared")) / sum(
            self.before[name] for name in ("content", "shared")
        )

    @property
    def removal(self) -> float:
        """Of template: the part that is gone."""
        return 1 - self.after["template"] / self.before["template"]


def learned(pages: Mapping[str, str], rules: Rules = RULES) -> Template:
    """The template of a site, from the sample of its pages, as the pipeline learns it."""
    return Template.decode(learn("site", sketched(pages), rules).encode())


def sketched(pages: Mapping[str, str]) -> list[Sketch]:
    """The sample of a site's pages."""
    urls = sorted(pages, key=key)[:PAGES]
    return [sketch(Page.parse(plain(pages[url]).encode(), url=url)) for url in urls]


def plain(html: str) -> str:
    """A page as its site would send it."""
    return _MARK.sub("", html)


def measure(pages: Mapping[str, str], rules: Rules = RULES, template: Template | None = None) -> Found:
    """Learn a site and apply what was learned to each of its pages."""
    template = template or learned(pages, rules)
    before: Counter[str] = Counter()
    after: Counter[str] = Counter()
    lost, emptied = {}, []
    for url, html in pages.items():
        masked = masked_page(url, html, template)
        # What the marks say is what `baseline` gives.
        assert (
            extract(masked.page, "baseline").text
            == extract(mask(Page.parse(plain(html).encode(), url=url), template).page, "baseline").text
        )
        whole, left = by_mark(masked.whole.source), by_mark(masked.page.source)
        before += Counter({mark: len("".join(text.split())) for mark, text in whole.items()})
        after += Counter({mark: len("".join(text.split())) for mark, text in left.items()})
        gone = [text for text in whole.get("content", "").split("\n") if text not in left.get("content", "")]
        if gone:
            lost[url] = "\n".join(gone)
        if whole and not left:
            emptied.append(url)
    return Found(before, after, lost, emptied)


def masked_page(url: str, html: str, template: Template, shared: str = ALL) -> Masked:
    """A page without what its site repeats; the marks are still there."""
    return mask(Page.parse(html.encode(), url=url), template, shared)


def by_mark(source: bytes) -> dict[str, str]:
    """The text of a page by the nearest mark around it, a line a piece."""
    pieces: dict[str, list[str]] = {}
    root = etree.fromstring(source, etree.XMLParser(recover=True, huge_tree=True))

    @cache
    def mark(element: etree._Element | None) -> str:
        if element is None:
            return "template"
        return element.get("data-is") or mark(element.getparent())

    for element in [] if root is None else root.iter():
        if element.text and element.text.strip():
            pieces.setdefault(mark(element), []).append(element.text.strip())
        if element.tail and element.tail.strip():
            pieces.setdefault(mark(element.getparent()), []).append(element.tail.strip())
    return {name: "\n".join(texts) for name, texts in pieces.items()}
