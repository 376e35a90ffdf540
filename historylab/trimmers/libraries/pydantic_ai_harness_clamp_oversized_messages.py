"""Pydantic AI harness: `ClampOversizedMessages`.

In its list: all messages, a system prompt as a part of the first request. Names aren't set. All parallel results are
one request; only answers are cut. Asked: before each call of the model, with what it left the last time and what was
said since, as it replaces the run's history.
Source: pydantic-ai-harness, pydantic_ai_harness/compaction/_clamp_oversized_messages.py.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from historylab.registry import register
from historylab.trimmers.libraries.pydantic_ai_hook import HarnessCompaction


@register(
    "trimmer",
    "pydantic_ai_harness.ClampOversizedMessages",
    title="Pydantic AI harness ClampOversizedMessages",
    library="pydantic-ai-harness",
)
class ClampOversizedMessages(HarnessCompaction):
    """Cuts the middle out of the model's own texts and arguments that are very long."""

    def __init__(
        self,
        *,
        max_part_tokens: Annotated[int | None, Field(ge=1, description="tokens of a part that is left whole")] = None,
        max_part_chars: Annotated[int | None, Field(ge=1, description="characters of a part, likewise")] = None,
        keep_head_chars: Annotated[int, Field(ge=0, description="characters kept of its beginning")] = 2_000,
        keep_tail_chars: Annotated[int, Field(ge=0, description="characters kept of its end")] = 2_000,
        clamp_tool_call_args: Annotated[bool, Field(description="cut the arguments of calls as well")] = True,
        tokenizer: Annotated[Any, Field(description="a function from a text to its tokens")] = None,
    ):
        super().__init__(
            "ClampOversizedMessages",
            max_part_tokens=max_part_tokens,
            max_part_chars=max_part_chars,
            keep_head_chars=keep_head_chars,
            keep_tail_chars=keep_tail_chars,
            clamp_tool_call_args=clamp_tool_call_args,
            tokenizer=tokenizer,
        )
