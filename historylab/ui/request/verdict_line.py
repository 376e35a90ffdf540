"""The verdict as the page's headline, and the five actions with their counts: the legend of everything below."""

from __future__ import annotations

import streamlit as st

from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline
from historylab.ui.session.must_remember import starred
from historylab.wording.must_remember import GLYPH, MustRememberStatus
from historylab.wording.palette import ALARM, LOOKS
from historylab.wording.untrusted import escape
from historylab.wording.verdict import count_actions, verdict


def verdict_line(timeline: Timeline, number: int) -> None:
    """The finding of request `number` (from 0), readable without touching anything."""
    said = verdict(timeline, number, starred(timeline))
    mark = f"{ALARM.glyph} " if said.over else ""
    over = " hl-over" if said.over else ""
    forgotten = f'<div class="hl-forgot">{escape(said.forgotten)}</div>' if said.forgotten else ""
    st.html(
        f'<h1 class="hl-verdict">{escape(said.seen)}</h1>'
        f'<div class="hl-cost{over}">{mark}{escape(said.cost)} {escape(said.decisions)}</div>'
        f"{_remembered(said.remembered)}{forgotten}"
    )


def _remembered(said: MustRememberStatus) -> str:
    """What became of the messages that must be remembered: an alarm where one is lost."""
    if not said.sentence:
        return ""
    lost = " hl-over" if said.lost else ""
    glyph = f'<span aria-hidden="true">{GLYPH}</span>'
    return f'<div class="hl-forgot{lost}">{glyph} {escape(said.sentence)}</div>'


def legend(timeline: Timeline, number: int) -> None:
    """Every action with its glyph, colour, count and meaning."""
    counts = count_actions(timeline.plans[number])
    st.html(f'<div class="hl-chips">{"".join(_chip(action, counts[action]) for action in LOOKS)}</div>')


def _chip(action: Action, count: int) -> str:
    look = LOOKS[action]
    title = f'class="{"" if count else "hl-none"}" title="{escape(look.meaning)}"'
    return f"<span {title}>{look.mark(action.name.lower())}{look.word} <b>{count:,}</b></span>"
