"""Memory of other conversations in a chat: what they said of the question, in front of the request it is asked by."""

from __future__ import annotations

from collections.abc import Iterator

from historylab.conversation.conversation import Conversation
from historylab.errors import HistoryLabError
from historylab.recordings.library import Library
from historylab.recordings.recorded_shelf import PREFIX
from historylab.systems.mentu.library_memory import remember
from historylab.ui.session import library as libraries
from historylab.ui.session.chat_session import ChatSession


def library_of(chat: ChatSession) -> Library | None:
    """What is looked into for the chat's next question; None if nothing is."""
    return libraries.library()[0] if chat.remembers else None


def put_memory(chat: ChatSession, library: Library | None, *, prompt: str = "") -> Conversation:
    """Put in front what other conversations say of the chat's newest question, in place of what stood there.

    For the run's thread: recorded conversations that are not known yet are read here, and the chat says how far it is.
    `prompt` stands before it where nothing else does.
    """
    question = next((m.content for m in reversed(chat.conversation.messages) if m.role == "user"), "")
    if library is None or not question:
        return chat.put_memory(None)
    try:
        unread = library.unread()
        for done, key in enumerate(unread):
            if chat.run:
                chat.run.doing = f"Reading what is recorded: {done:,} of {len(unread):,}"
            library.read(key)
        found = remember(question, library, library.index(), leave_out=set(_own_keys(chat, library)))
    except (HistoryLabError, KeyError) as problem:
        return chat.put_memory(None, f"Nothing was remembered: {problem}")
    return chat.put_memory(found, prompt=prompt)


def _own_keys(chat: ChatSession, library: Library) -> Iterator[str]:
    """Keys of the chat itself: as it is recorded, and as it is open on other pages."""
    yield PREFIX + chat.id
    said = {id(message) for message in chat.conversation}
    for key, held in library.held.held.items():
        if any(id(message) in said for message in held.conversation):
            yield key
