"""Checkpoints of a chat: in the recording, if the server has one, where they outlive it; else with the tab."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.formats.messages.chat_messages import to_message, to_record
from historylab.recordings.exchange import new_conversation
from historylab.systems.mycoder.checkpoint_places import Checkpoint, CheckpointPlace, InMemory, InRecording
from historylab.systems.mycoder.checkpoints import Checkpoints
from historylab.ui.session import watching
from historylab.ui.session.chat_session import ChatSession
from historylab.ui.session.session import touch

LATEST_CHATS = 20
"""Earlier chats of a recording whose checkpoints are listed."""


class ChatCheckpoints(Checkpoints):
    """Those of one chat. What was saved in this tab comes back as it was, with what is known of its messages."""

    def __init__(self, chat: ChatSession, place: CheckpointPlace):
        super().__init__(place=place)
        self._chat = chat
        self._said: dict[str, Conversation] = {}

    def save(self, messages: Iterable[Any], *, label: str = "") -> str:
        id = super().save(messages, label=label)
        self._said[id] = self._chat.conversation
        return id

    def conversation(self, id: str) -> Conversation:
        """What was said up to that checkpoint. Raises UnknownMember."""
        messages = self.restore(id)
        title = self._chat.conversation.title
        said = self._said.get(id) or Conversation([to_message(record) for record in messages], title)
        return said.beginning(_answered_size(said))


@dataclass(frozen=True)
class Saved:
    """A checkpoint, of this chat or an earlier one, which `whose` names then."""

    checkpoint: Checkpoint
    among: ChatCheckpoints
    whose: str = ""

    @property
    def conversation(self) -> Conversation:
        return self.among.conversation(self.checkpoint.id)


def checkpoints_of(chat: ChatSession) -> ChatCheckpoints:
    """Those of this chat. Raises StoreError."""
    held = chat.checkpoints
    if not isinstance(held, ChatCheckpoints):
        watch = watching.recording()
        held = ChatCheckpoints(chat, InRecording(watch.store, chat.id) if watch else InMemory())
        chat.keep_checkpoints(held)
    return held


def all_saved(chat: ChatSession) -> list[Saved]:
    """This chat's and, of a recording, those of earlier chats, each the newest first. Raises StoreError."""
    own, watch = checkpoints_of(chat), watching.recording()
    found = [Saved(checkpoint, own) for checkpoint in reversed(own.list())]
    known = {saved.checkpoint.id for saved in found}
    for earlier in watch.newest(LATEST_CHATS) if watch else ():
        if earlier.checkpoints:
            theirs = ChatCheckpoints(chat, InRecording(watch.store, earlier.id)) if watch else own
            whose = earlier.title or earlier.id
            found += [Saved(one, theirs, whose) for one in reversed(theirs.list()) if one.id not in known]
    return found


def save_checkpoint(chat: ChatSession, label: str) -> None:
    """Keep the chat as it is now. Raises StoreError."""
    checkpoints_of(chat).save([to_record(message) for message in chat.conversation], label=label)
    touch()


def restore_checkpoint(chat: ChatSession, saved: Saved) -> None:
    """Go back to it; what the chat is now is kept as one, too. Raises StoreError."""
    said = saved.conversation
    save_checkpoint(chat, "before going back")
    chat.replace(said)
    touch()


def fork_checkpoint(chat: ChatSession, saved: Saved) -> None:
    """Go on from it as a chat of its own; what the chat is now is kept as a checkpoint. Raises StoreError."""
    said = saved.conversation
    save_checkpoint(chat, "before the fork")
    fork = Conversation(said.messages, f"{said.title} (fork)", {**said.metadata, "conversation_id": new_conversation()})
    chat.replace(fork)
    touch()


def _answered_size(said: Conversation) -> int:
    """Its size without a last message whose calls have no results yet: compactHistory, which was just called."""
    return len(said) - 1 if len(said) and said[-1].tool_calls else len(said)
