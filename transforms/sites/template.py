"""The template of a site: what it prints around its content, with the reasons. A value that is written and applied."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from transforms.exceptions import NotATemplate

FORMAT, VERSION = "winnow-templates", 2
# Of a template: blocks beyond are left out, the rarest first.
MOST_BLOCKS, MOST_KINDS, MOST_SHARED = 3_000, 300, 3_000
PACKING_LEVEL = 6


@dataclass(frozen=True)
class Rules:
    """When a block is template. Chosen by measurement: docs/algorithms.md."""

    min_pages: int = 3  # with different content, that it stands on
    min_contents: int = 4  # of a site, below which nothing is said of it
    tau: float = 0.15  # edit distance, divided by the size of the larger tree, of near relatives
    same_text: float = 0.7  # of the characters of near relatives, that are the same
    text_distance: float = 0.2  # of the letters of short near relatives, that differ
    link_share: float = 0.5  # of a block's text, in links; from there on it leads elsewhere
    link_pages: float = 0.1  # of the site's, that a block which leads elsewhere stands on
    plain_pages: float = 0.1  # of the site's, that any other block stands on, and ...
    plain_length: int = 800  # ... one more page in so many for each character that it is long, up to ...
    most_pages: float = 0.7  # ... so many, which are always enough
    content_slot: float = 0.5  # of a slot's text, that recurs; below, what recurs there is content
    as_published: bool = False  # seeds/002: whatever emerges in another page of the site goes

    def needed(self, characters: int) -> float:
        """The share of a site's pages on which a block with so many characters outside links must stand."""
        # Rounded: 0.1 + 40 / 800 is a little more than 3 / 20 in binary.
        return round(min(self.plain_pages + characters / self.plain_length, self.most_pages), 9)


RULES = Rules()
PAPER = Rules(min_pages=2, min_contents=2, same_text=0.0, as_published=True)


class Repeated(NamedTuple):
    """A block that a site prints around its content."""

    pages: int  # with different content, that it stands on
    slot: int
    text: str  # how it begins, for people
    examples: tuple[str, ...]  # two pages that it stands on
    anywhere: bool = False  # whether it is so even where content stands


class Kind(NamedTuple):
    """A block that stands for its near relatives: what the site prints, each time with another number or name."""

    pages: int  # with different content, that it or a near relative stands on
    slot: int
    text: str
    examples: tuple[str, ...]
    blanked: int  # its fingerprint without numbers
    said: str  # its text without numbers, if it is short
    tree: bytes | None  # encoded, if it is not
    lengths: Mapping[int, int]


class Shared(NamedTuple):
    """A block that is content on several pages."""

    pages: int
    first: str  # the digest of the page with the least address among them
    text: str
    examples: tuple[str, ...]


class LinkSlot(NamedTuple):
    """A place whose blocks differ from page to page and lead elsewhere."""

    pages: int
    share: float  # of its text in links
    text: str
    examples: tuple[str, ...]
    usual: int = 0  # characters that stand there


@dataclass(frozen=True)
class Template:
    """What is known of a site."""

    site: str
    pages: int = 0  # that it was learned from
    contents: int = 0  # different ones among them
    repeated: Mapping[int, Repeated] = field(default_factory=dict)  # by fingerprint
    kinds: tuple[Kind, ...] = ()
    shared: Mapping[int, Shared] = field(default_factory=dict)  # by fingerprint
    content_slots: frozenset[int] = frozenset()  # in which even what recurs is content
    link_slots: Mapping[int, LinkSlot] = field(default_factory=dict)  # by slot
    undecided: int = 0  # comparisons, blocks and trees that a budget left out
    rules: Rules = field(default_factory=Rules)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is removed by it, and nothing shared."""
        return not (self.repeated or self.kinds or self.link_slots or self.shared)

    @cached_property
    def kinds_by_slot(self) -> Mapping[int, list[Kind]]:
        """The blocks that stand for others, by where they stand."""
        found: dict[int, list[Kind]] = {}
        for kind in self.kinds:
            found.setdefault(kind.slot, []).append(kind)
        return found

    @cached_property
    def kinds_by_text(self) -> Mapping[int, list[int]]:
        """The places in `kinds` of those that have a tree, by the labels of their texts."""
        found: dict[int, list[int]] = {}
        for place, kind in enumerate(self.kinds):
            for label in kind.lengths:
                found.setdefault(label, []).append(place)
        return found

    def packed(self, *, explaining: bool) -> str:
        """For the workers that apply it: short, and without what only explanations need unless they are wanted."""
        template = (
            self
            if explaining
            else replace(
                self,
                repeated={name: block._replace(text="", examples=()) for name, block in self.repeated.items()},
                kinds=tuple(kind._replace(text="", examples=()) for kind in self.kinds),
                shared={name: block._replace(text="", examples=()) for name, block in self.shared.items()},
                link_slots={slot: entry._replace(text="", examples=()) for slot, entry in self.link_slots.items()},
            )
        )
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
            "repeated": [
                {"fingerprint": _hex(name), **_written(block)} for name, block in sorted(self.repeated.items())
            ],
            "kinds": [_written(kind) for kind in self.kinds],
            "shared": [{"fingerprint": _hex(name), **_written(block)} for name, block in sorted(self.shared.items())],
            "content_slots": [_hex(slot) for slot in sorted(self.content_slots)],
            "link_slots": [{"slot": _hex(slot), **_written(entry)} for slot, entry in sorted(self.link_slots.items())],
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
                repeated=_by("fingerprint", values["repeated"], Repeated),
                kinds=tuple(Kind(**_read(entry)) for entry in values["kinds"]),
                shared=_by("fingerprint", values["shared"], Shared),
                content_slots=frozenset(int(slot, 16) for slot in values["content_slots"]),
                link_slots=_by("slot", values["link_slots"], LinkSlot),
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


_Entry = TypeVar("_Entry", Repeated, Shared, LinkSlot)


def _written(entry: NamedTuple) -> dict[str, Any]:
    """The fields of an entry as JSON has them."""
    written = entry._asdict()
    for name in written.keys() & {"slot", "blanked"}:
        written[name] = _hex(written[name])
    if "tree" in written:
        written["tree"] = base64.b64encode(written["tree"]).decode("ascii") if written["tree"] else None
        written["lengths"] = {str(label): length for label, length in sorted(written["lengths"].items())}
    return written


def _read(written: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that `_written` wrote."""
    values = {**written, "examples": tuple(written["examples"])}
    for name in values.keys() & {"slot", "blanked"}:
        values[name] = int(values[name], 16)
    if "tree" in values:
        values["tree"] = base64.b64decode(values["tree"]) if values["tree"] else None
        values["lengths"] = {int(label): length for label, length in values["lengths"].items()}
    return values


def _by(name: str, entries: Iterable[Mapping[str, Any]], kind: type[_Entry]) -> dict[int, _Entry]:
    """Entries by what names them."""
    found = {}
    for entry in entries:
        named = {key: value for key, value in entry.items() if key != name}
        found[int(entry[name], 16)] = kind(**_read(named))
    return found
