"""Losses under cuts planned all at once: the needs, must-remember messages and rules that requests no longer hold.

A value is held where one of its mentions is sent, with the value in it. Nearly always that asks only whether the newest
mention lies after the cut. Of plans without summaries of their own `retention.py` says the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from historylab.conversation.columns import USER
from historylab.conversation.conversation import Conversation
from historylab.planning.cut_vectors import CutVectors
from historylab.planning.scans import running_sums
from historylab.recall.references import Need, contains_value, find_needs, searchable_text


class Values(NamedTuple):
    """Values that are needed, each with its telling lines or alone: v of them, of n needs, with m mentions in all.

    `kinds` are those of the needs, and `of` (int64[n + 1]) before each the values; `steps` (int64[v]): the request that
    needs one; `said` (int64[v + 1]): before each the mentions, which are `messages` (int64[m]).
    """

    needs: tuple[Need, ...]
    kinds: np.ndarray
    texts: tuple[str, ...]
    of: np.ndarray
    steps: np.ndarray
    said: np.ndarray
    messages: np.ndarray


def needed_values(conversation: Conversation) -> Values:
    """The values that the requests of a conversation need, found once."""

    def find() -> Values:
        needs = tuple(need for step in find_needs(conversation) for need in step)
        lines = [need.lines or ((need.value, need.mentions),) for need in needs]
        values = [(need.step, text, said) for need, each in zip(needs, lines, strict=True) for text, said in each]
        return Values(
            needs,
            np.array([need.kind for need in needs], str),
            tuple(text for _, text, _ in values),
            running_sums(np.array([*map(len, lines)], np.int64)),
            np.array([step for step, _, _ in values], np.int64),
            running_sums(np.array([len(said) for *_, said in values], np.int64)),
            np.concatenate([np.empty(0, np.int64), *(said for *_, said in values)]),
        )

    return conversation.remember("needed values", find)


class CutLosses:
    """The values that the requests of s settings lack."""

    def __init__(self, vectors: CutVectors):
        self.vectors, self.ground = vectors, vectors.ground
        self._says: dict[tuple[int, str], bool] = {}
        self._text_of: dict[int, str] = {}
        texts = self.ground.texts
        self._place = np.full(len(self.ground.conversation), -1)
        if texts is not None:
            shorter = self.ground.open[texts.homes]
            self._place[texts.messages[shorter]] = np.flatnonzero(shorter)

    def find_lost(self) -> np.ndarray:
        """bool[s, v]: the needed values that are no longer held."""
        ground, vectors = self.ground, self.vectors
        values = needed_values(ground.conversation)
        count = len(values.texts)
        cuts, beside = vectors.cuts[:, values.steps], vectors.beside[:, values.steps]
        owner = np.repeat(np.arange(count), np.diff(values.said))
        blocks = ground.columns.block[values.messages]
        pinned = np.zeros(count, bool)
        pinned[owner[ground.pinned[blocks]]] = True
        may = ground.open[blocks]
        users = may & (ground.columns.block_role[blocks] == USER)
        held = pinned | self._beside(beside, owner[users], blocks[users], count)
        places = self._place[values.messages]
        cut_short = places >= 0
        held |= _newest(owner, blocks, may & ~cut_short, count) >= cuts
        if cut_short.any():
            self._add_shortened(held, values, owner, blocks, places, cuts)
        found: np.ndarray = ~held
        return found

    def _beside(self, beside: np.ndarray, owner: np.ndarray, blocks: np.ndarray, count: int) -> np.ndarray:
        """bool[s, v]: those that the block beside the cut says."""
        found = np.zeros((len(beside), count), bool)
        if len(owner) and (beside >= 0).any():
            for setting, of in zip(*(beside[:, owner] == blocks).nonzero(), strict=True):
                found[setting, owner[of]] = True
        return found

    def _add_shortened(
        self,
        held: np.ndarray,
        values: Values,
        owner: np.ndarray,
        blocks: np.ndarray,
        places: np.ndarray,
        cuts: np.ndarray,
    ) -> None:
        """Mark as held what a tool result says that is sent whole, or still says in its shorter text."""
        told = np.flatnonzero(places >= 0)
        of, of_request = owner[told], values.steps[owner[told]]
        wanted = ~held[:, of] & (blocks[told] >= cuts[:, of])
        settings, found = (wanted & (places[told] >= self.vectors.stops[:, of_request])).nonzero()
        held[settings, of[found]] = True
        wanted &= ~held[:, of]
        for k in np.flatnonzero(wanted.any(0))[::-1].tolist():  # from the newest on
            value = of.item(k)
            without = wanted[:, k] & ~held[:, value]
            if without.any() and self._still_says(values.messages.item(told.item(k)), values.texts[value]):
                held[:, value] |= without

    def _still_says(self, message: int, value: str) -> bool:
        """Tell whether the shorter text of a message still says a value."""
        key = message, value
        if key not in self._says:
            texts = self.ground.texts
            assert texts is not None
            if message not in self._text_of:
                sent = texts.with_text(message, self.ground.conversation[message])
                self._text_of[message] = searchable_text(sent, texts[message])
            self._says[key] = not value or contains_value(self._text_of[message], value)
        return self._says[key]

    def find_lost_later(self, value: str, mentions: np.ndarray, since: int) -> np.ndarray:
        """bool[s, r]: the requests from `since` on (from 0) that lack a value, of which these are the mentions."""
        ground, vectors = self.ground, self.vectors
        blocks = ground.columns.block[mentions]
        said, places = mentions.searchsorted(ground.sizes), self._place[mentions]
        pinned = np.append(False, np.logical_or.accumulate(ground.pinned[blocks]))[said]
        sure = np.where(ground.open[blocks] & (places < 0), blocks, -1)
        held = pinned | (np.append(-1, np.maximum.accumulate(sure))[said] >= vectors.cuts)
        for block in np.unique(blocks[ground.open[blocks] & (ground.columns.block_role[blocks] == USER)]).tolist():
            held |= vectors.beside == block
        for k in np.flatnonzero(places >= 0).tolist():
            wanted = ~held & (blocks[k] >= vectors.cuts) & (said > k)
            if wanted.any():
                still = self._still_says(mentions.item(k), value)
                held |= wanted & (still | (places[k] >= vectors.stops))
        lost: np.ndarray = ~held
        lost[:, :since] = False
        return lost


def _newest(owner: np.ndarray, blocks: np.ndarray, chosen: np.ndarray, count: int) -> np.ndarray:
    """int64[v]: the newest of each one's chosen blocks; -1 without any."""
    newest = np.full(count, -1)
    newest[owner[chosen]] = blocks[chosen]  # ascending: the last one stays
    return newest
