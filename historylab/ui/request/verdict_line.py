"""The page's headline: of a conversation as a whole, or of one request; and the five actions with their counts."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline
from historylab.recall.references import knows_needs
from historylab.ui.request.bill_table import bill_of
from historylab.ui.session import cached, viewing
from historylab.wording.headline import counting_sentence, headline_sentence
from historylab.wording.must_remember import brief_label
from historylab.wording.palette import LOOKS
from historylab.wording.phrases import capitalize_first
from historylab.wording.untrusted import escape
from historylab.wording.verdict import NOT_KNOWN, SEES, WOULD_SEE, count_actions, count_sent, seen_sentence

AT_ONCE = 100  # requests that are looked at before anything else is drawn


def headline_line(timeline: Timeline, number: int) -> Callable[[], None]:
    """The number of messages that request `number` (from 0) sends; the map rewrites it while it plays.

    Returns what draws the headline above it, unless it is there: it has to look at every request, so call it late.
    """
    place = st.container(key="headline-said")  # till it is known, what stood there stays
    sent, size = count_sent(count_actions(timeline.plans[number]))
    key, at = cached.browser_key(timeline), capitalize_first(brief_label(timeline.steps[number]))
    when = f'<span class="hl-unseen"><span data-at="{key}">{at}</span>: </span>'
    seen = f'<b data-sees="{key}">{sent:,} of {size:,}</b>'
    if number in timeline.errors:
        seen = f"<b>{NOT_KNOWN} of {size:,}</b>"
    st.html(f'<div class="hl-count">{when}{seen} messages sent</div>')

    def draw_headline() -> None:
        bills, own = bill_of(timeline)
        said = headline_sentence(cached.retention_of(timeline, viewing.must_remember()), bills.get(own))
        place.html(f'<h1 class="hl-verdict">{escape(said)}</h1>')

    if len(timeline.plans) > AT_ONCE:
        if not knows_needs(timeline.conversation):  # what stood there is of another conversation
            place = place.empty()
            place.html(f'<h1 class="hl-verdict">{escape(counting_sentence(timeline))}</h1>')
        return draw_headline
    draw_headline()
    return lambda: None


def verdict_line(timeline: Timeline, number: int, *, would: bool = False) -> None:
    """How many messages request `number` (from 0) sends, or would, of how many; the map rewrites it while it plays."""
    key, sees = cached.browser_key(timeline), WOULD_SEE if would else SEES
    said = escape(seen_sentence(timeline, number, sees=sees))
    st.html(f'<h1 class="hl-verdict" data-said="{key}">{said}</h1>')


def legend(timeline: Timeline, number: int) -> None:
    """Every action with its glyph, colour, count and meaning."""
    counts, key = count_actions(timeline.plans[number]), f'data-counts="{cached.browser_key(timeline)}"'
    if number in timeline.errors:
        counts, key = {}, ""
    entries = "".join(_entry(action, counts.get(action)) for action in LOOKS)
    st.html(f'<div class="hl-legend hl-tips" {key}>{entries}</div>')


def _entry(action: Action, count: int | None) -> str:
    look, name = LOOKS[action], action.name.lower()
    word = f'<span class="hl-term" tabindex="0" aria-description="{escape(look.meaning)}">{look.word}</span>'
    mark, said = f"{look.mark(name)}{word}", NOT_KNOWN if count is None else f"{count:,}"
    return f'<span class="{"" if count else "hl-none"}">{mark} <b data-count="{look.word}">{said}</b></span>'
