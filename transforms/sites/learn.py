"""From a sample of a site's pages to its template.

*Template* is what a site prints around its content. That a block recurs is not enough: a product's description, a
quoted review, a thread's first post are content on several pages, *shared* by them. `judges` weigh the evidence for
each block of the sample; what differs from page to page, but in a slot whose text is links, leads elsewhere (related
articles).

Pages with the same content count once, and below `min_contents` different contents nothing is learned.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from transforms.sites.contents import contents
from transforms.sites.generations import generations
from transforms.sites.judges import Judge, Known, Ours, Published, Standing
from transforms.sites.places import alike_content, places
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


def learn(site: str, sketches: Iterable[Sketch], rules: Rules = RULES) -> Template:
    """The template of a site, from sketches of its pages in any order."""
    pages = sorted(sketches, key=_order)
    content = list(range(len(pages))) if rules.as_published else contents(pages)
    different = len(set(content))
    known = Template(site, len(pages), different, rules=rules)
    if different < rules.min_contents:
        return known
    blocks = _gathered(pages, content)
    kin = related(_candidates(blocks, rules, _rows(pages)), rules)
    standing = _standing(blocks, kin)
    judge: Judge = Published(standing) if rules.as_published else _judge(pages, content, standing, rules, blocks)
    repeated = {name: block for name, block in blocks.items() if judge.repeats(block)}
    near = {name: block for name, block in blocks.items() if name not in repeated and judge.is_of_a_kind(block)}
    shared = {
        name: block
        for name, block in blocks.items()
        if name not in repeated and name not in near and judge.is_shared(block)
    }
    kinds = _kinds(near, standing, kin)
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
            for name, block in _most_common(shared, MOST_SHARED)
        },
        content_slots=judge.places.content_slots,
        link_slots=judge.places.link_slots,
        undecided=kin.undecided + left_out,
    )


def _order(page: Sketch) -> tuple[str, bytes, bytes, bytes]:
    """Pages that are equal in this are so in all that counts."""
    return page.url, page.digest, page.fingerprint.tobytes(), page.slot.tobytes()


def _gathered(pages: Sequence[Sketch], content: Sequence[int]) -> dict[int, Known]:
    blocks: dict[int, Known] = {}
    for page, number in zip(pages, content, strict=True):
        columns = (page.slot, page.container, page.blanked, page.characters, page.linked, page.digits, page.heading)
        rows = zip(*(column.tolist() for column in columns), page.samples, strict=True)
        for place, (name, row) in enumerate(zip(page.fingerprint.tolist(), rows, strict=True)):
            block = blocks.get(name)
            if block is None:
                block = blocks[name] = Known(name, *row)
            block.contents.setdefault(number, page)
            if block.shaped is None and place in page.trees:
                tree = decode(page.trees[place])
                lengths = {label: page.texts[label] for label in tree.labels.tolist() if label in page.texts}
                block.shaped = Shaped(name, tree, lengths)
    return blocks


def _rows(pages):
    from collections import Counter
    n=Counter(); p=Counter()
    for page in pages:
        c=Counter(page.slot.tolist()); n.update(c); p.update(c.keys())
    return {s for s in n if n[s]>=V_ROWS*p[s]} if V_ROWS else set()


V_ROWS=0


def _candidates(blocks: Mapping[int, Known], rules: Rules, rows) -> Iterator[Candidate]:
    """The blocks that may have near relatives. A heading has those only that differ from it in numbers."""
    for name, block in blocks.items():
        if block.slot in rows and not rules.as_published and block.linked < .5*block.characters and not block.heading:
            continue
        if rules.as_published or says_enough(block.characters, block.digits, heading=block.heading):
            said = "" if block.heading else block.said
            yield Candidate(name, block.slot, block.blanked, said, None if said or block.heading else block.shaped)


def _standing(blocks: Mapping[int, Known], kin: Kin) -> Standing:
    together: dict[int, set[int]] = defaultdict(set)
    for name, block in blocks.items():
        together[kin.of(name)] |= block.contents.keys()
    return {name: together[kin.of(name)] for name in blocks}


def _judge(pages: Sequence[Sketch], content: Sequence[int], standing: Standing, rules: Rules, blocks) -> Ours:
    """Who judges the blocks of a site, with all there is to know of its places."""
    numbers = sorted(set(content))
    firsts = [pages[number] for number in numbers]
    houses = [frozenset(numbers[place] for place in house) for house in generations(firsts)]
    judge = Ours(len(numbers), standing, [house for house in houses if len(house) >= rules.min_contents], rules)
    alike = alike_content(
        firsts, lambda name: len(blocks[name].contents), lambda name: len(standing[name]), rules
    )
    counted = {
        name: block.contents.keys() if block.heading or block.slot in alike else standing[name]
        for name, block in blocks.items()
    }
    found = places(firsts, lambda name: len(counted[name]), lambda name: judge.share(counted[name]), rules)
    return replace(judge, places=replace(found, content_slots=found.content_slots | alike))


def _most_common(blocks: Mapping[int, Known], most: int) -> list[tuple[int, Known]]:
    return sorted(blocks.items(), key=lambda item: (-len(item[1].contents), item[0]))[:most]


def _kinds(near: Mapping[int, Known], standing: Standing, kin: Kin) -> list[Kind]:
    """Some blocks of each kind, those that stand on the most pages, to know others by."""
    forms: dict[int, set[int]] = defaultdict(set)
    kinds = []
    for name, block in _most_common(near, len(near)):
        form = forms[kin.of(name)]
        if len(form) == FORMS or block.blanked in form:
            continue
        form.add(block.blanked)
        shaped = None if block.said else block.shaped
        tree, lengths = (shaped.tree.encode(), dict(shaped.lengths)) if shaped else (None, {})
        pages = len(standing[name])
        kinds.append(Kind(pages, block.slot, block.shown, block.examples, block.blanked, block.said, tree, lengths))
    return sorted(kinds, key=lambda kind: -kind.pages)
