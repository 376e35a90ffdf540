"""OpenAI Agents: `ToolOutputTrimmer`, the SDK's own `call_model_input_filter`.

In its list: every item of the run and of the session before it, as Responses items; the prompt stands outside, as
`instructions`. Names aren't set. Each result is an item of its own, parallel ones too. Asked: before each call of the
model, with the whole history; it edits nothing it is given.
Source: openai-agents, agents/extensions/tool_output_trimmer.py.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from historylab.errors import needs
from historylab.registry import register


@register(
    "trimmer", "openai_agents.ToolOutputTrimmer", title="OpenAI Agents ToolOutputTrimmer", library="openai-agents"
)
class ToolOutputTrimmer:
    """Shortens long results of tools before the newest messages of the user to a preview."""

    form = "responses"
    system_inside = False
    carries = False
    asked = "request"
    summarizes = False

    def __init__(
        self,
        *,
        recent_turns: Annotated[int, Field(ge=1, description="newest user messages, from which on nothing is cut")] = 2,
        max_output_chars: Annotated[int, Field(ge=1, description="characters of a result that is left whole")] = 500,
        preview_chars: Annotated[int, Field(ge=0, description="characters kept of a longer one")] = 200,
        trimmable_tools: Annotated[
            str | list[str] | None, Field(description="the only tools to cut; all if none")
        ] = None,
    ):
        with needs("openai-agents", "openai_agents.ToolOutputTrimmer"):
            from agents.extensions import ToolOutputTrimmer
            from agents.run_config import CallModelData, ModelInputData

        self._trims = ToolOutputTrimmer(recent_turns, max_output_chars, preview_chars, trimmable_tools)
        self._call, self._input = CallModelData, ModelInputData

    def __call__(self, items: list[Any]) -> list[Any]:
        data = self._input(input=items, instructions=None)
        sent: list[Any] = self._trims(self._call(model_data=data, agent=None, context=None)).input
        return sent
