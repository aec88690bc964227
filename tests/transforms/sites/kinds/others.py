"""Sites on which nobody tuned: journals, as weblog programs print them."""

from __future__ import annotations

from kinds.prose import Prose
from kinds.tongues import C, E, S, Site, Tongue, items, menu


def _wordpress(title: str, inside: str, kind: str, recent: list[str]) -> str:
    """A house like the themes that come with WordPress."""
    prose = Prose(f"day of the visit {len(title) % 3}")
    said = items(
        [
            f'<span class="comment-author-link">{prose.name()}</span> on <a href="/?p=1">{prose.title()}</a>'
            for _ in "123"
        ]
    )
    return f"""<!DOCTYPE html><html lang="en-US"><head><meta charset="UTF-8"><title>{title} &#8211; Hedge and
Ditch</title>
<script>window._wpemojiSettings = {{"baseUrl":"x"}};</script></head><body class="{kind} wp-custom-logo hfeed">
<!-- wp_body_open --><a class="skip-link screen-reader-text" href="#content">Skip to content</a>
<header id="masthead" class="site-header"><div class="site-branding"><p class="site-title"><a href="/">Hedge and
Ditch</a></p>
<p class="site-description">A slow walk through the parish</p></div>
<nav id="site-navigation"><button class="menu-toggle">Menu</button><ul id="primary-menu">
{menu("Home, About, The walks, Gear, Contact")}</ul></nav></header>
<div id="content" class="site-content"><div id="primary" class="content-area"><main id="main">{inside}</main></div>
<aside id="secondary" class="widget-area"><section class="widget widget_search"><form><label><span>Search for:</span>
<input type="search" placeholder="Search &hellip;"></label><input type="submit" value="Search"></form></section>
<section class="widget"><h2 class="widget-title">Recent Posts</h2><ul>{items(recent)}</ul></section>
<section class="widget"><h2 class="widget-title">Recent Comments</h2><ul>{said}</ul></section>
<section class="widget"><h2 class="widget-title">Newsletter</h2><p>Join 1,204 other subscribers and get each new walk
by email.</p>
<form><input type="email"><button>Subscribe</button></form></section></aside></div>
<footer id="colophon"><div class="site-info"><a href="https://wordpress.example/">Proudly powered by WordPress</a>
<span class="sep"> | </span> Theme: Hedgerow by <a href="#">Themes</a>.</div></footer>
<div id="cookie-law-info-bar"><span>This website uses cookies to improve your experience. We'll assume you're ok with
this, but
you can opt-out if you wish. <a>Accept</a> <a>Read More</a></span></div></body></html>"""


def blog_with_listings() -> Site:
    """Thirty posts, and as many pages that list their titles and first words: the index, tags, months."""
    bios = {Prose(f"bio {n}").name(): Prose(f"bio {n}").sentences(2, 3) for n in range(2)}
    posts = []
    for number in range(30):
        prose = Prose(f"hedge {number}")
        author = list(bios)[number % 3 == 0]
        first = prose.sentences(5, 7)
        posts.append((prose, prose.title(3, 8), author, first, f"/2024/{prose.slug()}-{number}/"))
    link = [f'<a href="{url}">{title}</a>' for _, title, _, _, url in posts]
    pages = {}
    for number, (prose, title, author, first, url) in enumerate(posts):
        comments = "".join(
            f"""<li class="comment"><article><footer class="comment-meta"{E}><b class="fn">{prose.name()}</b> <span
class="says">says:</span>
<time>{prose.date()} at 9:{prose.number(10, 59)} am</time></footer><div class="comment-content"{C}>
<p>{prose.sentences(1, 3)}</p></div>
<div class="reply"><a href="#respond">Reply</a></div></article></li>"""
            for _ in range(prose.number(0, 4))
        )
        below = (
            f'<h2 class="comments-title">Thoughts on this walk</h2><ol class="comment-list">{comments}</ol>'
            if comments
            else ""
        )
        pages[f"http://hedge.example{url}"] = _wordpress(
            title,
            f"""<article class="post type-post hentry"><header class="entry-header"><h1
class="entry-title"{S}>{title}</h1>
<div class="entry-meta"{E}><span class="posted-on">Posted on <time>{prose.date()}</time></span> <span>by <a
href="#">{author}</a></span></div></header>
<div class="entry-content"><p{S}>{first}</p>
<div{C}>{prose.paragraphs(1, 6)}<h2>{prose.title()}</h2>{prose.paragraphs(1, 3)}</div>
<div class="sharedaddy"><h3>Share this:</h3><ul>{menu("Twitter, Facebook")}</ul></div>
<div class="jp-relatedposts"><h3>Related</h3>{items(prose.random.sample(link, 3), "h4")}</div></div>
<footer class="entry-footer"><span{E}>Tagged <a href="/t">{prose.words(1)}</a>, <a href="/t">{prose.words(1)}</a>
</span></footer>
<div class="author-bio"{E}><h2>About {author}</h2><p>{bios[author]}</p></div></article>
<nav class="post-navigation"><h2 class="screen-reader-text">Post navigation</h2><div class="nav-previous">
<span>Previous Post</span>
{link[number - 1]}</div><div class="nav-next"><span>Next Post</span>{link[(number + 1) % 30]}</div></nav>
<div id="comments">{below}<div id="respond"><h3>Leave a Reply</h3><form><p>Your email address will not be published.
Required fields are marked *</p><label>Comment *</label><textarea></textarea></form></div></div>""",
            "single single-post",
            link[:5],
        )
    lists = {f"page/{n + 1}/": (f"Page {n + 1}", posts[5 * n : 5 * n + 5]) for n in range(6)}
    lists |= {f"tag/{n}/": (f"Tag: {Prose(n).words(1)}", Prose(n).random.sample(posts, 3 + n % 4)) for n in range(16)}
    lists |= {f"2024/0{n + 1}/": (f"Month: 0{n + 1} 2024", posts[4 * n : 4 * n + 4]) for n in range(7)}
    for where, (title, listed) in lists.items():
        teasers = "".join(
            f"""<article class="post hentry"><header class="entry-header"><h2 class="entry-title"{S}><a
href="{url}">{headline}</a></h2>
<div class="entry-meta"{E}>Posted on <time>12 May 2024</time> by <a href="#">{author}</a></div></header>
<div class="entry-summary"><p{S}>{" ".join(first.split()[:40])} [&hellip;]</p></div></article>"""
            for _, headline, author, first, url in listed
        )
        pages[f"http://hedge.example/{where}"] = _wordpress(
            title,
            f"""<header class="page-header"><h1 class="page-title"{E}>{title}</h1></header>{teasers}
<nav class="navigation pagination"><h2 class="screen-reader-text">Posts navigation</h2><a>1</a> <a>2</a> <a>3</a>
<a>Next page</a></nav>""",
            "archive",
            link[:5],
        )
    return pages


def russian_diary() -> Site:
    """A diary in Russian at Blogger: pages of the months repeat whole posts."""
    posts = []
    for number in range(28):
        prose = Tongue("russian", f"diary {number}")
        title = prose.title(2, 6)
        body = "<br /><br />".join(prose.sentences(2, 6) for _ in range(prose.number(1, 5)))
        when = f"{prose.number(1, 28)} марта 20{10 + number // 4} г."
        posts.append(
            (
                title,
                f"""<h2 class="date-header"{E}><span>{when}</span></h2><div class="date-posts"><div
class="post-outer">
<div class="post hentry uncustomized-post-template"><h3 class="post-title entry-title"{S}><a
href="/{number}">{title}</a></h3>
<div class="post-body entry-content"{S}><div dir="ltr">{body}</div><div style="clear: both;"></div></div>
<div class="post-footer"><div class="post-footer-line"><span class="post-author"{E}>Автор: Наблюдатель на
10:{prose.number(10, 59)}</span>
<span class="post-comment-link"><a href="#c">{prose.number(2, 9)} комментария:</a></span><div
class="post-share-buttons">
<a><span>Отправить по электронной почте</span></a><a><span>Написать об этом в блоге</span></a></div></div>
<div class="post-footer-line"><span class="post-labels"{E}>Ярлыки: <a href="/l">{prose.words(1)}</a></span></div>
</div></div></div></div>""",
            )
        )
    archive = "".join(
        f'<ul class="hierarchy"><li>&#9658; <a href="/y">20{10 + year}</a> <span>(4)</span><ul>'
        f'{items([f"<a>{title}</a>" for title, _ in posts[4 * year : 4 * year + 4]])}</ul></li></ul>'
        for year in range(7)
    )  # fmt: skip
    whole = {f"{number}.html": [post] for number, (_, post) in enumerate(posts)}
    whole |= {
        f"20{10 + year}_03_01_archive.html": [post for _, post in posts[4 * year : 4 * year + 4]] for year in range(7)
    }
    return {
        f"http://dnevnik.example/{name}": f"""<html><head><title>Дневник наблюдателя</title></head><body
class="loading">
<div class="navbar section" id="navbar"></div><div class="body-fauxcolumns"></div><div class="content"><div
class="content-outer">
<header><div class="header-outer"><h1 class="title"><a href="/">Дневник наблюдателя</a></h1><p class="description">
<span>Записки о
погоде, птицах и соседях по даче</span></p></div></header><div class="main-outer"><div class="columns"><div id="main">
<div class="blog-posts hfeed">{"".join(bodies)}</div><div class="blog-pager"><a>Следующее</a> <a>Предыдущее</a>
<a>Главная страница</a></div>
<div class="post-feeds">Подписаться на: <a>Сообщения (Atom)</a></div></div><div class="column-right-outer"><aside>
<div class="widget Profile"><h2>Обо мне</h2><a>Наблюдатель</a> <a>Просмотреть профиль</a></div>
<div class="widget BlogArchive"><h2>Архив блога</h2>{archive}</div></aside></div></div></div><footer>
<div>Тема "Простая". Автор изображений для темы: <a>мастер</a>. Технологии <a>Blogger</a>.</div></footer></div></div>
</body></html>"""
        for name, bodies in whole.items()
    }


def podcast() -> Site:
    """Episodes with notes, lists of links, a transcript now and then, and always the same hosts and sponsors."""
    hosts = items(
        [f"<strong>{Prose(f'host {n}').name()}</strong> {Prose(f'host {n}').sentences(1, 2)}" for n in "ab"], "p"
    )
    sponsors = [Prose(f"sponsor {n}").sentences(2, 3) for n in range(5)]
    pages = {}
    for number in range(1, 33):
        prose = Prose(f"episode {number}")
        title = f"{number}: {prose.title(2, 5)}"
        times = items([f"{place * 7}:{prose.number(10, 59)} {prose.words(4)}" for place in range(prose.number(3, 9))])
        found = items(
            [f'<a href="https://{prose.slug()}.example">{prose.title(2, 6)}</a>' for _ in range(prose.number(3, 9))]
        )
        said = "".join(f"<p><b>{prose.random.choice('AB')}:</b> {prose.sentences(1, 4)}</p>" for _ in range(12))
        script = f'<h3>Transcript</h3><div class="transcript">{said}</div>' if number % 4 == 0 else ""
        pages[f"https://cast.example/{number}"] = f"""<!doctype html><html><body><div id="root"><div class="css-1x9k">
<div class="css-77a">
<a href="/">Two Chairs</a><a href="/episodes">Episodes</a><a href="/hosts">Hosts</a><a href="/shop">Merch</a></div>
</div>
<div class="css-b2"><div class="css-k1"><h1{C}>{title}</h1><div class="css-k2"{E}>{prose.date()} ·
{prose.number(20, 90)} min</div>
<div class="css-player"><button>Play</button><span>00:00</span><span>{prose.number(20, 90)}:00</span></div>
<div class="css-subs"><span>Listen on</span><a>Apple Podcasts</a><a>Spotify</a><a>Overcast</a><a>RSS</a></div>
<div class="css-notes"><div{C}>{prose.paragraphs(1, 3)}<ul>{times}</ul><p>Links from this episode</p><ul>{found}</ul>
</div>
<div{E}><p>This episode is brought to you by our friends. {sponsors[number % 5]}</p></div><div{C}>{script}</div>
<h3{E}>Your hosts</h3><div{E}>{hosts}</div>
<p>If you enjoy the show, leave us a review, tell a friend, or become a member at two-chairs.example/join.</p></div>
<div class="css-nx"><a href="/{number - 1}">Previous episode</a><a href="/{number + 1}">Next episode</a></div></div>
</div>
<div class="css-ft"><span>© 2024 Two Chairs Audio LLC</span><span>Hosted with care by Castbox</span></div></div>
</body></html>"""
    return pages


def recipes_with_nutrition() -> Site:
    """Dishes with a box of facts, a table of nutrition, the cook's bio, ratings, and questions that come again."""
    bio, asked = (
        Prose("cook").sentences(2, 3),
        [(Prose(n).title(5, 8) + "?", Prose(n).sentences(1, 2)) for n in range(8)],
    )
    pages = {}
    for dish in range(26):
        prose = Prose(f"plate {dish}")
        title = prose.title(2, 5)
        nutrition = "".join(
            f'<span class="wprm-nutrition-label-text-nutrition-container"><span>{name}: </span>'
            f"<span>{prose.number(1, 600)}</span>"
            f"<span>{unit}</span></span><span{E}> | </span>"
            for name, unit in (
                ("Calories", "kcal"),
                ("Carbohydrates", "g"),
                ("Protein", "g"),
                ("Fat", "g"),
                ("Sodium", "mg"),
                ("Fiber", "g"),
            )
        )
        pantry = ["salt", "butter", "flour", "olive oil", "brown sugar"]
        needed = "".join(
            f'<li class="wprm-recipe-ingredient"><span>{prose.number(1, 9)}</span> '
            f"<span>{prose.random.choice(['cup', 'tsp', 'tbsp'])}</span> "
            f"<span>{prose.random.choice([*pantry, prose.words(2)])}</span></li>"
            for _ in range(prose.number(5, 11))
        )
        steps = items([f"<div>{prose.sentences(1, 2)}</div>" for _ in range(prose.number(3, 7))])
        faq = "".join(f"<h3>{q}</h3><p>{a}</p>" for q, a in prose.random.sample(asked, 2))
        rated = "".join(
            f"<li><b{E}>{prose.name()}</b><div{C}>{prose.sentence(5, 15)}</div><a>Reply</a></li>"
            for _ in range(prose.number(0, 3))
        )
        disclosure = (
            '<p class="disclosure"><em>This post may contain affiliate links. Read our disclosure policy.</em></p>'
        )
        pages[f"https://plates.example/{prose.slug()}-{dish}/"] = f"""<!DOCTYPE html><html><body
class="post-template-default single">
<div class="site-container"><header class="site-header"><div class="title-area"><a href="/">Salted Plates</a></div>
<nav><ul>{menu("Recipes, Dinners, Desserts, About, Cookbook, Shop")}</ul></nav></header><div class="breadcrumb"><a
href="/">Home</a> »
<a href="/r">Recipes</a> » <span>{prose.random.choice(["Dinners", "Desserts", "Soups"])}</span></div>
<main><article><header><h1{C}>{title}</h1><p{E}>Published: {prose.date()} by <a>Mara</a></p></header>
<div class="jump"><a href="#r">Jump to Recipe</a> <a href="#p">Print Recipe</a></div>{disclosure if dish % 3 else ""}
<div class="entry-content"><div{C}>{prose.paragraphs(2, 4)}</div><h2{E}>Frequently asked questions</h2>
<div{S}>{faq}</div>
<div class="wprm-recipe-container"><h2{C}>{title}</h2><div class="times"{C}><span>Prep Time</span>
<span>{prose.number(5, 30)} mins</span>
<span>Cook Time</span> <span>{prose.number(5, 90)} mins</span> <span>Servings</span> <span>{prose.number(2, 8)}</span>
</div>
<a class="wprm-print">Print</a> <a>Pin</a> <a>Rate</a><h3{C}>Ingredients</h3><ul{C}>{needed}</ul>
<h3{C}>Instructions</h3><ol{C}>{steps}</ol>
<h3{C}>Nutrition</h3><div class="wprm-nutrition"{C}>{nutrition}</div>
<div class="cta"><span>Tried this recipe?</span> <span>Mention @saltedplates or tag #saltedplates!</span></div></div>
</div></article>
<section class="author-box"{E}><h4>About Mara</h4><p>{bio}</p></section>
<div id="comments"><h3>Reader Interactions</h3><ol>{rated}</ol><h3>Leave a Comment</h3><p>Recipe Rating</p></div>
</main>
<aside class="sidebar"><section><h4>Hi, I'm Mara!</h4><p>Welcome to my kitchen, where every dish takes less than an
hour.</p><a>More about me</a></section>
<section><h4>Popular now</h4><ul>{items([f"<a>{Prose(f'plate {n}').title(2, 5)}</a>" for n in range(6)])}</ul>
</section></aside>
<footer><p>Copyright © 2024 · Salted Plates · <a>Privacy Policy</a></p></footer></div></body></html>"""
    return pages
