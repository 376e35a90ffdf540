"""The debug drawer: key D, or `?debug=true` as in AgentDock's links; Esc closes it. Everything about one request."""

from __future__ import annotations

import streamlit as st

from historylab.conversation.conversation import Conversation
from historylab.planning.replay import Timeline
from historylab.settings.resolve import Resolution
from historylab.ui.debug.debug_panel import agentdock_panel
from historylab.ui.debug.inspector import inspector
from historylab.ui.debug.message_tokens import message_tokens
from historylab.ui.debug.timings import Seconds, timings, versions
from historylab.ui.request.payload import payload
from historylab.ui.request.request_field import current_request
from historylab.ui.request.stage_trace import stage_trace
from historylab.ui.session import drawers, session
from historylab.ui.sources.setting_list import setting_list
from historylab.wording.verdict import NO_REQUESTS

WIDTH = 900  # pixels: two settings with their sources fit side by side


def debug_button() -> None:
    """The button that opens the drawer."""
    st.button(
        "Debug",
        key="debug",
        on_click=drawers.show_debug,
        args=(True,),
        help="How this came about",
    )


def debug_drawer(resolution: Resolution, conversation: Conversation, timeline: Timeline) -> None:
    """The drawer, while it is open. Call it last: it shows how long the page took."""
    if drawers.debug_is_shown():
        _drawer(resolution, conversation, timeline, session.seconds_so_far())


@st.dialog("Debug", position="right", width=WIDTH, on_dismiss=lambda: drawers.show_debug(False))
def _drawer(resolution: Resolution, conversation: Conversation, timeline: Timeline, page: Seconds) -> None:
    agentdock_panel(resolution, conversation)
    if not timeline.plans:
        st.html(f'<div class="hl-meta">{NO_REQUESTS}</div>')
        setting_list(resolution)
    else:
        _request(resolution, timeline, current_request(timeline), page)
    versions(timeline)


def _request(resolution: Resolution, timeline: Timeline, number: int, page: Seconds) -> None:
    st.html(f'<div class="hl-title">Request {number + 1:,}, {timeline.steps[number].label}</div>')
    inspector(timeline, number)
    draw = {
        "Request": lambda: payload(timeline, number, key="debug-payload"),
        "Tokens": lambda: message_tokens(timeline, number),
        "Stages": lambda: stage_trace(timeline, number),
        "Sources": lambda: setting_list(resolution),
        "Timings": lambda: timings(timeline, number, page),
    }
    for name, tab in zip(draw, st.tabs(list(draw), key="debug-tab", on_change="rerun"), strict=True):
        if tab.open:
            with tab:
                draw[name]()
