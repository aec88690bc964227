"""The main content of a page, kind by kind: paragraphs, posts, properties, code, with what stands between them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape
from random import Random
from typing import Any, NamedTuple

_SLOT = re.compile(r"\{(\w+)\}")


class Block(NamedTuple):
    """A piece of a page's body, and the text in it that a reader came for; empty if it is boilerplate."""

    html: str
    text: str = ""


class Writer:
    """Draws sentences so that none comes twice on a page before all have come once."""

    def __init__(self, words: dict[str, Any], draw: Random) -> None:
        self.words, self.draw = words, draw
        self._deck: list[str] = []

    def sentence(self) -> str:
        """The next one, its slots filled."""
        if not self._deck:
            self._deck = self.draw.sample(self.words["sentences"], len(self.words["sentences"]))
        return _SLOT.sub(self._fill, self._deck.pop())

    def paragraph(self, shortest: int = 2, longest: int = 5) -> str:
        """Some sentences."""
        return " ".join(self.sentence() for _ in range(self.draw.randint(shortest, longest)))

    def some(self, name: str, count: int) -> list[str]:
        """So many different words of a list."""
        return self.draw.sample(list(self.words[name]), count)

    def _fill(self, slot: re.Match[str]) -> str:
        name = slot[1]
        if name == "n":
            return str(self.draw.randint(12, 98))
        if name == "year":
            return str(self.draw.randint(1931, 2019))
        plural = {"person": "people", "place": "places"}[name]
        return str(self.draw.choice(self.words[plural]))


def _element(tag: str, text: str) -> Block:
    return Block(f"<{tag}>{escape(text, quote=False)}</{tag}>", text)


def _paragraphs(writer: Writer, fewest: int, most: int) -> list[Block]:
    return [_element("p", writer.paragraph()) for _ in range(writer.draw.randint(fewest, most))]


def _list(items: list[str]) -> Iterator[Block]:
    yield Block("<ul>")
    yield from (_element("li", item) for item in items)
    yield Block("</ul>")


def news(writer: Writer) -> list[Block]:
    """A story, with an advertisement in the midst of it."""
    story = _paragraphs(writer, 5, 9)
    slot = f"ad-{writer.draw.randint(100, 999)}"
    advert = f'<div class="ad" id="{slot}"><span>Advertisement</span><script>show("{slot}")</script></div>'
    story.insert(writer.draw.randint(2, 4), Block(advert))
    return story


def blog(writer: Writer) -> list[Block]:
    """An entry with a quotation."""
    entry = _paragraphs(writer, 4, 7)
    quoted = writer.sentence()
    quotation = Block(f"<blockquote><p>{escape(quoted, quote=False)}</p></blockquote>", quoted)
    entry.insert(writer.draw.randint(1, 3), quotation)
    return entry


def shop(writer: Writer) -> list[Block]:
    """The description of a product, what speaks for it, and its properties."""
    body = [*_paragraphs(writer, 4, 5), *_list(writer.some("features", 4))]
    body.append(Block('<table class="caracteristiques">'))
    for name, values in writer.words["properties"].items():
        value = writer.draw.choice(values)
        body.append(Block(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>", f"{name} {value}"))
    return [*body, Block("</table>")]


def forum(writer: Writer) -> list[Block]:
    """The posts of a thread, each with what a board says of its author."""
    body = []
    for number in range(1, writer.draw.randint(5, 9) + 1):
        name = escape(writer.draw.choice(writer.words["people"]))
        day = f"{writer.draw.randint(1, 28):02}.02.2024, {writer.draw.randint(7, 23):02}:{writer.draw.randrange(60):02}"
        profile = (
            f'<dl class="postprofile"><dt><a href="/memberlist.php?u={writer.draw.randint(2, 900)}">{name}</a></dt>'
            f"<dd>Сообщения: {writer.draw.randint(3, 4000)}</dd></dl>"
        )
        quote = f'<ul class="post-buttons"><li><a href="/posting.php?p={number}">Цитата</a></li></ul>'
        body.append(Block(f'<div class="post" id="p{number}">{profile}<p class="author">{name} » {day}</p>{quote}'))
        text = writer.paragraph(1, 4)
        body.append(Block(f'<div class="content">{escape(text, quote=False)}</div></div>', text))
    return body


def docs(writer: Writer) -> list[Block]:
    """A chapter: sections with paragraphs, code and lists."""
    body = _paragraphs(writer, 1, 2)
    count = writer.draw.randint(2, 4)
    for heading, snippet in zip(writer.some("headings", count), writer.some("snippets", count), strict=True):
        body += [_element("h2", heading), *_paragraphs(writer, 1, 2)]
        code = escape(snippet, quote=False)
        body.append(Block(f'<div class="resaltado"><pre>{code}</pre></div>', snippet))
    return [*body, *_list([writer.sentence() for _ in range(3)])]


BODIES: dict[str, Callable[[Writer], list[Block]]] = {
    "news": news,
    "blog": blog,
    "shop": shop,
    "forum": forum,
    "docs": docs,
}
