"""The conversations of a large file: a search by title, and rows of the first that it finds, each read when opened."""

from __future__ import annotations

import streamlit as st

from historylab.costs.amounts import count_of
from historylab.formats.listing import Listing
from historylab.ui.session import large_files, session, viewing, watching
from historylab.ui.shared.row_table import Column, row_table
from historylab.wording.untrusted import escape, one_line

MOST = 200  # rows drawn at once
COLUMNS = (Column("Conversation"), Column("Messages", "number"))


def large_file_rows() -> None:
    """The search, and a row for each it finds; nothing where no large file is open."""
    opened = viewing.current_file()
    if not (listing := opened.listing):
        return
    holds = f"The open file holds {count_of(len(listing), 'conversation')}"
    st.html(f'<h2 class="hl-title">{escape(holds)}</h2>')
    words = st.text_input(
        "Find in the open file",
        key="find-listed",
        placeholder="Find by title or number",
        label_visibility="collapsed",
        on_change=session.touch,
    )
    found = matches(listing, words or "")
    row_table(
        "listed",
        COLUMNS,
        [row_of(listing, place) for place in found[:MOST]],
        lambda row: _open(found[row]),
        label=holds,
        chosen=found.index(opened.listed) if opened.listed in found[:MOST] else None,
    )
    if len(found) > MOST:
        st.html(f'<div class="hl-meta">The first {MOST} of {len(found):,}</div>')


def _open(place: int) -> None:
    large_files.open_listed_conversation(place)
    watching.ask_for_playground()


def matches(listing: Listing, words: str) -> list[int]:
    """Places of the conversations whose title holds the words, or of the one with that number."""
    wanted = words.strip().casefold()
    if wanted.isdecimal() and 0 < int(wanted) <= len(listing):
        return [int(wanted) - 1]
    return [place for place, entry in enumerate(listing.entries) if wanted in entry.title.casefold()]


def row_of(listing: Listing, place: int) -> tuple[str, str]:
    """ "1,204. Where is my order?" and "12": its number with its title, and its size."""
    entry = listing.entries[place]
    return f"{place + 1:,}. {one_line(entry.title, 80)}", f"{entry.messages:,}"
