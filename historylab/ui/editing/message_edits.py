"""Buttons that edit, pin or delete the selected message, or add one beside it; the plan follows."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from historylab.edits import Delete, Replace
from historylab.planning.reasons import INVALID
from historylab.planning.replay import Timeline
from historylab.recall.must_remember import original_index
from historylab.ui.editing.edit_dialog import LONGEST, edit_dialog
from historylab.ui.editing.insert_dialog import insert_dialog
from historylab.ui.session import edits, opening

NOT_ONE = "For the same reason it can’t be edited, pinned or deleted here."  # must_remember gives the reason


def message_edits(timeline: Timeline, number: int, chosen: int) -> None:
    """The row of buttons for the timeline's message `chosen`, at request `number` (both from 0)."""
    at = original_index(timeline, chosen)
    if at is None:
        st.html(f'<div class="hl-meta">{NOT_ONE}</div>')
        return
    with st.container(horizontal=True, gap="small", key="edits"):
        _edit(timeline, at)
        if st.button("Add…", key="insert-message", help="Add a message before or after this one, or at the end"):
            insert_dialog(timeline, at)
        _pin(timeline, number, chosen, at)
        if st.button("Delete", key="delete-message", help="In this tab only; you can undo it"):
            edits.make_edit(Delete(at), timeline)
            st.rerun()


def _edit(timeline: Timeline, at: int) -> None:
    message = opening.conversation()[at]
    too_long = any(len(text) > LONGEST for text in (message.content, *(call.arguments for call in message.tool_calls)))
    why = f"Longer than {LONGEST:,} characters: too long for a text field" if too_long else None
    if st.button("Edit…", key="edit-message", disabled=too_long, help=why):
        edit_dialog(timeline, at)


def _pin(timeline: Timeline, number: int, chosen: int, at: int) -> None:
    message = opening.conversation()[at]
    why = None if message.pinned else _no_pin(timeline, number, chosen)
    label = "Unpin" if message.pinned else "Pin"
    if st.button(label, key="pin-message", disabled=bool(why), help=why or "A pinned message is always sent"):
        edits.make_edit(Replace(at, replace(message, pinned=not message.pinned)), timeline)
        st.rerun()


def _no_pin(timeline: Timeline, number: int, chosen: int) -> str:
    """Why a pin would change nothing; empty where it may."""
    if timeline.plans[number].reason(chosen).rule == INVALID.rule:
        return "An API would refuse it, pinned or not"
    if timeline.conversation[chosen].role == "system" and timeline.settings.preserve_system_messages:
        return "System messages are always sent"
    return ""
