"""Octopus' budgets: the tokens of working memory left for history, and the limit of a tool result."""

from __future__ import annotations

import math

from historylab.counters.octopus import approximate_token_count
from historylab.planning.strategies.truncation import truncate_text
from historylab.systems.base import require_whole_number

ROOMY_BUDGET, DEFAULT_BUDGET, TIGHT_BUDGET = 150_000, 100_000, 8_000
"""Tokens of working memory: a large hosted model, Octopus' default, a local model."""
OUTPUT_RESERVE = 4_096
KNOWLEDGE_LIMIT, EPISODES_LIMIT, TOOL_RESULT_LIMIT = 3_000, 1_000, 2_000
"""Tokens that what is known, what happened before, and a tool result may take at most."""
CHARACTERS_PER_TOKEN = 4


def history_budget(
    max_working_memory_tokens: int,
    *,
    system_prompt: int = 0,
    procedure: int = 0,
    knowledge: int = 0,
    episodes: int = 0,
    current_message: int = 0,
    output_reserve: int = OUTPUT_RESERVE,
) -> int:
    """Tokens left for history when everything else has its part; never below 0."""
    parts = (max_working_memory_tokens, system_prompt, procedure, knowledge, episodes, current_message, output_reserve)
    whole, *taken = (require_whole_number(part, "a part of the working memory of", -math.inf) for part in parts)
    return max(0, whole - sum(taken))


def truncate_tool_result(text: str, *, max_tokens: int = TOOL_RESULT_LIMIT) -> str:
    """The text, or over `max_tokens` its beginning and how many tokens were cut."""
    max_tokens = require_whole_number(max_tokens, "max_tokens")
    cut = approximate_token_count(text) - max_tokens
    if cut <= 0:
        return text
    return truncate_text(text, CHARACTERS_PER_TOKEN * max_tokens, f"\n[... truncated {cut} tokens ...]")
