"""How the step that removes what sites repeat is done: by which rules, and on which pages shared text stays."""

from __future__ import annotations

from dataclasses import replace

from transforms import Page
from transforms.sites import ALL, FIRST, Masked, Template, mask
from transforms.sites.template import PAPER, RULES

OURS, PUBLISHED = "ours", "paper"
RULES_BY_NAME = {OURS: RULES, PUBLISHED: PAPER}
SITE_RULES = tuple(RULES_BY_NAME)
SHARED_HELP = f"content that several pages of a site have stays on {ALL} of them, or on the {FIRST} one alone"
SITE_RULES_HELP = "how sites are learned: by Winnow's rules, or as the paper of BlockExtractor has it"


def without_template(page: Page, template: Template | None, shared: str = ALL) -> Masked:
    """A page without what its site repeats, by the rules that the template was learned by.

    `site_known` is for extractors whose defaults are chosen for pages that have been through our rules. As the paper
    has it, they are to do what they do on any other page.
    """
    masked = mask(page, template, shared)
    if template is not None and template.rules.as_published:
        return replace(masked, page=replace(masked.page, site_known=False))
    return masked
