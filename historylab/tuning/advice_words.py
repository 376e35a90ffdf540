"""Sentences on advice: the verdict, what it rests on, and what would help where that is too little."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from historylab.costs.amounts import count_of, percent, times
from historylab.tuning.cut_depth import Cut, CutDepth
from historylab.tuning.evidence import FEWEST_NEEDS, LIKELY, Comparison, Limits
from historylab.tuning.outcome import QUOTED, SAID, USED

Verdict = Literal["better", "as good", "too little to tell"]
NOUNS = {SAID: "asked for", USED: "in tool calls", QUOTED: "in answers (an estimate)"}
"""Tier of needs → the facts it stands for."""
HELP = "What would help: more conversations, questions that should be answerable, or must-remember marks."


@dataclass(frozen=True, slots=True)
class VerdictGrounds:
    """The grounds of a verdict: the `needs` of some tiers in so many requests, the comparison where it was judged, the
    limits that its `holds` speaks of, how many settings were tried, and the cost of the best with twice the history
    (`grown`), as a multiple of the base's.
    """

    needs: int
    requests: int
    tiers: Sequence[int]
    priced: bool
    held_out: Comparison
    limits: Limits
    tried: int
    grown: float


def kept_noun(tiers: Sequence[int]) -> str:
    """ "facts asked for and in tool calls": what "kept" counts."""
    *first, last = (NOUNS[tier] for tier in tiers)
    return f"facts {', '.join(first)} and {last}" if first else f"facts {last}"


def why_advised(verdict: Verdict, found: VerdictGrounds, label: str, broken: Sequence[str] = ()) -> Iterator[str]:
    """The verdict, and up to three sentences: what the best found did where it was not chosen, and what that rests on.

    `label` names that; it is empty where nothing tried looked better. `broken`: the wishes that it doesn't meet.
    """
    if verdict == "better":
        yield f"{_better(found.held_out, found.priced)}: {label}."
        yield f"{_held_out_words(found)}, it {_result_words(found)}."
        yield f"{_rests(found)}. {_likely(found)}."
    elif verdict == "as good":
        yield from _as_good(found, label, broken)
    else:
        yield from _too_little(found, label)


def _better(held_out: Comparison, priced: bool) -> str:
    """The verdict in a few words; they say where one of the two was given up for the other."""
    if held_out.more_kept.value < -0.01:
        return f"{'Cheaper' if priced else 'Smaller'} than yours, but it keeps less"
    return "Keeps more than yours, but costs more" if held_out.cost.value > 1.02 else "Better than yours"


def _as_good(found: VerdictGrounds, label: str, broken: Sequence[str]) -> Iterator[str]:
    if broken:
        tried = f"None of the {found.tried:,} settings" if found.tried > 1 else "Nothing"
        yield f"{tried} tried does all that was asked."
        words = "” and “".join(broken)
        yield f"Closest: {label}, which breaks “{words}”." if label else f"Yours break “{words}”."
    else:
        yield "Yours are as good as anything tried."
        if label and found.held_out.holds >= LIKELY and found.grown > 1:
            dearer = f"{'cost' if found.priced else 'send'} {times(found.grown)} as much as yours"
            yield f"What looked best, {label}, does not last: with twice the history it would {dearer}."
        elif label:
            yield f"What looked best, {label}, was no better. {_held_out_words(found)}, it {_result_words(found)}."
    yield f"{_rests(found)}."


def _too_little(found: VerdictGrounds, label: str) -> Iterator[str]:
    if found.needs < FEWEST_NEEDS:
        only = f"only {found.needs} {_facts(found)}" if found.needs else "no facts"
        yield f"Too little to tell: there {'is' if found.needs == 1 else 'are'} {only} to judge by."
        promising = f" The most promising of {found.tried:,} tried: {label}." if label else ""
        yield f"Below {FEWEST_NEEDS} nothing is claimed.{promising}"
    else:
        yield f"Too little to tell. Promising: {label}."
        yield f"{_held_out_words(found)}, it {_result_words(found)}. That could be luck."
        yield f"{_rests(found)}. {_likely(found)}."
    yield HELP


def _facts(found: VerdictGrounds) -> str:
    noun = kept_noun(found.tiers)
    return noun.replace("facts", "fact", 1) if found.needs == 1 else noun


def _held_out_words(found: VerdictGrounds) -> str:
    requests, many = count_of(found.held_out.requests, "request"), found.held_out.conversations
    if many == 1:
        return f"On the last {found.held_out.requests:,} of {count_of(found.requests, 'request')}"
    return f"On {count_of(many, 'conversation')} ({requests}), each judged by what was chosen on the others"


def _rests(found: VerdictGrounds) -> str:
    return (
        f"This rests on {found.needs:,} {_facts(found)} in {count_of(found.held_out.conversations, 'conversation')}; "
        f"{count_of(found.tried, 'settings')} tried"
    )


def _result_words(found: VerdictGrounds) -> str:
    beside = found.held_out
    kept = f"kept {percent(beside.kept)} instead of {percent(beside.base_kept)}"
    if abs(beside.kept - beside.base_kept) < 5e-4:
        kept = f"kept as much as yours ({percent(beside.kept)})"
    cost = f"{times(beside.cost_ratio)} instead of {times(beside.base_cost_ratio)}"
    return f"{kept} for {cost} the {'cost' if found.priced else 'tokens'} of not trimming"


def _likely(found: VerdictGrounds) -> str:
    """ "With 90% confidence it keeps 4 to 20 points more and costs 12 to 30% less than yours; the chance … is 93%"."""
    kept, cost, holds = found.held_out.more_kept, found.held_out.cost, found.held_out.holds
    keeps = _range(100 * kept.low, 100 * kept.high, (" points less", " points more")) or "as much"
    spends = _range(100 * cost.low - 100, 100 * cost.high - 100, ("% less", "% more"))
    spends = f"{spends} than yours" if spends else "as much as yours"
    beside = f"keeps {keeps} and {'costs' if found.priced else 'sends'} {spends}"
    further = f"{count_of(found.held_out.requests, 'more request')} like these"
    chance = f"{min(holds, 0.99):.0%}{' or more' if holds > 0.99 else ''}"
    return f"With 90% confidence it {beside}; the chance that it {_event_words(found.limits)} on {further} is {chance}"


def _event_words(limits: Limits) -> str:
    """The event whose chance is told: nothing is said of what the wish may give up."""
    if limits.more_cost:
        return "keeps no less"
    return "costs no more" if limits.less_kept > Limits().less_kept else "does no worse"


def _range(low: float, high: float, words: tuple[str, str]) -> str:
    """ "4 to 20% more", "between 2% less and 5% more"; "" where both are nothing. `words`: below nothing, and above."""
    (least, most), (less, more) = (round(low), round(high)), words
    if not least and not most:
        return ""
    if least < 0 < most:
        return f"between {-least}{less} and {most}{more}"
    first, last, word = (least, most, more) if most > 0 else (-most, -least, less)
    return f"{last}{word}" if first == last else f"{first} to {last}{word}"


def cut_in_words(depth: CutDepth) -> str:
    """ "Cutting down to half the budget … changes the beginning, and loses the cache, at 3 requests …" """
    exact, half = depth.exact, depth.half
    limit = "window" if ".sliding_window." in depth.name else "budget"
    moved = f"at {count_of(half.moved, 'request')} instead of {exact.moved:,}"
    verb, what = ("costs", "not trimming") if exact.priced else ("sends", "the tokens of not trimming")
    cost = f"it {verb} {times(half.cost)} instead of {times(exact.cost)} {what}"
    return (
        f"Cutting down to half the {limit} instead of exactly to it changes the beginning, and loses the cache, "
        f"{moved}; {cost}{_cut_kept(half, exact)}."
    )


def _cut_kept(half: Cut, exact: Cut) -> str:
    """ ", and keeps 87% instead of 91% of facts in tool calls"; "" where nothing was needed."""
    if math.isnan(half.kept) or math.isnan(exact.kept):
        return ""
    now, was = percent(half.kept), percent(exact.kept)
    kept = f"as much, {now}" if now == was else f"{now} instead of {was}"
    return f", and keeps {kept} of {kept_noun(exact.tiers)}"
