"""The request shown, as a number field with a step to either side: the map's scrubber for touch and keyboard."""

from __future__ import annotations

import streamlit as st

from historylab.costs.amounts import count_of
from historylab.planning.replay import Timeline
from historylab.ui.session import session, viewing

KEY = "request"


def current_request(timeline: Timeline) -> int:
    """The request shown (from 0), clamped to those there are; the last one at first."""
    chosen = session.tab().request
    last = len(timeline.plans) - 1
    return last if chosen is None else min(chosen, last)


def request_field(timeline: Timeline) -> None:
    """The field and its buttons."""
    count, number = len(timeline.plans), current_request(timeline)
    if count == 1:
        st.html('<span class="hl-meta">This conversation makes one request.</span>')
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", wrap=False, key="scrubber"):
        step_button("‹ Previous", "earlier", number - 1 if number else None)
        st.number_input(
            f"Request, from 1 to {count:,}",
            1,
            count,
            number + 1,
            key=session.seed_widget(KEY, number + 1),
            on_change=_look,
            label_visibility="collapsed",
            width=90,  # too narrow for steppers of its own; the buttons do that
        )
        step_button("Next ›", "later", number + 1 if number + 1 < count else None)
        st.html(f'<span class="hl-meta">of {count_of(count, "request")}</span>', width="content")


def step_button(label: str, key: str, request: int | None) -> None:
    """A button that shows `request` (from 0); disabled for None."""
    st.button(label, key=key, disabled=request is None, on_click=viewing.select_request, args=(request,))


def _look() -> None:
    number = session.widget_value(KEY)
    if number is not None:  # None: the field was emptied
        viewing.select_request(number - 1)
