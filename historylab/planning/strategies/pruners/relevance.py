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
RANKED = 256  # blocks among which a small budget mostly chooses
NEIGHBOUR = 0.4  # share of a neighbour's score (docs/evidence.md, Relevance offline)


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
    best = _with_neighbours(_relevance(context, question))
    blocks = _least_relevant(plan, best, free, excess)
    shown = " ".join(question.split())[:SHOWN]
    return plan.drop(blocks, LESS_RELEVANT, budget=plan.budget, question=shown)


def _newest_blocks(context: Context, messages: int) -> np.ndarray:
    """int64: the blocks of the newest messages, not counting those that a later one stands for."""
    homes: np.ndarray = context.history.columns.block[: context.history.size]
    if len(context.history.columns.stand_ins):
        homes = homes[~context.history.replaced[homes]]
    return homes[max(0, len(homes) - messages) :]


def _question(context: Context, query: str) -> str:
    history = context.history
    newest = history.size - 1
    if query == "last_user" and history.users:
        newest = history.columns.users.item(history.users - 1)
    return history.conversation[newest].content


def _relevance(context: Context, question: str) -> np.ndarray:
    """float64[blocks]: the score of each block's most relevant message; 0 for the newest user message, which asks."""
    history, scorer = context.history, context.instruments.relevance
    if scorer is None:
        raise SettingsError("the pruner `relevance` needs a scorer; `open_instruments(settings)` opens one")
    scores = relevance_index(history.conversation, scorer).scores(question, history.size)
    best, found = np.zeros(history.blocks), scores.nonzero()[0]
    np.maximum.at(best, history.columns.block[found], scores[found])
    if history.users:
        best[history.columns.user_blocks.item(history.users - 1)] = 0
    return best


def _with_neighbours(scores: np.ndarray) -> np.ndarray:
    """Each score, and a share of the higher one beside it: an answer often stands beside what the question is about."""
    beside = np.zeros(len(scores) + 2)
    beside[1:-1] = scores
    smoothed: np.ndarray = scores + NEIGHBOUR * np.maximum(beside[:-2], beside[2:])
    return smoothed


def _least_relevant(plan: HistoryPlan, scores: np.ndarray, free: np.ndarray, excess: int) -> np.ndarray:
    """bool[blocks]: of the free ones the least relevant (of equals the oldest) that together make up the excess."""
    mask, order = np.zeros(len(free), bool), free.nonzero()[0]
    ranked, tokens = scores[order], plan.block_tokens[order]
    high = _where_the_cut_falls(ranked, tokens, excess)
    mask[order[~high]] = True
    rest = np.argsort(ranked[high], kind="stable")
    running = np.cumsum(tokens[high][rest])
    mask[order[high][rest[: int(running.searchsorted(excess - tokens[~high].sum())) + 1]]] = True
    return mask


def _where_the_cut_falls(scores: np.ndarray, tokens: np.ndarray, excess: int) -> np.ndarray:
    """bool: the highest scores, few enough to be sorted, such that all others together don't make up the excess."""
    for most in (RANKED, 8 * RANKED):
        if most < len(scores):
            high: np.ndarray = scores >= np.partition(scores, len(scores) - most)[-most]
            if tokens[~high].sum() < excess:
                return high
    return np.ones(len(scores), bool)
