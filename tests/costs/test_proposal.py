"""What a transcript proposes: its model, a measured overhead and factor, a budget that suits it; nothing beyond."""

from __future__ import annotations

from dataclasses import replace

import pytest
from conversation_strategies import conversations
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from sketches import conv, load_sample

from historylab import Settings, replay, settings_for
from historylab.conversation.conversation import Conversation
from historylab.costs.proposal import adopt_recorded, proposed_settings, suitable_budget
from historylab.wording.costs import as_reported_sentences
from historylab.wording.recorded import recorded_sentence

TOOL = {"type": "function", "function": {"name": "look", "description": "Looks something up. " * 20}}


def recorded(conversation: Conversation, **metadata) -> Conversation:
    return Conversation(conversation.messages, metadata=metadata)


def reporting(conversation: Conversation, contexts: list[int]) -> Conversation:
    """The conversation with these contexts reported of its answers."""
    left = iter(contexts)
    return conversation.edited(
        replace(m, metadata={"usage": {"input": next(left)}}) if m.role == "assistant" else m for m in conversation
    )


def test_a_file_that_says_nothing_proposes_nothing():
    assert settings_for(conv("u a u a")) == Settings()


@pytest.mark.parametrize("name", ["claude-opus-4-5", "litellm_proxy/anthropic/claude-sonnet-4-5", "nobodys-model"])
def test_the_model_is_proposed_as_the_file_names_it(name):
    assert proposed_settings(recorded(conv("u a"), model=name)).values == {"model": name}


def test_a_budget_suits_that_holds_the_newest_two_turns_and_need_not_hold_a_third():
    conversation = conv(" ".join(["u:40 a:40"] * 6))
    two, three = (int(replay(conversation, Settings(length=n)).tokens.max()) for n in (2, 3))
    assert two < three - 20
    assert suitable_budget(conversation, Settings(budget=two)) is None
    assert suitable_budget(conversation, Settings(budget=two - 20)) > two - 20


@pytest.mark.parametrize("name", ["x" * 201, "a${HOME}b", "<synthetic>", 7])
def test_a_name_no_setting_can_have_is_not(name):
    assert proposed_settings(recorded(conv("u a"), model=name)).values == {}


def test_tools_in_the_file_are_overhead():
    found = proposed_settings(recorded(conv("u a"), model="gpt-4o", tools=[TOOL, TOOL]))
    assert found.values["overhead"] > 100
    assert (found.tools, found.measured) == (2, False)


def test_reported_usage_gives_overhead_and_factor():
    contexts = [1000 + 2 * n for n in (0, 50, 120, 300)]
    found = settings_for(reporting(recorded(conv("u:5 a:40 u:5 a:70 u:5 a:150 u:5 a:9"), tools=[TOOL]), contexts))
    assert found.overhead > 900
    assert 1 < found.counter_factor < 3


def test_a_poor_fit_leaves_the_tools():
    erratic = reporting(recorded(conv("u a:50 u a:70 u a:90 u a"), tools=[TOOL]), [90, 10, 20, 700])
    found = proposed_settings(erratic)
    assert not found.calibration.good
    assert found.values == proposed_settings(recorded(conv("u a"), tools=[TOOL])).values


def test_too_few_requests_for_a_factor_give_what_none_is_smaller_than():
    found = proposed_settings(reporting(recorded(conv("u:5 a:40 u:5 a:70"), tools=[TOOL]), [9000, 9100]))
    assert (found.measured, found.calibration, "counter_factor" in found.values) == (True, None, False)
    assert 8900 < found.values["overhead"] < 9000
    assert not proposed_settings(reporting(conv("u:50 a"), [10])).values  # smaller than its messages


def test_a_window_is_proposed_where_the_file_says_it():
    assert settings_for(recorded(conv("u a"), parameters={"num_ctx": 4096})).window == 4096


@pytest.mark.parametrize("sketch", ["u a", "s:500 u:100 a:900 u a", "u:50 a:90 " * 60, "u:1000"])
def test_what_the_default_budget_suits_keeps_it(sketch):
    assert proposed_settings(conv(sketch)).suggested == ()


@pytest.mark.parametrize(
    "sketch",
    [
        "u a " + "u:100 a(t:9000) a:50 " * 5,  # a turn larger than the default budget
        "u:100 a:100 u:9000 a:10 u a",  # a pasted file
        "u:20 " + "a:400(t:2000) " * 20,  # one task, and nothing but tools after it
    ],
)
def test_a_budget_is_suggested_where_a_request_would_be_almost_empty(sketch):
    conversation = conv(sketch)
    found = proposed_settings(conversation)
    timeline = replay(conversation, settings_for(conversation))
    assert found.suggested == ("budget",)
    assert not timeline.over_budget.any()
    assert all(plan.sent.sum() > 1 for plan in timeline.plans[1:])


def test_a_long_file_is_still_trimmed_under_it():
    conversation = conv("u:50 a(t:4000) a:20 " * 20)
    timeline = replay(conversation, settings_for(conversation))
    assert timeline.tokens[-1] < 0.7 * timeline.untrimmed[-1]


def test_it_leaves_as_much_room_as_there_is_overhead_and_stays_in_the_window():
    tools = [dict(TOOL, number=n) for n in range(90)]
    of = settings_for(recorded(conv("u a u a"), tools=tools))
    assert of.budget >= 2 * of.overhead
    narrow = settings_for(recorded(conv("u:50 a(t:9000) a:20 " * 3), parameters={"num_ctx": 9500}))
    assert narrow.budget == 9500


def test_what_is_pinned_leaves_room_for_turns():
    opening, *rest = conv("u:6000 a u:400 a:400 u:400 a:400 u")
    timeline = replay(found := Conversation([replace(opening, pinned=True), *rest]), settings_for(found))
    assert all(plan.sent.sum() > 2 for plan in timeline.plans[1:])


def test_it_is_a_number_one_can_read():
    budget = settings_for(conv("u:50 a(t:9000) a:20 " * 20)).budget
    assert len(str(budget).rstrip("0")) <= 2


@pytest.mark.parametrize("name", ["lamp-through-the-night", "tide-tables-agent"])
def test_a_session_opens_without_an_overrun(name):
    for conversation in load_sample(name):
        timeline = replay(conversation, settings_for(conversation))
        assert not timeline.over_budget.any()


@given(conversations(), st.lists(st.integers(0, 10**9), min_size=18, max_size=18), st.text(max_size=250))
@examples(max_examples=20, deadline=None)
def test_whatever_a_file_reports_it_opens(conversation, contexts, model):
    opened = recorded(reporting(conversation, [*contexts, *[7] * len(conversation)]), model=model)
    timeline = replay(opened, settings_for(opened))
    said = (*as_reported_sentences(timeline), recorded_sentence(proposed_settings(opened)))
    assert all(isinstance(sentence, str) for sentence in said)


def test_an_overhead_that_fills_the_window_is_not_proposed():
    talk = recorded(conv("u:5 a:40"), model="gpt-4o")
    assert proposed_settings(reporting(talk, [120_000])).values["overhead"] > 100_000
    found = proposed_settings(reporting(talk, [500_000_000]))
    assert (dict(found.values), found.measured) == ({"model": "gpt-4o"}, False)


# -- beside what was sent


def recorded_chat() -> Conversation:
    """Of a model with a window, and a request that reports far more than its text."""
    said = [replace(m, metadata={"usage": {"input": 9_000}}) if m.role == "assistant" else m for m in conv("u a u a")]
    return Conversation(said, metadata={"model": "claude-sonnet-4-5"})


def test_settings_adopt_what_a_file_records_where_they_say_nothing():
    adopted = adopt_recorded(Settings(budget=60_000), recorded_chat())
    assert (adopted.model, adopted.budget) == ("claude-sonnet-4-5", 60_000)
    assert adopted.overhead == proposed_settings(recorded_chat()).values["overhead"] > 0
    assert adopt_recorded(Settings(model="gpt-5.5-mini", overhead=7), recorded_chat()).overhead == 7


def test_what_they_took_from_one_file_gives_way_to_the_next():
    started = settings_for(recorded_chat()).replace(budget=60_000)
    assert adopt_recorded(started, conv("u a"), settings_for(recorded_chat())) == Settings(
        **{**started.values(), "model": Settings().model, "overhead": 0}
    )


def test_a_file_does_not_decide_which_model_is_asked():
    assert adopt_recorded(Settings(summarizer="model"), recorded_chat()).model == Settings().model
