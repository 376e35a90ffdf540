"""toolpack-agents' conversation history under its own names: stored turns of a room, assembled for one of its agents.

Source: toolpack-agents' page on conversation history; where the published code (toolpack-ai/toolpack-sdk 3.0.0,
5cdbd51) differs, and what is done about it, is listed in docs/systems.md.
"""

from historylab.counters.toolpack import estimate_tokens
from historylab.settings.model import Settings
from historylab.settings.pin import AGENT_CONTEXT
from historylab.systems.toolpack.agent import BaseAgent
from historylab.systems.toolpack.assembler import AssembledPrompt, assemble_prompt
from historylab.systems.toolpack.capture import CaptureInterceptor, compose_chain
from historylab.systems.toolpack.conversation_search import (
    ConversationSearchTool,
    conversation_search_tool,
    create_conversation_search_tool,
)
from historylab.systems.toolpack.conversation_store import ConversationStore
from historylab.systems.toolpack.memory_store import InMemoryConversationStore
from historylab.systems.toolpack.options import (
    SUMMARY_THRESHOLD,
    TOKEN_BUDGET,
    TURNS_TO_LOAD,
    AssemblerOptions,
    resolve_assembler_options,
)
from historylab.systems.toolpack.sqlite_store import SQLiteConversationStore
from historylab.systems.toolpack.stored_messages import Participant, StoredMessage
from historylab.systems.toolpack.summaries import SummarizerAgent, SummarizerOutput

PRESET = Settings(
    policy="all",
    preserve_system_messages=False,
    projection="point_of_view",
    filter="newest+addressed_only",
    compaction="rolling",
    summary_heading="[Summary of {n} earlier turns]:",
    pruner="fifo",
    counter="toolpack",
    budget=TOKEN_BUDGET,
    options={
        "filter.newest.messages": TURNS_TO_LOAD,
        "compaction.rolling.messages": SUMMARY_THRESHOLD,
        "compaction.rolling.keep_task": False,
        "compaction.rolling.min_freed": 0,
        AGENT_CONTEXT: False,
        "pruner.fifo.unit": "block",
        "pruner.fifo.keep_task": False,
    },
)
"""As toolpack starts. A system message in the conversation is one more turn; the agent's own instructions always go."""

__all__ = [
    "PRESET",
    "SUMMARY_THRESHOLD",
    "TOKEN_BUDGET",
    "TURNS_TO_LOAD",
    "AssembledPrompt",
    "AssemblerOptions",
    "BaseAgent",
    "CaptureInterceptor",
    "ConversationSearchTool",
    "ConversationStore",
    "InMemoryConversationStore",
    "Participant",
    "SQLiteConversationStore",
    "StoredMessage",
    "SummarizerAgent",
    "SummarizerOutput",
    "assemble_prompt",
    "compose_chain",
    "conversation_search_tool",
    "create_conversation_search_tool",
    "estimate_tokens",
    "resolve_assembler_options",
]
