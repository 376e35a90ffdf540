"""Pydantic AI harness: `ClearToolResults`.

In its list: all messages, a system prompt as a part of the first request. Names aren't set. All parallel results are
one request, and each counts by itself. Asked: before each call of the model, with what it left the last time and what
was said since, as it replaces the run's history. No usage is reported to it, so it counts tokens as it estimates them,
or by your `tokenizer`.
Source: pydantic-ai-harness, pydantic_ai_harness/compaction/_clear_tool_results.py.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from historylab.registry import FINE, register
from historylab.trimmers.libraries.pydantic_ai_hook import HarnessCompaction


@register(
    "trimmer",
    "pydantic_ai_harness.ClearToolResults",
    title="Pydantic AI harness ClearToolResults",
    library="pydantic-ai-harness",
)
class ClearToolResults(HarnessCompaction):
    """Replaces all but the newest results of tools by a placeholder once there is too much."""

    def __init__(
        self,
        *,
        max_messages: Annotated[
            int | None, Field(ge=1, description="requests and answers since the last result cleared, to clear again")
        ] = None,
        max_tokens: Annotated[int | None, Field(ge=1, description="tokens above which it clears")] = None,
        max_fraction: Annotated[float | None, Field(gt=0, le=1, description="share of the window, likewise")] = None,
        context_window: Annotated[int | None, Field(ge=1, description="tokens of the window")] = None,
        keep_pairs: Annotated[int, Field(ge=0, description="newest results that are left")] = 3,
        placeholder: Annotated[str, Field(description="text in place of a result")] = "[tool result cleared]",
        exclude_tools: Annotated[list[str], Field(description="tools whose results are left")] = [],  # noqa: B006
        clear_tool_inputs: Annotated[bool, Field(description="clear the arguments of their calls as well")] = False,
        min_clear_tokens: Annotated[
            int | None, Field(ge=0, description="tokens that it must free, else it waits", json_schema_extra=FINE)
        ] = None,
        tokenizer: Annotated[Any, Field(description="a function from a text to its tokens")] = None,
    ):
        super().__init__(
            "ClearToolResults",
            max_messages=max_messages,
            max_tokens=max_tokens,
            max_fraction=max_fraction,
            context_window=context_window,
            keep_pairs=keep_pairs,
            placeholder=placeholder,
            exclude_tools=frozenset(exclude_tools),
            clear_tool_inputs=clear_tool_inputs,
            min_clear_tokens=min_clear_tokens,
            tokenizer=tokenizer,
        )
