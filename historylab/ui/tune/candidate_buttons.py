"""The buttons of a candidate: use it, export it, compare it with the base."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from historylab.conversation.conversation import Conversation
from historylab.costs.proposal import RECORDED
from historylab.settings.consent import offline
from historylab.settings.model import Settings
from historylab.settings.trimmer_options import trimmer_configuration
from historylab.tuning.replayed import TrimmerLane
from historylab.tuning.trials import Trial
from historylab.ui.session import cached, choices, chosen_system, trial
from historylab.ui.session.chosen_trimmer import current_trimmer, options_in_address
from historylab.ui.shared.page import go_to
from historylab.ui.toolbar.export_drawer import export_button
from historylab.ui.tune.settings_search import SettingsSearch
from historylab.wording.advice import noun_of_base


def use_button(search: SettingsSearch, picked: Trial, *, advised: bool) -> None:
    """The button that takes over what the search varied, and nothing the environment sets; of the base, that it is."""
    if not _is_another(search, picked):
        same = f"This is {noun_of_base(search.against)}." if search.against else "These are your settings."
        st.html(f'<span class="hl-meta">{same}</span>', width="content")
    elif st.button("Use", key="use", type="primary" if advised else "secondary", help="Take these settings to Inspect"):
        _use(search, changed_settings(search, picked.settings))
        go_to("playground")


def export_these(search: SettingsSearch, conversation: Conversation, picked: Trial) -> None:
    """The button that exports the candidate's settings, be they yours; of what was sent nobody knows them."""
    if picked.is_ours:
        resolution = choices.resolution(also=changed_settings(search, picked.settings))
        export_button(resolution, cached.timeline(conversation, resolution.settings), key="export-these")


def compare_button(search: SettingsSearch, picked: Trial) -> None:
    """The button that compares the candidate with the base on the page Compare."""
    if not _is_another(search, picked):
        return
    base = "mine" if search.against is None else noun_of_base(search.against).replace("really ", "")
    if st.button(f"Compare with {base}", key="compare-with-mine"):
        changes = changed_settings(search, picked.settings)
        trimmer = current_trimmer() if isinstance(search.against, TrimmerLane) else ""
        theirs = [trimmer_configuration(trimmer, options_in_address())] if trimmer else []
        choices.compare_with([*theirs, *([changes] if changes else [])])
        go_to("compare")


def _is_another(search: SettingsSearch, picked: Trial) -> bool:
    """Tell whether the candidate is not the base itself."""
    return picked.is_ours if search.against else bool(changed_settings(search, picked.settings))


def changed_settings(search: SettingsSearch, picked: Settings) -> dict[str, Any]:
    """The settings in which the candidate differs from those in effect.

    Beside what others decided, all candidates are counted as the file says, which nobody has to choose.
    """
    mine, left = search.base, set(search.locked)
    if search.against:
        mine, left = offline(choices.resolution().settings), {*search.locked, *RECORDED}
    theirs, ours = picked.values(), mine.values()
    return {name: value for name, value in theirs.items() if value != ours[name] and name not in left}


def _use(search: SettingsSearch, changes: Mapping[str, Any]) -> None:
    """Choose them. In place of what others decided they are tried, to be undone in Inspect."""
    if not search.against:
        choices.choose_settings(changes)
    elif changes:
        trial.try_settings(changes, choices.resolution().settings)
    else:
        chosen_system.choose_system("")
