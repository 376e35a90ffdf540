"""The conversations of a recording, the newest first; a click stays with one, until the newest is followed again."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from historylab.costs.amounts import count_of
from historylab.recordings.watch import WatchedConversation
from historylab.ui.session import session, watching
from historylab.ui.shared.row_table import Column, row_table
from historylab.ui.shared.time_zone import reader_zone
from historylab.wording.live import clock_time
from historylab.wording.untrusted import one_line

COLUMNS = (
    Column("Conversation"),
    Column("App and model", "plain"),
    Column("Requests, and when the last ended", "plain"),
)
TITLE, NAME = 70, 40  # characters


def conversation_list(listed: Sequence[WatchedConversation], shown: WatchedConversation) -> None:
    """A row for each; the one that is shown is marked."""
    picked = session.tab().live.picked == shown.id
    with st.container(horizontal=True, vertical_alignment="center", key="live-follow"):
        st.html('<h2 class="hl-title">Conversations</h2>', width="content")
        if picked:
            st.button("Follow the newest", key="follow-newest", on_click=watching.follow_newest)
        else:
            st.html('<span class="hl-meta">following the newest</span>', width="content")
    ids = [one.id for one in listed]
    row_table(
        "live-conversations",
        COLUMNS,
        [_row(one) for one in listed],
        lambda row: watching.pick(ids[row]),
        label="Conversations of the recording, the newest first",
        chosen=ids.index(shown.id) if shown.id in ids else None,
        names=ids,
    )


def _row(one: WatchedConversation) -> tuple[str, ...]:
    others = f" and {len(one.models) - 1} more" if len(one.models) > 1 else ""
    model = f"{one_line(one.models[-1], NAME)}{others}" if one.models else ""
    whose = " · ".join(filter(None, (one_line(one.app, NAME), model)))
    last = clock_time(one.last_at, reader_zone())
    return one_line(one.title, TITLE) or "Untitled", whose, f"{count_of(len(one.requests), 'request')} · {last}"
