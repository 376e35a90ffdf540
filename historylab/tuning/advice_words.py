"""Sentences on advice: the verdict, what it rests on, and what would help where that is too little."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from historylab.costs.amounts import count_of, percent, times
from historylab.tuning.cut_depth import Cut, CutDepth
from historylab.tuning.evidence import FEWEST_NEEDS, Comparison, Limits
from historylab.tuning.outcome import QUOTED, SAID, USED

Verdict = Literal["better", "promising", "as good", "too little to tell"]
CLAIMS = ("better", "promising")
"""The verdicts that name settings as better than the base, the surer first."""
NOUNS = {SAID: "asked for", USED: "in tool calls", QUOTED: "in answers"}
"""Tier of needs → the facts it stands for."""
YOURS = ("yours", "Yours are", "Yours break")
"""The base in sentences: what it is called, and how two of them begin."""
WHAT_HAPPENED = ("what really happened", "What really happened is", "What really happened breaks")
"""The same where the base is what was really sent."""
HELP = "What would help: more conversations, questions that should be answerable, or must-remember marks."


@dataclass(frozen=True, slots=True)
class VerdictGrounds:
    """The grounds of a verdict: the `needs` of some tiers in so many requests, the comparison that it is read from, the
    limits that its `holds` speaks of, and how many settings were tried.

    `judged`: those requests helped to choose nothing; else all were looked at. `untrimmed`: if the best cuts
    nothing, what that does over all requests. `grown` is its cost with twice the history, as a multiple of the base's.
    `elsewhere`: the interval for the share that other conversations keep, from 0 to 1 where these are too few to say.
    `base`: the words for what it is compared with. `refusals`: of a base that an API would refuse more of than need be,
    how many of its requests, and how many of the settings'.
    """

    needs: int
    requests: int
    tiers: Sequence[int]
    priced: bool
    beside: Comparison
    limits: Limits
    tried: int
    judged: bool = True
    untrimmed: Comparison | None = None
    grown: float = 1.0
    elsewhere: tuple[float, float] = (0.0, 1.0)
    base: tuple[str, str, str] = YOURS
    refusals: tuple[int, int] | None = None


def kept_noun(tiers: Sequence[int]) -> str:
    """ "facts asked for and in tool calls": what "kept" counts."""
    *first, last = (NOUNS[tier] for tier in tiers)
    return f"facts {', '.join(first)} and {last}" if first else f"facts {last}"


def kept_words(kept: float, noted: float) -> str:
    """ "50.6% kept, 25.3% more in the summary only": what messages keep, and what a summary alone holds."""
    return f"{percent(kept)} kept, {percent(noted)} more in the summary only" if noted else percent(kept)


def why_advised(verdict: Verdict, found: VerdictGrounds, label: str, broken: Sequence[str] = ()) -> Iterator[str]:
    """The verdict, and up to three sentences: what the best found did, on which requests, and what that rests on.

    `label` names that; it is empty where nothing tried looked better. `broken`: the wishes that it doesn't meet.
    """
    if verdict == "as good":
        yield from _as_good(found, label, broken)
    elif verdict == "too little to tell":
        yield from _too_little(found, label)
    else:
        yield _headline(verdict, found, label)
        yield f"{_seen_on(found)} {_result_words(found)}.{_grown_words(found)}"
        yield f"{_rests(found)}. {_likely(found)}.{_elsewhere_words(found)}"


def _headline(verdict: Verdict, found: VerdictGrounds, label: str) -> str:
    """The verdict in a few words; they say where one of the two was given up for the other."""
    beside, whole, word = found.beside, found.untrimmed, "Cheaper" if found.priced else "Smaller"
    if found.refusals:
        return _refused_less(verdict, found, label)
    if whole and whole.cost.value < 0.995 and whole.more_kept.value >= 0:
        more = round(100 * whole.more_kept.value)
        facts = "the same facts" if not more else f"{more} point{'' if more == 1 else 's'} more of the facts"
        return f"Don’t trim this one: {facts}, {1 - whole.cost.value:.0%} {word.lower()}."
    if verdict == "promising":
        return f"Promising, not proven: {label}."
    if beside.more_kept.value < -0.01:
        return f"{word} than {found.base[0]}, but it keeps less: {label}."
    costs_more = beside.cost.value > 1.02
    kind = f"Keeps more than {found.base[0]}, but costs more" if costs_more else f"Better than {found.base[0]}"
    return f"{kind}: {label}."


def refused_words(named: str, refused: int, requests: int) -> str:
    """ "An API would refuse 31 of the 62 requests that LangChain trim_messages makes" """
    return f"An API would refuse {refused:,} of the {count_of(requests, 'request')} that {named} makes"


def _refused_less(verdict: Verdict, found: VerdictGrounds, label: str) -> str:
    """The verdict where that comes before all else: fewer requests refused."""
    theirs, ours = found.refusals or (0, 0)
    said = f"{refused_words(found.base[0], theirs, found.requests)}, and {ours or 'none'} under {label}"
    return f"{said}." if verdict == "better" else f"{said}; that these keep no less is promising, not proven."


def _as_good(found: VerdictGrounds, label: str, broken: Sequence[str]) -> Iterator[str]:
    if broken:
        tried = f"None of the {found.tried:,} settings" if found.tried > 1 else "Nothing"
        yield f"{tried} tried does all that was asked."
        words = "” and “".join(broken)
        yield f"Closest: {label}, which breaks “{words}”." if label else f"{found.base[2]} “{words}”."
    else:
        yield f"{found.base[1]} as good as anything tried."
        if label:
            yield f"What looked best, {label}, was no better. {_seen_on(found)} {_result_words(found)}."
    yield f"{_rests(found)}."


def _too_little(found: VerdictGrounds, label: str) -> Iterator[str]:
    few = found.needs < FEWEST_NEEDS
    only = f"{found.needs} {_facts(found)}" if found.needs else "no facts"
    there = f"here {'is' if found.needs == 1 else 'are'} {only} to judge by."
    if found.untrimmed:
        yield _headline("promising", found, label)
    else:
        yield f"Too little to tell: t{there}" if few else "Too little to tell."
    if few:
        yield f"{f'T{there} ' if found.untrimmed else ''}Below {FEWEST_NEEDS} nothing is claimed."
    if label:
        looked = "" if found.untrimmed else f"What looks best of {found.tried:,} tried: {label}. "
        yield f"{looked}{_seen_on(found)} {_result_words(found)}.{_grown_words(found)}"
    if not few:
        yield f"{_rests(found)}.{f' {_likely(found)}.' if label else ''}"
    yield HELP


def _facts(found: VerdictGrounds) -> str:
    noun = kept_noun(found.tiers)
    return noun.replace("facts", "fact", 1) if found.needs == 1 else noun


def _seen_on(found: VerdictGrounds) -> str:
    """ "On the last 40 of 80 requests, it": the requests, and whether they helped to choose."""
    beside = found.beside
    if not found.judged:
        return f"Looked at on all {count_of(beside.requests, 'request')}; nothing was held out. It"
    if beside.conversations == 1:
        return f"Judged on the last {beside.requests:,} of {count_of(found.requests, 'request')}, it"
    requests, many = count_of(beside.requests, "request"), count_of(beside.conversations, "conversation")
    return f"On {many} ({requests}), each judged by what was chosen on the others, it"


def _rests(found: VerdictGrounds) -> str:
    return (
        f"This rests on {found.needs:,} {_facts(found)} in {count_of(found.beside.conversations, 'conversation')}; "
        f"{count_of(found.tried, 'settings')} tried"
    )


def _elsewhere_words(found: VerdictGrounds) -> str:
    low, high = found.elsewhere
    if (low, high) == (0.0, 1.0):
        return ""
    return f" With 95% confidence it keeps {100 * low:.0f} to {100 * high:.0f}% in conversations like these."


def _grown_words(found: VerdictGrounds) -> str:
    """The cost with twice the history, where it exceeds the base's or, where neither cuts anything yet, is below it."""
    uncut = math.isclose(found.beside.cost_ratio, 1) and math.isclose(found.beside.base_cost_ratio, 1)
    if found.grown <= 1.005 and not (uncut and found.grown < 0.995):
        return ""
    verb = "cost" if found.priced else "send"
    begin = " Nothing was cut yet; it" if uncut else " It"
    return f"{begin} would {verb} {times(found.grown)} as much as {found.base[0]} with twice the history."


def _result_words(found: VerdictGrounds) -> str:
    beside = found.beside
    kept = f"kept {percent(beside.kept)} instead of {percent(beside.base_kept)}"
    if beside.noted or beside.base_noted:
        ours, theirs = (
            _count_words(beside, beside.kept, beside.noted),
            _count_words(beside, beside.base_kept, beside.base_noted),
        )
        kept = f"kept {ours} instead of {theirs}"
    elif abs(beside.kept - beside.base_kept) < 5e-4:
        kept = f"kept as much as {found.base[0]} ({percent(beside.kept)})"
    cost = f"{times(beside.cost_ratio)} instead of {times(beside.base_cost_ratio)}"
    return f"{kept} for {cost} the {'cost' if found.priced else 'tokens'} of not trimming"


def _count_words(beside: Comparison, kept: float, noted: float) -> str:
    """ "60 of 79, 20 of them only in the summary,": what a summary alone holds is said apart."""
    in_summary = round(noted * beside.needs)
    apart = f", {in_summary:,} of them only in the summary," if in_summary else ""
    return f"{round(kept * beside.needs):,} of {beside.needs:,}{apart}"


def _likely(found: VerdictGrounds) -> str:
    """ "With 90% confidence it keeps 4 to 20 points more and costs 12 to 30% less than yours; the chance … is 93%"."""
    kept, cost, holds = found.beside.more_kept, found.beside.cost, found.beside.holds
    keeps = _range(100 * kept.low, 100 * kept.high, (" points less", " points more")) or "as much"
    spends = _range(100 * cost.low - 100, 100 * cost.high - 100, ("% less", "% more"))
    spends = f"{spends} than {found.base[0]}" if spends else f"as much as {found.base[0]}"
    beside = f"keeps {keeps} and {'costs' if found.priced else 'sends'} {spends}"
    further = f"{count_of(found.beside.further, 'more request')} like these"
    chance = f"{min(holds, 0.99):.0%}{' or more' if holds > 0.99 else ''}"
    return f"With 90% confidence it {beside}; the chance that it {_event_words(found.limits)} on {further} is {chance}"


def _event_words(limits: Limits) -> str:
    """The event whose chance is told: the least to keep is said first, and nothing of what the wish may give up."""
    if limits.more_cost:
        event = "keeps no less"
    else:
        event = "costs no more" if limits.less_kept > Limits().less_kept else "does no worse"
    return f"keeps at least {percent(limits.least_kept)} and {event}" if limits.least_kept else event


def _range(low: float, high: float, words: tuple[str, str]) -> str:
    """ "4 to 20% more", "between 2% less and 5% more"; "" where both are nothing. `words`: below nothing, and above."""
    (least, most), (less, more) = (round(low), round(high)), words
    if not least and not most:
        return ""
    if least < 0 < most:
        return f"between {-least}{less} and {most}{more}"
    first, last, word = (least, most, more) if most > 0 else (-most, -least, less)
    word = word.replace("points", "point") if first == last == 1 else word
    return f"{last}{word}" if first == last else f"{first} to {last}{word}"


def cut_in_words(depth: CutDepth) -> str:
    """ "Cutting down to half the budget … breaks the prompt cache at 3 requests …" """
    exact, half = depth.exact, depth.half
    limit = "window" if ".sliding_window." in depth.name else "budget"
    moved = f"at {count_of(half.moved, 'request')} instead of {exact.moved:,}"
    verb, what = ("costs", "not trimming") if exact.priced else ("sends", "the tokens of not trimming")
    cost = f"it {verb} {times(half.cost)} instead of {times(exact.cost)} {what}"
    return (
        f"Cutting down to half the {limit} instead of exactly to it breaks the prompt cache {moved}; "
        f"{cost}{_cut_kept(half, exact)}."
    )


def _cut_kept(half: Cut, exact: Cut) -> str:
    """ ", and keeps 87% instead of 91% of facts in tool calls"; "" where nothing was needed."""
    if math.isnan(half.kept) or math.isnan(exact.kept):
        return ""
    now, was = percent(half.kept), percent(exact.kept)
    kept = f"as much, {now}" if now == was else f"{now} instead of {was}"
    return f", and keeps {kept} of {kept_noun(exact.tiers)}"
