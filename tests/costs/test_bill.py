"""Prompt caches and bills: three requests worked by hand for each cache model, every token accounted."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest

from historylab.conversation.message import Usage
from historylab.costs.bill import price
from historylab.costs.caches.base import cache_of, open_cache
from historylab.costs.traffic import Traffic
from historylab.errors import SettingsError, UnknownMember
from historylab.pricing import Prices

PRICES = Prices(input=4, output=20, cache_read="0.4", cache_write=5, cache_write_1h=8)


def traffic(sent, shared, idle=None, output=None, summaries=None) -> Traffic:
    sent = np.array(sent)
    return Traffic(
        sent=sent,
        shared=np.array(shared),
        broken=np.zeros(len(sent), bool),
        idle=np.array(idle or [math.nan] * len(sent)),
        output=np.array(output or [0] * len(sent)),
        summaries=tuple(summaries or [Usage()] * len(sent)),
    )


GROWING = traffic(sent=[1200, 1600, 2050], shared=[0, 1200, 1600], idle=[math.nan, 60, 400], output=[100, 50, 0])


def split(bill) -> list[tuple[int, int, int]]:
    """Per request: uncached, written, read."""
    return list(zip(bill.uncached.tolist(), bill.cache_writes.tolist(), bill.cache_reads.tolist(), strict=True))


def test_without_a_cache_everything_is_plain_input():
    bill = price(GROWING, PRICES, "none")
    assert split(bill) == [(1200, 0, 0), (1600, 0, 0), (2050, 0, 0)]
    # (1200 + 1600 + 2050) × $4 + (100 + 50) × $20, per million
    assert bill.total == Decimal("0.0194") + Decimal("0.003")


def test_an_automatic_cache_is_read_in_whole_steps_and_costs_nothing_to_write():
    bill = price(GROWING, PRICES, open_cache("automatic", lifetime=math.inf))
    # 1200 = 9 × 128 + 48, 1600 = 12 × 128 + 64
    assert split(bill) == [(1200, 0, 0), (448, 0, 1152), (514, 0, 1536)]
    assert bill.totals == {
        "uncached": Decimal(2162) * 4 / 1_000_000,
        "cache_writes": 0,
        "cache_reads": Decimal("2688") * Decimal("0.4") / 1_000_000,
        "output": Decimal("0.003"),
        "summaries": 0,
    }


def test_an_explicit_cache_writes_what_it_does_not_read_at_a_premium():
    bill = price(GROWING, PRICES, open_cache("explicit", lifetime=3600, write_premium="1.25"))
    assert split(bill) == [(0, 1200, 0), (0, 400, 1200), (0, 450, 1600)]
    # 2050 written × $5, 2800 read × $0.40, 150 out × $20
    assert bill.total == Decimal("0.01025") + Decimal("0.00112") + Decimal("0.003")
    assert bill.costs[1] == Decimal("0.002") + Decimal("0.00048") + Decimal("0.001")


def test_fetching_again_takes_one_more_request_that_is_no_part_of_the_sum():
    calls, results = 30, 500
    plain, cached = (price(GROWING, PRICES, cache) for cache in ("none", open_cache("explicit", write_premium="1.25")))
    again = [(1, calls, results)]
    assert plain.cost_of_fetching(again) == (Decimal(1600 + 530) * 4 + 30 * 20) / 1_000_000
    # the 1,600 just sent are read, although a pause follows; the call and what it finds are written
    assert cached.cost_of_fetching(again) == (Decimal(1600) * Decimal("0.4") + 530 * 5 + 30 * 20) / 1_000_000
    assert cached.cost_of_fetching([]) == 0
    assert cached.cost_of_fetching([*again, *again]) == 2 * cached.cost_of_fetching(again)
    assert cached.total == price(GROWING, PRICES, open_cache("explicit", write_premium="1.25")).total


def test_an_idle_gap_beyond_the_lifetime_rewrites_everything():
    five_minutes, an_hour = (
        price(GROWING, PRICES, "explicit"),
        price(GROWING, PRICES, open_cache("explicit", lifetime=3600)),
    )
    assert split(five_minutes) == [(0, 1200, 0), (0, 400, 1200), (0, 2050, 0)]
    assert split(an_hour)[2] == (0, 450, 1600)
    assert five_minutes.totals["cache_writes"] == Decimal(3650) * 5 / 1_000_000
    assert an_hour.totals["cache_writes"] == Decimal(2050) * 8 / 1_000_000  # an hour is dearer to write


def test_below_the_minimum_nothing_is_cached():
    small = traffic(sent=[1000, 1500, 1600], shared=[0, 1000, 1023])
    assert split(price(small, PRICES, "automatic")) == [(1000, 0, 0), (1500, 0, 0), (1600, 0, 0)]
    assert split(price(small, PRICES, "explicit")) == [(1000, 0, 0), (0, 1500, 0), (0, 1600, 0)]


@pytest.mark.parametrize("cache", ["automatic", "explicit"])
def test_a_prefix_of_exactly_the_minimum_is_read(cache):
    at_the_minimum = traffic(sent=[1024, 1500, 1600], shared=[0, 1024, 1023])
    assert price(at_the_minimum, PRICES, cache).cache_reads.tolist() == [0, 1024, 0]


def test_a_request_of_exactly_the_minimum_is_written():
    assert split(price(traffic(sent=[1024, 1023], shared=[0, 0]), PRICES, "explicit")) == [(0, 1024, 0), (1023, 0, 0)]


@pytest.mark.parametrize("cache", ["automatic", "explicit"])
def test_a_prefix_is_read_up_to_exactly_its_lifetime(cache):
    paused = traffic(sent=[2048] * 4, shared=[0, 2048, 2048, 2048], idle=[math.nan, 300, 300.001, 299.999])
    assert price(paused, PRICES, cache).cache_reads.tolist() == [0, 2048, 0, 2048]


def test_the_summarizers_own_calls_are_paid():
    made = Usage(input=1000, output=200, cache_reads=500)
    bill = price(traffic([10, 10, 10], [0, 0, 0], summaries=[Usage(), made, Usage()]), PRICES, "none")
    assert bill.totals["summaries"] == bill.costs[1] - bill.costs[0] == (1000 * 4 + 200 * 20 + Decimal(200)) / 1_000_000


def test_a_long_request_pays_its_own_prices_for_every_token():
    prices = Prices(input=1, output=2, long_from=1500, long=Prices(input=3, output=5))
    bill = price(traffic([1000, 1500, 1501], [0, 0, 0], output=[10, 10, 10]), prices, "none")
    assert bill.costs == tuple(Decimal(n) / 1_000_000 for n in (1020, 1520, 1501 * 3 + 50))


def test_the_parts_add_up_to_the_total_exactly():
    bill = price(GROWING, PRICES, "explicit")
    assert sum(bill.costs) == bill.total == sum(bill.totals.values())
    *input_parts, output = bill.parts.values()
    assert (sum(input_parts).tolist(), output.tolist()) == (GROWING.sent.tolist(), GROWING.output.tolist())
    assert [u.input + u.cache_reads + u.cache_writes for u in map(bill.usage, range(3))] == GROWING.sent.tolist()


def test_a_bill_of_no_requests_costs_nothing():
    bill = price(traffic([], []), PRICES, "explicit")
    assert bill.total == 0
    assert math.isnan(bill.ratio(bill))


def test_prices_say_which_cache_goes_with_them():
    assert cache_of(PRICES).name == "explicit"
    assert cache_of(Prices(input=4, output=20)).name == "none"
    assert cache_of(Prices(input=4, output=20, cache_read=1)) == open_cache("automatic")
    assert cache_of(Prices(input=4, output=20, cache_read=1, cache_write=5)).writes


def test_a_cache_is_chosen_by_name_and_every_number_can_be_changed():
    assert open_cache("automatic", minimum=2048, step=256).minimum == 2048
    with pytest.raises(UnknownMember, match="automatic"):
        open_cache("eternal")
    with pytest.raises(SettingsError, match="lifetime"):
        open_cache("explicit", years=3)
    with pytest.raises(SettingsError, match="step 0"):
        open_cache("automatic", step=0)
