"""Is the advice true? What `tune` recommends, on requests and conversations that it was not given.

    python benchmarks/advice.py FOLDER [--tries 50] [--fewest 60]
    python benchmarks/advice.py FOLDER --search     # the search beside trying every combination

Every folder below FOLDER is a kind of conversation. Two designs, each over the conversations with needs enough:

* over time: tuned on the beginning of a conversation, up to half of its needs; judged on its later requests;
* over conversations: those of a kind are judged in thirds, each by what was tuned on the two others.

The base is the default settings. *Holds*: on the unseen part the settings recommended as better keep no less than the
base and cost no more. Intervals are Wilson's, 95 %.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from historylab import Settings, load, tune
from historylab.conversation.conversation import Conversation
from historylab.errors import HistoryLabError
from historylab.tuning.choosing import Choosing
from historylab.tuning.constraints import Constraints
from historylab.tuning.outcome import Outcome, measure_outcome
from historylab.tuning.replayed import MeasureOptions, Replayed
from historylab.tuning.search_space import USUAL, vary_one_axis
from historylab.tuning.shares import wilson_interval
from historylab.tuning.trials import Trials
from historylab.tuning.tune import Advice

BASE = Settings()
HALF = Settings(policy="all", pruner="fifo", **{"pruner.fifo.trim_to": 0.5})
UNTRIMMED = Settings(policy="all", pruner="off")
GROUPS = 3  # of the conversations of a kind, each judged by what was tuned on the two others


@dataclass(frozen=True)
class Unseen:
    """Kept (share) and cost (÷ not trimming) on the unseen part."""

    kept: float
    cost: float

    def no_worse(self, base: Unseen) -> bool:
        return self.kept >= base.kept - 1e-9 and self.cost <= base.cost + 1e-9

    def better(self, base: Unseen) -> bool:
        return self.no_worse(base) and (self.kept > base.kept + 1e-9 or self.cost < base.cost - 1e-9)

    def worse_in_both(self, base: Unseen) -> bool:
        return self.kept < base.kept - 1e-9 and self.cost > base.cost + 1e-9


@dataclass(frozen=True)
class Case:
    """One piece of advice, and what it, the base and others did on what was not seen."""

    advice: Advice
    chosen: Unseen
    base: Unseen
    others: dict[str, Unseen]
    tried: list[Unseen]

    @property
    def could_be_better(self) -> bool:
        """Whether some tried setting really was better there, by a point or 2 %."""
        return any(
            t.no_worse(self.base) and (t.kept >= self.base.kept + 0.01 or t.cost <= 0.98 * self.base.cost)
            for t in self.tried
        )


def outcome(conversation: Conversation, settings: Settings) -> Outcome:
    return measure_outcome(Replayed(conversation, settings, MeasureOptions()))


def unseen(conversation: Conversation, settings: Settings, tiers: tuple[int, ...], first: int) -> Unseen:
    found = outcome(conversation, settings)
    needed, held = (each[first:, list(tiers)].sum() for each in (found.needed, found.held))
    return Unseen(held / needed if needed else 1.0, found.cost[first:].sum() / found.untrimmed[first:].sum())


def judged(advice: Advice, conversation: Conversation, first: int) -> Case:
    def on(settings: Settings) -> Unseen:
        return unseen(conversation, settings, advice.tiers, first)

    others = {"not trimming": on(UNTRIMMED), "fifo 8k down to a half": on(HALF)}
    tried = [on(trial.settings) for trial in advice.trials if trial.settings.pruner != "off"]
    return Case(advice, on(advice.settings), on(BASE), others, tried)


def needs_of(conversation: Conversation) -> np.ndarray:
    """int64[requests]: references, must-remember marks and evidence; literals in answers where there are no others."""
    found = outcome(conversation, BASE).needed
    certain = found[:, :2].sum(1)
    return certain if certain.sum() else found.sum(1)


def over_time(conversations: list[Conversation], fewest: int, tries: int) -> Iterator[Case]:
    for conversation in conversations:
        needs = needs_of(conversation)
        if needs.sum() < fewest or len(needs) < 4:
            continue
        middle = min(int(needs.cumsum().searchsorted(needs.sum() / 2)) + 1, len(needs) - 1)
        seen = conversation.edited(conversation[: int(conversation.columns.requests[middle])])
        yield judged(tune(seen, base=BASE, tries=tries), conversation, middle)


def over_conversations(conversations: list[Conversation], fewest: int, tries: int) -> Iterator[Case]:
    for group in range(GROUPS):
        others = [c for number, c in enumerate(conversations) if number % GROUPS != group]
        judged_on = [c for c in conversations[group::GROUPS] if needs_of(c).sum() >= fewest]
        if others and judged_on:
            advice = tune(others, base=BASE, tries=tries)
            yield from (judged(advice, conversation, 0) for conversation in judged_on)


def wilson(hits: int, of: int) -> str:
    """ "92 % [75–98] of 24"."""
    if not of:
        return "–"
    low, high = wilson_interval(hits / of, of)
    return f"{hits / of:.0%} [{100 * low:.0f}–{100 * high:.0f}] of {of}"


def report(name: str, cases: list[Case]) -> None:
    if not cases:
        print(f"{name}: no conversation with needs enough")
        return
    better = [case for case in cases if case.advice.verdict == "better"]
    abstained = sum(case.advice.verdict == "too little to tell" for case in cases)
    possible = [case for case in cases if case.could_be_better]
    promised = [case.advice.promised.kept - case.chosen.kept for case in better]
    held_out = [case.advice.held_out.kept - case.chosen.kept for case in better]
    print(f"{name}: {len(cases)} conversations")
    print(f"  says better: {wilson(len(better), len(cases))}; abstains: {wilson(abstained, len(cases))}")
    print(f"  better holds: {wilson(sum(c.chosen.no_worse(c.base) for c in better), len(better))}")
    print(f"  worse in both: {wilson(sum(c.chosen.worse_in_both(c.base) for c in better), len(better))}")
    found = sum(case.advice.verdict == "better" for case in possible)
    print(f"  says better where something tried was: {wilson(found, len(possible))}")
    for word, gaps in (("promised", promised), ("held out", held_out)):
        if gaps:
            print(
                f"  {word} − kept: {100 * np.mean(gaps):+.1f} points in the mean, {100 * np.median(gaps):+.1f} median"
            )
    rows = {"recommended": [c.chosen for c in cases], "the base": [c.base for c in cases]}
    rows |= {other: [case.others[other] for case in cases] for other in cases[0].others}
    for row, results in rows.items():
        print(
            f"  {row:24} kept {np.mean([r.kept for r in results]):.3f}  cost {np.mean([r.cost for r in results]):.2f}×"
        )


def search_gaps(conversations: list[Conversation], tries: int) -> None:
    """Per conversation and aim: how far the search ends from the best of every combination of the axes it varies.

    A score of 0.01 is worth 1 % of the cost, or half a point of what is kept.
    """
    for conversation in conversations:
        for aim in ("better than mine", "cheapest", "keeps most"):
            trials = Trials([conversation], BASE, USUAL, frozenset(), MeasureOptions(), None, tries)
            base = trials.run(BASE)
            span = (0, 0, len(base.outcomes[0]))
            choosing = Choosing(trials, base, [span], (0, 1, 2), Constraints(aim=aim), 0)
            found = choosing.score(trials.search(choosing.score, choosing.sizes())[0])
            replays, trials.most = len(trials.tried), sys.maxsize
            every = [BASE]
            for axis in USUAL:
                more = (vary_one_axis(each, BASE, [axis], choosing.sizes()) for each in every)
                every += [settings for near in more for settings in near.get(axis, [])]
            best = max(choosing.score(trials.run(settings)) for settings in every)
            print(
                f"{conversation.title[:40]:40} {aim:17} {replays:3} of {len(trials.tried):5}: {best - found:.3f} behind"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--tries", type=int, default=50)
    parser.add_argument("--fewest", type=int, default=60)
    parser.add_argument("--search", action="store_true")
    given = parser.parse_args()
    if given.search:
        search_gaps(list(read(given.folder)), given.tries)
        return
    everything: dict[str, list[Case]] = defaultdict(list)
    for kind in sorted(os.scandir(given.folder), key=lambda entry: entry.name):
        if not kind.is_dir():
            continue
        conversations = list(read(kind.path))
        print(f"# {kind.name}: {len(conversations)} conversations\n")
        for name, design in (("over time", over_time), ("over conversations", over_conversations)):
            begun = time.process_time()
            cases = list(design(conversations, given.fewest, given.tries))
            everything[name] += cases
            report(f"{kind.name}, {name}", cases)
            print(f"  {time.process_time() - begun:.0f} s\n")
    for name, cases in everything.items():
        report(f"all, {name}", cases)


def read(folder: str) -> Iterator[Conversation]:
    for place, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            try:
                yield from (c for c in load(os.path.join(place, name)) if len(c.columns.requests))
            except HistoryLabError as problem:
                print(f"not read: {name}: {str(problem)[:100]}", file=sys.stderr)


if __name__ == "__main__":
    main()
