"""As sent: the timeline of what an agent or an app really sent, read off the file it left."""

from __future__ import annotations

import pytest

from historylab import Conversation, HistoryLabError, Message, as_sent, bill, load
from historylab.conversation.message import MOST_TOKENS, ToolCall, Usage
from historylab.conversation.sent import RecordedCut, SentHistory, sent_metadata
from historylab.conversation.usage import usage_by_request
from historylab.counters.base import count_messages
from historylab.formats.convert import write
from historylab.formats.samples import load_sample
from historylab.recordings.as_sent import has_cuts


def chat(turns: int, *, reported: tuple[int, ...] = ()) -> list[Message]:
    said = []
    for turn in range(turns):
        usage = {"usage": Usage(input=reported[turn], output=9)} if turn < len(reported) else {}
        said += [Message("user", f"Question {turn}?"), Message("assistant", f"Answer {turn}.", metadata=usage)]
    return said


def compacted() -> Conversation:
    """Three turns, a summary of the first two by the program that wrote the file, one more turn."""
    said = chat(2, reported=(5_000, 9_000))
    summary = Message("user", "They asked two questions.", metadata={"compact_summary": True})
    after = [summary, Message("assistant", "On we go.", metadata={"usage": Usage(input=2_000)}), *chat(1)]
    cut = RecordedCut("auto", 9_100, 700, "An agent")
    told = SentHistory(5, ((4, 5),), summarized=((0, 4),), summary=4, cut=cut)
    return Conversation([*said, *after], metadata=sent_metadata([told]))


def sketches(conversation: Conversation) -> list[str]:
    return [plan.sketch() for plan in as_sent(conversation).plans]


def test_from_a_compaction_on_the_summary_and_what_follows_are_sent():
    assert sketches(compacted()) == ["K", "KKK", "SSSSK", "SSSSKKK"]
    assert [m.content for m in as_sent(compacted()).plans[3].render()] == [
        "They asked two questions.",
        "On we go.",
        "Question 0?",
    ]


def test_the_compaction_is_part_of_the_conversation():
    (cut,) = compacted().recorded.compactions
    assert (cut.request, cut.trigger, cut.tokens_before, cut.tokens_after, cut.told_after) == (
        2, "auto", 9_100, 2_000, 700,
    )  # fmt: skip
    assert (cut.dropped, cut.summary, cut.inferred, cut.by) == ((0, 1, 2, 3), 4, False, "An agent")


def test_a_request_has_the_size_it_reports_and_any_other_what_it_adds_to_that():
    timeline = as_sent(compacted())
    assert timeline.contexts.tolist()[:3] == timeline.tokens.tolist()[:3] == [5_000, 9_000, 2_000]
    assert 2_000 < timeline.contexts[3] < 2_050


def test_a_request_that_was_sent_all_would_have_the_same_size_had_nothing_been_cut():
    whole = Conversation(chat(3, reported=(5_000, 6_000)))
    told = [SentHistory(5, ((0, 5),))]
    timeline = as_sent(Conversation(list(whole), metadata=sent_metadata(told)))
    assert timeline.untrimmed_contexts.tolist() == timeline.contexts.tolist()
    assert 6_000 < timeline.contexts[2] < 6_050
    assert (as_sent(compacted()).untrimmed_contexts[2:] != as_sent(compacted()).contexts[2:]).all()


def test_a_reason_says_when_and_why_a_message_went():
    assert as_sent(compacted()).plans[3].reason(1).sentence == (
        "Compacted by An agent before request 3 (auto, 9,100 → 2,000 tokens); message 5 is its summary."
    )
    assert as_sent(compacted()).plans[3].reason(3) == as_sent(compacted()).plans[3].reason(1)  # an answer that it cut
    assert as_sent(compacted()).plans[3].reason(5).sentence == "It was in the request."


def test_it_survives_our_own_format():
    (again,) = load(write(compacted(), "historylab").text.encode())
    assert sketches(again) == sketches(compacted())
    assert again.recorded.compactions == compacted().recorded.compactions


def test_what_was_sent_with_fewer_calls_is_sent_with_those():
    calls = [ToolCall(key, "look_up", "{}") for key in ("a", "b")]
    results = [Message("tool", "No.", tool_call_id=call.id) for call in calls]
    said = [*chat(1), Message("user", "Where?"), Message("assistant", tool_calls=calls), *results]
    fewer = [Message("assistant", tool_calls=calls[1:]), results[1]]
    conversation = Conversation(
        [*said, Message("user", "And?")], metadata=sent_metadata([SentHistory(6, tuple(fewer))])
    )
    assert [(m.role, m.content, m.tool_calls, m.tool_call_id) for m in as_sent(conversation).plans[-1].render()] == [
        ("assistant", "", tuple(calls[1:]), None),
        ("tool", "No.", (), "b"),
        ("user", "And?", (), None),
    ]


def test_what_is_reported_and_never_falls_was_sent_whole():
    conversation = Conversation(chat(3, reported=(5_000, 6_000, 7_000)))
    assert sketches(conversation) == ["K", "KKK", "KKKKK"]
    assert all(step.known for step in as_sent(conversation).steps)
    assert conversation.recorded.compactions == ()


def test_a_fall_of_more_than_a_quarter_is_a_cut_and_which_messages_went_is_not_known():
    conversation = Conversation(chat(5, reported=(9_000, 10_000, 7_400, 7_500, 7_600)))
    (cut,) = conversation.recorded.compactions
    assert (cut.request, cut.inferred, cut.dropped, cut.tokens_before) == (2, True, (), 10_000)
    assert [step.known for step in as_sent(conversation).steps] == [True, True, False, False, False]


@pytest.mark.parametrize("falls", [(9_000, 10_000, 7_600, 7_700), (9_000, 10_000, 900, 10_100), (900, 1_000, 300, 400)])
def test_a_smaller_fall_one_that_is_back_at_once_or_one_of_little_is_none(falls):
    assert Conversation(chat(4, reported=falls)).recorded.compactions == ()


def test_where_nothing_says_what_was_sent_there_is_no_timeline():
    with pytest.raises(HistoryLabError, match="nothing in this file says what was sent"):
        as_sent(Conversation(chat(2)))


@pytest.mark.parametrize("name", ["held-for-the-auditors", "lamp-through-the-night"])
def test_its_bill_reads_from_the_cache_what_was_reported_also_at_the_cut(name):
    conversation = load_sample(name)[0]
    priced = bill(as_sent(conversation))
    usages = usage_by_request(conversation)
    read = [usage.cache_reads for usage in usages if usage]
    assert [int(n) for n, usage in zip(priced.cache_reads, usages, strict=True) if usage] == read


def test_a_request_without_usage_counts_what_it_was_sent_besides():
    state = Message("user", "The current state: all lamps are lit, and the harbour is open until nine.")
    told = [SentHistory(3, ((2, 3), state)), SentHistory(5, ((4, 5),))]
    with_state, without = as_sent(Conversation(chat(3), metadata=sent_metadata(told))).plans[1:]
    assert [m.content for m in with_state.render()] == ["Question 1?", state.content]
    assert with_state.tokens - without.tokens == count_messages([state], as_sent(compacted()).counter).item()


def test_a_prompt_that_tells_the_time_is_no_cut_and_a_shorter_result_is_one():
    said = [Message("system", "It is 9:00."), *chat(2), Message("user", "A long result of a tool.")]
    clock = SentHistory(4, ((0, 4),), {0: "It is 9:05."})
    cleared = SentHistory(6, ((0, 6),), {5: "[cleared]"})
    assert not has_cuts(Conversation(said, metadata=sent_metadata([clock])))
    assert has_cuts(Conversation(said, metadata=sent_metadata([clock, cleared])))


def test_a_size_beyond_what_a_budget_may_be_is_shown_all_the_same():
    timeline = as_sent(Conversation(chat(3, reported=(MOST_TOKENS, MOST_TOKENS))))
    assert (timeline.settings.budget, timeline.contexts[0]) == (MOST_TOKENS, MOST_TOKENS)
    assert timeline.contexts[2] > MOST_TOKENS
