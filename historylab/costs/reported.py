"""The cost of a recording by the usage its provider reported, and how far our figures are from that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Usage
from historylab.conversation.sent import sent_histories
from historylab.conversation.usage import MODEL, model_name, usage_by_request, usage_of
from historylab.costs.bill import MILLION, price_as_recorded
from historylab.costs.recorded_cache import billed_model, cache_in_use
from historylab.costs.traffic import baseline_of, billed_traffic
from historylab.counters.reported_contexts import context_by_request
from historylab.formats.sub_agents import sub_agents_of
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
    reported = sum((_dollars([usage], bill.prices_of_request(i)) for i, usage in both), Decimal(0))
    if not reported:
        return None
    computed = sum((bill.costs[i] for i, _ in both), Decimal(0))
    short = sum(usage.output for _, usage in both) < WHOLE * sum(int(bill.traffic.output[i]) for i, _ in both)
    models = len({bill.prices_of_request(i).model for i, _ in both})
    return AsReported(len(both), len(usages), reported, computed, short, sent, models)


@dataclass(frozen=True, slots=True)
class SessionCost:
    """Dollars of a whole session by the usage that was reported.

    Attributes:
        own: of the conversation's own requests.
        beside: of its sub-agents, and of the calls that wrote the summaries of its compactions and theirs.
        sub_agents, summary_calls: how many there are of each.
        unknown: how many of them report no usage, or have a model without prices; these are in no sum.
    """

    own: Decimal
    beside: Decimal
    sub_agents: int
    summary_calls: int
    unknown: int = 0

    @property
    def total(self) -> Decimal:
        """The cost of the session, as far as it is known."""
        return self.own + self.beside


def session_cost(
    conversation: Conversation,
    among: Iterable[Conversation],
    prices: Callable[[str], Prices | None] = prices_of,
) -> SessionCost | None:
    """The cost of a conversation with its sub-agents, which are `among` the others of its file, and its compactions.

    None where it has neither, or where its own usage or the prices of its models aren't known.
    """
    agents = sub_agents_of(conversation, among)
    cuts = [history.cut for one in (conversation, *agents) for history in sent_histories(one) or () if history.cut]
    calls = [[(cut.usage, cut.model or conversation.recorded.model)] for cut in cuts if cut.usage]
    own = _cost_of(_reported_requests(conversation), prices)
    if own is None or not (agents or calls):
        return None
    costs = [_cost_of(requests, prices) for requests in (*map(_reported_requests, agents), *calls)]
    known = [cost for cost in costs if cost is not None]
    return SessionCost(own, sum(known, Decimal(0)), len(agents), len(calls), len(costs) - len(known))


def _reported_requests(conversation: Conversation) -> list[tuple[Usage, str | None]]:
    """The usage of each answer that has one, and the model that gave it."""
    models = ((usage_of(m), model_name(m.metadata.get(MODEL))) for m in conversation if m.role == "assistant")
    return [(usage, model or conversation.recorded.model) for usage, model in models if usage]


def _cost_of(requests: Sequence[tuple[Usage, str | None]], prices: Callable[[str], Prices | None]) -> Decimal | None:
    """The dollars of these; None if there are none, or a price isn't known."""
    listed = {model: prices(model) for _, model in requests if model}
    priced = [(usage, found) for usage, model in requests if (found := listed.get(model or ""))]
    if not requests or len(priced) < len(requests):
        return None
    return sum((_dollars([usage], each) for usage, each in priced), Decimal(0))


def _dollars(usages: Iterable[Usage], prices: Prices) -> Decimal:
    total = Decimal(0)
    for usage in usages:
        each = prices.for_request(usage.context)
        hour = min(usage.cache_writes_1h, usage.cache_writes)
        amounts = (
            (usage.input, each.input),
            (usage.cache_reads, each.cache_read),
            (usage.cache_writes - hour, each.cache_write),
            (hour, each.cache_write_1h),
            (usage.output, each.output),
        )
        total += sum((count * price for count, price in amounts), Decimal(0))
    return total / MILLION
