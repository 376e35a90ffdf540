"""LangChain's `trim_messages`, called in the node that calls the model, whose state keeps everything.

In its list: all messages, the system message first. Names: none. Parallel results: a message each. Asked: before each
call of the model, each time of the whole history. Source: `trim_messages` in langchain_core/messages/utils.py.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from historylab.errors import needs
from historylab.registry import register
from historylab.trimmers.base import Asked
from historylab.trimmers.forms.langchain import TokenCounter, function_of


@register("trimmer", "langchain.trim_messages", title="LangChain trim_messages", library="langchain-core")
class TrimMessages:
    """Keeps the newest messages that fit into a number of tokens, or the oldest."""

    form = "langchain"
    system_inside = True
    carries = False
    asked: Asked = "request"
    summarizes = False

    def __init__(
        self,
        *,
        max_tokens: Annotated[int, Field(ge=1, le=100_000_000, description="tokens, as the counter counts them")],
        token_counter: TokenCounter = "approximate",
        strategy: Annotated[Literal["last", "first"], Field(description="the end that is kept")] = "last",
        allow_partial: Annotated[bool, Field(description="a message that doesn't fit is cut")] = False,
        end_on: Annotated[
            str | tuple[str, ...] | None, Field(description="kinds of messages that it may end with: human, ai, tool")
        ] = None,
        start_on: Annotated[
            str | tuple[str, ...] | None, Field(description="kinds of messages that it may begin with: human, ai, tool")
        ] = None,
        include_system: Annotated[bool, Field(description="the system message at the front stays")] = False,
        text_splitter: Annotated[Any, Field(description="cuts a text into pieces, of which some are kept")] = None,
    ):
        with needs("langchain-core", "langchain.trim_messages"):
            from langchain_core.messages import trim_messages
        self._trim = trim_messages
        self._options: dict[str, Any] = {
            "max_tokens": max_tokens,
            "token_counter": function_of(token_counter),
            "strategy": strategy,
            "allow_partial": allow_partial,
            "end_on": end_on,
            "start_on": start_on,
            "include_system": include_system,
            "text_splitter": text_splitter,
        }

    def __call__(self, items: list[Any]) -> list[Any]:
        return list(self._trim(items, **self._options))
