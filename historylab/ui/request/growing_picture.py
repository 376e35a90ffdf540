"""The picture of a conversation that goes on, a chat or what an app sends, as Inspect draws one that is over."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from historylab.figures.token_chart import pack_chart
from historylab.planning.replay import Timeline
from historylab.ui.request.verdict_line import legend
from historylab.ui.session import cached
from historylab.ui.shared.history_map import history_map, map_look
from historylab.ui.shared.token_bars import bars_component


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
    on_map, on_chart = f"{name}-map", f"{name}-tokens"
    with st.container(key="stage"), st.container(key="picture", gap=None):
        legend(timeline, number)
        history_map(on_map, timeline, number, message, choose, watched=watched)
        bars_component()(
            key=on_chart,
            data=pack_chart(cached.packed_tokens(timeline), cached.browser_key(timeline), locked),
            on_look_change=lambda: choose(map_look(on_chart, timeline)[0], None),
            on_budget_change=lambda: None,
        )
