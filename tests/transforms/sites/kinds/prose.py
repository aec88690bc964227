"""Text that nobody wrote: sentences of made-up words, the same for the same seed."""

from __future__ import annotations

from functools import cache
from random import Random


def _spelled(sounds: str) -> list[str]:
    return sounds.split()


_ONSETS = _spelled("b br c ch d dr f fl g gr h j k l m n p pl pr r s sh sl st t th tr v w")
_VOWELS = _spelled("a e i o u ai ea ee ie oa ou")
_CODAS = _spelled("b ck d g l ll m n nd ng nt p r rd rm rn s st t th x")
_GERMAN_CODAS = _spelled("b ch d g l lf m n nd ng nz p r rt s st t tz ung heit")
_MONTHS = _spelled("January February March April May June July August September October")


@cache
def _vocabulary(codas: tuple[str, ...], words: int) -> tuple[list[str], list[float]]:
    """The words of a language, and how frequent each is: some are frequent, most are rare, as in a real text."""
    random = Random(f"words {codas[1]}")

    def syllable() -> str:
        return random.choice(_ONSETS) + random.choice(_VOWELS) + (random.choice(codas) if random.random() < 0.6 else "")

    made = ["".join(syllable() for _ in range(size)) for size in (1, 2, 2, 3) for _ in range(words // 4)]
    random.shuffle(made)
    return made, [1 / (place + 3) for place in range(len(made))]


class Prose:
    """A writer with a vocabulary of its own."""

    def __init__(self, seed: object, codas: list[str] = _CODAS, words: int = 3_000) -> None:
        self.random = Random(f"text {seed}")
        self._words, self._weights = _vocabulary(tuple(codas), words)

    def words(self, count: int) -> str:
        """Some words."""
        return " ".join(self.random.choices(self._words, self._weights, k=count))

    def title(self, least: int = 3, most: int = 7) -> str:
        """A headline."""
        return self.words(self.random.randint(least, most)).capitalize()

    def name(self) -> str:
        """A person or a place."""
        return self.words(2).title()

    def sentence(self, least: int = 6, most: int = 18) -> str:
        """One sentence."""
        return self.words(self.random.randint(least, most)).capitalize() + "."

    def sentences(self, least: int = 2, most: int = 5) -> str:
        """The sentences of a paragraph."""
        return " ".join(self.sentence() for _ in range(self.random.randint(least, most)))

    def paragraphs(self, least: int = 2, most: int = 5) -> str:
        """Paragraphs as HTML."""
        return "".join(f"<p>{self.sentences()}</p>" for _ in range(self.random.randint(least, most)))

    def date(self) -> str:
        """A day."""
        month = self.random.choice(_MONTHS)
        return f"{self.random.randint(1, 28)} {month} {self.random.randint(2009, 2024)}"

    def number(self, least: int = 2, most: int = 9_999) -> int:
        """A number."""
        return self.random.randint(least, most)

    def slug(self) -> str:
        """A name in an address."""
        return self.words(2).replace(" ", "-")


def german(seed: object) -> Prose:
    """A writer in another language."""
    return Prose(seed, _GERMAN_CODAS)
