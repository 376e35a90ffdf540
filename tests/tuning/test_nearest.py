"""Nearest settings: those of a rule of ours are found again, and what they send otherwise than a trimmer is said."""

from __future__ import annotations

import pytest

from historylab import RequestDecisions, Settings, Timeline, export, generate, nearest_settings, replay
from historylab.conversation.message import Message
from historylab.tuning.nearest_differences import differences_between
from historylab.tuning.observed import Observed

CHAT = generate("support_desk", turns=7, seed=3)
LOOP = generate("tool_loop", turns=2, rounds=12, seed=7)


def without_budget(**values):
    return Settings(policy="all", pruner="off", budget=1_000_000).replace(**values)


def as_foreign(settings, conversation=CHAT):
    """The same decisions, as those of somebody else."""
    plans = replay(conversation, settings).plans
    return Timeline.from_decisions(conversation, [RequestDecisions(plan.sent_messages.tolist()) for plan in plans])


def everything(messages):
    return messages


def newest(count):
    return lambda messages: messages[-count:]


def sent_alike(settings, timeline):
    """The share of requests that send the same messages, told another way than the search does."""
    ours = replay(timeline.original, settings)
    pairs = zip(ours.plans, timeline.plans, strict=True)
    same = [a.sketch().replace("P", "K") == b.sketch().replace("P", "K") for a, b in pairs]
    return sum(same) / len(same)


@pytest.mark.parametrize(
    "rule",
    [
        {"pruner": "message_window", "pruner.message_window.keep": 6, "pruner.message_window.trigger": 15},
        {"pruner": "fifo", "budget": 400, "pruner.fifo.trim_to": 0.5},
    ],
    ids=lambda rule: rule["pruner"],
)
def test_a_rule_of_ours_is_found_again(rule):
    found = nearest_settings(as_foreign(without_budget(**rule)))
    assert found.agreement >= 0.95
    assert found.agreement == sent_alike(found.settings, as_foreign(without_budget(**rule)))


def test_a_trimmer_that_sends_everything_is_not_trimming():
    found = nearest_settings(replay(CHAT, trimmer=everything))
    assert found == (without_budget(budget=found.settings.budget), 1.0, ())


def test_messages_without_their_calls_are_what_differs_and_no_request_of_ours_is_refused():
    timeline = replay(LOOP, trimmer=newest(8))
    found = nearest_settings(timeline)
    assert timeline.refused.any()
    assert not replay(LOOP, found.settings).refused.any()
    assert found.agreement == sent_alike(found.settings, timeline) < 1
    assert f"An API would refuse {timeline.refused.sum()} of its requests" in found.differences[-1]


def test_cleared_results_are_found_with_the_number_that_stays():
    rule = without_budget(**{"tool_output": "clear", "tool_output.clear.keep": 4, "tool_output.clear.batch": 1})
    plans = replay(LOOP, rule).plans
    shorter = [
        {cut: plan.render()[cut].content for cut in range(plan.size) if plan.sketch()[cut] == "T"} for plan in plans
    ]
    given = [RequestDecisions(range(plan.size), texts) for plan, texts in zip(plans, shorter, strict=True)]
    found = nearest_settings(Timeline.from_decisions(LOOP, given))
    assert found.agreement == 1
    assert found.settings.value("tool_output.clear.keep") == 4


def test_a_summary_is_told_where_ours_send_none():
    sizes = CHAT.columns.requests.tolist()
    given = [RequestDecisions(range(2, n), folded={"So far.": [0, 1]} if n > 7 else {}) for n in sizes]
    said = differences_between(Observed.of(Timeline.from_decisions(CHAT, given)), replay(CHAT, without_budget()))
    assert f"a summary in {sum(n > 7 for n in sizes)} of {len(sizes)} requests, these settings in none." in " ".join(
        said
    )


def test_messages_of_its_own_are_told():
    given = [RequestDecisions([*range(n), Message("user", "Be brief.")]) for n in CHAT.columns.requests.tolist()]
    found = nearest_settings(Timeline.from_decisions(CHAT, given))
    assert f"in {len(given)} requests" in " ".join(found.differences)


def test_requests_it_failed_at_count_neither_way():
    def fails_at_first(messages):
        if len(messages) < 6:
            raise ValueError("too few")
        return messages

    timeline = replay(CHAT, trimmer=fails_at_first)
    assert timeline.errors
    assert nearest_settings(timeline).agreement == 1


def test_they_are_exported_as_any_settings():
    found = nearest_settings(as_foreign(without_budget(pruner="message_window")))
    assert "HISTORYLAB_" in export(found.settings, "dotenv")
