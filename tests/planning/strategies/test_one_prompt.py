"""The projection `collapsed_tools` and the layout `tagged_prompt`: tool work as text, a history as one prompt."""

from __future__ import annotations

from dataclasses import replace

import pytest
from api_rules import refusals
from sketches import conv

from historylab.conversation.message import Message
from historylab.planning.pipeline import plan_history, project
from historylab.planning.replay import replay
from historylab.planning.strategies.layouts.tagged_prompt import prompt_with_history
from historylab.recall.must_remember import track_must_remember
from historylab.recall.retention import retention
from historylab.registry import members
from historylab.settings.model import Settings
from historylab.wording.verdict import seen_sentence

COLLAPSED = Settings(policy="all", pruner="off", projection="collapsed_tools", budget=100_000)
PROMPT = COLLAPSED.replace(layout="tagged_prompt")


def sent(conversation, settings=COLLAPSED) -> list[str]:
    """Per request the roles that are sent, a letter each."""
    return ["".join(m.role[0] for m in plan.render()) for plan in replay(conversation, settings).plans]


def test_everything_between_two_user_messages_becomes_one_assistant_message():
    plan = plan_history(conv("s u a(t t) a u a u"), COLLAPSED)
    assert "".join(m.role[0] for m in plan.render()) == "suauau"
    assert plan.render()[2].content.splitlines() == [
        "w2 w2 w2 w2",
        "[Used tool: look_up]",
        "[Used tool: look_up]",
        "[Tool result: result 2 0]",
        "[Tool result: result 2 1]",
        "w5 w5 w5 w5",
    ]


def test_what_needs_no_change_stays_the_same_message():
    conversation = conv("u a u")
    assert all(a is b for a, b in zip(project(conversation, COLLAPSED), conversation, strict=True))


def test_results_are_shown_as_far_as_asked_and_system_messages_only_if_wanted():
    options = {"projection.collapsed_tools.characters": 3, "projection.collapsed_tools.system_messages": False}
    rendered = plan_history(conv("s u a(t) u"), COLLAPSED.replace(**options)).render()
    assert [m.role for m in rendered] == ["user", "assistant", "user"]
    assert rendered[1].content.endswith("[Tool result: res... [truncated]]")


def test_a_pin_on_any_part_of_a_turns_work_pins_the_whole():
    assert project(conv("u a!(t) u"), COLLAPSED)[3].pinned


def test_a_turn_is_collapsed_once_it_has_ended_and_sent_as_it_is_until_then():
    assert sent(conv("u a(t) a(t) a u a(t) a")) == ["u", "uat", "uatat", "uau", "uauat"]


@pytest.mark.parametrize("sketch", ["u a(t) a(t) a u a u", "u a(t) u a s u", "a u a(t t) s a u a(t)", "u a(t _) u a"])
@pytest.mark.parametrize("name", members("projection"))
def test_a_projection_makes_no_request_and_loses_none(sketch, name):
    conversation, settings = conv(sketch), COLLAPSED.replace(projection=name)
    assert len(replay(conversation, settings).plans) == len(
        replay(conversation, settings.replace(projection="off")).plans
    )


def test_a_message_stands_where_it_was_said_and_nothing_is_sent_before_it_was():
    timeline = replay(conv("u a(t) s a s u a u", words=1), COLLAPSED)
    assert [m.content for m in timeline.plans[1].render()][-1] == "w3"
    assert [m.role for m in timeline.plans[2].render()] == ["user", "system", "assistant", "system", "user"]


def test_what_a_text_stands_for_left_nothing_and_is_held_by_it():
    timeline = replay(conv("u a(t) a u a u"), COLLAPSED.replace(policy="lastN", length=1))
    second, third = timeline.steps[2], timeline.steps[3]
    assert timeline.plans[2].sketch() == "DDDDDK"  # the text of the first turn is gone with its question
    assert timeline.explain(2, 1).explanation.rule == "replaced"
    assert timeline.explain(2, 1).undo == timeline.explain(2, 4).undo == {"length": 2}
    assert second.changed.left == (0, 1, 2)
    assert third.changed.left == (5,)
    whole = replay(conv("u a(t) a u a u"), COLLAPSED)
    assert [step.changed.left for step in whole.steps] == [()] * 4
    assert [step.changed.entered for step in whole.steps][2] == (4, 5)
    assert whole.tokens.tolist() == whole.untrimmed.tolist()
    assert track_must_remember(whole, [3])[0].gaps == ()
    assert seen_sentence(whole, 3) == "At turn 3, the model sees all 5 messages."


def test_what_the_texts_repeat_is_no_need_of_another_answer():
    conversation = conv("u a(t) a u a u")
    named = conversation.edited(replace(m, content=m.content + " GATE-77") for m in conversation)
    kept = [retention(replay(named, COLLAPSED.replace(projection=p))).kept["link"] for p in ("off", "collapsed_tools")]
    assert kept[0] == kept[1]


def test_other_roles_stay_where_they_are():
    assert sent(conv("u a(t) o a u"))[-1] == "unau"


def test_one_user_message_holds_the_history_and_the_question():
    system, prompt = plan_history(conv("s u a u", words=1), PROMPT).render()
    assert system.role == "system"
    assert prompt == Message(
        "user",
        "<conversation_history>\nHuman: w1\nAssistant: w2\n</conversation_history>\n\n"
        "Continue the conversation. The human says:\nw3",
    )


def test_the_first_question_is_sent_as_it_is():
    conversation = conv("u")
    assert plan_history(conversation, PROMPT).render() == list(conversation)


def test_a_history_without_a_question_after_it_is_to_be_gone_on_with():
    (prompt,) = plan_history(conv("u a", words=1), PROMPT.replace(projection="off")).render()
    assert prompt.content == (
        "<conversation_history>\nHuman: w0\nAssistant: w1\n</conversation_history>\n\nContinue the conversation."
    )
    (alone,) = plan_history(conv("a(t)", words=1), PROMPT.replace(projection="off")).render()
    assert alone.content.endswith(
        "Assistant: [Tool result: result 0 0]\n</conversation_history>\n\nContinue the conversation."
    )


@pytest.mark.parametrize("projection", ["off", "collapsed_tools"])
def test_while_tools_are_at_work_their_calls_and_results_follow_the_prompt_as_they_are(projection):
    conversation = conv("s u a u a(t) s a(t t)", words=1)
    sent = plan_history(conversation, PROMPT.replace(projection=projection)).render()
    assert [m.role for m in sent] == ["system", "system", "user", "assistant", "tool", "assistant", "tool", "tool"]
    assert sent[2].content.endswith("The human says:\nw3")
    assert sent[3] is conversation[4]
    assert refusals(sent) == []


def test_the_plan_counts_the_prompt_as_it_is_sent():
    plan = plan_history(conv("s u a(t) a u"), PROMPT)
    counter = plan.history.counter
    assert plan.tokens == counter.count(plan.render()).sum() + counter.per_request


@pytest.mark.parametrize("unit", ["turn", "block"])
def test_what_the_layout_adds_never_pushes_a_request_over_the_budget(unit):
    conversation = conv("s u a u a u a u a u", words=20)
    plain, whole = (plan_history(conversation, PROMPT.replace(layout=name)).tokens for name in ("off", "tagged_prompt"))
    assert whole > plain
    for budget in range(plain, whole + 1):  # it fits as messages, but not as a prompt
        plan = plan_history(conversation, PROMPT.replace(pruner="fifo", budget=budget, **{"pruner.fifo.unit": unit}))
        assert plan.tokens <= plan.budget == budget
        assert ("D" in plan.sketch()) == (budget < whole)


def test_a_summary_stays_a_system_message_before_the_prompt():
    settings = PROMPT.replace(pruner="summarize", budget=150, counter="chars/4")
    rendered = plan_history(conv("s " + "u:30 a:30 " * 6 + "u"), settings).render()
    assert [m.role for m in rendered] == ["system", "system", "user"]


@pytest.mark.parametrize("escape", [True, False])
def test_tags_in_the_history_are_harmless_unless_that_is_not_wanted(escape):
    prompt = prompt_with_history("x", [("user", "</conversation_history>")], escape)
    assert prompt.count("</conversation_history>") == (1 if escape else 2)
