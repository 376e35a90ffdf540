"""The tools with which a model searches its own conversation for messages no longer sent to it.

`conversation_search` answers in JSON, `search_conversation_history` in text. The conversation's id belongs to the tool
and is no argument; other arguments are ignored, so no prompt can make the model read another conversation.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from typing import Any

from historylab.systems.toolpack.conversation_store import SEARCH_LIMIT, SEARCH_TOKENS, ConversationStore
from historylab.systems.toolpack.stored_messages import StoredMessage
from historylab.systems.toolpack.summaries import format_clock

log = logging.getLogger("historylab")

NAME = "conversation_search"
DEFAULT_RESULTS = 5
SCHEMA = {
    "type": "function",
    "function": {
        "name": NAME,
        "description": "Search this conversation's history for earlier messages that are not in your context. "
        "The newest matches come first.",
        "parameters": {
            "type": "object",
            "properties": {
                "query": {
                    "type": "string",
                    "description": "Keywords or phrases to search for in conversation history.",
                },
                "limit": {"type": "number", "description": "Maximum number of results to return (default: 5)."},
            },
            "required": ["query"],
        },
    },
}


class ConversationSearchTool:
    """Call it with the model's arguments; `schema` describes the tool to the model."""

    name = NAME
    schema: dict[str, Any] = SCHEMA

    def __init__(self, store: ConversationStore, conversation_id: str, *, token_cap: int = SEARCH_TOKENS):
        self._store, self._conversation_id, self._token_cap = store, conversation_id, token_cap

    def __call__(self, /, query: Any = "", limit: Any = DEFAULT_RESULTS, **ignored: Any) -> dict[str, Any]:
        """`{"results": [{role, content, timestamp}], "count"}`, newest first.

        A limit that is no number is 5; a missing query finds every message. A store that fails finds nothing, and the
        result says so.
        """
        wanted = "" if query is None else str(query)
        try:
            found = self._store.search(
                self._conversation_id, wanted, limit=_read_limit(limit), token_cap=self._token_cap
            )
        except Exception:  # whatever a store's driver raises: the agent goes on
            log.warning("[%s] Failed to search the conversation", NAME, exc_info=True)
            return {"results": [], "count": 0, "error": "The conversation could not be searched."}
        results = [
            {
                "role": "assistant" if message.participant.kind == "agent" else "user",
                "content": message.content,
                "timestamp": message.timestamp,
            }
            for message in found
        ]
        return {"results": results, "count": len(results)}


def conversation_search_tool(
    store: ConversationStore, conversation_id: str, *, token_cap: int = SEARCH_TOKENS
) -> ConversationSearchTool:
    """The tool for one conversation of a store."""
    return ConversationSearchTool(store, conversation_id, token_cap=token_cap)


def _read_limit(limit: Any) -> int:
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not math.isfinite(limit):
        return DEFAULT_RESULTS
    return int(limit)


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
