"""A saving that loses nothing more: a few settings planned and priced at once, where a whole sweep would take long."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from historylab.costs.bill import against_untrimmed
from historylab.errors import HistoryLabError
from historylab.planning.pins import changes_to_pin
from historylab.planning.replay import Timeline, replay
from historylab.pricing import Prices, window_of
from historylab.recall.retention import Retention, retention
from historylab.recall.rules import pin_of_mark
from historylab.settings.consent import settings_that_ask
from historylab.settings.model import Settings
from historylab.tuning.compare import UNTRIMMED, changed_values
from historylab.tuning.moving_cut import HALF

SHARES = (2, 4)  # budgets that are tried: these parts of the largest request
LEAST = 0.02  # of the cost: what saves less isn't worth a word
DIGITS = 2  # that count in a budget


@dataclass(frozen=True, slots=True)
class Saving:
    """Settings that cost less, or lose less, than those of a timeline.

    Attributes:
        changes: the settings to change; `settings` with them.
        cost: as a share of the timeline's; of its tokens where prices are unknown, and `priced` is False.
        lost, were_lost: needs that they lose, and that the timeline's own lose.
    """

    changes: Mapping[str, Any]
    settings: Settings
    cost: float
    priced: bool
    lost: int
    were_lost: int


def find_saving(
    found: Retention,
    prices: Prices | None,
    progress: Callable[[], None] = lambda: None,
    locked: Container[str] = (),
) -> Saving | None:
    """The cheapest of a few settings that lose least; None where none is better. What `progress` raises ends it.

    What is `locked` stays as it is.
    """
    savings = []
    for changes in _candidates(found):
        progress()
        if any(name in locked for name in changes):
            continue
        tried = saving_of(found, changes, prices)
        if tried and (tried.lost < tried.were_lost or (tried.lost == tried.were_lost and tried.cost <= 1 - LEAST)):
            savings.append(tried)
    return min(savings, key=lambda saving: (saving.lost, saving.cost), default=None)


def saving_of(found: Retention, changes: Mapping[str, Any], prices: Prices | None) -> Saving | None:
    """The cost and losses of changed settings, be it more or less; None where they don't fit, fail or ask a model."""
    stars = tuple(star.mark for star in found.starred)
    if (tried := _try(found.timeline, changes, prices, stars)) is None:
        return None
    settings, cost, lost = tried
    share = cost / max(_cost(found.timeline, prices), 1e-12)
    return Saving(changes, settings, share, prices is not None, lost, _losses(found))


def _candidates(found: Retention) -> Iterator[dict[str, Any]]:
    """Not trimming, where there is room for it; summarising, under smaller budgets, too; cutting down to half.

    What must be remembered and was lost is pinned, but where nothing is cut.
    """
    timeline, pins = found.timeline, _pins_of_lost(found)
    settings, most = timeline.settings, int(timeline.untrimmed_contexts.max())
    needed = most + settings.reserve
    if needed <= settings.budget:
        yield _changes_of(settings, UNTRIMMED)
    elif (window := settings.window or window_of(settings.model)) and needed <= window:
        yield _changes_of(settings, {**UNTRIMMED, "budget": window})
    yield pins
    yield _changes_of(settings, {**UNTRIMMED, **pins, "pruner": "summarize"})
    for share in SHARES:
        whole = {**UNTRIMMED, **pins, "budget": _round_down(most // share)}
        yield _changes_of(settings, {**whole, "pruner": "summarize"})
        yield _changes_of(settings, {**whole, "pruner": "fifo", "pruner.fifo.trim_to": HALF})


def _pins_of_lost(found: Retention) -> dict[str, Any]:
    wanted = [pin_of_mark(found.timeline.original, star.mark) for star in found.starred if star.gaps]
    return changes_to_pin(found.timeline.settings, wanted)


def _changes_of(settings: Settings, wanted: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in wanted.items() if settings.value(name) != value}


def _round_down(tokens: int) -> int:
    unit: int = 10 ** max(0, len(str(tokens)) - DIGITS)
    return max(1, tokens // unit) * unit


def _try(
    timeline: Timeline, changes: Mapping[str, Any], prices: Prices | None, stars: tuple[int, ...]
) -> tuple[Settings, float, int] | None:
    """The changed settings, their cost and losses; None where nothing changes, or they fail, ask a model or don't fit.

    Known of the conversation: the budget on screen changes, the ones tried here don't.
    """
    try:
        settings = timeline.settings.replace(**changes)
    except HistoryLabError:
        return None
    if not changes or settings_that_ask(settings):
        return None

    def measure() -> tuple[Settings, float, int] | None:
        try:
            tried = replay(timeline.original, settings)
        except HistoryLabError:
            return None
        if tried.over_budget.any():
            return None
        return settings, _cost(tried, prices), _losses(retention(tried, stars=stars))

    return timeline.original.remember(("saving", settings.key, repr(prices), stars), measure)


def _cost(timeline: Timeline, prices: Prices | None) -> float:
    if prices is None:
        return float(timeline.contexts.sum())
    return float(against_untrimmed(timeline, prices=prices).bill.total)


def _losses(found: Retention) -> int:
    return len([loss for loss in found.losses if loss.kind != "question"])


def changes_between(settings: Settings, wanted: Settings) -> dict[str, Any]:
    """The values by which `wanted` differ from `settings`."""
    changed = changed_values(settings.values(), wanted.values())
    return {name: value for name, value in changed.items() if value is not None}
