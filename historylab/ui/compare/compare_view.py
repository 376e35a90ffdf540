"""Everything that depends on the request shown, in one fragment: maps, the answer about a message, chart and list."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from historylab.figures.compare_chart import compare_chart
from historylab.planning.replay import Timeline
from historylab.tuning.compare import Figures, are_aligned
from historylab.ui.compare.compared_message import compared_message
from historylab.ui.compare.configurations import Configuration
from historylab.ui.compare.difference_table import difference_table
from historylab.ui.compare.differing_list import differing_list
from historylab.ui.compare.lanes import actions_legend, lanes
from historylab.ui.request.request_field import current_request, request_field
from historylab.ui.session import cached, session, viewing
from historylab.ui.shared.notice import notice
from historylab.wording.findings import compare_finding

TOGGLE = "only differing"
UNMATCHED = "One of them rewrites the conversation (speaker names), so its messages can’t be matched one by one."


@session.fragment
def compare_view(
    compared: list[Configuration], timelines: list[Timeline], figures: Sequence[Figures], said: Sequence[str]
) -> None:
    """The maps with the scrubber and the answer about a message; below them the chart, the figures and the list."""
    aligned = are_aligned(timelines)
    differing = cached.differing_requests(timelines) if aligned and len(timelines) > 1 else []
    among = differing if session.tab().only_differing else []
    number = current_request(timelines[0], among)
    lanes(compared, timelines, figures, said, number, aligned=aligned)
    with st.container(key="compared-details"):
        with st.container(horizontal=True, vertical_alignment="center", key="moving"):
            request_field(timelines[0], among)
            if aligned:
                _differing_alone(differing, len(timelines[0].plans))
            st.html(actions_legend(), width="content")
        if aligned:
            compared_message(compared, timelines, number)
        else:
            notice(UNMATCHED)
        letters = [each.letter for each in compared]
        st.plotly_chart(
            compare_chart(timelines, letters),
            key="compare tokens",
            config={"displayModeBar": False},
            alt=compare_finding(timelines, letters),
        )
        difference_table(compared, timelines, figures)
        if aligned:
            with st.container(key="differing-place"):
                differing_list(compared, timelines, number)


# -- the request shown


def _differing_alone(differing: list[int], number: int) -> None:
    """Whether only the requests that differ are stepped through."""
    session.seed_widget(TOGGLE, session.tab().only_differing)
    words = f"Only requests that differ ({len(differing):,} of {number:,})"
    st.toggle(words, session.tab().only_differing, key=TOGGLE, on_change=_toggle, disabled=not differing)


def _toggle() -> None:
    session.hand_value(TOGGLE, viewing.show_only_differing)
