"""Settings that can't be replayed, such as a share of an unknown window: shown as a notice instead of raised."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st

from historylab.errors import HistoryLabError
from historylab.ui.session.chosen_trimmer import current_trimmer
from historylab.ui.shared.notice import notice


@contextmanager
def replay_errors_shown(settings_widgets: Callable[[], object] = lambda: None) -> Iterator[None]:
    """Wraps replays: if one is refused, the page shows why, and the widgets to choose other settings with."""
    try:
        yield
    except HistoryLabError as problem:
        settings_widgets()
        said = str(problem) if current_trimmer() else f"These settings can't be replayed: {problem}"
        notice(said, "error")
        st.stop()
