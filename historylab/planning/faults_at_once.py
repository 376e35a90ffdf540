"""The faults of all requests at once, where blocks are sent whole or a clean conversation is sliced once."""

from __future__ import annotations

import numpy as np

from historylab.conversation.columns import ASSISTANT, NEVER, SYSTEM, USER, Columns
from historylab.planning.decision_changes import spread_runs
from historylab.planning.sent_ranges import SentRanges

Faults = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Arrays of one entry per request, in the order of `validity.FAULTS`."""


def find_faults_of_blocks(columns: Columns, ranges: SentRanges) -> Faults:
    """The faults where every block is sent whole: what comes first and last, and what the source has broken."""
    each, others = np.arange(len(ranges.sizes)), ~columns.system
    first, last = ranges.next_sent(each, np.zeros_like(each), others), ranges.last_sent(each, others)
    empty = last < 0
    first[empty], roles = len(columns.block_role), np.append(columns.block_role, SYSTEM)
    wrong_start = ~empty & (roles[first] != USER)
    wrong_end = (roles[last] == ASSISTANT) & (_second_messages(columns)[last] >= ranges.sizes)
    orphans = ranges.sums(columns.orphan.astype(np.int64))
    return orphans, _count_half_answered(columns, ranges), wrong_start, empty, wrong_end


def _second_messages(columns: Columns) -> np.ndarray:
    """int64[b + 1]: the second message of each block; NEVER where it has but one."""
    sizes = np.bincount(columns.block, minlength=len(columns.block_first))
    several, begins = sizes > 1, np.cumsum(sizes) - sizes
    second = np.full(len(sizes) + 1, NEVER)
    second[:-1][several] = np.argsort(columns.block, kind="stable")[begins[several] + 1]
    return second


def _count_half_answered(columns: Columns, ranges: SentRanges) -> np.ndarray:
    """int64[requests]: calls that were sent though others follow them and results are still to come, or never come."""
    called = columns.doubtful[~columns.orphan[columns.doubtful]]
    if not ranges.apart.any():
        called = called[(ranges.open[0] | ranges.always[0])[called]]
    begins = ranges.sizes.searchsorted(columns.block_first[called], "right")
    waiting = ranges.sizes.searchsorted(columns.answered_at[called]) - begins
    requests, blocks = spread_runs(begins, waiting), called.repeat(waiting)
    newest = columns.block[ranges.sizes[requests] - 1]
    followed = (blocks != newest) | (newest != ranges.blocks[requests] - 1)
    sent = ranges.sends(requests, blocks) & followed
    return np.bincount(requests[sent], minlength=len(ranges.sizes))


def find_faults_of_slices(columns: Columns, sizes: np.ndarray, starts: np.ndarray) -> Faults:
    """The faults of a clean conversation's messages from `starts` up to `sizes`: only the first block can be split."""
    some = starts < sizes
    homes = columns.block[np.minimum(starts, sizes - 1)]
    split = some & (columns.block_first[homes] < starts)
    orphans = np.where(split, np.minimum(columns.block_last[homes] + 1, sizes) - starts, 0)
    others = np.flatnonzero(columns.role != SYSTEM)
    low, high = others.searchsorted(starts), others.searchsorted(sizes)
    empty, role = low >= high, np.append(columns.role[others], SYSTEM)
    wrong_start, wrong_end = ~empty & (role[low] != USER), ~empty & (role[high - 1] == ASSISTANT)
    return orphans, np.zeros(len(sizes), np.int64), wrong_start, empty, wrong_end
