"""Explanations are true: the settings they say would send a message do send it."""

from __future__ import annotations

import pytest
from conversation_strategies import conversations, settings
from hypothesis import given
from hypothesis import settings as examples
from sketches import conv

from historylab import replay
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.planning import larger_values
from historylab.planning.pipeline import open_instruments, plan_up_to
from historylab.settings.model import Settings


def ask(conversation, step: int, message: int, **chosen):
    return replay(conversation, Settings(**chosen)).explain(step, message)


@pytest.fixture(scope="module")
def few_larger_values():
    """Whether larger values send it too is the business of true sentences; here few are tried."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("NEAR", "SPREAD", "CORNERS"):
            patch.setattr(larger_values, name, 3)
        yield


@pytest.mark.usefixtures("few_larger_values")
@examples(max_examples=40)
@given(conversations(max_size=12), settings())
def test_what_would_have_sent_a_message_does_send_it(conversation, chosen):
    timeline = replay(conversation, chosen)
    for number, step in list(enumerate(timeline.steps))[-2:]:
        for message in range(0, step.size, 3):
            answer = timeline.explain(number, message)
            assert answer.explanation.sent == (answer.undo == {})
            assert timeline.plans[answer.since].actions[message] == step.plan.actions[message]
            if answer.undo:
                changed = chosen.replace(**answer.undo)
                again = plan_up_to(conversation, changed, open_instruments(changed), step.size)
                assert again.reason(message).sent
                assert answer.undo_sentence.startswith("Sent if ")


LONG = conv("s" + " u a" * 150)
CARRIED = {"policy": "lastN", "length": 9, "pruner": "summarize", "budget": 200}


def test_a_search_that_plans_many_requests_again_says_how_far_it_is_and_ends_with_what_is_raised():
    def stop(tried: int, planned: int) -> None:
        if tried:
            raise KeyboardInterrupt

    told, timeline = [], replay(LONG, Settings(**CARRIED))
    answer = timeline.explain(120, 2, progress=lambda *so_far: told.append(so_far))
    assert told[:4] == [(0, 0), (0, 100), (1, 0), (1, 100)]
    assert max(planned for _, planned in told) == 100
    assert answer == timeline.explain(120, 2)
    with pytest.raises(KeyboardInterrupt):
        timeline.explain(-1, 2, progress=stop)


def test_the_more_requests_each_trial_plans_the_fewer_larger_values_are_tried(monkeypatch):
    tried = []
    for planned in (300, 3_000):
        monkeypatch.setattr(larger_values, "REPLAYS", planned)
        tried.append(replay(LONG, Settings(**CARRIED)).explain(-1, 2).tried.values)
    assert tried == [larger_values.FEWEST, 20]


def test_a_sent_message_needs_nothing():
    answer = ask(conv("s u a u"), 1, 0)
    assert (answer.explanation.rule, answer.undo, answer.undo_sentence) == ("system", {}, "")


def test_last_n_names_the_least_length_that_keeps_it():
    answer = ask(conv("s u a u a u a u"), 3, 1, length=2)
    assert answer.explanation.sentence == "Older than the last 2 user messages."
    assert answer.undo == {"length": 4}
    assert answer.since == 2
    assert answer.undo_sentence == "Sent if length ≥ 4."


def test_the_least_budget_is_named_to_the_token():
    conversation = conv("s u a u a u")
    answer = ask(conversation, 2, 1, policy="all", budget=30)
    assert answer.explanation.rule == "budget"
    needed = answer.undo["budget"]
    for budget, sent in ((needed, True), (needed - 1, False)):
        plan = replay(conversation, Settings(policy="all", budget=budget)).plans[2]
        assert plan.reason(1).sent == sent


def test_two_rules_in_a_row_are_both_lifted():
    answer = ask(conv("s u:50 a:50 u a u", words=40), 2, 1, length=1, budget=150)
    assert set(answer.undo) == {"length", "budget"}
    assert " and " in answer.undo_sentence


def test_a_whole_window_can_be_needed():
    answer = ask(
        conv("u a " * 6 + "u"), 6, 0, policy="all", pruner="sliding_window", **{"pruner.sliding_window.turns": 2}
    )
    assert answer.undo == {"pruner.sliding_window.turns": 7}


def test_none_is_lifted_by_all():
    assert ask(conv("s u a u"), 1, 1, policy="none").undo == {"policy": "all"}


def test_system_messages_are_lifted_by_preserving_them():
    answer = ask(conv("s u"), 0, 0, preserve_system_messages=False)
    assert answer.undo == {"preserve_system_messages": True}
    assert answer.undo_sentence == "Sent if preserve_system_messages is True."


def test_what_the_source_broke_cannot_be_undone():
    answer = ask(conv("t u"), 0, 0)
    assert (answer.explanation.rule, answer.undo) == ("invalid", None)
    assert answer.undo_sentence


def test_a_long_stretch_of_time_can_be_undone():
    said = [Message("user", f"q{d}", timestamp=f"2026-01-{d:02}T00:00:00") for d in (1, 20)]
    answer = ask(Conversation(said), 0, 0, filter="time_window")
    assert answer.undo
    assert answer.undo["filter.time_window.minutes"] >= 19 * 24 * 60


def test_a_setting_never_exceeds_its_bounds():
    conversation = conv("u:300000 a " + "u a " * 12 + "u")
    answer = ask(conversation, 13, 0, policy="all", pruner="sliding_window", budget=10**8)
    assert answer.undo == {"pruner.sliding_window.turns": 14}


def test_since_is_the_first_request_of_the_run():
    timeline = replay(conv("u a u a u a u"), Settings(length=1))
    assert [timeline.explain(step, 0).since for step in range(4)] == [0, 1, 1, 1]


def test_requests_and_messages_count_from_the_end_too():
    conversation = conv("s u a u a u")
    timeline = replay(conversation, Settings(length=1))
    assert timeline.explain(-1, -1) == timeline.explain(2, 5)
    assert timeline.explain(-2, 1) == timeline.explain(1, 1)
    assert timeline.explain(-1, -5).undo == {"length": 3}
    assert conversation.pin([-1]) == conversation.pin([5])


@pytest.mark.parametrize(("request_number", "message"), [(3, 0), (-4, 0), (0, 2), (-1, -7)])
def test_what_is_not_there_is_named(request_number, message):
    with pytest.raises(IndexError, match=r"there is no (request|message) -?\d; there are \d, counted from 0"):
        replay(conv("s u a u a u"), Settings()).explain(request_number, message)


def test_a_pin_on_no_message_is_refused():
    with pytest.raises(IndexError, match="there is no message 2; there are 2"):
        conv("u a").pin([2])


def test_a_message_not_said_yet_cannot_be_asked_about():
    with pytest.raises(IndexError):
        ask(conv("u a u"), 0, 1)
