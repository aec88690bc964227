"""Turns the raw values of a page's metadata into canonical ones, and finds those that only its visible text holds.

Every function takes what a stranger wrote, never raises on it, and looks at a bounded part of it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta, timezone
from itertools import chain, islice
from urllib.parse import urljoin, urlsplit

MAX_VALUE = 1_000  # characters of a value that are kept
MAX_RAW = 4_000  # characters that are looked at; below the 4,300 digits where int() refuses a character reference
MAX_URL = 2_048
MAX_AUTHOR = 120  # a longer "name" is a sentence about somebody
MAX_AUTHORS = 50
MAX_DATE = 64
FIRST_YEAR, LAST_YEAR = 1990, 2100
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
EPOCH_MILLISECONDS_FROM = 100_000_000_000  # as seconds, this would be the year 5138

# Controls, lone surrogates, and the invisible marks of direction and width. The joiners U+200C and U+200D
# stay: Persian and emoji are spelled with them.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ud800-\udfff\ufeff]"
)
_INLINE_TAG = re.compile(
    r"</?(?:a|abbr|b|br|em|font|i|mark|p|small|span|strong|sub|sup|u)(?:\s[^<>]*)?/?>", re.IGNORECASE
)
_PLACEHOLDERS = frozenset({"", "none", "null", "undefined", "n/a", "[object object]"})

_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_YEAR_FIRST = re.compile(r"([0-9]{4})([-/.])([0-9]{1,2})\2([0-9]{1,2})(?![0-9])")
_COMPACT = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})(?![0-9])")
_DAY_FIRST_NUMBERS = re.compile(r"([0-9]{1,2})([./])([0-9]{1,2})\2([0-9]{4})(?![0-9])")
_WEEKDAY = r"(?:(?:[Mm]on|[Tt]ue|[Ww]ed|[Tt]hu|[Ff]ri|[Ss]at|[Ss]un)[a-z]{0,6}\.?,?\s+)?"
_DAY_FIRST = re.compile(_WEEKDAY + r"([0-9]{1,2})(?:st|nd|rd|th)?[\s-]([A-Za-z]{3,9})\.?,?[\s-]([0-9]{4})(?![0-9])")
_MONTH_FIRST = re.compile(_WEEKDAY + r"([A-Za-z]{3,9})\.?\s([0-9]{1,2})(?:st|nd|rd|th)?,?\s([0-9]{4})(?![0-9])")
_CLOCK = re.compile(
    r"(?:T|,?\s(?:at\s)?(?:-\s)?)([0-9]{1,2}):?([0-9]{2})(?::?([0-9]{2}))?(?:[.,][0-9]{1,9})?"
    r"\s?([AaPp]\.?[Mm]\.?)?\s?(Z|(?:UTC|GMT)?([+-])([0-9]{2}):?([0-9]{2})?|UTC|GMT)?(?![0-9])"
)

_LANGUAGE = re.compile(
    r"([A-Za-z]{2,3})(?:[-_]([A-Za-z]{4}))?(?:[-_]([A-Za-z]{2}|[0-9]{3}))?(?:[-_.@][A-Za-z0-9_.@-]*)?\Z"
)
# ISO 639-1. Two letters that are no language are mostly countries ("us", "jp"), which say nothing certain.
_TWO_LETTER_LANGUAGES = (
    " aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee "
    "el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik in io "
    "is it iu iw ja ji jv jw ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk "
    "ml mn mo mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc "
    "sd se sg sh si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve "
    "vi vo wa wo xh yi yo za zh zu "
)
_NO_LANGUAGE = frozenset({"mis", "mul", "und", "zxx", "nil", "nul", "all", "any"})

_TITLE_SEPARATOR = re.compile(
    "\\s(?:[|\u00b7\u2022\u00bb\u00ab\u2039\u203a<>~/:-]|[\u2013\u2014\u2015\uff5c]|::|--|\\|\\|)(?=\\s)|\uff5c"
)
# Markup that names an author or a date: what is looked for, which of it counts (the surest first), how far it goes.
AUTHOR_NEEDLES = (b"author", b"byline")
DATE_NEEDLES = (b'itemprop="datePublished"',)
AUTHOR_ATTRIBUTES = (b' itemprop="author"', b' rel="author"')
AUTHOR_CLASSES = (
    b"author-name", b"author_name", b"author__name", b"authorname", b"byline", b"post-author", b"post_author",
    b"entry-author", b"-author ", b"_author ", b" author",
)  # fmt: skip
TRIES = 40  # per needle
MAX_SOURCE = 2_000_000
MAX_START_TAG = 2_000
MAX_ELEMENT = 4_000
MAX_BELOW = 6_000
MAX_PIECES = 20
MAX_CUTS = 20
MAX_BYLINE = 60
MAX_BYLINE_WORDS = 6
_NOT_A_NAME = re.compile(
    rb"bio|avatar|image|img|photo|desc|social|follow|comment|related|icon|review|testimonial|quote", re.IGNORECASE
)
_CONTENT = re.compile(rb'\scontent="([^"]{1,400})"')
_LABEL = re.compile(
    r"(?:(?:(?:written|authored|posted|post|published|words|story|article)\s)?by\b|(?:about\s)?(?:the\s)?authors?\b|updated|\W)"
    r"[\s:]*",
    re.IGNORECASE,
)
_JOINER = re.compile("and|und|et|y|&|,|, and|;", re.IGNORECASE)
_PUBLISHED_LABEL = re.compile(r"(?:(?:first\s)?published|posted|date|on)(?:\s(?:on|at|date))?\s*:?\s+", re.IGNORECASE)
_UPDATE_LABEL = re.compile(r"\b(?:updated?|modified|reviewed|revised)(?:\son)?\s*:?\Z", re.IGNORECASE)
_BYLINE_END = re.compile(
    "\\s*(?:[|\u00b7\u2022\u00bb/(]|\\s[-\u2013\u2014]\\s|,?\\s(?:on|in|published|updated|posted)\\s|,?\\s(?:\\w+\\s)?[0-9]).*",
    re.IGNORECASE | re.DOTALL,
)
_BY = re.compile(r"(?:written\s+|posted\s+)?by\b(?:\s*:)?\s+", re.IGNORECASE)
_NOT_IN_URL = re.compile(r"[\s\x00-\x20\x7f<>\"\\^`{|}\ud800-\udfff]")
_URL_START = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//|www\.|mailto:", re.IGNORECASE)


def text(raw: object) -> str | None:
    """The string as a reader would see it, on one line; None for what is no string, or an empty or placeholder one."""
    if not isinstance(raw, str):
        return None
    value = raw[:MAX_RAW]
    if "&" in value:
        # Twice, since publishing systems escape what is escaped already.
        value = html.unescape(html.unescape(value))
    if "<" in value:
        value = _INLINE_TAG.sub(" ", value)
    if not value.isprintable():
        value = _INVISIBLE.sub("", value)
    value = " ".join(value.split())[:MAX_VALUE].rstrip()
    # A template that was never filled in is no value.
    if value.lower() in _PLACEHOLDERS or (value.startswith(("{{", "${", "<%")) and value.endswith(("}", "%>"))):
        return None
    return value


def date(raw: object) -> str | None:
    """The date in ISO 8601, with the time and the zone that were given; None for none, or one out of 1990 to 2100.

    Forms: `2024-03-01` and `2024/03/01` with or without a time, `20240301`, `1 March 2024`, `March 1, 2024`,
    RFC 2822, `31.12.2024`, `12/31/2024` where the order is beyond doubt, and the seconds or milliseconds since 1970.
    A time without a zone stays without one; a time that no clock shows leaves the date alone.
    """
    if isinstance(raw, (int, float)) and not isinstance(raw, bool):
        return _from_epoch(raw)
    value = text(raw)
    if value is None:
        return None
    value = value[:MAX_DATE]
    if value.isascii() and value.isdigit() and len(value) in (10, 13):
        return _from_epoch(int(value))
    for read in (_year_first, _names_month, _numbers_day_first):
        found = read(value)
        if found is not None:
            year, month, day, end = found
            return _iso(year, month, day, value[end:])
    return None


def _from_epoch(seconds: float) -> str | None:
    # The comparison also refuses NaN, the infinities, and integers too large for a float.
    if not 0 < seconds < EPOCH_MILLISECONDS_FROM * 1000:
        return None
    if seconds >= EPOCH_MILLISECONDS_FROM:
        seconds /= 1000
    moment = EPOCH + timedelta(seconds=int(seconds))
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        return None
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _year_first(value: str) -> tuple[int, int, int, int] | None:
    if match := _YEAR_FIRST.match(value):
        return int(match[1]), int(match[3]), int(match[4]), match.end()
    if match := _COMPACT.match(value):
        return int(match[1]), int(match[2]), int(match[3]), match.end()
    return None


def _names_month(value: str) -> tuple[int, int, int, int] | None:
    if match := _DAY_FIRST.match(value):
        return int(match[3]), _month(match[2]), int(match[1]), match.end()
    if match := _MONTH_FIRST.match(value):
        return int(match[3]), _month(match[1]), int(match[2]), match.end()
    return None


def _month(name: str) -> int:
    """The number of a month from three or more of its letters; 0, which no date has, for another word."""
    return next((number for number, month in enumerate(_MONTHS, start=1) if month.startswith(name.lower())), 0)


def _numbers_day_first(value: str) -> tuple[int, int, int, int] | None:
    match = _DAY_FIRST_NUMBERS.match(value)
    if match is None:
        return None
    first, second, year = int(match[1]), int(match[3]), int(match[4])
    if match[2] == "." or first > 12:
        return year, second, first, match.end()
    # With slashes, half the world puts the month first: only a number above 12 tells.
    return (year, first, second, match.end()) if second > 12 or first == second else None


def _iso(year: int, month: int, day: int, rest: str) -> str | None:
    if not FIRST_YEAR <= year <= LAST_YEAR:
        return None
    try:
        day_only = datetime(year, month, day)  # noqa: DTZ001, RUF100 - only checks that the day exists
    except ValueError:
        return None
    return day_only.strftime("%Y-%m-%d") + _clock(rest)


def _clock(rest: str) -> str:
    """`THH:MM:SS` with the zone when there is one, or "" when the rest starts with no time of day."""
    match = _CLOCK.match(rest)
    if match is None:
        return ""
    hour, minute, second = int(match[1]), int(match[2]), int(match[3] or 0)
    if match[4]:
        if not 1 <= hour <= 12:
            return ""
        hour = hour % 12 + (12 if match[4][0] in "Pp" else 0)
    if hour > 23 or minute > 59 or second > 59:
        return ""
    zone = ""
    if match[6]:
        if int(match[7]) > 14 or int(match[8] or 0) > 59:
            return ""
        zone = f"{match[6]}{match[7]}:{match[8] or '00'}"
    elif match[5]:
        zone = "Z"
    return f"T{hour:02}:{minute:02}:{second:02}{zone}"


def language(raw: object) -> str | None:
    """The language as in BCP 47 (`en`, `en-GB`, `zh-Hans`), of the first tag when several are listed."""
    value = text(raw)
    if value is None:
        return None
    match = _LANGUAGE.match(re.split("[,; ]", value[:100], maxsplit=1)[0])
    if match is None:
        return None
    primary = match[1].lower()
    if primary in _NO_LANGUAGE or (len(primary) == 2 and f" {primary} " not in _TWO_LETTER_LANGUAGES):
        return None
    return "-".join(filter(None, (primary, (match[2] or "").title(), (match[3] or "").upper())))


def web_address(raw: object, base: str | None = None) -> str | None:
    """The absolute http(s) address, resolved against base; None for a relative one without base, and for junk."""
    if not isinstance(raw, str) or len(raw) > MAX_URL:
        return None
    # Not text(): in an address, "&copy=1" is a parameter and no copyright sign.
    value = raw.strip().replace("&amp;", "&")
    if not value or _NOT_IN_URL.search(value):
        return None
    try:
        address = urljoin(base, value) if base else value
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        return None
    return address if parts.scheme in ("http", "https") and host else None


def host_names(url: str | None) -> tuple[str, ...]:
    """The names that a site may go by on account of its address: `blog.example.com`, `example.com`, `example`..."""
    try:
        host = urlsplit(url or "").hostname or ""
    except ValueError:
        return ()
    labels = host[:255].removeprefix("www.").split(".")[-4:]
    if len(labels) < 2:
        return ()
    # Every label but the last, which names the country or the kind of site, and every domain of two or more.
    return (*(".".join(labels[start:]) for start in range(len(labels) - 1)), *labels[:-1])


def authors(raws: Iterable[object]) -> str | None:
    """The names, each once and in their order, joined with ", "; addresses, handles and sentences are no names."""
    names: dict[str, str] = {}
    for raw in raws:
        name = text(raw)
        if name is None:
            continue
        name = _BY.sub("", name, count=1) if _BY.match(name) else name
        name = name.strip(" ,;|\u00b7\u2022-\u2013\u2014")
        is_name = len(name) <= MAX_AUTHOR and any(map(str.isalpha, name))
        if is_name and name[0] not in "@/" and not _URL_START.match(name):
            names.setdefault(fold(name), name)
        if len(names) == MAX_AUTHORS:
            break
    return ", ".join(names.values())[:MAX_VALUE].rstrip(", ") or None


def surname_last(name: str) -> str:
    """The name in its spoken order, when it is written as `Doe, Jane`."""
    surname, comma, rest = name.partition(",")
    return f"{rest.strip()} {surname.strip()}" if comma and rest.strip() and "," not in rest else name


def fold(value: str) -> str:
    """The letters and digits alone, without case: two spellings of one name fold to the same string."""
    return "".join(filter(str.isalnum, value.casefold()))


def without_site(raw: object, sites: set[str], heading: str | None) -> str | None:
    """The title less the (folded) name of the site at its end or start, or its side that the page's heading repeats.

    A part that is not known to be the site's name stays: " - " also joins the halves of one headline.
    """
    title = text(raw)
    cuts = [(match.start(), match.end()) for match in _TITLE_SEPARATOR.finditer(title or "")]
    if title is None or not cuts:
        return title
    wanted = fold(heading or "")
    sides = [side.strip() for start, end in cuts[:MAX_CUTS] for side in (title[:start], title[end:])]
    repeated = [side for side in sides if wanted and fold(side) == wanted]
    if repeated:  # the longest: a closing quotation mark is also a separator
        return max(repeated, key=len)
    (first_start, first_end), (last_start, last_end) = cuts[0], cuts[-1]
    if fold(title[last_end:]) in sites:
        return title[:last_start].strip() or title
    if fold(title[:first_start]) in sites:
        return title[first_end:].strip() or title
    return title


def authors_in_markup(source: bytes) -> Iterator[list[str]]:
    """Candidates for the authors: elements that are marked as naming one, then a line "By ..." below the heading."""
    found = []
    for start, end in chain.from_iterable(_start_tags(source, needle) for needle in AUTHOR_NEEDLES):
        trust = _trust(source[start:end])
        if trust is not None:
            found.append((trust, start, end))
    for _, start, end in sorted(found):
        yield _names_at_start(_pieces(source[start : end + MAX_ELEMENT]))
    below = list(_below_heading(source))
    for index, piece in enumerate(below):
        if _BY.match(piece + " "):
            # In running text, "by" is followed by a word in lower case.
            yield [name for name in _names_at_start(below[index : index + 8]) if not name[:1].islower()]


def dates_in_markup(source: bytes) -> Iterator[str]:
    """Candidates for the date of publication: elements that are marked as holding it, then lines below the heading."""
    for needle in DATE_NEEDLES:
        for start, end in islice(_start_tags(source, needle), 1):
            yield from _pieces(source[start : end + MAX_ELEMENT])[:1]
    label = ""
    for piece in _below_heading(source):
        if not _UPDATE_LABEL.search(label):
            yield _PUBLISHED_LABEL.sub("", piece, count=1)
        label = piece


def _start_tags(source: bytes, needle: bytes) -> Iterator[tuple[int, int]]:
    """Where the first start tags that hold the needle begin and end."""
    end = 0
    for _ in range(TRIES):
        at = source.find(needle, end, MAX_SOURCE)
        if at < 0:
            return
        start = source.rfind(b"<", max(0, at - MAX_START_TAG), at)
        end = at + len(needle)
        if start >= 0 and source.find(b">", start, at) < 0:  # else the needle is in a text
            close = source.find(b">", at, at + MAX_START_TAG)
            if close < 0:
                return
            end = close
            yield start, end


def _trust(start_tag: bytes) -> int | None:
    """The place of the tag among those that mark an author, 0 for the surest; None for a tag that marks none."""
    classes = b" " + start_tag.partition(b' class="')[2].partition(b'"')[0].lower() + b" "
    if _NOT_A_NAME.search(classes):
        return None
    marks = [mark in start_tag for mark in AUTHOR_ATTRIBUTES] + [mark in classes for mark in AUTHOR_CLASSES]
    return marks.index(True) if True in marks else None


def _pieces(window: bytes) -> list[str]:
    """The pieces of text between the tags of the element that starts the window; none if it ends beyond it.

    A `content` attribute stands for the text, and a part that is marked as the name stands for the whole.
    """
    depth = 0
    found: list[bytes] = []
    for tag in window.split(b"<")[1:]:
        markup, closed, after = tag.partition(b">")
        if not closed:
            return []
        content = _CONTENT.search(markup) if depth == 0 or b'itemprop="name"' in markup else None
        if content or b'itemprop="name"' in markup:
            return list(_decoded([content[1] if content else after]))
        depth += -1 if markup.startswith(b"/") else 0 if markup.endswith(b"/") else 1
        if depth <= 0:
            return list(_decoded(found))
        found.append(after)
    return []


def _below_heading(source: bytes) -> Iterator[str]:
    """The first pieces of text from the first <h1> on."""
    at = source.find(b"<h1", 0, MAX_SOURCE)
    tags = source[at : at + MAX_BELOW].split(b"<")[1:-1] if at >= 0 else []
    return islice(_decoded(tag.partition(b">")[2] for tag in tags), MAX_PIECES)


def _decoded(pieces: Iterable[bytes]) -> Iterator[str]:
    return (piece for raw in pieces if not raw.isspace() and (piece := text(raw.decode("utf-8", "replace"))))


def _names_at_start(pieces: Sequence[str]) -> list[str]:
    """The names that a byline starts with: the first one, and each that "and" or a comma joins to it."""
    names: list[str] = []
    joined = True
    for piece in pieces:
        if _JOINER.fullmatch(piece):
            joined = True
        elif not _LABEL.fullmatch(piece):
            if not joined or date(piece):
                break
            label = _LABEL.match(piece + " ")
            name = piece[label.end() :] if label and label[0][-1:] in (" ", ":") else piece
            names.append(_BYLINE_END.sub("", name).strip())
            joined = piece.endswith((",", " and", "&"))
    return [name for name in names if len(name) <= MAX_BYLINE and name.count(" ") < MAX_BYLINE_WORDS]
