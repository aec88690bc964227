"""Who says which blocks of a site are template, and why.

Evidence for template is

- on what share of the site's pages a block stands, itself or a near relative: the longer its text outside links, the
  more are needed; links that recur lead elsewhere, and are needed on few;
- where it stands (`places`): amid the content, or in a slot that mostly says something new, it is content unless it
  stands nearly everywhere.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from transforms.sites.places import EXAMPLES, MOST, Places
from transforms.sites.relatives import Shaped, without_numbers
from transforms.sites.sketch import SAMPLE, Sketch
from transforms.sites.template import Rules

V_FILL,V_AMID,V_CONT,V_FANY=.5,.5,0,0
# Characters of a label: what is as short and stands amid content belongs to it.
LABEL = 40
# What stands on so many of the pages is template, whatever is around it.
NEARLY_ALL = 0.9
# What stands between links is needed on half as many pages: the words of a teaser.
AMONG_LINKS = 0.5
SHOWN = 60  # characters, for people


@dataclass
class Known:
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
    def said(self) -> str:
        """All it says but for numbers, if that is short."""
        return without_numbers(self.text) if self.characters < SAMPLE else ""

    @property
    def first(self) -> Sketch:
        """The page with the least address that it stands on."""
        return self.contents[min(self.contents)]

    @property
    def examples(self) -> tuple[str, ...]:
        return tuple(self.contents[content].url for content in sorted(self.contents)[:EXAMPLES])


Standing = Mapping[int, Collection[int]]  # by fingerprint, the contents that it or a near relative stands on


class Judge(Protocol):
    """Says of a block what it is."""

    @property
    def places(self) -> Places:
        """What is known of the places of the site."""

    def repeats(self, block: Known) -> bool:
        """Whether a block is template because it recurs as it is."""

    def is_anywhere(self, block: Known) -> bool:
        """Whether a block that repeats is template even in a slot of content."""

    def is_of_a_kind(self, block: Known) -> bool:
        """Whether a block is template because it and its near relatives, together, stand on so many pages."""

    def is_shared(self, block: Known) -> bool:
        """Whether a block that is not template is content on several pages."""


@dataclass(frozen=True)
class Published:
    """As in seeds/002: whatever emerges in another page of the site is template."""

    standing: Standing
    places: Places = field(default_factory=Places)

    def repeats(self, block: Known) -> bool:
        """Whether a block stands on two pages as it is."""
        return len(block.contents) > 1

    def is_anywhere(self, _: Known) -> bool:
        """Its place does not matter."""
        return True

    def is_of_a_kind(self, block: Known) -> bool:
        """Whether a near relative stands on another page."""
        return len(self.standing[block.name]) > 1

    def is_shared(self, _: Known) -> bool:
        """Nothing that recurs is content."""
        return False


@dataclass(frozen=True)
class Ours:
    """From how common a block is, and from what is known of the places of a site."""

    contents: int  # of the site
    standing: Standing
    houses: Sequence[frozenset[int]]  # contents, by what is printed around them
    rules: Rules
    places: Places = field(default_factory=Places)

    def share(self, pages: Collection[int]) -> float:
        """Of the pages of the site, or of one house of it."""
        return max(
            len(pages) / self.contents,
            *(len(house.intersection(pages)) / len(house) for house in self.houses),
            0.0,
        )

    def leads(self, block: Known) -> bool:
        """Whether a block is there for its links."""
        return block.linked >= self.rules.link_share * block.characters

    def repeats(self, block: Known) -> bool:
        """Whether a block is template because it recurs as it is."""
        if len(block.contents) < self.rules.min_pages:
            return False
        if self.is_anywhere(block):
            return True
        share = self.share(block.contents)
        if V_FILL and not self.leads(block) and (V_FANY or block.name in self.places.amid_content) and block.name not in self.places.among_links and len(block.contents) < V_FILL * self.places.pages[block.slot]:
            return False
        if V_AMID and not self.leads(block) and block.name not in self.places.among_links and self._is_amid_content(block) and share < V_AMID:
            return False
        enough = self._is_common_enough(block, share)
        return enough and not self._belongs_to_content(block)

    def is_anywhere(self, block: Known) -> bool:
        """Whether a block is template even in a slot of content."""
        share = self.share(block.contents)
        if self.leads(block) and share >= MOST:
            return True
        return share >= NEARLY_ALL and not self._is_label(block)

    def is_of_a_kind(self, block: Known) -> bool:
        """Whether a block is template because it and its near relatives, together, stand on so many pages."""
        standing = self.standing[block.name]
        if len(standing) < self.rules.min_pages:
            return False
        share = self.share(standing)
        if block.heading:  # "3 comments", but not "Chapter 3" above the text
            return (
                share >= NEARLY_ALL
                and block.name not in self.places.opening
                and 2 * len(block.contents) < len(standing)
            )
        return self._is_common_enough(block, share) and (self.leads(block) or not self._is_amid_content(block))

    def is_shared(self, block: Known) -> bool:
        """Whether a block that is not template is content on several pages."""
        return len(block.contents) > 1 and not self.leads(block)

    def _is_common_enough(self, block: Known, share: float) -> bool:
        if block.slot in self.places.content_slots:
            return False
        if self.leads(block):
            return share >= self.rules.link_pages
        needed = self.rules.needed(block.plain) * (AMONG_LINKS if block.name in self.places.among_links else 1)
        return max(share, self.places.common.get(block.slot, 0)) >= needed

    def _is_amid_content(self, block: Known) -> bool:
        return (V_CONT or block.container in self.places.content_containers) and block.name in self.places.amid_content

    def _is_label(self, block: Known) -> bool:
        """Whether a block is a label or a heading, and where content is."""
        return (block.heading or block.characters <= LABEL) and (
            block.container in self.places.content_containers or block.name in self.places.amid_content
        )

    def _belongs_to_content(self, block: Known) -> bool:
        """Whether a block is a label or a heading of the content around it."""
        return not self.leads(block) and self._is_label(block) and self._is_amid_content(block)
