"""Must-remember messages: since when they are lost, and where a projection takes them."""

from __future__ import annotations

import pytest
from sketches import conv

from historylab import Conversation, Message, Settings, replay
from historylab.planning.pipeline import project
from historylab.planning.reasons import BY_MESSAGE, BY_SUMMARY, LOST
from historylab.recall.must_remember import follow_mark, marked_in_file, original_index, track_must_remember
from historylab.recall.retention import retention
from historylab.registry import members

CHAT = conv("s u a u a u a u a u")  # five requests
AGENT = conv("s u a(t) a(t) a u a u")
COLLAPSED = Settings(projection="collapsed_tools", pruner="off")


def star(timeline, mark: int):
    return track_must_remember(timeline, [mark])[0]


def test_it_is_lost_since_the_first_request_of_the_run_that_lacks_it():
    found = star(replay(CHAT, Settings(length=2)), 1)
    assert found.gaps == ((2, 5),)
    assert [found.lost_since(number) for number in range(5)] == [None, None, 2, 2, 2]


def test_what_is_said_again_is_held_again_until_that_is_lost_too():
    said = [m.content for m in CHAT]
    again = CHAT.edited([*CHAT[:7], Message("user", f"once more: {said[1]}"), *CHAT[8:]])
    timeline = replay(again, Settings(length=1))
    found = star(timeline, 1)
    assert found.gaps == ((1, 3), (4, 5))
    assert [found.holder(timeline, n) for n in (0, 1, 3, 4)] == [BY_MESSAGE, LOST, BY_MESSAGE, LOST]
    loss = next(x for x in retention(timeline, stars=[1]).losses if x.kind == "star")
    assert (loss.step, loss.requests, loss.message) == (1, 2, 1)


def test_a_summary_that_says_it_holds_it():
    long = conv("s u:60 a:60 u:60 a:60 u:60 a:60 u:60")
    brief = long.edited([long[0], Message("user", "I need GATE-77."), *long[2:]])
    timeline = replay(brief, Settings(policy="all", pruner="summarize", budget=400, summarizer="extractive"))
    found = star(timeline, 1)
    assert found.holder(timeline, len(timeline.plans) - 1) == BY_SUMMARY
    assert found.gaps == ()


def test_no_request_no_gap():
    assert star(replay(conv("a a"), Settings()), 0).gaps == ()


@pytest.mark.parametrize("given", [4, "m1", {"m1": 1}, [99, -1, "nobody", True, None, [1], 1.0]])
def test_what_a_file_says_beside_its_messages_and_is_no_mark_marks_nothing(given):
    assert marked_in_file(Conversation(CHAT.messages, metadata={"stars": given})) == ()


def test_a_file_marks_by_index_or_id():
    assert marked_in_file(Conversation(CHAT.messages, metadata={"stars": ["m3", 1, 3]})) == (1, 3)


# -- through a projection


@pytest.mark.parametrize("name", [n for n in members("projection") if n != "off"])
@pytest.mark.parametrize("sketch", ["s u a(t t) a u a o u", "u a(t) a u"])
def test_every_projection_takes_a_pin_along(name, sketch):
    chat, settings = conv(sketch), Settings(projection=name)
    said = [i for i, m in enumerate(chat) if m.role in ("user", "assistant", "tool")]
    assert all(any(m.pinned for m in project(chat.pin([i]), settings)) for i in said)


def test_it_is_followed_to_the_message_it_becomes_part_of():
    timeline = replay(AGENT, COLLAPSED)
    assert [follow_mark(timeline, i) for i in range(len(AGENT))] == [0, 1, 2, 3, 4, 5, 6, 8, 9, 10]
    assert [original_index(timeline, j) for j in range(len(timeline.conversation))] == [*range(7), None, 7, 8, 9]


def test_a_pinned_message_does_not_lead_it_astray():
    pinned = AGENT.pin([7])
    assert follow_mark(replay(pinned, COLLAPSED), 4) == 4


def test_what_a_projection_leaves_out_is_never_held():
    timeline = replay(AGENT, COLLAPSED.replace(**{"projection.collapsed_tools.system_messages": False}))
    found = star(timeline, 0)
    assert (found.message, found.gaps) == (None, ((0, len(timeline.plans)),))
    kept = retention(timeline, stars=[0, 1])
    assert (kept.stars.total, kept.stars.kept) == (2, 1)


def test_what_a_projection_shortens_is_lost_and_what_it_rewords_around_is_not():
    long = AGENT.edited([*AGENT[:3], Message("tool", "long " * 300, tool_call_id=AGENT[3].tool_call_id), *AGENT[4:]])
    timeline = replay(long, COLLAPSED)
    assert star(timeline, 3).gaps
    assert star(timeline, 5).gaps == ()


def test_stars_are_those_of_the_conversation_as_it_was_given():
    starred = Conversation(AGENT.messages, metadata={"stars": [9]})
    assert retention(replay(starred, COLLAPSED)).starred[0].message == 10
    assert retention(replay(starred, Settings())).starred[0].message == 9


def test_gold_evidence_is_followed_too_and_what_is_none_is_passed_over():
    gold = [{"messages": [7]}, "D1:3", {"messages": "m1"}, 5]
    timeline = replay(Conversation(AGENT.messages, metadata={"evidence": gold}), COLLAPSED)
    assert retention(timeline).kept["evidence"].total == 1
    assert retention(replay(Conversation(AGENT.messages, metadata={"evidence": "none"}), COLLAPSED)).losses == ()
