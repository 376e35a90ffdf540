"""Thresholds in words: the same table for the command and the page, and what it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from historylab.costs.amounts import money, short_count, whole_percent
from historylab.pricing import prices_of
from historylab.tuning.compaction_costs import CompactionSizes
from historylab.tuning.shares import FEWEST
from historylab.tuning.thresholds import AS_CHEAP, Threshold

COLUMNS = (
    "agent",
    "sessions",
    "requests",
    "cut now",
    "cost now",
    "compact at → to",
    "cost then",
    "change (95% interval)",
)
TRIED = ("compact at → to", "cost", "beside now", "tokens per request")
BY_TOKENS = "By tokens alone: the file holds no text, so what a smaller history would leave out can't be judged."
HOW = (
    "A compaction counts as a request that sends the whole history and is answered with what remains of it; the shares "
    f"of cache reads and writes are those in the file. Of all thresholds within {whole_percent(AS_CHEAP - 1)} of the "
    "lowest cost, the table names the one that sends the most tokens. Each session is judged by the threshold chosen "
    "on the others; “as now” means that no other threshold is shown to cost less, "
    "“not shown” names the one that might."
)
NEVER = "never"


def thresholds_headline(thresholds: Sequence[Threshold]) -> str:
    """The number of types of agent that other thresholds are shown to be cheaper for, of those with prices."""
    priced = [each for each in thresholds if each.priced]
    if not priced:
        return _without_price(thresholds)
    saved = sum(each.saves for each in priced)
    whose = f"{saved:,} of {len(priced):,} agents" if len(priced) > 1 else "This agent"
    return f"{whose} would cost less under another threshold." if saved else "No other threshold is shown to cost less."


def threshold_row(found: Threshold) -> tuple[str, ...]:
    """The cells of COLUMNS for one type of agent."""
    now = _sizes(*found.now) if found.now else NEVER
    begin = (found.agent, f"{found.sessions:,}", f"{found.requests:,}", now, cost_words(found, found.cost))
    if found.change is None:
        few = found.sessions < FEWEST
        return *begin, "–", "–", f"fewer than {FEWEST} sessions" if few else "nothing fits the window"
    low, value, high = (_change(each) for each in (found.change.low, found.change.value, found.change.high))
    change, chosen = f"{value} ({low} to {high})", compaction_words(found.chosen)
    if found.saves:
        return *begin, chosen, cost_words(found, found.cost * found.change.value), change
    return (
        *begin,
        "as now",
        cost_words(found, found.cost),
        change if value == "±0%" else f"not shown: {chosen}, {change}",
    )


def tried_rows(found: Threshold) -> list[tuple[str, ...]]:
    """The cells of TRIED for whatever no other beats in both cost and tokens sent, the cheapest first."""
    rows: list[tuple[str, ...]] = []
    most = 0
    for each in sorted(found.tried, key=lambda tried: (tried.cost, -tried.sent)):
        if each.sent > most:
            most = each.sent
            per_request = f"{round(each.sent / found.requests):,}"
            beside = _change(each.cost / found.cost)
            rows.append((compaction_words(each.compaction), cost_words(found, each.cost), beside, per_request))
    return rows


def threshold_notes(thresholds: Sequence[Threshold]) -> list[str]:
    """The grounds of the table, and which models have no price where the headline doesn't say so."""
    return [HOW, *([_without_price(thresholds)] if len({each.priced for each in thresholds}) > 1 else [])]


def _without_price(thresholds: Sequence[Threshold]) -> str:
    models = dict.fromkeys(chain.from_iterable(each.models for each in thresholds if not each.priced))
    unknown = [model or "requests that name no model" for model in models if not prices_of(model)]
    return f"No price is known for {', '.join(unknown)}: their cost is given in tokens."


def compaction_words(compaction: CompactionSizes | None) -> str:
    """A compaction's sizes: "96k → 24k"."""
    return _sizes(compaction.at, compaction.to or 0) if compaction and compaction.at else NEVER


def cost_words(found: Threshold, cost: float) -> str:
    """A cost in what that of this type of agent is counted in."""
    return money(cost) if found.priced else f"{short_count(round(cost))} tokens"


def _sizes(at: int, to: int) -> str:
    return f"{short_count(at)} → {short_count(to)}"


def _change(ratio: float) -> str:
    if ratio == 1:
        return "±0%"
    return f"−{whole_percent(1 - ratio)}" if ratio < 1 else f"+{whole_percent(ratio - 1)}"
