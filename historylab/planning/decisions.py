"""The decisions of one plan about its blocks, in one of two forms that say the same.

`Cuts`: what stands for all requests, and on top of it a few ranges of what that leaves open, as nearly every cut is
one. `Codes`: an action and a reason per block, where a stage decides block by block.
"""

from __future__ import annotations

import numpy as np

from historylab.planning.blocks import Ranges
from historylab.planning.codes import Codes
from historylab.planning.reasons import PINNED, SENT
from historylab.planning.standing import Standing

MOST_RANGES = 64  # of one plan; where it takes more, codes are shorter
Run = tuple[int, int, int, int]
"""The open blocks from the first up to the second: their action and their reason."""


class Cuts:
    """Ranges of what `standing` leaves open. `runs` are decided and apart, ascending; `notes` say why others stay."""

    __slots__ = ("blocks", "notes", "runs", "standing")

    def __init__(self, standing: Standing, blocks: int, runs: tuple[Run, ...] = (), notes: tuple[Run, ...] = ()):
        self.standing, self.blocks, self.runs, self.notes = standing, blocks, runs, notes

    def actions(self) -> np.ndarray:
        """uint8[blocks], read-only."""
        return self._codes()[0]

    def reasons(self) -> np.ndarray:
        """uint8[blocks], read-only."""
        return self._codes()[1]

    def _codes(self) -> tuple[np.ndarray, np.ndarray]:
        standing, cut = self.standing, (self.blocks, self.runs, self.notes)
        latest = standing.latest
        if latest is None or latest[0] != cut:
            actions = self._fill(standing.actions[: self.blocks], self.runs, 2)
            reasons = self._fill(standing.reasons[: self.blocks], (*self.notes, *self.runs), 3)
            latest = standing.latest = cut, actions, reasons
        return latest[1], latest[2]

    def _fill(self, standing: np.ndarray, runs: tuple[Run, ...], field: int) -> np.ndarray:
        codes, decided = standing.copy(), self.standing.actions
        for run in runs:
            first, stop = run[0], run[1]
            np.copyto(codes[first:stop], run[field], where=decided[first:stop] == 0)
        codes.setflags(write=False)
        return codes

    def actions_at(self, blocks: np.ndarray | slice) -> np.ndarray:
        """uint8: the actions of some blocks (int64, or a slice with both ends)."""
        found: np.ndarray = self.standing.actions[blocks].copy()
        if isinstance(blocks, slice):
            for first, stop, action, _ in self.runs:
                low, high = max(first - blocks.start, 0), stop - blocks.start
                if high > low:
                    part = found[low:high]
                    part[part == 0] = action
            return found
        is_open = found == 0
        for first, stop, action, _ in self.runs:
            found[is_open & (blocks >= first) & (blocks < stop)] = action
        return found

    def at(self, block: int) -> tuple[int, int]:
        """The action and the reason of one block."""
        action, reason = self.standing.actions.item(block), self.standing.reasons.item(block)
        if not action:
            for first, stop, _, why in self.notes:
                reason = why if first <= block < stop else reason
            for first, stop, done, why in self.runs:
                if first <= block < stop:
                    return done, why
        return action, reason

    def where(self, action: int | None = None, reason: int | None = None) -> Ranges:
        """The blocks, of those that this plan's own stages took out, with this action or this reason."""
        found = (r[:2] for r in self.runs if r[2] > SENT and action in (None, r[2]) and reason in (None, r[3]))
        return Ranges(found)

    def left_out(self) -> list[Run]:
        """The ranges that this plan's own stages took out."""
        return [run for run in self.runs if run[2] > SENT]

    def still_open(self, blocks: Ranges | np.ndarray) -> Ranges | np.ndarray:
        """Those of them that are open; as ranges where they are few."""
        if isinstance(blocks, Ranges):
            return self.ranges_open(blocks)
        wanted: np.ndarray = blocks & (self.actions() == 0)
        padded = np.zeros(len(wanted) + 2, bool)
        padded[1:-1] = wanted
        edges = (padded[1:] != padded[:-1]).nonzero()[0]
        if not len(edges):
            return Ranges()
        firsts, stops, places = edges[::2], edges[1::2], self.standing.places
        apart = places[firsts[1:]] != places[stops[:-1]]  # no neighbours among the blocks left open
        if np.count_nonzero(apart) >= MOST_RANGES:
            return wanted
        firsts, stops = firsts[np.append(True, apart)], stops[np.append(apart, True)]
        return Ranges(zip(firsts.tolist(), stops.tolist(), strict=True))

    @property
    def pins(self) -> bool:
        """Whether a stage has pinned something."""
        return any(run[2] == PINNED for run in self.runs)

    def sent(self) -> np.ndarray:
        """int64, ascending: the blocks that are sent; found without looking at ranges that are not."""
        standing, found, at = self.standing, list[np.ndarray](), 0
        for first, stop, action, _ in self.runs:
            if action > SENT:
                always = standing.always
                found += self._sent_between(at, first), always[always.searchsorted(first) : always.searchsorted(stop)]
                at = stop
        return np.concatenate([*found, self._sent_between(at, self.blocks)])

    def _sent_between(self, first: int, stop: int) -> np.ndarray:
        places = self.standing.places
        if places.item(stop) - places.item(first) == stop - first:
            return np.arange(first, stop)
        found: np.ndarray = (self.standing.actions[first:stop] <= SENT).nonzero()[0] + first
        return found

    def ranges_open(self, blocks: Ranges) -> Ranges:
        """What is open of these ranges; each holds some."""
        places, runs, found = self.standing.places, self.runs, list[tuple[int, int]]()
        for first, end in blocks:
            at, stop = first, min(end, self.blocks)
            for run in runs:
                if run[1] > at:
                    if run[0] >= stop:
                        break
                    if run[0] > at and places.item(run[0]) > places.item(at):
                        found.append((at, run[0]))
                    at = run[1]
            if at < stop and places.item(stop) > places.item(at):
                found.append((at, stop))
        return Ranges(found)

    def first_spoken(self) -> int:
        """A block before which nothing but system messages is sent; 0 where that is not known."""
        if self.standing.speaks:
            return 0
        places, first = self.standing.places, 0
        for run in self.runs:
            if run[2] <= SENT or places.item(run[0]) > places.item(first):
                break
            first = run[1]
        return first

    def decided(self, blocks: Ranges | np.ndarray, action: int, reason: int) -> Decisions:
        """With these blocks, all of them open, decided."""
        if isinstance(blocks, Ranges):
            runs = self._join(sorted([*self.runs, *((first, stop, action, reason) for first, stop in blocks)]))
            if len(runs) <= MOST_RANGES:
                return Cuts(self.standing, self.blocks, runs, self.notes)
            blocks = blocks.mask(self.blocks) & (self.actions() == 0)
        return self.codes().decided(blocks, action, reason)

    def with_note(self, blocks: Ranges | np.ndarray, reason: int) -> Decisions:
        """With this reason for these blocks, all of them open, which stay so."""
        if isinstance(blocks, Ranges):
            notes = (*self.notes, *((first, stop, 0, reason) for first, stop in blocks))
            return Cuts(self.standing, self.blocks, self.runs, notes)
        return self.codes().with_note(blocks, reason)

    def _join(self, runs: list[Run]) -> tuple[Run, ...]:
        """The runs, those as one between which nothing is open and that say the same."""
        places, joined = self.standing.places, [runs[0]]
        for run in runs[1:]:
            last = joined[-1]
            if run[2:] == last[2:] and places.item(run[0]) == places.item(last[1]):
                joined[-1] = (last[0], run[1], run[2], run[3])
            else:
                joined.append(run)
        return tuple(joined)

    def codes(self) -> Codes:
        return Codes(*self._codes())

    def stored(self, before: Decisions | None) -> Decisions:
        return self


Decisions = Cuts | Codes
