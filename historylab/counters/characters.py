"""`characters`: counts characters instead of tokens, for budgets stated in characters.

A message counts the characters of its text, call names and arguments. Prices and windows are in tokens, so use it for
budgets only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from historylab.conversation.message import Message
from historylab.counters.chars_4 import characters
from historylab.registry import register


@register("counter", "characters", title="Characters")
class Characters:
    """Characters, not tokens: text, call names and arguments. Media count nothing."""

    key = "characters"
    label = "characters, not tokens"
    exact = False
    per_request = 0

    def __init__(self, model: str):
        del model  # the same for every model

    def count(self, messages: Sequence[Message]) -> np.ndarray:
        return np.fromiter(map(characters, messages), np.int64, len(messages))
