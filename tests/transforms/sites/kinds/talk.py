"""Sites on which people talk to each other."""

from __future__ import annotations

from kinds.frames import newspaper, tables
from kinds.prose import Prose

Site = dict[str, str]


def _post(prose: Prose, text: str, mark: str) -> str:
    return f"""<div class="post"><div class="author" data-is="either"><b>{prose.name()}</b> {prose.date()}</div>
<div class="text" data-is="{mark}">{text}</div><div class="tools"><a href="#q">Quote</a>
<a href="#r">Report</a></div></div>"""


def forum_with_quotes() -> Site:
    """Threads in which people quote each other, and post the same in several threads."""
    pages = {}
    advert = f"<p>{Prose('advert').sentences(2, 2)}</p>"
    for thread in range(30):
        prose = Prose(f"forum {thread}")
        said = [prose.sentences(1, 4) for _ in range(prose.number(4, 8))]
        posts = [_post(prose, f"<p>{said[0]}</p>", "content")]
        posts += [
            _post(prose, f"<blockquote><p>{said[place - 1]}</p></blockquote><p>{text}</p>", "content")
            for place, text in enumerate(said[1:], 1)
        ]
        if thread % 4 == 0:
            posts.append(_post(prose, advert, "shared"))
        title = prose.title()
        inside = f"""<h1 data-is="content">{title}</h1>{"".join(posts)}
<table class="bar"><tr><td>Page 1 of 1</td><td><a href="/new">New topic</a></td><td><a href="/a">Answer</a></td></tr>
</table>"""
        pages[f"http://forum.example/t/{thread}"] = tables(title, inside, prose, brand="Motor Forum")
    return pages


def thread_over_pages() -> Site:
    """Long threads: each of their pages begins with the first post of the thread."""
    pages = {}
    for thread in range(6):
        opening = Prose(f"opening {thread}")
        first, title = opening.paragraphs(2, 3), opening.title()
        for page in range(1, 5):
            prose = Prose(f"thread {thread} {page}")
            posts = "".join(_post(prose, prose.paragraphs(1, 2), "content") for _ in range(5))
            inside = f"""<h1 data-is="content">{title}</h1>
<div class="first"><div class="author" data-is="either"><b>Opener</b></div>
<div class="text" data-is="shared">{first}</div></div>
<h3>Answers, page {page} of 4</h3>{posts}
<div class="pages"><a href="?1">1</a> <a href="?2">2</a> <a href="?3">3</a> <a href="?4">4</a></div>"""
            pages[f"http://threads.example/{thread}?page={page}"] = newspaper(title, inside, prose, brand="Long Talk")
    return pages
