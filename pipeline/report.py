"""What a run tells people: how far it is, and at its end where every record and byte went."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from time import monotonic
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from pipeline.ledger import MOSTLY
from pipeline.outcomes import FAILURES, Bin
from pipeline.progress import so_far
from transforms.sites import ALL

POLL_SECONDS = 0.5
LINE_SECONDS = 10.0  # between plain lines


def watcher(total: int | None, quiet: bool) -> Callable[[str], AbstractContextManager[None]]:
    """Something that shows progress on standard error: a bar on a terminal, else a line now and then."""

    @contextmanager
    def watch(folder: str) -> Iterator[None]:
        ended = threading.Event()
        show = _bar if sys.stderr.isatty() else _lines
        thread = threading.Thread(target=show, args=(folder, total, ended), daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    @contextmanager
    def silent(_: str) -> Iterator[None]:
        yield

    return silent if quiet else watch


def _bar(folder: str, total: int | None, ended: threading.Event) -> None:
    columns = (
        TextColumn("reading"),
        BarColumn(),
        DownloadColumn(),
        TextColumn("{task.fields[pages]:,} pages, {task.fields[rate]:,.0f}/s"),
        TimeRemainingColumn(),
    )
    began = monotonic()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=total, pages=0, rate=0.0)
        while not ended.wait(POLL_SECONDS):
            read, pages = so_far(folder)
            progress.update(task, completed=read, pages=pages, rate=pages / (monotonic() - began))


def _lines(folder: str, total: int | None, ended: threading.Event) -> None:
    began = monotonic()
    while not ended.wait(LINE_SECONDS):
        read, pages = so_far(folder)
        seconds = monotonic() - began
        of_all = f" of {total / 1e6:,.1f}" if total else ""
        left = f", {seconds * (total - read) / read:,.0f} s left" if total and read else ""
        rate = f"{pages:,} pages, {pages / seconds:,.0f} pages/s"
        print(f"winnow: {read / 1e6:,.1f}{of_all} MB read, {rate}{left}", file=sys.stderr, flush=True)


def pages(stats: dict[str, Any]) -> int:
    """Records that hold a page which is to be cleaned, whether it was or not."""
    records = stats["records"]
    return int(records.get("cleaned", 0) + records.get("empty", 0) + stats["failures"])


def table(stats: dict[str, Any], seconds: float | None = None) -> str:
    """Records by outcome, bytes by bin, the four sizes, and what was lost."""
    lines = [f"{'records':24}{sum(stats['records'].values()):>14,}"]
    lines += [f"  {name:22}{count:>14,}{_failed(name)}" for name, count in stats["records"].items()]
    total = stats["bytes_total"]
    lines += ["", f"{'bytes':24}{total:>14,}"]
    lines += [
        f"  {name:22}{amount:>14,}{_share(amount, total)}{_shared(name, amount, stats['shared'])}"
        for name, amount in stats["bytes"].items()
    ]
    names = {"html": "HTML", "text": "text", "html_gzip": "HTML, gzip", "text_gzip": "text, gzip"}
    lines += ["", f"{'bytes of cleaned pages':24}{'total':>14}{'mean':>12}{'median':>12}"]
    for name, label in names.items():
        size = stats["sizes"][name]
        lines.append(f"  {label:22}{size['total']:>14,}{size['mean']:>12,.0f}{size['median']:>12,.0f}")
    lines += [*_mostly_removed(stats["mostly_removed"]), "", savings(stats)]
    archive = stats["archive"]
    lost = f", {archive['lost_bytes']:,} of them lost in {archive['losses']:,} places" if archive["losses"] else ""
    lines.append(f"{archive['files']:,} files, {archive['file_bytes']:,} bytes{lost}; the accounts balance")
    if seconds:
        lines.append(f"{seconds:,.1f} s, {pages(stats) / seconds:,.0f} pages/s")
    return "\n".join(lines)


def _mostly_removed(sites: dict[str, Any]) -> list[str]:
    """The sites of which little is left; nothing if there is none."""
    named, count = sites["largest"], sites["sites"]
    if not count:
        return []
    lines = ["", f"{f'sites that lost > {MOSTLY:.0%} of their text':38}{'pages':>12}{'lost':>9}"]
    lines += [f"  {_printable(site['site']):36}{site['pages']:>12,}{site['share']:>9.1%}" for site in named]
    lines += [f"  ... and {count - len(named):,} more, see sites.jsonl"] if count > len(named) else []
    return [*lines, "  template or content? --explain writes why each block was removed"]


def _printable(name: str) -> str:
    """A name from an archive, which may hold anything, without what a terminal would obey or cannot show."""
    return "".join(character if character.isprintable() else "?" for character in name)


def savings(stats: dict[str, Any]) -> str:
    """How much less the text is than the HTML that it comes from."""
    sizes = {name: size["total"] for name, size in stats["sizes"].items()}
    if not sizes["html"]:
        return "no page was cleaned"
    plain, packed = 1 - sizes["text"] / sizes["html"], 1 - sizes["text_gzip"] / sizes["html_gzip"]
    return f"saved {plain:.1%} of the HTML, {packed:.1%} of the compressed HTML"


def _share(amount: int, total: int) -> str:
    return f"{amount / total:>9.1%}" if total else ""


def _shared(name: str, amount: int, shared: str) -> str:
    if name != Bin.SHARED.value or not amount:
        return ""
    return "   kept" if shared == ALL else "   kept on one page of each site, removed from others"


def _failed(name: str) -> str:
    return "   failed" if name in {outcome.value for outcome in FAILURES} else ""
