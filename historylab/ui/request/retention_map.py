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


def retention_map(timeline: Timeline, number: int) -> None:
    """Draw the map with request `number` (from 0) and the selected message marked; moves in it change the state."""
    packed, key = cached.packed_map(timeline)
    message = session.tab().message
    known = message is not None and message < timeline.plans[number].size
    data = TimelineData(cached.packed_conversation(timeline), packed, key)
    look = view(key, number, message if known else None, star_marks(timeline))
    history_map(KEY, data, look, lambda: _look(timeline))


def _look(timeline: Timeline) -> None:
    request, message = map_look(KEY, timeline)
    if request is not None and message is not None:
        choose_message(timeline, request, message)
    elif request is not None:
        viewing.select_request(request)
