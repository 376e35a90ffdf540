"""The one place that answers for a message: why it is kept or lost, since when, and what would keep it."""

from __future__ import annotations

import streamlit as st

from historylab.planning.replay import Timeline
from historylab.ui.request.explanation import explanation
from historylab.ui.session import session

NOTHING_CHOSEN = "Choose a message, on the map or in the list, to see why it is kept or lost."


def answer_place(timeline: Timeline, number: int) -> None:
    """The answer about the chosen message at request `number` (from 0)."""
    chosen = session.tab().message
    if chosen is None or chosen >= timeline.plans[number].size:
        st.html(f'<div class="hl-meta">{NOTHING_CHOSEN}</div>')
    else:
        explanation(timeline, number, chosen)
