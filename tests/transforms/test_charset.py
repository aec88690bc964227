"""What `decode` promises: valid UTF-8 from any bytes, in the charset that the page was really written in."""

from __future__ import annotations

import codecs
import re
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from transforms import charset
from transforms.charset import Decoded, decode

# Running text as it stands on pages, by the charsets that such pages were served in.
TEXTS = {
    "chinese": (
        "昨天下午，我们在市中心的图书馆参加了一个关于城市历史的讲座。主讲人说，这座老桥已经有三百多年的历史，过去"
        "人们每天都要从这里过河去工作。现在桥上已经不能走车了，但是周末还有很多人来这里散步、拍照。如果你也想了解"
        "更多的情况，请在网站上查看活动时间，或者打电话给我们。"
    ),
    "taiwanese": (
        "昨天下午，我們在市中心的圖書館參加了一個關於城市歷史的講座。主講人說，這座老橋已經有三百多年的歷史，過去"
        "人們每天都要從這裡過河去工作。現在橋上已經不能走車了，但是週末還有很多人來這裡散步、拍照。如果你也想了解"
        "更多的情況，請在網站上查看活動時間，或者打電話給我們。"
    ),
    "japanese": (
        "昨日の午後、駅前の図書館で町の歴史についての講演会がありました。この古い橋は三百年以上前に作られたもので"
        "、昔の人は毎日ここを渡って仕事に出かけたそうです。今は車が通ることはできませんが、週末になるとカメラを持"
        "った人や散歩をする人でにぎわっています。くわしいことはホームページをごらんください。"
    ),
    "korean": (
        "어제 오후에 시내 도서관에서 도시의 역사에 대한 강연이 있었습니다. 이 오래된 다리는 삼백 년 전에 "
        "만들어졌으며, 옛날 사람들은 매일 이곳을 지나 일하러 다녔다고 합니다. 지금은 차가 다닐 수 없지만 "
        "주말에는 산책을 하거나 사진을 찍는 사람들이 많이 찾아옵니다. 자세한 내용은 홈페이지를 참고하시기 "
        "바랍니다."
    ),
    "russian": (
        "Вчера днём в городской библиотеке прошла лекция об истории нашего города. Старому мосту уже больше "
        "трёхсот лет, и раньше люди каждый день переходили по нему реку, чтобы попасть на работу. Сейчас машины "
        "там не ездят, зато по выходным сюда приходят гулять и фотографировать. Подробности можно узнать на "
        "сайте."
    ),
    "greek": (
        "Χθες το απόγευμα έγινε στη δημοτική βιβλιοθήκη μια ομιλία για την ιστορία της πόλης. Η παλιά γέφυρα "
        "είναι πάνω από τριακοσίων ετών και κάθε μέρα οι άνθρωποι περνούσαν από εδώ για να πάνε στη δουλειά "
        "τους. Σήμερα τα αυτοκίνητα δεν επιτρέπονται, αλλά τα Σαββατοκύριακα έρχονται πολλοί για περίπατο."
    ),
    "thai": (
        "เมื่อวานตอนบ่ายมีการบรรยายเรื่องประวัติศาสตร์ของเมืองที่ห้องสมุดกลาง สะพานเก่าแห่งนี้มีอายุมากกว่าสามร้อ"
        "ยปี คนสมัยก่อนต้องเดินข้ามแม่น้ำที่นี่ทุกวันเพื่อไปทำงาน ตอนนี้รถผ่านไม่ได้แล้ว แต่วันหยุดก็ยังมีคนมาเดิ"
        "นเล่นและถ่ายรูป"
    ),
    "hebrew": (
        "אתמול אחר הצהריים התקיימה בספרייה העירונית הרצאה על תולדות העיר. הגשר הישן נבנה לפני יותר משלוש מאות "
        "שנה, ובכל יום עברו כאן אנשים בדרכם לעבודה. היום מכוניות אינן עוברות בו, אבל בסופי שבוע באים רבים לטייל."
    ),
    "arabic": (
        "أقيمت أمس في المكتبة العامة محاضرة عن تاريخ المدينة. يعود بناء الجسر القديم إلى أكثر من ثلاثمائة سنة، "
        "وكان الناس يعبرون النهر من هنا كل يوم إلى العمل. أما اليوم فلا تمر السيارات، ولكن كثيرين يأتون في نهاية "
        "الأسبوع."
    ),
    "polish": (
        "Wczoraj po południu w bibliotece miejskiej odbył się wykład o dziejach miasta. Stary most ma już ponad "
        "trzysta lat i dawniej ludzie codziennie przechodzili tędy przez rzekę, żeby dostać się do pracy. Dziś "
        "samochody już tam nie jeżdżą, ale w każdą sobotę i niedzielę można spotkać wielu spacerowiczów. Więcej "
        "na stronie, wśród ogłoszeń."
    ),
    "czech": (
        "Včera odpoledne se v městské knihovně konala přednáška o dějinách města. Starý most je více než tři sta "
        "let starý a lidé přes něj dříve každý den chodili do práce. Dnes už tudy auta nejezdí, ale o víkendu "
        "sem přijíždí mnoho lidí na procházku. Další údaje najdete na našich stránkách, těšíme se na vás."
    ),
    "hungarian": (
        "Tegnap délután előadást tartottak a városi könyvtárban a város történetéről. A régi híd több mint "
        "háromszáz éves, és az emberek egykor minden nap ezen keltek át a folyón, hogy munkába menjenek. Ma már "
        "nem járnak rajta autók, de hétvégén sokan jönnek ide sétálni és fényképezni. Bővebb felvilágosítás: "
        "hétfőtől péntekig, délelőtt."
    ),
    "turkish": (
        "Dün öğleden sonra şehir kütüphanesinde kentin tarihi üzerine bir konuşma yapıldı. Eski köprü üç yüz "
        "yıldan daha yaşlı ve insanlar işe gitmek için her gün buradan geçiyordu. Bugün arabalar geçemiyor, ama "
        "hafta sonları yürüyüş yapmak ve fotoğraf çekmek için birçok kişi geliyor. Ayrıntılı bilgi için "
        "sayfamıza bakınız."
    ),
    "german": (
        "Gestern Nachmittag fand in der Stadtbücherei ein Vortrag über die Geschichte der Stadt statt. Die alte "
        "Brücke ist über dreihundert Jahre alt; früher gingen täglich viele Menschen hinüber, um zur Arbeit zu "
        "kommen. Heute dürfen Autos sie nicht mehr benutzen, doch für Spaziergänger ist sie schön. Größere "
        "Gruppen melden sich bitte an."
    ),
    "french": (
        "Hier après-midi, la bibliothèque a accueilli une conférence sur l’histoire de la ville. Le vieux pont a "
        "plus de trois cents ans ; autrefois, les habitants le traversaient chaque matin pour aller travailler. "
        "Les voitures n’y passent plus, mais le week-end, on y vient se promener « à l’ancienne ». Entrée libre, "
        "réservation conseillée."
    ),
    "spanish": (
        "Ayer por la tarde se celebró en la biblioteca una conferencia sobre la historia de la ciudad. El puente "
        "viejo tiene más de trescientos años y antes la gente lo cruzaba cada mañana para ir a trabajar. ¿Sabía "
        "usted que los coches ya no pasan? También hay fotografías; la información está en nuestra página."
    ),
    "english": "The café’s £5 menu “du jour” – 20 m³ of naïve charm – is © 2004, don’t ask… “Voilà!”",
}
CASES = [
    ("chinese", "gbk", "gb18030"),
    ("taiwanese", "big5", "big5hkscs"),
    ("japanese", "shift_jis", "cp932"),
    ("japanese", "euc_jp", "euc_jis_2004"),
    ("korean", "euc_kr", "cp949"),
    ("russian", "cp1251", "cp1251"),
    ("russian", "koi8-r", "koi8-r"),
    ("russian", "iso8859-5", "iso8859-5"),
    ("greek", "iso8859-7", "cp1253"),
    ("thai", "tis-620", "cp874"),
    ("hebrew", "cp1255", "cp1255"),
    ("arabic", "cp1256", "cp1256"),
    ("polish", "iso8859-2", "iso8859-2"),
    ("polish", "cp1250", "cp1250"),
    ("czech", "iso8859-2", "iso8859-2"),
    ("hungarian", "cp1250", "cp1250"),
    ("turkish", "cp1254", "cp1254"),
]
WESTERN = ["german", "french", "spanish", "english"]
# What pages in each charset call it, where Python's name is not what the web says.
LABELS = {"cp1250": "windows-1250", "cp1251": "windows-1251", "cp1254": "windows-1254", "euc_jp": "EUC-JP"}
ids = pytest.mark.parametrize(("language", "encoding", "codec"), CASES, ids=[f"{c[0]}-{c[1]}" for c in CASES])


def page(language: str, head: str = "") -> str:
    text = TEXTS[language]
    return (
        f'<!DOCTYPE html>\n<html><head>{head}<title>{text[:12]}</title><script>var a = "x < y";</script></head>\n'
        f'<body class="page"><div id="nav"><a href="/index.html">{text[:6]}</a> | <a href="/n?id=1">News</a></div>\n'
        f"<h1>{text[:20]}</h1>\n<p>{text}</p>\n<p>&copy; 2004 Example</p></body></html>\n"
    )


def meta(label: str) -> str:
    return f'<meta http-equiv="Content-Type" content="text/html; charset={label}">'


# --- Pages in the charsets of the web ---------------------------------------------------------------------------


@ids
def test_an_undeclared_page_is_detected(language: str, encoding: str, codec: str) -> None:
    html = page(language)
    assert decode(html.encode(encoding)) == Decoded(html.encode(), codec, "detected", 0)


@ids
def test_a_page_mislabelled_as_latin_1_is_detected(language: str, encoding: str, codec: str) -> None:
    html = page(language, meta("iso-8859-1"))
    assert decode(html.encode(encoding)) == Decoded(html.encode(), codec, "detected", 0)
    assert decode(html.encode(encoding), "text/html; charset=ISO-8859-1").charset == codec


@ids
def test_a_page_mislabelled_as_utf_8_is_detected(language: str, encoding: str, codec: str) -> None:
    html = page(language, meta("utf-8"))
    assert decode(html.encode(encoding)) == Decoded(html.encode(), codec, "detected", 0)


@ids
def test_a_declared_page_is_read_as_declared(language: str, encoding: str, codec: str) -> None:
    label = LABELS.get(encoding, encoding)
    html = page(language, meta(label))
    by_meta = decode(html.encode(encoding))
    assert (by_meta.utf8, by_meta.evidence, by_meta.replaced) == (html.encode(), "meta", 0)
    # Greek is the one charset where the label names another codec than detection, which both read the page.
    assert by_meta.charset in {codec, "iso8859-7"}
    bare = page(language)
    by_header = decode(bare.encode(encoding), f"text/html; charset={label}")
    assert (by_header.utf8, by_header.evidence) == (bare.encode(), "http")


@ids
def test_the_page_is_believed_where_the_server_says_latin_1_to_everything(
    language: str, encoding: str, codec: str
) -> None:
    html = page(language, meta(LABELS.get(encoding, encoding)))
    got = decode(html.encode(encoding), "text/html; charset=iso-8859-1")
    assert (got.utf8, got.evidence) == (html.encode(), "meta")
    assert got.charset in {codec, "iso8859-7"}


@pytest.mark.parametrize("language", WESTERN)
def test_western_pages_are_windows_1252_whether_they_say_so_or_not(language: str) -> None:
    html = page(language)
    raw = html.encode("cp1252")
    assert decode(raw) == Decoded(html.encode(), "cp1252", "default", 0)
    assert decode(raw, "text/html;charset=latin1") == Decoded(html.encode(), "cp1252", "http", 0)
    assert decode(raw, "text/html; charset=utf-8") == Decoded(html.encode(), "cp1252", "default", 0)


def test_rows_of_symbols_are_not_a_foreign_script() -> None:
    html = "<p>Menu \xa0\xa0\xa0\xa0\xa0 ———————— ……………… •••••••• Caf\xe9 “…” »»»</p>"
    assert decode(html.encode("cp1252")) == Decoded(html.encode(), "cp1252", "default", 0)


@pytest.mark.parametrize(("language", "encoding", "codec"), CASES[:5])
def test_stray_bytes_do_not_hide_the_charset(language: str, encoding: str, codec: str) -> None:
    raw = page(language).encode(encoding)
    got = decode(raw.replace(b"<p>", b"<p>\x81 ", 1))
    assert got.charset == codec
    assert 1 <= got.replaced <= 2
    assert TEXTS[language][60:] in got.utf8.decode()


def test_a_page_of_a_few_foreign_words_gets_a_second_opinion() -> None:
    # No frequent characters at all: a list of Chinese surnames.
    assert decode("<li>魏蒋沈韩杨朱秦尤许吕施孔曹严华魏陶姜戚谢邹喻柏窦章云苏潘葛".encode("gbk")).charset == "gb18030"


def test_a_wrong_multi_byte_declaration_gives_way_to_detection() -> None:
    html = page("russian", meta("gb2312"))
    assert decode(html.encode("cp1251")) == Decoded(html.encode(), "cp1251", "detected", 0)


def test_a_declaration_stands_when_nothing_better_is_found() -> None:
    raw = b"\x81\x20\x82\x20\x83\x20 junk"
    assert decode(raw, "text/html; charset=gbk") == Decoded(
        raw.decode("gb18030", "replace").encode(), "gb18030", "http", 3
    )


# --- UTF-8 ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "content_type", "evidence"),
    [
        ("", None, "utf8"),
        ("", "text/html", "utf8"),
        ("", "text/html; charset=UTF8", "http"),
        ('<meta charset="utf-8">', None, "meta"),
        (meta("gb2312"), None, "utf8"),
        ("", "text/html; charset=iso-8859-1", "utf8"),
    ],
)
def test_valid_utf_8_is_utf_8_whatever_is_declared(head: str, content_type: str | None, evidence: str) -> None:
    raw = page("french", head).encode()
    got = decode(raw, content_type)
    assert got == Decoded(raw, "utf-8", evidence, 0)
    assert got.utf8 is raw  # not even copied


@pytest.mark.parametrize("declared", ["text/html; charset=utf-8", None])
def test_a_few_bad_bytes_do_not_make_utf_8_something_else(declared: str | None) -> None:
    raw = page("russian").encode() + b"<p>caf\xe9 \xff</p>"
    got = decode(raw, declared)
    assert got.utf8 == page("russian").encode() + "<p>caf\ufffd \ufffd</p>".encode()
    assert (got.charset, got.evidence, got.replaced) == ("utf-8", "http" if declared else "detected", 2)


def test_a_page_cut_inside_a_character_loses_only_that_character() -> None:
    got = decode(page("chinese").encode()[:500])
    assert (got.charset, got.replaced) == ("utf-8", 1)


def test_replacement_characters_of_the_page_itself_are_not_counted() -> None:
    assert decode("a\ufffdé".encode()).replaced == 0
    assert decode(page("russian").encode() + "\ufffd\ufffd".encode() + b"\xff").replaced == 1


def test_ascii_keeps_its_declaration_and_is_utf_8_without_one() -> None:
    assert decode(b"<p>plain</p>") == Decoded(b"<p>plain</p>", "utf-8", "utf8", 0)
    assert decode(b"<p>plain</p>", "text/html; charset=gbk") == Decoded(b"<p>plain</p>", "gb18030", "http", 0)
    assert decode(b"") == Decoded(b"", "utf-8", "utf8", 0)


def test_iso_2022_jp_is_seen_through_its_ascii_disguise() -> None:
    html = page("japanese")
    raw = html.encode("iso2022_jp")
    assert decode(raw) == Decoded(html.encode(), "iso2022_jp_ext", "detected", 0)
    assert decode(raw, "text/html; charset=ISO-2022-JP") == Decoded(html.encode(), "iso2022_jp_ext", "http", 0)


# --- Byte order marks, UTF-16 and NULs --------------------------------------------------------------------------


@pytest.mark.parametrize("codec", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_a_byte_order_mark_decides_and_is_removed(codec: str) -> None:
    html = page("greek", meta("iso-8859-1"))
    got = decode(("\ufeff" + html).encode(codec), "text/html; charset=big5")
    assert got == Decoded(html.encode(), codec, "bom", 0)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("language", ["chinese", "russian", "english"])
def test_utf_16_is_known_by_its_nuls(codec: str, language: str) -> None:
    html = page(language)
    assert decode(html.encode(codec)) == Decoded(html.encode(), codec, "detected", 0)
    assert decode(html.encode(codec), f"text/html; charset={codec}").evidence == "http"


def test_utf_16_is_not_believed_without_nuls() -> None:
    raw = page("german", meta("unicode")).encode()
    assert decode(raw, "text/html; charset=utf-16") == Decoded(raw, "utf-8", "meta", 0)


def test_lone_surrogates_become_replacement_characters() -> None:
    got = decode("<p>ab\ud800cd</p>".encode("utf-16-le", "surrogatepass"))
    assert got == Decoded("<p>ab\ufffdcd</p>".encode(), "utf-16-le", "detected", 1)
    assert "\ufffd" in decode(b"\xed\xa0\x80" + "é".encode() * 20).utf8.decode()


def test_scattered_nuls_are_removed() -> None:
    assert decode("caf\0é\0\0 noir".encode()) == Decoded("café noir".encode(), "utf-8", "utf8", 0)
    assert decode(b"\0" * 100) == Decoded(b"", "utf-8", "utf8", 0)
    assert decode(b"\0\0\0\xef\xbb\xbfabc").utf8 == b"abc"


# --- Declarations -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "codec"),
    [
        ("latin-1", "cp1252"),
        ("US-ASCII", "cp1252"),
        ("GB2312", "gb18030"),
        ("gb18030", "gb18030"),
        ("x-sjis", "cp932"),
        ("Windows-31J", "cp932"),
        ("KS_C_5601-1987", "cp949"),
        ("euc-kr", "cp949"),
        ("ISO-8859-9", "cp1254"),
        ("TIS-620", "cp874"),
        ("iso-8859-11", "cp874"),
        ("Big5", "big5hkscs"),
        ("win-1251", "cp1251"),
        ("KOI8-U", "koi8-u"),
        ("iso-8859-8-i", "iso8859-8"),
        ("ISO_8859-15", "iso8859-15"),
    ],
)
def test_labels_mean_what_browsers_take_them_for(label: str, codec: str) -> None:
    assert decode(b"plain", f'text/html; charset="{label}"') == Decoded(b"plain", codec, "http", 0)
    assert decode(f"<meta charset={label}>".encode()).charset == codec


@pytest.mark.parametrize(
    "label",
    [
        *("utf-7", "rot13", "base64", "zlib", "hex", "punycode", "idna", "unicode_escape", "raw_unicode_escape"),
        *("mbcs", "undefined", "uu", "bz2", "x-user-defined", "none", "", "a" * 5000),
    ],
)
def test_labels_outside_the_allow_list_are_ignored(label: str) -> None:
    assert decode(b"+AGE- \\x41", f"text/html; charset={label}") == Decoded(b"+AGE- \\x41", "utf-8", "utf8", 0)


def test_every_codec_of_the_allow_list_is_a_text_codec_by_its_own_name() -> None:
    ascii_bytes = bytes(range(1, 128)).replace(b"\x1b", b"")
    for codec in set(charset._CODECS.values()):
        assert codecs.lookup(codec).name == codec
        if not codec.startswith("utf-16"):
            assert ascii_bytes.decode(codec) == ascii_bytes.decode("ascii")


@pytest.mark.parametrize(
    "head",
    [
        "<META CHARSET='koi8-r'>",
        "<meta charset = koi8-r />",
        '<meta name="x" content="charset=utf-8"><meta charset="koi8-r">',
        '<meta content="text/html; charset=koi8-r" http-equiv="content-type">',
        "<meta http-equiv=Content-Type content=text/html;charset=koi8-r>",
        '<?xml version="1.0" encoding="KOI8-R"?>',
        '<!-- <meta charset="big5"> --><meta charset="koi8-r">',
        '<meta charset="rot13"><meta charset="koi8-r">',
        "<style>" + "p {} " * 1000 + '</style><meta charset="koi8-r">',
    ],
)
def test_declarations_in_the_page_are_found(head: str) -> None:
    # One word: too little to be detected.
    assert decode(f"{head}<p>мир".encode("koi8-r")) == Decoded(f"{head}<p>мир".encode(), "koi8-r", "meta", 0)


def test_the_header_goes_before_the_page() -> None:
    raw = '<meta charset="koi8-r"><p>мир'.encode("cp1251")
    assert decode(raw, "text/html; charset=windows-1251").evidence == "http"


# --- Any bytes --------------------------------------------------------------------------------------------------

HOSTILE = [
    b"<" * 10**6,
    b"\xff" * 10**6,
    b"<meta " * 10**5,
    b"<!--charset" * 10**5,
    b"\xffa" * 10**5,
    b"\xe4\xf6" * 10**5,
]
HOSTILE += [b"<meta charset " + b"a-" * 10**5, b"charset<meta " + b"a ='" * 10**5, b"<meta " + b"charset=" * 10**5]


@pytest.mark.parametrize("raw", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_bytes_take_no_more_time_than_others(raw: bytes) -> None:
    started = time.process_time()
    decode(raw + b"\xff", "charset" * 10**5)
    assert time.process_time() - started < 2  # milliseconds, unless something is quadratic


PIECES = st.sampled_from(
    [codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF32_BE, b"\0", b"<meta charset=", b"gbk>", b"utf-7>", b"\x1b$B"]
    + [page(language).encode(encoding)[:300] for language, encoding, _ in CASES]
)
ANY_BYTES = st.binary() | st.lists(PIECES | st.binary(max_size=20), max_size=8).map(b"".join)
CONTENT_TYPES = (
    st.none()
    | st.text()
    | st.sampled_from(sorted(charset._CODECS)).map("text/html; charset={}".format)
    | st.text(max_size=12).map("text/html; charset={}".format)
)


@settings(deadline=None)  # the first guess loads the tables of charset_normalizer
@given(ANY_BYTES, CONTENT_TYPES)
@example(b"\0\xff\xfe\0\0", None)
def test_any_bytes_become_valid_utf_8_without_nuls_and_marks(raw: bytes, content_type: str | None) -> None:
    got = decode(raw, content_type)
    text = got.utf8.decode("utf-8")
    assert "\0" not in text
    assert not text.startswith("\ufeff")
    assert codecs.lookup(got.charset).name == got.charset
    assert got.evidence in {"bom", "http", "meta", "utf8", "detected", "default"}
    assert 0 <= got.replaced <= text.count("\ufffd")
    assert decode(raw, content_type) == got


# Without escapes, which could make ASCII ISO-2022-JP.
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\x1b")))
def test_text_in_utf_8_comes_back_as_it_was(text: str) -> None:
    assert decode(text.encode()).utf8 == re.sub("^\ufeff+", "", text).encode()
