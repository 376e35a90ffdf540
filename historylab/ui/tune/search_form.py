"""The form of a search: which axes to vary, how many candidates, over which conversations."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from historylab.settings.model import Settings
from historylab.ui.session import state
from historylab.ui.session.background_work import FEW, MANY, MORE
from historylab.ui.tune.settings_search import SettingsSearch
from historylab.wording.amounts import count_of
from historylab.wording.settings import title_of
from historylab.wording.untrusted import escape

HOW_MANY = {FEW: f"{FEW}, quickly", MORE: f"{MORE}", MANY: f"{MANY}, thoroughly"}


def search_form(search: SettingsSearch, tried: Sequence[Settings]) -> None:
    """The choices, folded away under a line that sums them up."""
    questions = {axis.name: axis.question for axis in search.axes}
    many = len(search.conversations)
    where = f" on {many:,} conversations" if many > 1 else ""
    varied = f"varied in {count_of(len(search.varied), 'way')}"
    with st.expander(f"{count_of(len(tried), 'settings')}, {varied}{where}", key="search", type="compact"):
        st.pills(
            "What to vary",
            list(questions),
            selection_mode="multi",
            default=search.varied,
            format_func=questions.__getitem__,
            key=state.seed_widget("turned", search.varied),
            on_change=_vary,
        )
        _locked(search)
        left, right = st.columns(2)
        left.segmented_control(
            "Settings to try",
            list(HOW_MANY),
            default=state.desk().tuning.most,
            format_func=HOW_MANY.__getitem__,
            required=True,
            key=state.seed_widget("most", state.desk().tuning.most),
            on_change=lambda: _set("most"),
            help="Where there are more combinations, a random sample of them is tried, always the same one.",
        )
        if len(state.desk().opened.conversations) > 1:
            right.toggle(
                f"Over all {len(state.desk().opened.conversations):,} conversations of the file",
                state.desk().tuning.everywhere,
                key=state.seed_widget("everywhere", state.desk().tuning.everywhere),
                on_change=lambda: _set("everywhere"),
            )


def _locked(search: SettingsSearch) -> None:
    """What the environment sets, which is not varied; and that summaries are written offline here."""
    if search.locked:
        names = ", ".join(title_of(name) for name in sorted(search.locked))
        st.html(f'<div class="hl-meta">🔒\ufe0e Set by the environment, so not varied: {escape(names)}.</div>')
    if search.base.summarizer != state.resolution().settings.summarizer:
        st.html('<div class="hl-meta">Summaries are tried offline here; a model’s would cost a call each.</div>')


def _vary() -> None:
    state.desk().tuning.turned = list(state.value_of("turned") or [])
    state.touch()


def _set(name: str) -> None:
    setattr(state.desk().tuning, name, state.value_of(name))
    state.touch()
