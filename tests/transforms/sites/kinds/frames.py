"""What sites print around their content: five houses, as one meets them on the web.

Each frame takes the title and the inside of a page and what changes from page to page: teasers, counters, dates.
"""

from __future__ import annotations

from collections.abc import Sequence

from kinds.prose import Prose

_MENU = ("Home", "About us", "Archive", "Topics", "Newsletter", "Contact")


def links(names: Sequence[str], item: str = '<li><a href="/{slug}">{name}</a></li>') -> str:
    """A row of links."""
    return "".join(item.format(slug=name.lower().replace(" ", "-"), name=name) for name in names)


def weblog(title: str, inside: str, prose: Prose, *, brand: str, sidebar: str = "", after: str = "") -> str:
    """A weblog: header, menu, sidebar, cookie notice, footer with the time it took to print the page."""
    related = "".join(f'<li><a href="/{prose.slug()}">{prose.title()}</a></li>' for _ in range(4))
    categories = [f"Category {name}" for name in ("garden", "kitchen", "travel", "books", "letters", "machines")]
    return f"""<!DOCTYPE html><html><head><title>{title} - {brand}</title><style>p {{}}</style></head>
<body class="single post"><div id="page"><header class="site-header"><a class="brand" href="/">{brand}</a>
<p class="tagline">Notes on things that grow, since 2009</p></header>
<nav class="main-menu"><ul>{links(_MENU)}</ul></nav>
<div class="cookies">We use cookies to make this site work. <a href="/privacy">Read our privacy policy</a>
<button>Accept</button></div>
<div class="row"><main class="main">{inside}
<section class="related"><h3>You might also like</h3><ul>{related}</ul></section>{after}</main>
<aside class="sidebar"><div class="widget"><h4>Categories</h4><ul>{links(categories)}</ul></div>
<div class="widget search"><form><label>Search this site</label><input name="q"/></form></div>{sidebar}</aside></div>
<footer class="site-footer"><p>Copyright 2009 to 2024 {brand}. All rights reserved.
Nothing may be copied without leave.</p>
<p class="made">This page was made in {prose.number(10, 99)} milliseconds with {prose.number(20, 60)} queries.</p>
<ul>{links(["Imprint", "Privacy", "Terms of use", "Feed"])}</ul></footer></div></body></html>"""


def newspaper(title: str, inside: str, prose: Prose, *, brand: str) -> str:
    """A news site: bars of links at the top, a column of the day's headlines with their first words, share buttons."""
    hot = "".join(
        f'<div class="teaser"><a href="/{prose.slug()}"><h4>{prose.title()}</h4></a>'
        f'<a class="more" href="#">Read more</a></div>'
        for _ in range(3)
    )
    sections = ("Politics", "Business", "Sport", "Culture", "Science", "Travel", "Weather", "Opinion", "Local")
    return f"""<!DOCTYPE html><html><head><title>{title} | {brand}</title></head><body>
<div class="topbar"><span>Wednesday {prose.date()}</span>
<a href="/login">Sign in</a> <a href="/shop">Subscribe now</a></div>
<div class="masthead"><a href="/"><h2>{brand}</h2></a></div>
<div class="sections"><ul class="nav">{links(sections)}</ul></div>
<div class="container"><div class="col-8"><article>{inside}</article>
<div class="share"><span>Share this article</span>
<a href="#f">Facebook</a><a href="#t">Twitter</a><a href="#m">Mail</a></div>
<div class="subscribe"><h3>Never miss a story</h3>
<p>Get our best reporting in your inbox every morning, free of charge.</p>
<form><input/><button>Sign up</button></form></div></div>
<div class="col-4"><div class="hot"><h3>Most read today</h3>{hot}</div>
<div class="ad"><span>Advertisement</span></div></div></div>
<div class="footer"><div class="foot-links">{links(sections, '<a href="/{slug}">{name}</a> ')}</div>
<p>{brand} is published by Harbour Press Limited, registered in Calder Bay under number 4471902.</p>
<p>Printed for visitor {prose.number(100_000, 999_999)} on {prose.date()}.</p></div></body></html>"""


def tables(title: str, inside: str, prose: Prose, *, brand: str) -> str:
    """A house of nested tables and fonts, from before there were style sheets."""
    menu = links(_MENU, '<tr><td bgcolor="#ccc"><font size="2"><a href="/{slug}.html">{name}</a></font></td></tr>')
    return f"""<html><head><title>{brand}: {title}</title></head><body bgcolor="#ffffff">
<table width="780" border="0"><tr><td colspan="2"><img src="logo.gif"/><font size="6"><b>{brand}</b></font></td></tr>
<tr><td colspan="2" bgcolor="#003366">
<font color="white" size="1">The oldest collection of its kind on the net</font></td></tr>
<tr><td width="140" valign="top"><table>{menu}</table><p>
<font size="1">Sponsored by the friends of {brand}</font></p></td>
<td valign="top">{inside}</td></tr>
<tr><td colspan="2" align="center"><hr/><font size="1">You are visitor number {prose.number(10_000, 99_999)} since 1998.
Best viewed at 800 by 600. <a href="mailto:webmaster@site.example">Write to the webmaster</a></font></td></tr></table>
</body></html>"""


def bare(title: str, inside: str, prose: Prose, *, brand: str) -> str:
    """A house without classes: everything lies in the body."""
    return f"""<html><head><title>{title}</title></head><body>
<p><a href="/">Home</a> | <a href="/index">Index</a> | <a href="/search">Search</a> | <a href="/help">Help</a></p><hr>
{inside}
<hr><p>{brand} is kept by volunteers. Please send corrections to the list.<br>
Last changed {prose.date()}, revision {prose.number()}.</p>
</body></html>"""


def documentation(
    title: str, inside: str, prose: Prose, *, brand: str, chapters: Sequence[str], version: str = ""
) -> str:
    """Manuals: a tree of chapters at the left, a bar at the top, the way to the next page at the bottom."""
    before, after = prose.random.choice(chapters), prose.random.choice(chapters)
    return f"""<!DOCTYPE html><html><head><title>{title} &mdash; {brand}</title></head><body>
<div class="wy-grid"><nav class="wy-nav-side"><div class="search"><a href="/">{brand} {version}</a></div>
<p class="caption">Contents</p><ul class="tree">{links(chapters)}</ul></nav>
<section class="wy-nav-content"><div class="crumbs"><a href="/">Docs</a> &raquo; <a href="/guide">Guide</a></div>
<div class="document">{inside}</div>
<footer><div class="next"><a href="/p">Previous: {before}</a> <a href="/n">Next: {after}</a></div>
<p>Built with Handbook from the sources. Did you find a mistake? <a href="/edit">Edit this page</a></p></footer>
</section></div></body></html>"""
