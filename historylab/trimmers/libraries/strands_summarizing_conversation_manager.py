"""Strands' `SummarizingConversationManager`: the oldest messages become a summary when the provider says "too long".

In the list are all messages; the system prompt is the agent's own, outside. Messages have no names. The results of one
answer are one message of the user's, and count as one. It is asked when a call of the model fails as too long, again
and again until it fits; nobody says so in a replay, so `context_window` stands for the provider: tokens of the
messages, without prompt and tools, by the library's estimate (a quarter of the characters of a text, half of those of
JSON). With `proactive_compression` it is asked before a call, at a share of that window. It edits the agent's list, and
is given what it left. Which messages stay depends on the length of summaries, so on the model.
Source: strands/agent/conversation_manager/summarizing_conversation_manager.py.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from historylab.registry import FINE, register
from historylab.trimmers.libraries.strands_agent import ManagedAgent, import_managers

NAME = "strands.SummarizingConversationManager"


@register("trimmer", NAME, title="Strands SummarizingConversationManager", library="strands-agents")
class SummarizingConversationManager(ManagedAgent):
    """Puts a summary in the place of the oldest messages when a request is too long for the model."""

    summarizes = True

    def __init__(
        self,
        *,
        summary_ratio: Annotated[
            float, Field(ge=0.1, le=0.8, description="share of the messages, the oldest, that become the summary")
        ] = 0.3,
        preserve_recent_messages: Annotated[int, Field(ge=0, description="newest messages, which always stay")] = 10,
        pin_first: Annotated[int | None, Field(ge=0, description="first messages, which always stay")] = None,
        proactive_compression: Annotated[
            bool | dict[str, float] | None,
            Field(description='also at 0.7 of the window, or at {"compression_threshold": …}', json_schema_extra=FINE),
        ] = None,
        context_window: Annotated[
            int, Field(ge=1, description="tokens of messages over which the provider says too long")
        ] = 200_000,
        model: Annotated[
            Any, Field(description="a model of Strands that writes the summaries; none: our offline summarizer")
        ] = None,
    ):
        managers = import_managers(NAME)
        manager = managers.SummarizingConversationManager(
            summary_ratio,
            preserve_recent_messages,
            pin_first=pin_first,
            proactive_compression=proactive_compression,
        )
        super().__init__(manager, context_window, model)
