"""Sites on which nobody tuned: an encyclopedia, a newspaper with its fronts, a museum, a homepage, guides, songs."""

from __future__ import annotations

from kinds.prose import Prose
from kinds.tongues import C, E, S, Site, Tongue, items, menu


def encyclopedia() -> Site:
    """Short articles as MediaWiki prints them, with boxes of notices and of kin, and pages of categories."""
    kin = [Prose(f"kin {n}").name() for n in range(36)]
    stub = "<p>This article about a river is a stub. You can help by <a>expanding it</a>.</p>"
    pages = {}
    for number, title in enumerate(kin):
        prose = Prose(f"article {number}")
        group = kin[number // 9 * 9 : number // 9 * 9 + 9]
        facts = "".join(
            f"<tr><th>{label}</th><td>{value}</td></tr>"
            for label, value in (
                ("Country", prose.random.choice(["Norway", "Finland"])),
                ("Length", f"{prose.number(5, 300)} km"),
                ("Source", prose.name()),
                ("Mouth", prose.random.choice(kin)),
            )
        )
        sections = "".join(
            f'<h2><span class="mw-headline"{C}>{heading}</span><span class="mw-editsection">[<a>edit</a>]</span></h2>'
            f"<div{C}>{prose.paragraphs(1, 3)}</div>"
            for heading in prose.random.sample(["Course", "History", "Fauna", "Name"], prose.number(0, 3))
        )
        sources = items([f"{prose.name()} ({prose.number(1950, 2020)}). <i>{prose.title(4, 8)}</i>." for _ in range(3)])
        box = "".join(f"<li><a>{name}</a></li>" for name in group)
        warned = f'<div class="ambox"{E}>This article needs more sources.</div>' if number % 5 == 0 else ""
        pages[f"https://rivers.example/wiki/{title.replace(' ', '_')}"] = _mediawiki(
            f"""<h1 id="firstHeading"{C}>{title}</h1><div id="bodyContent"><div id="siteSub">From Riverpedia, the open
encyclopedia</div><div id="jump-to-nav">Jump to: <a>navigation</a>, <a>search</a></div><div
id="mw-content-text">{warned}
<table class="infobox"{C}>{facts}</table><p{C}><b>{title}</b> is a river. {prose.sentences(1, 4)}</p>{sections}
<h2><span class="mw-headline"{E}>References</span><span class="mw-editsection">[<a>edit</a>]</span></h2>
<ol{C}>{sources}</ol>
<div{E}>{stub if number % 2 else ""}</div><div class="navbox"{E}><b>Rivers of the region</b><ul>{box}</ul></div></div>
<div class="printfooter">Retrieved from "<a>https://rivers.example/?oldid={prose.number()}</a>"</div>
<div id="catlinks"><a>Categories</a>: <ul><li><a>Rivers</a></li><li><a>Region {number // 9}</a></li></ul></div>
</div>""",
            prose,
        )
    for region in range(4):
        listed = items([f"<a>{name}</a>" for name in sorted(kin[9 * region : 9 * region + 9])])
        pages[f"https://rivers.example/wiki/Category:Region_{region}"] = _mediawiki(
            f"""<h1 id="firstHeading"{C}>Category:Region {region}</h1><div id="bodyContent"><div id="siteSub">From
Riverpedia,
the open encyclopedia</div><div id="mw-pages"><h2{E}>Pages in category “Region {region}”</h2>
<p{E}>The following 9 pages are in this category, out of 9 total.</p><ul{S}>{listed}</ul></div></div>""",
            Prose(f"category {region}"),
        )
    return pages


def _mediawiki(inside: str, prose: Prose) -> str:
    return f"""<!DOCTYPE html><html><body class="mediawiki ltr"><div id="content">{inside}</div><div
id="mw-navigation">
<h2>Navigation menu</h2><ul>{menu("Log in, Create account")}</ul>
<ul>{menu("Page, Discussion, Read, View source, History")}
</ul><div class="portal"><h3>Navigation</h3><ul>{menu("Main page, Recent changes, Random page, Help")}</ul></div>
<div class="portal"><h3>Tools</h3><ul>{menu("What links here, Related changes, Printable version")}</ul></div></div>
<div id="footer"><ul><li>This page was last edited on {prose.date()}, at
1{prose.number(0, 9)}:{prose.number(10, 59)}.</li>
<li>Content is available under <a>CC BY-SA 3.0</a> unless otherwise noted.</li></ul>
<ul>{menu("Privacy policy, About, Disclaimers")}</ul></div></body></html>"""


def newspaper_with_fronts() -> Site:
    """Reports with what breaks into them (see also, a letter to order, adverts), and fronts of headlines and leads."""
    stories = [(Prose(f"story {n}").title(5, 10), Prose(f"lead {n}").sentence(10, 20)) for n in range(40)]
    pages = {}
    for number, (title, lead) in enumerate(stories):
        prose = Prose(f"report {number}")
        also = f'<p class="inline-link">Read also: <a>{stories[(number + 9) % 40][0]}</a></p>'
        agency = prose.random.choice(["(AFN)", "(Northern Press)", ""])
        tags = menu("Economy, Calder Bay")
        pages[f"https://www.herald.example/{number}.html"] = _herald(
            f"""<article><div class="kicker"{E}>{prose.words(1)}</div><h1{S}>{title}</h1><p
class="standfirst"{S}>{lead}</p>
<div class="byline"{E}>By {prose.name()} <time>{prose.date()}</time></div><div class="tools"><button>Listen</button>
<button>Save</button><button>Share</button></div><figure><img><figcaption{C}>{prose.sentence(5, 12)} <span>Photo:
{prose.name()}</span></figcaption></figure><div class="body"><div{C}>{prose.paragraphs(1, 3)}</div>
<div class="ad-slot"><span>Advertisement</span><span>Continue reading below</span></div>{also}
<div{C}>{prose.paragraphs(1, 4)}</div><div class="nl-box"><b>The Morning Herald</b>
<p>Our editors choose the five stories of the day. Free, every weekday at six.</p><button>Sign me up</button></div>
<div{C}>{prose.paragraphs(1, 3)}<p>{agency}</p></div></div><ul class="tags"{E}>{tags}</ul>
<p class="note">Have you seen a mistake? <a>Tell us</a>.</p></article>""",
            stories,
            number,
        )
    for front in range(6):
        chosen = Prose(f"front {front}").random.sample(stories, 11)
        cards = "".join(
            f"<article><a{S}><h3>{title}</h3></a><p{S}>{lead}</p><time{E}>{place + 1} hours ago</time></article>"
            for place, (title, lead) in enumerate(chosen)
        )
        name = ("News", "Economy", "Sport", "Culture", "Opinion", "Home")[front]
        pages[f"https://www.herald.example/{name.lower()}/"] = _herald(
            f'<h1{E}>{name}</h1><div class="cards">{cards}</div><a class="more">Show more</a>', stories, front
        )
    return pages


def _herald(inside: str, stories: list[tuple[str, str]], number: int) -> str:
    day = number // 12 * 5  # the same most read stories for all pages that were visited on one day
    read = items([f"<span>{place - day + 1}</span> <a>{stories[place][0]}</a>" for place in range(day, day + 5)])
    return f"""<!DOCTYPE html><html><body><div class="consent"><h2>Your privacy</h2><p>We and our 214 partners store
and read
information on your device.</p><button>Agree</button><button>Manage</button></div><header><a>The Herald</a>
<button>Menu</button> <a>Subscribe for 1 a week</a><nav><ul>{menu("News, Economy, Sport, Culture, Opinion")}</ul>
</nav>
</header><main>{inside}</main><aside><h2>Most read</h2><ol>{read}</ol></aside><footer>
<ul>{menu("Contact us, Advertise, Code of conduct, Archive")}</ul>
<p>Editor in chief: Ada Holm. The Herald follows the rules of the Press Council.</p></footer></body></html>"""


def museum() -> Site:
    """A hundred and twenty things in a museum: a title, some labels with values, a sentence now and then."""
    gifts = [Prose(f"donor {n}").sentence(5, 8) for n in range(9)]
    pages = {}
    for number in range(120):
        prose = Prose(f"thing {number}")
        labels = {
            "Object number": f"{prose.number(1880, 2020)}.{prose.number(1, 400)}",
            "Made": f"{prose.random.choice(['about ', ''])}{prose.number(1500, 1960)}, {prose.name()}",
            "Medium": prose.random.choice(["Oil on canvas", "Etching on paper", "Bronze", "Stoneware, glazed"]),
            "Dimensions": f"{prose.number(5, 200)} x {prose.number(5, 200)} cm",
            "Maker": prose.name() if number % 4 else "Unknown",
        }
        rows = "".join(
            f'<li><span class="k">{label}</span><span class="v">{value}</span></li>' for label, value in labels.items()
        )
        text = f"<p{C}>{prose.sentences(1, 3)}</p>" if number % 3 == 0 else ""
        near = [Prose(f"thing {(number + step) % 120}").title(2, 6) for step in (7, 31)]
        pages[f"https://collection.example/object/{number}"] = f"""<!DOCTYPE html><html><body class="object"><header>
<a class="logo">Halden Museum</a><nav>{menu("Visit, What's on, Collection, Learn, Shop", "<a>{name}</a>")}</nav>
</header>
<ol class="crumbs"><li><a>Collection</a></li><li><a>Search</a></li><li>{prose.words(1)}</li></ol><main>
<h1{C}>{prose.title(2, 6)}</h1><figure><img><figcaption>Image may be used under CC BY. <a>Download</a></figcaption>
</figure>
{text}<ul class="facts"{C}>{rows}</ul><p class="credit"{S}>{gifts[number % 9]}</p>
<p class="status"{E}>{"On display" if number % 5 else "Not on display"}</p>
<section class="near"><h2>More like this</h2><a>{near[0]}</a> <a>{near[1]}</a></section></main><footer>
<p>Halden Museum, Quay 1. Open from Tuesday to Sunday, ten to five. Closed on Mondays.</p><a>Terms</a>
<a>Newsletter</a>
</footer></body></html>"""
    return pages


def old_homepage() -> Site:
    """A private homepage in French from the nineties: fonts and tables, a page of links, pages written by hand."""
    pages = {}
    names = ("Accueil", "Ma famille", "Nos voyages", "Le jardin", "Recettes", "Liens", "Photos", "Nouvelles")
    bar = " | ".join(f'<a href="{name.lower()}.htm">{name}</a>' for name in names)
    for name in names:
        prose = Tongue("french", f"page {name}")
        text = f"<div{C}>{prose.paragraphs(2, 5)}</div>"
        if name == "Liens":
            found = items([
                f'<a href="http://{prose.slug()}.example">{prose.title(2, 4)}</a> - {prose.sentence(3, 8)}'
                for _ in range(14)
            ])  # fmt: skip
            text = f"<ul{C}>{found}</ul>"
        if name == "Photos":
            text = "".join(f'<img src="{n}.jpg"><br><font size="2"{C}>{prose.title(2, 5)}</font><br>' for n in range(9))
        pages[f"http://perso.example/~morel/{name.lower()}.htm"] = f"""<html><head><title>{name}</title></head>
<body background="ciel.gif"><center><font size="6" color="red">La page de la famille Morel</font><br>
<font size="2">{bar}</font></center><hr width="80%"><table width="600" align="center"><tr><td><h2{C}>{name}</h2>{text}
</td></tr></table><hr width="80%"><center><font size="1">Dernière mise à jour :
{prose.number(1, 28)}/0{prose.number(1, 9)}/1999
<br>Vous êtes le visiteur n° {prose.number(1000, 9999)}<br><a href="mailto:morel@perso.example">Écrivez-nous</a>
</font>
</center></body></html>"""
    return pages


def office_for_forms() -> Site:
    """Guides of a ministry: what one needs, what it costs, where to go, with steps that many guides share."""
    steps = [Prose(f"step {n}").sentences(1, 2) for n in range(9)]
    pages = {}
    for number in range(38):
        prose = Prose(f"guide {number}")
        papers = ["Passport or identity card", "Proof of address", "Two photographs"]
        needed = items(prose.random.sample([*papers, *(prose.title(2, 5) for _ in range(4))], 5))
        shared = "".join(f"<p{S}>{step}</p>" for step in prose.random.sample(steps, 2))
        chapters = [prose.title(2, 4) for _ in range(3)]
        body = "".join(
            f'<h2 id="{n}"{C}>{chapter}</h2><div class="govspeak"{C}>{prose.paragraphs(1, 3)}</div>'
            for n, chapter in enumerate(chapters)
        )
        inside = "".join(f'<li><a href="#{n}">{chapter}</a></li>' for n, chapter in enumerate(chapters))
        closed = f'<div class="banner"{E}>Offices are closed on 24 and 25 December.</div>' if number % 4 == 0 else ""
        related = items([f"<a>{Prose(f'guide {(number * 5 + n) % 38}').title(3, 7)}</a>" for n in range(3)])
        pages[f"https://www.gov.example/guide/{number}"] = f"""<!DOCTYPE html><html class="govuk-template"><body>
<div class="cookie-banner"><h2>Cookies on this site</h2><p>We use some essential cookies to make this website
work.</p>
<button>Accept additional cookies</button><button>Reject additional cookies</button></div><a>Skip to main content</a>
<header><a>GOV</a><button>Menu</button></header><div class="breadcrumbs"><ol><li><a>Home</a></li><li><a>Papers and
permits</a></li></ol></div><main>{closed}<h1{C}>{prose.title(3, 7)}</h1><nav class="contents"{E}><h2>Contents</h2>
<ol>{inside}</ol></nav><p class="lead"{C}>{prose.sentence(8, 18)}</p>{body}<h2{C}>What you need</h2>
<ul{C}>{needed}</ul>
<h2{C}>What it costs</h2><p{C}>The fee is {prose.number(5, 300)} crowns.</p>{shared}<p{E}>Last updated
{prose.date()}</p>
<a>Print this page</a><div class="related"><h2>Related content</h2><ul>{related}</ul></div></main><div
class="feedback">
<h2>Is this page useful?</h2><button>Yes</button><button>No</button><button>Report a problem with this page</button>
</div>
<footer><h2>Services and information</h2>
<ul>{menu("Benefits, Births and deaths, Driving, Education, Tax, Visas")}</ul>
<p>All content is available under the Open Government Licence, except where otherwise stated.</p></footer></body>
</html>"""
    return pages


def songs() -> Site:
    """Words of songs in French, line by line, with refrains; singers' pages are lists of links."""
    pages = {}
    for singer in range(5):
        who = Tongue("french", f"singer {singer}")
        name, tracks = who.name(), []
        for track in range(9):
            prose = Tongue("french", f"song {singer} {track}")
            title = prose.title(1, 5)
            refrain = "<br>\n".join(prose.title(3, 7) for _ in range(4))
            verses = ["<br>\n".join(prose.title(4, 8) for _ in range(prose.number(4, 8))) for _ in range(3)]
            words = f"<br>\n<br>\n[Refrain]<br>\n{refrain}<br>\n<br>\n".join(verses)
            tracks.append((title, prose.slug(), words))
        listed = [f'<a href="/{slug}.html">{title}</a>' for title, slug, _ in tracks]
        for title, slug, words in tracks:
            pages[f"http://paroles.example/{singer}/{slug}.html"] = _lyrics(
                f"{title} - {name}",
                f"""<div class="ringtone"><a>Envoyer la sonnerie sur votre mobile</a></div><b{S}>{title}</b><br><br>
<div{C}>
{words}
</div><br><br><div class="noprint"><a>Corriger ces paroles</a> | <a>Signaler une erreur</a></div>
<div class="panel"{E}><b>Album</b><br>{"<br>".join(listed)}</div>""",
                f"Paroles de la chanson {title} par {name}",
            )
        songs_of = "".join(f'<div class="listalbum-item">{link}</div>' for link in listed)
        pages[f"http://paroles.example/{singer}.html"] = _lyrics(
            name, f"<div{S}>{songs_of}</div>", f"Paroles de {name}"
        )
    return pages


def _lyrics(title: str, inside: str, heading: str) -> str:
    letters = "".join(f'<a class="btn" href="/{letter}">{letter}</a>' for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return f"""<html><head><title>{title}</title></head><body><nav><div class="lboard-wrap">{letters}</div></nav><div
class="container">
<form><input><button>Chercher</button></form><div class="row"><div class="col-lg-8 text-center">
<h1{C}>{heading}</h1>{inside}
<div class="smt">Toutes les paroles sont la propriété de leurs auteurs et sont fournies à titre éducatif
seulement.</div></div>
<div class="col-lg-2"><div>Publicité</div></div></div></div><nav class="footer"><a>Ajouter des paroles</a> <a>Mentions
légales</a>
<a>Contact</a></nav></body></html>"""
