"""Logs of an app that trims: one conversation, and per request what it was really sent with."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from historylab import as_sent
from historylab.conversation.conversation import Conversation
from historylab.conversation.exchange import Exchange
from historylab.conversation.message import Message, ToolCall
from historylab.conversation.sent import SENT_HISTORIES, sent_histories
from historylab.formats.base import Report
from historylab.formats.messages.observed import conversations_in
from historylab.formats.messages.stitching import GAP

Rule = Callable[[list[Message]], list[Message]]
CLEARED = "[cleared]"
SYSTEM = Message("system", "You help with the garden of the lighthouse.")


def chat(seed: int = 1, turns: int = 14) -> list[Message]:
    """A system prompt and turns with calls, some in parallel, and with many messages that say the same."""
    dice, said = random.Random(seed), [SYSTEM]
    for turn in range(turns):
        said.append(Message("user", dice.choice(["ok", "go on", f"What about bed {turn}, the one by the wall?"])))
        for step in range(dice.randint(0, 2)):
            calls = [ToolCall(f"c{seed}-{turn}-{step}-{k}", "look", "{}") for k in range(dice.randint(1, 2))]
            said.append(Message("assistant", tool_calls=tuple(calls)))
            said += [Message("tool", dice.choice(["", "dry", f"Bed {turn} is wet."]), tool_call_id=c.id) for c in calls]
        said.append(Message("assistant", dice.choice(["ok", "Done.", f"Bed {turn} needs water, and the roses too."])))
    return said


def logged(said: list[Message], rule: Rule, *, answers: bool = True, key: str = "k") -> list[Exchange]:
    """A request per answer, of what the rule leaves of the history."""
    asked = [i for i, message in enumerate(said) if message.role == "assistant"]
    return [Exchange(rule(said[:i]), [said[i]] if answers else [], key) for i in asked]


def stitched(requests: Iterable[Exchange]) -> list[Conversation]:
    return list(conversations_in(requests, Report()))


def one(requests: Iterable[Exchange]) -> Conversation:
    (found,) = stitched(requests)
    assert not found.branches
    return found


def words(messages: Iterable[Message]) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in messages]


def newest(said: list[Message]) -> list[Message]:
    return said if len(said) <= 8 else [said[0], *said[-7:]]


def first_and_newest(said: list[Message]) -> list[Message]:
    return said if len(said) <= 9 else [*said[:2], *said[-7:]]


def newest_turns(said: list[Message]) -> list[Message]:
    users = [i for i, message in enumerate(said) if message.role == "user"]
    return said if len(users) < 4 else [said[0], *said[users[-3] :]]


def old_results_cleared(said: list[Message]) -> list[Message]:
    results = [i for i, message in enumerate(said) if message.role == "tool"][:-2]
    return [replace(m, content=CLEARED) if i in results else m for i, m in enumerate(said)]


def summary_in(role: str) -> Rule:
    def rule(said: list[Message]) -> list[Message]:
        text = f"Summary of {len(said) - 7} messages: beds were looked at."
        return said if len(said) <= 8 else [said[0], Message(role, text), *said[-7:]]

    return rule


def summary_in_prompt(said: list[Message]) -> list[Message]:
    text = f"{said[0].content}\n\nSummary of {len(said) - 7} messages."
    return said if len(said) <= 8 else [replace(said[0], content=text), *said[-7:]]


def state_at_end(said: list[Message]) -> list[Message]:
    return [*said, Message("user", f"Current state: {len(said)} messages.")]


def passages_before_question(said: list[Message]) -> list[Message]:
    dice = random.Random(len(said))
    passages = Message("user", " ".join(dice.choices(["moss", "fern", "thyme", "sage", "dill"], k=9)))
    return [*said[:-1], passages, said[-1]] if said[-1].role == "user" else said


def reminder_within(said: list[Message]) -> list[Message]:
    last = max(i for i, message in enumerate(said) if message.role == "user")
    text = f"<reminder>{len(said)} messages.</reminder>\n\n{said[last].content}"
    return [*said[:last], replace(said[last], content=text), *said[last + 1 :]]


RULES = [
    newest,
    first_and_newest,
    newest_turns,
    old_results_cleared,
    *map(summary_in, ("system", "user", "assistant")),
    summary_in_prompt,
    state_at_end,
    passages_before_question,
    reminder_within,
]


@pytest.mark.parametrize("answers", [True, False])
@pytest.mark.parametrize("rule", RULES)
def test_a_trimmed_log_is_one_conversation_and_each_request_has_what_it_was_sent_with(rule, answers):
    for seed in range(4):
        requests = logged(chat(seed), rule, answers=answers)
        timeline = as_sent(one(requests))
        known = [step for step in timeline.steps if step.known]
        assert len(known) >= len(requests) - 1
        for request, step, plan in zip(requests, timeline.steps, timeline.plans, strict=False):
            assert not step.known or words(plan.render()) == words(request.messages)


def test_the_conversation_is_the_whole_history_each_message_once():
    assert words(one(logged(chat(), newest))) == words(chat())
    assert words(one(logged(chat(), old_results_cleared))) == words(chat())


def test_where_all_was_sent_there_are_no_entries_and_as_sent_says_so():
    found = one(logged(chat(), list))
    assert found.metadata[SENT_HISTORIES] == []
    assert {plan.sketch().strip("K") for plan in as_sent(found).plans} == {""}


def test_a_summary_stands_for_what_went_and_is_none_of_the_messages():
    found = one(logged(chat(), summary_in("user")))
    assert not any("Summary" in message.content for message in found)
    assert as_sent(found).plans[-1].sketch().startswith("KSS")
    assert found.recorded.compactions


def test_a_summary_in_the_system_prompt_stands_for_what_went():
    plan = as_sent(one(logged(chat(), summary_in_prompt))).plans[-1]
    assert plan.sketch().startswith("TSS")
    assert "Summary of" in plan.render()[0].content


def test_two_agents_with_one_prompt_and_session_stay_apart():
    garden, boat = (
        chat(4),
        [replace(m, content=m.content.replace("bed", "boat").replace("Bed", "Boat")) for m in chat(5)],
    )
    pairs = zip(logged(garden, newest), logged([SYSTEM, *boat[1:]], newest), strict=False)
    assert len(stitched(request for pair in pairs for request in pair)) == 2


def test_a_batch_of_questions_stays_apart():
    asked = [Exchange([SYSTEM, Message("user", f"Translate the word number {i}.")]) for i in range(20)]
    assert len(stitched(asked)) == 20


def test_a_request_that_lacks_the_newest_messages_and_has_another_is_a_branch():
    said = chat(3)
    edited = Exchange(newest([*said[:-2], Message("user", "No, the herbs by the door.")]), [], "k")
    (found,) = stitched([*logged(said, newest), edited])
    assert found[-1].content == "No, the herbs by the door."
    assert [words(branch) for branch in found.branches] == [words(said)]


def test_equal_results_are_told_apart_by_the_ids_of_their_calls():
    def called(k: int) -> list[Message]:
        return [
            Message("assistant", tool_calls=(ToolCall(f"c{k}", "look", "{}"),)),
            Message("tool", "dry", tool_call_id=f"c{k}"),
        ]

    asked = [SYSTEM, Message("user", "Look twice.")]
    whole = Exchange([*asked, *called(1), *called(2)], [Message("assistant", "All dry.")], "k")
    cut = Exchange([*asked, *called(1), Message("assistant", "All dry."), Message("user", "Sure?")], [], "k")
    assert as_sent(one([whole, cut])).plans[-1].sketch() == "KKKKDDKK"


def test_what_is_the_first_message_or_one_that_says_the_same_is_not_known():
    said = [SYSTEM]
    for turn in range(4):
        said += [Message("user", "ok"), Message("assistant", f"Bed {turn} needs water, and the roses too.")]
    requests = logged([*said, Message("user", "Sure?"), Message("assistant", "Yes.")], list)
    requests[-1] = Exchange([SYSTEM, *requests[-1].messages[-3:]], [], "k")
    (entry,) = sent_histories(one(requests)) or ()
    assert not entry.known
    assert entry.why.startswith("its oldest message is the first of all or a later one")


def test_where_an_app_sent_more_between_two_requests_than_it_sends_that_is_said_and_the_chat_goes_on():
    roles = ("user", "assistant")
    said = [SYSTEM, *(Message(roles[k % 2], f"Bed {k} by the wall, and its roses.") for k in range(40))]
    requests, report = logged(said, newest), Report()
    (found,) = conversations_in([*requests[:10], requests[-1]], report)
    assert GAP in report.warnings
    assert words(as_sent(found).plans[-1].render()) == words(requests[-1].messages)


def test_a_cut_within_parallel_calls_leaves_the_call_whose_result_is_sent():
    calls = (ToolCall("a", "look", "{}"), ToolCall("b", "look", "{}"))
    results = [Message("tool", "dry", tool_call_id="a"), Message("tool", "wet", tool_call_id="b")]
    asked = [SYSTEM, Message("user", "Which bed is wet?"), Message("assistant", tool_calls=calls), *results]
    more = [Message("assistant", "The second one."), Message("user", "And now?")]
    rest = [*more, Message("assistant", "Still the second one."), Message("user", "What of the roses?")]
    cut = [SYSTEM, Message("assistant", tool_calls=calls[1:]), results[1], *rest]
    log = [Exchange(asked, rest[:1], "k"), Exchange([*asked, *more], rest[2:3], "k"), Exchange(cut, [], "k")]
    found = one(log)
    sent = as_sent(found).plans[-1].render()
    assert [(m.content, m.tool_calls) for m in sent] == [(m.content, m.tool_calls) for m in cut]
    assert found.recorded.compactions == ()


def test_passages_that_are_looked_up_anew_while_tools_are_called_are_no_branch():
    said = chat(3)

    def looked_up(history: list[Message]) -> list[Message]:
        question = max(i for i, message in enumerate(history) if message.role == "user")
        return [*history[:question], Message("system", f"Passage {len(history)}: soil."), *history[question:]]

    requests = logged(said, looked_up)
    plans = as_sent(one(requests)).plans
    assert [words(plan.render()) for plan in plans] == [words(request.messages) for request in requests]


def test_answers_that_the_first_request_of_a_log_holds_are_of_requests_that_are_not_in_it():
    said = chat()
    requests = logged(said, newest)
    late = as_sent(one(requests[10:]))
    first = len(late.plans) - len(requests[10:])
    assert first
    assert late.unknown == set(range(first))
    assert [words(plan.render()) for plan in late.plans[first:]] == [words(one.messages) for one in requests[10:]]


def test_a_branch_within_the_first_request_of_a_log_is_read():
    requests = logged(chat(), newest)[10:]
    first = requests[0].messages
    (found,) = stitched(
        [*requests, Exchange([*first[:3], Message("user", "Another one?")], [Message("assistant")], "k")]
    )
    assert (len(found), len(found.branches)) == (5, 1)


def test_a_log_that_begins_late_and_holds_everything_knows_nothing_of_a_cut():
    (found,) = stitched(logged(chat(), list)[10:])
    assert sent_histories(found) == ()


def test_a_late_log_of_a_prompt_that_tells_the_time_has_no_unknown_requests():
    hours = iter(range(99))
    requests = logged(
        chat(), lambda said: [replace(SYSTEM, content=f"{SYSTEM.content} It is {next(hours)}."), *said[1:]]
    )
    assert not as_sent(one(requests[10:])).unknown
