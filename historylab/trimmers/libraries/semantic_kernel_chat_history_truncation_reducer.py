"""Semantic Kernel's truncating reducer: over a number of messages, the oldest go, and calls stay with their results.

The reducer is the history, and is left shorter. In it is every message, the system's as well, of which the first always
stays; names are set and not read; each result is a message. Asked before each request.
semantic_kernel/contents/history_reducer/chat_history_truncation_reducer.py
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from historylab.registry import register
from historylab.trimmers.forms.semantic_kernel import ReducedHistory, import_contents


@register(
    "trimmer",
    "semantic_kernel.ChatHistoryTruncationReducer",
    title="Semantic Kernel ChatHistoryTruncationReducer",
    library="semantic-kernel",
)
class ChatHistoryTruncationReducer(ReducedHistory):
    """Keeps the newest messages, a few more where calls would be parted from their results."""

    def __init__(
        self,
        *,
        target_count: Annotated[int, Field(ge=1, description="newest messages kept")],
        threshold_count: Annotated[int, Field(ge=0, description="messages above these over which it acts")] = 0,
    ):
        reducer = import_contents().ChatHistoryTruncationReducer
        super().__init__(reducer(target_count=target_count, threshold_count=threshold_count))
