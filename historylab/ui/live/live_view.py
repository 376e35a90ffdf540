"""The page Live: what a recording holds, drawn anew when a line of it came, and only then."""

from __future__ import annotations

import streamlit as st

from historylab.errors import HistoryLabError, StoreError
from historylab.recordings.watch import Watch, WatchedConversation
from historylab.ui.live.conversation_list import conversation_list
from historylab.ui.live.getting_started import nothing_to_watch, recording_unreadable, waiting_for_requests
from historylab.ui.live.proxy_settings import proxy_settings
from historylab.ui.live.watched_picture import check_of_decisions, faults, watched_bar, watched_picture
from historylab.ui.session import cached_recording, session, watching
from historylab.ui.shared.notice import notice
from historylab.ui.shared.page import go_to

EVERY = 0.5
"""Seconds from one look at the recording to the next."""
UNREADABLE = 5.0
"""The same while it can't be read."""


def live_view() -> None:
    """The recording that the server watches; or how to begin, and why there is nothing."""
    if watching.leaves_for_playground():
        go_to("playground")
    try:
        watch = watching.recording()
        drawn = watch.poll() if watch else 0
    except StoreError as problem:
        recording_unreadable(str(problem))
        _follow(str(problem), UNREADABLE)
        return
    if watch is None:
        nothing_to_watch()
        return
    _draw(watch)
    _follow(drawn, EVERY)


def _follow(drawn: int | str, every: float) -> None:
    """Look at the recording again and again, and draw the page anew once it holds something else than what is drawn."""

    def look() -> None:
        if watching.newest_line() != drawn:
            session.redraw_page()

    session.fragment(look, every=every)()


def _draw(watch: Watch) -> None:
    if done := session.tab().announcement:
        notice(done)
        session.clear_announcement()
    listed = watch.newest(watching.MOST_LISTED)
    shown = watching.on_screen(listed, watch)
    if shown is None:
        waiting_for_requests(watch)
        return
    with st.container(key="live"):
        with st.container(key="live-list", gap="small"):
            conversation_list(listed, shown)
        with st.container(key="live-picture"):
            _picture(watch, shown)
        proxy_settings(watch, listed[0])


def _picture(watch: Watch, shown: WatchedConversation) -> None:
    watched_bar(watch, shown)
    try:
        found = watch.conversations(shown.id)
        conversation = watching.main_conversation(found)
        sent = cached_recording.plans_as_sent(conversation, shown.of_newest)
    except HistoryLabError as problem:
        notice(f"This conversation can't be read: {problem}", "error")
        return
    faults(shown, sent, found.report)
    watched_picture(watch, shown, sent)
    check_of_decisions(shown, conversation, sent)
