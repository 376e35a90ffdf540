"""Planning cuts of all requests under many budgets at once, without a plan or a reason.

Where what a stage drops is all that is open before one block, and follows from the request alone, that block is a
binary search in running sums; so all requests of a conversation and all budgets are planned in a few array operations.
Settings that ask more (`plan_cuts` gives None) are planned by the pipeline; where both can, they agree message for
message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from historylab.conversation.columns import ASSISTANT, NEVER
from historylab.planning.carried_cuts import CarriedCuts
from historylab.planning.cut_ground import TOOL_OUTPUTS, CutGround
from historylab.planning.cut_vectors import CutVectors
from historylab.planning.scans import running_sums
from historylab.pricing import window_of
from historylab.settings.model import Settings

POLICIES = ("all", "lastN", "lastMessages", "none")
OFF = ("filter", "compaction", "projection", "layout")
WAITING = ("fifo", "summarize", "relevance")
"""Pruners that do nothing while all requests are within their budgets."""

USUAL_WINDOW = {"unit": "messages", "start": "any", "asked": "request"}
"""The options of `message_window` that cuts are planned for."""


def covers(settings: Settings) -> bool:
    """Tell whether cuts under these settings may be planned so, of conversations that suit."""
    off = all(settings.value(name) == "off" for name in OFF)
    return off and settings.policy in POLICIES and settings.tool_output in TOOL_OUTPUTS


def plan_cuts(ground: CutGround, settings: Settings, budgets: Sequence[int]) -> CutVectors | None:
    """The cuts of all requests under settings that differ in what their messages may take; None where plans tell."""
    stages = _Stages(ground, settings, np.array(budgets, np.int64)[:, None])
    made = stages.find_cuts()
    if made is None:
        return None
    cuts, beside = made
    cuts = np.minimum(np.broadcast_to(cuts, stages.shape), np.where(ground.open[ground.newest], ground.newest, NEVER))
    beside = np.where(beside < cuts, np.broadcast_to(beside, stages.shape), -1)
    stops = np.broadcast_to(stages.stops, stages.shape)
    return CutVectors(ground, cuts, beside, stops, ground.sent_tokens(cuts, beside, stops), stages.budgets)


def _lasts(pruner: str, options: Mapping[str, Any]) -> bool:
    """Tell whether a cut is carried from request to request."""
    if pruner == "message_window":
        return bool(options.get("trigger", 40) > options.get("keep", 20))
    return bool(options.get("trim_to", 1) < 1)


def _is_usual(options: Mapping[str, Any]) -> bool:
    """Tell whether a `message_window` counts messages at every request, and may begin with any of them."""
    return all(options.get(name, usual) == usual for name, usual in USUAL_WINDOW.items())


class _Stages:
    """The stages of settings over all requests: `policy` (int64[r]) is the cut of the first, `beside` (int64[r]) the
    older task that it sends all the same (-1: none), `stops` what the second shortens."""

    def __init__(self, ground: CutGround, settings: Settings, budgets: np.ndarray):
        self.ground, self.settings, self.budgets = ground, settings, budgets
        self.shape = len(budgets), len(ground.sizes)
        self.none = np.full(len(ground.sizes), -1)
        self.open_task = np.where((ground.task >= 0) & self._is_open(ground.task), ground.task, -1)
        self.policy = self._policy()
        stays = (settings.policy == "lastMessages") & (self.open_task < self.policy)
        self.beside = np.where(stays, self.open_task, -1)
        self.stops = ground.count_texts(settings, self.policy, self.beside)

    def _is_open(self, blocks: np.ndarray) -> np.ndarray:
        found: np.ndarray = self.ground.open[np.maximum(blocks, 0)] if len(self.ground.open) else blocks > 0
        return found

    def _policy(self) -> np.ndarray:
        ground, columns, settings = self.ground, self.ground.columns, self.settings
        length = max(1, settings.length)
        if settings.policy == "lastN" and len(columns.user_blocks):
            first = np.maximum(ground.users - length, 0)
            return np.where(
                ground.users > length, columns.user_blocks[np.minimum(first, len(columns.user_blocks) - 1)], 0
            )
        if settings.policy == "lastMessages":
            return self._newest_messages(length)
        if settings.policy == "none":
            return np.where(ground.users > 0, ground.task, ground.newest)
        return np.zeros_like(ground.sizes)

    def _newest_messages(self, most: int) -> np.ndarray:
        """int64[r]: the open block with which the newest so many open messages begin; 0 where there are fewer."""
        said = self.ground.messages
        first = said.searchsorted(said[self.ground.blocks] - most, "right") - 1
        found: np.ndarray = np.maximum(first, 0)
        return found

    def find_cuts(self) -> tuple[np.ndarray, np.ndarray] | None:
        """The cuts (int64[s, r], or what is broadcast to it), and the block beside each; None where plans tell."""
        settings, pruner = self.settings, self.settings.pruner
        if pruner == "off" or self._waits():
            return self.policy, self.beside
        options = {name.rpartition(".")[2]: value for name, value in settings.options_of("pruner").items()}
        if settings.policy == "lastMessages" and (pruner != "fifo" or not options.get("keep_task", True)):
            return None
        cut = {
            "fifo": self._fifo,
            "sliding_window": self._sliding_window,
            "adaptive": self._adaptive,
            "message_window": self._message_window,
        }.get(pruner)
        found = (self._carry_cuts(options) if _lasts(pruner, options) else cut(options)) if cut else None
        if found is None or isinstance(found, tuple):
            return found
        return np.maximum(self.policy, found), self.open_task if options.get("keep_task", True) else self.none

    def _carry_cuts(self, options: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray] | None:
        """The cuts and the blocks beside them, of a pruner whose cuts last; None where plans tell."""
        ground, settings, users = self.ground, self.settings, self._sent_users()
        if settings.min_turns or settings.policy == "lastMessages" or options.get("when", "full") != "full":
            return None
        carried = CarriedCuts(
            ground, self.policy, self.stops, self.open_task if options.get("keep_task", True) else self.none
        )
        if settings.pruner == "fifo":
            found = [carried.fifo(budget, options) for budget in self.budgets[:, 0].tolist()]
        elif settings.pruner == "sliding_window":
            turns = options.get("turns", 10)
            if users is None or not turns or ground.pinned[users[0]].any():
                return None
            left = min(turns, max(1, int(options["trim_to"] * turns)))
            found = [carried.sliding_window(users[0], turns, left)] * self.shape[0]
        else:
            keep, most = options.get("keep", 20), options.get("trigger", 40)
            if not _is_usual(options):
                return None
            found = [carried.message_window(keep, most)] * self.shape[0]
        cuts, beside = np.array(found).transpose(1, 0, 2)
        return cuts, beside

    def _waits(self) -> bool:
        """Tell whether the pruner has nothing to do, as every request is within its budget."""
        settings = self.settings
        if settings.pruner not in WAITING or self.ground.returned.any():
            return False
        if settings.options.get(f"pruner.{settings.pruner}.when", "full") != "full":
            return False
        tokens = self.ground.sent_tokens(self.policy, self.beside, self.stops)
        return bool((tokens <= self.budgets).all())

    def _free(self) -> np.ndarray:
        """int64[r]: the block before which a pruner may drop all but the task and the newest."""
        ground, turns = self.ground, self.settings.min_turns
        if not turns or not len(ground.columns.user_blocks):
            found: np.ndarray = ground.blocks
            return found
        columns = ground.columns
        answers = columns.block_role == ASSISTANT
        said = running_sums(answers & ground.open)
        pinned, waiting = running_sums(answers & ground.pinned), running_sums(columns.answered_at == NEVER)
        starts, ends = columns.user_blocks, np.append(columns.user_blocks[1:], len(answers))
        complete = np.zeros((len(ground.sizes), len(starts)), bool)
        for request, (cut, known, users) in enumerate(
            zip(self.policy.tolist(), ground.blocks.tolist(), ground.users.tolist(), strict=True)
        ):
            first, stop = starts[:users], np.minimum(ends[:users], known)
            low = np.minimum(np.maximum(first, cut), stop)
            speaks = (said[stop] > said[low]) | (pinned[stop] > pinned[first])
            complete[request, :users] = speaks & (waiting[stop] == waiting[first])
        newer = complete[:, ::-1].cumsum(1)[:, ::-1]  # complete turns from each on
        wanted = np.minimum(turns, newer[:, :1])
        first = np.count_nonzero(newer >= wanted, axis=1) - 1
        found = np.where(newer[:, 0] > 0, starts[np.maximum(first, 0)], ground.blocks)
        return found

    def _fifo(self, options: Mapping[str, Any]) -> np.ndarray | None:
        ground, stops, free = self.ground, self.stops, self._free()
        excess = ground.sent_tokens(self.policy, self.beside, stops) - self.budgets
        first = np.minimum(self.policy, free)
        stays = self._stays(options, free)
        most = ground.before(free, stops) - ground.before(first, stops) - stays.sum(0)
        wanted = ground.before(first, stops) + excess
        last = ground.first_that_makes(wanted, np.broadcast_to(stops, self.shape))
        task = np.where(stays[0] > 0, ground.task, NEVER)
        further = ground.first_that_makes(wanted + stays[0], np.broadcast_to(stops, self.shape))
        last = np.minimum(np.where(last >= task, further, last), max(len(ground.open) - 1, 0))
        ends = last + 1 if options.get("unit") == "block" else self._ends_of_turns(last, options.get("unit", "turn"))
        cut = np.where(most <= excess, free, np.minimum(ends, free))
        return np.where(excess > 0, cut, 0)

    def _stays(self, options: Mapping[str, Any], free: np.ndarray) -> np.ndarray:
        """int64[2, r]: tokens of the task and of the newest block, where these stay though they are not protected."""
        ground, found = self.ground, list[np.ndarray]()
        is_task = ground.newest == ground.task
        for blocks, stays in ((ground.task, options.get("keep_task", True)), (ground.newest, True)):
            among = stays & (blocks >= self.policy) & (blocks < free) & (ground.blocks > 0)
            if found and options.get("keep_task", True):
                among &= ~is_task
            at = np.maximum(blocks, 0)
            taken = ground.before(np.minimum(at + 1, len(ground.open)), self.stops) - ground.before(at, self.stops)
            found.append(np.where(among, taken, 0))
        return np.array(found)

    def _ends_of_turns(self, last: np.ndarray, unit: str) -> np.ndarray:
        """int64[s, r]: the first block after the turn of `last`; in the newest turn the next one, or all are meant."""
        ground, columns = self.ground, self.ground.columns
        if not len(columns.block_turn):
            return last + 1
        turn = columns.block_turn[last] + 1
        starts = np.append(columns.user_blocks, len(ground.open))
        within = np.where((unit == "whole_turn") & (ground.users > 0), ground.blocks, last + 1)
        found: np.ndarray = np.where(turn < ground.users, starts[np.minimum(turn, len(starts) - 1)], within)
        return found

    def _sent_users(self) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """The user messages that are sent (int64, blocks), and of each request the first and the last (places among
        these) that it sends; None where pinned ones stand apart."""
        ground, users = self.ground, self.ground.columns.user_blocks
        if self.policy.any() and ground.pinned[users].any():
            return None
        sent = users[ground.pinned[users] | ground.open[users]]
        return sent, sent.searchsorted(self.policy), sent.searchsorted(ground.blocks)

    def _sliding_window(self, options: Mapping[str, Any]) -> np.ndarray | None:
        found, turns = self._sent_users(), options.get("turns", 10)
        if found is None:
            return None
        sent, first, stop = found
        free = self._free()
        starts = np.append(sent, NEVER)[np.maximum(stop - turns, 0)] if turns else free
        return np.where(stop - first > turns, np.minimum(starts, free), 0)

    def _adaptive(self, options: Mapping[str, Any]) -> np.ndarray | None:
        ground, settings, found = self.ground, self.settings, self._sent_users()
        if found is None:
            return None
        sent, first, stop = found
        least, most = options.get("least", 2), options.get("most", 20)
        window = settings.window or window_of(settings.model)
        rooms = np.minimum(self.budgets, window) if window else self.budgets
        rooms = np.array([[int(options.get("share", 0.5) * room)] for room in rooms[:, 0].tolist()]).reshape(-1, 1)
        always = ground.always[ground.blocks] + ground.counter.per_request
        wanted = ground.before(ground.blocks, self.stops) + always - rooms
        start = ground.first_that_makes(wanted, np.broadcast_to(self.stops, self.shape)) + 1
        start = np.where(wanted <= 0, 0, start)
        looked = np.minimum(stop - first, most + 1)
        fitting = np.clip(stop - sent.searchsorted(start), 0, looked)
        turns = np.clip(fitting, least, None)
        turns = np.minimum(turns, most)
        free, starts = self._free(), np.append(sent, NEVER)[np.maximum(stop - turns, 0)]
        return np.where(turns < looked, np.minimum(starts, free), 0)

    def _message_window(self, options: Mapping[str, Any]) -> np.ndarray | None:
        keep = options.get("keep", 20)
        if not _is_usual(options):
            return None
        ground = self.ground
        said = ground.messages[ground.blocks] - ground.messages[np.minimum(self.policy, ground.blocks)]
        return np.where(said > keep, np.minimum(self._newest_messages(keep), self._free()), 0)
