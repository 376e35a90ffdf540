"""`replayed`: a chat model that answers with a recorded conversation's own next answer; to watch a chat under settings.

The requests of a conversation are those it makes itself (`columns.requests`): what was said up to the next of them is
the next thing to send, and the message after it is the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from historylab.chat_models.base import Reply
from historylab.chat_models.scripted import ScriptedChatModel
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.errors import ModelError
from historylab.registry import register


@register("chat_model", "replayed")
class ReplayedChatModel(ScriptedChatModel):
    """Offline: gives the answers of a recorded conversation, from its message `position` on."""

    def __init__(self, name: str = "replayed", transcript: Conversation | None = None, position: int = 0):
        super().__init__(name, self._next_answer)
        self.key = f"replayed:{transcript.digest if transcript else ''}"
        self.position = position  # of what was given last, and the one after it
        self._transcript = transcript or Conversation()

    def _next_answer(self, *_: Any) -> Reply:
        said = self._transcript
        at = next((i for i in range(self.position, len(said)) if said[i].role == "assistant"), None)
        if at is None:
            ended = "the conversation that is replayed has no further answer; begin anew, or ask another model"
            raise ModelError(ended, "end")
        self.position = at + 1
        answer = said[at]
        reason = "tool_calls" if answer.tool_calls else "stop"
        # Without usage: the recorded one was that of another request.
        return Reply(answer.content, answer.tool_calls, None, self.name, reason)


def next_messages(transcript: Conversation, position: int) -> Sequence[Message]:
    """What was said from `position` up to the next request that a person or the app began: what to send next.

    Nothing, where no further request is answered.
    """
    columns = transcript.columns
    for size in columns.requests.tolist():
        if size > position and size < len(transcript):
            return transcript[position:size]
    return ()


def position_after(transcript: Conversation, conversation: Conversation) -> int:
    """The message of the transcript after the last answer that a chat took from it: as many as the chat holds."""
    answers = sum(message.role == "assistant" for message in conversation)
    given = [i for i, message in enumerate(transcript) if message.role == "assistant"]
    return given[min(answers, len(given)) - 1] + 1 if answers and given else 0
