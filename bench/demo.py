"""`make demo`: cleans the pages that come with the project and shows what becomes of them."""

from __future__ import annotations

import sys

from bench.datasets import load
from transforms import Page, extract

EXTRACTOR = "cetr-km"
SHOWN = 60  # characters of a title


def main() -> int:
    """Print a line a page, the sum, and the text of one of them."""
    samples = load("corpus").samples
    html_total = text_total = 0
    print(f"{'type':14} {'lang':6} {'charset':9} {'HTML':>7} {'text':>6}  title")
    for sample in samples:
        page = Page.parse(sample.html(), url=sample.url)
        text = extract(page, EXTRACTOR).text
        html_total, text_total = html_total + page.html_size, text_total + len(text.encode())
        language = page.metadata.language or "-"
        title = (page.metadata.title or "-")[:SHOWN]
        print(f"{sample.type:14} {language:6} {page.charset:9} {page.html_size:7} {len(text.encode()):6}  {title}")
    sizes = f"{html_total:,} bytes of HTML, {text_total:,} bytes of text ({100 * text_total / html_total:.1f} %)"
    print(f"\n{len(samples)} pages, {sizes}, {EXTRACTOR}")
    first = extract(Page.parse(samples[1].html()), EXTRACTOR).text
    print(f"\n{samples[1].id}:\n{first[:600]} ...")
    return 0


if __name__ == "__main__":
    sys.exit(main())
