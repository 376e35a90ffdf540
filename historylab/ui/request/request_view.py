"""Everything that depends on the request shown, in one fragment: a move on the map redraws only this."""

from __future__ import annotations

import streamlit as st

from historylab.planning.replay import Timeline
from historylab.recall.references import knows_needs
from historylab.recordings.as_sent import is_as_sent
from historylab.settings.resolve import Resolution
from historylab.ui.request.answer_place import answer_place, answers_for_mark
from historylab.ui.request.keep_by_rule import rules_left
from historylab.ui.request.mend_buttons import mend_buttons
from historylab.ui.request.must_remember import must_remember_line
from historylab.ui.request.request_field import current_request, request_field
from historylab.ui.request.request_tabs import Drawn, counts_of, request_tabs, tab_counts
from historylab.ui.request.retention_map import retention_map
from historylab.ui.request.search_field import search
from historylab.ui.request.verdict_line import headline_line, legend
from historylab.ui.request.verdict_strip import (
    cost_cell,
    counting_cell,
    lost_cell,
    own_comparison,
    refused_note,
    seen_cell,
)
from historylab.ui.session import session, viewing
from historylab.ui.shared.token_bars import token_bars
from historylab.wording.rules import rules_status

SENT, TRIMMED = "what was sent was within", "which the trimmer isn’t told"


@session.fragment
def request_view(timeline: Timeline, resolution: Resolution, more: Drawn) -> None:
    """The headline and its strip; map and chart, and beside them the answer; everything else in tabs, also `more`."""
    number = current_request(timeline)
    with st.container(key="headline", gap=None):
        draw_headline = headline_line(timeline, number)
    search(timeline, number)
    with st.container(key="stage"), st.container(key="scene"):
        with st.container(key="verdict"):
            seen_cell(timeline, number)
            lost, cost = st.empty(), st.empty()  # filled last: nothing waits for them
            if counting := not knows_needs(timeline.conversation):
                with lost:
                    counting_cell()
        with st.container(key="picture", gap=None):
            legend(timeline, number)
            retention_map(timeline, number)
            token_bars("tokens", timeline, viewing.select_request, _budget_lock(timeline, resolution))
        with st.container(key="answer", gap="small"):
            draw_rest = answer_place(timeline, number, resolution)
            notes = st.container(key="notes", gap="small")
        request_field(timeline)
        tabs = request_tabs(timeline, number, resolution, more)
    for _ in range(2 * counting):  # in the place of those of another conversation, before which a drawer may have stood
        tab_counts(tabs, dict.fromkeys(tabs, ""))
    with cost:  # no need has to be known for it
        cost_cell(timeline, own_comparison(timeline))
    draw_headline()
    with lost:
        lost_cell(timeline, viewing.must_remember())
    tab_counts(tabs, counts_of(timeline))
    draw_rest()
    with notes:
        if not answers_for_mark(timeline):
            must_remember_line(timeline, number)
        refused_note(timeline)
        mend_buttons(timeline, number, resolution)
        rules_left(timeline, rules_status(timeline, number), resolution)


def _budget_lock(timeline: Timeline, resolution: Resolution) -> str:
    """The reason why the budget stays where it is; "" where it may be set."""
    origin = resolution.provenance["budget"]
    if timeline.run:
        return TRIMMED
    if is_as_sent(timeline):
        return SENT
    if not origin.locked:
        return ""
    return f"set by {origin.name}" if origin.source == "environment" else "kept by a strict environment"
