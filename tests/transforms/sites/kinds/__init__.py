"""Generated sites of twenty kinds, which say of every text whether it is content, shared, or template.

Each kind is a function that returns the pages of one site. An attribute says what the text inside an element is:

    data-is="content"   what the page is about
    data-is="shared"    content too, but it stands on several pages
    data-is="template"  what the site prints around its content; also what has no such attribute around it
    data-is="either"    bylines and dates, which nobody misses and nobody minds

The step that learns what a site repeats never sees this attribute: `measure` takes it out of the pages first.
"""

from __future__ import annotations

from kinds import archives, catalogues, journals, others, others_more, others_public, others_talk, others_trade, talk
from kinds.measure import Found, measure

KINDS = {
    kind.__name__: kind
    for kind in (
        journals.link_blog,
        journals.round_up,
        journals.press_quotes,
        journals.image_captions,
        journals.comment_sections,
        journals.two_languages,
        journals.two_generations,
        journals.four_pages,
        journals.thousand_pages,
        catalogues.shop_with_variants,
        catalogues.directory,
        catalogues.recipes,
        catalogues.city_pages,
        catalogues.events_calendar,
        catalogues.wiki_with_infoboxes,
        archives.versioned_docs,
        archives.licence_texts,
        archives.publication_lists,
        talk.forum_with_quotes,
        talk.thread_over_pages,
    )
}
# The rules were chosen without looking at these.
LEFT_OUT = ("directory", "events_calendar", "image_captions", "licence_texts", "thousand_pages", "two_languages")

# Sites of other houses, written by someone who had not read the rules: they are measured, and never tuned on.
OTHERS = {
    kind.__name__: kind
    for kind in (
        others.blog_with_listings,
        others.russian_diary,
        others.podcast,
        others.recipes_with_nutrition,
        others_more.songs,
        others_talk.phpbb_board,
        others_talk.questions_and_answers,
        others_talk.mailing_list,
        others_talk.reviews,
        others_public.classified_ads,
        others_public.court_decisions,
        others_public.chinese_office,
        others_public.weather,
        others_public.league,
        others_public.staff_pages,
        others_public.press_releases,
        others_trade.api_manual,
        others_trade.changelog,
        others_trade.glossary,
        others_trade.help_centre,
        others_trade.job_board,
        others_trade.flats,
        others_trade.club_with_five_pages,
        others_more.encyclopedia,
        others_more.newspaper_with_fronts,
        others_more.museum,
        others_more.old_homepage,
        others_more.office_for_forms,
    )
}

__all__ = ["KINDS", "LEFT_OUT", "OTHERS", "Found", "measure"]
