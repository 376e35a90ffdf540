"""The chat's messages in a store: what `conversation_search` searches, and what anyone can look up in it."""

from __future__ import annotations

import streamlit as st

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.costs.amounts import count_of
from historylab.systems.toolpack.capture import now_text
from historylab.systems.toolpack.conversation_search import conversation_search_tool
from historylab.systems.toolpack.stored_messages import Participant, StoredMessage
from historylab.ui.session import session
from historylab.ui.session.chat_session import ChatSession
from historylab.wording.untrusted import escape, multiline, one_line

CONVERSATION, AGENT, PERSON = "chat", "assistant", "user"
FIELD, SHOWN = "stored-query", 400  # characters of a message that was found


def store_new_messages(chat: ChatSession, conversation: Conversation) -> None:
    """Put what was said since into the store; it stays there, though the history be compacted. Tools say nothing."""
    said = [m for m in conversation if m.role in (AGENT, PERSON) and m.content]
    held = len(chat.store.get(CONVERSATION))
    known = {(m.participant.kind, m.content) for m in chat.store.get(CONVERSATION)}
    new = (m for m in said if (_kind(m), m.content) not in known)
    for number, message in enumerate(new, held):
        chat.store.append(_to_stored(message, number))


def _kind(message: Message) -> str:
    return "agent" if message.role == AGENT else "user"


def _to_stored(message: Message, number: int) -> StoredMessage:
    who = Participant(_kind(message), message.role)
    content = message.content.replace("\0", "")
    return StoredMessage(f"{number}", CONVERSATION, who, content, message.timestamp or now_text(), "dm")


def stored_messages(chat: ChatSession) -> None:
    """An expander in which the store is searched as the tool does it."""
    unfolded = st.expander("Search what was said", key="stored", on_change=session.touch)
    if not unfolded.open:
        return
    with unfolded:
        if not chat.running:
            store_new_messages(chat, chat.conversation)
        held = len(chat.store.get(CONVERSATION))
        st.html(
            f'<div class="hl-meta">{count_of(held, "message")} in this chat’s store. '
            "<code>conversation_search</code> finds in it what is no longer sent.</div>"
        )
        query = st.text_input("Words to find", key=FIELD, max_chars=200)
        if query:
            _results(conversation_search_tool(chat.store, CONVERSATION)(query=query)["results"])


def _results(found: list[dict[str, str]]) -> None:
    quoted = [(one["role"], one_line(multiline(one["content"], SHOWN), SHOWN)) for one in found]
    listed = "".join(f"<li><b>{escape(role)}</b> {escape(said)}</li>" for role, said in quoted)
    st.html(f'<ul class="hl-found">{listed}</ul>' if listed else '<div class="hl-meta">Nothing was found.</div>')
