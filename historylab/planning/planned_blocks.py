"""What a plan says of its blocks, whatever form its decisions have, and sums over those that are still open."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from historylab.planning.blocks import Ranges
from historylab.planning.decisions import Cuts, Decisions
from historylab.planning.history import History
from historylab.planning.reasons import Action, Reason
from historylab.planning.shortening import OldestTexts, Shortening

LastWord = Callable[[Any], Iterable[tuple[Ranges | np.ndarray, Reason]]]
"""A plan's blocks, and why those of them that are open are sent; the last reason of a block counts."""


class PlannedBlocks:
    """The part of a HistoryPlan that is about blocks.

    `block_actions` and `block_reasons` are made whenever they are read: plans are kept as few numbers.
    """

    __slots__ = ("_decisions", "_last_word", "_returned", "_tokens", "history", "shortened")

    history: History
    shortened: tuple[Shortening | OldestTexts, ...]
    _decisions: Decisions
    _last_word: LastWord | None
    _returned: np.ndarray | None
    _tokens: np.ndarray  # of open blocks, before each; where decisions are cuts

    @property
    def block_actions(self) -> np.ndarray:
        """uint8[blocks], read-only: an Action per block."""
        return self._decisions.actions()

    @property
    def block_reasons(self) -> np.ndarray:
        """uint8[blocks], read-only: a reason code per block."""
        return self.decisions.reasons()

    @property
    def decisions(self) -> Decisions:
        """The decisions, with why what is open is sent."""
        decisions = self._decisions
        for blocks, why in self._last_word(self) if self._last_word else ():
            decisions = decisions.with_note(decisions.still_open(blocks), why.code)
        return decisions

    @property
    def returned(self) -> np.ndarray:
        """bool[blocks], summaries of ours that came back with the messages: no instructions, and never pinned."""
        if self._returned is None:
            return np.zeros(self.history.blocks, bool)
        return self._returned[: self.history.blocks]

    @returned.setter
    def returned(self, blocks: np.ndarray) -> None:
        self._returned = blocks

    @property
    def block_tokens(self) -> np.ndarray:
        """float64[blocks]: what each block takes, sent or not, after shortening."""
        if not self.shortened:
            return self.history.block_tokens
        tokens = self.history.block_tokens.copy()
        for cut in self.shortened:
            tokens -= np.bincount(cut.homes, cut.saved, self.history.blocks)
        return tokens

    @property
    def open(self) -> np.ndarray:
        """bool[blocks]: not decided yet."""
        undecided: np.ndarray = self.block_actions == 0  # Action.KEPT
        return undecided

    @property
    def sent(self) -> np.ndarray:
        """bool[blocks]: sent, whole or in part."""
        sent: np.ndarray = self.block_actions <= 2  # Action.TRUNCATED
        return sent

    @property
    def sent_blocks(self) -> np.ndarray:
        """int64, ascending: the blocks that are sent, whole or in part."""
        return self._decisions.sent()

    @property
    def sent_messages(self) -> np.ndarray:
        """int64: the messages that are sent, in the order of their blocks: a late result directly follows its call."""
        history, columns = self.history, self.history.columns
        blocks = self.sent_blocks
        if history.whole and columns.contiguous:  # every block is a run of messages
            sizes = history.block_sizes[blocks].astype(np.int64)
            ends = sizes.cumsum()
            each: np.ndarray = np.arange(ends.item(-1) if len(ends) else 0)
            each += (columns.block_first[blocks] - ends + sizes).repeat(sizes)
            return each
        homes = columns.block[: history.size]
        mask = np.zeros(history.blocks, bool)
        mask[blocks] = True
        chosen = np.flatnonzero(mask[homes])
        ordered: np.ndarray = chosen[np.argsort(homes[chosen], kind="stable")]
        return ordered

    @property
    def cuts(self) -> Cuts | None:
        """The decisions as ranges; None where stages decided block by block."""
        return self._decisions if isinstance(self._decisions, Cuts) else None

    def actions_at(self, blocks: np.ndarray | slice) -> np.ndarray:
        """uint8: the Action of each of some blocks (int64, or a slice with both ends)."""
        return self._decisions.actions_at(blocks)

    def among(self, blocks: Ranges | np.ndarray) -> np.ndarray:
        """bool[blocks]: those of them (a mask or ranges) that are open."""
        mask: np.ndarray = self.open & (blocks.mask(self.history.blocks) if isinstance(blocks, Ranges) else blocks)
        return mask

    def any_open(self, blocks: Ranges | np.ndarray) -> bool:
        """Whether any of the blocks (a mask or ranges) is open."""
        found = self._decisions.still_open(blocks)
        return len(found) > 0

    def tokens_of(self, blocks: Ranges | np.ndarray) -> int:
        """Tokens of those of the blocks (a mask or ranges) that are open, as they would be sent."""
        return self._amount(self._decisions.still_open(blocks))[0]

    def newest_open(self, blocks: Ranges, most: int) -> np.ndarray:
        """int64, ascending: the newest of these blocks that are open, `most` at most."""
        decisions, found = self._decisions, list[np.ndarray]()
        if not isinstance(decisions, Cuts):
            chosen = np.flatnonzero(self.among(blocks))
            return chosen[max(0, len(chosen) - most) :]
        for first, stop in reversed(decisions.ranges_open(blocks)):
            if most <= 0:
                break
            found.append(decisions.standing.newest_open(first, stop, most))
            most -= len(found[-1])
        return np.concatenate(found[::-1]) if found else np.empty(0, np.int64)

    def first_spoken(self) -> int:
        """A block before which nothing but system messages is sent; 0 where that is not known."""
        return self._decisions.first_spoken() if isinstance(self._decisions, Cuts) else 0

    def first_that_makes(self, tokens: int, blocks: Ranges) -> int | None:
        """The first block up to which the open ones among these take that many tokens; None if all take no more."""
        decisions = self._decisions
        if not isinstance(decisions, Cuts):
            sums = np.cumsum(self.block_tokens * self.among(blocks))
            return int(sums.searchsorted(tokens)) if len(sums) and sums[-1] > tokens else None
        parts, left = decisions.ranges_open(blocks), tokens
        if self._amount(parts)[0] <= tokens:
            return None
        for first, stop in parts if tokens > 0 else ():
            taken = self._amount(Ranges([(first, stop)]))[0]
            if taken >= left:
                return self._first_reaching(first, stop, left)
            left -= taken
        return 0 if self.history.blocks else None  # the first there is makes nothing, or less

    def _first_reaching(self, first: int, stop: int, tokens: int) -> int:
        """The first block from `first` on up to which open ones take that many tokens; before `stop` they do."""
        sums, shortened = self._tokens, self.shortened
        if not shortened:
            return first + int(sums[first + 1 : stop + 1].searchsorted(sums.item(first) + tokens))

        def tokens_taken(block: int) -> int:
            return int(sums.item(block)) - sum(cut.saved_before(block) for cut in shortened)

        return first + bisect_left(range(first + 1, stop + 1), tokens_taken(first) + tokens, key=tokens_taken)

    def tokens_before(self, block: int) -> int:
        """Tokens of what is sent of the blocks before that one."""
        decisions = self._decisions
        if not isinstance(decisions, Cuts) or decisions.pins:
            return int(self.block_tokens[:block] @ self.sent[:block])
        _, never = decisions.standing.tokens(self.history)
        tokens = int(self.history.sums.block_running.item(block)) - never.item(block)
        tokens -= sum(cut.saved_before(block) for cut in self.shortened)
        left_out = ((first, min(stop, block)) for first, stop, _, _ in decisions.runs if first < block)
        taken: int = tokens - self._amount(Ranges(left_out))[0]
        return taken

    def decided_before(
        self, before: PlannedBlocks, action: Action | None = None, why: Reason | None = None
    ) -> Ranges | np.ndarray:
        """The blocks (a mask or ranges) that an earlier request left out, by this action or for this reason."""
        earlier, now = before._decisions, self._decisions
        found = earlier.where(action, why.code if why else None)
        if isinstance(found, Ranges):
            assert isinstance(earlier, Cuts)
            if isinstance(now, Cuts) and earlier.standing.kin is now.standing.kin:
                return found
            found = found.mask(earlier.blocks) & (earlier.standing.actions[: earlier.blocks] == 0)
        blocks = np.zeros(self.history.blocks, bool)
        common = min(len(found), len(blocks))
        blocks[:common] = found[:common]
        return blocks

    def _amount(self, blocks: Ranges | np.ndarray) -> tuple[int, int]:
        """Tokens, as this plan sends them, and messages of blocks that are open."""
        decisions, sums = self._decisions, self._tokens
        if not isinstance(blocks, Ranges):
            return int(self.block_tokens @ blocks), int(self.history.block_sizes @ blocks)
        tokens = messages = 0
        if isinstance(decisions, Cuts):
            for first, stop in blocks:
                tokens += sums.item(stop) - sums.item(first)
                messages += decisions.standing.messages.item(stop) - decisions.standing.messages.item(first)
                for cut in self.shortened:
                    tokens -= cut.saved_before(stop) - cut.saved_before(first)
        return tokens, messages
