"""The canvas component that draws a map of messages × requests with the scrubber in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from historylab.figures.browser import MAP, MAP_SCRIPTS
from historylab.figures.retention_map import view
from historylab.planning.replay import Timeline
from historylab.recall.must_remember import MustRemember
from historylab.ui.session import cached, session
from historylab.ui.shared.browser import component, component_beside
from historylab.ui.shared.timeline_data import timeline_data


def history_map(
    key: str,
    timeline: Timeline,
    number: int,
    message: int | None,
    choose: Callable[[int | None, int | None], None],
    *,
    starred: Iterable[MustRemember] = (),
    watched: Iterable[int] = (),
    brings: bool = True,
    **look: Any,
) -> None:
    """Draw the map of a timeline with request `number` and `message` (from 0) marked; a move in it tells `choose` both.

    `starred` and `watched` as `figures.retention_map.view` has them, `look` what else the scripts know. Of several maps
    of one conversation the first alone `brings` it.
    """
    packed, browser_key = cached.packed_map(timeline)
    timeline_data(key, cached.packed_conversation(timeline) if brings else None, packed)
    known = message is not None and message < timeline.plans[number].size
    seen = view(browser_key, number, message if known else None, starred, watched)
    if session.tab().presenting:
        seen["present"] = True
    draw = component if brings else component_beside
    draw(MAP, MAP_SCRIPTS)(key=key, data={**seen, **look}, on_look_change=lambda: choose(*map_look(key, timeline)))


def map_look(key: str, timeline: Timeline) -> tuple[int | None, int | None]:
    """The request and the message (from 0) selected in the browser; None for one that doesn't exist."""
    look = session.told_by(key, "look") or {}
    request, message = look.get("request"), look.get("message")
    if type(request) is not int or not 0 <= request < len(timeline.plans):
        return None, None
    return request, message if type(message) is int and 0 <= message < timeline.plans[request].size else None
