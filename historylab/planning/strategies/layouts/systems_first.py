"""`systems_first`: system messages are moved to the front, in their own order."""

from __future__ import annotations

from collections.abc import Sequence

from historylab.conversation.message import Message
from historylab.registry import register


@register("layout", title="System messages first")
def systems_first(messages: Sequence[Message]) -> list[Message]:
    """System messages first, then the rest, each in its own order."""
    return sorted(messages, key=lambda m: m.role != "system")
