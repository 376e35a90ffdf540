"""The open conversation as a file in another format, with what that format has no place for beside the button."""

from __future__ import annotations

import streamlit as st

from historylab.conversation.conversation import Conversation
from historylab.formats.convert import LOSSLESS, writable_formats
from historylab.ui.session import cached, drawers
from historylab.wording.untrusted import escape, one_line


def write_out(conversation: Conversation, drawer: str) -> None:
    """A choice of format and a download button, in the drawer of that name."""
    known = writable_formats()
    st.html('<div class="hl-title">This conversation</div>')
    chosen = st.selectbox(
        "Format",
        list(known),
        format_func=lambda name: known[name].title,
        key="write-as",
        on_change=drawers.keep_open,
        args=(drawer,),
        label_visibility="collapsed",
    )
    written = cached.written(conversation, chosen)
    losses = one_line(str(written.losses), 400)
    told = f"Left out, as that format has no place for it: {losses}." if losses else "Nothing is left out."
    note = "" if chosen == LOSSLESS or losses else " It can be loaded again."
    st.html(f'<div class="hl-meta">{escape(told + note)}</div>')
    st.download_button(
        f"Download {known[chosen].title}",
        written.text.encode(),
        f"conversation-{chosen.replace('_', '-')}{written.suffix}",
        "application/json",
        key="download-conversation",
        on_click="ignore",
    )
