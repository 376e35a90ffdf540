"""Reading what is recorded before it is searched, with a bar where that takes long. A click ends it."""

from __future__ import annotations

from time import monotonic

import streamlit as st

from historylab.costs.amounts import count_of
from historylab.recordings.library import Library

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
