"""The history of one request: the first messages of a conversation, their columns and tokens, as views."""

from __future__ import annotations

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.conversation.growing import Growing, GrowingArray
from historylab.counters.base import Counter, token_column


class History:
    """The history of one request: the first `size` messages of a conversation, and their columns up to there.

    `tokens` is int64[size], `total_tokens` its sum; `block_tokens` and `block_sizes` are float64[blocks] (whole
    numbers: numpy multiplies a mask into floats several times faster); `users` counts the user messages. `whole`:
    every block has all its messages, so that sums over a run of blocks can be looked up.
    """

    __slots__ = (
        "block_sizes", "block_tokens", "blocks", "columns", "conversation", "counter", "size", "sums", "users", "whole",
    )  # fmt: skip

    blocks: int
    users: int

    def __init__(self, conversation: Conversation, counter: Counter, size: int):
        columns, sums = conversation.columns, sums_of(conversation, counter)
        blocks = columns.blocks_before.item(size)
        self.conversation, self.counter, self.size, self.columns, self.sums = conversation, counter, size, columns, sums
        self.blocks, self.users = blocks, columns.users_before.item(size)
        self.block_tokens, self.block_sizes = sums.block_tokens[:blocks], sums.block_sizes[:blocks]
        self.whole = not blocks or (columns.contiguous and columns.block_last.item(blocks - 1) < size)
        if not self.whole:  # a block reaches past `size`
            homes = columns.block[:size]
            self.block_tokens = np.bincount(homes, self.tokens, blocks)
            self.block_sizes = np.bincount(homes, minlength=blocks).astype(float)

    @property
    def tokens(self) -> np.ndarray:
        return self.sums.tokens[: self.size]

    @property
    def total_tokens(self) -> int:
        tokens: int = self.sums.running.item(self.size)
        return tokens

    @property
    def replaced(self) -> np.ndarray:
        """bool[blocks]: those a later message stands for, as a projection says it."""
        if not len(self.columns.stand_ins):
            return np.zeros(self.blocks, bool)
        by_now = self.columns.replaced_by[: self.size] < self.size
        whole: np.ndarray = np.bincount(self.columns.block[: self.size], by_now, self.blocks) == self.block_sizes
        return whole

    @property
    def shown(self) -> np.ndarray:
        """bool[blocks]: those that the transcript only shows, of no tokens."""
        mask = np.zeros(self.blocks, bool)
        mask[self.columns.block[self.columns.shown_before(self.size)]] = True
        return mask

    @property
    def untrimmed_tokens(self) -> int:
        """Tokens of the messages if nothing is cut: without those that a later one stands for."""
        return self.total_tokens - int(self.block_tokens @ self.replaced)

    def sums_of(self, first: int, stop: int) -> tuple[int, int]:
        """Tokens and messages of the blocks from `first` up to `stop`."""
        if not self.whole:
            return int(self.block_tokens[first:stop].sum()), int(self.block_sizes[first:stop].sum())
        start, end = self._start_of(first), self._start_of(stop)
        return self.sums.running.item(end) - self.sums.running.item(start), end - start

    def _start_of(self, block: int) -> int:
        """The first message of a block, if blocks are whole; behind the last block, the number of messages."""
        firsts = self.columns.block_first
        return firsts.item(block) if block < len(firsts) else len(self.columns.role)


class TokenSums(Growing[Conversation]):
    """Token sums of a conversation, added up once per counter.

    `tokens` is int64[n], `running` int64[n + 1] those before each message; `block_tokens` and `block_sizes` are
    float64[b], `block_running` float64[b + 1] the tokens before each block.
    """

    __slots__ = ("_blocks", "_counter", "_running", "block_running", "block_sizes", "block_tokens", "running", "tokens")

    def __init__(self, counter: Counter, tokens: np.ndarray, running: GrowingArray, blocks: GrowingArray):
        self._counter, self.tokens, self._running, self._blocks = counter, tokens, running, blocks
        self.running, self.block_running = running.array, blocks.array[2]
        self.block_tokens, self.block_sizes = blocks.array[0, 1:], blocks.array[1, 1:]

    @staticmethod
    def of_nothing(counter: Counter) -> TokenSums:
        none = np.zeros(0, np.int64)
        return TokenSums(counter, none, GrowingArray(np.zeros(1, np.int64)), GrowingArray(np.zeros((3, 1))))

    def followed_by(self, conversation: Conversation, start: int) -> TokenSums:
        tokens, columns = token_column(conversation, self._counter), conversation.columns
        new, blocks = tokens[start:], self._blocks
        first = min(columns.first_block_since(start), blocks.size - 1)  # results may belong to a block that was there
        homes, count = columns.block[start:] - first, len(columns.block_first) - first
        rows = np.empty((3, count))
        rows[0], rows[1] = np.bincount(homes, new, count), np.bincount(homes, minlength=count)
        if known := blocks.size - 1 - first:
            rows[:2, :known] += blocks.array[:2, first + 1 :]
        rows[0].cumsum(out=rows[2])
        rows[2] += blocks.array[2, first]
        running = self._running.followed_by(self.running[-1] + new.cumsum())
        return TokenSums(self._counter, tokens, running, blocks.beginning(first + 1).followed_by(rows))

    def with_leading(self, conversation: Conversation, before: int, now: int) -> TokenSums:
        new = token_column(conversation.beginning(now), self._counter)
        tokens = np.concatenate((new, self.tokens[before:]))
        blocks = np.zeros((3, 1 + now + len(self.block_tokens) - before))
        blocks[0, 1:] = np.concatenate((new, self.block_tokens[before:]))
        blocks[1, 1:] = np.concatenate((np.ones(now), self.block_sizes[before:]))
        blocks[2] = blocks[0].cumsum()
        running = np.concatenate(([0], np.cumsum(tokens)))
        return TokenSums(self._counter, tokens, GrowingArray(running), GrowingArray(blocks))


def sums_of(conversation: Conversation, counter: Counter) -> TokenSums:
    """The token sums of a conversation."""
    return conversation.growing(("sums", counter.key), lambda: TokenSums.of_nothing(counter))
