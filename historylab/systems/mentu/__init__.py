"""Mentu's conversation history under its own names: stored rows in, one prompt with the newest exchanges out.

Source: the result page on conversation history and the agent service of mentu-ai/mentu-web (f7065bc); where its code
differs from the page, and what is done about it, is listed in docs/systems.md.
"""

from historylab.settings.model import Settings
from historylab.settings.pin import AGENT_CONTEXT
from historylab.systems.mentu.history import (
    MAX_CHARS,
    MAX_PAIRS,
    AgentQueryOptions,
    build_prompt_with_history,
    create_agent_query,
    format_messages_for_sdk,
    get_conversation_history,
    truncate_history,
)
from historylab.systems.mentu.memory import recall
from historylab.systems.mentu.rows import STORED_CHARACTERS, rows_from_agent_stream, truncate_for_storage

PRESET = Settings(
    policy="all",
    projection="collapsed_tools",
    pruner="pairs",
    layout="tagged_prompt",
    budget=200_000,
    options={AGENT_CONTEXT: False},
)
"""As Mentu sends history: tools collapsed, 20 pairs or 100,000 characters, one prompt. The budget is the window."""

FUTURE = {
    "relevance": PRESET.replace(pruner="relevance", budget=25_000),
    "adaptive limits": PRESET.replace(pruner="adaptive", budget=25_000),
    "summarise before truncating": PRESET.replace(compaction="at_threshold", window=50_000),
}
"""The page's future plans, as presets of their own. Memory across conversations is `recall`, which needs a
store, and the ids of the conversations it may look into."""

__all__ = [
    "FUTURE",
    "MAX_CHARS",
    "MAX_PAIRS",
    "PRESET",
    "STORED_CHARACTERS",
    "AgentQueryOptions",
    "build_prompt_with_history",
    "create_agent_query",
    "format_messages_for_sdk",
    "get_conversation_history",
    "recall",
    "rows_from_agent_stream",
    "truncate_for_storage",
    "truncate_history",
]
