"""The reference for plans that are kept as ranges: the same stages, deciding block by block from the start."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from historylab.planning import pipeline
from historylab.planning.history import History
from historylab.planning.plan import HistoryPlan
from historylab.planning.slot_zero import start


@contextmanager
def block_by_block() -> Iterator[None]:
    """Plans made here hold an action and a reason per block, in arrays of their own, and nothing in common."""
    with patch.object(pipeline, "start", started), patch.object(HistoryPlan, "stored", lambda plan, _: plan):
        yield


def started(history: History, *settings, **more) -> HistoryPlan:
    return in_codes(start(history, *settings, **more))


def in_codes(plan: HistoryPlan) -> HistoryPlan:
    """The same plan, with nothing decided but what is, as arrays."""
    same = HistoryPlan(plan.history, plan.budget, plan.block_actions.copy(), plan.block_reasons.copy())
    same.message_tokens, same.numbers, same.returned = plan.message_tokens, plan.numbers, plan.returned
    same.changed, same.trace = plan.changed, plan.trace
    return same
