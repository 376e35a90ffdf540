"""The messages as a chat, fifty bubbles a page, in one element; it opens at the newest."""

from __future__ import annotations

import numpy as np
import streamlit as st

from historylab.figures.chat import chat
from historylab.planning.replay import Step, Timeline
from historylab.ui.request.message_selection import page_of
from historylab.ui.session import session
from historylab.ui.session.must_remember import starred_messages
from historylab.wording.untrusted import escape
from historylab.wording.verdict import counted_by


def message_bubbles(timeline: Timeline, step: Step, shown: np.ndarray) -> None:
    """Draw the current page of the messages `shown` (int64 indices)."""
    rows = page_of(shown)
    start = int(np.searchsorted(shown, rows[0]))
    before = int(shown[start - 1]) if start else -1
    last = rows[-1] == shown[-1]
    starred = starred_messages(timeline)
    st.html(
        chat(step.plan, rows.tolist(), after=before, last=bool(last), chosen=session.tab().message, starred=starred)
    )
    how = escape(counted_by(timeline))  # holds the model's name, which a link may set
    st.html(
        f'<span class="hl-meta" data-request="{step.number + 1}">Tokens by {how}, framing included. What is not sent '
        "is grey in a broken outline. Choose a message in the map or the list to see what would keep it.</span>"
    )
