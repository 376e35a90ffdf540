"""Choosing: which of the settings tried on some requests to recommend, by what was wished for.

What is better on a few requests may be so by luck. So a choice has to pay for the chance that it does worse on as many
further requests, and for what it would cost if the history grew to twice its length.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from historylab.conversation.columns import TOOL
from historylab.counters.base import counter_for, token_column
from historylab.planning.pipeline import project
from historylab.pricing import window_of
from historylab.settings.model import Settings
from historylab.tuning.constraints import BALANCED, BETTER, BETTER_IN_BOTH, Constraints
from historylab.tuning.evidence import (
    PROMISING,
    ClusterSums,
    Comparison,
    Limits,
    Span,
    clusters_per_conversation,
    compare_sums,
    count_further,
    count_requests,
    sum_clusters,
)
from historylab.tuning.outcome import SAID, USED, Outcome
from historylab.tuning.replayed import TrimmerLane
from historylab.tuning.search_space import Sizes, vary_one_axis
from historylab.tuning.trials import MOST_GROWN, Trial, Trials

BETTER_AIMS = (BETTER, BETTER_IN_BOTH)
LIMITS: Mapping[str, Limits] = {
    "cheapest": Limits(less_kept=1.0),
    "keeps most": Limits(more_cost=1e9),
    "balanced": Limits(less_kept=1 - BALANCED),
    **dict.fromkeys(BETTER_AIMS, Limits()),
}
"""Per aim, what may be given up."""
JUDGED_APART = frozenset({"references", "within_budget", "peak"})
"""Requirements that a part of the requests meets or breaks by itself."""
KEPT_FOR_COST = 2.0
"""The worth of keeping more, in cost: one percentage point kept is worth 2 % of the base's cost."""
DOUBT = 1.0
"""The price of being wrong, as a multiple of the base's cost; it is paid in proportion to the chance of that."""
FINALISTS = 8
"""How many of the best candidates are also replayed with twice the history."""
MORE_KEPT, LESS_COST = 0.01, 0.02
"""The least gain worth a change: a point of what is kept, or 2 % of the cost."""
NO_DIFFERENCE = 0.005
"""The share of a cost below which two cost the same."""
MUCH_LESS = 0.9
"""The share of the base's cost at which settings that keep as much are named, however unsure that is."""
STEEPNESS = 2.0
"""The log odds that later requests cost no more, per e-fold less that they cost once the conversation has grown to
twice its length; times the root of the number of requests seen, as more of them foretell more surely."""
UNHARMED = 4
"""The whole requests that count as withheld already and not missed: a little that is yet to go is no great risk."""
UNLIKE = 0.12
"""The chance that a conversation goes on in a way that can't be foretold; of several, by the root of their number."""


@dataclass(eq=False)
class Choosing:
    """The choice on some requests (`spans`), by what they needed in some tiers."""

    trials: Trials
    base: Trial
    spans: Sequence[Span]
    tiers: Sequence[int]
    wishes: Constraints
    seed: int
    _compared: dict[Trial, Comparison] = field(default_factory=dict)

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
        if trial not in self._compared:
            ours, base = self.sums(trial), self.sums(self.base)
            found = compare_sums(ours, base, self.spans, self.seed, self.limits, exposure=self.exposure(trial))
            self._compared[trial] = found
        return self._compared[trial]

    def foretell(self, trial: Trial) -> Comparison:
        """The same with the chance that it lasts: that nothing withheld as the history grows is missed, that it costs
        no more by then, and that what comes is alike.
        """
        growth_tells = len(self.spans) == 1 and self.base.is_ours
        limits = replace(self.limits, more_cost=1e9) if growth_tells else self.limits
        sums, exposure = (self.sums(trial), self.sums(self.base)), self.exposure(trial, grown=True)
        found = compare_sums(*sums, self.spans, self.seed, limits, exposure=exposure)
        return replace(found, holds=found.holds * self.chance_of_lasting(trial))

    @property
    def limits(self) -> Limits:
        """The losses that may be given up, and the least to keep."""
        limits = replace(LIMITS[self.wishes.aim], least_kept=self.wishes.references or 0.0)
        return replace(limits, more_cost=1e9) if self.base_is_refused else limits  # what is refused is no bargain

    def exposure(self, trial: Trial, *, grown: bool = False) -> float:
        """The tokens that the further requests will lack of the base's, as a multiple of those that these lack.

        As many per request as so far; or, `grown`, as many as where a single conversation comes once more.
        """
        pairs = [(trial.outcomes[n], self.base.outcomes[n], slice(i, j)) for n, i, j in self.spans]
        further, so_far = count_further(self.spans), sum(_withheld(*pair) for pair in pairs)
        to_come = so_far * further / max(1, count_requests(self.spans))
        if grown and self._can_grow:
            ((number, _, stop),) = self.spans
            ours, base = (self.trials.grown(each.settings, number, stop) for each in (trial, self.base))
            to_come = _withheld(ours, base, slice(stop, stop + further))
        largest = max(1, *(int(base.tokens[those].max(initial=0)) for _, base, those in pairs))
        return to_come / (so_far + UNHARMED * largest)

    @property
    def _can_grow(self) -> bool:
        """Tell whether both are known of one conversation that goes on: what would have been sent of it is not."""
        return len(self.spans) == 1 and self.base.is_ours and not self.trials.cancelled()

    def score(self, trial: Trial) -> float:
        """How good a trial is here: the higher the better, and 0 for the base itself where that is to be beaten."""
        return self._score(trial, self.compare(trial))

    def _score(self, trial: Trial, beside: Comparison) -> float:
        faults = len(self.broken(trial)) + self._is_refused(trial)
        if trial is self.base and self.wishes.aim in BETTER_AIMS and not faults:
            return 0.0
        return self._wish_score(beside) - DOUBT * self._said_lost(trial) - 1_000 * faults

    def _said_lost(self, trial: Trial) -> float:
        """The number of facts asked for that the base held and the trial doesn't."""
        said, base_said = (self.sums(each, [SAID]).held.sum() for each in (trial, self.base))
        return max(0.0, float(base_said - said))

    def broken(self, trial: Trial) -> list[str]:
        """The wishes that it breaks, in words: by these requests alone, as far as a wish can be judged apart."""
        return self.wishes.broken_by({**trial.figures, **self._figures(trial)}) if self.wishes.any_set else []

    def _figures(self, trial: Trial) -> dict[str, float]:
        """The measures of these requests that the wishes in JUDGED_APART read."""
        pairs = [(trial.outcomes[n], slice(i, j)) for n, i, j in self.spans]
        used = self.sums(trial, [USED])
        return {
            "tokens_peak": max(int(found.tokens[those].max(initial=0)) for found, those in pairs),
            "over_budget": sum(int(found.over_budget[those].sum()) for found, those in pairs),
            "references_kept": float(used.held.sum() / used.needed.sum()) if used.needed.sum() else math.nan,
        }

    def _wish_score(self, beside: Comparison) -> float:
        cheaper, aim = -_log(beside.cost.value), self.wishes.aim
        if aim in BETTER_AIMS:
            return cheaper + KEPT_FOR_COST * beside.surely_more - DOUBT * (1 - beside.holds)
        if aim == "keeps most":
            return 1_000 * beside.kept + cheaper
        return cheaper - (1_000 * max(0.0, BALANCED - beside.kept) if aim == "balanced" else 0.0)

    def best(self) -> Trial:
        """The choice of a search; the base if nothing is better."""
        return self.pick(self.trials.search(self.score, self.sizes(), self.wishes.peak))

    def pick(self, found: Sequence[Trial]) -> Trial:
        """The best of those of these trials that no other beats, likely to last rather than not; else the base."""
        allowed = [trial for trial in found if not self.broken(trial)]
        if not allowed:
            return max(found, key=self.score)  # what breaks the fewest wishes
        good = [t for t in allowed if self.improves(t, self.compare(t)) and not self.beaten(t, allowed)]
        finalists = sorted(good, key=self.score, reverse=True)[:FINALISTS]
        if not finalists:
            return self.base
        foretold = [(self.foretell(trial), trial) for trial in finalists]
        return max(foretold, key=lambda each: (each[0].holds >= PROMISING, self._score(each[1], each[0])))[1]

    def improves(self, trial: Trial, beside: Comparison) -> bool:
        """Tell whether it does something better here, and nothing worse than may be given up."""
        if trial is self.base or self._said_lost(trial) or not self._fits(trial) or self._is_refused(trial):
            return False
        if self.broken(self.base) and not self.broken(trial):
            return True
        if self.base_is_refused:
            return beside.surely_more >= 0
        limits, aim, cost = self.limits, self.wishes.aim, beside.cost.value
        gains = (aim != "cheapest" and beside.surely_more >= MORE_KEPT, aim != "keeps most" and cost <= 1 - LESS_COST)
        return any(gains) and beside.surely_more >= -limits.less_kept and cost <= 1 + limits.more_cost

    @property
    def base_is_refused(self) -> bool:
        """Tell whether an API would refuse more of a trimmer that is the base than of something tried."""
        return self._is_refused(self.base)

    def _is_refused(self, trial: Trial) -> bool:
        """Tell whether an API would refuse more of it than must be, where the base is a trimmer: better is none."""
        if not isinstance(self.base.lane, TrimmerLane):
            return False
        return trial.rejected > min(each.rejected for each in self.trials.tried.values())

    def _fits(self, trial: Trial) -> bool:
        """Tell whether a trial that doesn't limit what is sent keeps within the model's window."""
        most = max(int(trial.outcomes[n].tokens[i:j].max(initial=0)) for n, i, j in self.spans)
        return not trial.is_ours or trial.settings.pruner != "off" or _is_within_window(trial.settings, most)

    def beaten(self, trial: Trial, others: Iterable[Trial]) -> bool:
        """Tell whether one of the others keeps as much for 5 % less, or keeps 2 points more for no more; or is not
        trimming, which as the simplest of all beats what keeps no more and is no cheaper.
        """
        ours, allowed = self.compare(trial), (each for each in others if self._is_allowed(each))
        return any(_beats(self.compare(each), ours) or self._makes_needless(each, trial) for each in allowed)

    def _is_allowed(self, trial: Trial) -> bool:
        return self._fits(trial) and not self.broken(trial) and not self._is_refused(trial)

    def _makes_needless(self, whole: Trial, trial: Trial) -> bool:
        """Tell whether not trimming is cheaper, also with twice the history, and loses nothing that the trial keeps."""
        if trial.sends_all or not whole.sends_all:
            return False
        ours, all_of_it = self.compare(trial), self.compare(whole)
        cheaper = all_of_it.cost_ratio <= ours.cost_ratio * (1 - NO_DIFFERENCE) and all_of_it.kept >= ours.kept - 1e-9
        return cheaper and self.cost_when_grown(whole) <= self.cost_when_grown(trial)

    def cheaper(self, others: Iterable[Trial]) -> Trial | None:
        """The cheapest of those that keep as much as the base for so much less that it can't be called as good."""
        base = self.compare(self.base)
        allowed = [trial for trial in others if self._is_allowed(trial)]
        found = [(self.compare(trial), trial) for trial in allowed]
        as_much = [each for each in found if each[0].in_messages >= base.in_messages - 1e-9]
        least = min(as_much, key=lambda each: each[0].cost.value, default=None)
        return least[1] if least and least[0].cost.value <= MUCH_LESS else None

    def cheaper_when_grown(self, others: Iterable[Trial]) -> Trial | None:
        """The smallest settings that cut nothing even with twice the history, where the base cuts nothing yet but will,
        and costs more by then: where it begins to cut, each cut loses the cache.
        """
        if not self._can_grow or self.wishes.aim not in BETTER_AIMS:
            return None
        ((number, first, stop),) = self.spans
        so_far, later, mine = slice(first, stop), slice(stop, None), self.base.settings
        if not _cuts_nothing(self.base.outcomes[number], so_far):
            return None
        if _cuts_nothing(self.trials.grown(mine, number, stop), later):
            return None
        whole = [t for t in others if _cuts_nothing(t.outcomes[number], so_far) and not self.broken(t)]
        for trial in sorted(whole, key=lambda trial: (trial.settings.pruner != mine.pruner, trial.settings.budget)):
            grown = self.trials.grown(trial.settings, number, stop)
            if _cuts_nothing(grown, later) and _is_within_window(trial.settings, int(grown.tokens.max())):
                return trial if self.cost_when_grown(trial) <= 1 - LESS_COST else None
        return None

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
        if trial is self.base or not self.base.is_ours or self.trials.cancelled():
            return 1.0  # nobody can tell what would have been sent of requests that nobody made
        ours, base = (
            sum(self.trials.grown(each.settings, n, stop).cost[stop:].sum() for n, _, stop in self.spans[:MOST_GROWN])
            for each in (trial, self.base)
        )
        return ours / base if base else 1.0  # requests of empty messages cost nothing

    def chance_of_lasting(self, trial: Trial) -> float:
        """The chance that what comes is alike, and, where it is the same conversation, costs no more as it grows."""
        alike = 1 - UNLIKE / math.sqrt(len(self.spans))
        if trial is self.base or not self.base.is_ours or len(self.spans) > 1 or self.wishes.aim == "keeps most":
            return 1.0 if trial is self.base else alike
        steepness = STEEPNESS * math.sqrt(self.spans[0][2])
        return alike / (1 + math.exp(min(700.0, steepness * _log(self.cost_when_grown(trial)))))


def _withheld(ours: Outcome, base: Outcome, those: slice) -> int:
    """The tokens of these requests of the base's that ours lack."""
    return int(np.maximum(0, base.tokens[those] - ours.tokens[those]).sum())


def _cuts_nothing(outcome: Outcome, those: slice) -> bool:
    return bool(np.allclose(outcome.cost[those], outcome.untrimmed[those]))


def _is_within_window(settings: Settings, tokens: int) -> bool:
    window = settings.window or window_of(settings.model)
    return not window or tokens <= window


def _beats(other: Comparison, ours: Comparison) -> bool:
    """Tell whether it would be odd to recommend ours, by what messages keep: no summary decides that either."""
    more, cost = other.in_messages - ours.in_messages, other.cost_ratio / max(ours.cost_ratio, 1e-12)
    return (more >= -1e-9 and cost <= 0.95) or (more >= 0.02 - 1e-9 and cost <= 1 + 1e-9)


def _log(ratio: float) -> float:
    return math.log(max(ratio, 1e-9))
