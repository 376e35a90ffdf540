"""Exporting conversations: in any format, and those of a recording as the lines it has."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from historylab.costs.amounts import count_of
from historylab.errors import HistoryLabError
from historylab.recordings.entries import Entry
from historylab.recordings.library import Library
from historylab.ui.session import drawers
from historylab.ui.shared.notice import notice
from historylab.ui.toolbar.write_out import write_out

KEY = "export-conversations"


def export_entries_button(library: Library, entries: Sequence[Entry]) -> None:
    """The button that opens the drawer."""
    st.button("Export", key=KEY, on_click=drawers.open_drawer, args=(KEY,))
    if drawers.take_open_request(KEY):
        _drawer(library, entries)


@st.dialog("Export conversations", position="right", width="medium")
def _drawer(library: Library, entries: Sequence[Entry]) -> None:
    drawers.stands(KEY)
    try:
        write_out([library.conversation(entry.key) for entry in entries], KEY)
        lines = _recorded_lines(library, entries)
    except (HistoryLabError, KeyError) as problem:
        notice(f"They can't be exported: {problem}", "error")
        return
    if lines:
        count = count_of(lines.count(b"\n"), "line")
        st.html(
            '<div class="hl-title">As they were recorded</div><div class="hl-meta">'
            f"{count} with every request, answer and decision; they open here, in <code>tune</code> and in "
            "<code>check</code> like any file.</div>"
        )
        st.download_button(
            "Download the recording's lines",
            lines,
            "recording.jsonl",
            "application/jsonl",
            key="download-lines",
            on_click="ignore",
        )


def _recorded_lines(library: Library, entries: Sequence[Entry]) -> bytes:
    shelf = library.recorded
    return b"".join(shelf.lines(entry.key) for entry in entries if entry.source == "recorded") if shelf else b""
