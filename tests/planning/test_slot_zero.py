"""What stands for every request is decided once and grows with the conversation; each alone decides the same."""

from __future__ import annotations

import numpy as np
from conversation_strategies import ORDINARY, conversation_from, conversations
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from historylab.conversation.conversation import Conversation
from historylab.counters.base import open_counter
from historylab.planning.history import History
from historylab.planning.pins import pin_rules
from historylab.planning.plan import HistoryPlan
from historylab.planning.slot_zero import SlotZero, start
from historylab.planning.standing import Standing
from historylab.planning.strategies.facts import tool_results
from historylab.planning.texts import Texts
from historylab.settings.model import Settings

COUNTER = open_counter("exact", "gpt-4o")
OTHER = open_counter("chars/4", "gpt-4o")
HEADING = "[Summary of {n} earlier messages]"
RULES = pin_rules(Settings(pin="m4*|result"))
ANY = conversations(max_size=24) | st.lists(st.sampled_from([*ORDINARY, "pin", "command"]), max_size=24).map(
    conversation_from
)


def standing_of(conversation: Conversation, slot: SlotZero) -> Standing:
    """As `start` finds it."""
    history = History(conversation, COUNTER, len(conversation))
    start(history, 100, slot.preserve_system_messages, slot.heading, slot.pins, projected=slot.projected)
    return slot.standing_decisions(conversation)


def numbers(standing: Standing, conversation: Conversation) -> list[list[int]]:
    history = History(conversation, COUNTER, len(conversation))
    texts = Texts(conversation, COUNTER, dict.fromkeys(tool_results(history).tolist(), "…"))
    savings = standing.savings(texts)
    arrays = [standing.actions, standing.reasons, standing.returned, standing.places, standing.messages]
    arrays += [standing.refused, *standing.tokens(history), savings.count, savings.saved]
    other = History(conversation, OTHER, len(conversation))
    return [array.tolist() for array in (*arrays, *standing.tokens(other))]


@examples(max_examples=25)
@given(ANY, st.lists(st.integers(0, 30), max_size=4), st.booleans(), st.sampled_from([None, RULES]))
def test_what_stands_grows_with_the_conversation(conversation, sizes, preserve, pins):
    slot = SlotZero(preserve, HEADING, pins, False)
    grown = Conversation()
    for size in sorted({*(min(n, len(conversation)) for n in sizes), len(conversation)}):
        grown = grown.followed_by(conversation[len(grown) : size])
        known = slot.standing_decisions(grown)
        assert numbers(known, grown) == numbers(slot.standing_decisions(Conversation(grown.messages)), grown)
        assert known.speaks == slot.standing_decisions(Conversation(grown.messages)).speaks


@examples(max_examples=60)
@given(ANY, st.integers(0, 60), st.booleans(), st.sampled_from([None, RULES]))
def test_what_stands_is_what_each_request_alone_decides(conversation, size, preserve, pins):
    history = History(conversation, COUNTER, min(size, len(conversation)))
    slot = SlotZero(preserve, HEADING, pins, False)
    plan, alone = start(history, 100, preserve, HEADING, pins), slot.for_request(history, 100)
    assert isinstance(alone, HistoryPlan)
    assert (plan.sketch(), plan.tokens, plan.trace) == (alone.sketch(), alone.tokens, alone.trace)
    assert np.array_equal(plan.block_reasons, alone.block_reasons)
    assert [plan.reason(i) for i in range(plan.size)] == [alone.reason(i) for i in range(plan.size)]
