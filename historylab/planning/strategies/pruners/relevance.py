"""`relevance`: over the budget, what is least relevant to the newest question is dropped, until it fits.

The newest messages stay whatever they are about, as far as they leave half of the room to the ranking; where they
don't, both are taken in turns. The reason quotes the question. What is dropped changes with every question, and with it
the prefix, which invalidates the provider's prompt cache.
"""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from historylab.errors import SettingsError
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import reason
from historylab.planning.strategies.base import UP_TO, Context, request_budget
from historylab.planning.strategies.facts import relevance_index
from historylab.registry import FINE, register

LESS_RELEVANT = reason(
    "relevance",
    "Over the budget, which allows {budget:,}, and less relevant to “{question}” than what is sent.",
    setting="budget",
)
NO_LONGER_NEW = reason(
    "relevance_recent",
    "Over the budget, which allows {budget:,}: the {recent:newest messages} leave half of the room to what is more "
    "relevant to “{question}”, and this one doesn't fit into the other half.",
    setting="budget",
)
SHOWN = 60  # characters of the question in the reason
SAMPLED, RANKED = 8, 32  # of every eighth block, how many of the best hold what a small budget mostly keeps
NEIGHBOUR = 0.4  # share of a neighbour's score (docs/evidence.md, Relevance offline)


@register(
    "pruner",
    reads=("min_turns", "relevance"),
    title="Least relevant first",
    phrase="relevance{to}",
    says=f"{UP_TO} [drop what is least relevant]",
)
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
            description="newest messages that stay whatever they are about, as far as they leave half of the room",
        ),
    ] = 4,
) -> HistoryPlan:
    """Keeps what is most relevant to the newest question, within the budget."""
    excess = plan.tokens - plan.budget
    history = context.history
    if excess <= 0 or not history.size:
        return plan
    question = _question(context, query)
    shown = " ".join(question.split(maxsplit=SHOWN))[:SHOWN]
    scores, free = _relevance(context, question), plan.among(context.free(plan))
    newest = plan.among(_newest_blocks(context, recent))
    room = plan.budget - plan.tokens + plan.block_tokens @ (free | newest)
    crowded = plan.block_tokens @ newest > room / 2
    if crowded:
        scores = _in_turns(scores, plan.block_tokens, free, newest, room)
    else:
        free &= ~newest
    blocks = _least_relevant(plan, scores, free, excess)
    numbers = {"budget": request_budget(context.settings), "question": shown}
    if crowded:
        plan = plan.drop(blocks & newest, NO_LONGER_NEW, recent=recent, **numbers)
    return plan.drop(blocks, LESS_RELEVANT, **numbers)


def _newest_blocks(context: Context, messages: int) -> np.ndarray:
    """bool[blocks]: those of the newest messages, not counting those that a later one stands for."""
    homes: np.ndarray = context.history.columns.block[: context.history.size]
    if len(context.history.columns.stand_ins):
        homes = homes[~context.history.replaced[homes]]
    newest = np.zeros(context.history.blocks, bool)
    newest[homes[max(0, len(homes) - messages) :]] = True
    return newest


def _question(context: Context, query: str) -> str:
    history = context.history
    newest = history.size - 1
    if query == "last_user" and history.users:
        newest = history.columns.users.item(history.users - 1)
    return history.conversation[newest].content


def _relevance(context: Context, question: str) -> np.ndarray:
    """float64[blocks]: the score of each block's most relevant message, and a share of the higher one beside it.

    An answer often stands beside what the question is about. The newest user message, which asks, scores 0 itself.
    """
    history, scorer = context.history, context.instruments.relevance
    if scorer is None:
        raise SettingsError("the pruner `relevance` needs a scorer; `open_instruments(settings)` opens one")
    scores = relevance_index(history.conversation, scorer).scores(question, history.size)
    padded = np.zeros(history.blocks + 2)
    best = padded[1:-1]
    np.maximum.at(best, history.columns.block[: history.size], scores)
    if history.users:
        best[history.columns.user_blocks.item(history.users - 1)] = 0
    relevance = np.maximum(padded[:-2], padded[2:])
    relevance *= NEIGHBOUR
    relevance += best
    return relevance


def _in_turns(scores: np.ndarray, tokens: np.ndarray, free: np.ndarray, newest: np.ndarray, room: float) -> np.ndarray:
    """float64[blocks]: scores under which the most relevant and the newest take equal shares of the room, in turns.

    A block's turn is after so many tokens as the better ones of its kind and itself take, which no budget changes: so
    what is sent under one is sent under every larger one.
    """
    ranked = _more_than_fit(scores, tokens, free, room)
    ranked = ranked[np.lexsort((ranked, scores[ranked]))[::-1]]  # of equals the newest
    latest = newest.nonzero()[0][::-1]
    turns = np.full(len(scores), np.inf)
    turns[latest] = np.nextafter(tokens[latest].cumsum(), np.inf)  # after what is relevant
    turns[ranked] = np.minimum(turns[ranked], tokens[ranked].cumsum())
    return -turns


def _least_relevant(plan: HistoryPlan, scores: np.ndarray, free: np.ndarray, excess: int) -> np.ndarray:
    """bool[blocks]: of the free ones the least relevant (of equals the oldest) that together make up the excess."""
    tokens = plan.block_tokens
    room = tokens @ free - excess
    if room < 0:
        return free
    best = _more_than_fit(scores, tokens, free, room)
    worth, taken = scores[best], tokens[best]
    missing, last = taken.sum() - room, worth.min()
    if taken @ (worth == last) < missing:  # else there is nothing to sort, as where most score 0
        order = worth.argsort()
        last = worth[order[taken[order].cumsum().searchsorted(missing)]]
    equals = worth == last
    running = taken[equals].cumsum()
    mask: np.ndarray = free & (scores < last)
    mask[best[equals][: int(running.searchsorted(missing - taken @ (worth < last))) + 1]] = True
    return mask


def _more_than_fit(scores: np.ndarray, tokens: np.ndarray, free: np.ndarray, room: float) -> np.ndarray:
    """int64, ascending: of the free blocks the best, more than there is room for and mostly few, so quickly sorted."""
    sample = scores[::SAMPLED]
    for most in (RANKED, 8 * RANKED):
        if 4 * most < len(sample):
            best: np.ndarray = (free & (scores >= np.partition(sample, len(sample) - most)[-most])).nonzero()[0]
            if tokens[best].sum() > room:
                return best
    return free.nonzero()[0]
