"""The retention map: messages × requests in one picture with the scrubber, drawn by the browser from bytes."""

from __future__ import annotations

from historylab.planning.replay import Timeline
from historylab.ui.request.message_selection import choose_message
from historylab.ui.session import session, viewing
from historylab.ui.session.must_remember import star_marks
from historylab.ui.shared.history_map import history_map

KEY = "map"


def retention_map(timeline: Timeline, number: int, key: str = KEY) -> None:
    """Draw the map with request `number` (from 0) and the selected message marked; moves in it change the state.

    `key`: where a page has two.
    """

    def choose(request: int | None, message: int | None) -> None:
        if request is not None and message is not None:
            choose_message(timeline, request, message)
        elif request is not None:
            viewing.select_request(request)

    history_map(key, timeline, number, session.tab().message, choose, starred=star_marks(timeline))
