"""The figures of Octopus' context inspector: what is sent, the tokens of each part, and how full the budget is."""

from __future__ import annotations

from typing import Any

from historylab.agent.request import request_of
from historylab.planning.plan import HistoryPlan
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


def inspect_plan(plan: HistoryPlan) -> dict[str, Any]:
    """The same of a plan: the messages as they are sent, its tokens and its budget."""
    sent = request_of(plan)
    counts = plan.history.counter.count(plan.render()).tolist()
    cut = not plan.sent.all() or bool(plan.shortened)
    return inspect_context(AssembledHistory(sent, plan.tokens, plan.over_budget, tuple(counts), cut), plan.budget)


def _row(given: Any, tokens: int, *, newest: bool) -> dict[str, Any]:
    message = as_message(given)
    if message.role == "system":
        section = "Summary" if message.content.startswith(SUMMARY_MARK) else "SystemPrompt"
    else:
        section = "CurrentMessage" if newest and message.role == "user" else "MessageHistory"
    return {"role": message.role, "content": message.content, "section": section, "tokenCount": tokens}
