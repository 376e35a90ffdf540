"""Microsoft Agent Framework's dropping of tool calls: older calls go, with their results.

In the list is every message, the system's as well; names are set and nothing reads them; the results of one assistant
message are one message, and a group with their calls. It is asked before each request, and what it excluded stays so.
agent_framework/_compaction.py
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from historylab.registry import register
from historylab.trimmers.forms.agent_framework import CompactedList, import_agent_framework


@register(
    "trimmer",
    "agent_framework.SelectiveToolCallCompactionStrategy",
    title="Agent Framework SelectiveToolCallCompactionStrategy",
    library="agent-framework-core",
)
class SelectiveToolCallCompactionStrategy(CompactedList):
    """Drops older tool calls with their results, and nothing else."""

    def __init__(
        self,
        *,
        keep_last_tool_call_groups: Annotated[int, Field(ge=0, description="newest groups of calls kept")] = 1,
    ):
        library = import_agent_framework()
        super().__init__(
            library.SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=keep_last_tool_call_groups)
        )
