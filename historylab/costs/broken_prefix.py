"""The place at which the beginning of a request broke, and the price of sending it again, as the usage shows both.

A request reads as much from the cache as was like before: that many tokens of its beginning. Earlier requests say how
many tokens the messages up to theirs took, in the provider's own count; between two of them the length of each
message says about where.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, Usage
from historylab.pricing import prices_of

MILLION = Decimal(1_000_000)
CUT = 0.8
"""A request that takes less than this share of the one before has another history."""

Cached = tuple[int, int]
"""A request: the number of its messages, and how many tokens it left in the cache."""


def find_break(conversation: Conversation, read: int, smallest: int, cached: Sequence[Cached]) -> int | None:
    """The index of the first message that a request which read so many tokens didn't find there; None if unknown.

    `cached` are the requests before it; `smallest` is the smallest prefix that any request read, which stands before
    all messages but those of the system.
    """
    if not read:
        return 0
    opening = next((i for i, message in enumerate(conversation) if message.role != "system"), 0)
    known = _drop_before_cut(cached)
    if not known:
        return None
    size, tokens = known[0]
    if read < tokens:
        return opening if read <= smallest or size <= opening + 1 else None
    start = max(each for each in known if each[1] <= read)
    stop = next((each for each in known if each[0] > start[0]), None)
    return _find_between(conversation, start, stop, read) if stop else start[0]


def price_again(usage: Usage, model: str, again: int) -> Decimal | None:
    """Dollars that a request paid more for sending `again` tokens than for reading them; None without list prices.

    They were written as the request's others were, as far as it wrote any, and else paid for as plain input.
    """
    prices = prices_of(model)
    if prices is None:
        return None
    each = prices.for_request(usage.context)
    hour = min(usage.cache_writes_1h, usage.cache_writes)
    of_writes = Decimal(hour) / usage.cache_writes if usage.cache_writes else Decimal(0)
    written = min(again, usage.cache_writes)
    per_write = of_writes * each.cache_write_1h + (1 - of_writes) * each.cache_write
    return (written * per_write + (again - written) * each.input - again * each.cache_read) / MILLION


def _drop_before_cut(cached: Sequence[Cached]) -> list[Cached]:
    """The requests since the history was last cut, each of which took more than the one before."""
    known: list[Cached] = []
    for each in cached:
        if known and each[1] < CUT * known[-1][1]:
            known.clear()
        while known and each[1] <= known[-1][1]:  # a little is left out of a history now and then: former thinking
            known.pop()
        known.append(each)
    return known


def _find_between(conversation: Conversation, start: Cached, stop: Cached, read: int) -> int:
    """The message in which so many tokens end, by the share of the text that each of them has."""
    lengths = [_length(conversation[i]) for i in range(start[0], stop[0])]
    at, share = float(start[1]), (stop[1] - start[1]) / sum(lengths)
    for i, length in enumerate(lengths, start[0]):
        at += share * length
        if at > read:
            return i
    return stop[0]


def _length(message: Message) -> int:
    return 1 + len(message.content) + sum(len(call.name) + len(call.arguments) for call in message.tool_calls)
