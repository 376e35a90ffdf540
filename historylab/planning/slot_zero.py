"""Slot 0, before any stage: commands and what an API would refuse are dropped; systems and what is pinned are kept.

Nearly all of it depends on nothing but the block, so it is decided once for all requests and grows with the
conversation (`Standing`). Where it depends on the request (a projection's texts stand for earlier ones, results come
late), it is decided for that request alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from historylab.conversation.columns import NEVER
from historylab.conversation.conversation import Conversation
from historylab.conversation.growing import Growing
from historylab.planning.history import History
from historylab.planning.pins import RULE, PinRules, pinned_by_rule
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import DROPPED, FITS, INVALID, KEPT, PIN, PINNED, REPLACED, SHOWN, Reason, StageTrace
from historylab.planning.reasons import SYSTEM as ALWAYS
from historylab.planning.standing import Standing, StandingDecisions
from historylab.planning.strategies.returned import returned_summaries


class SlotZero(NamedTuple):
    """What settings say of it: see `start`."""

    preserve_system_messages: bool
    heading: str
    pins: PinRules | None
    projected: bool

    @property
    def key(self) -> tuple[Any, ...]:
        rules = self.pins.key if self.pins else ()
        return ("standing", self.preserve_system_messages, self.heading, self.projected, *rules)

    def returned_mask(self, conversation: Conversation, first: int, blocks: int) -> np.ndarray:
        """bool: of the blocks from `first` on, summaries of ours that came back."""
        if not self.heading or not conversation.columns.system[first:blocks].any():
            return np.zeros(blocks - first, bool)
        return returned_summaries(conversation, self.heading)[first:blocks]

    def pinned_blocks(
        self, conversation: Conversation, first: int, size: int, returned: np.ndarray
    ) -> Iterator[tuple[np.ndarray, Reason, Mapping[str, Any]]]:
        """Blocks from `first` on (bool), and why they are pinned, by what the first `size` messages are; `returned`
        are summaries of ours among those blocks."""
        columns, blocks = conversation.columns, first + len(returned)
        rules = pinned_by_rule(conversation, self.pins, projected=self.projected) if self.pins else None
        systems = columns.system[first:blocks]

        def homes_of(messages: np.ndarray) -> np.ndarray:
            mask, homes = np.zeros(blocks - first, bool), columns.block[messages[: messages.searchsorted(size)]]
            mask[homes[homes >= first] - first] = True
            return mask

        if self.preserve_system_messages and systems.any():
            yield systems & ~returned, ALWAYS, {}
        if len(columns.pins):  # a projection was handed both
            yield homes_of(columns.pins if rules is None else np.setdiff1d(columns.pins, rules.messages)), PIN, {}
        if rules is not None:
            yield homes_of(rules.messages) & ~returned, RULE, {"rule": rules.rule}

    def standing_decisions(self, conversation: Conversation) -> Standing:
        """What stands for all requests of a conversation."""
        return conversation.growing(self.key, lambda: _Stands(self, Standing())).standing

    def for_request(self, history: History, budget: int) -> HistoryPlan:
        """A plan in which it is decided for one request, whatever the others are."""
        plan = HistoryPlan(history, budget)
        plan.returned = self.returned_mask(history.conversation, 0, history.blocks)
        whole = plan.drop(history.replaced, REPLACED)
        refused = whole.drop(history.shown, SHOWN).drop(invalid_blocks(history), INVALID)
        refused.trace = tuple(
            StageTrace(name, before.tokens, after.tokens, after.changed - before.changed)
            for name, before, after in (("projection", plan, whole), ("source", whole, refused))
            if after is not before
        )
        for mask, why, numbers in self.pinned_blocks(history.conversation, 0, history.size, plan.returned):
            refused = refused.pin(mask, why, **numbers)
        return refused


class _Stands(Growing[Conversation]):
    """What stands for every request."""

    __slots__ = ("slot", "standing")

    def __init__(self, slot: SlotZero, standing: Standing):
        self.slot, self.standing = slot, standing

    def followed_by(self, conversation: Conversation, start: int) -> _Stands:
        columns = conversation.columns
        first = min(columns.first_block_since(start), len(self.standing.actions))
        decided = _decide(self.slot, conversation, first)
        return _Stands(self.slot, self.standing.followed_by(first, columns, decided))


def _decide(slot: SlotZero, conversation: Conversation, first: int) -> StandingDecisions:
    """What stands about the blocks from `first` on."""
    columns, numbers = conversation.columns, dict[int, Mapping[str, Any]]()
    blocks = len(columns.block_first)
    codes = np.zeros((3, blocks - first), np.uint8)
    codes[1], codes[2] = FITS.code, slot.returned_mask(conversation, first, blocks)
    if not columns.clean:
        invalid = columns.orphan[first:] | (columns.answered_at[first:] == NEVER)
        if invalid.any():
            codes[0, invalid], codes[1, invalid], numbers[INVALID.code] = DROPPED, INVALID.code, {}
    if first < blocks and len(shown := columns.shown[columns.shown.searchsorted(columns.block_first[first]) :]):
        homes = columns.block[shown] - first
        codes[0, homes], codes[1, homes], numbers[SHOWN.code] = DROPPED, SHOWN.code, {}
    for mask, why, needed in slot.pinned_blocks(conversation, first, len(conversation), codes[2].view(bool)):
        chosen = mask & (codes[0] == KEPT)
        codes[0, chosen], codes[1, chosen], numbers[why.code] = PINNED, why.code, needed
    return StandingDecisions(codes, numbers)


def start(
    history: History,
    budget: int,
    preserve_system_messages: bool,
    heading: str = "",
    pins: PinRules | None = None,
    *,
    projected: bool = False,
) -> HistoryPlan:
    """Drop what a later message stands for, is only shown or an API would refuse; pin systems, and what the user pins.

    Such blocks are dropped first, so that they take no budget and a pin on half a tool call cannot keep them. A
    summary of ours that came back, known by its `heading`, is no system message to be pinned, nor is it by a rule.
    """
    slot = SlotZero(preserve_system_messages, heading, pins, projected)
    newest = history.blocks - 1
    late = newest >= 0 and history.columns.answered_at.item(newest) > history.size  # only the newest may be unanswered
    if not history.whole or late or len(history.columns.stand_ins):
        return slot.for_request(history, budget)
    standing = slot.standing_decisions(history.conversation)
    plan = HistoryPlan.on(standing, history, budget)
    if refused := standing.refused.item(history.blocks):
        plan.trace = (StageTrace("source", history.total_tokens + plan.framing, plan.tokens, refused),)
    return plan


def invalid_blocks(history: History) -> np.ndarray:
    """bool[blocks]: results without a call, and calls without all results unless nothing but their results follows."""
    mask = np.zeros(history.blocks, bool)
    mask[history.columns.refused_blocks(history.size)] = True
    return mask
