"""Verdict and map under the settings as they are tried, beside the sources that make them."""

from __future__ import annotations

import streamlit as st

from historylab.planning.replay import Timeline
from historylab.ui.request.request_field import current_request, request_field
from historylab.ui.request.retention_map import retention_map
from historylab.ui.request.verdict_line import legend, verdict_line
from historylab.ui.session import session
from historylab.wording.terms import with_terms


@session.fragment
def tried_picture(timeline: Timeline, compared: str) -> None:
    """The verdict on the request shown, how it compares with what is real, and the map."""
    number = current_request(timeline)
    verdict_line(timeline, number)
    with st.container():
        if compared:
            st.html(f'<div class="hl-effect">{with_terms(compared, "fact", "request")}</div>')
    legend(timeline, number)
    retention_map(timeline, number)
    request_field(timeline)
