"""Everything that depends on the request shown, in one fragment: a move on the map redraws only this."""

from __future__ import annotations

import streamlit as st

from historylab.planning.replay import Timeline
from historylab.settings.resolve import Resolution
from historylab.ui.request.cost_line import cost_line
from historylab.ui.request.mend_buttons import mend_buttons
from historylab.ui.request.message_list import message_list
from historylab.ui.request.payload import payload
from historylab.ui.request.request_field import current_request, request_field
from historylab.ui.request.retention_map import retention_map
from historylab.ui.request.stage_trace import stage_trace
from historylab.ui.request.verdict_line import legend, verdict_line
from historylab.ui.session import cached, session
from historylab.ui.shared.theme import is_dark
from historylab.wording.findings import token_finding


@session.fragment
def request_view(timeline: Timeline, resolution: Resolution) -> None:
    """Verdict, map, chart, and the request in three tabs: its messages, its payload, its stages."""
    number = current_request(timeline)
    verdict_line(timeline, number)
    mend_buttons(timeline, number, resolution)
    bill = st.container()  # filled last, so that nothing else waits for prices
    legend(timeline, number)
    picture = st.container()
    request_field(timeline)
    tokens = st.container()
    messages, sent, trace = st.tabs(["Messages", "Exact payload", "Stages"], key="side", on_change="rerun")
    if messages.open:
        with messages:
            message_list(timeline, number)
    if sent.open:
        with sent:
            payload(timeline, number)
    if trace.open:
        with trace:
            stage_trace(timeline, number)
    with picture:
        retention_map(timeline, number)
    with bill:
        cost_line(timeline)
    with tokens:
        _chart(timeline, number)


def _chart(timeline: Timeline, number: int) -> None:
    """The chart, the same for every request, and over it a line that marks the one shown."""
    over = " hl-over" if timeline.plans[number].over_budget else ""
    with st.container(key="chart", gap=None):
        st.plotly_chart(
            cached.chart(timeline, dark=is_dark()),
            key="tokens",
            config={"displayModeBar": False},
            alt=token_finding(timeline),
        )
        # No `:has()` in the style sheet: with it the browser restyles the page for every text that Plotly measures.
        st.container(key="here").html(
            f'<div class="hl-here{over}" style="--here:{(number + 0.5) / len(timeline.plans):.6f}"></div>'
        )
