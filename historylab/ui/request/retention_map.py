"""The retention map: messages × requests in one picture with the scrubber, drawn by the browser from bytes."""

from __future__ import annotations

from historylab.figures.retention_map import view
from historylab.planning.replay import Timeline
from historylab.ui.request.message_selection import choose_message
from historylab.ui.session import cached, session, viewing
from historylab.ui.session.must_remember import star_marks
from historylab.ui.shared.history_map import history_map, map_look
from historylab.ui.shared.timeline_data import TimelineData

KEY = "map"


def retention_map(timeline: Timeline, number: int, key: str = KEY) -> None:
    """Draw the map with request `number` (from 0) and the selected message marked; moves in it change the state.

    `key`: where a page has two.
    """
    packed, its_key = cached.packed_map(timeline)
    message = session.tab().message
    known = message is not None and message < timeline.plans[number].size
    data = TimelineData(cached.packed_conversation(timeline), packed, its_key)
    look = view(its_key, number, message if known else None, star_marks(timeline))
    history_map(key, data, look, lambda: _look(timeline, key))


def _look(timeline: Timeline, key: str) -> None:
    request, message = map_look(key, timeline)
    if request is not None and message is not None:
        choose_message(timeline, request, message)
    elif request is not None:
        viewing.select_request(request)
