"""The sample of a site does not depend on how its pages come together, and what is left unread is not in it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from transforms.sites.sample import PAGES, Gate, Sampled, key, merged

pages = st.lists(st.tuples(st.sampled_from([b"%02d" % n for n in range(20)]), st.sampled_from([b"x", b"y", b"z"])))


def literal(found: list[Sampled], most: int) -> list[Sampled]:
    """Of every address one sketch, and of these the least addresses."""
    names = sorted({name for name, _ in found})[:most]
    return [min(page for page in found if page[0] == name) for name in names]


@given(pages, st.integers(1, 8))
def test_a_sample_has_the_least_keys_each_once(found: list[Sampled], most: int) -> None:
    assert merged(found, most) == literal(found, most)


@given(st.lists(pages, max_size=5), st.integers(1, 8), st.randoms(use_true_random=False))
def test_order_grouping_and_repeats_do_not_matter(groups: list[list[Sampled]], most: int, random: object) -> None:
    together = merged([page for group in groups for page in group], most)
    shuffled = [list(group) for group in groups] * 2
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    sample: list[Sampled] = []
    for group in shuffled:
        random.shuffle(group)  # type: ignore[attr-defined]
        sample = merged([*merged(group, most), *sample], most)
    assert sample == together


def test_an_address_that_was_crawled_very_often_takes_one_place() -> None:
    often = [(key("http://a.example/"), b"%d" % n) for n in range(3 * PAGES)]
    others = [(key(f"http://a.example/{n}"), b"x") for n in range(PAGES - 1)]
    assert {name for name, _ in merged([*often, *others])} == {name for name, _ in [often[0], *others]}


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 30), st.booleans()), max_size=80), st.integers(1, 6))
def test_the_gate_never_refuses_a_page_of_the_sample(visits: list[tuple[str, int, bool]], most: int) -> None:
    # Some of the pages cannot be sketched; which, only a closer look says.
    gate, passed, every = Gate(most), dict[str, list[Sampled]](), dict[str, list[Sampled]]()
    for site, number, is_page in visits:
        name = b"%02d" % number
        if gate.admits(site, name) and is_page:
            gate.sketched(site, name)
            passed.setdefault(site, []).append((name, b"sketch"))
        if is_page:
            every.setdefault(site, []).append((name, b"sketch"))
    assert {site: merged(found, most) for site, found in passed.items()} == {
        site: merged(found, most) for site, found in every.items()
    }


def test_the_gate_spares_most_pages_of_a_large_site() -> None:
    gate, through = Gate(), 0
    for number in range(5_000):
        name = key(f"http://a.example/{number}")
        if gate.admits("a.example", name):
            gate.sketched("a.example", name)
            through += 1
    assert PAGES <= through < 800  # 64 (1 + ln(5000 / 64)) is 343


def test_keys_are_those_of_addresses_in_every_process() -> None:
    # BLAKE2b of the empty string in 8 bytes, as any other implementation has it.
    assert key("") == bytes.fromhex("e4a6a0577479b2b4")
    assert len({key(f"http://a.example/{n}") for n in range(1000)}) == 1000
    assert key("http://\udc80/") == key("http://?/")
