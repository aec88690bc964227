"""Sites that list things: goods, places, dishes, dates."""

from __future__ import annotations

from kinds.frames import newspaper, tables, weblog
from kinds.prose import Prose

Site = dict[str, str]


def shop_with_variants() -> Site:
    """Each product in four colours, on pages of their own with the same description."""
    pages = {}
    facts = ("Length", "Width", "Weight", "Material")
    for product in range(18):
        made = Prose(f"product {product}")
        name, description = made.title(2, 3), made.paragraphs(2, 3)
        rows = "".join(
            f"<tr><th>{fact}</th><td>{made.words(1) if fact == 'Material' else made.number(5, 90)}</td></tr>"
            for fact in facts
        )
        for colour in ("red", "green", "blue", "black"):
            prose = Prose(f"variant {product} {colour}")
            inside = f"""<div class="product"><h1 data-is="content">{name}, {colour}</h1>
<div class="price" data-is="content">{prose.number(9, 200)}.{prose.number(10, 99)} EUR</div>
<button>Add to basket</button><p class="delivery">Delivery within three working days. Returns are free.</p>
<div class="description" data-is="shared">{description}</div>
<table class="facts" data-is="shared">{rows}</table></div>"""
            url = f"http://shop.example/{name.lower().replace(' ', '-')}/{colour}"
            pages[url] = weblog(f"{name}, {colour}", inside, prose, brand="Tool and Timber")
    return pages


def directory() -> Site:
    """Pages that are lists of addresses; an address may stand in several lists."""
    firms = []
    for number in range(60):
        firm = Prose(f"firm {number}")
        firms.append(f"""<li><a href="https://{firm.slug()}.example/">{firm.name()} {firm.name()}</a>
<span>{firm.number(1, 99)} {firm.name()} Street</span></li>""")
    pages = {}
    for town in range(16):
        prose = Prose(f"town {town}")
        title = f"Firms in {prose.name()}"
        entries = "".join(prose.random.sample(firms, 8))
        own = "".join(
            f"""<li><a href="https://{prose.slug()}.example/">{prose.name()}</a>
<span>{prose.number(1, 99)} {prose.name()} Road</span></li>"""
            for _ in range(6)
        )
        inside = f"""<h1 data-is="content">{title}</h1><ul class="entries" data-is="content">{entries}{own}</ul>"""
        pages[f"http://directory.example/{town}"] = newspaper(title, inside, prose, brand="Yellow Lists")
    return pages


def recipes() -> Site:
    """Dishes; those of one kind need the same things."""
    pages = {}
    doughs = []
    for number in range(6):
        dough = Prose(f"dough {number}")
        doughs.append("".join(f"<li>{dough.number(2, 500)} g {dough.words(2)}</li>" for _ in range(8)))
    for dish in range(30):
        prose = Prose(f"dish {dish}")
        title = prose.title(2, 4)
        steps = "".join(f"<li>{prose.sentence(8, 16)}</li>" for _ in range(5))
        inside = f"""<article class="recipe"><h1 data-is="content">{title}</h1>
<p class="intro" data-is="content">{prose.sentences(2, 3)}</p>
<h2 data-is="content">Ingredients</h2><ul class="ingredients" data-is="shared">{doughs[dish % 6]}</ul>
<h2 data-is="content">Method</h2><ol class="steps" data-is="content">{steps}</ol>
<p class="print"><a href="?print">Print this recipe</a></p></article>"""
        pages[f"http://kitchen.example/{prose.slug()}-{dish}"] = weblog(title, inside, prose, brand="Sour and Sweet")
    return pages


def city_pages() -> Site:
    """One text for every town, with the name of the town put in."""
    text = Prose("city")
    first, second, third = (text.sentences(3, 4) for _ in range(3))
    pages = {}
    for town in range(24):
        prose = Prose(f"city {town}")
        name = prose.name()
        inside = f"""<h1 data-is="content">Roofers in {name}</h1><div class="pitch" data-is="shared">
<p>Are you looking for a roofer in {name}? {first}</p><p>{second}</p>
<h2>Why people in {name} trust us</h2><p>{third}</p><p>Call our office in {name} today.</p></div>"""
        pages[f"http://roofers.example/{name.lower().replace(' ', '-')}"] = newspaper(
            f"Roofers in {name}", inside, prose, brand="Roof and Gutter"
        )
    return pages


def events_calendar() -> Site:
    """A page a day with the events of that day; some take place every week."""
    weekly = [Prose(f"weekly {number}") for number in range(7)]
    regular = [f"{event.title(3, 5)}</b> <p>{event.sentence(8, 14)}" for event in weekly]
    pages = {}
    for day in range(28):
        prose = Prose(f"day {day}")
        title = f"What is on, {prose.date()}"
        events = "".join(
            f'<div class="event"><time>{prose.number(8, 22)}:30</time> <b>{prose.title(3, 5)}</b>'
            f"<p>{prose.sentence(8, 14)}</p></div>"
            for _ in range(4)
        )
        again = f'<div class="event" data-is="shared"><time>19:00</time> <b>{regular[day % 7]}</p></div>'
        inside = f"""<h1 data-is="content">{title}</h1><div class="events" data-is="content">{events}{again}</div>
<div class="calendar">{"".join(f'<a href="/{n}">{n}</a> ' for n in range(1, 29))}</div>"""
        pages[f"http://events.example/{day}"] = newspaper(title, inside, prose, brand="Calder Bay Tonight")
    return pages


def wiki_with_infoboxes() -> Site:
    """Articles with a table of facts: the same labels everywhere, and values that many share."""
    pages = {}
    for article in range(30):
        prose = Prose(f"wiki {article}")
        title = prose.name()
        facts = {
            "Country": prose.random.choice(["Norway", "Sweden"]),
            "Region": prose.random.choice(["North", "South", "West"]),
            "Mayor": prose.name(),
            "Founded": prose.number(1100, 1900),
            "Population": f"{prose.number(100, 90_000):,}",
            "Area": f"{prose.number(1, 300)} km2",
        }
        rows = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in facts.items())
        sections = "".join(
            f'<h2><span data-is="content">{name}</span> <span class="edit">[<a href="?edit">edit</a>]</span></h2>'
            f'<div data-is="content">{prose.paragraphs(1, 3)}</div>'
            for name in ("History", "Geography", "Economy")
        )
        inside = f"""<h1 data-is="content">{title}</h1><div class="mw-content">
<table class="infobox" data-is="content">{rows}</table>
<p data-is="content">{title} is a town. {prose.sentences(2, 4)}</p>{sections}</div>
<div class="catlinks">Categories: <a href="/c1">Towns</a> | <a href="/c2">All articles</a></div>"""
        frame = tables if article % 2 else weblog
        pages[f"http://wiki.example/{article}"] = frame(title, inside, prose, brand="Townpedia")
    return pages
