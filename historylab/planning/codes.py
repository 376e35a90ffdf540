"""An action and a reason per block, where a stage decides block by block; kept as what changed since a request."""

from __future__ import annotations

import numpy as np

from historylab.planning.blocks import Ranges
from historylab.planning.reasons import SENT


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

    def sent(self) -> np.ndarray:
        return np.flatnonzero(self.actions() <= SENT)

    def at(self, block: int) -> tuple[int, int]:
        return self.actions().item(block), self.reasons().item(block)

    def where(self, action: int | None = None, reason: int | None = None) -> Ranges | np.ndarray:
        actions = self.actions()
        found: np.ndarray = actions > SENT if action is None else actions == action
        return found if reason is None else found & (self.reasons() == reason)

    def left_out(self) -> list[tuple[int, int, int, int]]:
        """The blocks that are not sent, as ranges: the first and the one after, their action and reason."""
        actions, reasons = self.actions(), self.reasons()
        edges = np.flatnonzero((np.diff(actions) != 0) | (np.diff(reasons) != 0)) + 1
        found = zip([0, *edges.tolist()], [*edges.tolist(), self.blocks], strict=True)
        return [
            (first, stop, actions.item(first), reasons.item(first))
            for first, stop in found
            if first < stop and actions[first] > SENT
        ]

    def still_open(self, blocks: Ranges | np.ndarray) -> Ranges | np.ndarray:
        mask = blocks.mask(self.blocks) if isinstance(blocks, Ranges) else blocks
        wanted: np.ndarray = mask.view(np.uint8) > self.actions()  # wanted (1) and open (0)
        return wanted if wanted.any() else Ranges()

    def decided(self, blocks: Ranges | np.ndarray, action: int, reason: int) -> Codes:
        return Codes(_with(self.actions(), blocks, action), _with(self.reasons(), blocks, reason))

    def with_note(self, blocks: Ranges | np.ndarray, reason: int) -> Codes:
        return Codes(self.actions(), _with(self.reasons(), blocks, reason))

    def codes(self) -> Codes:
        return self

    def stored(self, before: object) -> Codes:
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
        return self._fill(self.key.actions(), self._actions)

    def reasons(self) -> np.ndarray:
        return self._fill(self.key.reasons(), self._reasons)

    def at(self, block: int) -> tuple[int, int]:
        place = int(self._places.searchsorted(block))
        if place < len(self._places) and self._places.item(place) == block:
            return self._actions.item(place), self._reasons.item(place)
        return self.key.at(block) if block < self.key.blocks else (0, 0)

    def codes(self) -> Codes:
        return Codes(self.actions(), self.reasons())

    def stored(self, before: object) -> Codes:
        return self

    def _fill(self, known: np.ndarray, codes: np.ndarray) -> np.ndarray:
        filled = np.zeros(self._blocks, np.uint8)
        filled[: len(known)] = known
        filled[self._places] = codes
        return filled


def _with(codes: np.ndarray, blocks: Ranges | np.ndarray, code: int) -> np.ndarray:
    """A copy with one code for these blocks."""
    changed = codes.copy()
    mask = blocks.mask(len(codes)) if isinstance(blocks, Ranges) else blocks
    np.putmask(changed, mask, code)  # several times as fast as an index
    return changed
