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
from historylab.counters.chars_4 import characters as characters_of
from historylab.planning.blocks import Ranges
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import counted_noun, reason
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
    "The newest exchange alone has more than {characters:,} characters: its start is sent.",
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
    limits = [counted_noun(pairs, "pairs")] if pairs is not None else []
    limits += [f"{characters:,} characters"] if characters is not None else []
    return f"a cut to the newest {' and '.join(limits) or 'pairs'}"


@register(
    "pruner",
    reads=("min_turns",),
    title="Newest pairs",
    phrase=phrase,
    says=", then [drop all but the {pairs:newest pairs}]",
    from_the_end=True,
)
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
    newest = plan.newest_open(past, math.ceil(2 * pairs))
    fitting = int(
        np.count_nonzero(_lengths(plan, newest)[::-1].cumsum() <= characters)
    )  # of ever longer ends of the history
    starts = newest[len(newest) - fitting :]
    kept = starts[_first_user(plan, starts) :]
    if oversized == "truncate" and not len(kept) and pairs and characters:
        kept = _newest_exchange(plan, past)
        plan = _cut(plan, kept, characters)
    dropped = _before(past, kept)
    plan = plan.drop(_before(dropped, newest), TOO_MANY, pairs=pairs)
    plan = plan.drop(_before(dropped, starts), TOO_LONG, characters=characters)
    return plan.drop(dropped, NO_QUESTION)


def _history(plan: HistoryPlan, context: Context) -> Ranges:
    """The blocks before the newest user message that a pruner may take."""
    free, history = context.free(plan), plan.history
    return free.before(history.columns.user_blocks.item(history.users - 1)) if history.users else free


def _before(past: Ranges, blocks: np.ndarray) -> Ranges:
    """What precedes the first of the blocks; all, if there are none."""
    return past.before(blocks.item(0)) if len(blocks) else past


def _newest_exchange(plan: HistoryPlan, past: Ranges) -> np.ndarray:
    """int64: the undecided blocks from the newest user message of the history on; none if it has none."""
    looked = 64
    while True:  # from the newest back, as far as it takes
        blocks = plan.newest_open(past, looked)
        users = (plan.history.columns.block_role[blocks] == USER).nonzero()[0]
        if len(users) or len(blocks) < looked:
            return blocks[users.item(-1) :] if len(users) else blocks[:0]
        looked *= 8


def _first_user(plan: HistoryPlan, blocks: np.ndarray) -> int:
    """Where among the blocks the first user message is; their number if there is none."""
    users = (plan.history.columns.block_role[blocks] == USER).nonzero()[0]
    return int(users[0]) if len(users) else len(blocks)


def _lengths(plan: HistoryPlan, blocks: np.ndarray) -> np.ndarray:
    """int64: characters of what is sent of each of these blocks (ascending)."""
    history, columns = plan.history, plan.history.columns
    if not len(blocks):
        return blocks
    oldest = blocks.item(0)
    first = columns.block_first.item(oldest)
    lengths = column(history.conversation, "characters", characters_of, np.int64)[first : history.size].copy()
    for cut in plan.shortened:
        for i in cut.messages[cut.messages.searchsorted(first) :].tolist():
            lengths[i - first] += len(cut.texts[i]) - len(history.conversation[i].content)
    homes = columns.block[first : history.size] - oldest
    newer = homes >= 0  # not the late result of an older call
    of_blocks: np.ndarray = np.bincount(homes[newer], lengths[newer])[blocks - oldest]
    return of_blocks.astype(np.int64)


def _cut(plan: HistoryPlan, blocks: np.ndarray, room: int) -> HistoryPlan:
    """The blocks filled into the room, the oldest first; what exceeds it is cut, with a mark."""
    characters, texts = room, {}
    chosen = np.zeros(plan.history.blocks, bool)
    chosen[blocks] = True
    first = plan.history.columns.block_first.item(blocks.item(0)) if len(blocks) else plan.size
    for i in (np.flatnonzero(chosen[plan.history.columns.block[first : plan.size]]) + first).tolist():
        text = plan.history.conversation[i].content
        if len(text) > room:
            texts[i] = truncate_text(text, room, CUT)
        room = max(0, room - len(text))
    return plan.truncate(texts, OVERSIZED, characters=characters) if texts else plan
