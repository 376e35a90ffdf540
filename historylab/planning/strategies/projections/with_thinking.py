"""`with_thinking`: what the model thought is sent again, before the answer it led to.

Formats keep thinking in an answer's metadata and off the request, as providers drop it from earlier turns. This shows
what sending it would take.
"""

from __future__ import annotations

from collections.abc import Sequence

from historylab.conversation.message import Message
from historylab.formats.messages.rewritten import with_text
from historylab.registry import register


@register("projection", title="Thinking sent again", facts=("thinking",))
def with_thinking(messages: Sequence[Message]) -> list[Message]:
    """Each answer begins with the thinking that led to it, as far as the transcript holds it."""
    return [_with_thinking(message) for message in messages]


def _with_thinking(message: Message) -> Message:
    thought = message.metadata.get("thinking")
    if message.role != "assistant" or not isinstance(thought, str) or not thought:
        return message
    return with_text(message, "\n".join(filter(None, (thought, message.content))))
