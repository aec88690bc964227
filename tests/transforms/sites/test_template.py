"""Templates are written and read without loss, and what is none is refused with what it should be."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from site_pages import article, parsed, sketches

from transforms.exceptions import NotATemplate
from transforms.sites import Template, learn, mask
from transforms.sites.template import FORMAT, VERSION, Kind, LinkSlot, Repeated, Rules, Shared, check_header, header
from transforms.trees import from_nested

numbers = st.integers(0, 2**64 - 1)
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=10)
trees = st.sampled_from([from_nested((1, (2,), (3, (4,)))), from_nested((-5, (2**63 - 1,)))])
examples = st.lists(words, max_size=2).map(tuple)
repeated = st.builds(Repeated, st.integers(0, 64), numbers, words, examples, st.booleans())
lengths = st.dictionaries(st.integers(-(2**63), 2**63 - 1), st.integers(1, 999), max_size=3)
encoded = st.none() | trees.map(lambda tree: tree.encode())
kinds = st.builds(Kind, st.integers(0, 64), numbers, words, examples, numbers, words, encoded, lengths)
shared = st.builds(Shared, st.integers(0, 64), st.binary(min_size=8, max_size=8).map(bytes.hex), words, examples)
link_slots = st.builds(LinkSlot, st.integers(0, 64), st.floats(0, 1), words, examples, st.integers(0, 999))
templates = st.builds(
    Template,
    site=words,
    pages=st.integers(0, 64),
    contents=st.integers(0, 64),
    repeated=st.dictionaries(numbers, repeated, max_size=3),
    kinds=st.lists(kinds, max_size=3).map(tuple),
    shared=st.dictionaries(numbers, shared, max_size=3),
    content_slots=st.frozensets(numbers, max_size=3),
    link_slots=st.dictionaries(numbers, link_slots, max_size=3),
    undecided=st.integers(0, 10**6),
    rules=st.builds(Rules, st.integers(1, 9), st.integers(1, 9), st.floats(0, 1)),
)


@given(templates)
def test_decoding_undoes_encoding(template: Template) -> None:
    line = template.encode()
    assert "\n" not in line
    assert Template.decode(line) == template
    assert Template.decode(line.encode()).encode() == line


@given(
    st.dictionaries(numbers, repeated, min_size=2, max_size=5),
    st.dictionaries(numbers, shared, min_size=2, max_size=5),
    st.dictionaries(numbers, link_slots, min_size=2, max_size=5),
)
def test_the_order_in_which_blocks_were_found_does_not_show(
    blocks: dict[int, Repeated], texts: dict[int, Shared], slots: dict[int, LinkSlot]
) -> None:
    one = Template("a", repeated=blocks, shared=texts, link_slots=slots)
    blocks, texts, slots = dict(reversed(blocks.items())), dict(reversed(texts.items())), dict(reversed(slots.items()))
    assert one.encode() == Template("a", repeated=blocks, shared=texts, link_slots=slots).encode()


@given(templates)
def test_what_workers_get_is_the_template_with_explanations_or_without(template: Template) -> None:
    assert Template.unpacked(template.packed(explaining=True)) == template
    bare = Template.unpacked(template.packed(explaining=False))
    for found, whole in ((bare.repeated, template.repeated), (bare.shared, template.shared)):
        assert found == {name: block._replace(text="", examples=()) for name, block in whole.items()}
    assert bare.kinds == tuple(kind._replace(text="", examples=()) for kind in template.kinds)
    assert bare.link_slots.keys() == template.link_slots.keys()
    assert not any(slot.text or slot.examples for slot in bare.link_slots.values())
    assert bare.content_slots == template.content_slots
    assert bare.rules == template.rules


def footed(number: int) -> str:
    """Two blocks of the footer change, one in its number, the other, which is long, in a word."""
    named = ("harbour", "railway", "orchard", "theatre", "glacier", "printer", "lantern", "quarry")[number % 8]
    items = "".join(f"<li>{name} entry of the footer of the site</li>" for name in ("first", "second", "third", "last"))
    long = f"<div class=long><ul>{items}<li>the word of this page is {named} and nothing else</li></ul></div>"
    return article(number, after=f"<div class=day><p>changed at last on day {number}</p></div>{long}")


SITE = learn("a.example", sketches([footed(n) for n in range(6)]))


@pytest.mark.parametrize("explaining", [True, False])
def test_a_template_that_was_written_and_read_masks_as_before(explaining: bool) -> None:
    assert {bool(kind.tree) for kind in SITE.kinds} == {True, False}
    page = parsed(footed(7))
    masked = mask(page, SITE)
    assert mask(page, Template.decode(SITE.encode())) == masked
    assert sorted(each.rule for each in masked.removed) == ["repeated", "repeated", "similar", "similar"]
    assert mask(page, Template.unpacked(SITE.packed(explaining=explaining))).page == masked.page


def test_a_template_travels_with_and_without_what_it_has_derived() -> None:
    fresh = pickle.loads(pickle.dumps(replace(SITE)))  # noqa: S301 - our own bytes
    assert SITE.kinds_by_slot == fresh.kinds_by_slot
    assert SITE.kinds_by_text == fresh.kinds_by_text
    assert pickle.loads(pickle.dumps(SITE)) == fresh == SITE  # noqa: S301 - our own bytes


def test_near_relatives_are_found_by_their_slot_and_by_the_texts_of_their_tree() -> None:
    tree = from_nested((7, (8,), (9,))).encode()
    short = Kind(3, 1, "x", (), 5, "x", None, {})
    tall = Kind(4, 1, "y", (), 6, "", tree, {8: 10, 9: 11})
    other = Kind(4, 2, "z", (), 6, "", tree, {9: 11})
    template = Template("a", kinds=(short, tall, other))
    assert template.kinds_by_slot == {1: [short, tall], 2: [other]}
    assert template.kinds_by_text == {8: [1], 9: [1, 2]}


def test_a_template_is_empty_if_nothing_is_removed_by_it_and_nothing_shared() -> None:
    assert Template("a", content_slots=frozenset([1])).is_empty
    assert not Template("a", repeated={1: Repeated(3, 1, "x", ())}).is_empty
    assert not Template("a", kinds=(Kind(3, 1, "x", (), 5, "x", None, {}),)).is_empty
    assert not Template("a", shared={1: Shared(3, "00", "x", ())}).is_empty
    assert not Template("a", link_slots={1: LinkSlot(3, 0.5, "x", ())}).is_empty


@pytest.mark.parametrize(
    ("characters", "share"), [(0, 0.1), (80, 0.2), (240, 0.4), (400, 0.6), (480, 0.7), (481, 0.7), (10**6, 0.7)]
)
def test_the_longer_a_text_the_larger_the_share_of_pages_it_needs_up_to_seven_tenths(
    characters: int, share: float
) -> None:
    assert Rules().needed(characters) == pytest.approx(share)


# Wrong files


def test_a_header_says_format_and_version() -> None:
    check_header(header())
    check_header(header().encode() + b"\n")
    assert json.loads(header()) == {"format": FORMAT, "version": VERSION}


@pytest.mark.parametrize(
    "line", ["", "{}", "[]", "7", "null", "<html>", '{"format": "other", "version": 1}', b"\xff\xfe"]
)
def test_another_first_line_is_refused_with_what_it_should_be(line: str | bytes) -> None:
    with pytest.raises(NotATemplate, match=r"its first line is not .*winnow-templates"):
        check_header(line)


@pytest.mark.parametrize("version", [VERSION + 1, "1", None])
def test_another_version_is_refused_with_the_one_that_can_be_read(version: object) -> None:
    with pytest.raises(NotATemplate, match=f"version {version}; version {VERSION} can be read"):
        check_header(json.dumps({"format": FORMAT, "version": version}))


FULL = Template(
    "a",
    5,
    5,
    {9: Repeated(3, 1, "x", ("u",))},
    (Kind(3, 1, "x", ("u",), 5, "x", from_nested((1, (2,))).encode(), {2: 5}),),
    {8: Shared(3, "00", "x", ("u",))},
    frozenset([3]),
    {4: LinkSlot(3, 0.5, "x", ())},
)
# Parts that older files do not have.
OPTIONAL = {"repeated/anywhere", "link_slots/usual"}
ENTRIES = ("repeated", "kinds", "shared", "link_slots")
PARTS = [*FULL.as_dict(), *(f"{outer}/{inner}" for outer in ENTRIES for inner in FULL.as_dict()[outer][0])]


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("wrong", ["missing", None, 7.5, "no", [1], {"a": 1}])
def test_a_line_with_a_part_missing_or_wrong_is_refused_or_read_as_it_is(name: str, wrong: object) -> None:
    values = FULL.as_dict()
    *outer, inner = name.split("/")
    place = values[outer[0]][0] if outer else values
    del place[inner]
    if wrong != "missing":
        place[inner] = wrong
    try:
        Template.decode(json.dumps(values))
    except NotATemplate:
        return
    # Parts that may be missing, and values that are only shown.
    assert name in OPTIONAL or wrong != "missing"


@given(st.recursive(st.none() | st.integers() | words, lambda inner: st.lists(inner) | st.dictionaries(words, inner)))
def test_other_json_is_refused(value: object) -> None:
    with pytest.raises(NotATemplate):
        Template.decode(json.dumps(value))


@pytest.mark.parametrize("line", ["", "{", "a template", b"\xff"])
def test_other_text_is_refused(line: str | bytes) -> None:
    with pytest.raises(NotATemplate):
        Template.decode(line)
