"""Sites on which nobody tuned: people who ask, answer and complain."""

from __future__ import annotations

from kinds.prose import Prose
from kinds.tongues import C, E, S, Site, items, menu


def _prosilver(title: str, inside: str, prose: Prose) -> str:
    """A house like that of phpBB."""
    return f"""<!DOCTYPE html><html><head><title>{title} - Valve Radio Board</title></head><body class="nojs notouch
section-viewtopic ltr">
<div id="wrap" class="wrap"><a id="top" class="top-anchor"></a><div id="page-header"><div class="headerbar"><div
class="inner">
<div id="site-description"><h1>Valve Radio Board</h1><p>Repair and restoration of old sets</p><p class="skiplink">
<a>Skip to content</a></p>
</div></div></div><div class="navbar"><ul id="nav-main" class="nav-main linklist"><li><a>Quick links</a><ul><li>
<a>Unanswered topics</a></li>
<li><a>Active topics</a></li><li><a>Search</a></li></ul></li><li><a>FAQ</a></li><li class="rightside"><a>Login</a>
</li><li class="rightside">
<a>Register</a></li></ul><ul id="nav-breadcrumbs"><li class="breadcrumbs"><span><a>Board index</a></span> <span>
<a>Repairs</a></span></li></ul>
</div></div><div id="page-body" class="page-body">{inside}<div class="action-bar actions-jump"><p
class="jumpbox-return"><a>Return to
“Repairs”</a></p><div class="jumpbox"><span>Jump to</span>
<ul>{menu("General, Introductions, Repairs, For sale, Schematics, Off topic")}</ul></div></div>
<div class="stat-block online-list"><h3>Who is online</h3><p>Users browsing this forum: No registered users and
{prose.number(1, 40)} guests</p></div>
<div class="stat-block permissions"><h3>Forum permissions</h3><p>You <strong>cannot</strong> post new topics in this
forum<br>You
<strong>cannot</strong> reply to topics in this forum<br>You <strong>cannot</strong> edit your posts in this forum<br>
</p></div></div>
<div id="page-footer"><div class="navbar"><ul><li><a>Board index</a></li><li>All times are <span>UTC+01:00</span></li>
<li><a>Delete cookies</a></li>
</ul></div><div class="copyright"><p>Powered by <a>phpBB</a>® Forum Software © phpBB Limited</p></div></div></div>
</body></html>"""


def phpbb_board() -> Site:
    """Topics with quotes and signatures, and the pages that list the topics."""
    users = [
        (
            Prose(f"user {n}").words(1),
            Prose(f"user {n}").number(3, 4_000),
            Prose(f"user {n}").date(),
            Prose(f"user {n}").sentence(4, 9),
        )
        for n in range(14)
    ]
    pages, rows = {}, []
    for topic in range(36):
        prose = Prose(f"topic {topic}")
        title, posts, before = prose.title(3, 8), "", ""
        for place in range(prose.number(1, 9)):
            user, count, joined, sign = prose.random.choice(users)
            text = (
                prose.sentences(1, 6)
                if prose.number(1, 5) > 1
                else prose.random.choice(["Thanks!", "Yes, that was it.", "Any news?"])
            )
            quote = (
                f"<blockquote><div><cite>{user} wrote:</cite>{before}</div></blockquote>"
                if before and place % 2
                else ""
            )
            posts += f"""<div id="p{topic}{place}" class="post has-profile bg{place % 2 + 1}"><div class="inner"><dl
class="postprofile"{E}>
<dt><a class="username">{user}</a></dt><dd class="profile-posts"><strong>Posts:</strong> <a>{count}</a></dd><dd
class="profile-joined">
<strong>Joined:</strong> {joined}</dd></dl><div class="postbody"><h3{E}><a>{"Re: " if place else ""}{title}</a></h3>
<ul class="post-buttons">
<li><a><span>Quote</span></a></li></ul><p class="author"{E}><a><span>Post</span></a> by <strong>{user}</strong> »
{prose.date()}, 8:{prose.number(10, 59)} pm</p>
<div class="content"{C}>{quote}{text}</div><div class="signature"{E}>{sign}</div></div><div class="back2top">
<a>Top</a></div></div></div><hr class="divider">"""
            before = text
        pages[f"http://valves.example/viewtopic.php?t={topic}"] = _prosilver(
            title,
            f"""<h2 class="topic-title"><a{S}>{title}</a></h2><div class="action-bar bar-top"><a class="button">
<span>Post Reply</span></a>
<div class="pagination">{prose.number(1, 9)} posts • Page <strong>1</strong> of <strong>1</strong></div>
</div>{posts}""",
            prose,
        )
        rows.append(f"""<li class="row bg1"><dl class="row-item topic_read"><dt><div class="list-inner"><a
class="topictitle"{S}>{title}</a><br>
<div class="topic-poster"{E}>by <a>{users[topic % 14][0]}</a> » {prose.date()}</div></div></dt><dd
class="posts"{E}>{prose.number(1, 9)} <dfn>Replies</dfn></dd>
<dd class="views"{E}>{prose.number(90, 9_000)} <dfn>Views</dfn></dd><dd class="lastpost"{E}><span><dfn>Last post
</dfn>by <a>{users[topic % 7][0]}</a></span></dd></dl></li>""")
    for page in range(4):
        pages[f"http://valves.example/viewforum.php?f=2&start={9 * page}"] = _prosilver(
            "Repairs",
            f"""<h2 class="forum-title"{E}><a>Repairs</a></h2><div class="action-bar bar-top"><a class="button">
<span>New Topic</span></a>
<div class="pagination">36 topics <ul><li><span>1</span></li><li><a>2</a></li><li><a>3</a></li><li><a>Next</a></li>
</ul></div></div>
<div class="forumbg"><div class="inner"><ul class="topiclist"><li class="header"{E}><dl><dt><div>Topics</div></dt>
<dd>Replies</dd><dd>Views</dd>
<dd><span>Last post</span></dd></dl></li></ul><ul class="topiclist
topics">{"".join(rows[9 * page : 9 * page + 9])}</ul></div></div>""",
            Prose(f"forum page {page}"),
        )
    return pages


def questions_and_answers() -> Site:
    """A question, its answers and remarks, with votes; questions from elsewhere in the column at the right."""
    titles = [Prose(f"asked {n}").title(5, 11) + "?" for n in range(30)]
    vote = '<div class="js-voting-container"><button>Up vote</button><div>{}</div><button>Down vote</button></div>'
    card = '<div class="user-info"{E}><div>{verb} {when}</div><a>{who}</a><div><span>{score}</span></div></div>'
    pages = {}
    for number, title in enumerate(titles):
        prose = Prose(f"question {number}")
        cells = ""
        for place in range(prose.number(1, 5)):
            verb = "answered" if place else "asked"
            remarks = "".join(
                f'<li class="comment"{E}><span class="comment-copy"{C}>{prose.sentence(5, 20)}</span> '
                f"&ndash; <a>{prose.words(1)}</a> <span>{prose.date()}</span></li>"
                for _ in range(prose.number(0, 3))
            )
            code = (
                f"<pre><code>{prose.words(2)} = {prose.words(1)}({prose.number()})\nreturn {prose.words(1)}</code>"
                "</pre>"
                if place % 2 == 0
                else ""
            )
            cells += f"""<div class="{verb} js-post"><div class="post-layout">{vote.format(prose.number(0, 90))}<div
class="postcell"><div class="s-prose"{C}>
{prose.paragraphs(1, 4)}{code}</div><div
class="post-taglist"{E}>{menu("valves, capacitors") if not place else ""}</div><div class="js-post-menu"><a>Share</a>
<a>Improve this {"answer" if place else "question"}</a> <button>Follow</button>
</div>{card.format(E=E, verb=verb, when=prose.date(), who=prose.words(1), score=prose.number())}</div>
<div class="comments"><ul>{remarks}</ul><a class="js-add-link">Add a comment</a></div></div></div>"""
            if not place:
                cells += (
                    '<div id="answers-header"><h2>Answers</h2><label>Sorted by:</label> <a>Reset to default</a></div>'
                )
        linked = "".join(
            f'<div class="spacer"><a>{prose.number(0, 40)}</a> <a>{titles[(number * 7 + n) % 30]}</a></div>'
            for n in range(1, 6)
        )
        hot = items([f"<a>{Prose(f'hot {number // 10} {n}').title(5, 9)}</a>" for n in range(6)])
        pages[f"https://ask.example/questions/{number}/{prose.slug()}"] = f"""<!DOCTYPE html><html><body
class="question-page"><header class="s-topbar">
<a>Ask Around</a><ol><li><a>Products</a></li><li><a>Log in</a></li><li><a>Sign up</a></li></ol></header><div
class="container"><div id="left-sidebar">
<ul>{menu("Home, Questions, Tags, Users, Companies, Unanswered")}</ul><p>Teams: ask questions, find answers and
collaborate at work.</p></div><div id="content">
<div id="question-header"><h1{C}><a>{title}</a></h1><a>Ask Question</a></div><div{E}><span>Asked</span>
<time>{prose.date()}</time> <span>Viewed</span>
{prose.number()} times</div><div id="mainbar">{cells}<h2>Your Answer</h2><form><textarea></textarea><p>By clicking
“Post Your Answer”, you agree to our
<a>terms of service</a> and acknowledge you have read our <a>privacy policy</a>.</p></form><h2
class="bottom-notice">Not the answer you're looking for? Browse other
questions tagged <a>{prose.words(1)}</a> or <a>ask your own question</a>.</h2></div><div id="sidebar"><div>
<h4>Related</h4>{linked}</div><div><h4><a>Hot Network
Questions</a></h4><ul>{hot}</ul></div></div></div><footer>
<ul>{menu("Tour, Help, Chat, Contact, Feedback, Press, Legal")}</ul><p>Site design © 2024 Ask Around Inc; user
contributions licensed under CC BY-SA. rev 2024.{prose.number(1, 12)}.{prose.number(100, 999)}</p></footer></div>
</body></html>"""
    return pages


def mailing_list() -> Site:
    """An archive of Pipermail: bare pages with a message in typewriter type, and lists of the messages."""
    people = [(Prose(f"sender {n}").name(), Prose(f"sender {n}").sentence(4, 8)) for n in range(9)]
    pages, listed, before = {}, [], ""
    for number in range(44):
        prose = Prose(f"mail {number}")
        who, sign = prose.random.choice(people)
        subject = Prose(f"subject {number // 4}").title(3, 6)
        quoted = "\n".join(f"&gt; {line}" for line in before.split("\n")[:4]) if number % 4 else ""
        text = "\n".join(prose.sentence(8, 12) for _ in range(prose.number(2, 9)))
        reply = "Re: " if number % 4 else ""
        orders = "".join(f"<a href=x.html#{number}>[ {by} ]</a> " for by in ("date", "thread", "subject", "author"))
        sort = f"<LI> <B>Messages sorted by:</B> {orders}</LI>"
        around = (
            f"<UL><LI>Previous message: <A>[Tidal] {subject}</A></li><LI>Next message: <A>[Tidal] {reply}{subject}</A>"
            f"</li>{sort}</UL>"
        )
        pages[f"http://lists.example/pipermail/tidal/{number:06}.html"] = f"""<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML
3.2//EN">
<HTML><HEAD><TITLE>[Tidal] {subject}</TITLE></HEAD><BODY BGCOLOR="#ffffff"><H1{S}>[Tidal] {reply}{subject}</H1>
<B{E}>{who}</B>
<A{E} HREF="mailto:tidal">{who.split()[0].lower()} at tides.example</A><BR><I{E}>Tue Mar {prose.number(1, 28)}
1{prose.number(1, 9)}:02:11 CET 2005</I><P>{around}<HR>
<!--beginarticle--><PRE{C}>{who.split()[0]} wrote:
{quoted}

{text}

--
{who}
{sign}
</PRE><!--endarticle--><HR><P>{around}<hr><a href="http://lists.example/mailman/listinfo/tidal">More information about
the Tidal mailing list</a><br></body></html>"""
        listed.append(
            f'<LI><A HREF="{number:06}.html">[Tidal] {reply}{subject}\n</A>'
            f'<A NAME="{number}">&nbsp;</A>\n<I>{who}\n</I>'
        )
        before = text
    for order in ("thread", "date", "author"):
        entries = sorted(listed, key=lambda entry: Prose(f"{order} {entry}").number()) if order != "thread" else listed
        pages[f"http://lists.example/pipermail/tidal/{order}.html"] = f"""<HTML><HEAD><title>The Tidal March 2005
Archive by {order}</title></HEAD>
<BODY BGCOLOR="#ffffff"><a name="start"></A><h1{C}>March 2005 Archives by {order}</h1><ul><li> <b>Messages sorted
by:</b> <a>[ subject ]</a> <a>[ date ]</a></li>
<li><b><a href="l">More info on this list...</a></b></li></ul><p{E}><b>Starting:</b> <i>Tue Mar 1 2005</i><br>
<b>Messages:</b> 44<p><ul{S}>{"".join(entries)}</ul><p>
<hr><p><i>This archive was generated by Pipermail 0.09 (Mailman edition).</i></BODY></HTML>"""
    return pages


def reviews() -> Site:
    """A shop with reviews that name brand, colour and size each time, the same few values on most pages."""
    pages, cards = {}, []
    for product in range(28):
        prose = Prose(f"goods {product}")
        name, brand = prose.title(2, 5), prose.random.choice(["Norrland", "Peak & Fell", "Cotswold"])
        price = f"${prose.number(9, 190)}.99"
        said = "".join(
            f"""<div class="review-card"><div{E}><span>{prose.number(1, 5)} out of 5 stars</span></div>
<div{E}>{prose.name()} {prose.date()}</div>
<div{C}><strong>{prose.title(2, 5)}</strong></div><div{C}><span>Size:</span> <span>{prose.random.choice("SML")}</span>
<span>Colour:</span>
<span>{prose.random.choice(["Black", "Navy", "Olive"])}</span></div><span{E}>Verified purchase</span>
<div{C}>{prose.sentences(1, 5)}</div>
<div><span>Was this review helpful?</span> <button>Yes ({prose.number(0, 40)})</button> <button>No
({prose.number(0, 9)})</button></div></div>"""
            for _ in range(prose.number(0, 6))
        )
        facts = {
            "Brand": brand,
            "Colour": prose.random.choice(["Black", "Navy", "Olive"]),
            "Material": prose.random.choice(["100% cotton", "Merino wool"]),
            "Care": "Machine wash at 30",
            "Fit": "Regular",
        }
        rows = "".join(
            f'<div class="spec"><div>{label}</div><div>{value}</div></div>' for label, value in facts.items()
        )
        cards.append(
            f'<li class="grid__item"><div class="card"{S}><h3><a href="/products/{product}">{name}</a>'
            f"</h3><span>{brand}</span> <span>{price}</span></div><button>Quick add</button>"
            "</li>"
        )
        also = "".join(
            f'<div class="rec"><a>{Prose(f"goods {(product + n * 5) % 28}").title(2, 5)}</a> <span>$49.99</span></div>'
            for n in range(1, 5)
        )
        pages[f"https://fell.example/products/{product}"] = _shop(f"""<div class="product__info"><p
class="product__vendor"{E}>{brand}</p><h1{S}>{name}</h1>
<div class="price"{S}>{price}</div><div class="tax">Tax included. <a>Shipping</a> calculated at checkout.</div>
<label>Quantity</label><button>Add to cart</button>
<button>Buy it now</button><div
class="product__description"{C}>{prose.paragraphs(1, 2)}<ul>{items([prose.sentence(3, 6) for _ in range(4)])}</ul>
</div>
<div class="specs"{C}>{rows}</div><details><summary>Shipping & returns</summary><p>Orders placed before noon leave our
warehouse on the same day. You have thirty days
to change your mind, and returns cost nothing.</p></details><details><summary>Care guide</summary><p>Wash inside out
and dry away from direct heat.</p></details></div>
<div class="reviews"><h2>Customer Reviews</h2><button>Write a review</button>{said}</div><div class="recs"><h2>You may
also like</h2>{also}</div>""")
    for number in range(5):
        grid = "".join(Prose(f"grid {number}").random.sample(cards, 9))
        pages[f"https://fell.example/collections/{number}"] = (
            _shop(f"""<h1{C}>{Prose(f"grid {number}").title(1, 2)}</h1>
<div class="facets"><span>Filter:</span>
<span>Availability</span> <span>Price</span> <span>Sort by:</span> <span>Best selling</span> <span>9 products</span>
</div><ul class="product-grid">{grid}</ul>""")
        )
    return pages


def _shop(inside: str) -> str:
    return f"""<!doctype html><html class="js"><body class="gradient"><a class="skip-to-content-link">Skip to
content</a><div id="shopify-section-announcement">
<p>Free shipping on orders over $75</p></div><header><a>FELL</a>
<ul>{menu("New in, Jackets, Shirts, Trousers, Sale")}</ul><a>Log in</a> <a>Cart</a></header>
<div class="drawer"><h2>Your cart is empty</h2><a>Continue shopping</a><p>Have an account? <a>Log in</a> to check out
faster.</p></div><main>{inside}</main>
<footer><div><h2>Quick links</h2><ul>{menu("Search, Size guide, Stockists, Careers")}</ul></div><div><h2>Our
mission</h2><p>Clothes that outlast the weather, made in small runs by
people who are paid properly.</p></div><div><h2>Subscribe to our emails</h2><form><input></form></div><small>© 2024,
Fell Powered by Shopify</small></footer></body></html>"""
