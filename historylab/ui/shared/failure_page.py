"""The page in place of one that failed: what happened, that nothing is gone, and the ways back."""

from __future__ import annotations

import streamlit as st

from historylab.ui.session import failures, session
from historylab.ui.session.tab import PageFailure
from historylab.ui.shared.notice import fold_lines
from historylab.wording.untrusted import escape, one_line

AGAIN = "If it fails again, reload the page to begin anew."


def failure_page(failure: PageFailure, title: str) -> None:
    """Draw it."""
    st.html(
        f'<h1 class="hl-verdict">The page {title} could not be drawn: a fault in HistoryLab.</h1>'
        f'<div class="hl-cost">{escape(_kept_words())} {AGAIN}</div>'
    )
    with st.container(horizontal=True):
        st.button("Try again", key="try-again", type="primary", on_click=failures.try_again)
        st.button(
            "Try again with default settings",
            key="try-defaults",
            on_click=failures.try_again,
            kwargs={"defaults": True},
            help="Clears what you and the URL chose, including the system.",
        )
    st.html(fold_lines(f"What failed: {failure.what}", failure.where))


def _kept_words() -> str:
    opened = session.tab().opened
    names = [one_line(file.given.name, 80) for file in opened.files if file.given.name] if opened else []
    return f"“{names[0]}” is still open, and your settings are kept." if names else "What you chose is kept."
