"""The retention maps of the configurations beside each other: one clock moves them all, and each says what it sends."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from historylab.figures.retention_map import view
from historylab.planning.replay import Timeline
from historylab.ui.compare.configurations import Configuration
from historylab.ui.session import cached, session, viewing
from historylab.ui.session.must_remember import star_marks
from historylab.ui.shared.history_map import history_map, map_look
from historylab.ui.shared.timeline_data import TimelineData
from historylab.wording.over_budget import cause_in_words
from historylab.wording.palette import LOOKS
from historylab.wording.untrusted import escape
from historylab.wording.verdict import count_actions, count_sent


def motion_maps(
    compared: Sequence[Configuration], timelines: Sequence[Timeline], number: int, *, aligned: bool
) -> None:
    """A map for each, with request `number` (from 0) marked."""
    with st.container(key="maps"):
        for configuration, timeline in zip(compared, timelines, strict=True):
            letter = configuration.letter
            with st.container(key=f"map-of-{letter}"):
                at = min(number, len(timeline.plans) - 1)
                _one(letter, timeline, at, aligned=aligned, plays=configuration is compared[0])


def actions_legend() -> str:
    """What becomes of messages, as HTML."""
    entries = (f"<span>{look.mark(action.name.lower())}{look.word}</span>" for action, look in LOOKS.items())
    return f'<div class="hl-legend">{"".join(entries)}</div>'


def _one(letter: str, timeline: Timeline, number: int, *, aligned: bool, plays: bool) -> None:
    packed, key = cached.packed_map(timeline)
    st.html(_caption(letter, timeline, number, key))
    message = session.tab().message if aligned else None
    known = message is not None and message < timeline.plans[number].size
    look = view(key, number, message if known else None, star_marks(timeline))
    look["name"] = f"configuration {letter}"
    if plays and session.tab().playing:
        look["play"] = True
    data = TimelineData(cached.packed_conversation(timeline), packed, key)
    history_map(f"map {letter}", data, look, lambda: _look(f"map {letter}", timeline, aligned=aligned))


def _caption(letter: str, timeline: Timeline, number: int, key: str) -> str:
    """ "A sees 40 of 61 messages", which the map keeps true while it moves, and the tokens they take."""
    plan = timeline.plans[number]
    sent, said = count_sent(count_actions(plan))
    cause = timeline.over_budget_cause(number)
    tokens = f"{timeline.contexts[number]:,} tokens"
    over = f' <span class="hl-refused">! over the budget: {escape(cause_in_words(cause))}</span>' if cause else ""
    return (
        f'<div class="hl-sees"><b class="hl-letter hl-letter-{letter}">{letter}</b> sees '
        f'<b data-sees="{key}">{sent:,} of {said:,}</b> messages<span class="hl-stale">, {tokens}{over}'
        "</span></div>"
    )


def _look(key: str, timeline: Timeline, *, aligned: bool) -> None:
    request, message = map_look(key, timeline)
    if request is not None:
        viewing.select_request(request)
        if message is not None and aligned:
            viewing.select_message(message)
