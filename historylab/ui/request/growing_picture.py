"""The picture of a conversation that goes on, a chat or what an app sends, as Inspect draws one that is over."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from historylab.planning.replay import Timeline
from historylab.ui.request.verdict_line import legend
from historylab.ui.shared.history_map import history_map
from historylab.ui.shared.token_bars import token_bars


def growing_picture(
    name: str,
    timeline: Timeline,
    number: int,
    message: int | None,
    choose: Callable[[int | None, int | None], None],
    *,
    locked: str,
    watched: Sequence[int] = (),
) -> None:
    """Legend, map and chart at request `number` (from 0), where that message is marked; `name` begins their keys.

    `choose` is told the request and the message that were clicked; `locked` is said of the budget's line, which stays
    where it is; `watched` are requests that were sent as they came.
    """
    with st.container(key="stage"), st.container(key="picture", gap=None):
        legend(timeline, number)
        history_map(f"{name}-map", timeline, number, message, choose, watched=watched)
        token_bars(f"{name}-tokens", timeline, lambda request: choose(request, None), locked)
