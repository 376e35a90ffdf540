"""Sentences on advice: the verdict, what it rests on, and what would help where that is too little."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from historylab.costs.amounts import count_of, percent, times
from historylab.tuning.evidence import FEWEST_NEEDS, LIKELY, Comparison, Interval
from historylab.tuning.outcome import QUOTED, SAID, USED

Verdict = Literal["better", "as good", "too little to tell"]
NOUNS = {SAID: "asked for", USED: "in tool calls", QUOTED: "in answers (an estimate)"}
"""Of which facts it is said what is kept, by tier."""
HELP = "What would help: more conversations, questions that should be answerable, or must-remember marks."


@dataclass(frozen=True, slots=True)
class Found:
    """What a verdict rests on: the `needs` of some tiers in so many requests, what was seen where it was judged, how
    many settings were tried, and what the best costs with twice the history (`grown`), as a multiple of the base.
    """

    needs: int
    requests: int
    tiers: Sequence[int]
    priced: bool
    held_out: Comparison
    tried: int
    grown: float


def kept_noun(tiers: Sequence[int]) -> str:
    """ "facts asked for and in tool calls": what "kept" counts."""
    *first, last = (NOUNS[tier] for tier in tiers)
    return f"facts {', '.join(first)} and {last}" if first else f"facts {last}"


def why_advised(verdict: Verdict, found: Found, label: str, broken: Sequence[str] = ()) -> Iterator[str]:
    """The verdict, and up to three sentences: what the best found did where it was not chosen, and what that rests on.

    `label` names that; it is empty where nothing tried looked better. `broken`: the wishes that it doesn't meet.
    """
    if verdict == "better":
        yield f"{_better(found.held_out, found.priced)} than yours: {label}."
        yield f"{_judged(found)}, it {_did(found)}."
        yield f"{_rests(found)}. {_likely(found)}."
    elif verdict == "as good":
        yield from _as_good(found, label, broken)
    else:
        yield from _too_little(found, label)


def _better(held_out: Comparison, priced: bool) -> str:
    """The verdict in a word, where one of the two was given up for the other."""
    if held_out.more_kept.value < -0.01:
        return "Cheaper, and keeping less," if priced else "Smaller, and keeping less,"
    return "Keeping more, at a higher cost," if held_out.cost.value > 1.02 else "Better"


def _as_good(found: Found, label: str, broken: Sequence[str]) -> Iterator[str]:
    if broken:
        yield f"None of the {count_of(found.tried, 'settings')} tried does all that was asked."
        words = "” and “".join(broken)
        yield f"Closest: {label}, which breaks “{words}”." if label else f"Yours break “{words}”."
    else:
        yield "Yours are as good as anything tried."
        if label and found.held_out.holds >= LIKELY and found.grown > 1:
            dearer = f"{times(found.grown)} as {'dear' if found.priced else 'large'} as yours"
            yield f"What looked best, {label}, does not last: with twice the history it would be {dearer}."
        elif label:
            yield f"What looked best, {label}, was no better. {_judged(found)}, it {_did(found)}."
    yield f"{_rests(found)}."


def _too_little(found: Found, label: str) -> Iterator[str]:
    if found.needs < FEWEST_NEEDS:
        only = f"only {found.needs} {_facts(found)}" if found.needs else "no facts"
        yield f"Too little to tell: there {'is' if found.needs == 1 else 'are'} {only} to judge by."
        promising = f" The most promising of {found.tried:,} tried: {label}." if label else ""
        yield f"Below {FEWEST_NEEDS} nothing is claimed.{promising}"
    else:
        yield f"Too little to tell. Promising: {label}."
        yield f"{_judged(found)}, it {_did(found)}. That could be luck."
        yield f"{_rests(found)}. {_likely(found)}."
    yield HELP


def _facts(found: Found) -> str:
    noun = kept_noun(found.tiers)
    return noun.replace("facts", "fact", 1) if found.needs == 1 else noun


def _judged(found: Found) -> str:
    requests, many = count_of(found.held_out.requests, "request"), found.held_out.conversations
    if many == 1:
        return f"On the last {found.held_out.requests:,} of {count_of(found.requests, 'request')}"
    return f"On {count_of(many, 'conversation')} ({requests}), each judged by what was chosen on the others"


def _rests(found: Found) -> str:
    return (
        f"This rests on {found.needs:,} {_facts(found)} in {count_of(found.held_out.conversations, 'conversation')}; "
        f"{count_of(found.tried, 'settings')} tried"
    )


def _did(found: Found) -> str:
    beside = found.held_out
    kept = f"kept {percent(beside.kept)} instead of {percent(beside.base_kept)}"
    if abs(beside.kept - beside.base_kept) < 5e-4:
        kept = f"kept as much as yours ({percent(beside.kept)})"
    cost = f"{times(beside.cost_ratio)} instead of {times(beside.base_cost_ratio)}"
    return f"{kept} for {cost} the {'cost' if found.priced else 'tokens'} of not trimming"


def _likely(found: Found) -> str:
    """ "With 90% confidence +4 to +20 points kept, and 12 to 30% cheaper than yours; the chance ... is 93%"."""
    kept, cost = found.held_out.more_kept, found.held_out.cost
    points = f"{_signed(kept.low)} to {_signed(kept.high)} points kept"
    if _signed(kept.low) == _signed(kept.high) == "0":
        points = "as much kept"
    chance = f"{percent(min(found.held_out.holds, 0.99))}{' or more' if found.held_out.holds > 0.99 else ''}"
    interval = f"With 90% confidence {points}, and {_cheaper(cost, found.priced)} than yours"
    return f"{interval}; the chance that it does no worse on as much again is {chance}"


def _signed(share: float) -> str:
    points = round(100 * share)
    return f"{points:+d}" if points else "0"


def _cheaper(cost: Interval, priced: bool) -> str:
    less, more = ("cheaper", "dearer") if priced else ("smaller", "larger")
    low, high = round(100 * (cost.low - 1)), round(100 * (cost.high - 1))
    if high <= 0:
        return f"{-high} to {-low}% {less}" if high != low else f"{-low}% {less}"
    if low >= 0:
        return f"{low} to {high}% {more}" if high != low else f"{high}% {more}"
    return f"between {-low}% {less} and {high}% {more}"
