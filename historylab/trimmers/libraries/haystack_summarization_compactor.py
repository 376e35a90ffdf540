"""Haystack: `CompactionHook` with a `SummarizationCompactor`, which are experimental there.

In its list: all messages, system messages too. Names aren't set. Each parallel result is a message of its own. Asked:
before each call of the model (`before_llm`), with what it left the last time and what was said since, as it replaces
the state's messages. No usage is reported to it, so it counts all tokens by a quarter of the characters of its own
rendering, or by your `token_counter`; so what it summarises depends on the length of its summaries.
Source: haystack-ai, haystack/hooks/compaction/hooks.py and summarization.py.
"""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import Field

from historylab.registry import register
from historylab.trimmers.forms.haystack import import_haystack
from historylab.trimmers.libraries.haystack_hook import HaystackCompaction
from historylab.trimmers.stand_in import write_summary

FRAME = re.compile(r"</?conversation_to_summarize>\n?")
"""The frame that Haystack puts around messages to be summarised."""


@register(
    "trimmer",
    "haystack.SummarizationCompactor",
    title="Haystack SummarizationCompactor",
    library="haystack-ai",
)
class Summarization(HaystackCompaction):
    """Puts summaries in the place of older turns, then of older steps, once the window is fairly full."""

    summarizes = True

    def __init__(
        self,
        *,
        context_window: Annotated[int, Field(ge=1, description="tokens of the window")],
        compact_at: Annotated[float, Field(gt=0, le=1, description="share of the window at which it acts")] = 0.7,
        compact_to: Annotated[float, Field(gt=0, le=1, description="share of the window that it aims at")] = 0.4,
        min_keep_steps: Annotated[int, Field(ge=0, description="newest steps that are left")] = 1,
        approximate_summary_tokens: Annotated[int, Field(ge=1, description="tokens it expects of a summary")] = 1024,
        token_counter: Annotated[Any, Field(description="a TokenCounter of Haystack's")] = None,
        model: Annotated[Any, Field(description="a chat generator of Haystack's, which writes the summaries")] = None,
    ):
        chosen = {"min_keep_steps": min_keep_steps, "approximate_summary_tokens": approximate_summary_tokens}
        super().__init__(
            "SummarizationCompactor",
            {"chat_generator": _StandIn() if model is None else model, **chosen},
            context_window=context_window,
            compact_at=compact_at,
            compact_to=compact_to,
            token_counter=token_counter,
        )


class _StandIn:
    """A chat generator that answers with the summary that our offline summarizer writes of its prompt."""

    def __init__(self) -> None:
        self._message = import_haystack("dataclasses").ChatMessage

    def run(self, messages: list[Any]) -> dict[str, Any]:
        """Answer the newest message, which holds what is to be summarised."""
        summary = write_summary(FRAME.sub("", messages[-1].text))
        return {"replies": [self._message.from_assistant(summary)]}
