"""The notice a page shows for a conversation that makes no model requests."""

import streamlit as st

from historylab.wording.untrusted import escape
from historylab.wording.verdict import NO_REQUESTS


def no_requests(next_step: str) -> None:
    """Show that the conversation makes no requests, and `next_step`: what that means here and what to do."""
    st.html(f'<h1 class="hl-verdict">{NO_REQUESTS}</h1><div class="hl-cost">{escape(next_step)}</div>')
