"""The blocks that each request of a conversation sends, of all requests at once: what readers of a timeline ask.

A request sends the blocks it knows but those that never are and a few ranges of the others. The ranges of all requests
stand one after another in two arrays, those of request r from `offsets[r]` up to `offsets[r + 1]`; what holds for every
request is held once (`standing.py`). So a question about thousands of requests and blocks is a few binary searches in
arrays, and nothing is ever spread to requests × blocks.

Ranges are ascending, apart, and each holds an open block; those between which nothing is open are one. A request that
decides block by block, or under other standing decisions than the last, is *apart*: its ranges say all that it doesn't
send, whatever stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from historylab.conversation.columns import NEVER, Columns
from historylab.planning.blocks import ranges_in_mask
from historylab.planning.decisions import Run
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import DROPPED, KEPT, PINNED, SENT
from historylab.planning.scans import last_places, next_places, running_sums


class BlockLists(NamedTuple):
    """Lists of blocks one after another (int64), the i-th from `offsets[i]` up to `offsets[i + 1]`.

    `ascending`: each list is; else its blocks are in the order of their messages, of which some came late.
    """

    blocks: np.ndarray
    offsets: np.ndarray
    ascending: bool = True

    @classmethod
    def of_messages(cls, columns: Columns, lists: Sequence[np.ndarray]) -> BlockLists:
        """The blocks of lists of messages (int64, ascending)."""
        messages = np.concatenate([np.empty(0, np.int64), *lists])
        return cls(columns.block[messages], running_sums(np.array([*map(len, lists)])), columns.contiguous)


class SentRanges:
    """Ranges of blocks that requests leave out.

    Attributes:
        sizes, blocks: int64[r], the messages and the blocks that each request knows.
        apart: bool[r], requests for which nothing stands beside their ranges.
        offsets: int64[r + 1]; `first`, `stop`: int64[k], from one block up to, not including, another.
    """

    def __init__(
        self,
        sizes: np.ndarray,
        blocks: np.ndarray,
        stands: np.ndarray,
        ranges: tuple[np.ndarray, np.ndarray, np.ndarray],
        apart: np.ndarray,
    ):
        """Of ranges (request, first, stop), in order and none over another; `stands`: uint8[b], standing actions."""
        self.sizes, self.blocks, self.apart = sizes, blocks, apart
        self.open = np.array([stands == KEPT, np.ones(len(stands), bool)])  # and of requests that are apart
        self.always = np.array([stands == PINNED, np.zeros(len(stands), bool)])
        self._places = running_sums(self.open)
        self.request, self.first, self.stop = self._join(*ranges)
        self.offsets = self.request.searchsorted(np.arange(len(sizes) + 1))
        self._width = len(stands) + 1
        self._keys = self.request * self._width + self.first

    @classmethod
    def of_plans(cls, columns: Columns, plans: Sequence[HistoryPlan]) -> SentRanges:
        """Of the plans of all requests, one after another."""
        cuts = [plan.cuts for plan in plans]
        standing = next((each.standing for each in reversed(cuts) if each is not None), None)
        stands = np.zeros(len(columns.block_first), np.uint8)
        if standing is not None:
            stands[: len(standing.actions)] = standing.actions[: len(stands)]
        apart, runs = np.zeros(len(plans), bool), list[Sequence[Run]]()
        for request, each in enumerate(cuts):
            if each is not None and standing is not None and each.standing.kin is standing.kin:
                runs.append(each.runs)
            else:
                apart[request] = True
                runs.append([(*ends, DROPPED, 0) for ends in ranges_in_mask(~plans[request].sent)])
        of = np.fromiter(chain.from_iterable(chain.from_iterable(runs)), np.int64).reshape(-1, 4)
        numbers, left_out = np.arange(len(plans)).repeat([len(each) for each in runs]), of[:, 2] > SENT
        sizes = np.array([plan.size for plan in plans], np.int64)
        ranges = numbers[left_out], of[left_out, 0], of[left_out, 1]
        return cls(sizes, columns.blocks_before[sizes], stands, ranges, apart)

    def _join(self, request: np.ndarray, first: np.ndarray, stop: np.ndarray) -> tuple[np.ndarray, ...]:
        """The ranges that hold something open, those as one between which nothing is."""
        row = self._row(request)
        low, high = self._places[row, first], self._places[row, stop]
        held = high > low
        if not held.all():
            request, first, stop, low, high = (each[held] for each in (request, first, stop, low, high))
        if not len(request):
            return request, first, stop
        begins = (request[1:] != request[:-1]) | (low[1:] != high[:-1])
        begins, ends = np.append(True, begins), np.append(begins, True)
        return request[begins], first[begins], stop[ends]

    def _row(self, requests: np.ndarray) -> np.ndarray:
        row: np.ndarray = self.apart[requests].view(np.uint8)
        return row

    def _range_over(self, requests: np.ndarray, blocks: np.ndarray) -> np.ndarray:
        """int64[k]: the range of each request that the block is in; -1 if none is."""
        if not len(self.first):
            return np.full(len(requests), -1)
        found = self._keys.searchsorted(requests * self._width + blocks, "right") - 1
        within = (found >= 0) & (self.request[found] == requests) & (self.stop[found] > blocks)
        return np.where(within, found, -1)

    def sends(self, requests: np.ndarray, blocks: np.ndarray) -> np.ndarray:
        """bool[k]: whether each of these requests (from 0) sends the block, which it knows, whole or in part."""
        row = self._row(requests)
        sent = self.open[row, blocks] & (self._range_over(requests, blocks) < 0)
        known: np.ndarray = sent | self.always[row, blocks]
        return known

    def newest_sent(
        self, requests: np.ndarray, lists: BlockLists, which: np.ndarray, ends: np.ndarray | None = None
    ) -> np.ndarray:
        """int64[k]: where among `lists.blocks` the last one stands that the request sends; -1 if it sends none.

        Of each request (from 0) `which` list is asked, up to `ends` (a place among all blocks, its end by default).
        """
        ends = lists.offsets[which + 1] if ends is None else ends
        found = np.full(len(requests), -1)
        for row in (False, True):
            asked = np.flatnonzero(self.apart[requests] == row)
            if len(asked):
                found[asked] = self._newest_sent(requests[asked], lists, which[asked], ends[asked], int(row))
        return found

    def _newest_sent(
        self, requests: np.ndarray, lists: BlockLists, which: np.ndarray, ends: np.ndarray, row: int
    ) -> np.ndarray:
        begins = lists.offsets[which]
        found: np.ndarray = last_places(self.always[row, lists.blocks])[ends]
        found[found < begins] = -1
        newest_open = last_places(self.open[row, lists.blocks])
        keys = np.arange(len(lists.offsets) - 1).repeat(np.diff(lists.offsets)) * self._width + lists.blocks
        asked, at = np.arange(len(requests)), newest_open[ends]
        while len(asked):  # at most as often as a request has ranges, where lists are ascending
            left = at >= np.maximum(begins[asked], found[asked] + 1)
            asked, at = asked[left], at[left]
            over = self._range_over(requests[asked], lists.blocks[at])
            found[asked[over < 0]] = at[over < 0]
            asked, at, over = (each[over >= 0] for each in (asked, at, over))
            if lists.ascending:
                at = keys.searchsorted(which[asked] * self._width + self.first[over])
            at = newest_open[at]
        return found

    def next_sent(
        self, requests: np.ndarray, blocks: np.ndarray | int = 0, among: np.ndarray | None = None
    ) -> np.ndarray:
        """int64[k]: the first block from that one on that the request sends, of those `among` (bool[b]); else NEVER."""
        return self._nearest(requests, np.broadcast_to(blocks, requests.shape), among, forwards=True)

    def last_sent(self, requests: np.ndarray, among: np.ndarray | None = None) -> np.ndarray:
        """int64[k]: the last block that each of these requests sends, of those `among` (bool[b]); -1 without any."""
        return self._nearest(requests, self.blocks[requests] - 1, among, forwards=False)

    def _nearest(
        self, requests: np.ndarray, blocks: np.ndarray, among: np.ndarray | None, *, forwards: bool
    ) -> np.ndarray:
        nearest = np.empty(len(requests), np.int64)
        for row in (0, 1):
            asked = np.flatnonzero(self.apart[requests] == bool(row))
            if not len(asked):
                continue
            chosen = [mask[row] if among is None else mask[row] & among for mask in (self.open, self.always)]
            steps, pinned = (next_places(mask) if forwards else last_places(mask) for mask in chosen)
            shift = 0 if forwards else 1
            nearest[asked] = pinned[blocks[asked] + shift]
            at = steps[blocks[asked] + shift]
            while len(asked):
                closer = at < nearest[asked] if forwards else at > nearest[asked]
                asked, at = asked[closer], at[closer]
                over = self._range_over(requests[asked], at)
                nearest[asked[over < 0]] = at[over < 0]
                asked, over = asked[over >= 0], over[over >= 0]
                at = steps[self.stop[over] if forwards else self.first[over]]
        if forwards:
            nearest[nearest >= self.blocks[requests]] = NEVER
        return nearest

    def within(self, before: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The ranges (request, first, stop), as far as they are before one block of each request (int64[r])."""
        if before is None:
            return self.request, self.first, self.stop
        ends = before[self.request]
        held = self.first < ends
        return self.request[held], self.first[held], np.minimum(self.stop, ends)[held]

    def add_up(self, request: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """[..., r]: the sums of numbers ([..., k]) that belong to requests (int64[k], ascending)."""
        running, ends = running_sums(numbers), request.searchsorted(np.arange(len(self.sizes) + 1))
        sums: np.ndarray = np.diff(running[..., ends])
        return sums

    def sums(self, weights: np.ndarray, before: np.ndarray | None = None) -> np.ndarray:
        """int64[..., r]: what the blocks weigh together (`weights`, int64[..., b]) that each request sends.

        Of those `before` one block of each (int64[r]; all it knows by default).
        """
        request, first, stop = self.within(before)
        sums = np.zeros((*weights.shape[:-1], len(self.sizes)), np.int64)
        ends = self.blocks if before is None else before
        for row in (0, 1):
            if (of := self.apart == row).any():
                opened, pinned = (running_sums(weights * mask[row]) for mask in (self.open, self.always))
                left_out = self.add_up(request, opened[..., stop] - opened[..., first])
                np.copyto(sums, (opened + pinned)[..., ends] - left_out, where=of)
        return sums

    def mask(self, request: int) -> np.ndarray:
        """bool[blocks]: what one request sends."""
        row, blocks = int(self.apart[request]), self.blocks.item(request)
        sent = self.open[row, :blocks].copy()
        for at in range(self.offsets.item(request), self.offsets.item(request + 1)):
            sent[self.first.item(at) : self.stop.item(at)] = False
        sent |= self.always[row, :blocks]
        return sent

    def first_changed(self) -> np.ndarray:
        """int64[r]: the first block that either a request or the one before it sends, but not both; else NEVER."""
        count = len(self.sizes)
        changed = np.full(count, NEVER)
        alike = np.arange(1, count)
        mixed = self.apart[1:] != self.apart[:-1]
        for request in alike[mixed].tolist():
            before, now = self.mask(request - 1), self.mask(request)
            common = min(len(before), len(now))
            differs = before[:common] != now[:common]
            if differs.any():
                changed[request] = differs.argmax()
        alike, at = alike[~mixed], 0
        places = [np.flatnonzero(mask) for mask in self.open]
        while len(alike):  # the first place among open blocks at which one's ranges have an end and the other's haven't
            ends = [self._end_at(alike - 1, at), self._end_at(alike, at)]
            known = np.minimum(self.blocks[alike - 1], self.blocks[alike])
            row = self._row(alike)
            end = np.minimum(*ends)
            differs = (ends[0] != ends[1]) & (end < self._places[row, known])
            for each in (0, 1):
                chosen = differs & (row == each)
                changed[alike[chosen]] = places[each][end[chosen]]
            alike = alike[(ends[0] == ends[1]) & (end < NEVER)]
            at += 1
        return changed

    def _end_at(self, requests: np.ndarray, number: int) -> np.ndarray:
        """int64[k]: the place of each request's n-th end of a range (the first of one, its stop, the first of the
        next) among the blocks that are open to it; NEVER where it has fewer."""
        at = self.offsets[requests] + number // 2
        there = at < self.offsets[requests + 1]
        found = np.full(len(requests), NEVER)
        ends = (self.stop if number % 2 else self.first)[at[there]]
        found[there] = self._places[self._row(requests[there]), ends]
        return found
