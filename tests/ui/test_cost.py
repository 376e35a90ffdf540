"""The cost line under the verdict: one sentence at once; the bill, the prices and the losses when unfolded."""

from __future__ import annotations

import json
import re

import pytest
from app_pages import pasted as opened_with
from app_pages import screen, shown, text

from historylab.wording.verdict import NO_REQUESTS

pytestmark = pytest.mark.slow  # whole screens, drawn again at every click

CUT = {"conv": "sample:lamp-through-the-night", "budget": "1500"}


def unfolded(app):
    """The same with the cost's expander open, as a click leaves it."""
    app.session_state["cost"] = True
    return shown(app.run())


def pasted(*messages: dict) -> object:
    return opened_with(screen(), json.dumps(list(messages)))


def test_the_sentence_is_there_without_a_click_and_the_rest_is_not():
    app = screen()
    assert "changes the beginning of 63 of 83 requests and costs 1.90× not trimming" in text(app)
    assert "Source: genai-prices" not in text(app)


def test_unfolded_it_shows_every_cache_the_prices_source_and_what_is_lost():
    said = text(unfolded(screen(**CUT)))
    for words in (
        "No cache",
        "Automatic cache",
        "Explicit cache",
        "Source: genai-prices",
        "6 of 8 references",
        "Sliced",
    ):
        assert words in said


def test_one_screen_has_one_badge_for_its_counts():
    app = unfolded(screen(**CUT))
    badges = re.findall(r"o200k_base, (?:exact for|an estimate)[^.,)]*", text(app))
    assert set(badges) == {"o200k_base, an estimate: recorded with claude-sonnet-4-5"}
    assert len(badges) > 3


def test_requests_with_nothing_to_answer_are_told_without_a_click():
    said = text(screen(filter="newest", **{"filter.newest.messages": "0"}))
    assert "83 of the 83 requests that are sent would be refused: nothing to answer" in said
    assert "(filter.newest.messages = 0)" in said
    assert "requests that are sent" not in text(screen(historyPolicy="none"))


def test_a_price_of_yours_counts_is_named_and_can_be_taken_back():
    app = unfolded(screen(**CUT))
    key = "price gpt-5.5 cache_read"
    shown(app.number_input(key=key).set_value(5.0).run())
    assert "with cache_read given by you" in text(app)
    shown(app.button(key="listed-prices").click().run())
    assert app.number_input(key=key).value == 0.5
    assert "given by you" not in text(app)


def test_a_model_without_list_prices_asks_for_them():
    app = unfolded(screen(**CUT, model="nobodys-model-7"))
    assert (
        "the tokens of not trimming (the whole conversation as recorded). The prices of this model are unknown"
        in text(app)
    )
    shown(app.number_input(key="price nobodys-model-7 input").set_value(2.0).run())
    shown(app.number_input(key="price nobodys-model-7 output").set_value(8.0).run())
    assert "costs" in text(app)
    assert "Source: given by you" in text(app)


def test_the_measured_overhead_can_be_used_with_the_budget_raised():
    app = unfolded(screen(**CUT))
    assert app.button(key="use-overhead").label == "Use the measured overhead of 14,268 tokens and factor of 1.04"
    shown(app.button(key="use-overhead-and-raise").click().run())
    assert (app.number_input(key="set overhead").value, app.number_input(key="set budget").value) == (14_268, 15_768)
    assert "Both are in effect." in text(app)


def test_an_overhead_the_environment_sets_stays(monkeypatch):
    monkeypatch.setenv("HISTORYLAB_OVERHEAD", "1000")
    app = unfolded(screen(**CUT))
    assert "The overhead stays at 1,000: set by  HISTORYLAB_OVERHEAD" in text(app)
    assert not [b for b in app.button if b.key == "use-overhead"]


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "user", "content": "Hello?"}],
        [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}],
        [{"role": "assistant", "content": "How may I help?"}],
    ],
    ids=["one message", "no tools", "no requests"],
)
def test_short_conversations_have_a_bill_or_none(messages):
    app = unfolded(pasted(*messages))
    if NO_REQUESTS not in text(app):
        assert "Nothing is cut" in text(app)
        assert "as far as the transcript shows" in text(app)
