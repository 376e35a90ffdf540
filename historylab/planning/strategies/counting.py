"""The newest blocks, counted in messages, groups or items: shared by the cuts that keep so many of them."""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

import numpy as np
from pydantic import Field

from historylab.conversation.columns import USER
from historylab.conversation.message import Message
from historylab.planning.blocks import before
from historylab.planning.plan import HistoryPlan
from historylab.planning.strategies.facts import column
from historylab.registry import FINE

Counted = Annotated[
    Literal["messages", "merged", "groups", "items"],
    Field(
        title="Counted in",
        description="messages, each tool result being one; merged: the results of one message's calls are one message; "
        "groups: calls and their results are one; items: a text, a call and a result are one each",
        json_schema_extra=FINE,
    ),
]
NOUNS = {"messages": "messages", "merged": "messages", "groups": "groups", "items": "items"}
"""The noun for what is counted, in a sentence."""


class NewestBlocks(NamedTuple):
    """The newest open blocks (int64, the newest first), and what each and the newer ones count together."""

    blocks: np.ndarray
    running: np.ndarray

    def exceed(self, most: int) -> bool:
        """Tell whether they count more than that."""
        return bool(len(self.running) and self.running[-1] > most)

    def first_of(self, keep: int) -> int:
        """The block with which the newest `keep` begin; one that the cut would split is whole among them."""
        first: int = self.blocks.item(min(int(self.running.searchsorted(keep)), len(self.blocks) - 1))
        return first

    def first_user_of(self, keep: int, roles: np.ndarray) -> int:
        """The oldest user message among the newest `keep`, else the oldest block that is whole among them.

        If none is, the newest block. `roles` are those of all blocks.
        """
        within = self.blocks[: max(1, int(self.running.searchsorted(keep, side="right")))]
        users = (roles[within] == USER).nonzero()[0]
        first: int = within.item(users[-1] if len(users) else -1)
        return first


def newest_blocks(plan: HistoryPlan, count: int, unit: str = "messages", *, before_turn: bool = False) -> NewestBlocks:
    """The newest open blocks: as many as count that much in any case.

    With `before_turn` those of them that precede the newest turn.
    """
    history = plan.history
    turn = before_turn and history.users
    end = history.columns.user_blocks.item(history.users - 1) if turn else history.blocks
    blocks = plan.newest_open(before(end), count)
    return NewestBlocks(blocks[::-1], _weights(plan, blocks, unit)[::-1].cumsum())


def _weights(plan: HistoryPlan, blocks: np.ndarray, unit: str) -> np.ndarray:
    """int64: what each of these blocks (ascending) counts, 1 at least."""
    sizes: np.ndarray = plan.history.block_sizes[blocks].astype(np.int64)
    most = {"groups": 1, "merged": 2}.get(unit)
    if unit == "items" and len(blocks):
        sizes = _items(plan, blocks)
    return sizes if most is None else np.minimum(sizes, most)


def _items(plan: HistoryPlan, blocks: np.ndarray) -> np.ndarray:
    history, columns = plan.history, plan.history.columns
    oldest = blocks.item(0)
    first = columns.block_first.item(oldest)
    homes = columns.block[first : history.size] - oldest
    newer = homes >= 0  # not the late result of an older call
    items = column(history.conversation, "items", _items_of, np.int64)[first : history.size]
    counts: np.ndarray = np.bincount(homes[newer], items[newer])[blocks - oldest]
    return counts.astype(np.int64)


def _items_of(message: Message) -> int:
    return max(1, bool(message.content) + len(message.tool_calls))
