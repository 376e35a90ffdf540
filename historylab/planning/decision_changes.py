"""The decisions that are others than at the request before: few, whatever the length of the conversation.

Views that follow every request are made from these, so that none of them reads every plan again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from historylab.conversation.columns import Columns
from historylab.planning.codes import Codes
from historylab.planning.decisions import Cuts, Decisions
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Action


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
    return changes_of_messages(columns, blocks)


def changes_of_messages(columns: Columns, blocks: DecisionChanges) -> DecisionChanges:
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


def sent_by_role(columns: Columns, messages: DecisionChanges, tokens: np.ndarray) -> np.ndarray:
    """float64[requests, roles]: the tokens of the messages that are sent, each as a whole."""
    sent = messages.action <= Action.TRUNCATED
    before = messages.before()
    sent_before = (before >= 0) & sent[before]
    changed = tokens[messages.place] * (sent.astype(np.int8) - sent_before)
    cells = messages.request * 5 + columns.role[messages.place]
    per_request = np.bincount(cells, changed, 5 * len(columns.requests)).reshape(-1, 5)
    summed: np.ndarray = np.cumsum(per_request, axis=0)
    return summed


def _changes(decisions: Iterable[Decisions], most: int, late: Mapping[int, list[int]]) -> DecisionChanges:
    """The changes in decisions (about at most so many) of one request after another.

    Those that `late` lists at a request are new there too.
    """
    found = list[tuple[np.ndarray, np.ndarray, np.ndarray]]()
    everything, before = np.ones(most, bool), None  # what isn't known yet stays True
    for request, now in enumerate(decisions):
        if isinstance(now, Cuts) and isinstance(before, Cuts) and now.standing is before.standing:
            found.append(now.since(before))
        else:
            found.append(_differences(now, before, everything, late.get(request, [])))
        before = now
    requests = np.repeat(np.arange(len(found)), [len(where) for where, _, _ in found])
    where, acted, reasoned = ([row[k] for row in found] for k in range(3))
    return DecisionChanges(
        requests, _concatenate(where, np.int64), _concatenate(acted, np.uint8), _concatenate(reasoned, np.uint8)
    )


def _differences(
    now: Decisions, before: Decisions | None, everything: np.ndarray, late: list[int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What is decided otherwise than before, with its actions and reasons."""
    actions, reasons = now.actions(), now.reasons()
    new = everything[: len(actions)].copy()
    if before is not None:
        known = before.blocks
        np.logical_or(actions[:known] != before.actions(), reasons[:known] != before.reasons(), out=new[:known])
    new[late] = True
    where = new.nonzero()[0]
    return where, actions[where], reasons[where]


def _late_blocks(columns: Columns) -> dict[int, list[int]]:
    """Per request the blocks that an earlier one had in part: their later messages are new."""
    arrived = columns.requests.searchsorted(np.arange(len(columns.block)), "right")
    late: dict[int, list[int]] = {}
    for message in np.flatnonzero(arrived > arrived[columns.block_first[columns.block]]).tolist():
        late.setdefault(int(arrived[message]), []).append(int(columns.block[message]))
    return late


def _concatenate(parts: list[np.ndarray], kind: type) -> np.ndarray:
    return np.concatenate(parts) if parts else np.empty(0, kind)
