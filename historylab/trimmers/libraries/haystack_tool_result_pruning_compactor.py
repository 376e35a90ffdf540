"""Haystack: `CompactionHook` with a `ToolResultPruningCompactor`, which are experimental there.

In its list: all messages, system messages too. Names aren't set. Each parallel result is a message of its own. Asked:
before each call of the model (`before_llm`), with what it left the last time and what was said since, as it replaces
the state's messages. No usage is reported to it, so it counts all tokens by a quarter of the characters of its own
rendering, or by your `token_counter`.
Source: haystack-ai, haystack/hooks/compaction/hooks.py and tool_result_pruning.py.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from historylab.registry import register
from historylab.trimmers.libraries.haystack_hook import HaystackCompaction


@register(
    "trimmer",
    "haystack.ToolResultPruningCompactor",
    title="Haystack ToolResultPruningCompactor",
    library="haystack-ai",
)
class ToolResultPruning(HaystackCompaction):
    """Replaces older results of tools by a placeholder, oldest first, once the window is fairly full."""

    def __init__(
        self,
        *,
        context_window: Annotated[int, Field(ge=1, description="tokens of the window")],
        compact_at: Annotated[float, Field(gt=0, le=1, description="share of the window at which it acts")] = 0.7,
        compact_to: Annotated[float, Field(gt=0, le=1, description="share of the window that it aims at")] = 0.4,
        min_keep_steps: Annotated[int, Field(ge=1, description="newest steps with calls that are left")] = 1,
        min_tokens: Annotated[int, Field(ge=0, description="tokens of a result that is left")] = 200,
        placeholder: Annotated[
            str | None, Field(description="text in place of a result, with {tool_name}; none: Haystack's")
        ] = None,
        token_counter: Annotated[Any, Field(description="a TokenCounter of Haystack's")] = None,
    ):
        text = {} if placeholder is None else {"placeholder": placeholder}
        super().__init__(
            "ToolResultPruningCompactor",
            {"min_keep_steps": min_keep_steps, "min_tokens": min_tokens, **text},
            context_window=context_window,
            compact_at=compact_at,
            compact_to=compact_to,
            token_counter=token_counter,
        )
