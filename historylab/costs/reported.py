"""The distance of our figures from the cost of a recording by the usage its provider reported."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from historylab.conversation.usage import usage_by_request
from historylab.costs.bill import price_as_recorded
from historylab.costs.recorded_cache import billed_model, cache_in_use
from historylab.costs.session_cost import dollars_of
from historylab.costs.traffic import baseline_of, billed_traffic
from historylab.counters.reported_contexts import context_by_request
from historylab.planning.replay import Timeline
from historylab.pricing import Prices, prices_of

WHOLE = 0.8
"""Reported output below this share of what the answers' texts count is not all of it."""


@dataclass(frozen=True, slots=True)
class AsReported:
    """Requests that carry usage, of `of` in all: dollars by that usage, and by our figures without any cut.

    `short` tells whether the usage reports fewer tokens of output than the answers' texts have, as a log does that is
    written before an answer ends; `sent` whether our figures are of what was sent, cuts included; `models` how many
    models' prices they are at.
    """

    requests: int
    of: int
    reported: Decimal
    computed: Decimal
    short: bool = False
    sent: bool = False
    models: int = 1

    @property
    def error(self) -> float:
        """The distance of the computed cost above the reported one, as a share of that; negative below it."""
        return float(self.computed / self.reported) - 1


def against_reported(timeline: Timeline, prices: Prices | None = None) -> AsReported | None:
    """The recording's cost by our figures and by its usage; None without usage, prices or the recorded model.

    Computed are its own requests, whole, with the settings' overhead and token factor. Those that no longer sent all of
    it are left out: after a compaction of the program that recorded it, or cut by the settings it was recorded under.
    Of a timeline with the reported sizes, each request is computed as it was sent.
    """
    conversation, model = timeline.original, billed_model(timeline)
    prices = prices or prices_of(model)
    if not prices or model != conversation.recorded.model:
        return None
    usages, whole = usage_by_request(conversation), context_by_request(conversation)
    sent = any(plan.is_sized for plan in timeline.plans)
    both = [(i, u) for i, u in enumerate(usages) if u and (sent or whole[i])]
    computed_of = billed_traffic(timeline) if sent else baseline_of(timeline)
    bill = price_as_recorded(timeline, computed_of, prices, cache_in_use(timeline, prices))
    reported = sum((dollars_of([usage], bill.prices_of_request(i)) for i, usage in both), Decimal(0))
    if not reported:
        return None
    computed = sum((bill.costs[i] for i, _ in both), Decimal(0))
    short = sum(usage.output for _, usage in both) < WHOLE * sum(int(bill.traffic.output[i]) for i, _ in both)
    models = len({bill.prices_of_request(i).model for i, _ in both})
    return AsReported(len(both), len(usages), reported, computed, short, sent, models)
