"""Under the verdict: why much of the budget stays unused, and buttons for the settings that mend a request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from historylab.planning.replay import Timeline
from historylab.settings.resolve import Resolution
from historylab.ui.session import choices
from historylab.wording.over_budget import mend_in_words, unused_in_words
from historylab.wording.untrusted import escape


def mend_buttons(timeline: Timeline, number: int, resolution: Resolution) -> None:
    """The sentence and the buttons; of a request that is over its budget the verdict has said why."""
    with st.container():  # also if it stays empty: the map below is made anew when its place changes
        if over := timeline.over_budget_cause(number):
            _buttons((over.remedy, over.alternative), resolution)
        elif unused := timeline.unused_budget(number):
            st.html(f'<div class="hl-forgot">{escape(unused_in_words(unused))}</div>')
            _buttons((unused.finer, unused.room), resolution)


def _buttons(mends: tuple[Mapping[str, Any], ...], resolution: Resolution) -> None:
    """A button for each set of changes; none where the environment locks one of them."""
    offered = [m for m in mends if m and not any(resolution.provenance[name].locked for name in m)]
    if not offered:
        return
    with st.container(horizontal=True, key="mends"):
        for changes in offered:
            key = "mend " + " ".join(changes)
            st.button(mend_in_words(changes), key=key, on_click=_choose, args=(changes,))


def _choose(changes: Mapping[str, Any]) -> None:
    for name, value in changes.items():
        choices.choose_setting(name, value)
