"""Many conversations: distributions over all their requests, and a month of them by rule of three."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from sketches import load_sample
from token_sketches import counted

from historylab.costs.bill import bill
from historylab.planning.replay import replay
from historylab.pricing import Prices
from historylab.recall.retention import FACTS, retention
from historylab.settings.model import Settings
from historylab.tuning.workload import Workload, measure_load, percentiles

PRICES = Prices(input=10, output=0, cache_read=1)


def workload(conversations, settings, prices=PRICES) -> Workload:
    return Workload(tuple(measure_load(replay(each, settings), prices) for each in conversations))


def test_a_month_is_the_mean_conversation_times_the_volume():
    conversations, settings = load_sample("ferry-desk"), Settings(budget=500)
    found = workload(conversations, settings)
    by_hand = sum(bill(replay(c, settings), prices=PRICES).total for c in conversations)
    assert found.monthly(3000) == by_hand * 3000 / len(conversations)
    assert found.monthly(1) < found.monthly(1, trimmed=False) * 2


def test_a_month_is_of_those_whose_prices_are_known():
    priced, unpriced = (workload([counted("u5")], Settings(), prices) for prices in (PRICES, None))
    both = Workload((*priced.loads, *unpriced.loads))
    assert both.monthly(2) == priced.monthly(2)


def test_requests_of_all_conversations_make_one_distribution():
    conversations, settings = load_sample("ferry-desk"), Settings(policy="all", budget=1000, pruner="off")
    found = workload(conversations, settings)
    each = [int(n) for c in conversations for n in replay(c, settings).tokens]
    assert found.tokens.tolist() == found.untrimmed.tolist() == each
    assert 0 < found.over_share == sum(n > 1000 for n in each) / len(each)
    assert percentiles(found.tokens)[0] == np.median(found.tokens)


def test_facts_lost_are_those_of_each_conversation():
    conversations, settings = load_sample("ferry-desk"), Settings(budget=300)
    found, kept = workload(conversations, settings), [retention(replay(c, settings)).kept for c in conversations]
    lost = [sum(each[kind].lost for kind in FACTS) for each in kept]
    assert 0 < found.facts_lost == sum(lost)
    assert found.losing == sum(map(bool, lost))


@pytest.mark.parametrize(("budgets", "limit"), [((500, 500), (500, "budget")), ((500, 900), None)])
def test_there_is_one_limit_only_where_all_have_the_same(budgets, limit):
    loads = (workload([counted("u5")], Settings(budget=budget)).loads[0] for budget in budgets)
    assert Workload(tuple(loads)).limit == limit


def test_without_prices_there_is_no_month_and_without_requests_nothing():
    found = workload([counted("u5")], Settings(), prices=None)
    assert found.monthly(10) is None
    empty = Workload(())
    assert (percentiles(empty.tokens), empty.over_share, empty.monthly(9)) == ((0.0, 0.0), 0.0, None)
    assert isinstance(workload([counted("u5")], Settings()).monthly(2), Decimal)
