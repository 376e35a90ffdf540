"""The cost of a whole session by the usage that its provider reported, with what it called beside; and its cuts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Usage
from historylab.conversation.sent import sent_histories
from historylab.conversation.usage import MODEL, model_name, usage_of
from historylab.errors import LoadError
from historylab.formats.load import first_asking, load
from historylab.formats.sessions.find import Session
from historylab.formats.shapes import kinds  # noqa: F401 (the formats that are shapes, without all the others)
from historylab.formats.sub_agents import sub_agents_of
from historylab.pricing import Prices, prices_of

MILLION = Decimal(1_000_000)
MOST_MEASURED, MOST_READ = 30, 30_000_000
"""Sessions of a list whose cuts and costs are known at once, and bytes of theirs."""


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


@dataclass(frozen=True, slots=True)
class SessionFigures:
    """The cuts of a session, as its file marks or shows them, and its dollars, if usage and prices are known."""

    compactions: int
    dollars: float | None


def measure_sessions(
    listed: Iterable[Session], read: Callable[[Session], SessionFigures | None] | None = None
) -> Iterator[SessionFigures | None]:
    """The figures of each; None where they aren't known: they can't be read, are large, or come after many others."""
    room, left = MOST_READ, MOST_MEASURED
    for session in listed:
        fits = left > 0 and (session.size or 0) <= room
        yield (read or read_figures)(session) if fits else None
        room, left = room - (session.size or 0) * fits, left - 1


def read_figures(session: Session) -> SessionFigures | None:
    """The figures as opening it shows them; None if it can't be read."""
    for format in dict.fromkeys((session.format or None, None)):
        try:
            return figures_of(load(session.path, format))
        except LoadError:
            continue
    return None


def figures_of(loaded: Sequence[Conversation]) -> SessionFigures:
    """The figures of the session that opens of these conversations."""
    conversation = loaded[first_asking(loaded)]
    whole = session_cost(conversation, loaded)
    dollars = whole.total if whole else _cost_of(_reported_requests(conversation), prices_of)
    return SessionFigures(len(conversation.recorded.compactions), None if dollars is None else float(dollars))


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
    return sum((dollars_of([usage], each) for usage, each in priced), Decimal(0))


def dollars_of(usages: Iterable[Usage], prices: Prices) -> Decimal:
    """The dollars of what was used, each request at the prices of its size."""
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
