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
    finding = verdict(timeline, number, starred(timeline))
    mark = f"{ALARM.glyph} " if finding.over else ""
    over = " hl-over" if finding.over else ""
    forgotten = f'<div class="hl-forgot">{escape(finding.forgotten)}</div>' if finding.forgotten else ""
    st.html(
        f'<h1 class="hl-verdict" data-said>{escape(finding.seen)}</h1>'
        f'<div class="hl-cost{over}">{mark}{escape(finding.cost)} {escape(finding.decisions)}</div>'
        f"{_remembered(finding.remembered)}{forgotten}"
    )


def _remembered(status: MustRememberStatus) -> str:
    """Whether the messages that must be remembered are held; an alarm if one is lost."""
    if not status.sentence:
        return ""
    lost = " hl-over" if status.lost else ""
    glyph = f'<span aria-hidden="true">{GLYPH}</span>'
    return f'<div class="hl-forgot{lost}">{glyph} {escape(status.sentence)}</div>'


def legend(timeline: Timeline, number: int) -> None:
    """Every action with its glyph, colour, count and meaning."""
    counts = count_actions(timeline.plans[number])
    st.html(f'<div class="hl-chips">{"".join(_chip(action, counts[action]) for action in LOOKS)}</div>')


def _chip(action: Action, count: int) -> str:
    look = LOOKS[action]
    title = f'class="{"" if count else "hl-none"}" title="{escape(look.meaning)}"'
    name = action.name.lower()
    return f'<span {title}>{look.mark(name)}{look.word} <b data-count="{look.word}">{count:,}</b></span>'
