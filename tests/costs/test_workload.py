"""Many conversations: distributions over all their requests, and a month of them by rule of three."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from sketches import load_sample
from token_sketches import counted

from historylab.costs.bill import bill
from historylab.costs.workload import Workload, measure_loads, percentiles
from historylab.planning.replay import replay
from historylab.pricing import Prices
from historylab.settings.model import Settings

PRICES = Prices(input=10, output=0, cache_read=1)


def workload(conversations, settings, prices=PRICES) -> Workload:
    return Workload(tuple(measure_loads(conversations, settings, prices)), "o200k_base")


def test_a_month_is_the_mean_conversation_times_the_volume():
    conversations, settings = load_sample("ferry-desk"), Settings(budget=500)
    found = workload(conversations, settings)
    by_hand = sum(bill(replay(c, settings), "automatic", PRICES).total for c in conversations)
    assert found.monthly("automatic", 3000) == by_hand * 3000 / len(conversations)
    assert found.monthly("automatic", 1) < found.monthly("automatic", 1, trimmed=False) * 2
    assert found.per_conversation("none").sum() == pytest.approx(float(found.monthly("none", len(conversations))))


def test_requests_of_all_conversations_make_one_distribution():
    conversations, settings = load_sample("ferry-desk"), Settings(policy="all", budget=1000, pruner="off")
    found = workload(conversations, settings)
    each = [int(n) for c in conversations for n in replay(c, settings).tokens]
    assert found.tokens.tolist() == found.untrimmed.tolist() == each
    assert 0 < found.over_share == sum(n > 1000 for n in each) / len(each)
    assert percentiles(found.tokens)[0] == np.median(found.tokens)


def test_without_prices_there_is_no_month_and_without_requests_nothing():
    found = workload([counted("u5")], Settings(), prices=None)
    assert found.monthly("automatic", 10) is None
    assert found.per_conversation("automatic").size == 0
    empty = Workload((), "o200k_base")
    assert (percentiles(empty.tokens), empty.over_share, empty.monthly("none", 9)) == ((0.0, 0.0), 0.0, None)
    assert isinstance(workload([counted("u5")], Settings()).monthly("none", 2), Decimal)
