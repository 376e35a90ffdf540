"""Cuts that last, planned without plans: from one cut to the next nothing is decided anew.

So the requests between two cuts are asked together whether they want one, and only those that do are looked at alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from historylab.planning.cut_ground import CutGround

LOOKED_AHEAD = 32  # requests, then four times as many each time


class State(NamedTuple):
    """The block before which what is open was cut, and an older open one that is sent all the same (-1: none)."""

    cut: int
    beside: int


class CarriedCuts:
    """The requests after a `policy` (int64[r]) that has its cuts, with so many `stops` (int64[r]) of the texts sent.

    `tasks`: int64[r], the open blocks of the newest user messages that stay; -1 where there is none.
    """

    def __init__(self, ground: CutGround, policy: np.ndarray, stops: np.ndarray, tasks: np.ndarray):
        self.ground, self.policy, self.stops, self.tasks = ground, policy, stops, tasks

    def fifo(self, budget: int, options: Mapping[str, Any]) -> np.ndarray:
        """int64[2, r]: cuts to a share of the budget once it is exceeded, and the blocks beside."""
        goal = int(options["trim_to"] * budget)

        def size(state: State, requests: slice) -> np.ndarray:
            cuts, beside = self._now(state, requests)
            return self.ground.sent_tokens(cuts, beside, self.stops[requests], requests)

        def cut(state: State, request: int) -> int:
            now = int(size(state, slice(request, request + 1))[0])
            return self._oldest(state, request, now - goal, options.get("unit", "turn"))

        return self._follow(lambda state, requests: size(state, requests) > budget, cut)

    def sliding_window(self, users: np.ndarray, turns: int, left: int) -> np.ndarray:
        """int64[2, r]: cuts to the `left` newest of the `users` that are sent (int64, blocks), beyond so many turns."""
        known = users.searchsorted(self.ground.blocks)

        def exceeds(state: State, requests: slice) -> np.ndarray:
            more: np.ndarray = known[requests] - users.searchsorted(self._now(state, requests)[0]) > turns
            return more

        return self._follow(exceeds, lambda _, request: users.item(known[request] - left))

    def message_window(self, keep: int, most: int) -> np.ndarray:
        """int64[2, r]: cuts to the newest messages that are open, beyond so many of them."""
        said, blocks = self.ground.messages, self.ground.blocks

        def exceeds(state: State, requests: slice) -> np.ndarray:
            cuts, beside = self._now(state, requests)
            more: np.ndarray = said[blocks[requests]] - said[cuts] + (beside >= 0) > most
            return more

        def cut(_state: State, request: int) -> int:
            return int(said.searchsorted(said[blocks[request]] - keep, "right")) - 1

        return self._follow(exceeds, cut)

    def _now(self, state: State, requests: slice) -> tuple[np.ndarray, np.ndarray]:
        """int64 each: the cuts of requests, the policy's too, and what stays beside them."""
        policy = self.policy[requests]
        return np.maximum(policy, state.cut), np.where(state.beside >= policy, state.beside, -1)

    def _follow(self, is_due: Callable[[State, slice], np.ndarray], cut: Callable[[State, int], int]) -> np.ndarray:
        """int64[2, r]: the state at each request, `cut` anew at those where one is due."""
        ground, count, state, at = self.ground, len(self.policy), State(0, -1), 0
        found, looked = np.empty((2, count), np.int64), LOOKED_AHEAD
        while at < count:
            stop = min(count, at + looked)
            due = is_due(state, slice(at, stop))
            ahead = int(due.argmax())
            end = at + ahead if due[ahead] else stop
            found[:, at:end] = np.array(self._now(state, slice(at, end)))
            at, looked = end, looked * 4
            if end < stop:
                newest, task = ground.newest.item(end), self.tasks.item(end)
                new = max(self.policy.item(end), state.cut, cut(state, end))
                new = min(new, newest) if ground.open[newest] else new
                state = State(new, task if task < new else -1)
                found[:, end : end + 1] = np.array(self._now(state, slice(end, end + 1)))
                at, looked = end + 1, LOOKED_AHEAD
        return found

    def _oldest(self, state: State, request: int, excess: int, unit: str) -> int:
        """The block before which the oldest units make up the excess, of what is open but the task and the newest."""
        ground, stop, task = self.ground, self.stops[request], self.tasks.item(request)
        (cut,), (beside,) = (each.tolist() for each in self._now(state, slice(request, request + 1)))
        known, newest = int(ground.blocks[request]), int(ground.newest[request])

        def before(block: int) -> int:
            return int(ground.before(np.array(block), stop))

        def tokens_of(block: int) -> int:
            return before(block + 1) - before(block) if block >= cut and known else 0

        older = ground.tokens.item(beside + 1) - ground.tokens.item(beside) if beside >= 0 and beside != task else 0
        rest = before(known) - before(cut) - tokens_of(task) - (tokens_of(newest) if newest != task else 0)
        if rest + older <= excess:
            return known
        last = beside
        if older < excess:
            wanted = before(cut) + excess - older
            last = int(ground.first_that_makes(np.array(wanted), stop))
            if cut <= task <= last:
                last = int(ground.first_that_makes(np.array(wanted + tokens_of(task)), stop))
        return last + 1 if unit == "block" else ground.end_of_turn(last, request, unit)
