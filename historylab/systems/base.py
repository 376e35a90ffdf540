"""Converts a system's messages for the core and back: lenient on input, the caller's own objects on output.

No role, content or tool call is refused: anything unreadable counts as conversation. Broken parts of the caller's list
(a result without its call, a call without its result) keep their place, so they enter the core as plain conversation.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from historylab.conversation.message import Message
from historylab.formats.lenient import UNPAIRED, as_message, conversation_of, without_broken_pairs
from historylab.planning.plan import HistoryPlan

__all__ = ["UNPAIRED", "as_message", "caller_objects", "conversation_of", "sent_messages", "without_broken_pairs"]


def sent_messages(plan: HistoryPlan) -> list[Message]:
    """The caller's messages the plan sends, in the caller's order; the summary isn't among them."""
    homes = plan.history.columns.block[: plan.size]
    return [plan.history.conversation[i] for i in np.flatnonzero(plan.sent[homes]).tolist()]


def caller_objects(messages: Iterable[Message]) -> list[Any]:
    """The caller's own objects for these messages, in a new list."""
    return [message.source for message in messages]
