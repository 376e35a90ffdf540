"""What a search tries: which knobs it turns, how many settings, over which conversations."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from historylab.settings.model import Settings
from historylab.ui.session import state
from historylab.ui.session.background_work import FEW, MANY, MORE
from historylab.ui.tune.settings_search import Search
from historylab.wording.amounts import count_of
from historylab.wording.settings import title_of
from historylab.wording.untrusted import escape

HOW_MANY = {FEW: f"{FEW}, quickly", MORE: f"{MORE}", MANY: f"{MANY}, thoroughly"}


def search_form(search: Search, tried: Sequence[Settings]) -> None:
    """The choices, folded away under a line that says what they come to."""
    names = {knob.name: knob.question for knob in search.knobs}
    many = len(search.conversations)
    where = f" on {many:,} conversations" if many > 1 else ""
    turned = f"{count_of(len(search.turned), 'knob')} turned"
    with st.expander(f"{count_of(len(tried), 'settings')}, {turned}{where}", key="search", type="compact"):
        st.pills(
            "Questions to try answers to",
            list(names),
            selection_mode="multi",
            default=search.turned,
            format_func=names.get,
            key=state.seed_widget("turned", search.turned),
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
            key=state.seed_widget("most", state.desk().tuning.most),
            on_change=lambda: _set("most"),
            help="Where there are more combinations, they are picked at random, always in the same way.",
        )
        if len(state.desk().opened.conversations) > 1:
            right.toggle(
                f"Over all {len(state.desk().opened.conversations):,} conversations of the file",
                state.desk().tuning.everywhere,
                key=state.seed_widget("everywhere", state.desk().tuning.everywhere),
                on_change=lambda: _set("everywhere"),
            )


def _locked(search: Search) -> None:
    """What stays because the environment says so; and that no model writes summaries here."""
    if search.locked:
        names = ", ".join(title_of(name) for name in sorted(search.locked))
        st.html(f'<div class="hl-meta">🔒\ufe0e Set by the environment, so not varied: {escape(names)}.</div>')
    if search.base.summarizer != state.resolution().settings.summarizer:
        st.html('<div class="hl-meta">Summaries are tried offline here; a model’s would cost a call each.</div>')


def _turn() -> None:
    state.desk().tuning.turned = list(state.value_of("turned") or [])
    state.touch()


def _set(name: str) -> None:
    setattr(state.desk().tuning, name, state.value_of(name))
    state.touch()
