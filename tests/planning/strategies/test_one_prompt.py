"""The projection `collapsed_tools` and the layout `tagged_prompt`: tool work as text, a history as one prompt."""

from __future__ import annotations

import pytest
from sketches import conv

from historylab.conversation.message import Message
from historylab.planning.pipeline import plan_history, project
from historylab.planning.replay import replay
from historylab.planning.strategies.layouts.tagged_prompt import prompt_with_history
from historylab.settings.model import Settings

COLLAPSED = Settings(policy="all", pruner="off", projection="collapsed_tools", budget=100_000)
PROMPT = COLLAPSED.replace(layout="tagged_prompt")


def test_everything_between_two_user_messages_becomes_one_assistant_message():
    projected = project(conv("s u a(t t) a u a u"), COLLAPSED)
    assert "".join(m.role[0] for m in projected) == "suauau"
    assert projected[2].content.splitlines() == [
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
    projected = project(conv("s u a(t)"), COLLAPSED.replace(**options))
    assert [m.role for m in projected] == ["user", "assistant"]
    assert projected[1].content.endswith("[Tool result: res... [truncated]]")


def test_a_pin_on_any_part_of_a_turns_work_pins_the_whole():
    assert project(conv("u a!(t) u"), COLLAPSED)[1].pinned


def test_there_is_a_request_per_user_message():
    assert [step.turn for step in replay(conv("u a(t) a(t) a u a u"), COLLAPSED).steps] == [0, 1, 2]


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
    (prompt,) = plan_history(conv("u a(t)", words=1), PROMPT.replace(projection="off")).render()
    assert prompt.content == (
        "<conversation_history>\nHuman: w0\nAssistant: w1\n[Used tool: look_up]\nAssistant: [Tool result: result 1 0]\n"
        "</conversation_history>\n\nContinue the conversation."
    )


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
