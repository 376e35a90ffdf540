"""Caches: the recording that the server names, which everyone here reads and writes together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from historylab.conversation.conversation import Conversation
from historylab.formats.load import collection_paused
from historylab.recordings.library import Library
from historylab.recordings.noted_state import NotedState
from historylab.recordings.place import open_recording
from historylab.recordings.recorded_shelf import RecordedShelf
from historylab.recordings.recorder import Recorder
from historylab.recordings.search import MessageIndex
from historylab.recordings.sent_plans import SentPlans, decided_otherwise, sent_plans
from historylab.recordings.watch import Watch
from historylab.ui.session.cached import BY_CONTENT


@st.cache_resource(max_entries=4, show_spinner=False)
def open_watch(place: str) -> Watch:
    """The recording at that place, which everyone watches together."""
    return Watch(open_recording(place))


@st.cache_resource(max_entries=4, show_spinner=False)
def recorder(place: str) -> tuple[Recorder, NotedState]:
    """Who writes into the recording at that place what is said in chats here, and its state."""
    store = open_recording(place)
    return Recorder(store), NotedState(store)


@st.cache_resource(max_entries=4, show_spinner=False)
def recorded_shelf(place: str) -> RecordedShelf:
    """The recording at that place as a part of everyone's library."""
    return RecordedShelf(open_watch(place))


@st.cache_resource(max_entries=1, scope="session", show_spinner=False)
def library_index(shared: tuple[int, ...], held: tuple[tuple[str, str], ...], _library: Library) -> MessageIndex:
    """What is searched of a library."""
    return _library.index()


@st.cache_resource(max_entries=4, show_spinner=False, hash_funcs=BY_CONTENT)
def plans_as_sent(conversation: Conversation, of_newest: Mapping[str, Any]) -> SentPlans:
    """A conversation of a recording as it was sent, for all who watch it."""
    with collection_paused():
        return sent_plans(conversation, of_newest)


@st.cache_resource(max_entries=4, show_spinner="Planning every request again", hash_funcs=BY_CONTENT)
def requests_decided_otherwise(conversation: Conversation, of_newest: Mapping[str, Any]) -> tuple[int, ...]:
    """The requests (from 0) about which a new plan decides otherwise than is on record."""
    with collection_paused():
        return decided_otherwise(conversation, of_newest)
