"""Checkpoints of the chat: saved by a click and before each compactHistory; compared, restored, forked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

import streamlit as st

from historylab.agent.request_changes import request_changes
from historylab.conversation.conversation import Conversation
from historylab.costs.amounts import count_of
from historylab.errors import HistoryLabError
from historylab.formats.messages.chat_messages import to_record
from historylab.settings.model import Settings
from historylab.ui.request.payload import changes_html
from historylab.ui.session import cached, session
from historylab.ui.session.chat_checkpoints import (
    Saved,
    all_saved,
    checkpoints_of,
    fork_checkpoint,
    restore_checkpoint,
    save_checkpoint,
)
from historylab.ui.session.chat_session import ChatSession
from historylab.ui.shared.notice import notice
from historylab.ui.shared.row_table import Column, row_table
from historylab.ui.shared.time_zone import reader_zone
from historylab.wording.untrusted import escape, one_line, visible_json

TABLE, LABEL = "checkpoints", "checkpoint-label"
WIDTH = 60
COLUMNS = (Column("Checkpoint"), Column("When", "word"), Column("Messages", "number"), Column("Tokens", "number"))


def checkpoints_panel(chat: ChatSession, settings: Settings) -> None:
    """An expander with the list, and what can be done with the one that is chosen."""
    unfolded = st.expander("Checkpoints", key="checkpoints-panel", on_change=session.touch)
    if not unfolded.open:
        return
    with unfolded:
        try:
            _save_form(chat)
            listed = all_saved(chat)
            _list(chat, listed, settings)
        except HistoryLabError as problem:
            notice(f"Checkpoints can't be read: {problem}", "error")


def _save_form(chat: ChatSession) -> None:
    with (
        st.form("checkpoint", border=False, clear_on_submit=True),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        st.text_input("Name", key=LABEL, max_chars=WIDTH, placeholder="Before I ask about Sunday")
        nothing = chat.running or not len(chat.conversation)
        st.form_submit_button("Save a checkpoint", on_click=_try, args=(lambda: _save(chat),), disabled=nothing)


def _save(chat: ChatSession) -> None:
    save_checkpoint(chat, (session.widget_value(LABEL) or "").strip() or "saved by hand")


def _list(chat: ChatSession, listed: Sequence[Saved], settings: Settings) -> None:
    if not listed:
        st.html('<div class="hl-meta">None yet. One is saved by itself before compactHistory replaces messages.</div>')
        return
    chosen = next((i for i, saved in enumerate(listed) if saved.checkpoint.id == chat.checkpoint), None)
    rows = [_row(saved, settings) for saved in listed]
    row_table(TABLE, COLUMNS, rows, lambda i: _choose(chat, listed[i]), label="Checkpoints", chosen=chosen)
    if chosen is None:
        st.html('<div class="hl-meta">Choose one to compare it with the chat, restore or fork it.</div>')
    else:
        _draw_chosen(chat, listed[chosen])


def _row(saved: Saved, settings: Settings) -> tuple[str, str, str, str]:
    one = saved.checkpoint
    when = datetime.fromtimestamp(one.saved_at, reader_zone())
    label = one_line(f"{saved.whose}: {one.label}" if saved.whose else one.label, WIDTH)
    tokens = int(cached.tokens(saved.conversation, settings).sum())
    return label, f"{when:%Y-%m-%d %H:%M:%S}", f"{one.messages:,}", f"{tokens:,}"


def _choose(chat: ChatSession, saved: Saved) -> None:
    chat.look_at_checkpoint(saved.checkpoint.id)
    session.touch()


def _draw_chosen(chat: ChatSession, saved: Saved) -> None:
    said = saved.conversation
    with st.container(horizontal=True, key="checkpoint-actions"):
        _button("Restore", "restore-checkpoint", "Goes back to it. What the chat is now is saved first.", chat, saved,
                restore_checkpoint)  # fmt: skip
        _button("Fork", "fork-checkpoint", "Goes on from it as a chat of its own.", chat, saved, fork_checkpoint)
        st.download_button(
            "Download",
            visible_json([to_record(message) for message in said]),
            "checkpoint.json",
            "application/json",
            key="download-checkpoint",
            on_click="ignore",
        )
        if not saved.whose:
            _button("Discard", "discard-checkpoint", "Takes it off the list.", chat, saved, _discard)
    _draw_comparison(said, chat.conversation)


def _button(
    label: str, key: str, help: str, chat: ChatSession, saved: Saved, act: Callable[[ChatSession, Saved], None]
) -> None:
    st.button(label, key=key, help=help, disabled=chat.running, on_click=_try, args=(lambda: act(chat, saved),))


def _discard(chat: ChatSession, saved: Saved) -> None:
    checkpoints_of(chat).discard(saved.checkpoint.id)
    session.touch()


def _draw_comparison(then: Conversation, now: Conversation) -> None:
    """Which messages differ from now."""
    runs = request_changes([to_record(message) for message in then], [to_record(message) for message in now])
    differing = sum(len(run.records) for run in runs if run.kind != "same")
    if not differing:
        st.html('<div class="hl-meta">The chat is as it was then.</div>')
        return
    said = f"{count_of(differing, 'message')} {'differs' if differing == 1 else 'differ'} from then to now"
    st.html(f'<div class="hl-small">{escape(said)}</div>{changes_html(runs)}')


def _try(act: Callable[[], None]) -> None:
    """Do it; what the recording can't do is said at the top of the page."""
    try:
        act()
    except HistoryLabError as problem:
        session.report_problem(f"The checkpoint was left alone: {problem}")
