"""Choosing: which of the settings tried on some requests to recommend, by what was wished for.

What is better on a few requests may be so by luck. So a choice has to pay for the chance that it does worse on as many
further requests, and for what it would cost if the history grew to twice its length.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from historylab.conversation.columns import TOOL
from historylab.counters.base import counter_for, token_column
from historylab.planning.pipeline import project
from historylab.settings.model import Settings
from historylab.tuning.constraints import BALANCED, BETTER, BETTER_IN_BOTH, Constraints
from historylab.tuning.evidence import (
    ClusterSums,
    Comparison,
    Limits,
    Span,
    clusters_per_conversation,
    compare_sums,
    sum_clusters,
)
from historylab.tuning.outcome import SAID
from historylab.tuning.search_space import Sizes, vary_one_axis
from historylab.tuning.trials import Trial, Trials

BETTER_AIMS = (BETTER, BETTER_IN_BOTH)
LIMITS: Mapping[str, Limits] = {
    "cheapest": Limits(less_kept=1.0),
    "keeps most": Limits(more_cost=1e9),
    "balanced": Limits(less_kept=1 - BALANCED),
    **dict.fromkeys(BETTER_AIMS, Limits()),
}
"""Per aim, what may be given up."""
KEPT_FOR_COST = 2.0
"""The worth of keeping more, in cost: one percentage point kept is worth 2 % of the base's cost."""
DOUBT = 1.0
"""The price of being wrong, as a multiple of the base's cost; it is paid in proportion to the chance of that."""
FINALISTS = 8
"""How many of the best candidates are also replayed with twice the history."""
GROWN = 0.5
"""The weight of a saving or loss with twice the history; one that was seen has 1."""
DEARER_LATER = 5.0
"""The weight that a loss with twice the history has on top of that."""


@dataclass(eq=False)
class Choosing:
    """The choice on some requests (`spans`), by what they needed in some tiers."""

    trials: Trials
    base: Trial
    spans: Sequence[Span]
    tiers: Sequence[int]
    wishes: Constraints
    seed: int

    @property
    def requests(self) -> int:
        """The number of these requests."""
        return sum(stop - first for _, first, stop in self.spans)

    @property
    def needs(self) -> int:
        """The number of needs these requests have."""
        return int(self.sums(self.base).needed.sum())

    def sums(self, trial: Trial, tiers: Sequence[int] | None = None) -> ClusterSums:
        """The sums over these requests, per cluster, under the settings of a trial."""
        runs = clusters_per_conversation(len(self.trials.conversations))
        return sum_clusters(trial.outcomes, self.spans, tiers or self.tiers, runs)

    def compare(self, trial: Trial) -> Comparison:
        """The trial beside the base on these requests."""
        ours, base, limits = self.sums(trial), self.sums(self.base), LIMITS[self.wishes.aim]
        return compare_sums(ours, base, self.spans, self.seed, limits, sends_less=self.sends_less(trial))

    def sends_less(self, trial: Trial) -> bool:
        """Whether some request sends less than the base's, and so may miss what no need has shown yet."""
        pairs = ((trial.outcomes[n], self.base.outcomes[n], slice(first, stop)) for n, first, stop in self.spans)
        return any((ours.tokens[those] < base.tokens[those]).any() for ours, base, those in pairs)

    def score(self, trial: Trial) -> float:
        """How good a trial is here: the higher the better, and 0 for the base itself where that is to be beaten."""
        if trial is self.base and self.wishes.aim in BETTER_AIMS and not self._count_broken(trial):
            return 0.0
        beside = self.compare(trial)
        said, base_said = (self.sums(each, [SAID]).held.sum() for each in (trial, self.base))
        return self._wish_score(beside) - DOUBT * max(0.0, float(base_said - said)) - 1_000 * self._count_broken(trial)

    def _count_broken(self, trial: Trial) -> int:
        """The number of constraints that it breaks."""
        return len(self.wishes.broken_by(trial.figures))

    def _wish_score(self, beside: Comparison) -> float:
        cheaper, aim = -_log(beside.cost.value), self.wishes.aim
        if aim in BETTER_AIMS:
            return cheaper + KEPT_FOR_COST * beside.more_kept.value - DOUBT * (1 - beside.holds)
        if aim == "keeps most":
            return 1_000 * beside.kept + cheaper
        return cheaper - (1_000 * max(0.0, BALANCED - beside.kept) if aim == "balanced" else 0.0)

    def best(self) -> Trial:
        """The choice of a search; the base if nothing is better."""
        found = filter(self._eligible, self.trials.search(self.score, self.sizes(), self.wishes.peak))
        return self._best_lasting(found)

    def usual(self) -> Trial:
        """The choice among a search's starting points, which depend on sizes alone and are fitted to no request.

        No budget below the base's: what a longer history will miss under it, these requests can't show.
        """
        begun = self.trials.begin(self.sizes(), self.wishes.peak)
        return self._best_lasting(
            t for t in begun if self._eligible(t) and t.settings.budget >= self.base.settings.budget
        )

    def _best_lasting(self, found: Iterable[Trial]) -> Trial:
        """The best of these and the base, here and as the history grows to twice its length."""
        finalists = sorted(found, key=self.score, reverse=True)[:FINALISTS]
        return max([self.base, *finalists], key=lambda trial: self.score(trial) + self._grown_score(trial))

    def _eligible(self, trial: Trial) -> bool:
        """Whether it is at least as good as the base, and limits what is sent if the base does."""
        limited = trial.settings.pruner != "off" or self.base.settings.pruner == "off"
        return trial is not self.base and limited and self.score(trial) >= self.score(self.base)

    def neighbours(self, trial: Trial) -> dict[str, list[Settings]]:
        """Per axis that is varied, the settings that differ from the trial's along it alone."""
        sizes, trials = self.sizes(), self.trials
        return vary_one_axis(trial.settings, trials.base, trials.offered_names(sizes), sizes, locked=trials.locked)

    def sizes(self) -> Sizes:
        """The sizes of the conversations up to these requests: what comes later suggests nothing to try."""
        return Sizes.largest(self._size(number, stop) for number, _, stop in self.spans)

    def _size(self, number: int, stop: int) -> Sizes:
        conversation = project(self.trials.conversations[number], self.trials.base)
        columns, messages = conversation.columns, int(conversation.columns.requests[stop - 1])
        tokens = token_column(conversation, counter_for(self.trials.base))[:messages]
        users = int(columns.users.searchsorted(messages))
        return Sizes(int(tokens.sum()), users, bool((columns.role[:messages] == TOOL).any()))

    def cost_when_grown(self, trial: Trial) -> float:
        """The cost with twice the history, as a multiple of the base's."""
        if trial is self.base or self.trials.cancelled():
            return 1.0
        ours, base = (self.trials.grown_cost(each.settings, self.spans) for each in (trial, self.base))
        return ours / base if base else 1.0  # requests of empty messages cost nothing

    def _grown_score(self, trial: Trial) -> float:
        """The saving with twice the history; a loss counts more."""
        cheaper = -_log(self.cost_when_grown(trial))
        return GROWN * cheaper - DEARER_LATER * max(0.0, -cheaper)


def _log(ratio: float) -> float:
    return math.log(max(ratio, 1e-9))
