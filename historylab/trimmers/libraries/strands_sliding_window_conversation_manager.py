"""Strands' `SlidingWindowConversationManager`, an agent's own by default: the newest messages.

In the list are all messages; the system prompt is the agent's own, outside. Messages have no names. The results of one
answer are one message of the user's, and count as one. It is asked after each invocation only, so of what was said
before the user's new message; with `per_turn` before each call of the model as well, or before each so many. It edits
the agent's list, and is given what it left: its window drifts. `should_truncate_results` is about what happens when the
provider says "too long", which `context_window` stands for here: tokens of the messages by the library's estimate.
Source: strands/agent/conversation_manager/sliding_window_conversation_manager.py.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from historylab.registry import FINE, register
from historylab.trimmers.base import Asked
from historylab.trimmers.libraries.strands_agent import ManagedAgent, import_managers

NAME = "strands.SlidingWindowConversationManager"


@register("trimmer", NAME, title="Strands SlidingWindowConversationManager", library="strands-agents")
class SlidingWindowConversationManager(ManagedAgent):
    """Keeps the newest messages from one of the user's on, once there are more than the window holds."""

    asked: Asked = "run"

    def __init__(
        self,
        *,
        window_size: Annotated[int, Field(ge=0, le=100_000, description="messages that it keeps at most")] = 40,
        should_truncate_results: Annotated[
            bool, Field(description="when it is too long, long results are shortened before messages go")
        ] = True,
        per_turn: Annotated[
            bool | Annotated[int, Field(ge=1, le=10_000)],
            Field(description="also before each call of the model, or before each so many"),
        ] = False,
        pin_first: Annotated[int | None, Field(ge=0, description="first messages, which always stay")] = None,
        proactive_compression: Annotated[
            bool | dict[str, float] | None,
            Field(description='also at 0.7 of the window, or at {"compression_threshold": …}', json_schema_extra=FINE),
        ] = None,
        context_window: Annotated[
            int | None, Field(ge=1, description="tokens of messages over which the provider says too long; none: never")
        ] = None,
    ):
        managers = import_managers(NAME)
        manager = managers.SlidingWindowConversationManager(
            window_size,
            should_truncate_results,
            per_turn=per_turn,
            pin_first=pin_first,
            proactive_compression=proactive_compression,
        )
        super().__init__(manager, context_window)
        at_calls = per_turn is not False or proactive_compression or context_window is not None
        self.asked = "request" if at_calls else "run"
