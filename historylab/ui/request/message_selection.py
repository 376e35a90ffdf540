"""The messages on screen, of those so far: filter, search, page, and the selected message."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import streamlit as st

from historylab.planning.reasons import Action
from historylab.planning.replay import Step, Timeline
from historylab.ui.request.message_search import matching_messages
from historylab.ui.session import session, viewing
from historylab.ui.session.must_remember import starred_messages
from historylab.wording.must_remember import GLYPH

LIST, CHAT = "list", "chat"
PAGE: Mapping[str, int] = {LIST: 200, CHAT: 50}
"""Messages per page: small, as every move of the slider redraws it; a bubble costs more than a row."""


def _changed(step: Step) -> np.ndarray:
    mask = np.zeros(step.size, bool)
    mask[[*step.changed.entered, *step.changed.left, *step.changed.folded]] = True
    return mask


FILTERS: Mapping[str, tuple[str, Callable[[Step], np.ndarray]]] = {
    viewing.EVERYTHING: ("Everything", lambda step: np.ones(step.size, bool)),
    "sent": ("What the model sees", lambda step: step.plan.actions <= Action.TRUNCATED),
    "changed": ("Changed since the last request", _changed),
    "lost": ("Lost", lambda step: step.plan.actions > Action.TRUNCATED),
}


STARRED = "starred"


def available_filters(timeline: Timeline) -> Mapping[str, tuple[str, Callable[[Step], np.ndarray]]]:
    """The filters on offer; one for marked messages if there are any."""
    starred = sorted(starred_messages(timeline))
    if not starred:
        return FILTERS
    return {**FILTERS, STARRED: (f"{GLYPH} Must remember", lambda step: np.isin(np.arange(step.size), starred))}


def filter_mask(timeline: Timeline, step: Step) -> np.ndarray:
    """bool[size]: the messages the filter shows."""
    return available_filters(timeline).get(session.tab().show, FILTERS[viewing.EVERYTHING])[1](step)


def search_mask(step: Step) -> np.ndarray:
    """bool[size]: the messages that contain the search; all of them without one."""
    return matching_messages(step.plan.history.conversation, step.size, session.tab().search)


def choose_message(timeline: Timeline, request: int, message: int) -> None:
    """Go to `message` at `request` (from 0): map, list and answer show it. The way there from all that names a message.

    Where that request comes before the message, it is the first one that may send it.
    """
    holding = int(timeline.conversation.columns.requests.searchsorted(message, side="right"))
    request = min(max(request, holding), len(timeline.plans) - 1)
    viewing.select_request(request)
    viewing.turn_to_message(message, _page_with(timeline, timeline.steps[request], message))


def _page_with(timeline: Timeline, step: Step, message: int) -> int | None:
    """The page (from 1) of the list that holds the message. A search or filter that hides it is cleared."""
    if message >= step.size:
        return None
    if not search_mask(step)[message]:
        viewing.search_for("")
    if not filter_mask(timeline, step)[message]:
        viewing.filter_by(viewing.EVERYTHING)
    before = int((filter_mask(timeline, step) & search_mask(step))[:message].sum())
    return before // PAGE[session.tab().view] + 1


def filter_field(timeline: Timeline) -> None:
    """The filter: which kind of message is shown."""
    known = available_filters(timeline)
    chosen = viewing.drop_filter_unless(known)
    st.segmented_control(
        "Show",
        list(known),
        default=chosen,
        required=True,
        format_func=lambda name: known[name][0],
        label_visibility="collapsed",
        key=session.seed_widget("show", chosen),
        on_change=lambda: viewing.filter_by(session.widget_value("show")),
    )


def view_field() -> None:
    """The view: rows or a chat."""
    st.segmented_control(
        "View",
        [LIST, CHAT],
        default=session.tab().view,
        required=True,
        format_func=str.capitalize,
        label_visibility="collapsed",
        key=session.seed_widget("view", session.tab().view),
        on_change=lambda: viewing.view_as(session.widget_value("view")),
    )


def page_of(shown: np.ndarray) -> np.ndarray:
    """The indices (int64) on the current page; draws a pager if there are more."""
    tab = session.tab()
    size = PAGE[tab.view]
    pages = max(1, -(-len(shown) // size))
    page = min(tab.page or _first_page(shown, pages), pages)
    if pages > 1:
        key = f"page {tab.view} {tab.show} {tab.search} {tab.request} {tab.picks}"
        st.pagination(pages, default=page, key=key, on_change=lambda: viewing.turn_page(session.widget_value(key)))
    return shown[(page - 1) * size : page * size]


def _first_page(shown: np.ndarray, pages: int) -> int:
    """The selected message's page; else the last page of a chat and the first of a list."""
    tab = session.tab()
    place = np.flatnonzero(shown == tab.message)
    if len(place):
        return int(place[0]) // PAGE[tab.view] + 1
    return pages if tab.view == CHAT else 1
