"""Pydantic AI harness: `SlidingWindowCompaction`.

In its list: all messages, a system prompt as a part of the first request. Names aren't set. All parallel results, and a
prompt right after them, are one request. Asked: before each call of the model, with what it left the last time and what
was said since, as it replaces the run's history. No usage is reported to it, so it counts tokens as it estimates them,
or by your `tokenizer`. A run that begins with such a history also joins its requests that follow each other; here all
is one run, in which they stay apart.
Source: pydantic-ai-harness, pydantic_ai_harness/compaction/_sliding_window_compaction.py.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from historylab.registry import FINE, register
from historylab.trimmers.libraries.pydantic_ai_hook import HarnessCompaction


@register(
    "trimmer",
    "pydantic_ai_harness.SlidingWindowCompaction",
    title="Pydantic AI harness SlidingWindowCompaction",
    library="pydantic-ai-harness",
)
class SlidingWindowCompaction(HarnessCompaction):
    """Keeps the newest requests and answers once there are too many, and the first prompt."""

    def __init__(
        self,
        *,
        max_messages: Annotated[int | None, Field(ge=1, description="requests and answers above which it cuts")] = None,
        max_tokens: Annotated[int | None, Field(ge=1, description="tokens above which it cuts")] = None,
        max_fraction: Annotated[float | None, Field(gt=0, le=1, description="share of the window, likewise")] = None,
        context_window: Annotated[int | None, Field(ge=1, description="tokens of the window")] = None,
        keep_messages: Annotated[int, Field(ge=0, description="requests and answers that are kept")] = 40,
        keep_tokens: Annotated[int | None, Field(ge=0, description="tokens that are kept, in place of those")] = None,
        preserve_first_user_message: Annotated[bool, Field(description="keep the first prompt")] = True,
        receipts: Annotated[bool, Field(description="note what is gone", json_schema_extra=FINE)] = False,
        tokenizer: Annotated[Any, Field(description="a function from a text to its tokens")] = None,
    ):
        super().__init__(
            "SlidingWindowCompaction",
            max_messages=max_messages,
            max_tokens=max_tokens,
            max_fraction=max_fraction,
            context_window=context_window,
            keep_messages=keep_messages,
            keep_tokens=keep_tokens,
            preserve_first_user_message=preserve_first_user_message,
            receipts=receipts,
            tokenizer=tokenizer,
        )
