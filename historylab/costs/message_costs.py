"""The cost of each message over its life: in every request that sent it, and the part that came after its last use.

A message pays its share of a request's input by its tokens, at the mean price of that request's tokens, be they read
from the cache, written to it or neither. What was paid to have it written, as an answer, is not part of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from historylab.costs.bill import PARTS, Bill
from historylab.costs.recount import counter_of_money, recount_timeline
from historylab.planning.replay import Timeline


@dataclass(frozen=True, slots=True, eq=False)
class MessageCosts:
    """Arrays of one entry per message: dollars (float64) in all and after its last use, and the requests (int64).

    `requests` counts those that sent it; `last` (int64) is the newest of them (from 0), -1 if none did.
    """

    dollars: np.ndarray
    unused: np.ndarray
    requests: np.ndarray
    last: np.ndarray
    tokens: np.ndarray


def message_costs(timeline: Timeline, bill: Bill, last_used: np.ndarray) -> MessageCosts:
    """The costs of a timeline's messages by its bill.

    `last_used` (int64[messages]) is the last request (from 0) whose answer used each, -1 if none did: what the first
    request that sent it paid was for reading it, and counts as used. Linear in messages × requests.
    """
    recounted = recount_timeline(timeline, counter_of_money(timeline))
    size, rates = len(timeline.conversation), _mean_prices(bill)
    dollars, unused, tokens = np.zeros(size), np.zeros(size), np.zeros(size, np.int64)
    requests, last, first = np.zeros(size, np.int64), np.full(size, -1), np.full(size, len(timeline.plans))
    for number, (plan, rate) in enumerate(zip(recounted.plans, rates.tolist(), strict=True)):
        sent = plan.sent_tokens
        held = np.flatnonzero(sent)
        first[held] = np.minimum(first[held], number)
        later = held[number > np.maximum(first[held], last_used[held])]
        dollars[held] += sent[held] * rate
        unused[later] += sent[later] * rate
        requests[held] += 1
        last[held] = number
        tokens[held] = np.maximum(tokens[held], sent[held])
    return MessageCosts(dollars, unused, requests, last, tokens)


def _mean_prices(bill: Bill) -> np.ndarray:
    """float64[requests]: dollars per token of input."""
    found = np.zeros(len(bill.traffic.sent))
    for prices, those in bill.price_lists():
        for part, price in zip(PARTS[:3], bill.each_price(prices), strict=False):
            found[those] += float(price) / 1e6 * bill.parts[part][those]
    mean: np.ndarray = found / np.maximum(1, bill.traffic.sent)
    return mean
