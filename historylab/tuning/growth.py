"""Growth: a conversation that goes on as it began, to see what settings cost once the history is twice as long."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.planning.strategies.facts import instants

EARLIEST, LATEST = (datetime(year, 1, 1, tzinfo=UTC).timestamp() for year in (1, 9999))
"""Between which a date can be written: the clocks of some transcripts are far off."""


def twice(conversation: Conversation, messages: int) -> Conversation:
    """The first `messages` messages, and the same once more: later by the time they took, with calls named anew."""
    begun = conversation[:messages]
    times = instants(conversation)[:messages]
    known = times[~np.isnan(times)]
    later = float(known[-1] - known[0] + _usual_gap(known)) if len(known) else 0.0
    again = (_again(m, float(t), later) for m, t in zip(begun, times, strict=True) if m.role != "system")
    return Conversation([*begun, *again], conversation.title)


def _usual_gap(times: np.ndarray) -> float:
    return float(np.median(np.diff(times))) if len(times) > 1 else 0.0


def _instant(seconds: float) -> str:
    return datetime.fromtimestamp(min(max(EARLIEST, seconds), LATEST), UTC).isoformat()


def _again(message: Message, at: float, later: float) -> Message:
    return replace(
        message,
        id=None,
        tool_calls=tuple(replace(call, id=f"{call.id} again") for call in message.tool_calls),
        tool_call_id=f"{message.tool_call_id} again" if message.tool_call_id else None,
        timestamp=None if np.isnan(at) else _instant(at + later),
        metadata={},
        source=None,
    )
