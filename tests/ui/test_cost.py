"""Costs under the verdict: one sentence at once; the bill, the prices, losses and refused requests in tabs."""

from __future__ import annotations

import json
import re

import pytest
from app_pages import hovers, on_tab, request_field, rows, screen, shown, text, unfolded, verdict
from app_pages import pasted as opened_with

from historylab.wording.settings import setting_in_words
from historylab.wording.verdict import NO_REQUESTS

pytestmark = pytest.mark.slow  # whole screens, drawn again at every click

CUT = {"conv": "sample:lamp-through-the-night", "budget": "1500", "v": "2"}


def pasted(*messages: dict) -> object:
    return opened_with(screen(), json.dumps(list(messages)))


def test_the_sentence_is_there_without_a_click_and_the_rest_is_not():
    app = screen()
    assert "83¢  (44¢ untrimmed)" in verdict(app)
    assert (
        "Trimming costs 90% more: $0.830 instead of $0.437, because it breaks the prompt cache at 63 of 83 requests"
        in hovers(app)
    )
    assert "Source: genai-prices" not in text(app)


@pytest.mark.parametrize(
    ("tab", "words"),
    [
        ("Cost", ("No cache", "Automatic cache", "Explicit cache", "Source: genai-prices", "Not in these sums")),
        (
            "Lost facts",
            (
                "facts in tool calls, ",
                "By kind: 3 of 3 ids",
                "3 of 7 are gone for good, 4 can be found again with a tool",
            ),
        ),
        ("Refused", ("Sliced",)),
    ],
)
def test_each_tab_says_its_part(tab, words):
    said = text(on_tab(screen(**CUT), tab))
    assert [word for word in words if word not in said] == []


def test_a_tab_stays_open_when_its_count_changes():
    app = on_tab(screen(**CUT), "Lost facts")
    before = rows(app, "losses")
    shown(app.text_input(key="set budget").set_value("500").run())
    assert len(rows(app, "losses")) > len(before)
    counts = next(e.proto.body for e in app.get("html") if "[role=tab]:nth-of-type(2)" in e.proto.body)
    assert f'content:"{len(rows(app, "losses"))}"' in counts


def test_a_tab_stays_open_when_another_comes():
    app = on_tab(screen(**CUT), "Cost")
    app.session_state["historylab"].questions = ("Where is the pier?",)
    shown(app.run())
    assert "Asked later" in [tab.label for tab in app.tabs]
    assert app.session_state["side"] == "Cost"


def test_the_payload_says_what_changed_since_the_request_before():
    app = on_tab(screen(**CUT), "Payload")
    assert "This request only adds to the one before" in text(app)
    assert "2 messages added" in text(app)
    shown(request_field(app).set_value(10).run())
    assert "messages removed" in text(app)
    shown(app.segmented_control(key="view-payload").set_value("Whole").run())
    assert '"role": "user"' in app.code[-1].value


def test_one_screen_has_one_badge_for_its_counts():
    app = on_tab(screen(**CUT), "Cost")
    badges = re.findall(r"o200k_base, (?:exact for|an estimate: recorded with) [\w.-]+\w", text(app) + hovers(app))
    assert set(badges) == {"o200k_base, an estimate: recorded with claude-sonnet-4-5"}
    assert len(badges) > 1


def test_requests_with_nothing_to_answer_are_told_without_a_click():
    said = text(screen(filter="newest", **{"filter.newest.messages": "0"}))
    assert "83 of the 83 requests that are sent would be refused: nothing to answer" in said
    assert f"({setting_in_words('filter.newest.messages', 0)})" in said
    assert "requests that are sent" not in text(screen(historyPolicy="none"))


def test_a_price_of_yours_counts_is_named_and_can_be_taken_back():
    app = on_tab(screen(**CUT), "Cost")
    key = "price gpt-5.5 cache_read"
    shown(app.number_input(key=key).set_value(5.0).run())
    assert "with cache_read given by you" in text(app)
    shown(app.button(key="listed-prices").click().run())
    assert app.number_input(key=key).value == 0.5
    assert "given by you" not in text(app)


def test_a_model_without_list_prices_asks_for_them():
    app = on_tab(screen(**CUT, model="nobodys-model-7"), "Cost")
    assert "of the untrimmed tokens" in verdict(app)
    assert "Trimming sends fewer tokens" in hovers(app)
    shown(app.number_input(key="price nobodys-model-7 input").set_value(2.0).run())
    shown(app.number_input(key="price nobodys-model-7 output").set_value(8.0).run())
    assert "Trimming costs" in hovers(app)
    assert "Source: given by you" in text(app)


def test_the_measured_overhead_can_be_used_with_the_budget_raised():
    app = on_tab(screen(**CUT), "Cost")
    assert app.button(key="use-overhead").label == "Use the measured overhead of 14,245 tokens and factor of 1.04"
    shown(app.button(key="use-overhead-and-raise").click().run())
    fields = [unfolded(app, "Model").text_input(key=f"set {name}").value for name in ("overhead", "budget")]
    assert fields == ["14,245", "15,745"]
    assert "Both are in effect." in text(app)


def test_an_overhead_the_environment_sets_stays(monkeypatch):
    monkeypatch.setenv("HISTORYLAB_OVERHEAD", "1000")
    app = on_tab(screen(**CUT), "Cost")
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
    app = on_tab(pasted(*messages), "Lost facts")
    if NO_REQUESTS not in text(app):
        assert "Nothing is cut" in hovers(app)
        assert "as far as the transcript shows" in text(app)


def test_the_messages_that_cost_most_over_their_life_stand_beside_the_bill():
    dearest = rows(on_tab(screen(conv="sample:held-for-the-auditors"), "Cost"), "costly-messages")
    assert [row[0].split(":")[0] for row in dearest[:2]] == ["18 (tool)", "19 (tool)"]
    paid = [float(row[3].removeprefix("$")) for row in dearest]
    assert len(paid) == 5
    assert paid == sorted(paid, reverse=True)
