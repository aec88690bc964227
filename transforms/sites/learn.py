"""From a sample of a site's pages to its template.

*Template* is what a site prints around its content. That a block recurs is not enough: a product's description, a quoted
review, a thread's first post are content on several pages, *shared* by them. Evidence for template is

- on what share of the site's pages a block stands, itself or a near relative: the longer its text outside links, the
  more are needed; links that recur lead elsewhere, and are needed on few;
- where it stands (`places`): amid the content, or in a slot that mostly says something new, it is content unless it
  stands nearly everywhere.

What differs from page to page, but in a slot whose text is links, leads elsewhere (related articles). Pages with the
same content count once, and below `min_contents` different contents nothing is learned.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from transforms.sites.contents import contents
from transforms.sites.places import EXAMPLES, MOST, NOWHERE, Places, generations, places
from transforms.sites.relatives import Candidate, Kin, Shaped, related, says_enough, without_numbers
from transforms.sites.sketch import SAMPLE, Sketch
from transforms.sites.template import (
    MOST_BLOCKS,
    MOST_KINDS,
    MOST_SHARED,
    RULES,
    Kind,
    Repeated,
    Rules,
    Shared,
    Template,
)
from transforms.trees import decode

# Characters of a label: what is as short and stands amid content belongs to it.
LABEL = 40
# Characters outside links of a text in which some words were exchanged, from which on it is content, not template.
LONG = 200
AMONG = 0.5
VAR1=0
VAR2=0
HEADK = 0.9
NEARLY_ALL = 0.9
# Of one kind, blocks that stand for it: it may be printed in several forms.
FORMS = 3
SHOWN = 60  # characters, for people


@dataclass
class _Block:
    """What is known of a fingerprint."""

    name: int
    slot: int
    container: int
    blanked: int
    characters: int
    linked: int
    digits: int
    heading: bool
    text: str
    contents: dict[int, Sketch] = field(default_factory=dict)  # that it stands on, each with a page
    shaped: Shaped | None = None

    @property
    def plain(self) -> int:
        """Characters outside links."""
        return self.characters - self.linked

    @property
    def shown(self) -> str:
        """How it begins, for people."""
        return self.text[:SHOWN]

    @property
    def first(self) -> Sketch:
        """The page with the least address that it stands on."""
        return self.contents[min(self.contents)]

    @property
    def examples(self) -> tuple[str, ...]:
        return tuple(self.contents[content].url for content in sorted(self.contents)[:EXAMPLES])


def learn(site: str, sketches: Iterable[Sketch], rules: Rules = RULES) -> Template:
    """The template of a site, from sketches of its pages in any order."""
    pages = sorted(sketches, key=_order)
    content = list(range(len(pages))) if rules.as_published else contents(pages)
    different = len(set(content))
    known = Template(site, len(pages), different, rules=rules)
    if different < rules.min_contents:
        return known
    blocks = _gathered(pages, content)
    kin = related(_candidates(blocks, rules), rules)
    judge = _judge(pages, content, blocks, kin, rules)
    found = judge.places
    repeated = {name: block for name, block in blocks.items() if judge.repeats(block)}
    near = {name: block for name, block in blocks.items() if name not in repeated and judge.is_kind(block)}
    shared = {
        name: block
        for name, block in blocks.items()
        if len(block.contents) > 1 and name not in repeated and name not in near and not judge.leads(block)
    }
    kinds = _kinds(near, judge, kin)
    left_out = sum(page.left_out for page in pages)
    left_out += sum(max(len(some) - most, 0) for some, most in ((repeated, MOST_BLOCKS), (kinds, MOST_KINDS)))
    return replace(
        known,
        repeated={
            name: Repeated(len(block.contents), block.slot, block.shown, block.examples, judge.is_anywhere(block))
            for name, block in _most_common(repeated, MOST_BLOCKS)
        },
        kinds=tuple(kinds[:MOST_KINDS]),
        shared={
            name: Shared(len(block.contents), block.first.digest.hex(), block.shown, block.examples)
            for name, block in _most_common({} if rules.as_published else shared, MOST_SHARED)
        },
        content_slots=found.content_slots,
        link_slots=found.link_slots,
        undecided=kin.undecided + left_out,
    )


def _order(page: Sketch) -> tuple[str, bytes, bytes, bytes]:
    """Pages that are equal in this are so in all that counts."""
    return page.url, page.digest, page.fingerprint.tobytes(), page.slot.tobytes()


def _gathered(pages: Sequence[Sketch], content: Sequence[int]) -> dict[int, _Block]:
    blocks: dict[int, _Block] = {}
    for page, number in zip(pages, content, strict=True):
        columns = (page.slot, page.container, page.blanked, page.characters, page.linked, page.digits, page.heading)
        rows = zip(*(column.tolist() for column in columns), page.samples, strict=True)
        for place, (name, row) in enumerate(zip(page.fingerprint.tolist(), rows, strict=True)):
            block = blocks.get(name)
            if block is None:
                block = blocks[name] = _Block(name, *row)
            block.contents.setdefault(number, page)
            if block.shaped is None and place in page.trees:
                tree = decode(page.trees[place])
                lengths = {label: page.texts[label] for label in tree.labels.tolist() if label in page.texts}
                block.shaped = Shaped(name, tree, lengths)
    return blocks


def _candidates(blocks: dict[int, _Block], rules: Rules) -> Iterator[Candidate]:
    """The blocks that may have near relatives."""
    for name, block in blocks.items():
        if rules.as_published or says_enough(block.characters, block.digits, heading=block.heading):
            said = without_numbers(block.text) if block.characters < SAMPLE and not block.heading else ""
            shaped = None if said or block.heading else block.shaped
            yield Candidate(name, block.slot, block.blanked, said, shaped)


@dataclass(frozen=True)
class _Judge:
    """Says what is template, from what is known of the places of a site."""

    places: Places
    standing: Mapping[int, Collection[int]]  # by fingerprint, the contents that it or a near relative stands on
    contents: int  # of the site
    houses: list[frozenset[int]]
    rules: Rules

    def share(self, pages: Collection[int]) -> float:
        whole = len(pages) / self.contents
        return max([whole, *(len(house.intersection(pages)) / len(house) for house in self.houses)])

    def leads(self, block: _Block) -> bool:
        """Whether a block is there for its links."""
        return block.linked >= self.rules.link_share * block.characters

    def repeats(self, block: _Block) -> bool:
        """Whether a block is template because it recurs as it is."""
        pages = len(block.contents)
        share = self.share(block.contents)
        if pages < self.rules.min_pages:
            return False
        if self.rules.as_published:
            return True
        if self.leads(block):
            return self.is_anywhere(block) or (
                block.slot not in self.places.content_slots
                and (share >= self.rules.link_pages or block.slot in self.places.recurring_slots)
            )
        if self.is_anywhere(block):
            return True
        common = max(share, self.places.common.get(block.slot, 0))
        if block.slot in self.places.content_slots or common < self.rules.needed(block.plain) * (AMONG if block.name in self.places.among_links else 1):
            return False
        return not ((VAR1 and not block.heading) or self._is_amid_content(block)) or not self._belongs_to_content(block)

    def is_anywhere(self, block: _Block) -> bool:
        """Whether a block is template even in a slot of content."""
        share = self.share(block.contents)
        if self.rules.as_published or (self.leads(block) and share >= MOST):
            return True
        return share >= NEARLY_ALL and not self._belongs_to_content(block)

    def is_kind(self, block: _Block) -> bool:
        """Whether a block is template because it and its near relatives, together, stand on so many pages."""
        standing = self.standing[block.name]
        share = self.share(standing)
        if len(standing) < self.rules.min_pages:
            return False
        if self.rules.as_published:
            return True
        if block.heading:
            return share >= HEADK and 2 * len(block.contents) < len(standing)
        if block.slot in self.places.content_slots:
            return False
        if self.leads(block):
            return share >= self.rules.link_pages
        common = max(share, self.places.common.get(block.slot, 0))
        return common >= self.rules.needed(block.plain) and not (self._belongs_to_content(block) if VAR2 else self._is_amid_content(block)) and (block.plain < LONG or share >= self.rules.most_pages)

    def _belongs_to_content(self, block: _Block) -> bool:
        """Whether a block is a label or a heading of the content around it."""
        return (block.heading or block.characters <= LABEL) and (
            block.container in self.places.content_containers or self.places.inside.get(block.name, 0) >= MOST
        )

    def _is_amid_content(self, block: _Block) -> bool:
        """Whether most pages have text of their own beside a block, before it and behind it."""
        return block.container in self.places.content_containers and self.places.inside.get(block.name, 0) >= MOST


def _judge(
    pages: Sequence[Sketch], content: Sequence[int], blocks: dict[int, _Block], kin: Kin, rules: Rules
) -> _Judge:
    """Who judges the blocks of a site, with all there is to know of its places."""
    together: dict[int, set[int]] = defaultdict(set)
    for name, block in blocks.items():
        together[kin.of(name)] |= block.contents.keys()
    standing = {name: together[kin.of(name)] for name in blocks}
    numbers = sorted(set(content))
    if rules.as_published:
        return _Judge(NOWHERE, standing, len(numbers), [], rules)
    firsts = [pages[number] for number in numbers]
    houses = [frozenset(numbers[place] for place in house) for house in generations(firsts)]
    houses = [house for house in houses if len(house) >= rules.min_contents]
    judge = _Judge(NOWHERE, standing, len(numbers), houses, rules)
    found = places(
        firsts, lambda name: len(standing[name]), lambda name: judge.share(standing[name]), rules
    )
    return replace(judge, places=found)


def _most_common(blocks: dict[int, _Block], most: int) -> list[tuple[int, _Block]]:
    return sorted(blocks.items(), key=lambda item: (-len(item[1].contents), item[0]))[:most]


def _kinds(near: dict[int, _Block], judge: _Judge, kin: Kin) -> list[Kind]:
    """Some blocks of each kind, those that stand on the most pages, to know others by."""
    forms: dict[int, set[int]] = defaultdict(set)
    kinds = []
    for name, block in _most_common(near, len(near)):
        form = forms[kin.of(name)]
        if len(form) == FORMS or block.blanked in form:
            continue
        form.add(block.blanked)
        said = without_numbers(block.text) if block.characters < SAMPLE else ""
        shaped = None if said else block.shaped
        tree, lengths = (shaped.tree.encode(), shaped.lengths) if shaped else (None, {})
        kinds.append(
            Kind(len(judge.standing[name]), block.slot, block.shown, block.examples, block.blanked, said, tree, dict(lengths))
        )
    return sorted(kinds, key=lambda kind: (-kind.pages, kind.blanked, kind.slot))
