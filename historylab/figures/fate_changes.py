"""The messages whose fate is another than at the request before, as runs: all that the maps need to send.

A fate is what a plan decides about a message, and why: 256 × the action's place in BEST_FIRST + the reason's code. From
one request to the next few fates change, whatever the length of the conversation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from historylab.figures.retention_grid import BEST_FIRST
from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline

_SEVERITY = np.array([BEST_FIRST.index(action) for action in Action], np.int64)


@dataclass(frozen=True, eq=False)
class FateChanges:
    """Runs of messages that take on a fate, in the order of requests and messages.

    Attributes:
        per_request: int64[requests], how many runs belong to each request.
        first, length: int64[runs], the first message of a run, and how many there are.
        code: uint8[runs], k for `fates[k - 1]`. A higher code is a worse fate.
        fates: int64, ascending.
    """

    per_request: np.ndarray
    first: np.ndarray
    length: np.ndarray
    code: np.ndarray
    fates: np.ndarray


def fate_changes(timeline: Timeline) -> FateChanges:
    """The changes of a timeline."""
    decided = timeline.changes
    request, message = decided.request, decided.place
    fates, codes = np.unique(_SEVERITY[decided.action] * 256 + decided.reason, return_inverse=True)
    begins = np.ones(len(codes), bool)
    begins[1:] = (np.diff(request) != 0) | (np.diff(message) != 1) | (np.diff(codes) != 0)
    starts = np.flatnonzero(begins)
    return FateChanges(
        np.bincount(request[starts], minlength=len(timeline.plans)),
        message[starts],
        np.diff(np.append(starts, len(codes))),
        (codes[starts] + 1).astype(np.uint8),
        fates,
    )
