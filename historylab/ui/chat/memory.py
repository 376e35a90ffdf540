"""Remembering from other conversations: the switch, and what was remembered for the newest question."""

from __future__ import annotations

import streamlit as st

from historylab.settings.model import Settings
from historylab.ui.session import session
from historylab.ui.session.chat_session import ChatSession
from historylab.wording.library import remembered_line
from historylab.wording.untrusted import escape, multiline

SWITCH, LONGEST = "remembers", 4_000


def memory_panel(chat: ChatSession, settings: Settings) -> None:
    """The switch; under it the conversations that quotes are of, their tokens, and the quotes to unfold."""
    st.toggle(
        "Remember from other conversations",
        chat.remembers,
        key=session.seed_widget(SWITCH, chat.remembers),
        help="Before each question, what others of the page Conversations said of it is quoted to the model, in one "
        "system message in front of the request.",
        disabled=chat.running,
        on_change=lambda: _switch(chat),
    )
    if chat.memory_problem:
        st.html(f'<div class="hl-meta">{escape(chat.memory_problem)}</div>')
    found = chat.remembered
    if found is None:
        if chat.remembers and len(chat.conversation) and not chat.memory_problem:
            st.html('<div class="hl-meta">No other conversation says anything of the newest question.</div>')
        return
    said = remembered_line(found, settings)
    quotes = escape(multiline(found.message.content, LONGEST))
    st.html(
        f'<details class="hl-meta hl-folded"><summary>{escape(said)}</summary><pre class="hl-lines">{quotes}</pre>'
        "</details>"
    )


def _switch(chat: ChatSession) -> None:
    session.hand_value(SWITCH, lambda on: chat.switch_memory(on=on))
    session.touch()
