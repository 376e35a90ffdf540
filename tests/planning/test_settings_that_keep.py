"""What somebody else left out: settings of ours that would have kept it, planned again, with what they take."""

from __future__ import annotations

from itertools import repeat

from conversation_strategies import conversations
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from sketches import conv

from historylab import RequestDecisions, Settings, Timeline
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.planning.explain import Answer
from historylab.planning.pipeline import open_instruments, plan_up_to
from historylab.planning.settings_that_keep import size_of_request


def sends_the_newest(conversation: Conversation, most: int, **settings) -> Timeline:
    """An app that sends the newest messages and says nothing else."""
    sizes = conversation.columns.requests.tolist()
    newest = (RequestDecisions(range(max(0, size - most), size)) for size in sizes)
    return Timeline.from_decisions(conversation, newest, by="an app", settings=Settings(**settings))


def more_than(timeline: Timeline, answer: Answer, request: int) -> int:
    """The tokens that the request has under those settings, beyond what was sent."""
    ours, was = timeline.settings.replace(**answer.undo), timeline.plans[request]
    again = plan_up_to(timeline.original, ours, open_instruments(ours), was.size)
    assert again.reason(0).sent
    return size_of_request(again, ours) - size_of_request(was, timeline.settings)


SAID = ("My booking is ORD-4711.", "Noted.", "Is there lunch?", "There is soup.", "And my booking?")
CHAT = Conversation(Message("assistant" if i % 2 else "user", text) for i, text in enumerate(SAID))


def test_in_no_more_tokens_than_were_sent_what_is_relevant_stays():
    timeline = sends_the_newest(CHAT, 3)
    answer = timeline.explain(2, 0)
    assert answer.undo == {"policy": "all", "pruner": "relevance", "budget": timeline.plans[2].tokens}
    assert answer.more == more_than(timeline, answer, 2) <= 0


def test_where_no_such_settings_keep_it_the_least_that_would_says_what_it_costs():
    timeline = sends_the_newest(conv("u:50 a u a u"), 1)
    answer = timeline.explain(2, 0)
    assert answer.more == more_than(timeline, answer, 2) > 0
    assert answer.undo_sentence == (
        f"Settings that would have sent it: policy all, budget {answer.undo['budget']:,} "
        f"({answer.more:,} tokens more than were sent)."
    )


def test_what_no_setting_would_send_has_none():
    assert sends_the_newest(conv("t u a u"), 1).explain(-1, 0).undo_sentence == "No setting we tried would send it."


def test_what_was_sent_needs_none():
    assert sends_the_newest(CHAT, 3).explain(2, 4).undo == {}


@examples(max_examples=40, deadline=None)
@given(conversations(max_size=12), st.integers(0, 4), st.sampled_from([0, 30]))
def test_what_would_have_kept_a_message_does(conversation, most, overhead):
    timeline = sends_the_newest(conversation, most, overhead=overhead)
    for request, message in zip(range(len(timeline.plans)), repeat(0)):
        answer = timeline.explain(request, message)
        assert answer.explanation.sent == (answer.undo == {})
        if answer.undo:
            assert answer.more == more_than(timeline, answer, request)
