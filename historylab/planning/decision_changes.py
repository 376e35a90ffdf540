"""The decisions that are others than at the request before: few, whatever the length of the conversation.

Views that follow every request are made from these, so that none of them reads every plan again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np

from historylab.conversation.columns import Columns
from historylab.planning.codes import Codes
from historylab.planning.decisions import Cuts, Decisions
from historylab.planning.plan import HistoryPlan
from historylab.planning.standing import Standing


@dataclass(frozen=True, slots=True, eq=False)
class DecisionChanges:
    """Per change its request, its message or block, and the decision: those new at a request, and those now decided
    otherwise. In the order of requests, then of messages.

    `request` and `place` (of the message or block) are int64, `action` and `reason` uint8.
    """

    request: np.ndarray
    place: np.ndarray
    action: np.ndarray
    reason: np.ndarray

    def before(self) -> np.ndarray:
        """int64: per change the one before it of the same message or block; -1 for the first."""
        order = np.argsort(self.place, kind="stable")  # by place, then by request
        again = np.flatnonzero(np.diff(self.place[order]) == 0) + 1
        before = np.full(len(order), -1)
        before[order[again]] = order[again - 1]
        return before


def block_changes(columns: Columns, plans: Sequence[HistoryPlan]) -> DecisionChanges:
    """The changes per block. One whose later messages come after a request that held it in part is new then again."""
    return _changes((plan.decisions for plan in plans), len(columns.block_first), _late_blocks(columns))


def message_changes(columns: Columns, plans: Sequence[HistoryPlan], blocks: DecisionChanges) -> DecisionChanges:
    """The changes per message, given those per block; of these, messages sent in part differ within theirs."""
    if any(plan.shortened for plan in plans):
        return _changes((Codes(plan.actions, plan.reasons) for plan in plans), len(columns.block), {})
    return _changes_of_messages(columns, blocks)


def _changes_of_messages(columns: Columns, blocks: DecisionChanges) -> DecisionChanges:
    """The changes of blocks as those of their messages: of those that were said by then."""
    order = np.argsort(columns.block, kind="stable")
    sizes = np.bincount(columns.block, minlength=len(columns.block_first))
    many = sizes[blocks.place]
    change = np.repeat(np.arange(len(many)), many)
    message = order[spread_runs((np.cumsum(sizes) - sizes)[blocks.place], many)]
    request = blocks.request[change]
    said = np.flatnonzero(message < columns.requests[request]) if len(message) else message
    if not columns.contiguous:
        said = said[np.lexsort((message[said], request[said]))]
    change = change[said]
    return DecisionChanges(request[said], message[said], blocks.action[change], blocks.reason[change])


def spread_runs(first: np.ndarray, length: np.ndarray) -> np.ndarray:
    """int64: the members of all runs, one after another."""
    ends = np.cumsum(length)
    members: np.ndarray = np.arange(ends[-1] if len(ends) else 0) + np.repeat(first - ends + length, length)
    return members


def _changes(decisions: Iterable[Decisions], most: int, late: Mapping[int, list[int]]) -> DecisionChanges:
    """The changes in decisions (about at most so many) of one request after another.

    Those that `late` lists at a request are new there too.
    """
    apart, cuts, changed = list[DecisionChanges](), dict[int, Cuts](), dict[Standing, list[int]]()
    everything, before = np.ones(most, bool), None  # what isn't known yet stays True
    for request, now in enumerate(decisions):
        if isinstance(now, Cuts):
            cuts[request] = now
        if isinstance(now, Cuts) and isinstance(before, Cuts) and now.standing is before.standing:
            changed.setdefault(now.standing, []).append(request)
        else:
            apart.append(_differences(request, now, before, everything, late.get(request, [])))
        before = now
    found = [
        *apart,
        *(_spread(_changed_pieces(those, cuts, most + 1), standing) for standing, those in changed.items()),
    ]
    requests = _concatenate([each.request for each in found], np.int64)
    order = np.argsort(requests, kind="stable")
    return DecisionChanges(
        requests[order],
        _concatenate([each.place for each in found], np.int64)[order],
        _concatenate([each.action for each in found], np.uint8)[order],
        _concatenate([each.reason for each in found], np.uint8)[order],
    )


class _Pieces(NamedTuple):
    """Ranges of blocks about which a request decides anew, in order: the action and the reason of those that are open.

    `new` ones were unknown to the request before; of others only those that are open are meant.
    """

    request: np.ndarray
    first: np.ndarray
    stop: np.ndarray
    label: np.ndarray  # action << 8 | reason
    new: np.ndarray


def _changed_pieces(requests: Sequence[int], cuts: Mapping[int, Cuts], width: int) -> _Pieces:
    """The pieces that these requests decide otherwise than the one before, both by ranges over the same standing.

    A request and a block of it are one number, `request * width + block`, so that all are looked up in one array.
    """
    known = np.array(sorted({*requests, *(request - 1 for request in requests)}))
    rows = (
        (request, *run) for request in known.tolist() for run in (*cuts[request].notes, *cuts[request].runs)
    )  # of several over one block the last counts
    request, first, stop, action, reason = np.fromiter(chain.from_iterable(rows), np.int64).reshape(-1, 5).T
    blocks = np.zeros(known[-1] + 1, np.int64)
    blocks[known] = [cuts[request].blocks for request in known.tolist()]
    begins, ends = request * width + first, request * width + stop
    edges = np.unique(np.concatenate([known * width, known * width + blocks[known], begins, ends]))
    low, lengths, labels = edges.searchsorted(begins), edges.searchsorted(ends), np.zeros(len(edges), np.int64)
    lengths -= low
    labels[spread_runs(low, lengths)] = (action << 8 | reason).repeat(lengths)
    wanted = np.zeros(known[-1] + 2, bool)
    wanted[requests] = True
    of = edges // width
    points = np.unique(np.concatenate([edges[wanted[of]], edges[wanted[of + 1]] + width]))
    inside = points[:-1] // width == points[1:] // width
    start, end = points[:-1][inside], points[1:][inside]
    now, was = (labels[edges.searchsorted(at, "right") - 1] for at in (start, start - width))
    of, first = start // width, start % width
    new = first >= blocks[of - 1]
    chosen = new | (now != was)
    return _Pieces(of[chosen], first[chosen], (end % width)[chosen], now[chosen], new[chosen])


def _spread(pieces: _Pieces, standing: Standing) -> DecisionChanges:
    """Pieces block by block; of known ones those that stand open."""
    sizes = pieces.stop - pieces.first
    of, place = np.repeat(np.arange(len(sizes)), sizes), spread_runs(pieces.first, sizes)
    decided = standing.actions[place] != 0
    chosen = ~decided | pieces.new[of]
    of, place, decided = of[chosen], place[chosen], decided[chosen]
    action, reason = (pieces.label >> 8)[of].astype(np.uint8), (pieces.label & 255)[of].astype(np.uint8)
    return DecisionChanges(
        pieces.request[of],
        place,
        np.where(decided, standing.actions[place], action),
        np.where(decided, standing.reasons[place], reason),
    )


def _differences(
    request: int, now: Decisions, before: Decisions | None, everything: np.ndarray, late: list[int]
) -> DecisionChanges:
    """The blocks that a request decides otherwise than the one before."""
    actions, reasons = now.actions(), now.reasons()
    new = everything[: len(actions)].copy()
    if before is not None:
        known = before.blocks
        np.logical_or(actions[:known] != before.actions(), reasons[:known] != before.reasons(), out=new[:known])
    new[late] = True
    where = new.nonzero()[0]
    return DecisionChanges(np.full(len(where), request), where, actions[where], reasons[where])


def _late_blocks(columns: Columns) -> dict[int, list[int]]:
    """Per request the blocks that an earlier one had in part: their later messages are new."""
    arrived = columns.requests.searchsorted(np.arange(len(columns.block)), "right")
    late: dict[int, list[int]] = {}
    for message in np.flatnonzero(arrived > arrived[columns.block_first[columns.block]]).tolist():
        late.setdefault(int(arrived[message]), []).append(int(columns.block[message]))
    return late


def _concatenate(parts: list[np.ndarray], kind: type) -> np.ndarray:
    return np.concatenate(parts) if parts else np.empty(0, kind)
