"""How much of a page is shared content, told by where it stands once the template is gone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from site_pages import bodies, parsed, squeezed, tree_of

from pipeline.shares import _places_left, shares
from transforms import Page, extract
from transforms.sites import ALL, FIRST, KEEP_SHARED, Masked, Template, mask, outline
from transforms.sites.sketch import digest
from transforms.sites.template import Repeated, Shared


def knowing(page: Page, known: dict[int, str], first: str = "") -> Template:
    """A template that knows the blocks of a page with these numbers, as repeated or as shared."""
    found = outline(page)
    names = [(int(found.fingerprint[block]), int(found.slot[block]), kind) for block, kind in known.items()]
    return Template(
        "a.example", 9, 9,
        repeated={name: Repeated(9, slot, "", (), anywhere=True) for name, slot, kind in names if kind == "repeated"},
        shared={name: Shared(3, first, "", ()) for name, _, kind in names if kind == "shared"},
    )  # fmt: skip


def seen(source: bytes) -> str:
    """The characters of a stretch of a page that can be seen; what is cut in two is made whole."""
    return squeezed("".join(tree_of(b"<row>" + source + b"</row>").itertext()))


@given(bodies, st.data())
def test_shared_blocks_are_found_where_the_template_is_gone(html: str, data: st.DataObject) -> None:
    page = parsed(html)
    count = len(outline(page))
    kinds = data.draw(st.lists(st.sampled_from(["repeated", "shared", ""]), min_size=count, max_size=count))
    masked = mask(page, knowing(page, dict(enumerate(kinds))))
    if not masked.shared:
        return
    arrays = masked.page.arrays
    spans = _places_left(masked)
    begin, end = arrays.text_offset(spans.start), arrays.text_offset(spans.end)
    blocks = sorted(masked.shared, key=lambda block: block.start)
    for block, a, b in zip(blocks, begin.tolist(), end.tolist(), strict=True):
        said = seen(page.source[block.start : block.end])
        assert squeezed(seen(arrays.text[a:b])) == said


@given(bodies, st.data(), st.sampled_from(KEEP_SHARED))
def test_the_shares_of_a_page_never_exceed_it(html: str, data: st.DataObject, shared: str) -> None:
    page = parsed(html)
    count = len(outline(page))
    kinds = data.draw(st.lists(st.sampled_from(["repeated", "shared", ""]), min_size=count, max_size=count))
    first = data.draw(st.sampled_from([digest(page).hex(), "another"]))
    masked = mask(page, knowing(page, dict(enumerate(kinds)), first), shared)
    chosen = extract(masked.page, data.draw(st.sampled_from(["block", "density", "cetr-km"])))
    parts = shares(masked, chosen, shared)
    assert min(parts.values()) >= 0
    assert sum(parts.values()) <= page.html_size
    kept = parts["text"] + (parts["shared"] if shared == ALL else 0)
    assert kept == min(len(chosen.text.encode()), page.html_size)


PAGE = (
    "<div class=a><p>known to all of the site</p></div>\n"
    "<div class=b><h2>Kopf</h2>\n<p>größer &amp; weiter</p>\n<p>x</p></div>\n<div class=c>own</div>"
)
EVERYTHING = {"threshold": 0, "site_threshold": 0}


def block_saying(page: Page, words: str) -> int:
    found = outline(page)
    (block,) = [number for number in range(len(found)) if words in found.text(number, 99)]
    return block


@pytest.mark.parametrize("charset", ["utf-8", "windows-1252"])
def test_shared_text_is_counted_in_the_charset_of_the_page(charset: str) -> None:
    page = Page.parse(PAGE.encode(charset), content_type=f"text/html; charset={charset}")
    block = block_saying(page, "weiter")
    said = len("Kopf größer & weiter x".encode(charset))
    masked = mask(page, knowing(page, {0: "repeated", block: "shared"}))
    parts = shares(masked, extract(masked.page, "block", **EVERYTHING))
    assert (parts["shared"], parts["text"]) == (said, len(" own"))
    # And where it is left to another page; a space is what keeps it from the text before.
    masked = mask(page, knowing(page, {0: "repeated", block: "shared"}, "another"), FIRST)
    parts = shares(masked, extract(masked.page, "block", **EVERYTHING), FIRST)
    assert (parts["shared"], parts["text"]) == (said + 1, len("own"))
    assert parts["template"] == len("known to all of the site ")


def test_shared_text_that_the_extractor_does_not_keep_is_boilerplate() -> None:
    page = parsed(PAGE)
    masked = mask(page, knowing(page, {block_saying(page, "weiter"): "shared"}))
    nothing = extract(masked.page, "block", threshold=1e6, site_threshold=1e6)
    assert nothing.text == ""
    parts = shares(masked, nothing)
    assert (parts["shared"], parts["text"]) == (0, 0)
    assert parts["boilerplate"] > 0


def test_a_page_without_a_template_shares_nothing() -> None:
    page = parsed(PAGE)
    parts = shares(Masked(page, page, ()), extract(page, "block", **EVERYTHING))
    assert (parts["shared"], parts["template"]) == (0, 0)
