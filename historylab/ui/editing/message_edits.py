"""Buttons that edit, pin or delete the selected message, or add one beside it; the plan follows."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from historylab.edits import Delete, Replace
from historylab.planning.reasons import INVALID, SHOWN
from historylab.planning.replay import Timeline
from historylab.recall.must_remember import original_index
from historylab.ui.editing.edit_dialog import LONGEST, edit_dialog
from historylab.ui.editing.insert_dialog import insert_dialog
from historylab.ui.session import drawers, edits, opening

NOT_ONE = "For the same reason it can’t be edited, pinned or deleted here."  # must_remember gives the reason
EDIT, INSERT = "edit-message", "insert-message"


def message_edits(timeline: Timeline, number: int, chosen: int) -> None:
    """A menu for the timeline's message `chosen`, at request `number` (both from 0)."""
    at = original_index(timeline, chosen)
    if at is None:
        st.html(f'<div class="hl-meta">{NOT_ONE}</div>')
        return
    with st.popover("Edit", key="edits"):
        _edit(at)
        add = "Add a message before or after this one, or at the end"
        st.button("Add…", key=INSERT, help=add, on_click=drawers.open_drawer, args=(INSERT,), width="stretch")
        pin_button(timeline, number, chosen)
        st.button(
            "Delete",
            key="delete-message",
            help="In this tab only; you can undo it",
            on_click=edits.make_edit,
            args=(Delete(at), timeline),
            width="stretch",
        )
    if drawers.take_open_request(EDIT):
        edit_dialog(timeline, at)
    elif drawers.take_open_request(INSERT):
        insert_dialog(timeline, at)


def _edit(at: int) -> None:
    message = opening.conversation()[at]
    too_long = any(len(text) > LONGEST for text in (message.content, *(call.arguments for call in message.tool_calls)))
    why = f"Longer than {LONGEST:,} characters: too long for a text field" if too_long else None
    show = drawers.open_drawer
    st.button("Edit…", key=EDIT, disabled=too_long, help=why, on_click=show, args=(EDIT,), width="stretch")


def pin_button(timeline: Timeline, number: int, chosen: int, key: str = "pin-message") -> None:
    """A button that pins the message, or unpins it; disabled where that would change nothing."""
    at = original_index(timeline, chosen)
    if at is None:
        return
    message = opening.conversation()[at]
    why = "" if message.pinned else no_pin(timeline, number, chosen)
    st.button(
        "Unpin" if message.pinned else "Pin",
        key=key,
        disabled=bool(why),
        help=why or "It is then always sent",
        on_click=edits.make_edit,
        args=(Replace(at, replace(message, pinned=not message.pinned)), timeline),
        width="stretch",
    )


def no_pin(timeline: Timeline, number: int, chosen: int) -> str:
    """Why a pin would change nothing; empty where it may."""
    rule = timeline.plans[number].reason(chosen).rule
    if rule == SHOWN.rule:
        return "It is only shown, and not sent to a model"
    if rule == INVALID.rule:
        return "An API would refuse it, pinned or not"
    if timeline.conversation[chosen].role == "system" and timeline.settings.preserve_system_messages:
        return "System messages are always sent"
    return ""
