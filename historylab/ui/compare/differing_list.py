"""The messages that a request sends differently, with the decision of each configuration; a click explains one."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from historylab.costs.amounts import count_of
from historylab.planning.replay import Timeline
from historylab.tuning.compare import differing_messages
from historylab.ui.compare.configurations import Configuration
from historylab.ui.session import session, viewing
from historylab.ui.shared.row_table import Column, row_table
from historylab.wording.message_text import preview, speaker
from historylab.wording.palette import LOOKS

KEY = "differing"
MOST_ROWS = 100


def differing_list(compared: Sequence[Configuration], timelines: Sequence[Timeline], number: int) -> None:
    """The list for request `number` (from 0) of configurations whose messages match."""
    rows = differing_messages(timelines, number).tolist()
    if not rows:
        st.html('<p class="hl-meta">The same messages are sent with this request.</p>')
        return
    listed = rows[-MOST_ROWS:]
    more = f", the newest {MOST_ROWS:,} of them below" if len(rows) > len(listed) else ""
    differ = "1 message is" if len(rows) == 1 else f"{len(rows):,} messages are"
    st.html(f'<div class="hl-title">{differ} sent differently with this request{more}</div>')
    chosen = session.tab().message
    row_table(
        KEY,
        (Column("message"), *(Column(c.letter, "word") for c in compared), Column("tokens", "number"), Column("text")),
        [_row(timelines, number, message) for message in listed],
        lambda row: viewing.select_message(listed[row]),
        label=f"{count_of(len(listed), 'message')} with the decision of each configuration; a click says why",
        chosen=listed.index(chosen) if chosen in listed else None,
    )


def _row(timelines: Sequence[Timeline], number: int, message: int) -> tuple[str, ...]:
    said, plans = timelines[0].conversation[message], [timeline.plans[number] for timeline in timelines]
    return (
        f"{message + 1:,} {speaker(said, 40)}",
        *(LOOKS[plan.action_of(message)].badge.replace(" ", "\u00a0") for plan in plans),  # on one line
        f"{plans[0].history.tokens[message]:,}",
        preview(said),
    )
