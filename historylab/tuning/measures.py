"""One replay as one row of numbers: what it sends, costs, keeps and forgets.

Every column is named here once; `recommend` and the screens speak of the same names.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.costs.caches.base import Cache, all_caches
from historylab.costs.prompt_cache import Traffic, price
from historylab.costs.traffic import baseline_of, traffic
from historylab.planning.pipeline import open_instruments
from historylab.planning.replay import replay
from historylab.planning.validity import naive_validity, validity
from historylab.pricing import Prices, prices_of
from historylab.recall.retention import Kept, retention
from historylab.settings.model import Settings

Stars = tuple[int, ...] | Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Measures:
    """What to measure beside tokens: costs under these caches and prices (default: the model's), what is forgotten.

    `stars` are message indices for every conversation, or by digest for some; without them each conversation's own
    `metadata["stars"]` count.
    """

    caches: tuple[Cache, ...] = field(default_factory=all_caches)
    prices: Prices | None = None
    stars: Stars | None = None
    questions: tuple[str, ...] = ()

    def stars_on(self, conversation: Conversation) -> tuple[int, ...] | None:
        """The stars on that conversation; None if they are its own."""
        return self.stars.get(conversation.digest) if isinstance(self.stars, Mapping) else self.stars


COLUMNS: Mapping[str, str] = {
    "title": "the conversation's",
    "messages": "messages of the conversation",
    "requests": "requests it made",
    "tokens_mean": "tokens a request sends, on average",
    "tokens_peak": "tokens of the largest request",
    "tokens_total": "tokens of all requests",
    "tokens_share": "tokens of all requests ÷ those without any cut",
    "over_budget": "requests over the budget",
    "rejected": "requests an API would refuse",
    "rejected_naive": "requests it would refuse if the same settings were sliced message by message",
    "summaries": "summaries made",
    "references": "values in tool calls that an earlier message held",
    "references_kept": "share of them still held by what the request sends",
    "links_kept": "share of the literals in answers still held (estimate)",
    "stars": "messages marked to be remembered",
    "stars_kept": "share of them every later request held",
    "evidence_kept": "share of the gold evidence held when it was asked for",
    "questions_kept": "share of what BM25 finds for your questions that the last request holds (estimate)",
    "losses": "references, stars and evidence lost",
    "prefix_stable": "share of requests that only add to the one before",
    "prefix_breaks": "requests whose beginning is not that of the one before",
}
"""Column → what it says. `cost_<cache>` (dollars) and `ratio_<cache>` (÷ not trimming) come after, per cache model."""

CERTAIN = ("reference", "star", "evidence")


def measure(conversation: Conversation, settings: Settings, measures: Measures) -> dict[str, Any]:
    """The row of one conversation under one set of settings. NaN where nothing can be said (no references, no prices).

    What depends on the conversation alone is worked out at its first row and remembered with it.
    """
    timeline = replay(conversation, settings, instruments=open_instruments(settings))
    forgotten = retention(timeline, stars=measures.stars_on(conversation), questions=measures.questions)
    kept, sent = forgotten.kept, traffic(timeline)
    baseline = baseline_of(timeline)
    shares = [question.share for question in forgotten.questions]
    return {
        "title": conversation.title,
        "messages": len(timeline.conversation),
        "requests": len(timeline.plans),
        "tokens_mean": float(timeline.tokens.mean()) if len(timeline.plans) else 0.0,
        "tokens_peak": int(timeline.tokens.max(initial=0)),
        "tokens_total": int(timeline.tokens.sum()),
        "tokens_share": float(timeline.tokens.sum() / max(1, timeline.untrimmed.sum())),
        "over_budget": int(timeline.over_budget.sum()),
        "rejected": int(validity(timeline).refused.sum()),
        "rejected_naive": int(naive_validity(timeline).refused.sum()),
        "summaries": len({plan.summary.made_at for plan in timeline.plans if plan.summary}),
        "references": kept["reference"].total,
        "references_kept": _share(kept["reference"]),
        "links_kept": _share(kept["link"]),
        "stars": kept["star"].total,
        "stars_kept": _share(kept["star"]),
        "evidence_kept": _share(kept["evidence"]),
        "questions_kept": _mean(shares),
        "losses": sum(kept[kind].lost for kind in CERTAIN),
        "prefix_stable": sent.stable_share,
        "prefix_breaks": sent.breaks,
        **_costs(sent, baseline, measures.prices or prices_of(settings.model), measures.caches),
    }


def _costs(sent: Traffic, baseline: Traffic, prices: Prices | None, caches: Sequence[Cache]) -> dict[str, float]:
    """Dollars per cache model, and how many times the cost of not trimming."""
    if prices is None:
        return {f"{what}_{cache.name}": math.nan for cache in caches for what in ("cost", "ratio")}
    found = {}
    for cache in caches:
        bill = price(sent, prices, cache)
        found[f"cost_{cache.name}"] = float(bill.total)
        found[f"ratio_{cache.name}"] = bill.ratio(price(baseline, prices, cache))
    return found


def _share(kept: Kept) -> float:
    return math.nan if kept.share is None else kept.share


def _mean(shares: Iterable[float | None]) -> float:
    known = [share for share in shares if share is not None]
    return sum(known) / len(known) if known else math.nan


# -- many conversations as one

SUMS = frozenset(
    {"messages", "requests", "tokens_total", "over_budget", "rejected", "rejected_naive", "summaries", "references"}
    | {"stars", "losses", "prefix_breaks"}
)
MEANS = frozenset(("links_kept", "evidence_kept", "questions_kept", "tokens_mean", "prefix_stable"))


def combine_rows(group: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One candidate's figures over its conversations: sums, the largest peak, shares weighted by what they share."""
    figures = dict(group[0])
    for name in group[0]:
        values = [row[name] for row in group]
        if name in ("references_kept", "stars_kept"):
            figures[name] = _weighted(values, [row[name.removesuffix("_kept")] for row in group])
        elif name == "tokens_share":
            figures[name] = _weighted(values, [row["tokens_total"] / max(row[name], 1e-9) for row in group])
        elif name in MEANS:
            figures[name] = _weighted(values, [1] * len(values))
        elif name == "tokens_peak":
            figures[name] = max(values)
        elif name.startswith("ratio_"):
            baseline = [row[f"cost_{name[6:]}"] / row[name] if row[name] else 0 for row in group]
            figures[name] = _weighted(values, baseline)
        elif name in SUMS or name.startswith("cost_"):
            figures[name] = sum(values)
    return figures


def _weighted(values: Sequence[float], weights: Sequence[float]) -> float:
    """The mean of what is known; NaN if nothing is."""
    known = [(v, w) for v, w in zip(values, weights, strict=True) if not math.isnan(v) and w and not math.isnan(w)]
    total = sum(w for _, w in known)
    return sum(v * w for v, w in known) / total if total else math.nan
