"""From a sample of a site's pages to its template.

A block is redundant if it, or a near relative of it, stands on at least `min_pages` pages with different content.
Pages have the same content if one says hardly anything that the other does not: stored under two addresses, crawled
twice, or in a version for print. They count once, so that no page erases itself. Below `min_contents` different
contents nothing is learned: a site of one to three pages loses nothing.

Two things a count cannot tell are told by the slot, the place in the site's template where a block stands:

- what recurs in a slot that mostly says something new is content (the field labels of a reference work);
- what differs from page to page, but in a slot whose text is mostly links, leads elsewhere (related articles).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from transforms.sites.relatives import Shaped, search
from transforms.sites.sketch import Sketch
from transforms.sites.template import MOST_BLOCKS, MOST_TREES, RULES, LinkSlot, Repeated, Rules, Template
from transforms.trees import decode

# Of the text that is a page's own, so much stands on the other, too: they have the same content ...
SAME_CONTENT = 0.9
# ... unless that is less than so much of the other's: a page with the whole texts of several others is none of them.
HOLDS_LITTLE_ELSE = 0.6
EXAMPLES = 2


@dataclass
class _Block:
    """What is known of a fingerprint."""

    slot: int
    text: str
    contents: dict[int, str] = field(default_factory=dict)  # that it stands on, each with the address of a page
    shaped: Shaped | None = None

    @property
    def examples(self) -> tuple[str, ...]:
        return tuple(self.contents[content] for content in sorted(self.contents)[:EXAMPLES])


def learn(site: str, sketches: Iterable[Sketch], rules: Rules = RULES) -> Template:
    """The template of a site, from sketches of its pages in any order."""
    pages = sorted(sketches, key=_order)
    content = contents(pages)
    different = len(set(content))
    if different < rules.min_contents:
        return Template(site, len(pages), different, rules=rules)
    blocks = _gathered(pages, content)
    repeated, undecided = _repeated(blocks, rules)
    firsts = [page for place, page in enumerate(pages) if content.index(content[place]) == place]
    content_slots, link_slots = _slots(firsts, repeated, rules)
    return Template(
        site=site,
        pages=len(pages),
        contents=different,
        repeated=repeated,
        content_slots=content_slots,
        link_slots=link_slots,
        undecided=undecided + sum(page.left_out for page in pages),
        rules=rules,
    )


def _order(page: Sketch) -> tuple[str, bytes, bytes, bytes]:
    """Pages that are equal in this are so in all that counts."""
    return page.url, page.digest, page.fingerprint.tobytes(), page.slot.tobytes()


def contents(pages: Sequence[Sketch]) -> list[int]:
    """A number for each page; pages with the same content have the same number, that of the first of them."""
    own = _own_text(pages)
    group = list(range(len(pages)))

    def find(place: int) -> int:
        while group[place] != place:
            group[place] = group[group[place]]
            place = group[place]
        return place

    for place, page in enumerate(pages):
        for other in range(place):
            mine, its = own[place], own[other]
            shared = sum(mine[fingerprint] for fingerprint in mine.keys() & its.keys())
            least, most = sorted((sum(mine.values()), sum(its.values())))
            same = least and shared >= SAME_CONTENT * least and shared >= HOLDS_LITTLE_ELSE * most
            if page.digest == pages[other].digest or same:
                one, two = find(place), find(other)
                group[max(one, two)] = min(one, two)
    return [find(place) for place in range(len(pages))]


def _own_text(pages: Sequence[Sketch]) -> list[dict[int, int]]:
    """For each page the characters outside links by block, without the blocks that stand on most pages.

    All blocks of a page that has hardly any others: it may be stored so often that its own text stands on most pages,
    and a counter of visitors or a date is all that is left.
    """
    everything = [
        {
            fingerprint: characters - linked
            for fingerprint, characters, linked in zip(
                page.fingerprint.tolist(), page.characters.tolist(), page.linked.tolist(), strict=True
            )
            if characters > linked
        }
        for page in pages
    ]
    times = Counter(fingerprint for page in everything for fingerprint in page)
    common = max(len(pages) / 2, 2)
    rare = [{name: size for name, size in page.items() if times[name] <= common} for page in everything]
    return [
        own if sum(own.values()) > (1 - SAME_CONTENT) * sum(whole.values()) else whole
        for own, whole in zip(rare, everything, strict=True)
    ]


def _gathered(pages: Sequence[Sketch], content: Sequence[int]) -> dict[int, _Block]:
    blocks: dict[int, _Block] = {}
    for page, number in zip(pages, content, strict=True):
        slots = page.slot.tolist()
        for place, fingerprint in enumerate(page.fingerprint.tolist()):
            block = blocks.get(fingerprint)
            if block is None:
                block = blocks[fingerprint] = _Block(slots[place], page.samples[place])
            block.contents.setdefault(number, page.url)
            if block.shaped is None and place in page.trees:
                tree = decode(page.trees[place])
                lengths = {label: page.texts[label] for label in tree.labels.tolist() if label in page.texts}
                block.shaped = Shaped(fingerprint, tree, lengths)
    return blocks


def _repeated(blocks: dict[int, _Block], rules: Rules) -> tuple[dict[int, Repeated], int]:
    """The redundant blocks by fingerprint, and how much a budget left undecided."""
    standing = {name: frozenset(block.contents) for name, block in blocks.items()}
    found = search((block.shaped for block in blocks.values() if block.shaped), standing, rules)
    repeated: dict[int, Repeated] = {}
    for name, block in blocks.items():
        near = found.nearest.get(name, {})
        pages = standing[name].union(*(standing[relative] for relative in near))
        if len(pages) < rules.min_pages:
            continue
        if len(standing[name]) >= rules.min_pages:
            repeated[name] = Repeated(len(standing[name]), block.slot, block.text, block.examples)
            continue
        # The nearest of those that stand on another page than the block itself.
        distance, other = min((near[other], other) for other in near if standing[other] - standing[name])
        elsewhere = min(standing[other] - standing[name])
        examples = (blocks[other].contents[elsewhere], *block.examples)[:EXAMPLES]
        repeated[name] = Repeated(len(pages), block.slot, block.text, examples, distance)
    kept = sorted(repeated, key=lambda name: (-repeated[name].pages, name))
    undecided = found.undecided + max(len(kept) - MOST_BLOCKS, 0)
    return _with_trees({name: repeated[name] for name in kept[:MOST_BLOCKS]}, blocks, found.nearest), undecided


def _with_trees(
    repeated: dict[int, Repeated], blocks: dict[int, _Block], near: dict[int, dict[int, int]]
) -> dict[int, Repeated]:
    """Give trees to the blocks that stand for their near relatives: to the most frequent one of each neighbourhood."""
    standing: set[int] = set()
    given: dict[int, Repeated] = {}
    for name, block in repeated.items():
        relatives = near.get(name, {})
        shaped = blocks[name].shaped
        given[name] = block
        if shaped and relatives and not standing & relatives.keys() and len(standing) < MOST_TREES:
            standing.add(name)
            given[name] = block._replace(tree=shaped.tree.encode(), lengths=dict(shaped.lengths))
    return given


@dataclass
class _Slot:
    text: int = 0
    repeated: int = 0
    linked: int = 0  # of what is not repeated
    pages: dict[int, str] = field(default_factory=dict)  # on which it says something that is not repeated
    example: str = ""


def _slots(
    pages: Sequence[Sketch], repeated: dict[int, Repeated], rules: Rules
) -> tuple[frozenset[int], dict[int, LinkSlot]]:
    """The slots in which even what recurs is content, and those whose text leads elsewhere."""
    slots: dict[int, _Slot] = defaultdict(_Slot)
    for number, page in enumerate(pages):
        columns = (page.fingerprint, page.slot, page.characters, page.linked)
        for (name, place, characters, linked), sample in zip(
            zip(*(column.tolist() for column in columns), strict=True), page.samples, strict=True
        ):
            slot = slots[place]
            slot.text += characters
            if name in repeated:
                slot.repeated += characters
            else:
                slot.linked += linked
                slot.pages.setdefault(number, page.url)
                slot.example = slot.example or sample
    content = frozenset(name for name, slot in slots.items() if 0 < slot.repeated < rules.content_slot * slot.text)
    links = {
        name: LinkSlot(len(slot.pages), round(share, 3), slot.example, tuple(slot.pages.values())[:EXAMPLES])
        for name, slot in slots.items()
        if len(slot.pages) >= rules.min_pages
        and (share := slot.linked / max(slot.text - slot.repeated, 1)) >= rules.link_share
    }
    return content, links
