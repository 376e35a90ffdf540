"""What a search tries: which knobs it turns, how many settings, over which conversations."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from historylab.figures.amounts import counted
from historylab.figures.setting_words import title_of
from historylab.figures.untrusted import escaped
from historylab.settings.model import Settings
from historylab.ui import state
from historylab.ui.search import Search
from historylab.ui.tuning import FEW, MANY, MORE

HOW_MANY = {FEW: f"{FEW}, quickly", MORE: f"{MORE}", MANY: f"{MANY}, thoroughly"}


def search_form(search: Search, tried: Sequence[Settings]) -> None:
    """The choices, folded away under a line that says what they come to."""
    names = {knob.name: knob.question for knob in search.knobs}
    many = len(search.conversations)
    where = f" on {many:,} conversations" if many > 1 else ""
    turned = f"{counted(len(search.turned), 'knob')} turned"
    with st.expander(f"{counted(len(tried), 'settings')}, {turned}{where}", key="search", type="compact"):
        st.pills(
            "Questions to try answers to",
            list(names),
            selection_mode="multi",
            default=search.turned,
            format_func=names.get,
            key=state.seed("turned", search.turned),
            on_change=_turn,
        )
        _locked(search)
        left, right = st.columns(2)
        left.segmented_control(
            "Settings to try",
            list(HOW_MANY),
            default=state.desk().tuning.most,
            format_func=HOW_MANY.get,
            required=True,
            key=state.seed("most", state.desk().tuning.most),
            on_change=lambda: _set("most"),
            help="Where there are more combinations, they are picked at random, always in the same way.",
        )
        if len(state.desk().opened.conversations) > 1:
            right.toggle(
                f"Over all {len(state.desk().opened.conversations):,} conversations of the file",
                state.desk().tuning.everywhere,
                key=state.seed("everywhere", state.desk().tuning.everywhere),
                on_change=lambda: _set("everywhere"),
            )


def _locked(search: Search) -> None:
    """What stays because the environment says so; and that no model writes summaries here."""
    if search.locked:
        names = ", ".join(title_of(name) for name in sorted(search.locked))
        st.html(f'<div class="hl-meta">🔒\ufe0e Set by the environment, so not varied: {escaped(names)}.</div>')
    if search.base.summarizer != state.resolution().settings.summarizer:
        st.html('<div class="hl-meta">Summaries are tried offline here; a model’s would cost a call each.</div>')


def _turn() -> None:
    state.desk().tuning.turned = list(state.value_of("turned") or [])
    state.touch()


def _set(name: str) -> None:
    setattr(state.desk().tuning, name, state.value_of(name))
    state.touch()
