"""Compare one conversation under two to four settings, side by side: the numbers, and what only one of them sends.

The first timeline is the baseline, A. Messages can be matched one by one only where no setting rewrites the
conversation (a projection does); the numbers can always be compared.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from historylab.costs.amounts import count_of
from historylab.costs.bill import bill
from historylab.costs.traffic import billed_traffic
from historylab.errors import SettingsError
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import INVALID, REPLACED, SHOWN, Action
from historylab.planning.replay import Timeline
from historylab.planning.validity import lost_prompts, recorded_validity
from historylab.pricing import Prices
from historylab.recall.retention import FACTS, Retention, retention
from historylab.tuning.replayed import summaries_made

LETTERS, SENT = "ABCD", "S"
"""The letters of the configurations, and that of what was really sent."""
UNTRIMMED: Mapping[str, Any] = {
    "policy": "all",
    "pruner": "off",
    "filter": "off",
    "tool_output": "off",
    "compaction": "off",
}
"""Settings under which every message is sent whole."""
UNLOST = (INVALID.code, REPLACED.code, SHOWN.code)
SENT_AS = np.array([0, 0, 1, 2, 3], np.uint8)
"""Per Action how a message is sent: 0 whole, 1 in part, 2 in a summary, 3 not at all."""


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one timeline; None where there are none: nothing marked, no known prices, nothing lost.

    `lost` and `summarised` count messages at the last request; `first_loss` and `star_lost_at` are requests (from 0),
    the first that lacks any message, or one that must be remembered; `facts_lost` counts values that a later answer or
    tool call used and the request didn't hold any more; `cost` is dollars, with the prompt cache. `refused` counts the
    requests that an API would refuse, `orphans` results of tools sent without their call, `without_prompt` those
    without the conversation's system prompt, `failed` those for which a trimmer failed: these have no tokens and cost
    nothing.
    """

    tokens_total: int
    tokens_peak: int
    over_budget: int
    lost: int
    summarised: int
    first_loss: int | None
    stars_lost: int | None
    star_lost_at: int | None
    facts_lost: int | None
    summaries: int
    prefix_stable: float
    cost: Decimal | None
    refused: int = 0
    orphans: int = 0
    without_prompt: int = 0
    failed: int = 0


def measure_figures(
    timeline: Timeline,
    prices: Prices | None = None,
    *,
    stars: Iterable[int] | None = None,
    found: Retention | None = None,
    without: Collection[int] = (),
) -> Figures:
    """The figures of one timeline, which must have a request.

    `prices` default to the list prices of its model, `stars` to the conversation's own; `found` is what later requests
    needed, where it is known already. The requests `without` (from 0) have no tokens and no cost: those for which a
    trimmer failed, its own or one that this is compared with.
    """
    counted = [request for request in range(len(timeline.plans)) if request not in {*without, *timeline.errors}]
    sizes, validity = timeline.contexts[counted], recorded_validity(timeline)
    forgotten = found or retention(timeline, stars=stars)
    facts = [forgotten.kept[kind] for kind in FACTS]
    lost_at = [_count_lost(plan) for plan in timeline.plans]
    return Figures(
        int(sizes.sum()),
        int(sizes.max(initial=0)),
        int(timeline.over_budget[counted].sum()),
        lost_at[-1],
        int((timeline.plans[-1].actions == Action.SUMMARIZED).sum()),
        next((step for step, lost in enumerate(lost_at) if lost), None),
        forgotten.stars.lost if forgotten.stars.total else None,
        min((star.gaps[0][0] for star in forgotten.starred if star.gaps), default=None),
        sum(kept.lost for kept in facts) if any(kept.total for kept in facts) else None,
        summaries_made(timeline),
        billed_traffic(timeline).stable_share,
        _cost(timeline, prices, counted),
        int(validity.refused.sum()),
        int(validity.orphans.sum()),
        int(lost_prompts(timeline).sum()),
        len(timeline.errors),
    )


def failures_of(timelines: Iterable[Timeline]) -> frozenset[int]:
    """The requests (from 0) for which a trimmer failed in any of them: nothing is compared there."""
    return frozenset(request for timeline in timelines for request in timeline.errors)


def _count_lost(plan: HistoryPlan) -> int:
    """Messages dropped, but for those that go whatever the settings, and those another one stands for."""
    dropped = (plan.block_actions == Action.DROPPED) & ~np.isin(plan.block_reasons, UNLOST)
    return int(plan.history.block_sizes.dot(dropped))


def _cost(timeline: Timeline, prices: Prices | None, counted: Sequence[int]) -> Decimal | None:
    try:
        found = bill(timeline, prices=prices)
    except SettingsError:
        return None
    return found.total if len(counted) == len(timeline.plans) else sum((found.costs[i] for i in counted), Decimal(0))


def newest_alone(messages: int) -> dict[str, Any]:
    """Settings under which the newest messages are sent, whoever said them, and the newest user message."""
    return {**UNTRIMMED, "policy": "lastMessages", "length": messages}


def changed_values(base: Mapping[str, object], other: Mapping[str, object]) -> dict[str, object]:
    """The values of `other` that are not those of `base`."""
    return {name: value for name, value in other.items() if value != base[name]}


def are_aligned(timelines: Sequence[Timeline]) -> bool:
    """Whether message i and request k are the same in all of them."""
    first, *others = (timeline.conversation for timeline in timelines)
    return all(conversation == first for conversation in others)  # also where one has every message apart


def differing_messages(timelines: Sequence[Timeline], number: int) -> np.ndarray:
    """Indices of the messages that request `number` (from 0) doesn't send alike under all of them."""
    first, *others = (SENT_AS[timeline.plans[number].actions] for timeline in timelines)
    return np.flatnonzero(np.any([first != other for other in others], axis=0))


def differing_requests(timelines: Sequence[Timeline]) -> list[int]:
    """The requests (from 0) that don't send every message alike under all of them."""
    return [number for number in range(len(timelines[0].plans)) if len(differing_messages(timelines, number))]


def comparison_sentence(letter: str, mine: Figures, base: Figures, than: str = "A", named: str = "") -> str:
    """ "B sends 31% fewer tokens than A, but loses 12 more facts (“walnuts” among them) and costs 8% less."

    `named` is one of the facts that only one of them loses: untrusted text on one line.
    """
    if mine == base:
        return f"{letter} does the same as {than}."
    if base.refused > mine.refused:
        return _safer_sentence(letter, mine, base, than, named)
    tokens, *parts = filter(
        None,
        [
            _tokens(mine.tokens_total, base.tokens_total, than),
            _losses(mine, base, named),
            _stars(mine, base),
            _more("is over the budget {} time", mine.over_budget - base.over_budget),
            _refusals(mine) if mine.refused > base.refused else "",
            _prompts(mine, base),
            _cost_words(mine.cost, base.cost),
        ],
    )
    if not parts:
        return f"{letter} {tokens}."
    *first, last = parts
    if loses_more(mine, base):
        return f"{letter} {tokens}, but {', '.join(first)} and {last}." if first else f"{letter} {tokens}, but {last}."
    return f"{letter} {', '.join((tokens, *first))} and {last}."


def _safer_sentence(letter: str, mine: Figures, base: Figures, than: str, named: str) -> str:
    """ "A sends 31 tool results without their call and costs 1.8× as much; B keeps the same and is never refused." """
    theirs = " and ".join(filter(None, [_refusals(base), _cost_words(base.cost, mine.cost)]))
    losses = [_prompts(mine, base), _losses(mine, base, named), _stars(mine, base)]
    ours = ", ".join(filter(None, losses)) or "keeps the same"
    mine_lost, base_lost = ((f.without_prompt, f.facts_lost or 0, f.stars_lost or 0, f.lost) for f in (mine, base))
    more = mine_lost > base_lost
    said = f"{than[:1].upper()}{than[1:]} {theirs}; {letter} {ours}{', but' if more else ' and'}"
    return f"{said} {'is never refused' if not mine.refused else _refusals(mine)}."


def _refusals(figures: Figures) -> str:
    """ "sends 31 tool results without their call", of other causes "is refused at 3 requests" """
    if figures.orphans:
        whose = "its" if figures.orphans == 1 else "their"
        return f"sends {count_of(figures.orphans, 'tool result')} without {whose} call"
    return f"is refused at {count_of(figures.refused, 'request')}"


def _prompts(mine: Figures, base: Figures) -> str:
    """ "leaves the system prompt out of 27 requests", "… of 5 fewer requests" """
    by = mine.without_prompt - base.without_prompt
    if by > 0 and not base.without_prompt:
        return f"leaves the system prompt out of {count_of(by, 'request')}"
    return _more("leaves the system prompt out of {} request", by)


def loses_more(mine: Figures, base: Figures) -> bool:
    """Tell whether it does worse in what counts: refusals, system prompts, facts, where these differ, else messages."""
    if mine.refused != base.refused:
        return mine.refused > base.refused
    if mine.without_prompt != base.without_prompt:
        return mine.without_prompt > base.without_prompt
    facts = (mine.facts_lost or 0) - (base.facts_lost or 0)
    return (facts or mine.lost - base.lost) > 0


def _tokens(mine: int, base: int, than: str) -> str:
    ratio = mine / max(1, base)
    if abs(ratio - 1) < 0.005:
        return f"sends {'the same' if mine == base else 'about as many'} tokens as {than}"
    if ratio >= 2:
        return f"sends {ratio:.1f}× as many tokens as {than}"
    return f"sends {abs(ratio - 1):.0%} {'fewer' if ratio < 1 else 'more'} tokens than {than}"


def _losses(mine: Figures, base: Figures, named: str) -> str:
    """The facts that are lost, with one of them; the messages where as many facts are lost."""
    facts = (mine.facts_lost or 0) - (base.facts_lost or 0)
    among = f" (“{named}”{' among them' * (abs(facts) > 1)})" if named else ""
    if facts:
        return f"{_more('loses {} fact', facts)}{among}"
    verb = "drops" if mine.facts_lost is base.facts_lost is None else "loses"  # nobody knows whether it was needed
    return _more(f"{verb} {{}} message", mine.lost - base.lost)


def _more(words: str, by: int) -> str:
    count = f"{abs(by):,} {'more' if by > 0 else 'fewer'}"
    return f"{words.format(count)}{'s' * (abs(by) != 1)}" if by else ""


def _stars(mine: Figures, base: Figures) -> str:
    """ "forgets 2 more must-remember messages (the first at request 12)" """
    by = (mine.stars_lost or 0) - (base.stars_lost or 0)
    first = f" (the first at request {mine.star_lost_at + 1:,})" if by > 0 and mine.star_lost_at is not None else ""
    return f"{_more('forgets {} must-remember message', by)}{first}"


def _cost_words(mine: Decimal | None, base: Decimal | None) -> str:
    ratio = float(mine / base) if mine is not None and base else 1
    if abs(ratio - 1) < 0.005:
        return ""
    return (
        f"costs {ratio:.1f}× as much" if ratio >= 2 else f"costs {abs(ratio - 1):.0%} {'less' if ratio < 1 else 'more'}"
    )
