"""`octopus`: characters divided by 4, rounded down, at least 1, plus 4 per message. Text only; always an estimate.

Source: Octopus' page on token budgets.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from historylab.conversation.message import Message
from historylab.registry import register

PER_MESSAGE = 4


def approximate_token_count(text: str | None) -> int:
    """Tokens of a text: `max(1, len // 4)`."""
    return max(1, len(text or "") // 4)


@register("counter", "octopus", title="Octopus' estimate")
class OctopusCounter:
    """Characters // 4, at least 1, and 4 more a message: Octopus' estimate. Calls and media count nothing."""

    key = "octopus"
    label = "characters // 4 + 4 a message"
    exact = False
    per_request = 0

    def __init__(self, model: str):
        del model  # the same for every model

    def count(self, messages: Sequence[Message]) -> np.ndarray:
        counts = (approximate_token_count(message.content) + PER_MESSAGE for message in messages)
        return np.fromiter(counts, np.int64, len(messages))
