"""An agent's tools under Octopus: results over the limit are truncated before they become part of the history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from historylab.agent.tools import RewritingTool, Tool, as_text
from historylab.systems.octopus.budget import TOOL_RESULT_LIMIT, truncate_tool_result


@dataclass(frozen=True, slots=True)
class LimitedTool:
    """A tool whose results have at most `max_tokens` tokens."""

    tool: Tool
    max_tokens: int = TOOL_RESULT_LIMIT

    @property
    def name(self) -> str:
        return self.tool.name

    @property
    def schema(self) -> Mapping[str, Any]:
        return self.tool.schema

    def __call__(self, /, **arguments: Any) -> str:
        return truncate_tool_result(as_text(self.tool(**arguments)), max_tokens=self.max_tokens)


def limit_tools(
    tools: Iterable[Tool | RewritingTool], *, max_tokens: int = TOOL_RESULT_LIMIT
) -> list[Tool | RewritingTool]:
    """The tools with their results truncated; those that rewrite the history answer in a sentence and stay."""
    limited = list[Tool | RewritingTool]()
    for tool in tools:
        limited.append(tool if isinstance(tool, RewritingTool) else LimitedTool(tool, max_tokens))
    return limited
