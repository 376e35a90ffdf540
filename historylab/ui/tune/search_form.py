"""The form of a search: which axes to vary, how many candidates, over which conversations."""

from __future__ import annotations

import streamlit as st

from historylab.costs.amounts import count_of
from historylab.ui.session import choices, session, tuning_choices, viewing
from historylab.ui.session.tab import FEW, MANY, MORE
from historylab.ui.tune.settings_search import SettingsSearch
from historylab.wording.settings import title_of
from historylab.wording.untrusted import escape

HOW_MANY = {FEW: f"{FEW}, quickly", MORE: f"{MORE}", MANY: f"{MANY}, thoroughly"}


def search_form(search: SettingsSearch) -> None:
    """The choices, folded away under a line that sums them up."""
    questions = {axis.name: axis.question for axis in search.axes}
    many = len(search.conversations)
    where = f" on {many:,} conversations" if many > 1 else ""
    varied = f"{count_of(len(search.varied), 'setting')} varied"
    with st.expander(f"{varied}{where}", key="search", type="compact"):
        st.pills(
            "What to vary",
            list(questions),
            selection_mode="multi",
            default=search.varied,
            format_func=questions.__getitem__,
            key=session.seed_widget("varied", search.varied),
            on_change=session.hand_value,
            args=("varied", tuning_choices.vary_settings),
        )
        _draw_locked(search)
        left, right = st.columns(2)
        left.segmented_control(
            "Settings to try, at most",
            list(HOW_MANY),
            default=session.tab().tuning.most,
            format_func=HOW_MANY.__getitem__,
            required=True,
            key=session.seed_widget("most", session.tab().tuning.most),
            on_change=session.hand_value,
            args=("most", tuning_choices.try_at_most),
            help="It begins with what usually does well, then changes one thing at a time, and ends where no such "
            "change is better.",
        )
        held = len(viewing.current_file().conversations)
        if held > 1:
            right.toggle(
                f"Over all {held:,} conversations of the file",
                session.tab().tuning.everywhere,
                key=session.seed_widget("everywhere", session.tab().tuning.everywhere),
                on_change=session.hand_value,
                args=("everywhere", tuning_choices.search_whole_file),
            )


def _draw_locked(search: SettingsSearch) -> None:
    """A note of the settings the environment holds, which are not varied, and of summaries being offline here."""
    if choices.is_strict():
        st.html('<div class="hl-meta">🔒\ufe0e The environment is strict, so nothing is varied.</div>')
    elif search.locked:
        names = ", ".join(title_of(name) for name in sorted(search.locked))
        st.html(f'<div class="hl-meta">🔒\ufe0e Set by the environment, so not varied: {escape(names)}.</div>')
    if search.base.summarizer != choices.resolution().settings.summarizer:
        st.html('<div class="hl-meta">Summaries are tried offline here; a model’s would cost one call each.</div>')
