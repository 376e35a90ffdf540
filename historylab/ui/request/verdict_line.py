"""The verdict as the page's headline, and the five actions with their counts: the legend of everything below."""

from __future__ import annotations

import streamlit as st

from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline
from historylab.ui.session import cached
from historylab.wording.palette import LOOKS
from historylab.wording.untrusted import escape
from historylab.wording.verdict import SEES, WOULD_SEE, count_actions, seen_sentence


def verdict_line(timeline: Timeline, number: int, *, would: bool = False) -> None:
    """How many messages request `number` (from 0) sends, or would, of how many; the map rewrites it while it plays."""
    key, sees = cached.browser_key(timeline), WOULD_SEE if would else SEES
    said = escape(seen_sentence(timeline, number, sees=sees))
    st.html(f'<h1 class="hl-verdict" data-said="{key}">{said}</h1>')


def legend(timeline: Timeline, number: int) -> None:
    """Every action with its glyph, colour, count and meaning."""
    counts = count_actions(timeline.plans[number])
    entries = "".join(_entry(action, counts[action]) for action in LOOKS)
    st.html(f'<div class="hl-legend hl-tips" data-counts="{cached.browser_key(timeline)}">{entries}</div>')


def _entry(action: Action, count: int) -> str:
    look, name = LOOKS[action], action.name.lower()
    word = f'<span class="hl-term" tabindex="0" aria-description="{escape(look.meaning)}">{look.word}</span>'
    mark = f"{look.mark(name)}{word}"
    return f'<span class="{"" if count else "hl-none"}">{mark} <b data-count="{look.word}">{count:,}</b></span>'
