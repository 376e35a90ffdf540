"""What can be done with the conversations that are ticked: tag them, export them, delete them."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from historylab.costs.amounts import count_of
from historylab.errors import StoreError
from historylab.recordings.entries import Entry, clean_tags
from historylab.recordings.library import Library
from historylab.ui.library.delete_dialog import delete_button
from historylab.ui.library.export_dialog import export_entries_button
from historylab.ui.session import library as choices
from historylab.ui.session import session
from historylab.wording.untrusted import escape, replace_hidden

TAGS = "tags-of-ticked"


def ticked_bar(library: Library) -> None:
    """Drawn where any are."""
    entries = _ticked_entries(library)
    if not entries:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="ticked"):
        chosen = f"{count_of(len(entries), 'conversation')} chosen"
        st.html(f'<div class="hl-title" role="status">{escape(chosen)}</div>', width="content")
        _tags_field(library, entries)
        export_entries_button(library, entries)
        delete_button(library, entries)
        st.button("Choose none", key="untick", type="tertiary", on_click=choices.untick_all)


def _ticked_entries(library: Library) -> list[Entry]:
    """The entries of those that are still there."""
    found = []
    for key in session.tab().library.ticked:
        try:
            found.append(library.entry(key))
        except KeyError:
            continue
    return found


def _tags_field(library: Library, entries: Sequence[Entry]) -> None:
    """All tags that any of them has; one that is added goes to all, one that is taken away is gone from all."""
    theirs = list(clean_tags(tag for entry in entries for tag in entry.tags))
    known = list(dict.fromkeys((*library.known_tags(), *theirs)))
    key = session.key_of_field(TAGS + " " + " ".join(entry.key for entry in entries), theirs)
    st.multiselect(
        "Their tags",
        known,
        theirs,
        format_func=replace_hidden,
        placeholder="Add a tag",
        label_visibility="collapsed",
        accept_new_options=True,
        key=key,
        on_change=session.hand_value,
        args=(key, lambda now: _change(library, [entry.key for entry in entries], theirs, now)),
        width=300,
    )


def _change(library: Library, keys: Sequence[str], before: Sequence[str], now: Sequence[str]) -> None:
    try:
        choices.change_tags(
            library, keys, add=[tag for tag in now if tag not in before], remove=[t for t in before if t not in now]
        )
    except StoreError as problem:
        session.report_problem(f"The tags could not be kept: {problem}")
