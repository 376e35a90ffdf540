"""Which request one looks at: a slider over all of them, ticks for the turns, and steps to either side."""

from __future__ import annotations

import streamlit as st

from historylab.figures.axis import turn_ticks
from historylab.replay import Timeline
from historylab.ui import state

MOST_TICKS = 45
KEY = "request"


def current_request(timeline: Timeline) -> int:
    """The request looked at (from 0), within what there is; the last one at first."""
    chosen = state.desk().request
    last = len(timeline.plans) - 1
    return last if chosen is None else min(chosen, last)


def request_slider(timeline: Timeline) -> None:
    """Draw slider and buttons; what they choose is in the state at the next run."""
    count, number = len(timeline.plans), current_request(timeline)
    if count == 1:
        st.html('<span class="hl-meta">This conversation makes one request.</span>')
        return
    steps = timeline.steps
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", wrap=False, key="scrubber"):
        _step("‹ Previous", "earlier", number - 1, count)
        with st.container():
            st.select_slider(
                f"Request {number + 1:,} of {count:,}",
                range(count),
                format_func=lambda i: steps[i].label,
                key=state.seed(KEY, number),
                on_change=_look,
            )
            _turns(timeline)
        _step("Next ›", "later", number + 1, count)


def _step(label: str, key: str, to: int, count: int) -> None:
    st.button(label, key=key, disabled=not 0 <= to < count, on_click=state.look_at, args=(to,))


def _look() -> None:
    state.look_at(state.value_of(KEY))


def _turns(timeline: Timeline) -> None:
    """A small mark under the slider where each turn begins, or each fifth, tenth …"""
    positions, _ = turn_ticks(timeline, MOST_TICKS)
    last = len(timeline.plans) - 1
    marks = "".join(f'<i style="left:{100 * (position - 1) / last:.2f}%"></i>' for position in positions)
    st.html(f'<div class="hl-turns" aria-hidden="true">{marks}</div>')
