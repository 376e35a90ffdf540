"""What can be done with candidate settings: use them in the playground, compare them with one's own, export them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitAPIException

from historylab.conversation.conversation import Conversation
from historylab.tuning.recommend import Point
from historylab.ui.session import cached, state
from historylab.ui.toolbar.export_drawer import export_button
from historylab.ui.tune.settings_search import Search


def candidate_buttons(search: Search, conversation: Conversation, picked: Point) -> None:
    """The row of buttons. Only what the search turned is taken over, and nothing the environment sets."""
    changes = changes_of(search, picked)
    with st.container(horizontal=True, key="candidate"):
        used = st.button("Use in the playground", key="use", type="primary", disabled=not changes)
        compared = st.button("Compare with mine", key="compare-with-mine", disabled=not changes)
        resolution = state.resolution(also=changes)
        export_button(resolution, cached.timeline(conversation, resolution.settings), "Export these", "export-these")
        if not changes:
            st.html('<span class="hl-meta">These are your settings.</span>', width="content")
    if used:
        for name, value in changes.items():
            state.choose_setting(name, value)
        _go("pages/playground.py")
    if compared:
        state.desk().compare = [changes]
        state.touch()
        _go("pages/compare.py")


def changes_of(search: Search, picked: Point) -> Mapping[str, Any]:
    """What the candidate changes of the settings in effect."""
    theirs, ours = picked.settings.values(), search.base.values()
    return {name: value for name, value in theirs.items() if value != ours[name] and name not in search.locked}


def _go(page: str) -> None:
    try:
        st.switch_page(page)
    except StreamlitAPIException:  # a page file run on its own knows no others
        st.rerun()
