"""Every cache model prices requests, carries its words, and is offered wherever caches are listed."""

from __future__ import annotations

import pickle
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sketches import conv

from historylab import registry
from historylab.cli.main import main
from historylab.conversation.message import Usage
from historylab.costs.bill import against_untrimmed_under, bill, price
from historylab.costs.caches.base import Cache, all_caches, caching_word, open_cache
from historylab.costs.traffic import Traffic, billed_traffic
from historylab.errors import SettingsError
from historylab.planning.replay import replay
from historylab.pricing import Prices
from historylab.settings.model import Settings
from historylab.tuning.constraints import read_constraints
from historylab.tuning.sweep import sweep
from historylab.wording.costs import cache_description, cache_titles

CACHES = sorted(registry.members("cache"))
PRICES = Prices(input=4, output=20, cache_read="0.4", cache_write=5, cache_write_1h=8)
every_cache = pytest.mark.parametrize("name", CACHES)


@every_cache
def test_it_is_a_cache_of_its_own_name_that_a_worker_can_be_sent(name):
    cache = open_cache(name)
    assert isinstance(cache, Cache)
    assert cache.name == name
    assert pickle.loads(pickle.dumps(cache)) == cache
    assert open_cache(name, lifetime=60).lifetime == 60


@every_cache
def test_it_carries_its_words(name):
    member = registry.member("cache", name)
    assert {"title", "priced"} <= member.attributes.keys() <= {"title", "priced", "caching"}
    assert cache_titles()[name] == member.title
    assert cache_description(name)[-1] != "."
    assert member.attributes["priced"].startswith(("with ", "without "))


@every_cache
def test_a_constraint_can_name_it(name):
    word = caching_word(name)
    assert word == word.lower()
    assert read_constraints(f"cheapest under {word} caching").cache == name
    assert read_constraints(f"at most $2 with {word} caching").cache == name


def test_the_word_for_one_may_have_a_hyphen(monkeypatch):
    one_hour = registry.Member("cache", "hourly", lambda: Cache("hourly", lifetime=3600), {"caching": "one-hour"})
    monkeypatch.setitem(registry._members, "cache", {**registry.members("cache"), "hourly": one_hour})
    assert read_constraints("cheapest under one-hour caching").cache == "hourly"


def test_no_two_caches_share_a_word():
    for words in (cache_titles().values(), map(caching_word, CACHES)):
        found = list(words)
        assert len(set(found)) == len(found)


@every_cache
@given(st.lists(st.tuples(st.integers(0, 20_000), st.floats(0, 1), st.floats(0, 10_000)), max_size=8))
def test_every_token_is_read_written_or_plain(name, requests):
    sent = np.array([tokens for tokens, _, _ in requests], np.int64)
    shared = np.array([int(tokens * share) for tokens, share, _ in requests], np.int64)
    idle = np.array([seconds for _, _, seconds in requests])
    nothing = np.zeros(len(sent), np.int64)
    made = price(
        Traffic(sent, shared, nothing.astype(bool), idle, nothing, (Usage(),) * len(sent)), PRICES, open_cache(name)
    )
    assert (made.cache_reads <= shared).all()
    assert (made.uncached >= 0).all() and (made.cache_writes >= 0).all() and (made.cache_reads >= 0).all()
    assert (made.uncached + made.cache_writes + made.cache_reads == sent).all()
    assert made.total >= Decimal(0)


@pytest.mark.parametrize(
    ("attributes", "problem"),
    [
        ({"title": "Hourly"}, "without priced="),
        ({"priced": "with an hourly one"}, "without title="),
        ({"title": "Hourly", "priced": "with an hourly one", "caching": "no"}, "the caching 'no', as 'none' has"),
        ({"title": "Hourly", "priced": "with an hourly one", "caching": "explicit"}, "the caching 'explicit', as"),
    ],
)
def test_words_that_lack_or_are_taken_are_refused_at_once(monkeypatch, attributes, problem):
    monkeypatch.setitem(registry._members, "cache", dict(registry.members("cache")))
    with pytest.raises(SettingsError, match=problem):
        registry.register("cache", "hourly", **attributes)(lambda: Cache("hourly"))
    assert "hourly" not in registry.members("cache")


def test_a_cache_of_another_name_than_its_members_is_refused(monkeypatch):
    other = registry.Member("cache", "hourly", lambda: Cache("daily"), {"title": "Hourly", "priced": "with it"})
    monkeypatch.setitem(registry._members, "cache", {**registry.members("cache"), "hourly": other})
    with pytest.raises(SettingsError, match="'hourly' returns a Cache of the name 'daily'"):
        open_cache("hourly")


def test_every_bill_charges_writes_where_the_prices_imply_them():
    prices = Prices(input=4, output=20, cache_read="0.4", cache_write=5)
    timeline = replay(conv("s:2000 u a u a u"), Settings(model="gpt-5.5"))
    (shown,) = against_untrimmed_under(timeline, ["automatic"], prices)
    swept = sweep(timeline.conversation, [timeline.settings], prices=prices)
    assert (
        shown.bill.total
        == bill(timeline, prices=prices).total
        > price(billed_traffic(timeline), prices, "automatic").total
    )
    assert swept["cost_automatic"][0] == pytest.approx(float(shown.bill.total))


@pytest.fixture
def imagined(monkeypatch):
    """A cache model added for one test, as a file in historylab/costs/caches/ would."""
    monkeypatch.setitem(registry._members, "cache", dict(registry.members("cache")))

    @registry.register("cache", title="Imagined cache", priced="with an imagined cache")
    def imagined() -> Cache:
        """From 2,048 tokens, read at a discount for an hour."""
        return Cache("imagined", minimum=2048, lifetime=3600)


def test_a_new_model_is_in_every_list(imagined, tmp_path, capsys):
    others = sorted({*CACHES, "imagined"} - {"none"})
    assert [cache.name for cache in all_caches()] == ["none", *others]
    assert cache_titles()["imagined"] == "Imagined cache"
    table = sweep(conv("s u a u a u"), [Settings()], prices=PRICES)
    assert {"cost_imagined", "ratio_imagined"} <= set(table.columns)
    (tmp_path / "chat.json").write_text('[{"role": "user", "content": "hello"}]')
    assert main(["show", str(tmp_path / "chat.json")]) == 0
    assert "dollars with an imagined cache" in " ".join(capsys.readouterr().out.split())
    assert read_constraints("cheapest under imagined caching").cache == "imagined"
