"""Bytes of a page to UTF-8: what the page declares is checked against what its bytes say."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from dataclasses import dataclass
from itertools import chain

from charset_normalizer import from_bytes

# Browsers look for a declaration in the first 1,024 bytes (WHATWG, "prescan a byte stream"); pages put it later.
META_BYTES = 2048
# Only pages that are not valid UTF-8 pay for the wider look: there a late declaration beats any guess.
LATE_META_BYTES = 16384
# Longer header values and labels exist only to make us work.
LABEL_CHARS = 64
HEADER_CHARS = 1024
# What detection reads: enough high bytes for stable letter counts, few enough to cost milliseconds.
WINDOW_BYTES = 32768
# Memory for this much is there without asking the system for more pages.
CHECK_BYTES = 32768
SAMPLE_BYTES = 4096

# Share of NULs on one side of the byte pairs that makes UTF-16: markup alone gives far more, even in Chinese pages.
UTF16_NULS = 0.2
# ... of at least so many: a stray NUL in a few bytes of markup is none.
UTF16_MIN_NULS = 4
# Good multi-byte sequences for each bad one that leave UTF-8 standing: legacy text gives at most 0.5 (EUC-JP).
UTF8_GOOD_PER_BAD = 4
# Bad bytes per non-ASCII character that a declared charset may have: cut-off titles are common, a tenth is not.
DECLARED_BAD = 0.1
# Share of high bytes in runs of three or more: text in Latin script stays under 0.5, all other text over 0.6.
RUN_SHARE = 0.5
# ... and fewer bytes in runs than this are quotation marks and ellipses.
RUN_BYTES = 6
# Share of a script's frequent letters that identifies it, between chance (0) and what is typical of the script (1).
SCRIPT_SCORE = 0.4
# Letters inside words that no Western language explains, to look further: nothing, or windows-1252, declared.
LATIN_ODD, LATIN_ODD_DECLARED = 2, 4
# ... and another alphabet has to explain all of them but one in so many.
LATIN_RATIO = 4
# Different letters that another Latin alphabet has to show; `m³` in an English page is one Polish letter.
LATIN_LETTERS = 3

_UTF8_BOM = codecs.BOM_UTF8
# UTF-32 goes first: its little-endian BOM begins with that of UTF-16.
_BOMS = (
    (_UTF8_BOM, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# Labels of https://encoding.spec.whatwg.org/#names-and-labels (and a few the web uses besides), written without
# punctuation, by the Python codec that decodes a superset. What is not here (utf-7, rot13, idna, ...) is no charset.
_LABELS = {
    "utf-8": "utf8 unicode11utf8 unicode20utf8 xunicode20utf8",
    "utf-16-le": "utf16 utf16le unicode ucs2 iso10646ucs2 csunicode unicodefeff",
    "utf-16-be": "utf16be unicodefffe",
    "cp1252": "ascii usascii ansix341968 latin1 l1 iso88591 iso885911987 isoir100 cp819 ibm819 csisolatin1 ansi",
    "cp1254": "latin5 l5 iso88599 iso885991989 isoir148 csisolatin5",
    "cp874": "tis620 iso885911 dos874 windows874 cp874",
    "gb18030": "gb18030 gb2312 gbk gb231280 xgbk cp936 windows936 chinese csgb2312 isoir58 euccn xeuccn",
    "big5hkscs": "big5 big5hkscs big5eten cnbig5 xxbig5 csbig5 cp950",
    "cp932": "shiftjis sjis xsjis windows31j csshiftjis mskanji ms932 cp932",
    "euc_jis_2004": "eucjp xeucjp ujis cseucpkdfmtjapanese",
    "iso2022_jp_ext": "iso2022jp csiso2022jp",
    "cp949": "euckr ksc56011987 ksc56011989 ksc5601 korean isoir149 cseuckr windows949 cp949 uhc",
    "koi8-r": "koi8r koi8 koi cskoi8r",
    "koi8-u": "koi8u koi8ru",
    "cp866": "cp866 ibm866 866 csibm866",
    "mac-roman": "macintosh mac xmacroman csmacintosh",
    "mac-cyrillic": "xmaccyrillic xmacukrainian maccyrillic",
    "iso8859-2": "latin2 l2 csisolatin2 isoir101 iso885921987",
    "iso8859-5": "cyrillic csisolatincyrillic isoir144",
    "iso8859-6": "arabic csisolatinarabic isoir127 asmo708 ecma114 iso88596e iso88596i",
    "iso8859-7": "greek greek8 csisolatingreek isoir126 elot928 ecma118 suneugreek",
    "iso8859-8": "hebrew visual logical csisolatinhebrew isoir138 iso88598e iso88598i",
    "iso8859-15": "latin9 l9 csisolatin9",
}
_NUMBERED = {f"iso8859-{n}": f"iso8859{n}" for n in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)} | {
    f"cp125{n}": f"windows125{n} cp125{n} xcp125{n} win125{n}" for n in range(9)
}
_CODECS = {label: codec for codec, labels in chain(_LABELS.items(), _NUMBERED.items()) for label in labels.split()}

# Every alternative eats what it has begun, and all counts are bounded: hostile bytes cannot make these backtrack.
_TAG = re.compile(r"<!--.*?(?:-->|\Z)|<meta[\s/]([^>]{0,512})|<\?xml\s([^>]{0,256})", re.IGNORECASE | re.DOTALL)
_ATTRIBUTE = re.compile(r"""([a-z-]{1,16})\s{0,8}=\s{0,8}(?:"([^"]{0,256})|'([^']{0,256})|([^\s"'>]{1,256}))""", re.I)
_PARAMETER = re.compile(r"""charset\s{0,8}=\s{0,8}["']?\s{0,8}([^\s"';,>]{1,64})""", re.IGNORECASE)


@dataclass(frozen=True)
class Decoded:
    """A page as UTF-8, and how its charset was found."""

    utf8: bytes  # valid, without BOM and NULs
    charset: str  # the Python codec that read the page
    evidence: str  # "bom", "http", "meta", "utf8" (undeclared or wrongly declared), "detected" or "default"
    replaced: int  # U+FFFD that stand for invalid bytes


@dataclass(frozen=True)
class _Script:
    """Letters that running text of a script is full of: their share in it, and in bytes of any other meaning."""

    names: tuple[str, ...]
    letters: frozenset[str]
    typical: float
    chance: float


# The most frequent characters of running text; read under a wrong codec, a page hits them only by chance.
_KANA = "".join(map(chr, range(0x3041, 0x30FF)))
_KANJI = "日本年人月大一中国会的行新事用方者時出下上分見生前今間高手名私気学部場内"
_HANS = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家"
    "事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心前开但因只从想实日无与机第公已工使情明性知全关点"
    "正业外将高间由问最重物应文体相被新加月合回信通网页电数计接期市交品请件本站首字系统息目名"
)
_HANT = (
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家"
    "事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心前開但因只從想實日無與機第公已工使情明性知全關點"
    "正業外將高間由問最重物應文體相被新加月合回信通網頁電數計接期市交品請件本站首字系統息目名"
)
_HANGUL = (
    "이다는에의을가고하지로기사은도를대한정인자리시어해서일아보전상수과나스부장여원그들제주만으구면라관동문국계공성중"
    "있습니것되적할등년월모내안트연소신화명위유세경진조생용각게거러했와네없요까며때물방개학교회분실비오마무"
)
# The shares were measured on translated manuals and messages of free software, which are not rich in function words.
_SCRIPTS = (
    _Script(("cp932", "euc_jis_2004"), frozenset(_KANA + _KANJI), 0.75, 0.02),
    _Script(("gb18030",), frozenset(_HANS), 0.45, 0.02),
    _Script(("big5hkscs", "gb18030"), frozenset(_HANT), 0.45, 0.02),
    _Script(("cp949",), frozenset(_HANGUL), 0.6, 0.02),
    _Script(("cp1251", "koi8-r", "koi8-u", "iso8859-5", "cp866"), frozenset("оеаинтсрвлкмдпуяыьгзбіј"), 0.85, 0.4),
    _Script(("cp1253", "iso8859-7"), frozenset("αεηιοςστνρκπλυμάέήίόύώΆ"), 0.85, 0.4),
    _Script(("cp1255",), frozenset("יוהלאתמרבנשדעכ"), 0.8, 0.4),
    _Script(("cp1256", "iso8859-6"), frozenset("ابتدرسعفقكلمنهويةأىی"), 0.85, 0.4),
    _Script(("cp874",), frozenset("านรอกเงยลวมทสตดคปะพหแจขใไบ่้ัีิ็์"), 0.85, 0.4),
)
# Punctuation (general, ideographic, full-width) is seen with every script, so it says nothing about any.
_NEUTRAL = frozenset("\xa0\xad«»©®·°§№").union(
    map(chr, chain(range(0x2010, 0x203B), range(0x3000, 0x3016), range(0xFF01, 0xFF10), range(0xFF1A, 0xFF21)))
)

# Letters beyond ASCII of the languages written in Latin script, by the codec of their pages; ties go to the first.
WESTERN = "cp1252"
WESTERN_LANGUAGES = (
    "àáâäåæçèéêëìíîïñòóôöøùúüßœ "  # any mix of Western names; without õ and û, which are Hungarian ő and ű
    "äöüß àâçèéêëîïôùûœæü áéíóúñüªºç àáâãçéêíóôõúü àèéìíîòóù åäöé æøåéò éëïöüè àçèéíïòóúü áðéíóúýþæö äöõü"
)
_CENTRAL_LANGUAGES = "ąćęłńóśźż áčďéěíňóřšťúůýž áäčďéíĺľňóôŕšťúýž áéíóöőúüű čćđšž ăâîşţ"
_LATIN = (
    ("cp1250", _CENTRAL_LANGUAGES),
    ("iso8859-2", _CENTRAL_LANGUAGES),
    ("cp1254", "çğıöşüâîûİ"),
    ("cp1257", "āčēģīķļņšūž ąčęėįšųūž äöõüšž"),
)

_HIGH = re.compile(rb"[\x80-\xff]")
_REPEATS = re.compile(rb"([\x80-\xff])\1+")
_RUNS = re.compile(rb"[\x80-\xff]{3,}")
_MARKUP = re.compile(rb"<[^<>]*>")
# A stretch starts after ASCII, hence at the first byte of a character, and bridges the ASCII inside running text.
_STRETCH = re.compile(rb"(?:[\x80-\xff]+[^\x80-\xff<>]{0,12})+")
_IN_WORD = re.compile(rb"(?<=[A-Za-z])[\x80-\xff]{1,3}|[\x80-\xff]{1,3}(?=[a-z])")


def decode(raw: bytes, content_type: str | None = None) -> Decoded:
    """Return the page as valid UTF-8 without BOM and NULs; never raises, and never copies clean UTF-8."""
    for bom, codec in _BOMS:
        if raw.startswith(bom):
            return _decoded(raw[len(bom) :], codec, "bom")
    header = _header_codec(content_type)
    if b"\0" in raw:
        wide = _utf16_without_bom(raw)
        if wide is not None:
            return _decoded(raw, wide, "http" if wide == header else "detected")
        raw = raw.replace(b"\0", b"")
    declared, by = header, "http"
    if declared is None or declared.startswith("utf-16"):  # UTF-16 would have had its NULs
        declared, by = _meta_codec(raw[:META_BYTES]), "meta"
    if raw.isascii():
        return _decode_ascii(raw, declared, by)
    if not _is_utf8(raw):
        return _decode_legacy(raw, header)
    if raw.startswith(_UTF8_BOM):  # it stood behind NULs
        return _decoded(raw, "utf-8", "bom")
    return Decoded(raw, "utf-8", by if declared == "utf-8" else "utf8", 0)


def _is_utf8(raw: bytes) -> bool:
    """Whether all bytes are valid UTF-8; piecewise, since one large string would cost more than looking at it."""
    view, position = memoryview(raw), 0
    while position < len(raw):
        end = position + CHECK_BYTES
        try:
            _, used = codecs.utf_8_decode(view[position:end], "strict", end >= len(raw))
        except UnicodeDecodeError:
            return False
        position += used
    return True


def _decode_ascii(raw: bytes, codec: str | None, evidence: str) -> Decoded:
    """Return bytes under 0x80 as they are, unless escape sequences make them Japanese."""
    if codec == "iso2022_jp_ext" or (codec is None and (b"\x1b$B" in raw or b"\x1b$@" in raw)):
        return _decoded(raw, "iso2022_jp_ext", evidence if codec else "detected")
    # All other codecs of the allow-list agree on ASCII.
    return Decoded(raw, codec, evidence, 0) if codec else Decoded(raw, "utf-8", "utf8", 0)


def _decode_legacy(raw: bytes, header: str | None) -> Decoded:
    """Return the page in the first charset that holds: damaged UTF-8, declared, detected, windows-1252."""
    meta = _meta_codec(raw[:LATE_META_BYTES])
    text, bad = _lenient(raw, "utf-8")
    if _beyond_ascii(text) - bad >= UTF8_GOOD_PER_BAD * bad:
        evidence = "http" if header == "utf-8" else "meta" if meta == "utf-8" else "detected"
        return _finish(text, "utf-8", evidence, bad)
    declared = [(codec, by) for codec, by in ((header, "http"), (meta, "meta")) if codec and codec[:3] != "utf"]
    for codec, by in declared:
        if codec == WESTERN:
            if detect(raw, western_declared=True) is None:
                return _decoded(raw, codec, by)
            continue
        text, bad = _lenient(raw, codec)
        if bad <= DECLARED_BAD * _beyond_ascii(text):
            return _finish(text, codec, by, bad)
    guess = detect(raw)
    if guess is not None:
        return _decoded(raw, guess, "detected")
    return _decoded(raw, *(declared[0] if declared else (WESTERN, "default")))


def _lenient(raw: bytes, codec: str) -> tuple[str, int]:
    """Return the text, and the number of U+FFFD that stand for invalid bytes (those in the page do not count)."""
    try:
        return raw.decode(codec), 0
    except UnicodeDecodeError:
        text = raw.decode(codec, "replace")
        return text, text.count("\ufffd") - raw.decode(codec, "ignore").count("\ufffd")


def _decoded(raw: bytes, codec: str, evidence: str) -> Decoded:
    text, replaced = _lenient(raw, codec)
    return _finish(text, codec, evidence, replaced)


def _finish(text: str, codec: str, evidence: str, replaced: int) -> Decoded:
    # No codec of the allow-list yields surrogates, so this encodes.
    return Decoded(text.replace("\0", "").lstrip("\ufeff").encode(), codec, evidence, replaced)


def _beyond_ascii(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))


def _utf16_without_bom(raw: bytes) -> str | None:
    """Return the byte order of text whose ASCII characters have their NULs on one side only."""
    sample = raw[:SAMPLE_BYTES]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if (
        max(even, odd) < UTF16_MIN_NULS
        or max(even, odd) * 2 < UTF16_NULS * len(sample)
        or min(even, odd) * 10 > max(even, odd)
    ):
        return None
    return "utf-16-be" if even > odd else "utf-16-le"


def _codec_of(label: str) -> str | None:
    """Return the codec of a charset label; labels outside the allow-list have none."""
    return _CODECS.get(re.sub("[^a-z0-9]", "", label[:LABEL_CHARS].lower()))


def _header_codec(content_type: str | None) -> str | None:
    match = _PARAMETER.search(content_type[:HEADER_CHARS]) if content_type else None
    return _codec_of(match[1]) if match else None


def _meta_codec(head: bytes) -> str | None:
    """Return the codec of the first usable declaration in the page itself."""
    lowered = head.lower()
    if b"charset" not in lowered and b"encoding" not in lowered:
        return None
    for tag in _TAG.finditer(head.decode("latin-1")):
        codec = _codec_of(_label_in(tag[1] or "", tag[2] or ""))
        if codec is not None:
            # Whoever could read this tag was not reading UTF-16; WHATWG says the same.
            return "utf-8" if codec.startswith("utf-16") else codec
    return None


def _label_in(meta: str, xml: str) -> str:
    """Return the charset that the attributes of a <meta> or of an XML declaration name."""
    attributes = {m[1].lower(): m[2] or m[3] or m[4] or "" for m in _ATTRIBUTE.finditer(meta or xml)}
    if xml:
        return attributes.get("encoding", "")
    if attributes.get("http-equiv", "").strip().lower() == "content-type" and "charset" not in attributes:
        match = _PARAMETER.search(attributes.get("content", ""))
        return match[1] if match else ""
    return attributes.get("charset", "")


def detect(raw: bytes, *, western_declared: bool = False) -> str | None:
    """Return the codec other than windows-1252 that the high bytes clearly speak for, if any."""
    first = _HIGH.search(raw)
    if first is None:
        return None
    start = max(0, first.start() - 1)
    window = _MARKUP.sub(b"<>", raw[start : start + WINDOW_BYTES])
    sample = b"\n".join(_STRETCH.findall(window))[:SAMPLE_BYTES]
    # Rows of dashes, dots or no-break spaces are runs too, but not words.
    words = _REPEATS.sub(rb"\1", sample).replace(b"\xa0", b" ")
    if sum(map(len, _RUNS.findall(words))) < max(RUN_BYTES, RUN_SHARE * len(_HIGH.findall(words))):
        return _latin(window, LATIN_ODD_DECLARED if western_declared else LATIN_ODD)
    return _script(sample) or (None if western_declared else _second_opinion(sample))


def _script(sample: bytes) -> str | None:
    """Return the codec under which the sample has the letters that a non-Latin script is full of."""
    best, chosen = SCRIPT_SCORE, None
    for script in _SCRIPTS:
        for codec in script.names:
            counts = Counter(sample.decode(codec, "replace")).items()
            # Invalid bytes and stray symbols count against a codec like any other character.
            total = sum(n for char, n in counts if char > "\x7f" and char not in _NEUTRAL)
            share = sum(n for char, n in counts if char in script.letters) / max(total, 1)
            score = (share - script.chance) / (script.typical - script.chance)
            if score > best:
                best, chosen = score, codec
    return chosen


def _second_opinion(sample: bytes) -> str | None:
    """Return what charset_normalizer says; where letter counts abstain it is mostly right from 30 characters on."""
    match = from_bytes(sample, cp_isolation=sorted({name for script in _SCRIPTS for name in script.names})).best()
    return codecs.lookup(match.encoding).name if match else None


def _latin(window: bytes, least: int) -> str | None:
    """Return the codec whose languages explain the letters inside words that Western languages do not."""
    high = b"".join(_IN_WORD.findall(window))[:SAMPLE_BYTES]
    odd = min(unexplained for unexplained, _ in _explained(high, WESTERN, WESTERN_LANGUAGES))
    if odd < least:
        return None
    fits = [
        (unexplained, codec)
        for codec, languages in _LATIN
        for unexplained, letters in _explained(high, codec, languages)
        if letters >= LATIN_LETTERS and unexplained * LATIN_RATIO <= odd
    ]
    return min(fits, key=lambda fit: fit[0])[1] if fits else None


def _explained(high: bytes, codec: str, languages: str) -> list[tuple[int, int]]:
    """Return, by language, how many characters are not of it, and how many different ones are."""
    counts = Counter(char for char in high.decode(codec, "replace") if char not in _NEUTRAL)
    total = sum(counts.values())
    seen = [[counts[c] for c in {*letters, *letters.upper()} if c in counts] for letters in languages.split()]
    return [(total - sum(found), len(found)) for found in seen]
