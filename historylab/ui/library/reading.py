"""Reading what is recorded: a bar where that takes long, which a click ends, and a notice where it can't be read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

import streamlit as st

from historylab.costs.amounts import count_of
from historylab.errors import StoreError
from historylab.recordings.library import Library
from historylab.recordings.place import named_place, place_in_words
from historylab.ui.shared.notice import notice
from historylab.wording.library import cannot_read

QUICK = 0.3  # seconds of reading before anybody is shown how far it is
OFTEN = 0.1  # seconds between two pictures of the bar


def read_recorded(library: Library) -> None:
    """Read the recorded conversations of which not all is known. What was read stays so if a click ends this."""
    unread = library.unread()
    place, began = st.empty(), monotonic()
    shown = began + QUICK - OFTEN
    for done, key in enumerate(unread):
        if monotonic() - shown > OFTEN:
            shown = monotonic()
            of = count_of(len(unread), "recorded conversation")
            place.progress(done / len(unread), f"Reading {done:,} of {of}, so that all of them are searched")
        library.read(key)
    place.empty()


def show_unreadable(problem: str) -> None:
    """Show why the recording is missing, if it is."""
    if problem:
        notice(cannot_read(place_in_words(named_place()), problem), "error")


@contextmanager
def store_errors_shown() -> Iterator[None]:
    """Wraps what reads the recording: if that fails, the rest of the page is this notice."""
    try:
        yield
    except StoreError as problem:
        show_unreadable(str(problem))
