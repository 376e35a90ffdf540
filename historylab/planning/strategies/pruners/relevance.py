"""`relevance`: over the budget, what is least relevant to the newest question is dropped, until it fits.

The reason quotes the question. What is dropped changes with every question, and with it the prefix, which invalidates
the provider's prompt cache.
"""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from historylab.errors import SettingsError
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import reason
from historylab.planning.strategies.base import Context
from historylab.planning.strategies.facts import relevance_index
from historylab.registry import FINE, register

LESS_RELEVANT = reason(
    "relevance", "Over the budget of {budget:,}, and less relevant to “{question}” than what is sent.", setting="budget"
)
SHOWN = 60  # characters of the question in the reason


@register("pruner", reads=("min_turns", "relevance"), title="Least relevant first", phrase="relevance{to}")
def relevance(
    plan: HistoryPlan,
    context: Context,
    *,
    query: Annotated[
        Literal["last_user", "newest"],
        Field(title="Relevant to", description="the newest user message, or the newest of any", json_schema_extra=FINE),
    ] = "last_user",
    recent: Annotated[
        int,
        Field(
            ge=0,
            le=1_000_000,
            title="Newest messages that stay",
            description="newest messages that stay whatever they are about",
        ),
    ] = 4,
) -> HistoryPlan:
    """Keeps what is most relevant to the newest question, within the budget."""
    excess = plan.tokens - plan.budget
    history = context.history
    if excess <= 0 or not history.size:
        return plan
    question = _question(context, query)
    free = plan.open & ~context.protected(plan)
    free[_newest_blocks(context, recent)] = False
    blocks = _least_relevant(context, plan, question, free, excess)
    shown = " ".join(question.split())[:SHOWN]
    return plan.drop(blocks, LESS_RELEVANT, budget=plan.budget, question=shown)


def _newest_blocks(context: Context, messages: int) -> np.ndarray:
    """int64: the blocks of the newest messages, not counting those that a later one stands for."""
    homes: np.ndarray = context.history.columns.block[: context.history.size]
    homes = homes[~context.history.replaced[homes]]
    return homes[max(0, len(homes) - messages) :]


def _question(context: Context, query: str) -> str:
    history = context.history
    newest = history.size - 1
    if query == "last_user" and history.users:
        newest = history.columns.users.item(history.users - 1)
    return history.conversation[newest].content


def _least_relevant(context: Context, plan: HistoryPlan, question: str, free: np.ndarray, excess: int) -> np.ndarray:
    """bool[blocks]: of the free ones the least relevant (of equals the oldest) that together make up the excess."""
    history = context.history
    scorer = context.instruments.relevance
    if scorer is None:
        raise SettingsError("the pruner `relevance` needs a scorer; `open_instruments(settings)` opens one")
    index = relevance_index(history.conversation, scorer)
    scores = index.scores(question, history.size)
    best = np.zeros(history.blocks)
    np.maximum.at(best, history.columns.block[: history.size], scores)
    order = np.flatnonzero(free)
    order = order[np.argsort(best[order], kind="stable")]
    running = np.cumsum(plan.block_tokens[order])
    chosen = order[: int(running.searchsorted(excess)) + 1] if len(order) else order
    mask = np.zeros(history.blocks, bool)
    mask[chosen] = True
    return mask
