"""Microsoft Agent Framework's compaction of tool results: older calls and their results become one assistant message.

In the list is every message, the system's as well; names are set and nothing reads them; the results of one assistant
message are one message, and a group with their calls. It is asked before each request; what it excluded stays so, and
the message that it wrote, of at most 4,096 characters of results, stays in the list. agent_framework/_compaction.py
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from historylab.registry import register
from historylab.trimmers.forms.agent_framework import CompactedList, import_agent_framework


@register(
    "trimmer",
    "agent_framework.ToolResultCompactionStrategy",
    title="Agent Framework ToolResultCompactionStrategy",
    library="agent-framework-core",
)
class ToolResultCompactionStrategy(CompactedList):
    """Writes the results of each older group of calls into one short message of the assistant's, in their place."""

    summarizes = True

    def __init__(
        self,
        *,
        keep_last_tool_call_groups: Annotated[
            int, Field(ge=0, description="newest groups of calls and results left as they are")
        ] = 1,
    ):
        library = import_agent_framework()
        super().__init__(library.ToolResultCompactionStrategy(keep_last_tool_call_groups=keep_last_tool_call_groups))
