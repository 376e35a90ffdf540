"""An agent's tools under Octopus: results over the limit are truncated before they become part of the history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from historylab.agent.tools import RewritingTool, Tool, result_text
from historylab.systems.octopus.budget import truncate_tool_result


@dataclass(frozen=True, slots=True)
class LimitedTool:
    """A tool whose results have at most as many tokens as Octopus lets a result have."""

    tool: Tool

    @property
    def name(self) -> str:
        return self.tool.name

    @property
    def schema(self) -> Mapping[str, Any]:
        return self.tool.schema

    def __call__(self, /, **arguments: Any) -> str:
        return truncate_tool_result(result_text(self.tool(**arguments)))


def limit_tools(tools: Iterable[Tool | RewritingTool]) -> list[Tool | RewritingTool]:
    """The tools with their results truncated; those that rewrite the history answer in a sentence and stay."""
    return [tool if isinstance(tool, RewritingTool) else LimitedTool(tool) for tool in tools]
