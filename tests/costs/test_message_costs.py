"""What each message costs over its life, and what of that is paid after its last use."""

from __future__ import annotations

import json

import numpy as np
import pytest

from historylab import Conversation, Message, Settings, ToolCall, replay
from historylab.costs.bill import PARTS, Bill, bill
from historylab.costs.message_costs import MessageCosts, message_costs
from historylab.pricing import Prices
from historylab.recall.needs import last_used
from historylab.wording.costs import unused_results_sentence

WHOLE = Settings(policy="all", pruner="off")
PRICES = Prices(input=1, output=5)


def looked_up(number: int, finds: str, **arguments: str) -> list[Message]:
    call = ToolCall(str(number), "look_up", json.dumps(arguments))
    return [Message("assistant", tool_calls=(call,)), Message("tool", finds, tool_call_id=call.id)]


CHAT = Conversation(
    [
        Message("user", "Where is it?"),
        *looked_up(1, "It lies at berth QX-55. " + "So it goes. " * 30, of="boat"),
        *looked_up(2, "Nothing.", at="QX-55"),
        Message("assistant", "I found nothing."),
        Message("user", "Thank you."),
        Message("assistant", "Farewell."),
    ]
)


def costs(settings: Settings = WHOLE) -> tuple[MessageCosts, Bill]:
    timeline = replay(CHAT, settings)
    billed = bill(timeline, "none", PRICES)
    return message_costs(timeline, billed, last_used(CHAT)), billed


def test_a_message_is_last_used_by_the_answer_that_needs_a_value_of_it():
    assert last_used(CHAT).tolist() == [-1, -1, 1, -1, -1, -1, -1, -1]


def test_a_message_pays_its_share_of_every_request_that_sends_it():
    found, billed = costs()
    assert found.requests.tolist() == [4, 3, 3, 2, 2, 1, 1, 0]
    assert found.dollars[2] == pytest.approx(3 * found.tokens[2] / 1e6)
    paid = float(sum(billed.totals[part] for part in PARTS[:3]))
    assert 0.9 * paid < found.dollars.sum() < paid  # the rest is framing


def test_what_comes_after_the_last_use_is_told_apart_and_the_first_reading_is_a_use():
    found, _ = costs()
    assert found.unused[2] == pytest.approx(2 * found.tokens[2] / 1e6)
    assert found.unused[4] == pytest.approx(found.tokens[4] / 1e6)


def test_what_is_not_sent_costs_nothing():
    found, _ = costs(Settings(policy="lastN", length=1, pruner="off"))
    assert found.requests[2] == 2
    assert found.last.tolist() == [2, 2, 2, 2, 2, -1, 3, -1]


def test_a_sentence_says_what_unused_results_took():
    found, billed = costs()
    said = unused_results_sentence(replay(CHAT, WHOLE), billed, found)
    assert said.startswith("At least $0.000")
    assert np.isclose(found.unused[[2, 4]].sum(), found.unused.sum(), rtol=0.2)
