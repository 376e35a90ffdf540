"""The conversations of a large file: a search by title, and the first of what it finds to choose from."""

from __future__ import annotations

import streamlit as st

from historylab.costs.amounts import count_of
from historylab.formats.listing import Listing
from historylab.ui.session import large_files, session, viewing, watching
from historylab.wording.untrusted import one_line

MOST = 200  # conversations offered at once


def large_file_picker() -> None:
    """The search, and a choice among what it finds; nothing where no large file is open."""
    opened = viewing.current_file()
    if not (listing := opened.listing):
        return
    search, choice = st.columns([2, 3])
    words = search.text_input(
        f"The open file holds {count_of(len(listing), 'conversation')}",
        key="find-listed",
        placeholder="Find by title or number",
        on_change=session.touch,
    )
    found = matches(listing, words or "")
    key = f"listed {listing.entries[0].title[:80]} {len(listing)} {words}"
    choice.selectbox(
        f"{len(found):,} found" + (f", the first {MOST} offered" if len(found) > MOST else ""),
        found[:MOST],
        None,
        format_func=lambda place: entry_in_words(listing, place),
        placeholder="Open a conversation",
        key=key,
        on_change=session.hand_value,
        args=(key, _open),
    )


def _open(place: object) -> None:
    large_files.open_listed_conversation(place)
    watching.ask_for_playground()


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
