"""Microsoft Agent Framework's sliding window: the newest groups, a group being a message or calls with their results.

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
    "agent_framework.SlidingWindowStrategy",
    title="Agent Framework SlidingWindowStrategy",
    library="agent-framework-core",
)
class SlidingWindowStrategy(CompactedList):
    """Keeps the newest groups: a message each, or calls with all their results."""

    def __init__(
        self,
        *,
        keep_last_groups: Annotated[int, Field(ge=1, description="newest groups kept, system messages not counted")],
        preserve_system: Annotated[bool, Field(description="system messages are never excluded")] = True,
    ):
        library = import_agent_framework()
        super().__init__(
            library.SlidingWindowStrategy(keep_last_groups=keep_last_groups, preserve_system=preserve_system)
        )
