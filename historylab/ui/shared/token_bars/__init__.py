"""The canvas component that draws the token chart, from bytes, with the line of the budget that can be dragged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from historylab.figures.token_chart import pack_chart
from historylab.planning.replay import Timeline
from historylab.settings.fields import MOST_TOKENS
from historylab.ui.session import cached, choices, session
from historylab.ui.shared.browser import component
from historylab.ui.shared.history_map import map_look

SCRIPTS = ("unpack", "paint", "words", "bars")


def token_bars(key: str, timeline: Timeline, choose: Callable[[int], None], locked: str) -> None:
    """Draw the chart, the same for every request: the browser marks the one shown.

    A click tells `choose` a request (from 0); a drag of the budget's line sets it, unless something keeps it: `locked`
    says what.
    """

    def look() -> None:
        request, _ = map_look(key, timeline)
        if request is not None:
            choose(request)

    component(Path(__file__).parent, SCRIPTS)(
        key=key,
        data=pack_chart(cached.packed_tokens(timeline), cached.browser_key(timeline), locked),
        on_look_change=look,
        on_budget_change=lambda: None if locked else _choose_budget(key),
    )


def _choose_budget(key: str) -> None:
    """Choose the budget at which the line was dropped."""
    value = session.told_by(key, "budget")
    if type(value) is int and 0 <= value <= MOST_TOKENS:
        choices.choose_setting("budget", value)
