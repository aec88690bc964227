"""The template of a site: what it repeats, with the reasons. A value that is written, read, compared and applied."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from transforms.exceptions import NotATemplate
from transforms.trees import Tree, decode

FORMAT, VERSION = "winnow-templates", 1
# Of a template: blocks beyond are left out, the rarest first.
MOST_BLOCKS, MOST_TREES = 3_000, 300
PACKING_LEVEL = 6


@dataclass(frozen=True)
class Rules:
    """When a block is redundant. Chosen by measurement: docs/algorithms.md."""

    min_pages: int = 3  # with different content, that it or a near relative stands on
    min_contents: int = 4  # of a site, below which nothing is said of it
    tau: float = 0.15  # edit distance, divided by the size of the larger tree, of near relatives
    same_text: float = 0.5  # of the characters of near relatives, that are the same
    content_slot: float = 0.5  # of a slot's text, that is repeated; below, what recurs there is content: field labels
    link_share: float = 0.4  # of a slot's text that is not repeated, in links; from there on it leads elsewhere


RULES = Rules()


class Repeated(NamedTuple):
    """A block that a site repeats."""

    pages: int  # with different content, that it or a near relative stands on
    slot: int
    text: str  # how it begins, for people
    examples: tuple[str, ...]  # two pages that it stands on
    distance: int = 0  # to the near relative that made it redundant; 0 if it recurs as it is
    tree: bytes | None = None  # encoded; of those that stand for their near relatives
    lengths: Mapping[int, int] = {}


class LinkSlot(NamedTuple):
    """A place whose blocks differ from page to page and lead elsewhere."""

    pages: int
    share: float  # of its text in links
    text: str
    examples: tuple[str, ...]


@dataclass(frozen=True)
class Template:
    """What is known of a site."""

    site: str
    pages: int = 0  # that it was learned from
    contents: int = 0  # different ones among them
    repeated: Mapping[int, Repeated] = field(default_factory=dict)  # by fingerprint
    content_slots: frozenset[int] = frozenset()  # in which even what recurs is content
    link_slots: Mapping[int, LinkSlot] = field(default_factory=dict)  # by slot
    undecided: int = 0  # comparisons, blocks and trees that a budget left out
    rules: Rules = field(default_factory=Rules)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is removed by it."""
        return not self.repeated and not self.link_slots

    @cached_property
    def relatives(self) -> Mapping[int, list[tuple[int, Tree]]]:
        """The blocks that stand for their near relatives, by the label of their root: fingerprint and tree."""
        found: dict[int, list[tuple[int, Tree]]] = {}
        for fingerprint, block in sorted(self.repeated.items()):  # equal templates have one order
            if block.tree is not None:
                tree = decode(block.tree)
                found.setdefault(int(tree.labels[-1]), []).append((fingerprint, tree))
        return found

    def packed(self, *, explaining: bool) -> str:
        """For the workers that apply it: short, and without what only explanations need unless they are wanted."""
        template = self
        if not explaining:
            repeated = {name: block._replace(text="", examples=()) for name, block in self.repeated.items()}
            links = {slot: entry._replace(text="", examples=()) for slot, entry in self.link_slots.items()}
            template = replace(self, repeated=repeated, link_slots=links)
        return base64.b64encode(zlib.compress(template.encode().encode(), PACKING_LEVEL)).decode("ascii")

    @classmethod
    def unpacked(cls, packed: str) -> Template:
        """The template that was packed."""
        return cls.decode(zlib.decompress(base64.b64decode(packed)))

    def encode(self) -> str:
        """One line of JSON; the same for the same template."""
        return json.dumps(self.as_dict(), ensure_ascii=False, separators=(",", ":"))

    def as_dict(self) -> dict[str, Any]:
        """For people and machines."""
        return {
            "site": self.site,
            "pages": self.pages,
            "contents": self.contents,
            "rules": self.rules.__dict__,
            "undecided": self.undecided,
            "repeated": [_written(name, block) for name, block in sorted(self.repeated.items())],
            "content_slots": [_hex(slot) for slot in sorted(self.content_slots)],
            "link_slots": [{"slot": _hex(slot), **entry._asdict()} for slot, entry in sorted(self.link_slots.items())],
        }

    @classmethod
    def decode(cls, line: str | bytes) -> Template:
        """The template that `encode` wrote; raises NotATemplate."""
        try:
            values = json.loads(line)
            return cls(
                site=values["site"],
                pages=values["pages"],
                contents=values["contents"],
                repeated=dict(map(_read, values["repeated"])),
                content_slots=frozenset(int(slot, 16) for slot in values["content_slots"]),
                link_slots={
                    int(entry["slot"], 16): LinkSlot(
                        entry["pages"], entry["share"], entry["text"], tuple(entry["examples"])
                    )
                    for entry in values["link_slots"]
                },
                undecided=values["undecided"],
                rules=Rules(**values["rules"]),
            )
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise NotATemplate(f"this line is no template of a site: {error!r}") from error


def header() -> str:
    """The first line of a file of templates."""
    return json.dumps({"format": FORMAT, "version": VERSION})


def check_header(line: str | bytes) -> None:
    """Raise NotATemplate unless this is the first line of a file of templates that can be read here."""
    try:
        values = json.loads(line)
        known = values["format"] == FORMAT
    except (KeyError, TypeError, ValueError):
        known = False
    if not known:
        raise NotATemplate(f"this is no file of templates: its first line is not {header()}")
    if values.get("version") != VERSION:
        raise NotATemplate(f"this file of templates has version {values.get('version')}; version {VERSION} can be read")


def _hex(number: int) -> str:
    return f"{number:016x}"


def _written(fingerprint: int, block: Repeated) -> dict[str, Any]:
    written: dict[str, Any] = {
        "fingerprint": _hex(fingerprint),
        "slot": _hex(block.slot),
        "pages": block.pages,
        "distance": block.distance,
        "text": block.text,
        "examples": list(block.examples),
    }
    if block.tree is not None:
        written["tree"] = base64.b64encode(block.tree).decode("ascii")
        written["lengths"] = {str(label): length for label, length in sorted(block.lengths.items())}
    return written


def _read(entry: Mapping[str, Any]) -> tuple[int, Repeated]:
    tree = base64.b64decode(entry["tree"]) if "tree" in entry else None
    lengths = {int(label): length for label, length in entry.get("lengths", {}).items()}
    block = Repeated(
        entry["pages"],
        int(entry["slot"], 16),
        entry["text"],
        tuple(entry["examples"]),
        entry["distance"],
        tree,
        lengths,
    )
    return int(entry["fingerprint"], 16), block
