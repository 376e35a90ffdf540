"""A form to edit a message: its text, role and the arguments of its calls. Nothing changes before it is saved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from historylab.conversation.message import Message
from historylab.edits import Replace, edit_message
from historylab.planning.replay import Timeline
from historylab.ui.session import edits, opening, session
from historylab.wording.message_text import speaker
from historylab.wording.untrusted import escape, one_line

LONGEST = 100_000  # characters of a text that can be edited here: a browser's text field is slow with more
ROLES = ("user", "assistant", "system")
WHERE = "It is changed in this tab only. The original stays, one click away."


@st.dialog("Edit the message", width="medium")
def edit_dialog(timeline: Timeline, at: int) -> None:
    """Edit message `at` (from 0) of the conversation that is open."""
    message = opening.conversation()[at]
    st.html(f'<div class="hl-meta">{_about(message, at)} {WHERE}</div>')
    with st.form(f"edit {at}", border=False, enter_to_submit=False):
        st.text_area("Text", field_text(message.content), key=f"edit-text {at}", height=260)
        _role(message, at)
        _arguments(message, at)
        if any(save_or_cancel(_save, timeline, at)):
            st.rerun()


def _save(timeline: Timeline, at: int) -> None:
    message = opening.conversation()[at]
    new = edit_message(
        message,
        content=_unless_same(session.widget_value(f"edit-text {at}"), message.content),
        role=session.widget_value(f"edit-role {at}") or message.role,
        arguments=[
            _unless_same(session.widget_value(f"edit-arguments {at} {k}"), call.arguments)
            for k, call in enumerate(message.tool_calls)
        ],
    )
    edits.make_edit(Replace(at, new), timeline)


def save_or_cancel(save: Callable[..., None], *args: Any) -> tuple[bool, bool]:
    """The two buttons under a form; the first calls `save` before anything is drawn."""
    with st.container(horizontal=True):
        saved = st.form_submit_button("Save", type="primary", key="save-edit", on_click=save, args=args)
        return saved, st.form_submit_button("Cancel", key="cancel-edit")


def field_text(text: str) -> str:
    """The text as a browser's text field has it: with its ends of lines, and without halves of characters."""
    return text.encode("utf-8", "replace").decode().replace("\r\n", "\n").replace("\r", "\n")


def _unless_same(written: str | None, text: str) -> str:
    """The edited text; or the original, unnormalised, where the field still shows the same."""
    return text if written is None or written == field_text(text) else written


def _about(message: Message, at: int) -> str:
    who = speaker(message)
    media = f" Its {', '.join(message.media)} stays." if message.media else ""
    return escape(f"Message {at + 1:,}, {who}.{one_line(media, 80)}")


def _role(message: Message, at: int) -> None:
    """The role to choose; a message that calls tools, or answers a call, has its role from that."""
    if not message.tool_calls and message.role != "tool":
        roles = list(dict.fromkeys((message.role, *ROLES)))
        st.selectbox("Role", roles, format_func=lambda role: one_line(role, 40), key=f"edit-role {at}")


def _arguments(message: Message, at: int) -> None:
    for k, call in enumerate(message.tool_calls):
        st.html(f'<div class="hl-field">Arguments of <code>{escape(one_line(call.name, 80))}</code></div>')
        label, key = f"Arguments of call {k + 1}", f"edit-arguments {at} {k}"
        st.text_area(label, field_text(call.arguments), key=key, height=100, label_visibility="collapsed")
