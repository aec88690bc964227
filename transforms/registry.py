"""The one table of extractors: names, papers, parameters, and the call that runs one."""

from __future__ import annotations

import difflib
import inspect
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from transforms.exceptions import BadParameter, UnknownExtractor
from transforms.links import LEAST_KEPT, unless_too_little
from transforms.page import Page
from transforms.selection import Selection, Spans


@dataclass(frozen=True)
class Within:
    """A number from `low` to `high`, or one of the `words`."""

    low: float
    high: float = math.inf
    words: tuple[str, ...] = ()
    integer: bool = False

    def allows(self, value: object) -> bool:
        """Whether a caller may pass this value."""
        if isinstance(value, str):
            return value in self.words
        if isinstance(value, bool) or not isinstance(value, int if self.integer else (int, float)):
            return False
        return self.low <= value <= self.high  # also false for NaN

    def __str__(self) -> str:
        kind = "a whole number" if self.integer else "a number"
        limit = f"from {self.low:,.6g} to {self.high:,.10g}" if self.high < math.inf else f"of at least {self.low:,.6g}"
        return " or ".join([f"{kind} {limit}", *(repr(word) for word in self.words)])


def whole(low: int, high: int) -> Within:
    """A whole number in this range."""
    return Within(low, high, integer=True)


@dataclass(frozen=True)
class Parameter:
    """One parameter of an extractor, with its paper's default."""

    name: str
    default: float | str
    allowed: Within

    def __str__(self) -> str:
        return f"{self.name}={self.default!r} ({self.allowed})"


@dataclass(frozen=True)
class Extractor:
    """An extractor as the registry knows it."""

    name: str
    paper: str
    summary: str
    parameters: Mapping[str, Parameter]
    choose: Callable[..., Spans]
    least_kept: float = LEAST_KEPT  # see links.py

    def check(self, given: Mapping[str, object]) -> None:
        """Raise BadParameter, saying what is allowed, if one of these is unknown or out of range."""
        for name, value in given.items():
            if name not in self.parameters:
                takes = "; ".join(map(str, self.parameters.values())) or "none"
                raise BadParameter(f"{self.name} has no parameter {name!r}; its parameters: {takes}")
            parameter = self.parameters[name]
            if not parameter.allowed.allows(value):
                raise BadParameter(f"{self.name}: {name}={value!r} is not allowed; {name} is {parameter.allowed}")

    def for_known_sites(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The same parameters, and each NAME also as site_NAME, which would else take its place on some pages."""
        meant = {f"site_{name}": value for name, value in given.items() if f"site_{name}" in self.parameters}
        return {**meant, **given}


class Registry(Mapping[str, Extractor]):
    """Extractors by name, in the order in which they were registered."""

    def __init__(self) -> None:
        self._by_name: dict[str, Extractor] = {}

    def __getitem__(self, name: str) -> Extractor:
        return self._by_name[name]

    def named(self, name: str) -> Extractor:
        """The extractor of this name; raises UnknownExtractor, with the names there are."""
        try:
            return self._by_name[name]
        except KeyError:
            close = difflib.get_close_matches(str(name), self._by_name, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise UnknownExtractor(
                f"there is no extractor {name!r}.{hint} There are: {', '.join(self._by_name)}"
            ) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def add(
        self, name: str, paper: str, least_kept: float = LEAST_KEPT, /, **allowed: Within
    ) -> Callable[[Callable[..., Spans]], Callable[..., Spans]]:
        """Register a function `(page, *, name=default, ...) -> Spans`; its docstring's first line is the summary."""

        def register(choose: Callable[..., Spans]) -> Callable[..., Spans]:
            keywords = {
                key: parameter.default
                for key, parameter in inspect.signature(choose).parameters.items()
                if parameter.kind is inspect.Parameter.KEYWORD_ONLY
            }
            if set(keywords) != set(allowed):
                raise TypeError(f"{name}: ranges for {sorted(allowed)}, but parameters {sorted(keywords)}")
            parameters = {key: Parameter(key, default, allowed[key]) for key, default in keywords.items()}
            summary = (inspect.getdoc(choose) or "").partition("\n")[0]
            self._by_name[name] = Extractor(name, paper, summary, parameters, choose, least_kept)
            return choose

        return register


def read_parameter(written: str) -> tuple[str, float | str]:
    """Read a parameter as people write it, NAME=VALUE; the value is a number if it looks like one."""
    name, equals, value = written.partition("=")
    if not equals:
        raise BadParameter(f"a parameter is written NAME=VALUE, not {written!r}")
    for number in (int, float):
        with suppress(ValueError):
            return name, number(value)
    return name, value


extractors = Registry()


def extract(page: Page, extractor: str = "cetr", **parameters: Any) -> Selection:
    """Run the named extractor on a page; its text is `.text`.

    On a page without what its site repeats, an extractor that would leave out much leaves out lists of links alone
    (links.py), unless parameters are given: then the choice is the extractor's own.

    Raises UnknownExtractor or BadParameter, with what is allowed, before anything runs.
    """
    entry = extractors.named(extractor)
    entry.check(parameters)
    spans = entry.choose(page, **entry.for_known_sites(parameters))
    if page.site_known and not parameters:
        spans = unless_too_little(page.arrays, spans, entry.least_kept)
    return Selection(page, extractor, spans)
