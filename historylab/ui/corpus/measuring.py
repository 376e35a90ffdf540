"""Measuring many conversations one by one with a progress bar; a click stops it and keeps those done."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from historylab.conversation.conversation import Conversation
from historylab.costs.workload import Workload, measure_loads
from historylab.counters.badge import count_badge
from historylab.pricing import Prices
from historylab.settings.model import Settings
from historylab.ui.session import cached
from historylab.ui.session.background_work import Interruption, Work


def measure_workload(
    work: Work,
    conversations: Sequence[Conversation],
    settings: Settings,
    prices: Prices | None,
    show: Callable[[int, int], None],
) -> None:
    """Measure the conversations into `work`, reporting progress to `show(done, of)`."""
    interruption, loads = Interruption(show), []
    for load in measure_loads(conversations, settings, prices):
        loads.append(load)
        interruption.step(len(loads), len(conversations))
        if interruption.happened():
            break
    work.result, work.done = loads, not interruption.happened()
    interruption.pass_on()


def current_workload(work: Work, conversations: Sequence[Conversation], settings: Settings) -> Workload | None:
    """The workload measured so far; None before the first conversation."""
    if not work.result:
        return None
    measured = conversations[: len(work.result)]
    return Workload(
        tuple(work.result), count_badge(cached.counter(settings), settings.model, measured, settings.overhead)
    )
