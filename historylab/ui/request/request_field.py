"""The request shown, as a number field with a step to either side: the map's scrubber for touch and keyboard."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from historylab.planning.replay import Timeline
from historylab.ui.session import session, viewing

KEY = "request"


def current_request(timeline: Timeline, among: Sequence[int] = ()) -> int:
    """The request shown (from 0), clamped to those there are; the last one at first. If `among` any, the nearest."""
    chosen = session.tab().request
    last = len(timeline.plans) - 1
    number = last if chosen is None else min(chosen, last)
    return min(among, key=lambda one: abs(one - number)) if among else number


def request_field(timeline: Timeline, among: Sequence[int] = ()) -> None:
    """The field and its buttons, which step through all requests, or `among` these."""
    count, number = len(timeline.plans), current_request(timeline, among)
    if count == 1:
        st.html('<span class="hl-meta">This conversation makes one request.</span>')
        return
    choices = among or range(count)
    place = choices.index(number)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", wrap=False, key="scrubber"):
        step_button("‹ Previous", "earlier", choices[place - 1] if place else None)
        st.number_input(
            f"Request, from 1 to {count:,}",
            1,
            count,
            number + 1,
            key=session.key_of_field(KEY, number + 1),
            on_change=_look,
            label_visibility="collapsed",
            width=90,  # too narrow for steppers of its own; the buttons do that
        )
        step_button("Next ›", "later", choices[place + 1] if place + 1 < len(choices) else None)
        st.html(f'<span class="hl-meta">of {count:,}<span class="hl-roomy"> requests</span></span>', width="content")


def step_button(label: str, key: str, request: int | None) -> None:
    """A button that shows `request` (from 0); disabled for None."""
    st.button(label, key=key, disabled=request is None, on_click=viewing.select_request, args=(request,))


def _look() -> None:
    number = session.value_of_field(KEY)
    if number is not None:
        viewing.select_request(number - 1)
