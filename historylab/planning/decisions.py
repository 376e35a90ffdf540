"""The decisions of one plan about its blocks, in one of three forms that say the same.

`Cuts`: what stands for all requests, and on top of it a few ranges of what that leaves open, as nearly every cut is
one. `Codes`: an action and a reason per block, where a stage decides block by block. `Patch`: such codes as what
differs from those of an earlier request, which is how they are kept once the plan is made.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from historylab.planning.blocks import Ranges
from historylab.planning.reasons import Action
from historylab.planning.standing import Standing

MOST_RANGES = 64  # of one plan; where it takes more, codes are shorter
Run = tuple[int, int, int, int]
"""The open blocks from the first up to the second: their action and their reason."""
Piece = tuple[int, int, int]
"""The open blocks from the first up to the second: their action and reason as one number, from `label`."""


def label(action: int, reason: int) -> int:
    return action << 8 | reason


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
        latest = self.standing.latest
        if latest is None or latest[0] is not self:
            standing = self.standing
            actions = self._filled(standing.actions[: self.blocks], self.runs, 2)
            reasons = self._filled(standing.reasons[: self.blocks], (*self.notes, *self.runs), 3)
            latest = standing.latest = self, actions, reasons
        return latest[1], latest[2]

    def _filled(self, standing: np.ndarray, runs: tuple[Run, ...], field: int) -> np.ndarray:
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

    def where(self, action: int | None = None, reason: int | None = None) -> Ranges | np.ndarray:
        """The blocks, of those that this plan's own stages took out, with this action or this reason."""
        found = (
            r[:2] for r in self.runs if r[2] > Action.TRUNCATED and action in (None, r[2]) and reason in (None, r[3])
        )
        return Ranges(found)

    def still_open(self, blocks: Ranges | np.ndarray) -> Ranges | np.ndarray:
        """Those of them that are open; as ranges where they are few."""
        if isinstance(blocks, Ranges):
            return self.ranges_open(blocks)
        wanted: np.ndarray = blocks & (self.actions() == 0)
        chosen = wanted.nonzero()[0]
        if not len(chosen):
            return Ranges()
        ends = (np.diff(self.standing.places[chosen]) != 1).nonzero()[0]  # neighbours among the blocks left open
        if len(ends) >= MOST_RANGES:
            return wanted
        firsts, lasts = chosen[[0, *(ends + 1)]], chosen[[*ends, -1]]
        return Ranges(zip(firsts.tolist(), (lasts + 1).tolist(), strict=True))

    def ranges_open(self, blocks: Ranges) -> Ranges:
        """What is open of these ranges; each holds some."""
        places = self.standing.places
        return Ranges([part for part in self._apart(blocks) if places.item(part[1]) > places.item(part[0])])

    def first_spoken(self) -> int:
        """A block before which nothing but system messages is sent; 0 where that is not known."""
        if self.standing.speaks:
            return 0
        places, first = self.standing.places, 0
        for run in self.runs:
            if run[2] <= Action.TRUNCATED or places.item(run[0]) > places.item(first):
                break
            first = run[1]
        return first

    def _apart(self, blocks: Ranges) -> Iterator[tuple[int, int]]:
        """What the runs leave of these ranges."""
        for first, end in blocks:
            at, stop = first, min(end, self.blocks)
            for run in self.runs:
                if run[1] > at:
                    if run[0] >= stop:
                        break
                    if run[0] > at:
                        yield at, run[0]
                    at = run[1]
            if at < stop:
                yield at, stop

    def decided(self, blocks: Ranges | np.ndarray, action: int, reason: int) -> Decisions:
        """With these blocks, all of them open, decided."""
        if isinstance(blocks, Ranges):
            runs = self._joined(sorted([*self.runs, *((first, stop, action, reason) for first, stop in blocks)]))
            if len(runs) <= MOST_RANGES:
                return Cuts(self.standing, self.blocks, runs, self.notes)
            blocks = blocks.mask(self.blocks) & (self.actions() == 0)
        return self.codes().decided(blocks, action, reason)

    def noted(self, blocks: Ranges | np.ndarray, reason: int) -> Decisions:
        """With this reason for these blocks, all of them open, which stay so."""
        if isinstance(blocks, Ranges):
            notes = (*self.notes, *((first, stop, 0, reason) for first, stop in blocks))
            return Cuts(self.standing, self.blocks, self.runs, notes)
        return self.codes().noted(blocks, reason)

    def _joined(self, runs: list[Run]) -> tuple[Run, ...]:
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


class Codes:
    """An action and a reason per block (uint8)."""

    __slots__ = ("_actions", "_reasons")

    def __init__(self, actions: np.ndarray, reasons: np.ndarray):
        self._actions, self._reasons = actions, reasons

    @property
    def blocks(self) -> int:
        return len(self._actions)

    def actions(self) -> np.ndarray:
        return self._actions

    def reasons(self) -> np.ndarray:
        return self._reasons

    def actions_at(self, blocks: np.ndarray | slice) -> np.ndarray:
        found: np.ndarray = self.actions()[blocks]
        return found

    def at(self, block: int) -> tuple[int, int]:
        return self.actions().item(block), self.reasons().item(block)

    def where(self, action: int | None = None, reason: int | None = None) -> Ranges | np.ndarray:
        actions = self.actions()
        found: np.ndarray = actions > Action.TRUNCATED if action is None else actions == action
        return found if reason is None else found & (self.reasons() == reason)

    def still_open(self, blocks: Ranges | np.ndarray) -> Ranges | np.ndarray:
        mask = blocks.mask(self.blocks) if isinstance(blocks, Ranges) else blocks
        wanted: np.ndarray = mask.view(np.uint8) > self.actions()  # wanted (1) and open (0)
        return wanted if wanted.any() else Ranges()

    def decided(self, blocks: Ranges | np.ndarray, action: int, reason: int) -> Decisions:
        return Codes(_with(self.actions(), blocks, action), _with(self.reasons(), blocks, reason))

    def noted(self, blocks: Ranges | np.ndarray, reason: int) -> Decisions:
        return Codes(self.actions(), _with(self.reasons(), blocks, reason))

    def codes(self) -> Codes:
        return self

    def stored(self, before: Decisions | None) -> Decisions:
        """As what differs from an earlier request's codes; or as they are, for those of later ones to differ from."""
        key = before if isinstance(before, Codes) else None
        if key is None or key.blocks > self.blocks:
            return self
        key, spent = (key.key, key.spent) if isinstance(key, Patch) else (key, 0)
        patch = Patch(key, self._actions, self._reasons, spent)
        return patch if patch.spent <= 2 * self.blocks else self  # what the patches take is what the codes would


class Patch(Codes):
    """Codes as the blocks (int32) that have others than in `key`; `spent`: the bytes of all patches so far of that."""

    __slots__ = ("_blocks", "_places", "key", "spent")

    def __init__(self, key: Codes, actions: np.ndarray, reasons: np.ndarray, spent: int):
        known = key.blocks
        differs = np.ones(len(actions), bool)
        np.logical_or(actions[:known] != key.actions(), reasons[:known] != key.reasons(), out=differs[:known])
        differs[known:] = (actions[known:] != 0) | (reasons[known:] != 0)
        self.key, self._blocks, self._places = key, len(actions), differs.nonzero()[0].astype(np.int32)
        super().__init__(actions[self._places], reasons[self._places])
        self.spent = spent + 6 * len(self._places)

    @property
    def blocks(self) -> int:
        return self._blocks

    def actions(self) -> np.ndarray:
        return self._filled(self.key.actions(), self._actions)

    def reasons(self) -> np.ndarray:
        return self._filled(self.key.reasons(), self._reasons)

    def at(self, block: int) -> tuple[int, int]:
        place = int(self._places.searchsorted(block))
        if place < len(self._places) and self._places.item(place) == block:
            return self._actions.item(place), self._reasons.item(place)
        return self.key.at(block) if block < self.key.blocks else (0, 0)

    def codes(self) -> Codes:
        return Codes(self.actions(), self.reasons())

    def stored(self, before: Decisions | None) -> Decisions:
        return self

    def _filled(self, known: np.ndarray, codes: np.ndarray) -> np.ndarray:
        filled = np.zeros(self._blocks, np.uint8)
        filled[: len(known)] = known
        filled[self._places] = codes
        return filled


Decisions = Cuts | Codes


def _with(codes: np.ndarray, blocks: Ranges | np.ndarray, code: int) -> np.ndarray:
    """A copy with one code for these blocks."""
    changed = codes.copy()
    mask = blocks.mask(len(codes)) if isinstance(blocks, Ranges) else blocks
    np.putmask(changed, mask, code)  # several times as fast as an index
    return changed
