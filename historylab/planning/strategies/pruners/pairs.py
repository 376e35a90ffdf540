"""`pairs`: the newest pairs of user and assistant messages, up to a number of characters.

The history is everything before the newest user message; that message and what follows it always stay. Of the history
the newest 2 × pairs messages are read, newest first, up to the first that does not fit; what then precedes the first
user message is dropped too. A call counts as one message with its results.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from historylab.conversation.columns import USER
from historylab.counters.quarter_of_characters import characters as characters_of
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import counted, reason
from historylab.planning.strategies.base import Context
from historylab.planning.strategies.facts import column
from historylab.planning.strategies.projections.collapsed_tools import CUT
from historylab.planning.strategies.truncation import truncate_text
from historylab.registry import FINE, register

TOO_MANY = reason("pairs", "Older than the {pairs:newest pairs}.", setting="pruner.pairs.pairs")
TOO_LONG = reason(
    "pair_characters",
    "It and what is newer have more than {characters:,} characters.",
    setting="pruner.pairs.characters",
)
NO_QUESTION = reason("no_question", "The history starts with a user message; this precedes the first that is left.")
OVERSIZED = reason(
    "oversized",
    "The newest exchange alone has more than {characters:,} characters: its beginning is sent.",
    setting="pruner.pairs.characters",
)

Pairs = Annotated[
    float, Field(ge=0, le=1_000_000, title="Pairs that stay", description="pairs kept; half a pair is one message")
]
Characters = Annotated[
    int,
    Field(ge=0, le=1_000_000_000, title="Characters that stay", description="characters of the history that are kept"),
]
Oversized = Annotated[
    Literal["truncate", "drop"],
    Field(
        title="An exchange that is too long",
        description="a newest exchange that doesn't fit is cut to what does, or leaves the history empty",
        json_schema_extra=FINE,
    ),
]


def phrase(pairs: float | None = None, characters: int | None = None) -> str:
    limits = [counted(pairs, "pairs")] if pairs is not None else []
    limits += [f"{characters:,} characters"] if characters is not None else []
    return f"a cut to the newest {' and '.join(limits) or 'pairs'}"


@register("pruner", reads=("min_turns",), title="Newest pairs", phrase=phrase)
def pairs(
    plan: HistoryPlan,
    context: Context,
    *,
    pairs: Pairs = 20,
    characters: Characters = 100_000,
    oversized: Oversized = "truncate",
) -> HistoryPlan:
    """Keeps the newest pairs of messages that fit a number of characters."""
    past = _history(plan, context)
    if not len(past):
        return plan
    lengths = _lengths(plan)[past]
    newest = min(len(past), math.ceil(2 * pairs))
    fitting = int((np.cumsum(lengths[::-1]) <= characters).sum())  # of ever longer ends of the history
    starts = past[len(past) - min(newest, fitting) :]
    kept = starts[_first_user(plan, starts) :]
    if oversized == "truncate" and not len(kept) and pairs and characters:
        kept = past[_first_user(plan, past, last=True) :]
        plan = _cut(plan, kept, characters)
    dropped = past[: len(past) - len(kept)]
    plan = plan.drop(dropped[dropped < _block(past, newest)], TOO_MANY, pairs=pairs)
    plan = plan.drop(dropped[dropped < _block(past, fitting)], TOO_LONG, characters=characters)
    return plan.drop(dropped, NO_QUESTION)


def _history(plan: HistoryPlan, context: Context) -> np.ndarray:
    """int64: the undecided blocks before the newest user message that a pruner may take."""
    free = plan.open & ~context.protected(plan)
    if plan.history.users:
        free[plan.history.columns.user_blocks.item(plan.history.users - 1) :] = False
    return np.flatnonzero(free)


def _block(past: np.ndarray, count: int) -> int:
    """The block at which the newest `count` of the history begin."""
    return int(past[len(past) - count]) if count else int(past[-1]) + 1


def _first_user(plan: HistoryPlan, blocks: np.ndarray, last: bool = False) -> int:
    """Where among the blocks the first (or last) user message is; their number if there is none."""
    users = np.flatnonzero(plan.history.columns.block_role[blocks] == USER)
    return int(users[-1 if last else 0]) if len(users) else len(blocks)


def _lengths(plan: HistoryPlan) -> np.ndarray:
    """int64[blocks]: characters of what is sent of each block."""
    history = plan.history
    lengths = column(history.conversation, "characters", characters_of, np.int64)[: history.size].copy()
    for cut in plan.shortened:
        for i in cut.messages.tolist():
            lengths[i] += len(cut.texts[i]) - len(history.conversation[i].content)
    return np.bincount(history.columns.block[: history.size], lengths, history.blocks).astype(np.int64)


def _cut(plan: HistoryPlan, blocks: np.ndarray, room: int) -> HistoryPlan:
    """The blocks filled into the room, the oldest first; what exceeds it is cut, with a mark."""
    characters, texts = room, {}
    chosen = np.zeros(plan.history.blocks, bool)
    chosen[blocks] = True
    for i in np.flatnonzero(chosen[plan.history.columns.block[: plan.size]]).tolist():
        text = plan.history.conversation[i].content
        if len(text) > room:
            texts[i] = truncate_text(text, room, CUT)
        room = max(0, room - len(text))
    return plan.truncate(texts, OVERSIZED, characters=characters) if texts else plan
