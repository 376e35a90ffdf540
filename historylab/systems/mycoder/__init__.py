"""mycoder's message compaction under its own names: automatic at a threshold, or by a tool the agent calls itself.

Source: issue 338 of drivecore/mycoder and what was released of it (774e068). Where the released
code differs, and what is done about it, is listed in docs/systems.md.
"""

from historylab.settings.fields import MOST_TOKENS
from historylab.settings.model import Settings
from historylab.settings.pin import AGENT_CONTEXT
from historylab.systems.mycoder.agent import MAX_ITERATIONS, default_tools, tool_agent
from historylab.systems.mycoder.checkpoint_places import Checkpoint
from historylab.systems.mycoder.checkpoints import Checkpoints
from historylab.systems.mycoder.compaction import (
    DEFAULT_COMPACTION_PROMPT,
    PRESERVE_RECENT_MESSAGES,
    SUMMARY_MARK,
    MessageCompaction,
    compact_if_needed,
    compact_messages,
    should_compact_messages,
)
from historylab.systems.mycoder.compaction_tool import COMPACT_HISTORY_TOOL, compact_history, compact_history_arguments
from historylab.systems.mycoder.status import (
    STATUS_FREQUENCY,
    THRESHOLD_PERCENTAGE,
    StatusUpdates,
    Task,
    Tracker,
    generate_status_update,
    get_system_prompt,
    system_prompt_lines,
)
from historylab.systems.mycoder.usage import LLMResponse, TokenTracker, TokenUsage
from historylab.systems.mycoder.windows import published_window, token_usage_from_message

PRESET = Settings(
    policy="all",
    pruner="off",
    budget=MOST_TOKENS,
    compaction="preserve_recent",
    summary_heading="[COMPACTED MESSAGE HISTORY]:",
    threshold=THRESHOLD_PERCENTAGE / 100,
    options={
        "compaction.preserve_recent.messages": PRESERVE_RECENT_MESSAGES,
        "compaction.preserve_recent.keep_task": False,
        "compaction.preserve_recent.min_freed": 0,
        AGENT_CONTEXT: False,
    },
)
"""As mycoder compacts: at half the model's window, everything but the newest ten messages. It knows no budget."""

PRESETS_BY_AGENT = {
    "agent": PRESET,
    "sub-agent": PRESET.replace(threshold=0.7, options={**PRESET.options, "compaction.preserve_recent.messages": 6}),
    "chat": PRESET.replace(threshold=0.3, options={**PRESET.options, "compaction.preserve_recent.messages": 20}),
}
"""One preset per type of agent: a short-lived sub-agent compacts late and hard, a chat early and keeps more."""

__all__ = [
    "COMPACT_HISTORY_TOOL",
    "DEFAULT_COMPACTION_PROMPT",
    "MAX_ITERATIONS",
    "PRESERVE_RECENT_MESSAGES",
    "PRESET",
    "PRESETS_BY_AGENT",
    "STATUS_FREQUENCY",
    "SUMMARY_MARK",
    "THRESHOLD_PERCENTAGE",
    "Checkpoint",
    "Checkpoints",
    "LLMResponse",
    "MessageCompaction",
    "StatusUpdates",
    "Task",
    "TokenTracker",
    "TokenUsage",
    "Tracker",
    "compact_history",
    "compact_history_arguments",
    "compact_if_needed",
    "compact_messages",
    "default_tools",
    "generate_status_update",
    "get_system_prompt",
    "published_window",
    "should_compact_messages",
    "system_prompt_lines",
    "token_usage_from_message",
    "tool_agent",
]
