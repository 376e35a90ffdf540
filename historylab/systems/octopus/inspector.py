"""The figures of Octopus' context inspector: what is sent, the tokens of each part, and how full the budget is."""

from __future__ import annotations

from typing import Any

from historylab.systems.base import as_message
from historylab.systems.octopus.assembly import AssembledHistory
from historylab.systems.octopus.pruners import SUMMARY_MARK


def inspect_context(assembled: AssembledHistory, budget: int) -> dict[str, Any]:
    """The inspector's JSON, in its published camelCase. `budgetUsedPercent` has one decimal; None for no budget."""
    newest = len(assembled.messages) - 1
    rows = zip(assembled.messages, assembled.token_counts, strict=True)
    return {
        "messages": [_row(given, count, newest=i == newest) for i, (given, count) in enumerate(rows)],
        "totalTokens": assembled.tokens,
        "budget": budget,
        "budgetUsedPercent": round(100 * assembled.tokens / budget, 1) if budget > 0 else None,
        "pruningApplied": assembled.pruning_applied,
    }


def _row(given: Any, tokens: int, *, newest: bool) -> dict[str, Any]:
    message = as_message(given)
    if message.role == "system":
        section = "Summary" if message.content.startswith(SUMMARY_MARK) else "SystemPrompt"
    else:
        section = "CurrentMessage" if newest and message.role == "user" else "MessageHistory"
    return {"role": message.role, "content": message.content, "section": section, "tokenCount": tokens}
