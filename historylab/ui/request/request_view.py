"""Everything that depends on the request shown, in one fragment: a move on the map redraws only this."""

from __future__ import annotations

import streamlit as st

from historylab.figures.token_chart import pack_chart
from historylab.planning.replay import Timeline
from historylab.recordings.as_sent import is_as_sent
from historylab.settings.resolve import Provenance, Resolution
from historylab.ui.request.answer_place import answer_place, answers_for_mark
from historylab.ui.request.keep_by_rule import rules_left
from historylab.ui.request.mend_buttons import mend_buttons
from historylab.ui.request.must_remember import must_remember_line
from historylab.ui.request.request_field import current_request, request_field
from historylab.ui.request.request_tabs import Drawn, request_tabs, tab_counts
from historylab.ui.request.retention_map import retention_map
from historylab.ui.request.search_field import search
from historylab.ui.request.verdict_line import headline_line, legend
from historylab.ui.request.verdict_strip import cost_cell, lost_cell, own_comparison, refused_note, seen_cell
from historylab.ui.session import cached, choices, session, viewing
from historylab.ui.shared.history_map import map_look
from historylab.ui.shared.token_bars import bars_component, dropped_budget
from historylab.wording.rules import rules_status

CHART = "tokens"
SENT = "what was sent was within"


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
        with st.container(key="picture", gap=None):
            legend(timeline, number)
            retention_map(timeline, number)
            _token_chart(timeline, resolution)
        with st.container(key="answer", gap="small"):
            draw_rest = answer_place(timeline, number, resolution)
            notes = st.container(key="notes", gap="small")
        request_field(timeline)
        tabs = request_tabs(timeline, number, resolution, more)
    draw_headline()
    with lost:
        lost_cell(timeline, viewing.must_remember())
    with cost:
        cost_cell(timeline, own_comparison(timeline))
    tab_counts(timeline, tabs)
    draw_rest()
    with notes:
        if not answers_for_mark(timeline):
            must_remember_line(timeline, number)
        refused_note(timeline)
        mend_buttons(timeline, number, resolution)
        rules_left(timeline, rules_status(timeline, number), resolution)


def _token_chart(timeline: Timeline, resolution: Resolution) -> None:
    """The chart, the same for every request: the browser marks the one shown.

    A click shows a request, a drag of the budget's line sets it.
    """
    origin = resolution.provenance["budget"]
    locked = SENT if is_as_sent(timeline) else _locked_by(origin) if origin.locked else ""
    packed, (_, key) = cached.packed_tokens(timeline), cached.packed_map(timeline)
    bars_component()(
        key=CHART,
        data=pack_chart(packed, key, locked),
        on_look_change=lambda: _look_at_chart(timeline),
        on_budget_change=lambda: _choose_budget(locked),
    )


def _locked_by(origin: Provenance) -> str:
    return f"set by {origin.name}" if origin.source == "environment" else "kept by a strict environment"


def _look_at_chart(timeline: Timeline) -> None:
    request, _ = map_look(CHART, timeline)
    if request is not None:
        viewing.select_request(request)


def _choose_budget(locked: str) -> None:
    budget = dropped_budget(CHART)
    if budget is not None and not locked:
        choices.choose_setting("budget", budget)
