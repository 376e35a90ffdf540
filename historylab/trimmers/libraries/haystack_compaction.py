"""Haystack: `CompactionHook` with a `SlidingWindowCompactor`, which are experimental there.

In its list: all messages, system messages too. Names aren't set. Each parallel result is a message of its own. Asked:
before each call of the model (`before_llm`), with what it left the last time and what was said since, as it replaces
the state's messages. No usage is reported to it, so it counts all tokens by a quarter of the characters of its own
rendering, or by your `token_counter`.
Source: haystack-ai, haystack/hooks/compaction/hooks.py and sliding_window.py.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from historylab.registry import register
from historylab.trimmers.libraries.haystack_hook import HaystackCompaction


@register("trimmer", "haystack.compaction", title="Haystack compaction", library="haystack-ai")
class SlidingWindow(HaystackCompaction):
    """Keeps the newest turns, or steps of the newest one, that fit once the window is fairly full."""

    def __init__(
        self,
        *,
        context_window: Annotated[int, Field(ge=1, description="tokens of the window")],
        compact_at: Annotated[float, Field(gt=0, le=1, description="share of the window at which it acts")] = 0.7,
        compact_to: Annotated[float, Field(gt=0, le=1, description="share of the window that is left")] = 0.4,
        min_keep_steps: Annotated[int, Field(ge=0, description="newest steps that stay, whatever their size")] = 1,
        omission_note: Annotated[
            str | None,
            Field(description="note in place of what is gone, with {num_removed}; none: Haystack's; empty: no"),
        ] = None,
        token_counter: Annotated[Any, Field(description="a TokenCounter of Haystack's")] = None,
    ):
        note = {} if omission_note is None else {"omission_note": omission_note}
        super().__init__(
            "SlidingWindowCompactor",
            {"min_keep_steps": min_keep_steps, **note},
            context_window=context_window,
            compact_at=compact_at,
            compact_to=compact_to,
            token_counter=token_counter,
        )
