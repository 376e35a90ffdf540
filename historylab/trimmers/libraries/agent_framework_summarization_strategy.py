"""Microsoft Agent Framework's summarising: the oldest groups become one message of the assistant's.

In the list is every message, the system's as well; names are set and nothing reads them; the results of one assistant
message are one message, and a group with their calls. It is asked before each request; what it excluded stays so, and
the summary stays in the list until it is summarised itself. agent_framework/_compaction.py
"""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import Field

from historylab.registry import register
from historylab.trimmers.forms.agent_framework import CompactedList, import_agent_framework
from historylab.trimmers.stand_in import write_summary

LABELS = re.compile(r"^(?:\d+\. \[assistant\] )+(?=\d+\. \[)", re.MULTILINE)
"""The labels that the library put before a former summary, whose lines have their own."""


@register(
    "trimmer",
    "agent_framework.SummarizationStrategy",
    title="Agent Framework SummarizationStrategy",
    library="agent-framework-core",
)
class SummarizationStrategy(CompactedList):
    """Writes a summary in place of the oldest groups, over a number of messages."""

    summarizes = True

    def __init__(
        self,
        *,
        target_count: Annotated[int, Field(ge=1, description="newest messages kept, system messages not counted")] = 4,
        threshold: Annotated[int, Field(ge=0, description="messages above these over which it acts")] = 2,
        max_summary_input_tokens: Annotated[int, Field(ge=1, description="tokens that are summarised at once")] = 8000,
        model: Annotated[Any, Field(description="a chat client of the library's; else our offline summarizer")] = None,
    ):
        library = import_agent_framework()
        strategy = library.SummarizationStrategy(
            client=model or _StandIn(),
            target_count=target_count,
            threshold=threshold,
            max_summary_input_tokens=max_summary_input_tokens,
        )
        super().__init__(strategy)


class _StandIn:
    """A chat client that summarises what it is sent, without the instructions before it."""

    async def get_response(self, messages: list[Any], *, stream: bool = False) -> Any:
        del stream
        library = import_agent_framework()
        text = "\n".join(message.text for message in messages if message.role != "system")
        return library.ChatResponse(messages=[library.Message("assistant", [write_summary(LABELS.sub("", text))])])
