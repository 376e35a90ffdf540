"""The rules every plan keeps: total, reasoned, whole, monotone (docs/architecture.md)."""

from __future__ import annotations

from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import FITS, Action
from historylab.planning.strategies import uncut

WHOLE = {why.rule for why in (FITS, uncut.QUESTION, uncut.NEWEST, uncut.PROTECTED, uncut.SPARED, uncut.NO_PRUNER)}


def assert_total_and_reasoned(plan: HistoryPlan) -> None:
    assert len(plan.actions) == len(plan.reasons) == plan.size
    for i in range(plan.size):
        why = plan.reason(i)
        assert why.sentence
        assert (why.rule in WHOLE) == (why.action is Action.KEPT)


def assert_whole(plan: HistoryPlan) -> None:
    for block in plan.history.conversation.blocks:
        fates = {plan.actions[i] for i in block.indices if i < plan.size}
        assert len(fates - {Action.KEPT, Action.TRUNCATED}) <= (not fates & {Action.KEPT, Action.TRUNCATED})


def assert_monotone(before: HistoryPlan, after: HistoryPlan) -> None:
    final = ~before.open
    assert (before.block_actions[final] == after.block_actions[final]).all()
    assert (before.block_reasons[final] == after.block_reasons[final]).all()
    assert not (before.actions == Action.TRUNCATED)[after.actions == Action.KEPT].any()
