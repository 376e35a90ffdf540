"""Settings and amounts as people say them."""

from __future__ import annotations

from decimal import Decimal

import pytest
from sketches import conv, load_sample

from historylab.conversation.conversation import Conversation
from historylab.costs.amounts import money, percent, times
from historylab.costs.bill import against_untrimmed
from historylab.planning.replay import replay
from historylab.settings.model import Settings
from historylab.wording.costs import cost_finding
from historylab.wording.cuts import changes_in_words, settings_in_words


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "FIFO to 8,000 over the last 20 user messages"),
        ({"policy": "all", "pruner.fifo.trim_to": 0.5}, "FIFO to 8,000 over all messages (down to half)"),
        ({"pruner": "off", "length": 1}, "keeping the last user message"),
        ({"pruner": "off", "policy": "none"}, "keeping no history"),
        (
            {"policy": "all", "compaction": "at_threshold", "threshold": 0.008},
            "FIFO to 8,000 over all messages (summarised down to 25% of the window once the window is 0.8% full)",
        ),
        ({"policy": "all", "min_turns": 1}, "FIFO to 8,000 over all messages (newest turn protected)"),
        (
            {"policy": "all", "pruner": "sliding_window", "pruner.sliding_window.turns": 6},
            "a window of 6 turns over all messages",
        ),
        (
            {"policy": "all", "pruner": "sliding_window", "pruner.sliding_window.turns": 1},
            "a window of 1 turn over all messages",
        ),
        (
            {"tool_output": "clear", "tool_output.clear.batch": 1, "min_turns": 3},
            "FIFO to 8,000 over the last 20 user messages (old tool results cleared one at a time, "
            "newest 3 turns protected)",
        ),
    ],
)
def test_a_cut_is_said_in_words(changes, words):
    assert settings_in_words(Settings(**changes)) == words


def test_settings_at_their_defaults_are_left_out():
    assert changes_in_words({"budget": 2000}) == "a budget of 2,000"
    assert changes_in_words({"pruner.fifo.trim_to": 1.0}) == "down to the budget"
    assert changes_in_words({"threshold": 0.125}) == "summarising once the window is 12.5% full"
    assert changes_in_words({"tool_output": "off"}) == "full tool results"
    assert changes_in_words({}) == "these settings"


def test_amounts_say_no_more_than_they_know():
    assert [money(Decimal(n)) for n in ("0", "0.00123", "0.374", "2.5", "12345.6")] == [
        "$0.00",
        "$0.00123",
        "$0.374",
        "$2.50",
        "$12,346",
    ]
    assert (money(float("nan")), times(float("nan")), percent(None)) == ("not known", "not known", "nothing to keep")
    assert [percent(s) for s in (0, 0.0001, 0.9999, 1)] == ["0%", "0.1%", "99.9%", "100%"]


def test_the_cost_is_told_against_not_trimming():
    timeline = replay(load_sample()[0], Settings())
    said = str(cost_finding(timeline, against_untrimmed(timeline, "automatic")))
    assert said.startswith("Trimming costs 90% more: $0.8")
    assert said.endswith(", because it breaks the prompt cache at 63 of 83 requests.")


def test_where_nothing_is_cut_or_prices_are_unknown_it_says_so():
    timeline = replay(load_sample("tide-tables-agent")[0], Settings())
    assert str(cost_finding(timeline, against_untrimmed(timeline, "automatic"))).startswith(
        "Nothing is cut, so it costs what not trimming costs"
    )
    orphan = replay(Conversation([m for m in conv("u a(t) u a") if m.role != "tool"]), Settings())
    lacking = "1 message with calls that lack a result, which no API takes"
    assert str(cost_finding(orphan, None)).startswith(f"Nothing is cut but {lacking}, so it costs")
    cut = replay(load_sample()[0], Settings(model="nobodys-model-7"))
    assert "the tokens of not trimming" in str(cost_finding(cut, None))
