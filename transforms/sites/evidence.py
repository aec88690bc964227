"""Which blocks of a site are template, which are content on several pages, and why.

Evidence for template is

- on what share of the site's pages a block stands, itself or a near relative: the longer its text
  outside links, the more pages it takes; links that recur lead elsewhere, and few pages do;
- where it stands (`places`): amid the content, or in a slot that mostly says something new, it is
  content unless it stands nearly everywhere.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from transforms.sites.places import Places
from transforms.sites.reasons import least_linked
from transforms.sites.relatives import Shaped, without_numbers
from transforms.sites.sketch import SAMPLE, Sketch
from transforms.sites.slots import EXAMPLES, MOST
from transforms.sites.template import Rules

# Characters of a label. So short a text amid content belongs to that content.
LABEL = 40
# What stands on so many of the pages is template, whatever is around it.
NEARLY_ALL = 0.9
# Between links, the words of a teaser are template on half as many pages.
AMONG_LINKS = 0.5
SHOWN = 60  # characters, for people


@dataclass
class SiteBlock:
    """What a site's sample knows of a fingerprint."""

    name: int
    slot: int
    container: int
    blanked: int
    characters: int
    linked: int
    digits: int
    heading: bool
    opens: bool
    data: bool
    text: str
    contents: dict[int, Sketch] = field(default_factory=dict)  # it stands on, each with a page
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
    def said(self) -> str:
        """All that it says but for numbers, if that is short."""
        return without_numbers(self.text) if self.characters < SAMPLE else ""

    @property
    def first(self) -> Sketch:
        """The page with the least address that it stands on."""
        return min(self.contents.values(), key=lambda page: (page.url, page.digest))

    @property
    def examples(self) -> tuple[str, ...]:
        """The addresses of pages that it stands on."""
        return examples_of(self.contents)


def examples_of(pages: Mapping[int, Sketch]) -> tuple[str, ...]:
    """The addresses of some pages of different content."""
    return tuple(pages[content].url for content in sorted(pages)[:EXAMPLES])


# By fingerprint, the contents that the block or a near relative stands on, each with a page.
Standing = Mapping[int, Mapping[int, Sketch]]


class Evidence(Protocol):
    """Says of a block what it is."""

    @property
    def standing(self) -> Standing:
        """On which contents each block or a near relative stands."""

    @property
    def places(self) -> Places:
        """What is known of the places of the site."""

    def repeats(self, block: SiteBlock) -> bool:
        """Whether a block is template because it recurs as it is."""

    def is_anywhere(self, block: SiteBlock) -> bool:
        """Whether a block that repeats is template even in a slot of content."""

    def is_of_a_kind(self, block: SiteBlock) -> bool:
        """Whether a block is template because it and its near relatives stand on many pages."""

    def is_shared(self, block: SiteBlock) -> bool:
        """Whether a block that is not template is content on several pages."""


@dataclass(frozen=True)
class AsPublished:
    """As in seeds/002: whatever emerges in another page of the site is template."""

    standing: Standing
    places: Places = field(default_factory=Places)

    def repeats(self, block: SiteBlock) -> bool:
        """Whether a block stands on two pages as it is."""
        return len(block.contents) > 1

    def is_anywhere(self, _: SiteBlock) -> bool:
        """Its place does not matter."""
        return True

    def is_of_a_kind(self, block: SiteBlock) -> bool:
        """Whether a near relative stands on another page."""
        return len(self.standing[block.name]) > 1

    def is_shared(self, _: SiteBlock) -> bool:
        """Nothing that recurs is content."""
        return False


@dataclass(frozen=True)
class Weighed:
    """From how common a block is, and from what is known of the places of the site."""

    contents: int  # of the site
    standing: Standing
    designs: Sequence[frozenset[int]]  # contents, by the design that they are printed in
    rules: Rules
    places: Places = field(default_factory=Places)

    def share(self, pages: Collection[int]) -> float:
        """The share of the site's pages, or of one of its designs."""
        return max(
            len(pages) / self.contents,
            *(len(design.intersection(pages)) / len(design) for design in self.designs),
            0.0,
        )

    def leads(self, block: SiteBlock) -> bool:
        """Whether a block is there for its links."""
        return block.linked >= self.rules.link_share * block.characters

    def repeats(self, block: SiteBlock) -> bool:
        """Whether a block is template because it recurs as it is."""
        if len(block.contents) < self.rules.min_pages:
            return False
        if self.is_anywhere(block):
            return True
        share = self.share(block.contents)
        if self._fills_a_place_of_content(block, share):
            return False
        return self._is_common_enough(block, share) and not self._belongs_to_content(block)

    def is_anywhere(self, block: SiteBlock) -> bool:
        """Whether a block is template even in a slot of content."""
        share = self.share(block.contents)
        if self.leads(block) and share >= MOST:
            return True
        return share >= NEARLY_ALL and not self._is_label(block)

    def is_of_a_kind(self, block: SiteBlock) -> bool:
        """Whether a block is template because it and its near relatives stand on many pages."""
        standing = self.standing[block.name]
        if len(standing) < self.rules.min_pages or len(standing) == len(block.contents):
            return False
        if block.data or (block.slot in self.places.field_slots and not self.leads(block)):
            return False
        share = self.share(standing)
        if block.heading:  # "3 comments", but not "Chapter 3" above the text
            differs = 2 * len(block.contents) < len(standing)
            return share >= NEARLY_ALL and differs and block.name not in self.places.opening
        if not self._is_common_enough(block, share):
            return False
        return self.leads(block) or not self._is_of_middle(block)

    def is_shared(self, block: SiteBlock) -> bool:
        """Whether a block that is not template is content on several pages."""
        if len(block.contents) < 2 or self.leads(block):
            return False
        least = least_linked(opens=block.opens) * block.characters
        return block.slot not in self.places.link_slots or block.linked < least

    def _is_common_enough(self, block: SiteBlock, share: float) -> bool:
        if block.slot in self.places.content_slots:
            return False
        if self.leads(block):
            return share >= self.rules.link_pages
        needed = self.rules.needed(block.plain)
        if block.name in self.places.among_links:
            needed *= AMONG_LINKS
        return max(share, self.places.commonness.get(block.slot, 0)) >= needed

    def _fills_a_place_of_content(self, block: SiteBlock, share: float) -> bool:
        """Whether a block is one of several texts for its place, in the middle of the page."""
        if self.leads(block) or block.name in self.places.among_links:
            return False
        if block.name not in self.places.in_middle:
            return False
        if len(block.contents) < MOST * self.places.pages[block.slot]:
            return True
        return share < MOST and self._is_amid_content(block)

    def _is_amid_content(self, block: SiteBlock) -> bool:
        container = block.container in self.places.content_containers
        return container and block.name in self.places.in_middle

    def _is_of_middle(self, block: SiteBlock) -> bool:
        """Whether a block, or most of what stands in its slot, is amid the content."""
        if block.container not in self.places.content_containers:
            return False
        return block.name in self.places.in_middle or block.slot in self.places.middle_slots

    def _is_label(self, block: SiteBlock) -> bool:
        """Whether a block is a label or a heading where content is."""
        if not block.heading and block.characters > LABEL:
            return False
        container = block.container in self.places.content_containers
        return container or block.name in self.places.in_middle

    def _belongs_to_content(self, block: SiteBlock) -> bool:
        """Whether a block is a label or a heading of the content around it."""
        return not self.leads(block) and self._is_label(block) and self._is_amid_content(block)
