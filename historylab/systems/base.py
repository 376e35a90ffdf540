"""Converts a system's messages for the core and back: lenient on input, the caller's own objects on output.

No role, content or tool call is refused: anything unreadable counts as conversation. Broken parts of the caller's list
(a result without its call, a call without its result) keep their place, so they enter the core as plain conversation.
Numbers are checked where they come in: what is not a number is refused, never compared with.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from historylab.conversation.message import Message
from historylab.errors import SettingsError
from historylab.formats.messages.lenient import UNPAIRED, as_message, conversation_of, without_broken_pairs
from historylab.planning.plan import HistoryPlan

__all__ = [
    "UNPAIRED",
    "as_message",
    "caller_objects",
    "conversation_of",
    "number",
    "require_whole_number",
    "sent_messages",
    "without_broken_pairs",
]


def sent_messages(plan: HistoryPlan) -> list[Message]:
    """The caller's messages the plan sends, in the caller's order; the summary isn't among them."""
    homes = plan.history.columns.block[: plan.size]
    return [plan.history.conversation[i] for i in np.flatnonzero(plan.sent[homes]).tolist()]


def caller_objects(messages: Iterable[Message]) -> list[Any]:
    """The caller's own objects for these messages, in a new list."""
    return [message.source for message in messages]


def number(value: Any, name: str) -> float:
    """`value` if it is a number; text, truth values and NaN are refused."""
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise SettingsError(f"{name} {value!r} is not a number")
    return value


def require_whole_number(value: Any, name: str, least: float = 0) -> int:
    """`value` as a whole number of at least `least`; text, fractions and truth values are refused."""
    is_whole = isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1
    if not is_whole or value < least:
        bound = f" of {least} or more" if math.isfinite(least) else ""
        raise SettingsError(f"{name} {value!r} is not a whole number{bound}")
    return int(value)
