"""Templates are written and read without loss, and what is none is refused with what it should be."""

from __future__ import annotations

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from site_pages import article, parsed, sketches

from transforms.exceptions import NotATemplate
from transforms.sites import Template, learn, mask
from transforms.sites.template import FORMAT, VERSION, LinkSlot, Repeated, Rules, check_header, header
from transforms.trees import from_nested

numbers = st.integers(0, 2**64 - 1)
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=10)
trees = st.sampled_from([from_nested((1, (2,), (3, (4,)))), from_nested((-5, (2**63 - 1,)))])
repeated = st.builds(
    Repeated,
    st.integers(0, 64),
    numbers,
    words,
    st.lists(words, max_size=2).map(tuple),
    st.integers(0, 9),
    st.none() | trees.map(lambda tree: tree.encode()),
    st.just({}),
)
with_lengths = st.builds(
    lambda block, lengths: block._replace(lengths=lengths) if block.tree else block,
    repeated,
    st.dictionaries(st.integers(-(2**63), 2**63 - 1), st.integers(1, 999), max_size=3),
)
link_slots = st.builds(LinkSlot, st.integers(0, 64), st.floats(0, 1), words, st.lists(words, max_size=2).map(tuple))
templates = st.builds(
    Template,
    words,
    st.integers(0, 64),
    st.integers(0, 64),
    st.dictionaries(numbers, with_lengths, max_size=4),
    st.frozensets(numbers, max_size=3),
    st.dictionaries(numbers, link_slots, max_size=3),
    st.integers(0, 10**6),
    st.builds(Rules, st.integers(1, 9), st.integers(1, 9), st.floats(0, 1)),
)


@given(templates)
def test_decoding_undoes_encoding(template: Template) -> None:
    line = template.encode()
    assert "\n" not in line
    assert Template.decode(line) == template
    assert Template.decode(line.encode()).encode() == line


@given(st.dictionaries(numbers, repeated, min_size=2, max_size=5))
def test_the_order_in_which_blocks_were_found_does_not_show(blocks: dict[int, Repeated]) -> None:
    backwards = dict(reversed(blocks.items()))
    assert Template("a", repeated=blocks).encode() == Template("a", repeated=backwards).encode()


def footed(number: int) -> str:
    items = "".join(f"<li>entry {n} of the footer</li>" for n in range(8))
    return article(number, after=f"<div><ul>{items}<li>changed on day {number}</li></ul></div>")


def test_a_template_that_was_written_and_read_masks_as_before() -> None:
    template = learn("a.example", sketches([footed(n) for n in range(6)]))
    again = Template.decode(template.encode())
    assert template.relatives  # near relatives, too
    page = parsed(footed(77))
    assert mask(page, again) == mask(page, template)
    assert len(mask(page, again).removed) == 3  # menu, footer, imprint


def test_a_template_travels_with_and_without_what_it_has_derived() -> None:
    template = learn("a.example", sketches([footed(n) for n in range(6)]))
    fresh = pickle.loads(pickle.dumps(template))  # noqa: S301 - our own bytes
    assert template.relatives == fresh.relatives
    assert pickle.loads(pickle.dumps(template)) == fresh == template  # noqa: S301 - our own bytes


def test_near_relatives_are_found_by_the_label_of_their_root() -> None:
    tree = from_nested((7, (8,), (9,)))
    block = Repeated(3, 1, "x", ("u", "v"), tree=tree.encode())
    template = Template("a", repeated={5: block, 6: block._replace(tree=None)})
    assert template.relatives == {7: [(5, tree)]}


def test_equal_templates_try_near_relatives_in_the_same_order() -> None:
    tree = from_nested((7, (8,), (9,)))
    blocks = {name: Repeated(3, 1, "x", ("u", "v"), tree=tree.encode()) for name in (9, 2, 5)}
    template = Template("a", repeated=blocks)
    assert template == Template.decode(template.encode())
    assert template.relatives == Template.decode(template.encode()).relatives


def test_a_template_is_empty_if_nothing_is_removed_by_it() -> None:
    assert Template("a", content_slots=frozenset([1])).is_empty
    assert not Template("a", repeated={1: Repeated(3, 1, "x", ())}).is_empty
    assert not Template("a", link_slots={1: LinkSlot(3, 0.5, "x", ())}).is_empty


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


@pytest.mark.parametrize("name", [*Template("a").as_dict(), "repeated/slot", "repeated/tree", "repeated/lengths"])
@pytest.mark.parametrize("wrong", ["missing", None, 7.5, "no", [1], {"a": 1}])
def test_a_line_with_a_part_missing_or_wrong_is_refused_or_read_as_it_is(name: str, wrong: object) -> None:
    block = Repeated(3, 1, "x", ("u",), tree=from_nested((1, (2,))).encode(), lengths={2: 5})
    values = Template("a", 5, 5, {9: block}, frozenset([3]), {4: LinkSlot(3, 0.5, "x", ())}).as_dict()
    *outer, inner = name.split("/")
    place = values["repeated"][0] if outer else values
    del place[inner]
    if wrong != "missing":
        place[inner] = wrong
    try:
        Template.decode(json.dumps(values))
    except NotATemplate:
        return
    # Parts that may be missing, and values that are only shown.
    assert name in {"repeated/tree", "repeated/lengths"} or wrong != "missing"


@given(st.recursive(st.none() | st.integers() | words, lambda inner: st.lists(inner) | st.dictionaries(words, inner)))
def test_other_json_is_refused(value: object) -> None:
    with pytest.raises(NotATemplate):
        Template.decode(json.dumps(value))


@pytest.mark.parametrize("line", ["", "{", "a template", b"\xff"])
def test_other_text_is_refused(line: str | bytes) -> None:
    with pytest.raises(NotATemplate):
        Template.decode(line)
