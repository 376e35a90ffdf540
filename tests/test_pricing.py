"""Prices and windows from the offline snapshot; every number replaceable; usage read from messages."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from historylab.conversation.message import Message, Usage
from historylab.conversation.usage import usage_of
from historylab.errors import SettingsError
from historylab.pricing import Prices, prices_of, window_of


def test_list_prices_are_money_with_a_date_and_a_source():
    prices = prices_of("gpt-4o", date(2026, 1, 1))
    assert (prices.input, prices.output, prices.cache_read) == (Decimal("2.5"), Decimal("10"), Decimal("1.25"))
    assert prices.cache_write == prices.input
    assert prices.date == "2026-01-01"
    assert prices.source.startswith("genai-prices ")


def test_a_provider_with_a_write_premium_has_one_for_an_hour_too():
    prices = prices_of("claude-sonnet-4-5")
    assert prices.cache_write == prices.input * Decimal("1.25")
    assert prices.cache_write_1h == prices.input * 2
    assert prices.cache_read == prices.input / 10


def test_dearer_prices_of_long_requests_come_along():
    prices = prices_of("claude-sonnet-4-5")
    assert prices.long_from == 200_000
    assert prices.long.input == 2 * prices.input


def test_unknown_models_have_no_prices_and_no_window():
    assert prices_of("nobodys-model-7") is None
    assert window_of("nobodys-model-7") is None


def test_every_number_is_replaceable_and_the_source_says_so():
    prices = prices_of("gpt-4o").with_changes(cache_read="0.1", output=3)
    assert (prices.cache_read, prices.output) == (Decimal("0.1"), Decimal(3))
    assert prices.source.endswith("with cache_read, output given by you")
    assert prices_of("claude-sonnet-4-5").with_changes(input=1).long is None


@pytest.mark.parametrize("wrong", [-1, "much", True, "NaN", float("inf")])
def test_a_price_that_cannot_be_is_refused_by_name(wrong):
    with pytest.raises(SettingsError, match="output"):
        Prices(input=1, output=wrong)


def test_floats_become_the_money_they_show():
    assert Prices(input=0.1, output=0.2).input == Decimal("0.1")


@pytest.mark.parametrize("found", [{"input": 4, "output": 2, "cache_reads": 7}, Usage(4, 2, 7)])
def test_usage_is_read_from_a_message_whatever_holds_it(found):
    assert usage_of(Message("assistant", metadata={"usage": found})) == Usage(4, 2, 7, 0)


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"usage": None},
        {"usage": {"input": "4"}},
        {"usage": 7},
        {"usage": {"output": 10**30}},
        {"usage": {"input": -1}},
    ],
)
def test_a_message_without_readable_usage_has_none(metadata):
    assert usage_of(Message("assistant", metadata=metadata)) is None


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("anthropic/claude-sonnet-4-5", "claude-sonnet-4-5"),
        ("litellm_proxy/anthropic/claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("openai:gpt-4o", "gpt-4o"),
        ("azure/gpt-4o", "gpt-4o"),
        ("models/gemini-2.5-pro", "gemini-2.5-pro"),
    ],
)
def test_a_model_is_known_under_the_names_that_gateways_give_it(name, model):
    assert prices_of(name).model == model


@pytest.mark.parametrize("name", ["ollama/deepseek-chat", "llama3:8b", "nobody/nothing-7", "/", ":"])
def test_what_runs_on_a_machine_of_ones_own_has_no_list_price(name):
    assert prices_of(name) is None
