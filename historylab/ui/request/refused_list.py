"""What an API would refuse: which of the requests that are sent, why, and how many naive slicing would have made."""

from __future__ import annotations

import numpy as np
import streamlit as st

from historylab.costs.amounts import count_of
from historylab.planning.refusals import refusal_cause, refusal_sentence
from historylab.planning.replay import Timeline
from historylab.planning.validity import guard_report, recorded_validity
from historylab.ui.session import session, viewing
from historylab.ui.shared.row_table import Column, row_table
from historylab.wording.settings import setting_in_words
from historylab.wording.untrusted import escape

KEY, MOST = "refused", 200
COLUMNS = (Column("Request", "word"), Column("Why it would be refused"))


def refused_list(timeline: Timeline) -> None:
    """The requests that would be refused; a click on one shows it. Then what slicing without care would do."""
    found = recorded_validity(timeline)
    wrong = np.flatnonzero(found.refused | found.wrong_end | found.empty).tolist()
    shown = wrong[:MOST]
    st.html(f'<div class="hl-small">{escape(refusal_sentence(timeline, setting_in_words))}</div>')
    if shown:
        more = f" The first {MOST:,} of {len(wrong):,} are shown." if len(wrong) > MOST else ""
        st.html(f'<div class="hl-meta">A click on a row shows that request.{more}</div>')
        row_table(
            KEY,
            COLUMNS,
            [(f"request {i + 1:,}, {timeline.steps[i].label}", _why(timeline, i)) for i in shown],
            lambda row: viewing.select_request(shown[row]),
            label=f"{count_of(len(wrong), 'request')} that an API would refuse",
            chosen=next((row for row, request in enumerate(shown) if request == session.tab().request), None),
        )
    if not timeline.decided_by:  # the guard is our stages'
        st.html(f'<div class="hl-meta">{escape(guard_report(timeline).sentence())}</div>')


def _why(timeline: Timeline, request: int) -> str:
    found = recorded_validity(timeline)
    if found.refused[request] or found.empty[request]:
        cause = refusal_cause(timeline, request, setting_in_words)
        return cause if found.refused[request] else f"{cause}; other APIs refuse it"
    return "ends in an answer, which some models refuse"
