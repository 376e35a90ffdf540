"""The token chart under the map, with a line over the request shown."""

from __future__ import annotations

import streamlit as st

from historylab.planning.replay import Timeline
from historylab.ui.session import cached
from historylab.ui.shared.theme import is_dark
from historylab.wording.findings import token_finding


def token_chart(timeline: Timeline, number: int) -> None:
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
