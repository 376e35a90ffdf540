"""The conversations of a large file: a search by title, and the first of what it finds to choose from."""

from __future__ import annotations

import streamlit as st

from historylab.costs.amounts import count_of
from historylab.formats.listing import Listing
from historylab.ui.session import large_files, session
from historylab.ui.session.tab import Opened
from historylab.wording.untrusted import one_line

MOST = 200  # conversations offered at once


def large_file_picker(opened: Opened, listing: Listing) -> None:
    """The search, and a choice among what it finds."""
    search, choice = st.columns([2, 3])
    words = search.text_input(
        f"This file holds {count_of(len(listing), 'conversation')}",
        key="find-listed",
        placeholder="Find by title or number",
        on_change=session.touch,
    )
    found = matches(listing, words or "")
    offered = list(dict.fromkeys([opened.listed, *found[:MOST]])) if opened.listed in found else found[:MOST]
    key = f"listed {listing.entries[0].title[:80]} {len(listing)} {words}"
    choice.selectbox(
        f"{len(found):,} found" + (f", the first {MOST} offered" if len(found) > MOST else ""),
        offered,
        offered.index(opened.listed) if opened.listed in offered else None,
        format_func=lambda place: entry_in_words(listing, place),
        placeholder="Choose a conversation",
        key=key,
        on_change=session.hand_value,
        args=(key, large_files.open_listed_conversation),
    )


def matches(listing: Listing, words: str) -> list[int]:
    """Places of the conversations whose title holds the words, or of the one with that number."""
    wanted = words.strip().casefold()
    if wanted.isdecimal() and 0 < int(wanted) <= len(listing):
        return [int(wanted) - 1]
    return [place for place, entry in enumerate(listing.entries) if wanted in entry.title.casefold()]


def entry_in_words(listing: Listing, place: int) -> str:
    """ "1,204. Where is my order? (12 messages)": number, title and size."""
    entry = listing.entries[place]
    return f"{place + 1:,}. {one_line(entry.title, 80)} ({count_of(entry.messages, 'message')})"
