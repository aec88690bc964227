"""Sites that keep texts: manuals in several versions, licences, lists of papers."""

from __future__ import annotations

from kinds.frames import bare, documentation, weblog
from kinds.prose import Prose

Site = dict[str, str]


def versioned_docs() -> Site:
    """A manual in four versions; from one to the next a sentence changes here and there."""
    chapters = [Prose(f"chapter {number}").title(2, 4) for number in range(24)]
    pages = {}
    for number, chapter in enumerate(chapters):
        text = Prose(f"manual {number}")
        sections = [
            (text.title(2, 4), text.paragraphs(1, 3), f"<pre>{text.words(4)}({text.number()})</pre>") for _ in range(3)
        ]
        for version in ("1.0", "1.1", "2.0", "2.1"):
            prose = Prose(f"manual {number} {version}")
            changed = f'<p data-is="content">New in {version}: {prose.sentence()}</p>'
            body = "".join(
                f'<div class="section"><h2>{title}</h2>{paragraphs}{code}{changed if not place else ""}</div>'
                for place, (title, paragraphs, code) in enumerate(sections)
            )
            inside = f'<h1 data-is="shared">{chapter}</h1><div data-is="shared">{body}</div>'
            url = f"http://handbook.example/{version}/{number}"
            pages[url] = documentation(chapter, inside, prose, brand="Handbook", chapters=chapters, version=version)
    return pages


def licence_texts() -> Site:
    """Packages with their description and the licence they come under, one of three."""
    licences = [Prose(f"licence {number}").paragraphs(4, 6) for number in range(3)]
    chapters = [f"Packages {letter}" for letter in "ABCDEFGH"]
    pages = {}
    for package in range(36):
        prose = Prose(f"package {package}")
        title = prose.slug()
        licence = licences[0 if package % 6 < 3 else 1 if package % 6 < 5 else 2]
        inside = f"""<h1 data-is="content">{title}</h1>
<div class="readme" data-is="content">{prose.paragraphs(2, 4)}</div>
<h2 data-is="content">Licence</h2><div class="licence" data-is="shared">{licence}</div>"""
        pages[f"http://packages.example/{title}"] = documentation(
            title, inside, prose, brand="Packages", chapters=chapters
        )
    return pages


def publication_lists() -> Site:
    """Papers of a group, listed by author, by year and by subject: each stands on three pages."""
    papers = []
    for number in range(120):
        paper = Prose(f"paper {number}")
        papers.append(
            f"""<li>{paper.name()}, {paper.name()}: <a href="/papers/{number}.pdf">{paper.title(6, 11)}</a>.
{paper.title(2, 4)} {paper.number(1, 40)}.</li>"""
        )
    lists = {f"author/{n}": [p for place, p in enumerate(papers) if place % 10 == n] for n in range(10)}
    lists |= {f"year/{2010 + n}": papers[12 * n : 12 * n + 12] for n in range(10)}
    lists |= {f"subject/{n}": [p for place, p in enumerate(papers) if place * 7 % 11 == n] for n in range(11)}
    pages = {}
    for name, listed in lists.items():
        prose = Prose(f"list {name}")
        title = f"Publications: {prose.title(2, 3)}"
        inside = f"""<h1 data-is="content">{title}</h1><ul data-is="shared">{"".join(listed)}</ul>"""
        frame = bare if name.startswith("year") else weblog
        pages[f"http://group.example/{name}"] = frame(title, inside, prose, brand="Group for Odd Numbers")
    return pages
