"""Sites on which nobody tuned: courts, offices, universities, firms, weather, sport, small ads."""

from __future__ import annotations

from kinds.prose import Prose
from kinds.tongues import C, Chinese, E, S, Site, Tongue, items, menu


def court_decisions() -> Site:
    """Decisions without any classes; paragraphs of settled law stand word for word in many of them."""
    law = [Prose(f"law {n}").sentences(3, 5) for n in range(7)]
    ends = [
        "AFFIRMED.",
        "REVERSED AND REMANDED.",
        "For the foregoing reasons, the judgment of the district court is affirmed.",
    ]
    pages = {}
    for number in range(34):
        prose = Prose(f"case {number}")
        one, other = prose.name(), prose.name()
        parts = ""
        for heading, chance in (("I. BACKGROUND", 0), ("II. STANDARD OF REVIEW", 4), ("III. DISCUSSION", 2)):
            settled = "".join(
                f"<p{S}>{text}</p>" for place, text in enumerate(law) if prose.number(0, 9 + place) < chance
            )
            parts += f'<p align="center"{C}><b>{heading}</b></p>{settled}<div{C}>{prose.paragraphs(2, 6)}</div>'
        notes = "".join(f"<p{C}><sup>{n}</sup> {prose.sentences(1, 2)}</p>" for n in range(1, prose.number(1, 4)))
        pages[f"http://ca.courts.example/opinions/{number}.htm"] = f"""<html><head><title>{one} v. {other}</title>
</head><body><table width="100%"><tr><td>
<img src="seal.gif"></td><td><font size="5">Court of Appeals of the Western Circuit</font><br><a href="/">Home</a> |
<a>Opinions</a> | <a>Calendar</a> | <a>Rules</a> |
<a>Forms</a></td></tr></table><hr><p align="center"{E}>NOT FOR PUBLICATION</p><p align="center"{E}>UNITED COURTS OF
APPEALS<br>FOR THE WESTERN CIRCUIT</p>
<table border="0"{C}><tr>
<td>{one.upper()},<br>Plaintiff-Appellant,<br>v.<br>{other.upper()},<br>Defendant-Appellee.</td><td>No.
{prose.number(10, 23)}-{prose.number(1000, 9999)}</td></tr></table>
<p align="center"{E}>Appeal from the District Court<br>Argued and Submitted {prose.date()}</p><p{E}>Before:
{prose.name()}, {prose.name()} and {prose.name()}, Circuit Judges.</p>
{parts}<p{S}><b>{prose.random.choice(ends)}</b></p><hr>{notes}<hr><p><font size="1">The opinions posted here are
subject to revision before they are printed. Notify the
Clerk of any errors at 555-0182.</font></p><p><a href="/">Back to the list of opinions</a></p></body></html>"""
    return pages


def chinese_office() -> Site:
    """Notices of an office in Chinese, with a table of labels above each, and lists of the notices."""
    named = ("索引号", "发布机构", "发文日期", "文号", "主题分类")
    pages, rows = {}, []
    for number in range(32):
        prose = Chinese(f"notice {number}")
        title, when = f"关于{prose.words(4)}的通知", prose.date()
        values = (
            f"000014349/{prose.number(2010, 2024)}-{number:05}",
            prose.random.choice(["市政府办公室", "市财政局"]),
            when,
            f"〔{prose.number(2010, 2024)}〕{number}号",
            prose.words(2),
        )
        table = "".join(
            f"<tr><td>{name}：</td><td>{value}</td></tr>" for name, value in zip(named, values, strict=True)
        )
        rows.append(f'<li><a href="/{number}.html" title="{title}"{S}>{title}</a><span{E}>{when}</span></li>')
        end = "<p>特此通知。</p>" if number % 3 == 0 else ""
        pages[f"http://www.haian.example/zwgk/{number}.html"] = _office(f"""<div class="bt_box">
<table{C}>{table}</table></div><div class="title"{S}>{title}</div>
<div class="info"><span{E}>来源：市政府 {when}</span> <span{E}>浏览次数：{prose.number()}</span>
<span>字体：[<a>大</a> <a>中</a> <a>小</a>]</span></div>
<div class="TRS_Editor"{C}><p>各县（区）人民政府，各有关单位：</p>{prose.paragraphs(1, 7)}{end}
<p align="right">{when}</p></div>
<div class="func"><a>【打印本页】</a><a>【关闭窗口】</a></div>
<div class="share">分享到：<a>微信</a><a>微博</a></div>""")
    for page in range(3):
        listed = "".join(rows[11 * page : 11 * page + 11])
        pages[f"http://www.haian.example/zwgk/index_{page}.html"] = (
            _office(f"""<div class="list_title"{E}>通知公告</div>
<ul class="list">{listed}</ul>
<div class="page">共3页 <a>首页</a> <a>上一页</a> <a>下一页</a> <a>尾页</a></div>""")
        )
    return pages


def _office(inside: str) -> str:
    bar = menu("首页, 政务公开, 新闻中心, 办事服务, 互动交流, 数据开放")
    return f"""<!DOCTYPE html><html lang="zh"><head><title>海岸市人民政府</title></head><body><div id="top">
今天是 星期三 欢迎访问海岸市人民政府网站 <a>无障碍</a> <a>繁体</a>
</div><div id="logo"><img alt=""></div><div id="nav"><ul>{bar}</ul></div><div class="wz">您当前的位置：<a>首页</a> &gt;
<a>政务公开</a> &gt; <a>通知公告</a></div>
<div id="main">{inside}</div>
<div id="foot"><div>友情链接：<a>中央政府</a> <a>省政府</a> <a>市人大</a></div><p>主办：海岸市人民政府办公室
承办：海岸市信息中心</p>
<p>网站标识码：3200000012 备案号：苏ICP备05000001号 地址：人民路一号</p></div></body></html>"""


def weather() -> Site:
    """The forecast of eighty towns: the same rows and the same few phrases on all pages, in other orders."""
    skies = [
        "Sunny intervals",
        "Light rain",
        "Light rain and a gentle breeze",
        "Thick cloud",
        "Clear sky",
        "Heavy showers",
        "Mist",
    ]
    pages = {}
    for town in range(80):
        prose = Prose(f"weather {town}")
        name = prose.name()
        rows = "".join(
            f"<tr><th>{day}</th><td>{prose.random.choice(skies)}</td><td>{prose.number(8, 22)}°</td>"
            f"<td>{prose.number(-2, 9)}°</td><td>{prose.number(3, 40)} km/h</td>"
            f"<td>{prose.number(0, 99)}%</td></tr>"
            for day in ("Today", "Thursday", "Friday", "Saturday", "Sunday")
        )
        region = Prose(f"region {town // 10}").sentences(2, 3)
        near = items([f'<a href="/{n}">{Prose(f"weather {n % 80}").name()}</a>' for n in range(town + 1, town + 6)])
        pages[f"https://sky.example/{town}"] = f"""<!DOCTYPE html><html><body><div><div><a href="/">Skywatch</a></div>
<ul>{menu("Forecast, Maps, Warnings, Climate, News")}</ul>
<form><input placeholder="Enter a town"><button>Search</button></form></div><div><h1{C}>{name}</h1><p{E}>Last updated
today at {prose.number(10, 23)}:00</p><div><table{C}><tr><th>Day</th>
<th>Sky</th><th>High</th><th>Low</th><th>Wind</th><th>Rain</th></tr>{rows}</table></div><div><div{E}>Observation</div>
<div{C}><div>Temperature</div><div>{prose.number(1, 22)}°C</div>
<div>Humidity</div><div>{prose.number(40, 99)}%</div><div>Pressure</div><div>{prose.number(980, 1040)} mb</div></div>
</div><h2{E}>The region</h2><p{S}>{region}</p>
<h2>Nearby places</h2><ul>{near}</ul></div><div><p>Forecasts come from the Institute of Air and Water. We cannot
answer for damage that follows from their use.</p>
<a>About</a> <a>Contact</a> <a>Apps</a></div></body></html>"""
    return pages


def league() -> Site:
    """A season in German: a page a day of play with its results, the table after it, and a report now and then."""
    clubs = [
        f"{kind} {Tongue('german', f'club {n}').name().split()[0]}"
        for n, kind in enumerate(["FC", "SV", "TSV", "VfB", "SpVgg", "1. FC"] * 2)
    ]
    pages = {}
    for day in range(1, 23):
        prose = Tongue("german", f"matchday {day}")
        order = prose.random.sample(clubs, 12)
        played = "".join(
            f"<tr><td>Sa, {prose.number(1, 28)}.{prose.number(1, 12)}.</td>"
            f"<td>15:30</td><td>{home}</td><td>-</td><td>{away}</td><td>{prose.number(0, 4)}:{prose.number(0, 3)}</td>"
            "</tr>"
            for home, away in zip(order[::2], order[1::2], strict=True)
        )
        standing = "".join(
            f"<tr><td>{place}</td><td><a>{club}</a></td><td>{day}</td>"
            f"<td>{prose.number(0, 60)}:{prose.number(0, 50)}</td><td>{prose.number(0, 3 * day)}</td></tr>"
            for place, club in enumerate(sorted(order, key=lambda c: (clubs.index(c) * 5 + day // 4) % 12), 1)
        )
        report = (
            f'<div class="bericht"{C}><h2>{prose.title()}</h2>{prose.paragraphs(1, 3)}</div>' if day % 3 == 0 else ""
        )
        days = "".join(f"<a>{n}.</a> " for n in range(1, 23))
        pages[f"http://kreisliga.example/spieltag-{day}.php"] = f"""<html><head><title>{day}. Spieltag</title></head>
<body><div class="kopf"><a>Kreisliga Nord</a></div>
<table class="menue"><tr><td><a>Aktuell</a></td><td><a>Ergebnisse</a></td><td><a>Tabelle</a></td><td><a>Torjäger</a>
</td><td><a>Vereine</a></td><td><a>Archiv</a></td></tr></table>
<div class="anzeige">- Anzeige -</div><div class="inhalt"><h1{C}>{day}. Spieltag</h1>{report}<table class="spiele"{C}>
<tr><th>Datum</th><th>Zeit</th><th>Heim</th><th></th><th>Gast</th><th>Erg.</th></tr>{played}</table>
<h2{E}>Tabelle</h2><table class="tabelle"{C}><tr><th>Pl.</th><th>Verein</th><th>Sp.</th><th>Tore</th><th>Pkt.</th>
</tr>{standing}</table><p class="spieltage">Spieltag: {days}</p></div>
<div class="rechts"><h3>Tippspiel</h3><p>Jetzt mitmachen und einen Trikotsatz gewinnen!</p><a>Zum Tippspiel</a></div>
<div class="fuss">Alle Angaben ohne Gewähr. <a>Impressum</a> <a>Datenschutz</a>
<span>Besucher: {prose.number(10_000, 99_999)}</span></div></body></html>"""
    return pages


def staff_pages() -> Site:
    """A department: lists of its people, and a page a person, of which some say hardly anything."""
    pages, rows = {}, []
    courses = [f"{n}: {Prose(f'course {n}').title(2, 5)}" for n in range(101, 112)]
    for person in range(18):
        prose = Prose(f"person {person}")
        name, role = prose.name(), prose.random.choice(["Professor", "Lecturer", "Research Fellow"])
        facts = (
            f"<dt>Office</dt><dd>Room {prose.number(100, 499)}, Tait Building</dd>"
            f"<dt>Phone</dt><dd>+44 555 01{prose.number(10, 99)}</dd><dt>Email</dt>"
            f"<dd><a>{name.split()[0].lower()}@north.example</a></dd>"
        )
        papers = items(
            [
                f"{name}, {prose.name()} ({prose.number(1990, 2024)}). {prose.title(5, 10)}. "
                f"<em>{prose.title(2, 4)}</em>, {prose.number(1, 40)}."
                for _ in range(prose.number(0, 8) if person % 3 else 0)
            ]
        )
        taught = items(prose.random.sample(courses, prose.number(1, 4)))
        about = f"<h2{C}>Research interests</h2><div{C}>{prose.paragraphs(1, 2)}</div>" if person % 4 else ""
        rows.append(f"<tr><td{S}><a>{name}</a></td><td{S}>{role}</td><td{S}>{prose.number(100, 499)}</td></tr>")
        pages[f"https://maths.north.example/staff/{person}"] = _campus(f"""<h1{S}>{name}</h1><div
class="field-role"{S}>{role}</div><dl class="contact-card"{C}>{facts}</dl>{about}
<h2{C}>Teaching</h2><ul{S}>{taught}</ul>{f"<h2{C}>Publications</h2><ol{C}>{papers}</ol>" if papers else ""}<div
class="postal"{E}>School of Mathematics, Tait Building, King's Road, Northam NO3 9FD</div>""")
    for where, chosen in (("all", rows), ("a-to-m", rows[:9]), ("n-to-z", rows[9:])):
        pages[f"https://maths.north.example/people/{where}"] = _campus(f"""<h1{C}>People: {where}</h1><table><tr{E}>
<th>Name</th><th>Role</th><th>Room</th></tr>{"".join(chosen)}</table>""")
    return pages


def _campus(inside: str) -> str:
    return f"""<!DOCTYPE html><html><body class="path-node"><div class="dialog-off-canvas-main-canvas"><header
role="banner"><a>University of Northam</a><div class="region-header">
<ul>{menu("Study, Research, Business, Alumni, About")}</ul></div></header><nav class="breadcrumb"><ol><li><a>Home</a>
</li><li><a>School of Mathematics</a></li><li>Our people</li></ol></nav>
<main><div class="region-sidebar"><h2>In this section</h2>
<ul>{menu("Our people, Academic staff, Research students, Professional services, Vacancies")}</ul></div>
<div class="region-content">{inside}</div></main><footer><div class="block">University of Northam is a charitable
body, registered under number SC005336.</div>
<ul>{menu("Accessibility, Freedom of information, Modern slavery statement, Cookies")}</ul>
</footer></div></body></html>"""


def press_releases() -> Site:
    """A firm's newsroom: every release ends with who the firm is (template), a few with who its partner is (shared)."""
    partners = [
        f"<p><strong>About {Prose(f'partner {n}').name()}</strong></p><p>{Prose(f'partner {n}').sentences(2, 4)}</p>"
        for n in range(3)
    ]
    pages, rows = {}, []
    for number in range(40):
        prose = Prose(f"release {number}")
        title, when = prose.title(6, 12), prose.date()
        rows.append(f'<div class="views-row"><div{E}>{when}</div><div{S}><a>{title}</a></div></div>')
        partner = f"<div{S}>{partners[number // 9 % 3]}</div>" if number % 9 == 0 or number % 9 == 4 else ""
        pages[f"https://news.ostrava.example/{number}"] = _newsroom(f"""<article class="node
node--type-press-release"><h1 class="page-title"{S}><span>{title}</span></h1>
<div class="field field--name-body"><div{C}><p><strong>CALDER BAY, {when}</strong> &ndash;
{prose.sentences(2, 3)}</p>{prose.paragraphs(2, 5)}<blockquote><p>“{prose.sentences(1, 3)}”</p></blockquote></div>
<p{E}>###</p><p><strong>About Ostrava Pumps</strong></p><p>Ostrava Pumps (XETR: OSP) designs and builds pumps for
water, food and chemicals. Founded in 1924, the company employs 4,100 people in
eleven countries. More at <a>ostrava.example</a>.</p>{partner}<p><strong>Media contact</strong><br>Lena Hart<br>+1 555
0144<br><a>press@ostrava.example</a></p></div>
<div class="field--name-download"><a>Download as PDF</a></div></article>""")
    for page in range(4):
        pages[f"https://news.ostrava.example/?page={page}"] = _newsroom(f"""<h1 class="page-title"{E}>Newsroom</h1>
<div class="view">{"".join(rows[10 * page : 10 * page + 10])}</div>
<nav class="pager"><ul><li>Page {page + 1}</li><li><a>Next ›</a></li><li><a>Last »</a></li></ul></nav>""")
    return pages


def _newsroom(inside: str) -> str:
    return f"""<!DOCTYPE html><html><body><header class="header"><a>Ostrava</a><nav>
<ul>{menu("Products, Service, Investors, Careers, Newsroom")}</ul></nav></header>
<div class="layout-content">{inside}</div><div class="alerts"><h2>Email alerts</h2><p>Sign up to receive our news as
soon as they are published.</p><a>Sign up</a></div>
<footer><p>© 2024 Ostrava Pumps AG</p><ul>{menu("Imprint, Privacy, Terms of sale")}</ul></footer></body></html>"""


def classified_ads() -> Site:
    """Small ads with next to no markup; some stand there twice, and every ad ends with the same request."""
    pages, rows = {}, []
    for number in range(54):
        prose = Prose(
            f"ad {number - number % 9 % 2}" if number % 9 < 2 else f"ad {number}"
        )  # a few ads are posted twice
        mark = S if number % 9 < 2 else C
        title, price, where = prose.title(2, 6), prose.number(5, 900), prose.name()
        text = "<br>\n".join(prose.sentences(1, 3) for _ in range(prose.number(1, 4)))
        facts = "".join(
            f"<span>{label}: <b>{value}</b></span><br>"
            for label, value in (
                ("condition", prose.random.choice(["good", "like new", "fair"])),
                ("make / manufacturer", prose.words(1)),
            )
        )
        rows.append(f"""<li class="result-row"><div class="result-info"><time{E}>Nov {prose.number(1, 28)}</time>
<h3{S}><a>{title}</a></h3> <span{S}>${price}</span>
<span{S}>({where})</span> <span class="result-tags"{E}>pic <span>map</span></span></div></li>""")
        pages[f"https://calder.adlist.example/zip/d/{number}.html"] = f"""<!DOCTYPE html><html><body class="posting">
<section class="page-container"><header>
<span><a>AL</a></span> <a>calder bay</a> &gt; <a>for sale</a> &gt; <a>household items - by owner</a><a>post</a>
<a>account</a></header><section class="body">
<div class="dateReplyBar"><button>reply</button><span{E}>Posted <time>about {prose.number(1, 30)} days ago</time>
</span></div><h1 class="postingtitle"{S}><span>{title}</span> -
<span>${price}</span> <small>({where})</small></h1><section class="userbody"><p class="attrgroup"{mark}>{facts}</p>
<section id="postingbody"{mark}>{text}</section>
<ul class="notices"><li>do NOT contact me with unsolicited services or offers</li></ul></section><div
class="postinginfos"><p{E}>post id: {prose.number(7_000_000, 7_999_999)}</p>
<p>♥ best of [<a>?</a>]</p></div></section><footer><ul
class="clfooter">{menu("help, safety, privacy, terms, about, app")}</ul><span>© 2024 adlist</span></footer></section>
</body></html>"""
    for page in range(3):
        pages[f"https://calder.adlist.example/search?s={page}"] = f"""<!DOCTYPE html><html><body class="search">
<header><a>AL</a> <a>calder bay</a> &gt; <a>for sale</a>
<a>post</a><a>account</a></header><form><input><button>search titles only</button><label>has image</label>
<label>posted today</label></form>
<div class="paginator">{page * 18 + 1} - {page * 18 + 18} / 54 <a>next &gt;</a></div><ul
class="rows">{"".join(rows[18 * page : 18 * page + 18])}</ul>
<footer><ul class="clfooter">{menu("help, safety, privacy, terms, about, app")}</ul><span>© 2024 adlist</span>
</footer></body></html>"""
    return pages
