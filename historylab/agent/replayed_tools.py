"""The tools of a recorded conversation: each answers with the results that the conversation has, in their order."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from historylab.conversation.conversation import Conversation


@dataclass(slots=True)
class ReplayedTool:
    """Gives the recorded results of its calls, one after the other."""

    name: str
    results: deque[str] = field(default_factory=deque)

    @property
    def schema(self) -> Mapping[str, Any]:
        return {"type": "function", "function": {"name": self.name, "parameters": {"type": "object"}}}

    def __call__(self, /, **arguments: Any) -> str:
        if not self.results:
            raise LookupError("the recorded conversation has no further result of it")
        return self.results.popleft()


def replayed_tools(transcript: Conversation, position: int = 0) -> list[ReplayedTool]:
    """A tool for each that the messages from `position` on call."""
    answers = {m.tool_call_id: m.content for m in transcript[position:] if m.role == "tool"}
    tools: dict[str, ReplayedTool] = {}
    for message in transcript[position:]:
        for call in message.tool_calls:
            tool = tools.setdefault(call.name, ReplayedTool(call.name))
            tool.results.append(answers.get(call.id, ""))
    return list(tools.values())
