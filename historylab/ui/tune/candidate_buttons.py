"""The buttons of a candidate: use it in the playground, compare it with your settings, export it."""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.errors import StreamlitAPIException

from historylab.conversation.conversation import Conversation
from historylab.tuning.recommend import Point
from historylab.ui.session import cached, choices
from historylab.ui.toolbar.export_drawer import export_button
from historylab.ui.tune.settings_search import SettingsSearch


def candidate_buttons(search: SettingsSearch, conversation: Conversation, picked: Point) -> None:
    """The row of buttons. They take over what the search varied, and nothing the environment sets."""
    changes = changed_settings(search, picked)
    with st.container(horizontal=True, vertical_alignment="center", key="candidate"):
        used = st.button("Use in the playground", key="use", type="primary", disabled=not changes)
        compared = st.button("Compare with mine", key="compare-with-mine", disabled=not changes)
        resolution = choices.resolution(also=changes)
        export_button(resolution, cached.timeline(conversation, resolution.settings), "Export these", "export-these")
        if not changes:
            st.html('<span class="hl-meta">These are your settings.</span>', width="content")
    if used:
        for name, value in changes.items():
            choices.choose_setting(name, value)
        _switch_page("pages/playground.py")
    if compared:
        choices.compare_with([changes])
        _switch_page("pages/compare.py")


def changed_settings(search: SettingsSearch, picked: Point) -> dict[str, Any]:
    """The settings in which the candidate differs from those in effect."""
    theirs, ours = picked.settings.values(), search.base.values()
    return {name: value for name, value in theirs.items() if value != ours[name] and name not in search.locked}


def _switch_page(page: str) -> None:
    try:
        st.switch_page(page)
    except StreamlitAPIException:  # a page file run on its own knows no others
        st.rerun()
