"""The arrays of a page against a slow reference that scans the canonical source character by character."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms import tags
from transforms.arrays import Arrays
from transforms.page import Page

PARSERS = ("lxml", "lexbor")
ENTITY = re.compile("&(?:amp|lt|gt|quot);")


class Reference:
    """What `Arrays` promises, read from a canonical source in the most literal way."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.starts = [place for place, byte in enumerate(source) if byte == ord("<")]
        self.ends = [place + 1 for place, byte in enumerate(source) if byte == ord(">")]
        self.inner = [source[a + 1 : b - 1].decode() for a, b in zip(self.starts, self.ends, strict=True)]
        self.count = len(self.inner)
        self.closing = [inner.startswith("/") for inner in self.inner]
        self.empty = [inner.endswith("/") for inner in self.inner]
        self.names = [inner.strip("/").split(" ")[0] for inner in self.inner]
        self._read_tree()
        self._read_text()

    def _read_tree(self) -> None:
        self.depth = [0] * self.count
        self.parent = [-1] * self.count
        self.partner = list(range(self.count))
        self.container = [-1] * self.count
        self.ancestors: list[list[int]] = []  # of the text after each tag
        stack: list[int] = []
        for k in range(self.count):
            if self.closing[k]:
                opened = stack.pop()
                assert self.names[opened] == self.names[k]
                self.partner[k], self.partner[opened] = opened, k
            self.depth[k] = len(stack)
            self.parent[k] = stack[-1] if stack else -1
            if not self.closing[k] and not self.empty[k]:
                stack.append(k)
            self.container[k] = stack[-1] if stack else -1
            self.ancestors.append(list(stack))
        assert not stack

    def _read_text(self) -> None:
        """Split the text into characters, of which an entity is one, and say of each whether it can be seen."""
        self.text_start: list[int] = []
        self.characters: list[tuple[int, str, bool]] = []  # text offset, the character, whether it is visible
        self.newlines: list[tuple[int, int]] = []
        offset = 0
        for k in range(self.count):
            self.text_start.append(offset)
            after = self.starts[k + 1] if k + 1 < self.count else len(self.source)
            rest = self.source[self.ends[k] : after].decode()
            while rest:
                entity = ENTITY.match(rest)
                character = entity.group() if entity else rest[0]
                self.characters.append((offset, character, is_visible(character)))
                if character == "\n":
                    self.newlines.append((offset, k))
                offset += len(character.encode())
                rest = rest[len(character) :]
        self.text_start.append(offset)

    def text(self) -> bytes:
        return b"".join(
            character.encode()
            if len(character) > 1 or visible or character.isascii()
            else b" " * len(character.encode())
            for _, character, visible in self.characters
        )

    def piece(self, first: int, last: int) -> str:
        """The characters between two text offsets, each entity as one letter, white space of any kind as a space."""
        return "".join(
            ("&" if len(character) > 1 else character) if visible else " "
            for offset, character, visible in self.characters
            if first <= offset < last
        )

    def boundaries(self) -> list[int]:
        return [offset for offset, _, _ in self.characters] + [self.text_start[-1]]


def is_visible(character: str) -> bool:
    return len(character) > 1 or not (character.isspace() or ord(character) < 0x20 or ord(character) == 0x7F)


# Random pages

ESCAPES = ("&amp;", "&lt;", "&gt;", "&quot;", "&nbsp;", "&copy;", "&amp;lt;", '"', "'", "<", "&", ";")
SPACES = (" ", "  ", "\n", "\t", "\xa0", "\u3000", "\u2003", "\u202f", "\u2028")
LETTERS = ("a", "word", "Zürich", "漢字", "かな", "😀", "é", "€", "\u200b")
TEXT = st.lists(st.sampled_from((*LETTERS, *SPACES, *ESCAPES)), max_size=6).map("".join)

BLOCKS = ("p", "div", "ul", "li", "h1", "h6", "table", "tr", "td", "blockquote", "figcaption", "section", "pre")
INLINE = ("a", "b", "span", "em", "textarea", "button", "strong", "label")
UNKNOWN = ("x-y", "custom-element", "o:p", "ab", "div2")
NAMES = st.sampled_from((*BLOCKS, *INLINE, *UNKNOWN))
VOIDS = st.sampled_from(["<br>", "<hr>", "<img src=x>", "<img src='a/' alt=''/>", "<wbr/>", "<input value='1 > 0'>"])
VALUES = st.lists(
    st.sampled_from(["x", "é", "漢", "😀", "<", ">", "&", "&amp;", "&quot;", " ", "\n", "\t", "/", "=", "\xa0"]),
    max_size=5,
).map("".join)
ATTRIBUTES = st.lists(
    st.one_of(
        st.builds(" {}='{}'".format, st.sampled_from(["class", "id", "data-é", "href", "onclick"]), VALUES),
        st.builds(
            ' {}="{}"'.format, st.sampled_from(["title", "x:y", "a<b"]), VALUES.map(lambda v: v.replace('"', ""))
        ),
        st.sampled_from([" hidden", " /", " class=plain"]),
    ),
    max_size=3,
).map("".join)


def element(inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    children = st.lists(inside, max_size=4).map("".join)
    return st.builds("<{0}{1}>{2}</{0}>".format, NAMES, ATTRIBUTES, children)


HTML = st.lists(st.recursive(TEXT | VOIDS, element, max_leaves=12), max_size=5).map("".join)
PAGES = st.builds(lambda html, parser: Page.parse(html.encode(), parser=parser), HTML, st.sampled_from(PARSERS))
some = settings(max_examples=60, deadline=None)


# Tags


def test_a_small_page_as_arrays() -> None:
    page = Page.parse('<p class="é">Hi <b>you</b></p><br>x'.encode())
    arrays = page.arrays
    # tag       0     1                2       3   4   5     6
    # offset    0     6             20 23  26  29  33  37   42 43
    assert page.source == '<body><p class="é">Hi <b>you</b></p><br/>x</body>'.encode()
    assert arrays.count == 7
    assert arrays.tag_start.tolist() == [0, 6, 23, 29, 33, 37, 43]  # é has two bytes
    assert arrays.tag_end.tolist() == [6, 20, 26, 33, 37, 42, 50]
    assert arrays.closing.tolist() == [False, False, False, True, True, False, True]
    assert arrays.starting.tolist() == [True, True, True, False, False, True, False]
    assert arrays.empty.tolist() == [False, False, False, False, False, True, False]
    assert [tags.NAMES[number] for number in arrays.tag_id] == ["body", "p", "b", "b", "p", "br", "body"]
    assert arrays.starts_block.tolist() == [True, True, False, False, False, False, False]
    # body: 4; p and class="é": 1 + 9 characters; b: 1; br: 2
    assert arrays.name_and_attributes.tolist() == [4, 10, 1, 0, 0, 2, 0]
    assert arrays.depth.tolist() == [0, 1, 2, 2, 1, 1, 0]
    assert arrays.partner.tolist() == [6, 4, 3, 2, 1, 5, 0]
    assert arrays.parent.tolist() == [-1, 0, 1, 1, 0, 0, -1]
    assert arrays.container.tolist() == [0, 1, 2, 1, 0, 0, -1]
    assert arrays.text == b"Hi youx"
    assert arrays.text_start.tolist() == [0, 0, 3, 6, 6, 6, 7, 7]
    assert arrays.visible.tolist() == [1, 1, 0, 1, 1, 1, 1]
    assert arrays.word_start.tolist() == [1, 0, 0, 1, 0, 0, 0]  # tags separate no words
    assert arrays.characters_after.tolist() == [0, 2, 3, 0, 0, 1, 0]
    assert arrays.length_after.tolist() == [0, 2, 3, 0, 0, 1, 0]  # the space at the end of "Hi " does not count


def test_a_page_without_text_has_one_tag_and_no_text() -> None:
    arrays = Page.parse(b"").arrays
    assert arrays.source == b"<body/>"
    assert arrays.count == 1
    assert arrays.partner.tolist() == [0]
    assert arrays.parent.tolist() == [-1]
    assert arrays.depth.tolist() == [0]
    assert arrays.text == b""
    assert arrays.text_start.tolist() == [0, 0]
    assert arrays.length_after.tolist() == [0]
    assert arrays.characters_after.tolist() == [0]
    assert arrays.words(np.array([0, 0])).tolist() == [0]
    assert [array.tolist() for array in arrays.newline] == [[], []]


@some
@given(PAGES)
def test_tags_are_found_where_they_stand(page: Page) -> None:
    arrays, expected = page.arrays, Reference(page.source)
    assert arrays.count == expected.count
    assert arrays.tag_start.tolist() == expected.starts
    assert arrays.tag_end.tolist() == expected.ends
    assert arrays.closing.tolist() == expected.closing
    assert arrays.empty.tolist() == expected.empty
    assert arrays.starting.tolist() == [not closing for closing in expected.closing]
    alone = Arrays(page.source)
    assert alone.tag_start.tolist() == expected.starts
    assert alone.tag_end.tolist() == expected.ends


@some
@given(PAGES)
def test_names_become_ids_and_unknown_names_become_zero(page: Page) -> None:
    arrays, expected = page.arrays, Reference(page.source)
    assert arrays.tag_id.tolist() == [tags.ID.get(name, 0) for name in expected.names]
    blocks = [
        name in tags.BLOCKS and not closing for name, closing in zip(expected.names, expected.closing, strict=True)
    ]
    assert arrays.starts_block.tolist() == blocks


@pytest.mark.parametrize("name", [name for name in tags.NAMES if name])
def test_every_known_name_has_its_id_in_every_kind_of_tag(name: str) -> None:
    source = f'<{name}><{name} a="b"></{name}><{name}/><{name} a="b"/></{name}>'.encode()
    assert Arrays(source).tag_id.tolist() == [tags.ID[name]] * 6


@pytest.mark.parametrize(
    "name", ["divs", "di", "x", "x-y", "h7", "articles", "bodyx", "custom-element", "o:p", "É", "pé", "div漢"]
)
def test_a_name_that_only_resembles_a_known_one_is_unknown(name: str) -> None:
    assert Arrays(f"<body><{name}/></body>".encode()).tag_id[1] == 0


@pytest.mark.parametrize("name", ["fieldset-group", "blockquotes", "figcaption-x", "textarea-wide", "progress-bar"])
def test_a_name_that_begins_like_a_known_one_for_eight_bytes_is_unknown_all_the_same(name: str) -> None:
    assert Arrays(f"<body><{name}>text</{name}></body>".encode()).tag_id[1] == 0


@pytest.mark.parametrize(
    ("tag", "length"),
    [
        ("<p>", 1),
        ("<section>", 7),
        ("<br/>", 2),
        ('<p id="a">', 7),  # p, id="a": 1 + 6
        ('<img alt=""/>', 9),  # img, alt="": 3 + 6
        ('<p id="é漢😀">', 9),  # 1 + 8: characters, not bytes
        ('<p id="a" class="b c">', 19),  # 1 + 6 + 1 + 11, with the space between the attributes
        ('<a href="x/">', 10),  # a slash in a value is no empty tag: 1 + 9
        ("</p>", 0),
    ],
)
def test_the_length_of_a_tag_is_that_of_name_and_attributes(tag: str, length: int) -> None:
    name = tag.strip("</>").split(" ")[0]
    before, after = (f"<{name}>", "") if tag.startswith("</") else ("", "" if tag.endswith("/>") else f"</{name}>")
    arrays = Arrays(f"<body>é{before}{tag}漢{after}</body>".encode())
    assert arrays.name_and_attributes[2 if before else 1] == length


@some
@given(PAGES)
def test_tag_lengths_count_characters_of_names_and_attributes(page: Page) -> None:
    arrays, expected = page.arrays, Reference(page.source)
    lengths = []
    for inner, closing in zip(expected.inner, expected.closing, strict=True):
        name, _, attributes = inner.removesuffix("/").partition(" ")
        lengths.append(0 if closing else len(name) + len(attributes))
    assert arrays.name_and_attributes.tolist() == lengths


# The tree


@some
@given(PAGES)
def test_the_tree_is_that_of_a_stack(page: Page) -> None:
    arrays, expected = page.arrays, Reference(page.source)
    assert arrays.depth.tolist() == expected.depth
    assert arrays.partner.tolist() == expected.partner
    assert arrays.parent.tolist() == expected.parent
    assert arrays.container.tolist() == expected.container


@pytest.mark.parametrize("depth", [200, 300, 40_000, 70_000])
def test_the_tree_is_right_however_deep_it_is(depth: int) -> None:
    arrays = Arrays(b"<body>" + b"<i>" * depth + b"x" + b"</i>" * depth + b"<p>y</p></body>")
    assert int(arrays.depth.max()) == depth
    assert arrays.partner[1] == 2 * depth
    assert arrays.parent[depth] == depth - 1
    assert arrays.parent[2 * depth + 1] == 0


@some
@given(PAGES, st.data())
def test_enclosing_counts_the_flagged_elements_around_a_text(page: Page, data: st.DataObject) -> None:
    arrays, expected = page.arrays, Reference(page.source)
    flags = data.draw(st.lists(st.booleans(), min_size=arrays.count, max_size=arrays.count))
    flagged = np.array(flags) & arrays.starting
    counts = [sum(bool(flagged[ancestor]) for ancestor in ancestors) for ancestors in expected.ancestors]
    assert arrays.enclosing(flagged).tolist() == counts


@some
@given(PAGES)
def test_text_is_in_a_link_at_any_depth_below_it(page: Page) -> None:
    arrays, expected = page.arrays, Reference(page.source)
    in_link = [any(expected.names[ancestor] == "a" for ancestor in ancestors) for ancestors in expected.ancestors]
    assert arrays.in_link.tolist() == in_link


def test_subtree_sums_run_from_the_start_tag_to_before_the_end_tag() -> None:
    # tag              0     1  2  3   4    5   6
    arrays = Arrays(b"<body><p><b></b><br/></p></body>")
    sums = arrays.subtree(np.array([1, 2, 4, 8, 16, 32, 64]))
    assert sums[0] == 1 + 2 + 4 + 8 + 16 + 32  # the text after an end tag lies in what encloses the element
    assert sums[1] == 2 + 4 + 8 + 16
    assert sums[2] == 4
    assert sums[4] == 0  # an empty tag is its own end tag: nothing stands before that


@some
@given(PAGES, st.data())
def test_subtree_sums_are_those_of_a_loop(page: Page, data: st.DataObject) -> None:
    arrays, expected = page.arrays, Reference(page.source)
    values = data.draw(st.lists(st.integers(-1000, 1000), min_size=arrays.count, max_size=arrays.count))
    sums = arrays.subtree(np.array(values)).tolist()
    for k in range(arrays.count):
        if not expected.closing[k]:
            assert sums[k] == sum(values[k : expected.partner[k]])


# Text


@some
@given(PAGES)
def test_the_text_is_the_source_without_its_tags(page: Page) -> None:
    arrays, expected = page.arrays, Reference(page.source)
    assert arrays.text == expected.text()
    assert arrays.text_start.tolist() == expected.text_start


@some
@given(PAGES)
def test_a_character_is_seen_once_however_many_bytes_it_has(page: Page) -> None:
    arrays, expected = page.arrays, Reference(page.source)
    seen = [offset for offset, _, visible in expected.characters if visible]
    assert np.flatnonzero(arrays.visible).tolist() == seen
    assert set(arrays.visible.tolist()) <= {0, 1}
    before = [sum(offset < place for offset in seen) for place in range(len(arrays.text) + 1)]
    assert arrays.visible_before.tolist() == before


@some
@given(PAGES)
def test_a_word_starts_after_white_space_and_nowhere_else(page: Page) -> None:
    arrays, expected = page.arrays, Reference(page.source)
    starts = []
    after_white = True
    for offset, _, visible in expected.characters:
        if visible and after_white:
            starts.append(offset)
        after_white = not visible
    assert np.flatnonzero(arrays.word_start).tolist() == starts
    before = [sum(offset < place for offset in starts) for place in range(len(arrays.text) + 1)]
    assert arrays.words_before.tolist() == before


@some
@given(PAGES, st.data())
def test_lengths_are_those_of_the_pieces_with_white_space_collapsed(page: Page, data: st.DataObject) -> None:
    arrays, expected = page.arrays, Reference(page.source)
    cuts = sorted(data.draw(st.lists(st.sampled_from(expected.boundaries()), min_size=2, max_size=10)))
    pieces = [expected.piece(first, last) for first, last in pairwise(cuts)]
    offsets = np.array(cuts)
    assert arrays.characters(offsets).tolist() == [len("".join(piece.split(" "))) for piece in pieces]
    assert arrays.words(offsets).tolist() == [len(piece.split()) for piece in pieces]
    assert arrays.lengths(offsets).tolist() == [len(" ".join(piece.split())) for piece in pieces]


@some
@given(PAGES)
def test_the_length_after_a_tag_is_that_of_the_text_up_to_the_next(page: Page) -> None:
    arrays, expected = page.arrays, Reference(page.source)
    starts = expected.text_start
    pieces = [expected.piece(first, last) for first, last in pairwise(starts)]
    assert arrays.length_after.tolist() == [len(" ".join(piece.split())) for piece in pieces]
    assert arrays.characters_after.tolist() == [len("".join(piece.split())) for piece in pieces]


def test_lengths_of_a_text_cut_inside_and_between_words() -> None:
    arrays = Arrays(b"<body>  ab  cd &amp; e </body>")
    # text offsets: a 2, b 3, c 6, d 7, &amp; 9 to 13, e 15
    offsets = np.array([0, 3, 3, 6, 9, 14, 17])
    # "  a", "", "b  ", "cd ", "&", " e "
    assert arrays.words(offsets).tolist() == [1, 0, 1, 1, 1, 1]
    assert arrays.characters(offsets).tolist() == [1, 0, 1, 2, 1, 1]
    assert arrays.lengths(offsets).tolist() == [1, 0, 1, 2, 1, 1]
    assert arrays.lengths(np.array([0, 17])).tolist() == [9]  # "ab cd & e"


def test_words_of_other_scripts_are_what_white_space_separates() -> None:
    arrays = Arrays("<body>漢字　かな\xa0😀</body>".encode())
    offsets = np.array([0, len(arrays.text)])
    assert arrays.characters(offsets).tolist() == [5]
    assert arrays.words(offsets).tolist() == [3]
    assert arrays.lengths(offsets).tolist() == [7]  # 5 characters, 2 spaces between 3 words
    assert arrays.text == "漢字   かな  😀".encode()  # three bytes of U+3000, two of U+00A0


WHITE_SPACE = [chr(number) for number in range(0x80, 0x11_0000) if chr(number).isspace()]


@pytest.mark.parametrize("space", WHITE_SPACE, ids=[f"U+{ord(space):04X}" for space in WHITE_SPACE])
def test_all_white_space_of_unicode_separates_words_and_is_not_seen(space: str) -> None:
    arrays = Arrays(f"<body>a{space}b</body>".encode())
    offsets = np.array([0, len(arrays.text)])
    assert arrays.text == b"a" + b" " * len(space.encode()) + b"b"
    assert arrays.characters(offsets).tolist() == [2]
    assert arrays.words(offsets).tolist() == [2]
    assert arrays.lengths(offsets).tolist() == [3]


@pytest.mark.parametrize(
    "character",
    ["\u200b", "\u2010", "\u2014", "\u3001", "\u3040", "\u2100", "à", "\u00a1", "\u20ac", "あ", "\U00010000"],
)
def test_characters_with_bytes_like_white_space_are_seen(character: str) -> None:
    arrays = Arrays(f"<body>a{character}b</body>".encode())
    assert arrays.text == f"a{character}b".encode()
    assert arrays.lengths(np.array([0, len(arrays.text)])).tolist() == [3]


def test_control_characters_are_not_seen() -> None:
    arrays = Arrays(b"<body>a\x01\x7f b</body>")
    assert arrays.visible.tolist() == [1, 0, 0, 0, 1]


def test_white_space_in_one_tag_or_across_two_is_not_made_up() -> None:
    # The bytes C2 and A0 make a no-break space only when they stand together in the text.
    arrays = Arrays("<body>Â<b>à</b>\xa0</body>".encode())
    assert arrays.text == "Âà  ".encode()


def test_an_entity_is_one_character() -> None:
    arrays = Arrays(b"<body>&amp;&lt;&gt;&quot;x</body>")
    # &amp; has five bytes, &lt; and &gt; four, &quot; six
    assert np.flatnonzero(arrays.visible).tolist() == [0, 5, 9, 13, 19]
    assert arrays.length_after.tolist() == [5, 0]


def test_an_escaped_entity_is_as_many_characters_as_a_reader_sees() -> None:
    arrays = Page.parse(b"<p>&amp;lt;</p>").arrays
    assert arrays.source == b"<body><p>&amp;lt;</p></body>"
    assert arrays.length_after.tolist() == [0, 4, 0, 0]  # &lt;


def test_a_carriage_return_is_white_space() -> None:
    page = Page.parse(b"<p>a&#13;b c &#13;d</p>")
    assert page.source == b"<body><p>a b c  d</p></body>"
    assert page.arrays.length_after.tolist() == [0, 7, 0, 0]  # "a b c d"
    assert page.arrays.words(page.arrays.text_start).tolist() == [0, 4, 0, 0]


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize("control", ["\x0b", "&#11;", "&#1;", "\x1f"])
def test_a_control_character_in_the_page_does_not_become_letters(control: str, parser: str) -> None:
    # One character at most, whether the parser keeps it, drops it or writes U+FFFD in its place; never "&#xFFFD;".
    page = Page.parse(f"<p>a{control}b</p>".encode(), parser=parser)
    arrays = page.arrays
    assert 2 <= int(arrays.characters_after.sum()) <= 3
    assert b"FFFD" not in arrays.text


# Offsets


@some
@given(PAGES)
def test_text_offsets_count_the_bytes_outside_tags(page: Page) -> None:
    arrays, expected = page.arrays, Reference(page.source)
    tags_before, text_offset = [], []
    tag_count = text_bytes = 0
    inside = False
    for byte in page.source:
        tags_before.append(tag_count)
        text_offset.append(text_bytes)
        inside |= byte == ord("<")
        tag_count += byte == ord("<")
        text_bytes += not inside
        inside &= byte != ord(">")
    places = np.arange(len(page.source) + 1)
    assert arrays.tags_before(places).tolist() == [*tags_before, tag_count]
    assert arrays.text_offset(places).tolist() == [*text_offset, text_bytes]
    assert arrays.text_offset(places, arrays.tags_before(places)).tolist() == [*text_offset, text_bytes]
    assert expected.text_start[-1] == text_bytes


# Lines


def test_newlines_are_those_of_the_text() -> None:
    page = Page.parse(b'<p title="a\nb">one\n<b>two</b>\n</p>\n')
    offset, tag = page.arrays.newline
    # text "one\ntwo\n\n" under p (tag 1), after b's end tag (3), after p's end tag (4)
    assert offset.tolist() == [3, 7, 8]
    assert tag.tolist() == [1, 3, 4]


@some
@given(PAGES)
def test_each_newline_is_found_with_the_tag_before_it(page: Page) -> None:
    offset, tag = page.arrays.newline
    assert list(zip(offset.tolist(), tag.tolist(), strict=True)) == Reference(page.source).newlines
    assert page.source.count(b"\n") == len(offset)
