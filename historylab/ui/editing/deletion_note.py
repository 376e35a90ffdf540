"""What a deletion took along, and the way back."""

from __future__ import annotations

import streamlit as st

from historylab.ui.session import edits
from historylab.wording.answer import deletion_in_words
from historylab.wording.untrusted import escape


def deletion_note() -> None:
    """A line and a button while the last edit is a deletion."""
    last = edits.last_deletion()
    if not last:
        return
    before, at, marked = last
    with st.container(key="deletion", gap="small"):
        st.html(f'<div class="hl-small" role="status">{escape(deletion_in_words(before, at, marked=marked))}</div>')
        st.button("Undo the deletion", key="undo-deletion", on_click=edits.undo_edit)
