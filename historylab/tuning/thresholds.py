"""Thresholds: at which size each type of agent should compact its history, and down to what, by costs alone.

    find_thresholds(load("usage.csv"))

For requests of which a table has the tokens and no text. What would be forgotten is unknown, so of all that cost about
as little the one that sends most is chosen. Each group of sessions is judged by what was chosen on the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.tuning.agent_requests import AgentRequests, requests_by_agent
from historylab.tuning.choosing import LESS_COST
from historylab.tuning.compaction_costs import SHORTEST, CompactionCosts, CompactionSizes, SessionCosts
from historylab.tuning.evidence import Interval
from historylab.tuning.shares import FEWEST, ratio_interval
from historylab.tuning.tune import FOLDS

SIZES = tuple(sorted(size * 2**n * 1_000 for n in range(8) for size in (8, 12)))
"""The sizes tried: 8,000 to 1,536,000."""
LEFT = (1 / 8, 1 / 4, 1 / 2, 3 / 4)
"""The tokens that are left of them."""
AS_CHEAP = 1.05
"""The multiple of the least cost up to which sending more is preferred."""


@dataclass(frozen=True, slots=True)
class TriedSizes:
    """A compaction over all sessions: its cost, and the tokens that are sent."""

    compaction: CompactionSizes
    cost: float
    sent: int


@dataclass(frozen=True, slots=True)
class Threshold:
    """The compaction for a type of agent.

    `now`: the sizes at which it was seen to cut its history, and down to what. `chosen` is the best of all sessions,
    `change` the cost as a multiple of `cost` by what was chosen on other sessions; both None where sessions are too few
    or nothing fits. `priced`: costs are dollars, not tokens.
    """

    agent: str
    models: tuple[str, ...]
    sessions: int
    requests: int
    now: tuple[int, int] | None
    cost: float
    priced: bool
    chosen: CompactionSizes | None = None
    change: Interval | None = None
    tried: tuple[TriedSizes, ...] = ()

    @property
    def saves(self) -> bool:
        """Tell whether it is shown to cost less."""
        return self.change is not None and self.change.high < 1 and self.change.value <= 1 - LESS_COST


def find_thresholds(conversations: Iterable[Conversation]) -> tuple[Threshold, ...]:
    """The thresholds of each type of agent, the costliest first, those that count tokens last."""
    found = map(_threshold, requests_by_agent(conversations))
    return tuple(sorted(found, key=lambda each: (not each.priced, -each.cost)))


def _threshold(columns: AgentRequests) -> Threshold:
    costs = CompactionCosts(columns)
    now = costs.as_recorded
    about = (columns.agent, columns.models, columns.sessions, len(columns), columns.cut_from_to)
    found = Threshold(*about, float(now.sum()), costs.priced)
    outcomes = {each: costs.of(each) for each in _candidates(costs)} if columns.sessions >= FEWEST else {}
    fitting = {each: outcome for each, outcome in outcomes.items() if outcome.fits}
    if not fitting:
        return found
    folds = np.arange(columns.sessions) % min(FOLDS, columns.sessions)
    then = np.empty(columns.sessions)
    for fold in range(folds.max() + 1):
        then[folds == fold] = fitting[_choose(fitting, folds != fold)].cost[folds == fold]
    change = Interval(float(then.sum() / now.sum()), *ratio_interval(then.tolist(), now.tolist()))
    tried = tuple(TriedSizes(each, float(o.cost.sum()), int(o.sent.sum())) for each, o in fitting.items())
    return Threshold(*about, found.cost, costs.priced, _choose(fitting, folds >= 0), change, tried)


def _candidates(costs: CompactionCosts) -> list[CompactionSizes]:
    least = float(np.median(costs.openings)) + SHORTEST
    pairs = product([size for size in SIZES if size < costs.largest], LEFT)
    found = (CompactionSizes(at, round(at * share)) for at, share in pairs)
    return [CompactionSizes(), *(each for each in found if each.to and each.to >= least)]


def _choose(outcomes: dict[CompactionSizes, SessionCosts], those: Sequence[bool] | np.ndarray) -> CompactionSizes:
    """Of those about as cheap as the cheapest for these sessions, the one that sends most."""
    costs = {each: outcome.cost[those].sum() for each, outcome in outcomes.items()}
    most = AS_CHEAP * min(costs.values())
    return max((each for each in costs if costs[each] <= most), key=lambda each: outcomes[each].sent[those].sum())
