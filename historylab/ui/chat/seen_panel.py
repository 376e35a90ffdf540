"""The request that an answer was made from: verdict, strip, and the picture of all requests up to now."""

from __future__ import annotations

import streamlit as st

from historylab.conversation.conversation import Conversation
from historylab.errors import HistoryLabError, StoreError
from historylab.planning.pipeline import open_instruments
from historylab.planning.replay import Timeline
from historylab.settings.consent import offline
from historylab.settings.model import Settings
from historylab.summarizers.reply_cache import CachedRepliesOnly, NotAsked
from historylab.ui.chat import asking
from historylab.ui.request.growing_picture import growing_picture
from historylab.ui.request.verdict_line import verdict_line
from historylab.ui.request.verdict_strip import seen_cell
from historylab.ui.session import cached, session
from historylab.ui.session.chat_answers import ChatAnswer
from historylab.ui.session.chat_session import ChatSession
from historylab.ui.shared.notice import notice
from historylab.wording.message_text import speaker
from historylab.wording.untrusted import escape, one_line

QUOTE = 120  # characters
BY_SETTINGS = "set at the left"


@session.fragment
def seen_panel(chat: ChatSession, settings: Settings) -> None:
    """The chosen answer's request, else the one being answered or refused, else the newest answer's."""
    answer = chat.chosen or (None if chat.running or chat.failure else chat.newest_answer())
    conversation, used = _what_to_replay(chat, answer, settings)
    try:
        timeline = _timeline(chat, conversation, used)
    except HistoryLabError as problem:
        what = "The recording can't be used" if isinstance(problem, StoreError) else "These settings can't be replayed"
        return notice(f"{what}: {problem}", "error")
    if not timeline.plans:
        st.html(
            '<h1 class="hl-verdict">Nothing has been asked yet.</h1>'
            "<div>You'll see here what the model was sent for each answer.</div>"
        )
        return
    last = len(timeline.plans) - 1
    looked, message = chat.looked_at
    number = min(last, answer.seen.request if answer and looked is None else last if looked is None else looked)
    verdict_line(timeline, number)
    with st.container(key="verdict"):
        seen_cell(timeline, number)
    growing_picture("chat", timeline, number, message, lambda *clicked: _choose(chat, *clicked), locked=BY_SETTINGS)
    _message(timeline, number, message)
    if answer and used.key != settings.key:
        st.html('<div class="hl-meta">The settings changed since; the next answer is made under the new ones.</div>')


def _what_to_replay(chat: ChatSession, answer: ChatAnswer | None, settings: Settings) -> tuple[Conversation, Settings]:
    """The conversation and settings to replay: the whole chat, where it still goes on from the answer's."""
    if answer is None:
        run = chat.run
        return chat.conversation, run.settings if run and (chat.running or chat.failure) else settings
    then, now = answer.conversation, chat.conversation
    goes_on = len(now) >= len(then) and all(a is b for a, b in zip(then, now, strict=False))
    return now if goes_on else then, answer.settings


def _timeline(chat: ChatSession, conversation: Conversation, settings: Settings) -> Timeline:
    """Its replay by the summaries that were written; nobody is asked for others."""
    known = CachedRepliesOnly(asking.open_model(chat, settings))
    try:
        recording = asking.recording_of(chat)
        state = recording.state if recording else chat.state
        instruments = open_instruments(settings, chat_model=known, store=state)
        return cached.chat_timeline(conversation, settings, chat.written, instruments)
    except NotAsked:  # a request that wasn't sent, under settings that would ask for its summary
        without = offline(settings)
        return cached.chat_timeline(conversation, without, chat.written, open_instruments(without))


def _choose(chat: ChatSession, request: int | None, message: int | None) -> None:
    if request is not None:
        chat.look_on_map(request, message)


def _message(timeline: Timeline, number: int, message: int | None) -> None:
    """Why the message chosen on the map is sent, or not."""
    plan = timeline.plans[number]
    if message is None or message >= plan.size:
        return
    said = timeline.conversation[message]
    quoted = f"“{one_line(said.content, QUOTE)}”" if said.content else "without text"
    st.html(
        f'<div class="hl-chat-why"><b>Message {message + 1:,}</b> {escape(speaker(said, 30))}, {escape(quoted)}: '
        f"{escape(plan.reason(message).sentence)}</div>"
    )
