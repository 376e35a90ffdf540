"""Tune: settings that do better than yours, chosen on some requests and judged on others.

    advice = tune(load("sessions.jsonl"), base=Settings(budget=8000))
    advice.verdict, advice.settings, advice.why

Within one conversation the choice is made on the earlier requests and judged on the later ones; over several, on some
conversations and judged on the others, each in its turn. The verdict speaks of the part that was judged, and of the
chance that it holds on as many further requests.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.errors import SettingsError
from historylab.planning.pipeline import project
from historylab.settings.consent import offline
from historylab.settings.effect import has_effect
from historylab.settings.model import Settings
from historylab.tuning.advice_words import Verdict, VerdictGrounds, cut_in_words, kept_noun, why_advised
from historylab.tuning.choosing import LIMITS, Choosing
from historylab.tuning.constraints import BETTER, PHRASES, Constraints, constraints_of, read_wishes
from historylab.tuning.cut_depth import Cut, cut_depth
from historylab.tuning.evidence import FEWEST_NEEDS, LIKELY, ClusterSums, Comparison, Span, compare_sums
from historylab.tuning.jobs import effective_key
from historylab.tuning.outcome import QUOTED, SAID, USED
from historylab.tuning.points import Point, changes_as_text
from historylab.tuning.replayed import MeasureOptions
from historylab.tuning.search_space import USUAL
from historylab.tuning.trials import Known, Trial, Trials

FOLDS = 4
"""Groups of conversations, each judged by what was chosen on the others."""
NAMED = ("pruner", "budget")
"""Settings that a candidate's name always says."""
TIERS = ((SAID,), (SAID, USED), (SAID, USED, QUOTED))
"""The tiers that "kept" may count: the first of these that has needs enough."""


@dataclass(frozen=True, slots=True, eq=False)
class Advice:
    """Settings to use, and how far that claim is supported.

    `settings` are the base's where nothing better is known. `evidence` says how many needs of `conversations` the
    verdict rests on; `promised` what to expect, by what was seen last where the choice was made; `held_out` what the
    settings did on requests that no search was fitted to; both beside the base. `why` says it all in sentences, the
    verdict first. `chosen` is the best trial found, whatever the verdict on it; `trials` are all that were made, the
    base's first, and `points` what each did over all requests, its cost relative to not trimming. `tiers` are those of
    the needs that "kept" counts. `priced`: costs are dollars, not tokens.
    """

    settings: Settings
    verdict: Verdict
    evidence: int
    conversations: int
    promised: Comparison
    held_out: Comparison
    why: tuple[str, ...]
    chosen: Trial
    trials: tuple[Trial, ...]
    points: tuple[Point, ...]
    tiers: tuple[int, ...]
    priced: bool
    _everything: Choosing

    def beside_base(self, trial: Trial) -> Comparison:
        """A trial beside the base over all requests, those it was chosen on and the others."""
        return self._everything.compare(trial)

    def neighbours(self, trial: Trial) -> dict[str, list[Settings]]:
        """Per axis that was varied, the settings that differ from the trial's along it alone."""
        return self._everything.neighbours(trial)

    def trial_of(self, settings: Settings) -> Trial | None:
        """The trial of these settings, if they have been tried."""
        return self._everything.trials.known.trials.get(effective_key(settings))

    def look_at(self, settings: Settings) -> Trial:
        """A trial of further settings, on which the advice does not rest."""
        return self._everything.trials.look_at(settings)


def tune(
    conversations: Conversation | Iterable[Conversation],
    *,
    base: Settings | None = None,
    wishes: str = "better than mine",
    tries: int = 50,
    seed: int = 0,
    varied: Sequence[str] = USUAL,
    locked: Collection[str] = (),
    options: MeasureOptions | None = None,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    name: Callable[[Mapping[str, Any]], str] = changes_as_text,
    known: Known | None = None,
) -> Advice:
    """Look for settings that do better than `base` (default: the defaults) on conversations like these.

    Args:
        wishes: "better than mine" (in what is kept and in cost: not worse in either), or constraints and an aim as
            `recommend` takes them.
        tries: the most sets of settings to try besides the base.
        seed: of the draws that intervals are made from.
        varied: the axes to vary (`search_space.AXES`); settings in `locked` never are.
        options: prices, must-remember marks and questions, as a sweep takes them.
        progress: called with (tried, at most).
        cancelled: asked often; once it says True the advice rests on what has been tried.
        name: puts a candidate's settings into words.
        known: what earlier calls on the same conversations came to, with the same options and cache; added to.

    Raises SettingsError for wishes that aren't understood, for a negative number, and where no conversation has a
    request; LoadError for a must-remember mark on no message.
    """
    if tries < 0 or seed < 0:
        raise SettingsError("the number of tries and the seed are 0 or more")
    given = [conversations] if isinstance(conversations, Conversation) else list(conversations)
    mine = base or Settings()
    base = offline(mine)
    asked = read_wishes(wishes, PHRASES)
    stated = constraints_of(asked, BETTER)
    cache = next((wish.cache for wish in asked if wish.cache), None)
    usable = [c for c in given if len(project(c, base).columns.requests)]
    if not usable:
        raise SettingsError("there is nothing to tune on: no conversation has a request")
    trials = Trials(
        usable,
        base,
        varied,
        locked,
        options or MeasureOptions(),
        cache,
        tries,
        progress,
        cancelled,
        known or Known(),
    )
    return _Tuning(trials, mine, stated, seed).advice(name)


class _Judged(NamedTuple):
    trial: Trial
    promised: Comparison
    held_out: Comparison


class _Tuning:
    """One call of `tune`: the parts to choose and to judge on, and what came of both."""

    def __init__(self, trials: Trials, mine: Settings, wishes: Constraints, seed: int):
        base = trials.run(trials.base)
        assert base is not None  # the first trial is always made
        self.trials, self.base, self.mine, self.wishes, self.seed = trials, base, mine, wishes, seed
        self.tiers = _tiers(base)

    def advice(self, name: Callable[[Mapping[str, Any]], str]) -> Advice:
        outcomes = self.base.outcomes
        whole = [(number, 0, len(outcome)) for number, outcome in enumerate(outcomes)]
        everything = self._make_choosing(whole)
        judged = self._over_time(everything) if len(whole) == 1 else self._over_conversations(everything)
        chosen, promised, held_out = judged
        verdict, needs = self._verdict(judged, everything), everything.needs
        settings = chosen.settings if verdict == "better" else self.mine
        tried = tuple(self.trials.tried.values())
        points = tuple(self._point(trial, everything, name) for trial in tried)
        best, priced = points[tried.index(chosen)], all(outcome.priced for outcome in outcomes)
        limits, grown = LIMITS[self.wishes.aim], everything.cost_when_grown(chosen)
        found = VerdictGrounds(needs, everything.requests, self.tiers, priced, held_out, limits, len(tried), grown)
        why = [*why_advised(verdict, found, best.label if chosen is not self.base else "", best.broken)]
        replays_more = verdict != "too little to tell" and not self.trials.cancelled()
        depth = cut_depth(chosen.settings, partial(self._cut, everything=everything)) if replays_more else None
        if depth and depth.half != depth.exact:
            why.append(cut_in_words(depth))
        about = (settings, verdict, needs, len(whole), promised, held_out, tuple(why))
        return Advice(*about, chosen, tried, points, self.tiers, priced, everything)

    def _point(self, trial: Trial, everything: Choosing, name: Callable[[Mapping[str, Any]], str]) -> Point:
        beside, changes = everything.compare(trial), _changes(trial.settings, self.base.settings)
        broken = tuple(self.wishes.broken_by(trial.figures, kept_noun([USED])))
        return Point(changes, beside.kept, beside.cost_ratio, trial.figures, broken, name(changes))

    def _cut(self, settings: Settings, everything: Choosing) -> Cut:
        """The settings' cut over all requests: beginnings changed, cost and share kept."""
        trial = self.trials.look_at(settings)
        found = everything.compare(trial)
        priced = all(outcome.priced for outcome in trial.outcomes)
        return Cut(trial.figures["prefix_breaks"], found.cost_ratio, found.kept, self.tiers, priced)

    def _verdict(self, judged: _Judged, everything: Choosing) -> Verdict:
        chosen, held_out = judged.trial, judged.held_out
        kept, cost = held_out.more_kept, held_out.cost
        if everything.needs < FEWEST_NEEDS:
            return "too little to tell"
        if self.wishes.broken_by(chosen.figures):
            return "as good"
        aim, mends = self.wishes.aim, bool(self.wishes.broken_by(self.base.figures))
        same_kept, same_cost = kept.low == kept.high == 0, cost.low == cost.high == 1
        same = (same_kept or aim == "cheapest") and (same_cost or aim == "keeps most")
        if chosen is self.base or (same and not mends):
            return "as good"
        gains = (kept.low > 0 and aim != "cheapest") or (cost.high < 1 and aim != "keeps most")
        if held_out.holds >= LIKELY and (gains or mends):
            return "better" if everything.cost_when_grown(chosen) <= 1 + LIMITS[aim].more_cost else "as good"
        return "as good" if held_out.holds < 1 - LIKELY and not mends else "too little to tell"

    def _over_time(self, everything: Choosing) -> _Judged:
        """Chosen on the earlier requests, judged on the later ones: each with half of the needs.

        Beside it stands the best of the starting points. As nothing is fitted to any request there, it is judged
        where it is chosen, on the later ones: early on, when little is forgotten, all settings look alike.
        """
        ((number, _, stop),) = everything.spans
        if stop < 2:
            alone = everything.compare(self.base)
            return _Judged(self.base, alone, alone)
        needs = self.base.outcomes[number].needed[:, list(self.tiers)].sum(1).cumsum()
        middle = _middle(needs, stop)
        earlier, later = self._make_choosing([(number, 0, middle)]), self._make_choosing([(number, middle, stop)])
        longest = self._make_choosing([(number, _middle(needs, middle), middle)])  # at first nothing is forgotten yet
        chosen, usual = earlier.best(), later.usual()
        found = [_Judged(chosen, longest.compare(chosen), later.compare(chosen))]
        if usual not in (self.base, chosen):
            seen = later.compare(usual)
            found.append(_Judged(usual, seen, seen))
        return max(found, key=lambda each: (self._verdict(each, everything) == "better", later.score(each.trial)))

    def _over_conversations(self, everything: Choosing) -> _Judged:
        """Judged in turn on each group of conversations by what was chosen on the others; then chosen on all."""
        spans, less = everything.spans, False
        folds, limits = min(FOLDS, len(spans)), LIMITS[self.wishes.aim]
        ours, base = [], []
        for fold in range(folds):
            judged = self._make_choosing(spans[fold::folds])
            chosen = self._make_choosing([span for i, span in enumerate(spans) if i % folds != fold]).best()
            less = less or judged.sends_less(chosen)
            ours.append(judged.sums(chosen))
            base.append(judged.sums(self.base))
        held_out = compare_sums(
            ClusterSums.concatenate(ours), ClusterSums.concatenate(base), spans, self.seed, limits, sends_less=less
        )
        chosen = everything.best()
        return _Judged(chosen, everything.compare(chosen), held_out)

    def _make_choosing(self, spans: Sequence[Span]) -> Choosing:
        return Choosing(self.trials, self.base, spans, self.tiers, self.wishes, self.seed)


def _changes(settings: Settings, base: Settings) -> dict[str, Any]:
    """The values in which the settings differ from the base's, and what limits a request."""
    values = settings.values()
    return {n: v for n, v in values.items() if has_effect(settings, n) and (v != base.value(n) or n in NAMED)}


def _middle(needs: np.ndarray, stop: int) -> int:
    """The request by which half of the needs of the first `stop` requests have come, with one on either side.

    `needs` (int64[requests]) is their running sum.
    """
    half = int(needs.searchsorted(needs[stop - 1] / 2)) + 1 if needs[stop - 1] else stop // 2
    return min(max(1, half), max(1, stop - 1)) if stop > 1 else 0


def _tiers(base: Trial) -> tuple[int, ...]:
    """The tiers that stand for "kept": no weaker ones than it takes to have needs enough."""
    needs = sum(outcome.needed.sum(0) for outcome in base.outcomes)
    tiers = next((tiers for tiers in TIERS if needs[list(tiers)].sum() >= FEWEST_NEEDS), TIERS[-1])
    return tuple(tier for tier in tiers if needs[tier]) or tiers
