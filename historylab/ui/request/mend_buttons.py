"""Within the answer: why a request is over its budget, leaves it unused, or is cut anew, and what mends that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from historylab.costs.amounts import short_count
from historylab.planning.context_fill import tokens_over
from historylab.planning.over_budget import OverBudget
from historylab.planning.replay import Timeline
from historylab.recordings.as_sent import is_foreign
from historylab.settings.model import Settings
from historylab.settings.resolve import Resolution
from historylab.tuning.advice_words import cut_in_words
from historylab.tuning.cut_depth import depth_worth_saying
from historylab.tuning.moving_cut import HALF
from historylab.ui.session import choices
from historylab.wording.as_sent import unknown_sentence
from historylab.wording.over_budget import mend_in_words, mend_label, narrow_in_words, unused_in_words
from historylab.wording.palette import ALARM
from historylab.wording.settings import setting_in_words
from historylab.wording.terms import with_terms
from historylab.wording.trimmers import failure_at
from historylab.wording.untrusted import escape


def mend_buttons(timeline: Timeline, number: int, resolution: Resolution) -> None:
    """The sentence and the buttons for request `number` (from 0); of what was sent, only what isn't known of it."""
    with st.container():  # also if it stays empty: the map below is made anew when its place changes
        if is_foreign(timeline):
            if unknown := failure_at(timeline, number) or unknown_sentence(timeline, number):
                st.html(f'<div class="hl-cause hl-stale">{ALARM.glyph} {escape(unknown)}</div>')
        elif over := timeline.over_budget_cause(number):
            mends = over_budget_mends(timeline, number, resolution)
            said = with_terms(
                _cause(over, tokens_over(timeline, number), buttons=bool(mends)), "budget", "reserve", "overhead"
            )
            st.html(f'<div class="hl-cause hl-stale hl-over hl-tips">{ALARM.glyph} {said}</div>')
            _buttons(mends, timeline.settings)
        elif narrow := timeline.narrow_relevance(number):
            said = with_terms(narrow_in_words(narrow, timeline.settings), "message")
            st.html(f'<div class="hl-cause hl-stale hl-tips">{ALARM.glyph} {said}</div>')
            _buttons(_free_mends((narrow.mend,), resolution), timeline.settings)
        elif unused := timeline.unused_budget(number):
            said = with_terms(unused_in_words(unused), "turn", "budget")
            st.html(f'<div class="hl-cause hl-stale hl-tips">{said}</div>')
            _buttons(_free_mends((unused.finer, unused.room), resolution), timeline.settings)
        elif depth := timeline.remember("cut depth", lambda: depth_worth_saying(timeline)):
            said = with_terms(
                f"It cuts at more than half of the requests. {cut_in_words(depth)}", "cache", "not trimming", "budget"
            )
            st.html(f'<div class="hl-cause hl-stale hl-tips">{said}</div>')
            _buttons(_free_mends(({depth.name: HALF},), resolution), timeline.settings)


def over_budget_mends(timeline: Timeline, number: int, resolution: Resolution) -> list[Mapping[str, Any]]:
    """The changes under which request `number` (from 0) is within its budget; none where it is, or they are locked."""
    over = timeline.over_budget_cause(number)
    return _free_mends((over.remedy, over.alternative), resolution) if over else []


def _cause(over: OverBudget, tokens: int, *, buttons: bool) -> str:
    """What fills the request and why it isn't cut; what would mend it, unless buttons say so."""
    cause = f"{short_count(tokens)} tokens over the budget: {over.filled}. {over.why}"
    return cause if buttons else f"{cause} {over.mend_in_words(setting_in_words)}"


def _free_mends(mends: tuple[Mapping[str, Any], ...], resolution: Resolution) -> list[Mapping[str, Any]]:
    """The changes there are, without those to what the environment locks."""
    return [m for m in mends if m and not any(resolution.provenance[name].locked for name in m)]


def _buttons(offered: list[Mapping[str, Any]], now: Settings) -> None:
    """A button for each set of changes."""
    if not offered:
        return
    with st.container(horizontal=True, key="mends"):
        for changes in offered:
            key = "mend " + " ".join(changes)
            label, whole = mend_label(changes, now), mend_in_words(changes)
            st.button(label, key=key, help=whole, on_click=choices.choose_settings, args=(changes,))
