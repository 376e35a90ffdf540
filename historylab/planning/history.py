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


class Sums(Growing):
    """Token sums of a conversation, added up once per counter.

    `tokens` is int64[n], `running` int64[n + 1] those before each message; `block_tokens` and `block_sizes` are
    float64[b], `block_running` float64[b + 1] the tokens before each block.
    """

    __slots__ = ("_arrays", "_counter", "block_running", "block_sizes", "block_tokens", "running", "tokens")

    def __init__(self, counter: Counter, tokens: np.ndarray, arrays: tuple[GrowingArray, ...]):
        self._counter, self.tokens, self._arrays = counter, tokens, arrays
        self.running, self.block_tokens, self.block_sizes, self.block_running = (grown.array for grown in arrays)

    @staticmethod
    def of_nothing(counter: Counter) -> Sums:
        none = GrowingArray(np.zeros(0))
        arrays = GrowingArray(np.zeros(1, np.int64)), none, none, GrowingArray(np.zeros(1))
        return Sums(counter, np.zeros(0, np.int64), arrays)

    def followed_by(self, conversation: Conversation, start: int) -> Sums:
        tokens, homes = token_column(conversation, self._counter), conversation.columns.block[start:]
        running, block_tokens, block_sizes, block_running = self._arrays
        new, known = tokens[start:], block_tokens.size
        blocks = len(conversation.columns.block_first) - known
        if len(homes) and homes.min() < known:  # results of calls that were there
            late = homes < known
            for_known = [np.bincount(homes[late], weights, known) for weights in (new[late], None)]
            block_tokens = block_tokens.changed(slice(None), block_tokens.array + for_known[0])
            block_sizes = block_sizes.changed(slice(None), block_sizes.array + for_known[1])
            block_running = GrowingArray(np.concatenate(([0.0], np.cumsum(block_tokens.array))))
            homes, added = homes[~late], new[~late]
        else:
            added = new
        of_block = np.bincount(homes - known, added, blocks)
        arrays = (
            running.followed_by(running.array[-1] + new.cumsum()),
            block_tokens.followed_by(of_block),
            block_sizes.followed_by(np.bincount(homes - known, minlength=blocks).astype(float)),
            block_running.followed_by(block_running.array[-1] + of_block.cumsum()),
        )
        return Sums(self._counter, tokens, arrays)

    def with_leading(self, conversation: Conversation, before: int, now: int) -> Sums:
        new = token_column(conversation.beginning(now), self._counter)
        tokens = np.concatenate((new, self.tokens[before:]))
        block_tokens = np.concatenate((new.astype(float), self.block_tokens[before:]))
        block_sizes = np.concatenate((np.ones(now), self.block_sizes[before:]))
        running = np.concatenate(([0], np.cumsum(tokens)))
        block_running = np.concatenate(([0.0], np.cumsum(block_tokens)))
        return Sums(
            self._counter, tokens, tuple(map(GrowingArray, (running, block_tokens, block_sizes, block_running)))
        )


def sums_of(conversation: Conversation, counter: Counter) -> Sums:
    """The token sums of a conversation."""
    return conversation.growing(("sums", counter.key), lambda: Sums.of_nothing(counter))
