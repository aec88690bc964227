"""What a site repeats: the third step of BlockExtractor (seeds/002, section 2.4), as pure functions.

page -> outline (its blocks, named)  -> sketch (what travels)  -> template of the site (learn)  -> masked page
"""

from transforms.sites.learn import learn
from transforms.sites.mask import ALL, FIRST, KEEP_SHARED, Masked, mask
from transforms.sites.outline import Outline, outline
from transforms.sites.reasons import Removed
from transforms.sites.sketch import Sketch, sketch
from transforms.sites.template import Template

__all__ = [
    "ALL",
    "FIRST",
    "KEEP_SHARED",
    "Masked",
    "Outline",
    "Removed",
    "Sketch",
    "Template",
    "learn",
    "mask",
    "outline",
    "sketch",
]
