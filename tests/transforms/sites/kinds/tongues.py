"""Made-up words in other scripts and languages, and the marks that say what a text is."""

from __future__ import annotations

from functools import cache
from random import Random

from kinds.prose import Prose

Site = dict[str, str]
# Attributes, to be written into a tag: <p{C}>
C, S, E = (f' data-is="{mark}"' for mark in ("content", "shared", "either"))

_SYLLABLES: dict[str, tuple[list[str], list[str], list[str]]] = {  # beginnings, middles, ends
    "russian": (
        [*"бвгджзклмнпрстфхцчш", "ст", "пр", "кр", "гл", "вл", "св", "тр"],
        [*"аеиоуыяёю"],
        ["", "", "", "", *"нлртмйкв", "ть", "сть", "ск"],
    ),
    "french": (
        [*"bcdfgjlmnprstv", "ch", "gr", "pl", "qu", "tr", "br"],
        [*"aeiouéè", "ai", "eau", "ou", "oi", "an", "on", "in"],
        ["", "", "", "", *"rlst", "nt", "lle", "tte", "que", "re", "sse"],
    ),
    "german": (
        [*"bdfghklmnprstwz", "sch", "st", "br", "gr", "kl", "tr"],
        [*"aeiouäöü", "ei", "au", "ie"],
        ["", "", *"nrtß", "cht", "ng", "ll", "ck", "rt", "ss", "nd", "st", "lich", "ung"],
    ),
}


@cache
def _vocabulary(language: str) -> list[str]:
    random = Random(f"vocabulary {language}")
    onsets, vowels, codas = _SYLLABLES[language]
    words = [
        "".join(random.choice(onsets) + random.choice(vowels) + random.choice(codas) for _ in range(size))
        for size in (1, 2, 2, 3)
        for _ in range(700)
    ]
    random.shuffle(words)
    return words


class Tongue(Prose):
    """A writer in Russian, French or German."""

    def __init__(self, language: str, seed: object) -> None:
        self.random = Random(f"{language} {seed}")
        self._words = _vocabulary(language)
        self._weights = [1 / (place + 3) for place in range(len(self._words))]


class Chinese(Prose):
    """A writer who puts no blanks between words."""

    def __init__(self, seed: object) -> None:
        self.random = Random(f"chinese {seed}")
        # The signs from U+4E00 on are in the order of their radicals: every ninth looks like a text.
        self._signs = [chr(place) for place in range(0x4E00, 0x9000, 9)]
        self._weights = [1 / (place + 30) for place in range(len(self._signs))]
        Random("signs").shuffle(self._signs)

    def words(self, count: int) -> str:
        """Signs, two a word."""
        return "".join(self.random.choices(self._signs, self._weights, k=2 * count))

    def sentence(self, least: int = 6, most: int = 18) -> str:
        """One sentence with a comma in it."""
        return f"{self.words(self.random.randint(least, most) // 2)}，{self.words(least)}。"

    def sentences(self, least: int = 2, most: int = 5) -> str:
        """The sentences of a paragraph."""
        return "".join(self.sentence() for _ in range(self.random.randint(least, most)))

    def date(self) -> str:
        """A day."""
        return f"{self.number(2009, 2024)}年{self.number(1, 12)}月{self.number(1, 28)}日"


def items(texts: list[str], tag: str = "li") -> str:
    """A row of elements."""
    return "".join(f"<{tag}>{text}</{tag}>" for text in texts)


def menu(names: str, item: str = '<li><a href="/{slug}">{name}</a></li>') -> str:
    """A row of links, from names with commas between them."""
    return "".join(item.format(slug=name.lower().replace(" ", "-"), name=name) for name in names.split(", "))
