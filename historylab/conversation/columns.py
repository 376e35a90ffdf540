"""The numpy index of a conversation, on which every stage works instead of lists of message objects.

Two levels: *messages* (role, block, turn) and *blocks* (an assistant message with tool calls together with all its
results; any other message alone). Decisions are made per block, so a call and its results cannot be parted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

SYSTEM, USER, ASSISTANT, TOOL, OTHER = range(5)
ROLE_CODES = {"system": SYSTEM, "user": USER, "assistant": ASSISTANT, "tool": TOOL}
NEVER = np.iinfo(np.int64).max


@dataclass(slots=True, eq=False)  # not frozen: a Trimmer makes one at every call, which would take four times as long
class Columns:
    """Read-only arrays. Lengths: n messages, b blocks, r requests, u turns, t tool results, s that stand for
    earlier ones, c commands."""

    role: np.ndarray  # uint8[n]
    block: np.ndarray  # int64[n], in order of each block's first message
    turn: np.ndarray  # int64[n], -1 before the first user message
    block_first: np.ndarray  # int64[b], index of the first message
    block_last: np.ndarray  # int64[b], index of the last message
    block_role: np.ndarray  # uint8[b], role of the first message
    block_turn: np.ndarray  # int64[b]
    answered_at: np.ndarray  # int64[b], history length from which all its calls have results; NEVER if they have not
    orphan: np.ndarray  # bool[b], a tool result without its call
    system: np.ndarray  # bool[b]
    users: np.ndarray  # int64[u], message indices of the user's messages that begin turns
    user_blocks: np.ndarray  # int64[u]
    results: np.ndarray  # int64[t], message indices of the tool results
    requests: np.ndarray  # int64[r], history lengths at which a model is called
    blocks_before: np.ndarray  # int64[n + 1], blocks begun within the first k messages
    users_before: np.ndarray  # int64[n + 1], turns begun among the first k messages
    contiguous: bool  # no block is interrupted by a message of another
    clean: bool  # no orphan result and no unanswered call, and no block is interrupted
    doubtful: np.ndarray  # int64[d], blocks an API may refuse: orphans, and calls that others followed unanswered
    pins: np.ndarray  # int64[p], message indices the user pinned
    stand_ins: np.ndarray  # int64[s], indices of messages that replace earlier ones
    shown: np.ndarray  # int64[c], indices of messages that are only shown, which ask nothing and begin no turn
    replaced_by: np.ndarray  # int64[n], index of the message that replaces it; NEVER if none does
    apart: bool = False  # every message is a block of its own, a call and its results too

    def first_request_after(self, message: int) -> int:
        """The first request (from 0) that has this message in its history; r if none does."""
        return int(self.requests.searchsorted(message, side="right"))

    def shown_before(self, size: int) -> np.ndarray:
        """int64: those of the first `size` messages that are only shown."""
        return self.shown[: self.shown.searchsorted(size)]

    def first_block_since(self, message: int) -> int:
        """The first block with a message from this one on, which may have begun before it; b if none has."""
        homes = self.block[message:]
        if not len(homes):
            return len(self.block_first)
        return homes.item(0) if self.contiguous else int(homes.min())

    def refused_blocks(self, size: int) -> np.ndarray:
        """int64: the blocks that an API would refuse in a history of the first `size` messages, ascending.

        Results without a call, and calls without all results unless nothing but their results follows. Only `doubtful`
        blocks are looked at: there are none in an ordinary conversation, while its tools run or not.
        """
        if not len(self.doubtful) or not size:
            return self.doubtful[:0]
        blocks = self.blocks_before.item(size)
        asked = self.doubtful[: self.doubtful.searchsorted(blocks)]
        unanswered = self.answered_at[asked] > size
        if self.block.item(size - 1) == blocks - 1:
            unanswered &= asked != blocks - 1
        found: np.ndarray = asked[unanswered | self.orphan[asked]]
        return found

    def message_by_message(self) -> Columns:
        """The columns of the same messages, each a block of its own."""
        count = len(self.role)
        each, zeros, no = np.arange(count), np.zeros(count, np.int64), np.zeros(count, bool)
        return replace(
            self,
            block=each,
            block_first=each,
            block_last=each,
            block_role=self.role,
            block_turn=self.turn,
            answered_at=zeros,
            orphan=no,
            system=self.role == SYSTEM,
            user_blocks=self.users,
            blocks_before=np.arange(count + 1),
            contiguous=True,
            clean=False,
            doubtful=np.empty(0, np.int64),
            apart=True,
        )
