"""The token chart under the map, drawn by the browser; a click shows a request, a drag of its line sets the budget."""

from __future__ import annotations

from historylab.figures.token_chart import pack_chart
from historylab.planning.replay import Timeline
from historylab.settings.resolve import Provenance, Resolution
from historylab.ui.session import cached, choices, viewing
from historylab.ui.shared.history_map import map_look
from historylab.ui.shared.token_bars import bars_component, dropped_budget

KEY = "tokens"


def token_chart(timeline: Timeline, resolution: Resolution) -> None:
    """The chart, the same for every request: the browser marks the one shown."""
    origin = resolution.provenance["budget"]
    packed, (_, key) = cached.packed_tokens(timeline), cached.packed_map(timeline)
    bars_component()(
        key=KEY,
        data=pack_chart(packed, key, _locked_by(origin) if origin.locked else ""),
        on_look_change=lambda: _look(timeline),
        on_budget_change=lambda: _choose_budget(origin),
    )


def _locked_by(origin: Provenance) -> str:
    return f"set by {origin.name}" if origin.source == "environment" else "kept by a strict environment"


def _look(timeline: Timeline) -> None:
    request, _ = map_look(KEY, timeline)
    if request is not None:
        viewing.select_request(request)


def _choose_budget(origin: Provenance) -> None:
    budget = dropped_budget(KEY)
    if budget is not None and not origin.locked:
        choices.choose_setting("budget", budget)
