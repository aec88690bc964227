"""Sites that publish one post after the other."""

from __future__ import annotations

from kinds.frames import bare, newspaper, tables, weblog
from kinds.prose import Prose, german

Site = dict[str, str]


def link_blog() -> Site:
    """Each page is a week of links with a remark or none; some posts are essays without a link."""
    pages = {}
    for week in range(24):
        prose = Prose(f"link blog {week}")
        if week % 4 == 3:
            body = prose.paragraphs(3, 5)
        else:
            body = "".join(
                f'<p><a href="https://{prose.slug()}.example/">{prose.title(4, 9)}</a> {prose.sentence(2, 9)}</p>'
                for _ in range(prose.number(5, 9))
            )
        title = prose.title()
        inside = f"""<article class="post"><h1 data-is="content">{title}</h1>
<p class="meta" data-is="either">Posted on {prose.date()} by Ann</p>
<div class="entry" data-is="content">{body}</div></article>"""
        pages[f"http://links.example/{week:03}"] = weblog(title, inside, prose, brand="Found Things")
    return pages


def round_up() -> Site:
    """A weekly list of what was new, with a sentence before it."""
    pages = {}
    for week in range(12):
        prose = Prose(f"round-up {week}")
        entries = "".join(
            f'<li><a href="https://{prose.slug()}.example/x">{prose.title(5, 10)}</a></li>' for _ in range(14)
        )
        title = f"Round-up: {prose.title(2, 4)}"
        inside = f"""<h1 data-is="content">{title}</h1><div class="byline" data-is="either">{prose.date()}</div>
<div class="body" data-is="content"><p>{prose.sentence(9, 16)}</p><ul>{entries}</ul></div>"""
        pages[f"http://news.example/round-up/{week}"] = newspaper(title, inside, prose, brand="Calder Bay Courier")
    return pages


def press_quotes() -> Site:
    """Works of a publisher; some pages quote the same praise."""
    praise = f'<blockquote data-is="shared"><p>{Prose("praise").sentences(3, 3)}</p></blockquote>'
    pages = {}
    for work in range(25):
        prose = Prose(f"press {work}")
        quote = praise if work % 5 == 0 else f"<blockquote><p>{prose.sentences(2, 3)}</p></blockquote>"
        title = prose.title()
        inside = f"""<h1 data-is="content">{title}</h1><div class="work" data-is="content">{prose.paragraphs(2, 4)}
{quote if work % 5 == 0 or work % 3 == 0 else ""}{prose.paragraphs(1, 2)}</div>"""
        pages[f"http://press.example/works/{prose.slug()}-{work}"] = weblog(title, inside, prose, brand="Harbour Press")
    return pages


def image_captions() -> Site:
    """A gallery: a picture, what it shows, who took it, and hardly any other text."""
    pages = {}
    for picture in range(40):
        prose = Prose(f"picture {picture}")
        title = prose.title(2, 4)
        inside = f"""<div class="photo"><img src="/{picture}.jpg"/><h1 data-is="content">{title}</h1>
<p class="caption" data-is="content">{prose.sentence(5, 12)}</p>
<p class="credit" data-is="content">Photograph: {prose.name()}, {prose.name()}</p></div>
<div class="pager"><a href="/{picture - 1}">Previous picture</a> <a href="/{picture + 1}">Next picture</a></div>"""
        pages[f"http://pictures.example/{picture}"] = newspaper(title, inside, prose, brand="The Eye")
    return pages


def comment_sections() -> Site:
    """Short posts with comments of readers, some of whom say the same."""
    pages = {}
    chorus = ["Great post, thank you for sharing!", "First!", "I agree with every word of this."]
    for post in range(30):
        prose = Prose(f"comments {post}")
        said = [chorus[post % 3], *(prose.sentences(1, 3) for _ in range(prose.number(2, 6)))]
        prose.random.shuffle(said)
        comments = "".join(
            f"""<li class="comment"><cite data-is="either">{prose.name()}</cite>
<div class="text" data-is="{"shared" if text in chorus else "content"}"><p>{text}</p></div>
<a class="reply" href="#r">Reply</a></li>"""
            for text in said
        )
        title = prose.title()
        inside = f"""<article><h1 data-is="content">{title}</h1>
<div class="entry" data-is="content">{prose.paragraphs(2, 3)}
</div></article>"""
        after = f'<section id="comments"><h2>{len(said)} comments</h2><ol>{comments}</ol></section>'
        pages[f"http://talk.example/{prose.slug()}-{post}"] = weblog(
            title, inside, prose, brand="Small Talk", after=after
        )
    return pages


def two_languages() -> Site:
    """Every page in English and in German, with a menu and a footer in each."""
    pages = {}
    for place in range(20):
        for language, prose in (("en", Prose(f"two {place}")), ("de", german(f"two {place}"))):
            title = prose.title()
            menu = (
                ("Start", "Company", "Products", "Press", "Careers")
                if language == "en"
                else ("Startseite", "Unternehmen", "Produkte", "Presse", "Stellen")
            )
            foot = (
                "All information without warranty. Prices include value added tax."
                if language == "en"
                else "Alle Angaben ohne Gewähr. Preise verstehen sich einschließlich Mehrwertsteuer."
            )
            nav = "".join(f'<li><a href="/{language}/{name.lower()}">{name}</a></li>' for name in menu)
            pages[f"http://two.example/{language}/{place}"] = f"""<!DOCTYPE html><html lang="{language}"><body>
<header><div class="logo">Sauter &amp; Sons</div><nav><ul>{nav}</ul></nav></header>
<main><h1 data-is="content">{title}</h1><div class="text" data-is="content">{prose.paragraphs(3, 5)}</div></main>
<footer><p>{foot}</p><p>Sauter &amp; Sons, Hill Street 4</p></footer></body></html>"""
    return pages


def two_generations() -> Site:
    """A site that was redesigned: two thirds of its pages look new, a third is as it was."""
    pages = {}
    for post in range(36):
        prose = Prose(f"generations {post}")
        title = prose.title()
        text = f'<div data-is="content">{prose.paragraphs(3, 5)}</div>'
        if post % 3:
            inside = f'<h1 class="title" data-is="content">{title}</h1><div class="post-body">{text}</div>'
            pages[f"http://society.example/post/{post}"] = weblog(title, inside, prose, brand="The Society")
        else:
            inside = f'<h2 data-is="content">{title}</h2>{text}'
            pages[f"http://society.example/old/{post}.html"] = tables(title, inside, prose, brand="The Society")
    return pages


def four_pages() -> Site:
    """The least site of which anything can be said."""
    pages = {}
    for name in ("home", "work", "about", "contact"):
        prose = Prose(f"four {name}")
        title = prose.title(1, 3)
        inside = f'<h1 data-is="content">{title}</h1><div data-is="content">{prose.paragraphs(2, 4)}</div>'
        pages[f"http://joiner.example/{name}.html"] = tables(title, inside, prose, brand="Joiner and Daughter")
    return pages


def thousand_pages() -> Site:
    """Far more pages than the sample has; a tenth of them are old, a handful say the same."""
    notice = f'<div class="correction" data-is="shared"><p>{Prose("notice").sentences(3, 3)}</p></div>'
    pages = {}
    for post in range(1_000):
        prose = Prose(f"thousand {post}", words=600)
        title = prose.title()
        text = f'<div class="story" data-is="content">{prose.paragraphs(1, 3)}</div>'
        inside = f'<h1 data-is="content">{title}</h1>{text}{notice if post % 50 == 0 else ""}'
        frame = bare if post % 10 == 0 else newspaper
        pages[f"http://daily.example/{post}"] = frame(title, inside, prose, brand="The Daily Harbour")
    return pages
