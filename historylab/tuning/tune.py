"""Tune: settings that do better than yours, or than what really happened, chosen on some requests, judged on others.

    advice = tune(load("sessions.jsonl"), base=Settings(budget=8000))
    advice.verdict, advice.settings, advice.why
    tune(load("sessions.jsonl"), base="as-sent")

Within one conversation the choice is made on the earlier requests and judged on the later ones; over several, on some
conversations and judged on the others, each in its turn. The verdict speaks of the part that was judged, and of the
chance that it holds on further requests.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.errors import SettingsError
from historylab.planning.pipeline import project
from historylab.settings.consent import offline
from historylab.settings.effect import has_effect
from historylab.settings.model import Settings
from historylab.tuning.advice_words import (
    CLAIMS,
    Verdict,
    VerdictGrounds,
    cut_in_words,
    kept_noun,
    refused_words,
    why_advised,
)
from historylab.tuning.base_lane import base_in_words, choose_base, nearest_to, search_start
from historylab.tuning.choosing import JUDGED_APART, Choosing
from historylab.tuning.constraints import BETTER, PHRASES, Constraints, constraints_of, read_wishes
from historylab.tuning.cut_depth import Cut, cut_depth
from historylab.tuning.evidence import (
    FEWEST_NEEDS,
    FEWEST_TO_NAME,
    LIKELY,
    PROMISING,
    ClusterSums,
    Comparison,
    Span,
    compare_sums,
    count_requests,
    sum_clusters,
)
from historylab.tuning.outcome import QUOTED, SAID, USED
from historylab.tuning.points import Point, changes_as_text
from historylab.tuning.replayed import AS_SENT, Lane, MeasureOptions, TrimmerLane
from historylab.tuning.search_space import USUAL
from historylab.tuning.shares import share_interval
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

    `settings` are the base's unless the verdict is "better"; where others decided (`against`), those that the file
    proposes. `evidence` says how many needs of `conversations` the
    verdict rests on; `promised` what to expect, by what was seen last where the choice was made; `held_out` what the
    settings did on requests that helped to choose nothing, None where all were looked at; both beside the base.
    `chance` is that of doing no worse on two thirds as many requests more. `why` says it all, the verdict first.
    `chosen` is the best trial found, whatever the verdict on it; `trials` are all that were made, the
    base's first, and `points` what each did over all requests, its cost relative to not trimming. `tiers` are those of
    the needs that "kept" counts. `priced`: costs are dollars, not tokens.
    """

    settings: Settings
    verdict: Verdict
    evidence: int
    conversations: int
    promised: Comparison
    held_out: Comparison | None
    chance: float
    why: tuple[str, ...]
    chosen: Trial
    trials: tuple[Trial, ...]
    points: tuple[Point, ...]
    tiers: tuple[int, ...]
    priced: bool
    against: Lane
    _everything: Choosing

    @property
    def advised(self) -> Trial:
        """The best trial where it is claimed to be better; else the base's."""
        return self.chosen if self.verdict in CLAIMS else self.trials[0]

    def beside_base(self, trial: Trial) -> Comparison:
        """A trial beside the base over all requests, those it was chosen on and the others."""
        return self._everything.compare(trial)

    def cost_when_grown(self, trial: Trial) -> float:
        """The cost of a trial with twice the history, as a multiple of the base's."""
        return self._everything.cost_when_grown(trial)

    def neighbours(self, trial: Trial) -> dict[str, list[Settings]]:
        """Per axis that was varied, the settings that differ from the trial's along it alone."""
        return self._everything.neighbours(trial)

    def trial_of(self, settings: Settings) -> Trial | None:
        """The trial of these settings, if they have been tried."""
        trials = self._everything.trials
        return trials.known.trials.get(trials.key_of(settings))

    def look_at(self, settings: Settings) -> Trial:
        """A trial of further settings, on which the advice does not rest."""
        return self._everything.trials.look_at(settings)


def tune(
    conversations: Conversation | Iterable[Conversation],
    *,
    base: Lane | Callable[..., Any] | None = None,
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
    """Look for settings that do better than `base` on conversations like these.

    Args:
        base: settings; "as-sent" for what was really sent; a function that trims, or a TrimmerLane. Beside the last two
            settings are counted as the file was, and better are only those under which nothing is refused. By default
            what was sent, where that was less than the whole history and every file says so; else the defaults.
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

    Raises SettingsError for wishes that aren't understood, for a negative number, where no conversation has a request,
    and for a base "as-sent" where a file doesn't say what was; LoadError for a must-remember mark on no message.
    """
    if tries < 0 or seed < 0:
        raise SettingsError("the number of tries and the seed are 0 or more")
    several = [conversations] if isinstance(conversations, Conversation) else list(conversations)
    given = [conversation for conversation in several if not conversation.recorded.textless]
    if several and not given:
        raise SettingsError("the file holds no text to judge settings by; find_thresholds() goes by tokens alone")
    requesting = [c for c in given if len(c.columns.requests)]
    against = choose_base(requesting, base)
    mine = search_start(requesting, against)
    start = offline(mine)
    asked = read_wishes(wishes, PHRASES)
    stated = constraints_of(asked, BETTER)
    cache = next((wish.cache for wish in asked if wish.cache), None)
    usable = [c for c in given if len(project(c, start).columns.requests)]
    if not usable:
        raise SettingsError("there is nothing to tune on: no conversation has a request")
    trials = Trials(
        usable,
        start,
        varied,
        locked,
        options or MeasureOptions(),
        cache,
        tries,
        progress,
        cancelled,
        known or Known(),
        against=None if isinstance(against, Settings) else against,
        also=nearest_to(against, usable),
    )
    return _Tuning(trials, mine, stated, seed).advice(name)


class _Judged(NamedTuple):
    """A choice beside the base: where it was chosen, and where nothing was, if anything was held out.

    `elsewhere`: the interval for the share that other conversations keep of what they need.
    """

    trial: Trial
    promised: Comparison
    held_out: Comparison | None
    elsewhere: tuple[float, float] = (0.0, 1.0)

    @property
    def beside(self) -> Comparison:
        """The comparison that the verdict is read from."""
        return self.held_out or self.promised


class _Tuning:
    """One call of `tune`: the parts to choose and to judge on, and what came of both."""

    def __init__(self, trials: Trials, mine: Settings, wishes: Constraints, seed: int):
        base = trials.run_base()
        self.trials, self.base, self.mine, self.wishes, self.seed = trials, base, mine, wishes, seed
        self.tiers = _tiers(base)

    def advice(self, name: Callable[[Mapping[str, Any]], str]) -> Advice:
        outcomes = self.base.outcomes
        whole = [(number, 0, len(outcome)) for number, outcome in enumerate(outcomes)]
        everything = self._make_choosing(whole)
        judged, verdict = self._settle(self._judge(everything), everything)
        chosen, promised, held_out, elsewhere = judged
        needs, beside = everything.needs, judged.beside
        settings = chosen.settings if verdict == "better" else self.mine
        tried = tuple(self.trials.tried.values())
        points = tuple(self._point(trial, everything, name) for trial in tried)
        best, priced = points[tried.index(chosen)], all(outcome.priced for outcome in outcomes)
        found = VerdictGrounds(
            needs,
            count_requests(whole),
            self.tiers,
            priced,
            beside,
            everything.limits,
            len(tried),
            held_out is not None,
            everything.compare(chosen) if chosen.sends_all and not self.base.sends_all else None,
            everything.cost_when_grown(chosen),
            elsewhere,
            base_in_words(self.base.lane),
            (self.base.rejected, chosen.rejected) if everything.base_is_refused else None,
        )
        why = [*why_advised(verdict, found, best.label if chosen is not self.base else "", best.broken)]
        if verdict not in CLAIMS or not everything.base_is_refused:
            why[1:1] = self._refusals()
        replays_more = verdict != "too little to tell" and chosen.is_ours and not self.trials.cancelled()
        depth = cut_depth(chosen.settings, partial(self._cut, everything=everything)) if replays_more else None
        if depth and depth.half != depth.exact:
            why.append(cut_in_words(depth))
        about = (settings, verdict, needs, len(whole), promised, held_out, beside.holds, tuple(why))
        return Advice(*about, chosen, tried, points, self.tiers, priced, self.base.lane, everything)

    def _refusals(self) -> Iterator[str]:
        """The requests of a trimmer that an API would refuse, if any, where the verdict doesn't begin with them."""
        if isinstance(self.base.lane, TrimmerLane) and self.base.rejected:
            named = base_in_words(self.base.lane)[0]
            yield f"{refused_words(named, self.base.rejected, self.base.figures['requests'])}."

    def _point(self, trial: Trial, everything: Choosing, name: Callable[[Mapping[str, Any]], str]) -> Point:
        beside, changes = everything.compare(trial), _changes(trial.settings, self.base.settings)
        label = name(changes) if trial.is_ours else "as sent" if trial.lane == AS_SENT else base_in_words(trial.lane)[0]
        broken = tuple(self.wishes.broken_by(trial.figures, kept_noun([USED])))
        about = (trial.figures, broken, label)
        return Point(changes, beside.in_messages, beside.cost_ratio, *about, noted=beside.noted)

    def _cut(self, settings: Settings, everything: Choosing) -> Cut:
        """The settings' cut over all requests: beginnings changed, cost and share kept."""
        trial = self.trials.look_at(settings)
        found = everything.compare(trial)
        priced = all(outcome.priced for outcome in trial.outcomes)
        return Cut(trial.figures["prefix_breaks"], found.cost_ratio, found.kept, self.tiers, priced)

    def _settle(self, judged: _Judged, everything: Choosing) -> tuple[_Judged, Verdict]:
        """The claim: of the choice that was judged, if all requests show none that beats it; else of the best
        that all of them show, of which nothing was held out.
        """
        verdict, tried = self._verdict(judged, everything), list(self.trials.tried.values())
        if verdict in CLAIMS and not everything.beaten(judged.trial, tried):
            return judged, verdict
        best = everything.pick(tried)
        if best is not self.base:
            looked = self._look_at(best, everything)
            return looked, self._verdict(looked, everything)
        if self.wishes.aim != "keeps most" and (better := everything.cheaper(tried)):
            return self._look_at(better, everything), "too little to tell"
        if later := everything.cheaper_when_grown(tried):
            looked = self._look_at(later, everything)
            if looked.beside.holds >= PROMISING:
                return looked, "promising"
        return judged, "too little to tell" if verdict in CLAIMS else verdict

    def _verdict(self, judged: _Judged, everything: Choosing) -> Verdict:
        chosen, beside = judged.trial, judged.beside
        cuts, needs = everything.exposure(chosen) > 0, everything.needs
        if everything.broken(chosen):
            return "as good"
        if not everything.improves(chosen, beside):
            return "as good" if needs >= FEWEST_NEEDS and not everything.base_is_refused else "too little to tell"
        mends = bool(everything.broken(self.base)) or everything.base_is_refused
        sure = judged.held_out is not None and (mends or beside.more_kept.low > 0 or beside.cost.high < 1)
        if beside.holds >= PROMISING and (needs >= FEWEST_TO_NAME or not cuts):
            proven = sure and beside.holds >= LIKELY and (needs >= FEWEST_NEEDS or not cuts)
            return "better" if proven else "promising"
        return "too little to tell"

    def _judge(self, everything: Choosing) -> _Judged:
        """A choice, judged where it wasn't made, unless a wish can only be judged on all requests."""
        if not self.wishes.required.keys() <= JUDGED_APART:
            return self._look_at(self._best_of_all(everything), everything)
        return self._over_time(everything) if len(everything.spans) == 1 else self._over_conversations(everything)

    def _look_at(self, trial: Trial, everything: Choosing) -> _Judged:
        return _Judged(trial, everything.foretell(trial), None)

    def _over_time(self, everything: Choosing) -> _Judged:
        """Chosen on the earlier requests, judged on the later ones: each with half of the needs."""
        ((number, _, stop),) = everything.spans
        if stop < 2:
            return self._look_at(self.base, everything)
        needs = self.base.outcomes[number].needed[:, list(self.tiers)].sum(1).cumsum()
        middle = _middle(needs, stop)
        earlier, later = self._make_choosing([(number, 0, middle)]), self._make_choosing([(number, middle, stop)])
        longest = self._make_choosing([(number, _middle(needs, middle), middle)])  # at first nothing is forgotten yet
        chosen = earlier.best()
        return _Judged(chosen, longest.compare(chosen), later.foretell(chosen))

    def _over_conversations(self, everything: Choosing) -> _Judged:
        """Judged in turn on each group of conversations by what was chosen on the others; then chosen on all."""
        spans, exposure, folds = everything.spans, 0.0, min(FOLDS, len(everything.spans))
        ours, base, parts = [], [], []
        for fold in range(folds):
            judged = self._make_choosing(spans[fold::folds])
            chosen = self._make_choosing([span for i, span in enumerate(spans) if i % folds != fold]).best()
            exposure = max(exposure, judged.exposure(chosen))
            ours.append(judged.sums(chosen))
            base.append(judged.sums(self.base))
            parts.append(sum_clusters(chosen.outcomes, judged.spans, self.tiers, runs=1))
        sums = (ClusterSums.concatenate(ours), ClusterSums.concatenate(base))
        held_out = compare_sums(*sums, spans, self.seed, everything.limits, exposure=exposure)
        chosen = self._best_of_all(everything)
        held_out = replace(held_out, holds=held_out.holds * everything.chance_of_lasting(chosen))
        each = ClusterSums.concatenate(parts)
        shares = [] if chosen.sends_all else np.stack([each.held, each.needed], 1).astype(int).tolist()
        return _Judged(chosen, everything.compare(chosen), held_out, share_interval(shares))

    def _best_of_all(self, everything: Choosing) -> Trial:
        """The choice among all trials there are once those of a search on everything are among them."""
        everything.best()
        return everything.pick(list(self.trials.tried.values()))

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
