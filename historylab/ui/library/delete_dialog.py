"""Deleting conversations: what goes is named before, as it can't be brought back."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from historylab.costs.amounts import count_of
from historylab.errors import StoreError
from historylab.recordings.entries import Entry
from historylab.recordings.library import Library
from historylab.recordings.place import named_place, place_in_words
from historylab.ui.session import drawers, session
from historylab.ui.session import library as choices
from historylab.wording.library import deletion
from historylab.wording.untrusted import escape, one_line

KEY = "delete-conversations"
NAMED = 8


def delete_button(library: Library, entries: Sequence[Entry]) -> None:
    """The button that asks first."""
    st.button("Delete", key=KEY, on_click=drawers.open_drawer, args=(KEY,))
    if drawers.take_open_request(KEY):
        _dialog(library, entries)


@st.dialog("Delete conversations")
def _dialog(library: Library, entries: Sequence[Entry]) -> None:
    drawers.stands(KEY)
    named = "".join(f"<li><bdi>{escape(one_line(entry.title, 80))}</bdi></li>" for entry in entries[:NAMED])
    more = f"<li>and {len(entries) - NAMED:,} more</li>" if len(entries) > NAMED else ""
    recorded = [entry.key for entry in entries if entry.source == "recorded"]
    lines = library.recorded.count_lines(recorded) if library.recorded else 0
    told = deletion(len(recorded), lines, len(entries) - len(recorded), place_in_words(named_place()))
    st.html(f'<ul class="hl-small">{named}{more}</ul>' + "".join(f"<p>{escape(line)}</p>" for line in told))
    with st.container(horizontal=True):
        label = f"Delete {count_of(len(entries), 'conversation')}"
        deleted = st.button(
            label,
            key="delete-really",
            type="primary",
            on_click=_delete,
            args=(library, [entry.key for entry in entries]),
        )
        if st.button("Keep", key="delete-not") or deleted:
            st.rerun()


def _delete(library: Library, keys: Sequence[str]) -> None:
    try:
        choices.delete(library, keys)
    except StoreError as problem:
        session.report_problem(f"Nothing was deleted: {problem}")
    else:
        session.announce(f"Deleted {count_of(len(keys), 'conversation')}.")
