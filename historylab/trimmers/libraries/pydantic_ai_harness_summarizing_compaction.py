"""Pydantic AI harness: `SummarizingCompaction`.

In its list: all messages, a system prompt as a part of the first request. Names aren't set. All parallel results, and a
prompt right after them, are one request. Asked: before each call of the model, with what it left the last time and what
was said since, as it replaces the run's history. No usage is reported to it, so it counts tokens as it estimates them,
or by your `tokenizer`. A summary is a request of its own, sent in the user's name.
Source: pydantic-ai-harness, pydantic_ai_harness/compaction/_summarizing_compaction.py.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from historylab.registry import FINE, register
from historylab.trimmers.libraries.pydantic_ai_hook import TRANSCRIPT, HarnessCompaction, open_function_model


@register(
    "trimmer",
    "pydantic_ai_harness.SummarizingCompaction",
    title="Pydantic AI harness SummarizingCompaction",
    library="pydantic-ai-harness",
)
class SummarizingCompaction(HarnessCompaction):
    """Puts a summary in the place of all but the newest requests and answers once there are too many."""

    summarizes = True

    def __init__(
        self,
        *,
        max_messages: Annotated[int | None, Field(ge=1, description="requests and answers above which it acts")] = None,
        max_tokens: Annotated[int | None, Field(ge=1, description="tokens above which it acts")] = None,
        max_fraction: Annotated[float | None, Field(gt=0, le=1, description="share of the window, likewise")] = None,
        context_window: Annotated[int | None, Field(ge=1, description="tokens of the window")] = None,
        keep_messages: Annotated[int, Field(ge=0, description="requests and answers that are kept")] = 20,
        keep_tokens: Annotated[int | None, Field(ge=0, description="tokens that are kept, in place of those")] = None,
        preserve_first_user_message: Annotated[bool, Field(description="keep the first prompt")] = True,
        incremental: Annotated[bool, Field(description="go on from the summary before", json_schema_extra=FINE)] = True,
        keep_user_messages: Annotated[bool, Field(description="keep the user's messages beside the summary")] = False,
        receipts: Annotated[bool, Field(description="note what is gone", json_schema_extra=FINE)] = False,
        tokenizer: Annotated[Any, Field(description="a function from a text to its tokens")] = None,
        model: Annotated[Any, Field(description="a model of Pydantic AI's, which writes the summaries")] = None,
    ):
        super().__init__(
            "SummarizingCompaction",
            max_messages=max_messages,
            max_tokens=max_tokens,
            max_fraction=max_fraction,
            context_window=context_window,
            keep_messages=keep_messages,
            keep_tokens=keep_tokens,
            preserve_first_user_message=preserve_first_user_message,
            incremental=incremental,
            keep_user_messages=keep_user_messages,
            receipts=receipts,
            tokenizer=tokenizer,
            **(
                {"model": model}
                if model is not None
                else {"model": open_function_model(), "summary_prompt": TRANSCRIPT}
            ),
        )
