"""A notice that the conversation on screen was edited: what was changed, undo, and the way back to the original."""

from __future__ import annotations

import streamlit as st

from historylab.ui.session import edits


def edited_bar() -> None:
    """A line with two buttons; nothing while nothing was edited.

    Its place is there all the same: else all below it would be another element, and be drawn from nothing.
    """
    place = st.container(horizontal=True, vertical_alignment="center", gap="small", key="edited")
    if not edits.current_edits():
        return
    with place:
        st.html(
            f'<div class="hl-edited" role="status"><b>✎ Changed by you: {edits.describe_edits()}.</b> '
            "In this tab only.</div>",
            width="content",
        )
        st.button("Undo the last edit", key="undo-edit", on_click=edits.undo_edit)
        st.button("Back to the original", key="back-to-original", on_click=edits.discard_edits)
