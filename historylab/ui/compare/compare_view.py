"""Everything that depends on the request shown, in one fragment: maps, the answer about a message, chart and list."""

from __future__ import annotations

import streamlit as st

from historylab.figures.compare_chart import compare_chart
from historylab.planning.replay import Timeline
from historylab.tuning.compare import are_aligned
from historylab.ui.compare.compared_message import compared_message
from historylab.ui.compare.configurations import Configuration
from historylab.ui.compare.difference_table import difference_table
from historylab.ui.compare.differing_list import differing_list
from historylab.ui.compare.motion_maps import actions_legend, motion_maps
from historylab.ui.request.request_field import current_request, request_field
from historylab.ui.session import cached, session, viewing
from historylab.ui.shared.notice import notice
from historylab.wording.findings import compare_finding

TOGGLE = "only differing"
UNMATCHED = "One of them rewrites the conversation (point of view), so its messages can’t be matched one by one."


@session.fragment
def compare_view(compared: list[Configuration], timelines: list[Timeline]) -> None:
    """The maps with the scrubber and the answer about a message; below them the figures, the chart and the list."""
    aligned = are_aligned(timelines)
    differing = cached.differing_requests(timelines) if aligned else []
    among = differing if session.tab().only_differing else []
    number = current_request(timelines[0], among)
    st.html(actions_legend())
    motion_maps(compared, timelines, number, aligned=aligned)
    request_field(timelines[0], among)
    if aligned:
        _differing_alone(differing, len(timelines[0].plans))
    with st.container():
        if aligned:
            compared_message(compared, timelines, number)
        else:
            notice(UNMATCHED)
    with st.container(key="compare-figures"):
        difference_table(compared, timelines)
        st.plotly_chart(
            compare_chart(timelines, number, [c.letter for c in compared]),
            key="compare tokens",
            config={"displayModeBar": False},
            alt=compare_finding(timelines, [c.letter for c in compared]),
        )
    if aligned:
        differing_list(compared, timelines, number)


# -- the request shown


def _differing_alone(differing: list[int], number: int) -> None:
    """Whether only the requests that differ are stepped through."""
    session.seed_widget(TOGGLE, session.tab().only_differing)
    words = f"Only requests that differ ({len(differing):,} of {number:,})"
    st.toggle(words, session.tab().only_differing, key=TOGGLE, on_change=_toggle, disabled=not differing)


def _toggle() -> None:
    session.hand_value(TOGGLE, viewing.show_only_differing)
