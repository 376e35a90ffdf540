"""AutoGen's buffered context: the newest messages, by their number.

In the list is what the agent and others said; the agent's own system messages are sent before it. Names are set, as
each message says who it is from; all results of an assistant message are one message. Asked before each request; the
context keeps every message, and what it gives is a view.
autogen_core/model_context/_buffered_chat_completion_context.py
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from historylab.registry import register
from historylab.trimmers.forms.autogen import ContextView, import_contexts


@register(
    "trimmer",
    "autogen.BufferedChatCompletionContext",
    title="AutoGen BufferedChatCompletionContext",
    library="autogen-core",
)
class BufferedChatCompletionContext(ContextView):
    """Keeps the newest messages by number, without leading results."""

    def __init__(self, *, buffer_size: Annotated[int, Field(ge=1, description="newest messages kept")]):
        context = import_contexts().BufferedChatCompletionContext
        super().__init__(lambda items: context(buffer_size, initial_messages=items))
