"""AutoGen's token-limited context: over a limit, messages are taken out of the middle.

In the list is what the agent and others said; the agent's own system messages are sent before it. Names are set, as
each message says who it is from; all results of an assistant message are one message. Asked before each request; the
context keeps every message, and what it gives is a view.
autogen_core/model_context/_token_limited_chat_completion_context.py

Tokens are counted by the app's model client. Without one, a quarter of the characters of texts, names of calls and
arguments are (our counter chars/4), offline; then a limit must be given, as there is no window to fill.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from historylab.counters.base import open_counter
from historylab.errors import SettingsError
from historylab.registry import register
from historylab.trimmers.forms.autogen import AutogenMessages, ContextView, import_contexts


@register(
    "trimmer",
    "autogen.TokenLimitedChatCompletionContext",
    title="AutoGen TokenLimitedChatCompletionContext",
    library="autogen-core",
)
class TokenLimitedChatCompletionContext(ContextView):
    """Keeps the ends of a conversation within a token limit: what is in the middle goes first."""

    def __init__(
        self,
        *,
        token_limit: Annotated[int | None, Field(ge=1, description="tokens; none: those the client has left")] = None,
        model_client: Annotated[Any, Field(description="the client that counts; else characters / 4")] = None,
    ):
        if token_limit is None and model_client is None:
            raise SettingsError("no token_limit: give one, or a model_client whose window is the limit")
        context = import_contexts().TokenLimitedChatCompletionContext
        super().__init__(
            lambda items: context(model_client or _Counting(items), token_limit=token_limit, initial_messages=items)
        )


class _Counting:
    """A model client that only counts, and each message once: the context asks again for every one that it drops."""

    def __init__(self, items: Sequence[Any]):
        form, counter = AutogenMessages(), open_counter("chars/4", "")
        self._tokens = {id(item): int(counter.count(form.read(item)).sum()) for item in items}

    def count_tokens(self, messages: Sequence[Any], *, tools: Sequence[Any] = ()) -> int:
        del tools  # the context is given none
        return sum(self._tokens[id(item)] for item in messages)
