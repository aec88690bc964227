"""Text that nobody wrote: sentences of made-up words, the same for the same seed."""

from __future__ import annotations

from random import Random

_ONSETS = "b br c ch d dr f fl g gr h j k l m n p pl pr r s sh sl st t th tr v w".split()
_VOWELS = "a e i o u ai ea ee ie oa ou".split()
_CODAS = "b ck d g l ll m n nd ng nt p r rd rm rn s st t th x".split()
_GERMAN_CODAS = "b ch d g l lf m n nd ng nz p r rt s st t tz ung heit".split()


class Prose:
    """A writer with a vocabulary of its own."""

    def __init__(self, seed: object, codas: list[str] = _CODAS, words: int = 3_000) -> None:
        vocabulary = Random(f"words {codas[1]}")  # noqa: S311  one language has one vocabulary
        self.random = Random(f"text {seed}")  # noqa: S311
        self._words = ["".join(self._syllable(vocabulary, codas) for _ in range(n)) for n in (1, 2, 2, 3)
                       for _ in range(words // 4)]  # fmt: skip
        # Words of a real text: some are frequent, most are rare.
        self._weights = [1 / (place + 3) for place in range(len(self._words))]
        vocabulary.shuffle(self._words)

    @staticmethod
    def _syllable(random: Random, codas: list[str]) -> str:
        return random.choice(_ONSETS) + random.choice(_VOWELS) + (random.choice(codas) if random.random() < 0.6 else "")

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
        month = self.random.choice("January February March April May June July August September October".split())
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
