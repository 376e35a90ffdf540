"""`chars/4`: the common rule of thumb, always an estimate.

A message counts its characters (text, call names, arguments) divided by four, rounded up, at least one. This
undercounts Chinese and JSON; it is included because so much software uses it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from historylab.conversation.message import Message
from historylab.counters.base import media_tokens
from historylab.registry import register


@register("counter", "chars/4", title="A quarter of the characters")
class QuarterOfCharacters:
    """Characters divided by 4, rounded up, at least 1 a message: an estimate."""

    key = "chars/4"
    label = "characters / 4"
    exact = False
    per_request = 0

    def __init__(self, model: str):
        del model  # the same for every model

    def count(self, messages: Sequence[Message]) -> np.ndarray:
        return np.fromiter(
            (max(1, -(-characters(m) // 4)) + media_tokens(m) for m in messages), np.int64, len(messages)
        )


def characters(message: Message) -> int:
    """Characters of a message's text, call names and arguments."""
    return len(message.content) + sum(len(c.name) + len(c.arguments) for c in message.tool_calls)
