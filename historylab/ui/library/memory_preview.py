"""What would be remembered of other conversations for a question: Mentu's memory, before a chat uses it."""

from __future__ import annotations

import streamlit as st

from historylab.recordings.library import Library
from historylab.settings.model import Settings
from historylab.systems.mentu.library_memory import Remembered, remember
from historylab.ui.library.reading import read_recorded
from historylab.ui.session import library as choices
from historylab.ui.session import session
from historylab.wording.library import remembered_line
from historylab.wording.untrusted import escape, multiline

KEY = "memory-question"


def memory_preview(library: Library, settings: Settings) -> None:
    """A field for a question, and the message that a chat would be given with it."""
    with st.expander("What would be remembered for a question", key="memory-preview"):
        st.html(
            '<div class="hl-meta">In a chat, “Remember from other conversations” quotes what others of this list said '
            "of the question, as one system message in front of the request.</div>"
        )
        asked = session.tab().library.question
        st.text_input(
            "Question",
            asked,
            placeholder="Which cake may Ana eat?",
            key=session.seed_widget(KEY, asked),
            on_change=session.hand_value,
            args=(KEY, choices.preview_memory),
        )
        if not asked.strip():
            return
        read_recorded(library)
        found = remember(asked, library, choices.index(library))
        if found is None:
            st.html('<div class="hl-small">Nothing: no conversation shares a word with it.</div>')
        else:
            _draw_remembered(found, settings)


def _draw_remembered(found: Remembered, settings: Settings) -> None:
    st.html(
        f'<div class="hl-small">{escape(remembered_line(found, settings))}</div>'
        f'<pre class="hl-lines">{escape(multiline(found.message.content, 4_000))}</pre>'
    )
