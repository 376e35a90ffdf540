"""AutoGen's context of head and tail: the first messages and the newest, with a note of how many are between.

In the list is what the agent and others said; the agent's own system messages are sent before it. Names are set, as
each message says who it is from; all results of an assistant message are one message. Asked before each request; the
context keeps every message, and what it gives is a view.
autogen_core/model_context/_head_and_tail_chat_completion_context.py
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from historylab.registry import register
from historylab.trimmers.forms.autogen import ContextView, import_contexts


@register(
    "trimmer",
    "autogen.HeadAndTailChatCompletionContext",
    title="AutoGen HeadAndTailChatCompletionContext",
    library="autogen-core",
)
class HeadAndTailChatCompletionContext(ContextView):
    """Keeps the first messages and the newest, by number, and says between them how many are left out."""

    def __init__(
        self,
        *,
        head_size: Annotated[int, Field(ge=1, description="first messages kept")],
        tail_size: Annotated[int, Field(ge=1, description="newest messages kept")],
    ):
        context = import_contexts().HeadAndTailChatCompletionContext
        super().__init__(lambda items: context(head_size, tail_size, initial_messages=items))
