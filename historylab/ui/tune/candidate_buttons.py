"""The buttons of a candidate: use it in the playground, compare it with the base, export it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from historylab.conversation.conversation import Conversation
from historylab.costs.proposal import RECORDED
from historylab.settings.consent import offline
from historylab.settings.model import Settings
from historylab.tuning.trials import Trial
from historylab.ui.session import cached, choices, chosen_system, trial
from historylab.ui.shared.page import go_to
from historylab.ui.toolbar.export_drawer import export_button
from historylab.ui.tune.settings_search import SettingsSearch


def candidate_buttons(search: SettingsSearch, conversation: Conversation, picked: Trial, *, proven: bool) -> None:
    """The row of buttons. They take over what the search varied, and nothing the environment sets."""
    changes = changed_settings(search, picked.settings)
    other = not picked.as_sent if search.as_sent else bool(changes)
    with st.container(horizontal=True, vertical_alignment="center", key="candidate"):
        used = st.button("Use in the playground", key="use", type="primary", disabled=not other)
        beside = "what was sent" if search.as_sent else "mine"
        compared = st.button(f"Compare with {beside}", key="compare-with-mine", disabled=not other)
        resolution = choices.resolution(also=changes)
        timeline = cached.timeline(conversation, resolution.settings)
        export_button(resolution, timeline, "Export these", "export-these", disabled=not other)
        same = "This is what was really sent." if search.as_sent else "These are your settings."
        note = "" if proven else f"Not proven to be better than {search.beaten}."
        st.html(f'<span class="hl-meta">{note if other else same}</span>', width="content")
    if used:
        _use(search, changes)
        go_to("playground")
    if compared:
        choices.compare_with([changes] if changes else [])
        go_to("compare")


def changed_settings(search: SettingsSearch, picked: Settings) -> dict[str, Any]:
    """The settings in which the candidate differs from those in effect.

    Beside what was sent, all candidates are counted as the file says, which nobody has to choose.
    """
    mine, left = search.base, set(search.locked)
    if search.as_sent:
        mine, left = offline(choices.resolution().settings), {*search.locked, *RECORDED}
    theirs, ours = picked.values(), mine.values()
    return {name: value for name, value in theirs.items() if value != ours[name] and name not in left}


def _use(search: SettingsSearch, changes: Mapping[str, Any]) -> None:
    """Choose them. In place of what was sent they are tried, to be undone in the playground."""
    if not search.as_sent:
        for name, value in changes.items():
            choices.choose_setting(name, value)
    elif changes:
        trial.try_settings(changes, choices.resolution().settings)
    else:
        chosen_system.choose_system("")
