"""The library's other search tool, which answers in text: `search_conversation_history`."""

from __future__ import annotations

from collections.abc import Callable

from historylab.systems.toolpack.conversation_store import SEARCH_LIMIT, SEARCH_TOKENS, ConversationStore
from historylab.systems.toolpack.stored_messages import StoredMessage
from historylab.systems.toolpack.summaries import format_clock

NAME = "search_conversation_history"


def create_conversation_search_tool(
    store: ConversationStore,
    conversation_id: str,
    *,
    max_results: int = SEARCH_LIMIT,
    token_cap: int = SEARCH_TOKENS,
) -> Callable[[str], str]:
    """A tool that finds a query in one conversation and answers in lines, newest first."""

    def search_conversation_history(query: str) -> str:
        if not (query or "").strip():
            return "Error: query must not be empty."
        found = store.search(conversation_id, query.strip(), limit=max_results, token_cap=token_cap)
        if not found:
            return f'No messages found matching "{query}".'
        return "\n".join([f'Found {len(found)} result(s) for "{query}":', "", *map(_line, found)])

    return search_conversation_history


def _line(message: StoredMessage) -> str:
    peer = " (agent)" if message.participant.kind == "agent" else ""
    return f"[{format_clock(message.timestamp)}] {message.participant.name}{peer}: {message.content}"
