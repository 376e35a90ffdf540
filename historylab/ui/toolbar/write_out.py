"""Conversations as a file in another format, with what that format has no place for beside the button."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from historylab.conversation.conversation import Conversation
from historylab.formats.convert import LOSSLESS, writable_formats
from historylab.ui.session import cached, drawers
from historylab.wording.untrusted import escape, one_line


def write_out(conversations: Sequence[Conversation], drawer: str) -> None:
    """A choice of format and a download button, in the drawer of that name."""
    known = writable_formats()
    several = len(conversations) > 1
    st.html(f'<div class="hl-title">{"These conversations" if several else "This conversation"}</div>')
    chosen = st.selectbox(
        "Format",
        list(known),
        format_func=lambda name: known[name].title,
        key="write-as",
        on_change=drawers.keep_open,
        args=(drawer,),
        label_visibility="collapsed",
    )
    written = cached.write_in(tuple(conversations), chosen)
    losses = one_line(str(written.losses), 400)
    told = f"Left out, as that format has no place for it: {losses}." if losses else "Nothing is left out."
    note = "" if chosen == LOSSLESS or losses else " It can be loaded again."
    st.html(f'<div class="hl-meta">{escape(told + note)}</div>')
    st.download_button(
        f"Download {known[chosen].title}",
        written.text.encode(),
        f"conversation{'s' * several}-{chosen.replace('_', '-')}{written.suffix}",
        "application/jsonl" if several else "application/json",
        key="download-conversation",
        on_click="ignore",
    )
