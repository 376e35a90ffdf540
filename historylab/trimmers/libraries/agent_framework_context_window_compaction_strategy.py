"""Microsoft Agent Framework's compaction by the model's window: first older tool results, then the oldest groups.

In the list is every message, the system's as well; names are set and nothing reads them; the results of one assistant
message are one message, and a group with their calls. It is asked before each request; what it excluded stays so, and
what it wrote of results stays in the list. Tokens are those of each message as JSON. agent_framework/_compaction.py
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from historylab.registry import register
from historylab.trimmers.forms.agent_framework import CompactedList, import_agent_framework


@register(
    "trimmer",
    "agent_framework.ContextWindowCompactionStrategy",
    title="Agent Framework ContextWindowCompactionStrategy",
    library="agent-framework-core",
)
class ContextWindowCompactionStrategy(CompactedList):
    """Shortens older tool results at half of the model's window, and truncates at four fifths of it."""

    summarizes = True

    def __init__(
        self,
        *,
        max_context_window_tokens: Annotated[int, Field(ge=1, description="tokens of the model's window")],
        max_output_tokens: Annotated[int, Field(ge=0, description="tokens of it that are left for the answer")],
        tokenizer: Annotated[
            Any, Field(description="an object with count_tokens; else 4 characters are a token")
        ] = None,
        tool_eviction_threshold: Annotated[
            float, Field(gt=0, le=1, description="share of the rest over which tool results are shortened")
        ] = 0.5,
        truncation_threshold: Annotated[
            float, Field(gt=0, le=1, description="share of the rest over which the oldest groups go")
        ] = 0.8,
        keep_last_tool_call_groups: Annotated[
            int, Field(ge=0, description="newest groups of calls and results left as they are")
        ] = 4,
        preserve_first_user_group: Annotated[
            bool, Field(description="the first user message is never excluded")
        ] = False,
    ):
        library = import_agent_framework()
        strategy = library.ContextWindowCompactionStrategy(
            max_context_window_tokens=max_context_window_tokens,
            max_output_tokens=max_output_tokens,
            tokenizer=tokenizer,
            tool_eviction_threshold=tool_eviction_threshold,
            truncation_threshold=truncation_threshold,
            keep_last_tool_call_groups=keep_last_tool_call_groups,
            preserve_first_user_group=preserve_first_user_group,
        )
        super().__init__(strategy)
