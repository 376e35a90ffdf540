"""Semantic Kernel's summarising reducer: over a number of messages, the oldest become one message of the assistant's.

The reducer is the history, and is left shorter. In it is every message, the system's as well, of which the first always
stays; names are set and not read; each result is a message. Asked before each request. Calls and results are dropped
without being summarised, unless told otherwise.
semantic_kernel/contents/history_reducer/chat_history_summarization_reducer.py
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from historylab.registry import register
from historylab.trimmers.forms.semantic_kernel import ReducedHistory, import_contents
from historylab.trimmers.stand_in import write_summary

SUMMARY = "__summary__"
"""The library's own key of a summary's metadata: its lines say who spoke."""


@register(
    "trimmer",
    "semantic_kernel.ChatHistorySummarizationReducer",
    title="Semantic Kernel ChatHistorySummarizationReducer",
    library="semantic-kernel",
)
class ChatHistorySummarizationReducer(ReducedHistory):
    """Writes a summary in place of the oldest messages, over a number of messages."""

    summarizes = True

    def __init__(
        self,
        *,
        target_count: Annotated[int, Field(ge=1, description="newest messages kept")],
        threshold_count: Annotated[int, Field(ge=0, description="messages above these over which it acts")] = 0,
        use_single_summary: Annotated[bool, Field(description="a summary absorbs those before it")] = True,
        include_function_content_in_summary: Annotated[
            bool, Field(description="calls and results are summarised as well")
        ] = False,
        model: Annotated[Any, Field(description="a chat service of the library's; else our offline summarizer")] = None,
    ):
        reducer = import_contents().ChatHistorySummarizationReducer(
            service=model or _stand_in(),
            target_count=target_count,
            threshold_count=threshold_count,
            use_single_summary=use_single_summary,
            include_function_content_in_summary=include_function_content_in_summary,
        )
        super().__init__(reducer)


def _stand_in() -> Any:
    """A chat service that summarises what it is sent, without the instructions after it."""
    from semantic_kernel.connectors.ai.chat_completion_client_base import ChatCompletionClientBase

    async def answer(self: Any, chat_history: Any, settings: Any, **_: Any) -> Any:
        del self, settings
        text = write_summary("\n".join(map(_line, chat_history.messages[:-1])))
        return import_contents().ChatMessageContent(role="assistant", content=text)

    service = type("StandIn", (ChatCompletionClientBase,), {"get_chat_message_content": answer})
    return service(ai_model_id="extractive")


def _line(message: Any) -> str:
    text = " ".join(map(str, message.items))
    return text if SUMMARY in message.metadata else f"{message.role.value}: {text}"
