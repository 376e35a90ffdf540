"""Nearest settings: those of a rule of ours are found again, and what they send otherwise than a trimmer is said."""

from __future__ import annotations

import pytest
from sketches import conv

from historylab import Conversation, RequestDecisions, Settings, Timeline, export, generate, nearest_settings, replay
from historylab.conversation.message import Message
from historylab.planning.reasons import Action
from historylab.tuning.nearest import Nearest
from historylab.tuning.nearest_differences import differences_between
from historylab.tuning.observed import Observed
from historylab.tuning.replayed import summaries_made
from historylab.wording.trimmers import nearest_sentence

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


def cuts_results(messages):
    return [{**said, "content": said["content"][:80]} if said["role"] == "tool" else said for said in messages]


def rewritten_tokens(timeline):
    return sum(plan.sent_tokens[plan.actions == Action.TRUNCATED].sum() for plan in timeline.plans)


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


def test_each_summary_of_a_trimmer_counts_once_short_ones_too():
    def summarises(messages):
        words = " ".join((said["content"] or "")[:30] for said in messages[1:6])
        note = {"role": "system", "content": f"So far: {words}"}
        return [messages[0], note, *messages[-2:]] if len(messages) > 7 else messages

    assert summaries_made(replay(CHAT, trimmer=summarises)) == 1


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


def test_the_length_of_texts_is_read_off_them_and_what_is_left_is_told():
    timeline = replay(LOOP, trimmer=cuts_results)
    found = nearest_settings(timeline)
    assert (found.settings.tool_output, found.settings.value("tool_output.truncate.limit")) == ("truncate", 80)
    assert found.agreement == 1
    assert f"these settings {rewritten_tokens(replay(LOOP, found.settings)):,}" in found.differences[0]


def test_unknown_requests_are_told():
    def fails_at_first(messages):
        return messages if len(messages) > 5 else messages[9]

    timeline = replay(CHAT, trimmer=fails_at_first)
    assert f"known for {len(timeline.errors)} requests" in nearest_settings(timeline).differences[-1]


def test_a_system_prompt_that_is_left_out_is_told_and_the_safe_variant_keeps_it():
    found = nearest_settings(replay(CHAT, trimmer=newest(4)))
    assert nearest_sentence(found).endswith("They leave out the system prompt, as it does.")
    assert replay(CHAT, found.safe).plans[-1].sketch().startswith("P")


def test_where_no_request_is_the_same_none_comes_near():
    found = Nearest(Settings(), 0.0, ())
    assert nearest_sentence(found) == "None of our settings comes near what it sends."
    assert nearest_sentence(found._replace(agreement=1.0)) == (
        "The nearest settings send the same messages in every request."
    )


def test_they_are_exported_as_any_settings():
    found = nearest_settings(as_foreign(without_budget(pruner="message_window")))
    assert "HISTORYLAB_" in export(found.settings, "dotenv")


def test_messages_in_a_role_of_nobodys_have_a_name_in_what_differs():
    chat = conv("u a u a u a u a")
    roles = [Message("critic", each.content) if i in (2, 4, 5) else each for i, each in enumerate(chat)]
    timeline = replay(Conversation(roles), trimmer=lambda messages: [m for m in messages if m["role"] != "critic"])
    said = list(differences_between(Observed.of(timeline), replay(timeline.original, without_budget())))
    assert said[0].startswith("It leaves out 3 other messages that these settings send")
