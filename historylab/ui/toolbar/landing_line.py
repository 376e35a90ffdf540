"""The line that says what HistoryLab is, above the story of the landing, and the way to see it under other settings."""

from __future__ import annotations

import streamlit as st
from streamlit.errors import StreamlitAPIException

from historylab.ui.session import landing

ABOUT = "HistoryLab shows which messages a model is sent, which it isn’t, and what it then no longer knows."
OTHERWISE = "See it under other settings"


def landing_line() -> None:
    """Nothing for any other conversation, or under other settings."""
    with st.container():  # drawn also empty: the map below is made anew when its place changes
        if not landing.is_story_open():
            return
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="landing"):
            st.html(f'<div class="hl-small">{ABOUT}</div>', width="content")
            try:
                st.page_link("pages/compare.py", label=OTHERWISE, query_params={**landing.OTHERWISE, "play": "true"})
            except (KeyError, StreamlitAPIException):  # a page file run on its own knows no others
                st.html(f'<span class="hl-faint">{OTHERWISE}</span>', width="content")
