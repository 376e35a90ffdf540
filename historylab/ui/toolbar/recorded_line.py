"""One line on what the open file was recorded with and which of it is used, with the way back; it can be dismissed.

A long one is cut where the line ends, and unfolds on a click.
"""

from __future__ import annotations

import streamlit as st

from historylab.settings.resolve import Resolution
from historylab.ui.session import choices, session
from historylab.wording.recorded import recorded_sentence
from historylab.wording.untrusted import escape

NOT_USED = "What this file was recorded with is not used: your own settings and the defaults decide."


def recorded_line(resolution: Resolution) -> None:
    """The line and its buttons; nothing where the file says nothing, nothing of it is used, or it was dismissed."""
    state, proposal = session.tab(), choices.proposal()
    if not proposal.values or state.recorded_dismissed:
        return
    sentence = recorded_sentence(proposal, resolution) if state.recorded else NOT_USED
    if not sentence:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="recorded"):
        said = f'<details class="hl-notice hl-recorded"><summary>{escape(sentence)}</summary></details>'
        st.html(f'<div role="status">{said}</div>')
        if state.recorded:
            st.button("Use my defaults instead", key="ignore-recorded", on_click=choices.ignore_recorded)
        else:
            st.button("Use what was recorded", key="use-recorded", on_click=choices.use_recorded)
        st.button("Dismiss", key="dismiss-recorded", type="tertiary", on_click=choices.dismiss_recorded)
