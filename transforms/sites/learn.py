"""From a sample of a site's pages to its template.

*Template* is what a site prints around its content. That a block recurs is not enough: a product's
description, a quoted review, a thread's first post are content on several pages, *shared* by them.
`evidence` weighs what is known of each block of the sample; what differs from page to page, but in
a slot whose text is links, leads elsewhere (related articles).

Pages with the same content count once, and below `min_contents` different contents nothing is
learned.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from transforms.sites.contents import contents
from transforms.sites.designs import designs
from transforms.sites.evidence import AsPublished, Evidence, SiteBlock, Standing, Weighed, examples_of
from transforms.sites.places import Places, alike_content, places
from transforms.sites.relatives import Candidate, Kin, Shaped, related, says_enough
from transforms.sites.sketch import Sketch
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

# Of one kind, blocks that stand for it: it may be printed in several forms.
FORMS = 3
# Pages that have more than this share of their text outside links in common are no design of their
# own: they are one page in several versions.
IN_COMMON = 0.7
# What leads elsewhere is known after a first look at the places; the second one leaves it aside.
LOOKS = 2

Blocks = Mapping[int, SiteBlock]  # by fingerprint


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
    standing = _standing(blocks, kin)
    if rules.as_published:
        evidence: Evidence = AsPublished(standing)
    else:
        evidence = _weighed(pages, content, blocks, standing, rules)
    return _template(known, blocks, evidence, kin, sum(page.left_out for page in pages))


def _template(known: Template, blocks: Blocks, evidence: Evidence, kin: Kin, left_out: int) -> Template:
    repeated, near, shared = _sorted_out(blocks, evidence)
    kinds = _kinds(near, evidence.standing, kin)
    for some, most in ((repeated, MOST_BLOCKS), (kinds, MOST_KINDS)):
        left_out += max(len(some) - most, 0)
    return replace(
        known,
        repeated={
            name: Repeated(
                len(block.contents),
                block.slot,
                block.shown,
                block.examples,
                evidence.is_anywhere(block),
            )
            for name, block in _most_common(repeated, MOST_BLOCKS)
        },
        kinds=tuple(kinds[:MOST_KINDS]),
        shared={
            name: Shared(len(block.contents), block.first.digest.hex(), block.shown, block.examples)
            for name, block in _most_common(shared, MOST_SHARED)
        },
        content_slots=evidence.places.content_slots,
        link_slots=evidence.places.link_slots,
        undecided=kin.undecided + left_out,
    )


def _sorted_out(blocks: Blocks, evidence: Evidence) -> tuple[Blocks, Blocks, Blocks]:
    """The blocks that are template as they are, those that are by their relatives, and shared ones."""
    repeated: dict[int, SiteBlock] = {}
    near: dict[int, SiteBlock] = {}
    shared: dict[int, SiteBlock] = {}
    for name, block in blocks.items():
        if evidence.repeats(block):
            repeated[name] = block
        elif evidence.is_of_a_kind(block):
            near[name] = block
        elif evidence.is_shared(block):
            shared[name] = block
    return repeated, near, shared


def _order(page: Sketch) -> tuple[str, bytes, bytes, bytes]:
    """Pages that are equal in this are so in all that counts."""
    return page.url, page.digest, page.fingerprint.tobytes(), page.slot.tobytes()


def _gathered(pages: Sequence[Sketch], content: Sequence[int]) -> dict[int, SiteBlock]:
    blocks: dict[int, SiteBlock] = {}
    for page, number in zip(pages, content, strict=True):
        columns = (
            page.slot,
            page.container,
            page.blanked,
            page.characters,
            page.linked,
            page.digits,
            page.heading,
            page.opens,
            page.data,
        )
        rows = zip(*(column.tolist() for column in columns), page.samples, strict=True)
        for place, (name, row) in enumerate(zip(page.fingerprint.tolist(), rows, strict=True)):
            block = blocks.get(name)
            if block is None:
                block = blocks[name] = SiteBlock(name, *row)
            block.contents.setdefault(number, page)
            if block.shaped is None and place in page.trees:
                tree = decode(page.trees[place])
                labels = tree.labels.tolist()
                lengths = {label: page.texts[label] for label in labels if label in page.texts}
                block.shaped = Shaped(name, tree, lengths)
    return blocks


def _candidates(blocks: Blocks, rules: Rules) -> Iterator[Candidate]:
    """The blocks that may have near relatives.

    A heading has only those that differ from it in numbers.
    """
    for name, block in blocks.items():
        if rules.as_published or says_enough(block.characters, block.digits, heading=block.heading):
            said = "" if block.heading else block.said
            shaped = None if said or block.heading else block.shaped
            yield Candidate(name, block.slot, block.blanked, said, shaped)


def _standing(blocks: Blocks, kin: Kin) -> Standing:
    together: dict[int, dict[int, Sketch]] = defaultdict(dict)
    for name, block in blocks.items():
        for content, page in block.contents.items():
            together[kin.of(name)].setdefault(content, page)
    return {name: together[kin.of(name)] for name in blocks}


def _weighed(
    pages: Sequence[Sketch],
    content: Sequence[int],
    blocks: Blocks,
    standing: Standing,
    rules: Rules,
) -> Weighed:
    """The evidence of a site, with all there is to know of its places."""
    numbers = sorted(set(content))
    firsts = [pages[number] for number in numbers]
    printed = [frozenset(numbers[place] for place in design) for design in designs(firsts)]
    printed = [
        design for design in printed if len(design) >= rules.min_contents and _says_enough(design, pages, blocks)
    ]
    evidence = Weighed(len(numbers), standing, printed, rules)
    alike = alike_content(
        firsts,
        lambda name: len(blocks[name].contents),
        lambda name: len(standing[name]),
        rules,
    )
    counted = {
        name: block.contents.keys() if block.heading or block.slot in alike else standing[name]
        for name, block in blocks.items()
    }
    found = Places()
    for _ in range(LOOKS):
        found = places(
            firsts,
            lambda name: len(counted[name]),
            lambda name: evidence.share(counted[name]),
            rules,
            found.link_slots,
        )
    return replace(evidence, places=replace(found, content_slots=found.content_slots | alike))


def _says_enough(design: frozenset[int], pages: Sequence[Sketch], blocks: Blocks) -> bool:
    """Whether the pages of a design say different things."""
    said = common = 0
    for number in design:
        for name in set(pages[number].fingerprint.tolist()):
            block = blocks[name]
            said += block.plain
            common += block.plain * (len(design & block.contents.keys()) > len(design) / 2)
    return common <= IN_COMMON * said


def _most_common(blocks: Blocks, most: int) -> list[tuple[int, SiteBlock]]:
    return sorted(blocks.items(), key=lambda item: (-len(item[1].contents), item[0]))[:most]


def _kinds(near: Blocks, standing: Standing, kin: Kin) -> list[Kind]:
    """Some blocks of each kind, those that stand on the most pages, to know others by."""
    forms: dict[int, set[int]] = defaultdict(set)
    kinds = []
    for name, block in _most_common(near, len(near)):
        form = forms[kin.of(name)]
        if len(form) == FORMS or block.blanked in form:
            continue
        form.add(block.blanked)
        shaped = None if block.said else block.shaped
        kinds.append(
            Kind(
                pages=len(standing[name]),
                slot=block.slot,
                text=block.shown,
                examples=examples_of(standing[name]),
                blanked=block.blanked,
                said=block.said,
                tree=shaped.tree.encode() if shaped else None,
                lengths=dict(shaped.lengths) if shaped else {},
            )
        )
    return sorted(kinds, key=lambda kind: -kind.pages)
