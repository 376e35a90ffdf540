"""The open conversation: title, size and load report; and the ways to open another."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from historylab.conversation.conversation import Conversation
from historylab.costs.amounts import count_of
from historylab.planning.replay import Timeline
from historylab.recordings.as_sent import is_foreign
from historylab.settings.resolve import Resolution
from historylab.ui.session import viewing
from historylab.ui.toolbar.notes import edited_bar, recorded_line, sent_under_line
from historylab.ui.toolbar.open_drawer import open_button
from historylab.ui.toolbar.opened_files import missing_file_line, opened_files, picker, refused_files_line
from historylab.ui.toolbar.share_dialog import share_button
from historylab.wording.context import counted_by
from historylab.wording.untrusted import escape, one_line

ABOUT = "About this file"
TITLE = 60  # characters of a conversation's
NOT_YOURS = {"sample": "sample", "gen": "generated"}
"""Kind of what is open, as links name it → its badge."""


def conversation_bar(
    conversation: Conversation,
    timeline: Timeline,
    resolution: Resolution,
    *more: Callable[[], None],
    share: Callable[[], None] | None = None,
) -> None:
    """One line about the conversation, with buttons to open another and to share the view; `more` draw further ones.

    `share` draws the button in place of the one that shares the settings alone.
    """
    with st.container(horizontal=True, horizontal_alignment="right", gap="small", key="actions", width="content"):
        open_button()
        if share:
            share()
        else:
            share_button(resolution.settings)
        for button in more:
            button()
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="conversation"):
        size = _size(conversation, timeline)
        title = f'<bdi class="hl-strong">{escape(one_line(conversation.title, TITLE))}</bdi>'
        st.html(f'<div class="hl-conversation" title="{size}">{title}{_badge()}</div>')
        picker()
        with st.popover(ABOUT, icon=":material/info:", key="about-file"):
            st.html(f'<div class="hl-body">{size}</div>')
            if not is_foreign(timeline):  # which settings the file brings is for when they are used
                recorded_line(resolution)
            sent_under_line(resolution)
            opened_files()
    with st.container(key="about"):  # also if it stays empty: the map below is made anew when its place changes
        edited_bar()
        refused_files_line()
        missing_file_line()


def _badge() -> str:
    """That it is none of the reader's own."""
    word = NOT_YOURS.get(viewing.current_file().spec.partition(":")[0], "")
    return f' <span class="hl-badge">{word}</span>' if word else ""


def _size(conversation: Conversation, timeline: Timeline) -> str:
    """Its size as HTML: every count, and how tokens are counted."""
    total = int(timeline.plans[-1].history.sums.running[-1]) if timeline.plans else 0
    sizes = (
        (len(conversation), "message"),
        (len(conversation.columns.users), "turn"),
        (len(timeline.plans), "request"),
    )
    counts = ", ".join(count_of(count, noun) for count, noun in sizes)
    tokens = f", {total:,} tokens in all ({counted_by(timeline)})" if timeline.plans else ""
    return escape(counts + tokens)
