"""LangChain's `ClearToolUsesEdit`, as `ContextEditingMiddleware` applies it to each request of an agent.

In its list: all messages but the system prompt, which an agent has beside them. Names: none. Parallel results: a
message each. Asked: before each call of the model, each time of a copy of the whole history.
Source: langchain/agents/middleware/context_editing.py.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from historylab.errors import needs
from historylab.registry import register
from historylab.trimmers.base import Asked
from historylab.trimmers.forms.langchain import TokenCounter, function_of

MOST = 100_000_000


@register("trimmer", "langchain.ClearToolUsesEdit", title="LangChain ClearToolUsesEdit", library="langchain")
class ClearToolUses:
    """Puts a placeholder in the place of all results of tools but the newest, once the history is long."""

    form = "langchain"
    system_inside = False
    carries = False
    asked: Asked = "request"
    summarizes = False

    def __init__(
        self,
        *,
        trigger: Annotated[int, Field(ge=0, le=MOST, description="tokens above which it acts")] = 100_000,
        clear_at_least: Annotated[
            int, Field(ge=0, le=MOST, description="tokens after which it stops clearing; 0 for all")
        ] = 0,
        keep: Annotated[int, Field(ge=0, le=MOST, description="newest results that stay")] = 3,
        clear_tool_inputs: Annotated[bool, Field(description="arguments of the calls go as well")] = False,
        exclude_tools: Annotated[tuple[str, ...], Field(description="tools whose results stay")] = (),
        placeholder: Annotated[str, Field(description="text in the place of a result")] = "[cleared]",
        token_counter: TokenCounter = "approximate",
    ):
        with needs("langchain", "langchain.ClearToolUsesEdit"):
            from langchain.agents.middleware.context_editing import ClearToolUsesEdit
        self._edit = ClearToolUsesEdit(
            trigger=trigger,
            clear_at_least=clear_at_least,
            keep=keep,
            clear_tool_inputs=clear_tool_inputs,
            exclude_tools=exclude_tools,
            placeholder=placeholder,
        )
        self._count = function_of(token_counter)

    def __call__(self, items: list[Any]) -> list[Any]:
        self._edit.apply(items, count_tokens=self._count)
        return items
