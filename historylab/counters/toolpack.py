"""`toolpack`: characters divided by 4, rounded up; the text alone. Always an estimate. Source: toolpack-agents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from historylab.conversation.message import Message
from historylab.registry import register


def estimate_tokens(text: str) -> int:
    """Tokens of a text: a quarter of its characters, rounded up; 0 for none."""
    return -(-len(text) // 4)


@register("counter", "toolpack", title="toolpack's estimate")
class ToolpackCounter:
    """Characters / 4, rounded up: toolpack's estimate. Calls and media count nothing."""

    key = "toolpack"
    label = "characters / 4, rounded up"
    exact = False
    per_request = 0

    def __init__(self, model: str = ""):
        del model  # the same for every model

    def count(self, messages: Sequence[Message]) -> np.ndarray:
        return np.fromiter((estimate_tokens(message.content) for message in messages), np.int64, len(messages))
