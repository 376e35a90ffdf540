"""Why much of a budget stays unused: the newest turn that was cut goes as a whole; and the settings that would keep it.

Both remedies are found by planning again, so what is said of them is so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.planning.pipeline import plan_up_to
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Action, reason_of
from historylab.planning.strategies.base import Instruments
from historylab.settings.model import Settings, stage_options

MUCH = 0.5  # share of the budget that is left unused from which it is worth a word
TRIES = 5  # budgets that are tried: a larger one can keep older history as well, which then needs a larger one still


@dataclass(frozen=True, slots=True)
class UnusedBudget:
    """A request that leaves much of its budget unused, as the newest turn it dropped did not fit as a whole.

    Attributes:
        turn: that turn's number, from 0; `newest`: whether it is the one just before the running turn.
        tokens: what it would add; `unused` of `budget` tokens are left.
        room: a budget under which the turn is sent, verified; empty if none was found.
        finer: settings that cut inside turns and use more than half of the budget, verified; empty if there are none.
    """

    turn: int
    newest: bool
    tokens: int
    unused: int
    budget: int
    room: Mapping[str, Any]
    finer: Mapping[str, Any]


def unused_budget(
    conversation: Conversation, settings: Settings, instruments: Instruments, plan: HistoryPlan
) -> UnusedBudget | None:
    """Why the plan leaves much of its budget unused; None if it doesn't, or if it is not for a whole turn's size."""
    unused = plan.budget - plan.tokens
    if unused < MUCH * plan.budget or (turn := _newest_turn_cut(plan)) is None:
        return None
    blocks = (plan.history.columns.block_turn[: plan.history.blocks] == turn) & ~plan.sent
    needed = int(plan.block_tokens[blocks].sum())
    if needed <= unused:
        return None
    trial = instruments.offline()  # no model is asked to summarise for settings that are only tried

    def plan_with(changes: Mapping[str, Any]) -> HistoryPlan:
        return plan_up_to(conversation, settings.replace(**changes), trial, plan.size)

    finer = _finer(settings)
    newest = turn == int(plan.history.columns.block_turn[plan.history.blocks - 1]) - 1
    return UnusedBudget(
        turn,
        newest,
        needed,
        unused,
        plan.budget,
        _room(plan, settings, blocks, needed, plan_with),
        finer if finer and plan_with(finer).tokens > (1 - MUCH) * plan.budget else {},
    )


def _newest_turn_cut(plan: HistoryPlan) -> int | None:
    """The newest turn of which everything was dropped for want of budget; None if there is none."""
    turns = plan.history.columns.block_turn[: plan.history.blocks]
    codes = np.unique(plan.block_reasons[plan.block_actions == Action.DROPPED]).tolist()
    for_budget = [code for code in codes if reason_of(code).setting == "budget"]
    cut = np.isin(plan.block_reasons, for_budget) & (plan.block_actions == Action.DROPPED)
    newest = int(turns[cut].max()) if cut.any() else -1
    return None if newest < 0 or (plan.sent & (turns == newest)).any() else newest


def _finer(settings: Settings) -> dict[str, Any]:
    """The setting that lets the pruner cut inside turns, if it has one that isn't chosen yet."""
    name = f"pruner.{settings.pruner}.unit"
    return {name: "block"} if name in stage_options() and settings.value(name) != "block" else {}


def _room(plan: HistoryPlan, settings: Settings, blocks: np.ndarray, needed: int, planned: Any) -> dict[str, int]:
    """A budget under which the turn is sent whole and the request fits."""
    tokens = plan.tokens + needed
    for _ in range(TRIES):
        changes = {"budget": tokens + settings.reserve + settings.overhead}
        tried: HistoryPlan = planned(changes)
        if tried.sent[blocks].all() and not tried.over_budget:
            return changes
        tokens += max(needed, tried.tokens) // 4
    return {}
