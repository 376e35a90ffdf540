"""A middleware for LangChain's `create_agent`, the successor of LangGraph's `create_react_agent`.

Source: `wrap_model_call` in langchain.agents.middleware. It changes only the request, not the agent's state, so that
the next request is planned from the whole conversation, as in the playground.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from historylab.errors import needs
from historylab.frameworks.langchain_messages import LangChainTrimmer
from historylab.settings.model import Settings

with needs("langchain", "historylab.frameworks.langchain_agents"):
    from langchain.agents.middleware import AgentMiddleware

if TYPE_CHECKING:
    from historylab.stores.base import StateStore


class TrimmingMiddleware(AgentMiddleware):  # type: ignore[misc]
    """Sends what the settings keep; the agent's state keeps everything. Tools count as overhead."""

    def __init__(self, messages: LangChainTrimmer):
        super().__init__()
        self.to_send, self._ato_send = messages.to_send, messages.ato_send

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        return handler(_with_messages(request, self.to_send(_messages_of(request))))

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        return await handler(_with_messages(request, await self._ato_send(_messages_of(request))))


def history_processor(settings: Settings | None = None, *, store: StateStore | str | None = None) -> TrimmingMiddleware:
    """The middleware: `create_agent(…, middleware=[history_processor(settings)])`."""
    return TrimmingMiddleware(LangChainTrimmer(settings, store))


def _messages_of(request: Any) -> list[Any]:
    return [*([request.system_message] if request.system_message else []), *request.messages]


def _with_messages(request: Any, sent: Sequence[Any]) -> Any:
    """The request, with your system prompt where the settings put it: first, unless a layout moves it."""
    if request.system_message and sent and sent[0] is request.system_message:
        return request.override(messages=sent[1:])
    return request.override(system_message=None, messages=sent)
