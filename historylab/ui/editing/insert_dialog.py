"""A form for a new message: its place, role and text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from historylab.conversation.conversation import Conversation
from historylab.edits import Insert, new_message_at, unanswered_calls
from historylab.planning.replay import Timeline
from historylab.ui.editing.edit_dialog import save_or_cancel
from historylab.ui.session import edits, opening, session
from historylab.ui.shared.notice import notice
from historylab.wording.untrusted import one_line

ROLES = ("user", "assistant", "system", "tool")
MOST_CALLS = 50
NO_CALL = "No call is waiting for a result, so a tool message would be left out as invalid: an API would refuse it."


@st.dialog("Add a message", width="medium")
def insert_dialog(timeline: Timeline, beside: int) -> None:
    """Add a message beside message `beside` (from 0) of the conversation that is open, or at its end."""
    conversation = opening.conversation()
    places = {
        beside + 1: f"After message {beside + 1:,}",
        beside: f"Before message {beside + 1:,}",
        len(conversation): "At the end",
    }
    with st.form("insert", border=False, enter_to_submit=False):
        _choose("Where", list(places), "insert-at", places.__getitem__)
        _choose("Who says it", ROLES, "insert-role")
        st.text_area("Text", key="insert-text", height=180)
        _answers(conversation)
        saved, cancelled = save_or_cancel(_save, timeline)
    if saved and not _text():
        notice("Write what it says first")
    elif saved or cancelled:
        st.rerun()


def _save(timeline: Timeline) -> None:
    at, role, conversation = (
        session.widget_value("insert-at"),
        session.widget_value("insert-role"),
        opening.conversation(),
    )
    if _text() and at is not None and role:
        answers = session.widget_value("insert-answers") if role == "tool" else None
        new = new_message_at(conversation, at, role, session.widget_value("insert-text"), answers=answers or "")
        edits.make_edit(Insert(at, new), timeline)


def _text() -> str:
    return (session.widget_value("insert-text") or "").strip()


def _choose(label: str, options: Sequence[Any], key: str, word: Callable[[Any], str] = str) -> None:
    st.segmented_control(label, options, default=options[0], required=True, format_func=word, key=key)


def _answers(conversation: Conversation) -> None:
    """The call that a tool's result is for, of those that wait for one."""
    waiting = {
        call.id: f"{one_line(call.name, 40)} in message {i + 1:,}"
        for i, call in unanswered_calls(conversation)[-MOST_CALLS:]
    }
    if waiting:
        st.selectbox(
            "A tool's result answers", list(waiting)[::-1], format_func=waiting.__getitem__, key="insert-answers"
        )
    else:
        st.html(f'<div class="hl-meta">{NO_CALL}</div>')
