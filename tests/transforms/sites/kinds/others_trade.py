"""Sites on which nobody tuned: manuals, help, words, posts to fill, homes to let, and a club with five pages."""

from __future__ import annotations

from kinds.prose import Prose
from kinds.tongues import C, E, S, Site, Tongue, items, menu


def api_manual() -> Site:
    """The reference of a library, as Sphinx prints it, with an index of all names, which is content."""
    modules = [(Prose(f"module {n}").slug(), Prose(f"module {n}")) for n in range(18)]
    note = (
        "<div class='deprecated'><p><span>Deprecated since version 2.4: </span>Use the new loop instead. "
        "It will be removed in 3.0.</p></div>"
    )
    pages, names = {}, []
    for number, (module, prose) in enumerate(modules):
        body, inner = "", ""
        for place in range(prose.number(2, 6)):
            name = f"{prose.words(1)}_{prose.words(1)}"
            names.append(f'<tr><td><a href="{module}.html#{name}">{name}() (in module tide.{module})</a></td></tr>')
            inner += f'<li class="toctree-l2"><a href="#{name}">{name}()</a></li>'
            old = f"<div{S}>{note}</div>" if (number + place) % 6 == 0 else ""
            body += f"""<dl class="py function"><dt class="sig">
<span{C}>tide.{module}.{name}(<em>{prose.words(1)}</em>, <em>timeout=None</em>)</span><a class="reference
internal"{E}>
[source]</a><a class="headerlink"{E}>¶</a></dt><dd><p{C}>{prose.sentences(1, 3)}</p>{old}<dl class="field-list"{C}>
<dt>Parameters<span>:</span></dt><dd><ul><li><p><strong>{prose.words(1)}</strong> (<em>int</em>)
– {prose.sentence()}</p></li><li><p><strong>timeout</strong> (<em>float</em>) – Seconds to wait, or None to wait for
ever.</p></li></ul></dd><dt>Returns<span>:</span></dt><dd><p>{prose.sentence(3, 8)}</p></dd></dl>
<div class="highlight-python"{C}><pre>&gt;&gt;&gt; import tide
&gt;&gt;&gt; tide.{module}.{name}({prose.number()})
{prose.number()}</pre></div></dd></dl>"""
        pages[f"https://tide.example/en/stable/{module}.html"] = _sphinx(
            f"""<section><h1>
<span{C}>tide.{module}</span><a class="headerlink"{E}>¶</a></h1><p{C}>{prose.sentences(2, 4)}</p>{body}</section>""",
            modules,
            number,
            inner,
        )
    pages["https://tide.example/en/stable/genindex.html"] = _sphinx(
        f"""<h1 id="index"{C}>Index</h1><table
class="indextable"{S}>{"".join(sorted(names))}</table>""",
        modules,
        -1,
        "",
    )
    return pages


def _sphinx(inside: str, modules: list[tuple[str, Prose]], here: int, inner: str) -> str:
    tree = "".join(
        f'<li class="toctree-l1{" current" * (n == here)}"><a>tide.{name}</a>'
        + (f"<ul>{inner}</ul></li>" if n == here else "</li>")
        for n, (name, _) in enumerate(modules)
    )
    before, after = modules[here - 1][0], modules[(here + 1) % len(modules)][0]
    return f"""<!DOCTYPE html><html class="writer-html5" lang="en"><body class="wy-body-for-nav"><div
class="wy-grid-for-nav"><nav class="wy-nav-side"><div class="wy-side-scroll"><a class="icon icon-home">tide</a>
<div class="version">2.6.1</div><form><input placeholder="Search docs"></form><div class="wy-menu"><p class="caption">
<span class="caption-text">Reference</span></p><ul>{tree}</ul></div></div></nav>
<section class="wy-nav-content-wrap"><div class="rst-content"><div role="navigation"><ul class="wy-breadcrumbs"><li><a
class="icon icon-home"></a></li><li class="breadcrumb-item active">Reference</li>
<li class="wy-breadcrumbs-aside"><a>Edit on GitHub</a></li></ul><hr></div><div role="main" class="document"><div
itemprop="articleBody">{inside}</div></div><footer><div class="rst-footer-buttons"><a title="{before}">Previous</a>
<a title="{after}">Next</a></div><hr><div role="contentinfo"><p>© Copyright 2014-2024, the Tide authors. <span
class="commit">Revision 9f3c1a7e.</span></p></div>Built with <a>Sphinx</a> using a <a>theme</a> provided by
<a>Read the Docs</a>.</footer></div></section></div></body></html>"""


def changelog() -> Site:
    """Releases of a program, a page each, and pages with ten of them; their headings are always the same."""
    notes = []
    for number in range(30):
        prose = Prose(f"version {number}")
        parts = ""
        for heading in prose.random.sample(
            ["Features", "Bug Fixes", "Performance", "Dependencies"], prose.number(1, 3)
        ):
            lines = items(
                [
                    f"{'Bump' if heading == 'Dependencies' else prose.words(1).capitalize()} {prose.words(6)} "
                    f"<span{E}>(<a>#{prose.number()}</a>)</span>"
                    for _ in range(prose.number(1, 6))
                ]
            )
            parts += f"<h3>{heading}</h3><ul>{lines}</ul>"
        if prose.number(1, 4) == 1:
            parts += "<p>There are no breaking changes in this release.</p>"
        version = f"v2.{29 - number}.0"
        notes.append(
            (
                version,
                f"""<section><div class="Box"><div class="d-flex"><div{E}><a>gull-bot</a> released this
{prose.date()}</div><a{E}>{prose.number(100_000, 999_999)}a</a></div><h2{S}>{version}</h2><div
class="markdown-body"{S}>{parts}</div>
<p{E}><strong>Full Changelog</strong>: <a>v2.{28 - number}.0...{version}</a></p><details><summary>Assets
<span>{prose.number(2, 6)}</span></summary><div>Source code (zip)</div><div>Source code (tar.gz)</div></details></div>
</section>""",
            )
        )
    whole = {f"tag/{version}": note for version, note in notes} | {
        f"?page={n + 1}": "".join(note for _, note in notes[10 * n : 10 * n + 10]) for n in range(3)
    }
    return {
        f"https://code.example/gull/releases/{where}": f"""<html><body><div><a>Skip to content</a><header>
<a>Product</a><a>Solutions</a><a>Pricing</a><a>Sign in</a><a>Sign up</a></header><main><div><span>
<a>harbour</a> / <a>gull</a></span> <ul><li>Notifications</li><li>Fork 212</li><li>Star 4.1k</li></ul></div><nav>
<ul>{menu("Code, Issues, Pull requests, Actions, Security, Insights")}</ul></nav><div><nav><a>Releases</a> <a>Tags</a>
</nav>
{inside}</div></main></div><footer><h2>Footer</h2><span>© 2024 Code, Inc.</span>
<ul>{menu("Terms, Privacy, Status, Docs, Contact")}</ul></footer><div>You signed in with another tab or window.
<a>Reload</a> to refresh your session.</div></body></html>"""
        for where, inside in whole.items()
    }


def glossary() -> Site:
    """Words and what they mean, a page a letter and a page a word; the longer pages are on few words."""
    by_letter: dict[str, list[tuple[str, str]]] = {}
    for number in range(90):
        prose = Prose(f"term {number}")
        word = prose.title(1, 3)
        by_letter.setdefault(word[0], []).append((word, prose.sentences(1, 2)))
    bar = "".join(f'<a href="/{letter}">{letter}</a>' for letter in sorted(by_letter))
    pages = {}
    for letter, terms in by_letter.items():
        listed = "".join(f"<dt><a>{word}</a></dt><dd>{meaning}</dd>" for word, meaning in terms)
        pages[f"https://words.example/{letter}/"] = _words(
            f"<h1{C}>Terms that begin with {letter}</h1><dl{S}>{listed}</dl>", bar
        )
        for place, (word, meaning) in enumerate(terms):
            prose = Prose(f"entry {word}")
            more = f"<div{C}><h2>In more words</h2>{prose.paragraphs(1, 3)}</div>" if place % 3 == 0 else ""
            see = items(
                [f"<a>{prose.random.choice(prose.random.choice(list(by_letter.values())))[0]}</a>" for _ in range(3)]
            )
            pages[f"https://words.example/{letter}/{place}/"] = _words(
                f"""<h1{S}>{word}</h1><p
class="lead"{S}>{meaning}</p>{more}<h4{E}>See also</h4><ul{E}>{see}</ul>""",
                bar,
            )
    return pages


def _words(inside: str, bar: str) -> str:
    return f"""<!doctype html><html><body class="td-section"><header><nav class="navbar"><a>Money Words</a>
<ul>{menu("Glossary, Courses, Calculators, Blog")}</ul></nav></header><div class="container-fluid"><div class="row">
<main>{inside}<div class="letters">{bar}</div><div class="feedback"><h2>Feedback</h2><p>Was this page helpful?</p>
<button>Yes</button><button>No</button></div></main></div></div><footer><p>Money Words is for
information only and is no substitute for advice.</p><small>© 2024 Money Words</small></footer></body></html>"""


def help_centre() -> Site:
    """Questions and answers in German by subject; some questions stand under three subjects."""
    asked = [
        (Tongue("german", f"q {n}").title(4, 9) + "?", Tongue("german", f"a {n}").paragraphs(1, 2)) for n in range(40)
    ]
    pages = {}
    for subject in range(15):
        prose = Tongue("german", f"subject {subject}")
        chosen = [(place, S) for place in (subject % 5, subject % 4 + 5)] + [
            (10 + 2 * subject + n, C) for n in range(2)
        ]
        body = "".join(
            f'<div class="accordion-item"{mark}><button>{asked[place % 40][0]}</button>'
            f'<div class="accordion-body">{asked[place % 40][1]}</div></div>'
            for place, mark in chosen
        )
        others = items([f"<a>{Tongue('german', f'subject {n}').title(1, 3)}</a>" for n in range(15)])
        pages[f"https://hilfe.strom.example/{subject}"] = f"""<!DOCTYPE html><html lang="de"><body><div
class="cookie-layer"><p>Wir verwenden Cookies, um unsere Seiten für Sie zu verbessern.</p><button>Alle
annehmen</button>
<button>Ablehnen</button></div><header><a>Strom &amp; Gas</a>
<nav>{menu("Tarife, Service, Hilfe, Mein Konto", "<a>{name}</a>")}</nav></header><div class="breadcrumbs"><a>Start</a>
/ <a>Hilfe</a></div><h1{C}>{prose.title(1, 3)}</h1>
<div class="accordion">{body}</div><div class="rate"><p>War das hilfreich?</p><span>{prose.number(3, 90)} von
{prose.number(91, 200)} fanden dies hilfreich</span></div><div class="topics"><h3>Weitere Themen</h3><ul>{others}</ul>
</div>
<div class="contact"><h3>Nicht gefunden, was Sie suchen?</h3><p>Rufen Sie uns an: 0800 555 01 99, montags bis freitags
von acht bis achtzehn Uhr.</p></div><footer>© Strom &amp; Gas GmbH <a>Impressum</a> <a>Datenschutz</a>
<a>Barrierefreiheit</a></footer></body></html>"""
    return pages


def job_board() -> Site:
    """Posts to fill; the firms say who they are in each of theirs, and the headings are the same throughout."""
    firms = [
        (Prose(f"employer {n}").name(), Prose(f"employer {n}").sentences(2, 5), Prose(f"equal {n}").sentences(2, 2))
        for n in range(12)
    ]
    pages, cards = {}, []
    for number in range(44):
        prose = Prose(f"job {number}")
        firm, about, equal = firms[min(prose.number(0, 11), prose.number(0, 11))]
        title, where, kind = (
            prose.title(2, 4),
            prose.name(),
            prose.random.choice(["Full-time", "Part-time", "Contract"]),
        )
        parts = "".join(
            f"<p{C}><b>{heading}</b></p><ul{C}>{items([prose.sentence(4, 12) for _ in range(prose.number(3, 6))])}</ul>"
            for heading in ("What you will do", "What you bring", "What we offer")
        )
        facts = (
            f"<span>Location</span><span>{where}</span><span>Job type</span>"
            f"<span>{kind}</span><span>Salary</span><span>${prose.number(30, 120)},000 a year</span>"
        )
        cards.append(
            f'<div class="card"><div{S}><h2><a>{title}</a></h2><div>{firm}</div>'
            f"<div>{where}</div></div><div{E}>{prose.number(1, 30)} days ago</div>"
            "<button>Save</button></div>"
        )
        pages[f"https://posts.example/job/{number}"] = _board(f"""<div class="head"><h1{S}>{title}</h1>
<div{S}>{firm}</div><button>Apply now</button><button>Save this job</button></div><div class="facts"{C}>{facts}</div>
<div class="desc"><p{S}>{about}</p>{parts}<p{S}>{equal}</p></div><div class="tips">Never pay for an interview.
<a>Report this job</a></div><div class="similar"><h3>Similar jobs</h3>
{items([f"<a>{Prose(f'job {(number * 3 + n) % 44}').title(2, 4)}</a>" for n in range(4)], "div")}</div>""")
    for page in range(6):
        pages[f"https://posts.example/jobs?page={page}"] = _board(f"""<div class="count">{page * 8 + 1}-{page * 8 + 8}
of 44 jobs <span>Sort by: relevance, date</span></div><div
class="list">{"".join(cards[8 * page : 8 * page + 8])}</div>
<div class="pages"><a>1</a><a>2</a><a>3</a><a>Next</a></div>""")
    return pages


def _board(inside: str) -> str:
    return f"""<html><body><div class="gnav"><a>Posts</a><a>Find jobs</a><a>Company reviews</a><a>Find salaries</a>
<a>Sign in</a><a>Employers / Post a job</a></div><form><label>What</label><input><label>Where</label><input>
<button>Find jobs</button></form><div class="wrap">{inside}</div><div class="alert"><div>Get new jobs like this by
email</div><input><button>Activate</button><div>By creating a job alert you agree to our terms. You can withdraw at
any
time.</div></div><div class="foot"><a>Career advice</a><a>Browse jobs</a><a>Browse companies</a><a>Help</a><span>©
2024 Posts</span></div></body></html>"""


def flats() -> Site:
    """Flats in German: the flats of one house share what is said of the house; much fine print on every page."""
    pages = {}
    for flat in range(28):
        prose, house = Tongue("german", f"flat {flat}"), Tongue("german", f"house {flat // 5}")
        street, place = house.name(), house.sentences(3, 5)
        facts = {
            "Kaltmiete": f"{prose.number(400, 1900)} €",
            "Zimmer": prose.number(1, 5),
            "Wohnfläche": f"{prose.number(25, 140)} m²",
            "Etage": prose.number(0, 6),
            "Bezugsfrei ab": prose.random.choice(["sofort", "01.04.2024"]),
            "Haustiere": prose.random.choice(["ja", "nein", "nach Vereinbarung"]),
            "Baujahr": 1900 + house.number(1, 90),
            "Heizung": "Zentralheizung",
        }
        rows = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in facts.items())
        pages[f"https://wohnen.example/expose/{prose.number(10**7, 10**8)}"] = f"""<!DOCTYPE html><html lang="de">
<body><div><div><a>Wohnen</a><a>Mieten</a><a>Kaufen</a><a>Bauen</a><a>Umzug</a><a>Anmelden</a></div></div><div><div>
<a>Zurück zur Liste</a>
<a>Merken</a><a>Teilen</a></div><div><h1{C}>{prose.title(3, 8)}</h1><div{S}>{street}straße {house.number(1, 99)},
Nordstadt</div></div><dl{C}>{rows}</dl><div><h4{E}>Objektbeschreibung</h4><p{C}>{prose.sentences(2, 6)}</p></div>
<div><h4{E}>Ausstattung</h4><p{C}>{prose.sentences(1, 2)}</p></div><div><h4{E}>Lage</h4><p{S}>{place}</p></div><div>
<h4>Sonstiges</h4><p>Alle Angaben beruhen auf Auskünften des Eigentümers. Eine Haftung für ihre Richtigkeit
übernehmen wir nicht. Bitte sehen Sie von Besuchen ohne Verabredung ab.</p></div><div{E}><span>Scout-ID:
{prose.number(10**7, 10**8)}</span></div></div><div><h3>Anbieter kontaktieren</h3><form><label>Vorname</label>
<label>Nachname</label>
<label>Nachricht</label><button>Nachricht senden</button></form><p>Mit dem Absenden gelten unsere Bedingungen.</p>
</div><div><div><a>Mietspiegel</a><a>Umzugsfirmen</a><a>Kredit</a></div><div>© 2024 Wohnen GmbH</div></div></body>
</html>"""
    return pages


def club_with_five_pages() -> Site:
    """A rowing club, built by a kit that knows only boxes in boxes."""
    pages = {}
    box = '<div id="comp-{}"><div><div>{}</div></div></div>'
    for name in ("Home", "Boats", "Training", "History", "Join us"):
        prose = Prose(f"club {name}")
        text = "".join(
            box.format(f"k{n}x", f'<p{C}><span style="font-size:16px">{prose.sentences(1, 4)}</span></p>')
            for n in range(prose.number(3, 6))
        )
        extra = (
            f"<table{C}><tr><td>Monday</td><td>18:00</td><td>{prose.words(2)}</td></tr><tr><td>Thursday</td><td>18:30</td><td>{prose.words(2)}</td></tr></table>"
            if name == "Training"
            else ""
        )
        bar = "".join(
            f"<div><a><p>{other}</p></a></div>" for other in ("Home", "Boats", "Training", "History", "Join us")
        )
        pages[f"https://oars.example/{name.lower().replace(' ', '-')}"] = f"""<!DOCTYPE html><html><body><div
id="SITE_CONTAINER"><div><div>{box.format("h1a", "<h2>Calder Rowing Club</h2>")}<nav>{bar}</nav></div><div>
{box.format("t9q", f"<h1{C}>{prose.title(1, 3)}</h1>")}{text}{extra}</div>
<div>{box.format("f1", "<p>Boathouse Lane 2, Calder Bay</p>")}
{box.format("f2", "<p>Follow us on the water and off it</p>")}
{box.format("f3", "<p>© 2023 by Calder Rowing Club. Proudly created with a kit.</p>")}</div></div></body></html>"""
    return pages
