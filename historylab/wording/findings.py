"""The finding of each chart, in a sentence or two: its alternative text."""

from __future__ import annotations

from collections.abc import Sequence

from historylab.costs.amounts import count_of, percent, times
from historylab.planning.context_fill import context_budget
from historylab.planning.replay import Timeline
from historylab.recordings.as_sent import has_cuts, is_foreign
from historylab.tuning.advice_words import kept_noun
from historylab.tuning.outcome import USED
from historylab.tuning.points import pareto
from historylab.tuning.tune import Advice
from historylab.tuning.workload import Workload, percentiles
from historylab.wording.as_sent import limit_word
from historylab.wording.context import counted_by
from historylab.wording.faults import left_out_in_words
from historylab.wording.must_remember import at_step
from historylab.wording.over_budget import over_budget_sentence
from historylab.wording.verdict import count_actions, share_sent


def constraint_in_words(phrase: str) -> str:
    """One of PHRASES as the screens say it: "keep every fact in tool calls"; it is understood like this, too."""
    return phrase.replace("references", kept_noun([USED])).replace("reference", "fact in tool calls")


def token_finding(timeline: Timeline) -> str:
    """Of the token chart: the largest request, the untrimmed size, and how many requests are over the budget."""
    peak = int(timeline.contexts.argmax())
    requests = len(timeline.plans)
    had = "had " if has_cuts(timeline.original) else ""
    none_over = "" if is_foreign(timeline) else "None is over the budget."
    return (
        f"Tokens over {count_of(requests, 'request')} ({counted_by(timeline)}), "
        f"{limit_word(timeline)} {context_budget(timeline, 0):,}. "
        f"The largest is request {peak + 1:,} with {timeline.contexts[peak]:,}; untrimmed, the last would have "
        f"{had}{timeline.untrimmed_contexts[-1]:,}. {over_budget_sentence(timeline) or none_over}".rstrip()
    )


def map_finding(timeline: Timeline, number: int) -> str:
    """Of the retention map: what request `number` (from 0) and the last one send of the messages so far."""
    last = len(timeline.plans) - 1
    sent = [
        f"{share_sent(count_actions(timeline.plans[request]))} {at_step(timeline.steps[request])}"
        for request in dict.fromkeys((number, last))
    ]
    left_out = left_out_in_words(timeline)
    also = f" Left out in any case: {left_out}." if left_out else ""
    return f"What every request does with every message: it sends {' and '.join(sent)}.{also}"


def compare_finding(timelines: Sequence[Timeline], letters: Sequence[str]) -> str:
    """Of the compare chart: the total and the largest request of each configuration."""
    parts = (
        f"{letter} sends {t.contexts.sum():,} tokens in all, at most {t.contexts.max():,} at request "
        f"{int(t.contexts.argmax()) + 1:,}"
        for t, letter in zip(timelines, letters, strict=True)
    )
    return f"Tokens over {count_of(len(timelines[0].plans), 'request')}: {'; '.join(parts)}."


def workload_finding(workload: Workload) -> str:
    """Of the workload chart: the median and the 95th percentile, with and without the cut."""
    half, most = percentiles(workload.tokens)
    untrimmed_half, untrimmed_most = percentiles(workload.untrimmed)
    return (
        f"Of {count_of(len(workload.tokens), 'request')}, half send at most {half:,.0f} tokens and 95 in 100 at most "
        f"{most:,.0f}; untrimmed, {untrimmed_half:,.0f} and {untrimmed_most:,.0f}."
    )


def frontier_finding(advice: Advice) -> str:
    """Of the frontier chart: the candidates at its two ends."""
    cost = "cost" if advice.priced else "tokens"
    about = f"{count_of(len(advice.points), 'settings')}, {kept_noun(advice.tiers)} kept over {cost}."
    ends = [f"{p.label} keeps {percent(p.kept)} for {times(p.cost)}" for p in pareto(advice.points)]
    best = f"; at the other, {ends[-1]}" if len(ends) > 1 else ""
    return f"{about} At the cheap end of the frontier, {ends[0]} the {cost} of not trimming{best}."
