"""A notice in one sentence. `st.error` would read Markdown into it, and it may quote an untrusted file."""

import streamlit as st

from historylab.wording.untrusted import escape

ROLES = {"error": "alert", "note": "status"}


def notice(text: str, kind: str = "note") -> None:
    """Show the text, which may quote anything, as a note or an error."""
    end = "" if text.endswith((".", "!", "?")) else "."
    st.html(f'<div class="hl-notice hl-{kind}" role="{ROLES[kind]}">{escape(text)}{end}</div>')
