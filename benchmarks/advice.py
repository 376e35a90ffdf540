"""Is the advice true? What `tune` recommends, on requests that it was not given: claims and finds together.

    python benchmarks/advice.py FOLDER [--base default] [--seen 0.4 0.6] [--tries 50] [--wishes "cheapest, …"]
    python benchmarks/advice.py FOLDER --half odd       # the half of its conversations that chose no constant
    python benchmarks/advice.py --generated 900-904     # conversations of our generators, by seed
    python benchmarks/advice.py FOLDER --search         # the search beside trying every combination

Each conversation is tuned on its first requests, up to the share `--seen`, from the settings that it proposes itself
(`settings_for`) or from the defaults, and judged on the others. Intervals count each conversation once, however many
shares are given.

* *Claims*: settings called better or promising, by the chance stated. One *holds* if on the rest it keeps no less than
  the base, whether or not what only a summary holds counts, costs no more, and keeps what the wishes ask for.
* *Finds*: of the conversations for which something tried really was better on the rest, by a point of what is kept or
  2 % of the cost, those that were told so.
* What the chart beats: claims beside a point that keeps as much for 5 % less, or 2 points more for no more; and "as
  good" beside one that keeps as much for 15 % less.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise

import numpy as np

from historylab import Settings, generate, load, settings_for, tune
from historylab.conversation.conversation import Conversation
from historylab.errors import HistoryLabError
from historylab.tuning.advice_words import CLAIMS
from historylab.tuning.choosing import Choosing
from historylab.tuning.constraints import BETTER, Constraints, constraints_of, read_wishes
from historylab.tuning.outcome import Outcome, measure_outcome
from historylab.tuning.replayed import MeasureOptions, Replayed, open_lane
from historylab.tuning.search_space import USUAL, vary_one_axis
from historylab.tuning.shares import wilson_interval
from historylab.tuning.trials import Trials
from historylab.tuning.tune import Advice

BASE = Settings()
FEWEST_REQUESTS = 10
CHANCES = (0.6, 0.7, 0.8, 0.9, 1.01)
GENERATED = ("coding_agent", "tool_loop", "support_desk")


@dataclass(frozen=True)
class Unseen:
    """Needs, those kept, and of these those that only a summary held, with the cost (÷ not trimming), on the rest."""

    needed: int
    kept: int
    noted: int
    cost: float

    def holds(self, base: Unseen, asked: float = 0.0) -> bool:
        kept_as_much = self.kept >= base.kept and self.kept - self.noted >= base.kept - base.noted
        return kept_as_much and self.cost <= base.cost + 1e-9 and self.kept >= asked * self.needed - 1e-9

    def better(self, base: Unseen, asked: float = 0.0) -> bool:
        gains = self.kept >= base.kept + 0.01 * max(1, self.needed) or self.cost <= 0.98 * base.cost
        return gains and self.holds(base, asked)


@dataclass(frozen=True)
class Case:
    """A piece of advice on a conversation: what its choice, the base and all else that was tried did on the rest."""

    conversation: Conversation
    advice: Advice
    chosen: Unseen
    base: Unseen
    tried: Sequence[Unseen]
    asked: float
    given_up: bool

    @property
    def claims(self) -> bool:
        return self.advice.verdict in CLAIMS

    @property
    def holds(self) -> bool:
        """For an aim that gives something up: the limits and the cost alone."""
        if self.given_up:
            return self.chosen.cost <= self.base.cost + 1e-9 and self.chosen.kept >= self.asked * self.chosen.needed
        return self.chosen.holds(self.base, self.asked)

    @property
    def could_be_bettered(self) -> bool:
        return any(each.better(self.base, self.asked) for each in self.tried)

    @property
    def beaten(self) -> bool:
        """Tell whether its own chart shows something that ought to have been said instead."""
        allowed = [point for point in self.advice.points if not point.broken]
        ours = self.advice.points[self.advice.trials.index(self.advice.chosen) if self.claims else 0]
        less = 0.95 if self.claims else 0.85
        as_much = any(p.kept >= ours.kept and p.cost <= less * ours.cost for p in allowed)
        more = any(p.kept >= ours.kept + 0.02 and p.cost <= ours.cost for p in allowed)
        return (self.claims and (as_much or more)) or (self.advice.verdict == "as good" and as_much)


def measured(conversation: Conversation, settings: Settings) -> Outcome:
    return measure_outcome(Replayed(open_lane(conversation, settings), MeasureOptions()))


def unseen(found: Outcome, tiers: tuple[int, ...], first: int) -> Unseen:
    needed, kept, noted = (int(each[first:, list(tiers)].sum()) for each in (found.needed, found.held, found.noted))
    return Unseen(needed, kept, noted, float(found.cost[first:].sum() / max(1e-12, found.untrimmed[first:].sum())))


def case_of(conversation: Conversation, base: Settings, seen: float, given: argparse.Namespace) -> Case:
    """Tuned on the beginning, judged on the rest."""
    requests = conversation.columns.requests
    first = max(2, int(len(requests) * seen))
    begun = conversation.edited(conversation[: int(requests[first - 1])])
    advice = tune(begun, base=base, wishes=given.wishes, tries=given.tries)
    tried = [unseen(measured(conversation, trial.settings), advice.tiers, first) for trial in advice.trials]
    stated = constraints_of(read_wishes(given.wishes), BETTER)
    asked, given_up = stated.references or 0.0, stated.aim == "cheapest"
    return Case(conversation, advice, tried[advice.trials.index(advice.chosen)], tried[0], tried, asked, given_up)


def share(cases: Sequence[Case], hit: str) -> str:
    """ "92 % [75–98] of 24": the cases that have it, with Wilson's interval over as many conversations."""
    if not cases:
        return "none"
    value, apart = float(np.mean([getattr(case, hit) for case in cases])), len({id(c.conversation) for c in cases})
    low, high = wilson_interval(value, apart)
    many = f" in {apart} conversations" if apart < len(cases) else ""
    return f"{value:.0%} [{100 * low:.0f}–{100 * high:.0f}] of {len(cases)}{many}"


def report(cases: Sequence[Case]) -> None:
    claims = [case for case in cases if case.claims]
    print(f"{len(cases)} cases in {len({id(c.conversation) for c in cases})} conversations; verdicts:", end=" ")
    print(
        ", ".join(
            f"{v} {sum(c.advice.verdict == v for c in cases)}" for v in (*CLAIMS, "as good", "too little to tell")
        )
    )
    print("claims, by the chance stated:")
    for low, high in pairwise(CHANCES):
        some = [case for case in claims if low <= case.advice.chance < high]
        print(f"  {low:.0%} to {min(high, 1):.0%}: hold {share(some, 'holds')}")
    if claims:
        stated = np.mean([case.advice.chance for case in claims])
        print(f"  all: stated {stated:.0%} in the mean, hold {share(claims, 'holds')}")
    print(f"  better alone: hold {share([c for c in claims if c.advice.verdict == 'better'], 'holds')}")
    print(f"  judged on requests that helped to choose nothing: {sum(c.advice.held_out is not None for c in claims)}")
    print(
        f"finds, of those that could be bettered: {share([case for case in cases if case.could_be_bettered], 'claims')}"
    )
    print(f"beaten by their own chart: {sum(case.beaten for case in cases)}")


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


def generated(seeds: str) -> Iterator[Conversation]:
    """A conversation of each kind per seed, of "900-904"."""
    first, _, last = seeds.partition("-")
    for seed in range(int(first), int(last or first) + 1):
        yield from (generate(kind, seed=seed) for kind in GENERATED)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--generated", metavar="SEEDS")
    parser.add_argument("--base", choices=("own", "default"), default="own")
    parser.add_argument("--seen", type=float, nargs="+", default=[0.6])
    parser.add_argument("--half", choices=("even", "odd"))
    parser.add_argument("--tries", type=int, default=50)
    parser.add_argument("--wishes", default=BETTER)
    parser.add_argument("--search", action="store_true")
    given = parser.parse_args()
    found = [
        *(read(given.folder, given.half) if given.folder else ()),
        *(generated(given.generated) if given.generated else ()),
    ]
    if given.search:
        search_gaps(found, given.tries)
        return
    cases = []
    for conversation in found:
        if len(conversation.columns.requests) < FEWEST_REQUESTS:
            continue
        base = settings_for(conversation) if given.base == "own" else BASE
        for seen in given.seen:
            cases.append(case := case_of(conversation, base, seen, given))
            said = f"{case.advice.verdict} {case.advice.chance:.0%}, {'holds' if case.holds else 'does not hold'}"
            print(f"{conversation.title[:40]:40} {said if case.claims else case.advice.verdict}", flush=True)
    report(cases)


def read(folder: str, half: str | None) -> Iterator[Conversation]:
    """The conversations below it, of one half alone if that is said: the digest of file and number decides."""
    for place, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            try:
                for number, conversation in enumerate(load(os.path.join(place, name))):
                    digest = sha256(f"{os.path.basename(place)}/{name}#{number}".encode()).digest()
                    if half in (None, ("even", "odd")[digest[-1] % 2]) and len(conversation.columns.requests):
                        yield conversation
            except HistoryLabError as problem:
                print(f"not read: {name}: {str(problem)[:100]}", file=sys.stderr)


if __name__ == "__main__":
    main()
