"""Replaying many conversations in front of somebody, one after another; a click meanwhile keeps what is done."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from historylab.conversation import Conversation
from historylab.cost import Prices
from historylab.settings.model import Settings
from historylab.ui import cached
from historylab.ui.tuning import Interruption, Work
from historylab.workload import Workload, measure_loads


def fill(
    work: Work,
    conversations: Sequence[Conversation],
    settings: Settings,
    prices: Prices | None,
    show: Callable[[int, int], None],
) -> None:
    """Measure each conversation and keep its load in the work."""
    interruption, loads = Interruption(show), []
    for load in measure_loads(conversations, settings, prices):
        loads.append(load)
        interruption.step(len(loads), len(conversations))
        if interruption.happened():
            break
    work.result, work.done = loads, not interruption.happened()
    interruption.pass_on()


def workload_of(work: Work, settings: Settings) -> Workload | None:
    """What the work came to so far."""
    counter = cached.counter(settings)
    return Workload(tuple(work.result), counter.label, counter.exact) if work.result else None
