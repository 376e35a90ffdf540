"""Octopus' history management under its own names: three pruners behind one contract, and a minimum no budget touches.

Source: the page on history management in Octopus' guide to working memory; for counting, budgets, summaries, tool
results and the inspector its sibling pages (BizFirstAi/UserGuides, 2c5de55). What the printed code does otherwise, and
what is done about it, is listed in docs/systems.md.
"""

from historylab.counters.octopus import approximate_token_count
from historylab.settings.model import Settings
from historylab.settings.pin import AGENT_CONTEXT
from historylab.systems.octopus.assembly import STRATEGIES, AssembledHistory, assemble_history
from historylab.systems.octopus.budget import (
    DEFAULT_BUDGET,
    OUTPUT_RESERVE,
    ROOMY_BUDGET,
    TIGHT_BUDGET,
    history_budget,
    truncate_tool_result,
)
from historylab.systems.octopus.inspector import inspect_context, inspect_plan
from historylab.systems.octopus.minimum import MIN_HISTORY_TURNS, ensure_min_history, get_last_n_turns
from historylab.systems.octopus.planning import count_message_tokens
from historylab.systems.octopus.pruners import (
    SLIDING_WINDOW_TURNS,
    SUMMARY_MARK,
    SUMMARY_PROMPT,
    ContextPruner,
    FIFOPruner,
    SlidingWindowPruner,
    SummarizePruner,
)

PRESET = Settings(
    policy="all",
    pruner="fifo",
    summary_heading="[Earlier conversation summary]:",
    min_turns=MIN_HISTORY_TURNS,
    budget=DEFAULT_BUDGET,
    reserve=OUTPUT_RESERVE,
    counter="octopus",
    options={AGENT_CONTEXT: False},
)
"""As Octopus starts: the oldest turns go first, the last three complete ones never."""

__all__ = [
    "DEFAULT_BUDGET",
    "MIN_HISTORY_TURNS",
    "OUTPUT_RESERVE",
    "PRESET",
    "ROOMY_BUDGET",
    "SLIDING_WINDOW_TURNS",
    "STRATEGIES",
    "SUMMARY_MARK",
    "SUMMARY_PROMPT",
    "TIGHT_BUDGET",
    "AssembledHistory",
    "ContextPruner",
    "FIFOPruner",
    "SlidingWindowPruner",
    "SummarizePruner",
    "approximate_token_count",
    "assemble_history",
    "count_message_tokens",
    "ensure_min_history",
    "get_last_n_turns",
    "history_budget",
    "inspect_context",
    "inspect_plan",
    "truncate_tool_result",
]
