"""Messages, the blocks and turns they form, and the requests they were sent in."""

from __future__ import annotations

import pytest
from conversation_strategies import conversations
from hypothesis import given
from hypothesis import settings as examples
from sketches import conv

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall, Usage


def blocks(sketch: str) -> list[tuple[int, ...]]:
    return [block.indices for block in conv(sketch).blocks]


def turns(sketch: str) -> list[tuple[int, int, bool]]:
    return [(turn.start, turn.stop, turn.complete) for turn in conv(sketch).turns]


@pytest.mark.parametrize(
    ("sketch", "expected"),
    [
        ("", []),
        ("u a", [(0,), (1,)]),
        ("u a(t t) a", [(0,), (1, 2, 3), (4,)]),
        ("a(t _) u", [(0, 1), (2,)]),
        ("t u", [(0,), (1,)]),
    ],
)
def test_a_block_is_a_call_with_all_its_results_or_any_other_message(sketch, expected):
    assert blocks(sketch) == expected


def test_a_result_joins_its_call_however_far_back():
    call = Message("assistant", tool_calls=(ToolCall("x", "f"),))
    conversation = Conversation([call, Message("user", "q"), Message("tool", "r", tool_call_id="x")])
    assert [b.indices for b in conversation.blocks] == [(0, 2), (1,)]


@pytest.mark.parametrize(
    ("sketch", "expected"),
    [
        ("", []),
        ("s a", []),
        ("s a u a u", [(2, 4, True), (4, 5, False)]),
        ("u u a", [(0, 1, False), (1, 3, True)]),
        ("u a(t) a", [(0, 4, True)]),
        ("u a(t _)", [(0, 3, False)]),
        ("u a(_) u a", [(0, 2, False), (2, 4, True)]),
    ],
)
def test_a_turn_runs_from_a_user_message_to_the_next_and_is_complete_once_answered(sketch, expected):
    assert turns(sketch) == expected


def test_what_a_program_put_beside_a_prompt_or_a_result_begins_no_turn():
    hook = Message("user", "Lint first.", metadata={"injected": True})
    found = [hook, *conv("u"), hook, *conv("a(t)"), hook, hook, *conv("a"), hook, *conv("a")]
    assert [(turn.start, turn.stop) for turn in Conversation(found).turns] == [(0, 1), (1, 8), (8, 10)]


@pytest.mark.parametrize(
    ("sketch", "requests"),
    [
        ("", []),
        ("s", [1]),
        ("s u", [2]),
        ("s u a", [2]),
        ("s u a u", [2, 4]),
        ("a u a", [2]),  # an opening greeting was no answer
        ("u a a u", [1, 4]),  # nor was a second message in a row
        ("u a(t t) a", [1, 4]),
        ("u a(t t)", [1, 4]),
        ("u u u a", [3]),
        ("u s a", [2]),  # a reminder on the way is part of what is sent
        ("u a(t) s a s", [1, 4, 6]),
        ("s s a u", [4]),
    ],
)
def test_a_request_is_made_for_each_answer_and_for_the_next_one(sketch, requests):
    assert conv(sketch).columns.requests.tolist() == requests


@given(conversations())
def test_blocks_share_out_all_messages_and_are_in_order_of_their_first(conversation):
    members = [block.indices for block in conversation.blocks]
    assert sorted(i for indices in members for i in indices) == list(range(len(conversation)))
    assert members == sorted(members)


@examples(max_examples=50)
@given(conversations())
def test_what_follows_changes_neither_blocks_nor_requests_before(conversation):
    shorter = Conversation(conversation[: len(conversation) // 2])
    n = len(shorter)
    assert shorter.columns.block.tolist() == conversation.columns.block[:n].tolist()
    asked = conversation.columns.requests
    assert asked[asked < n].tolist() == [k for k in shorter.columns.requests.tolist() if k < n]


def test_columns_cannot_be_written():
    with pytest.raises(ValueError, match="read-only"):
        conv("u a").columns.role[0] = 0


def test_equal_conversations_have_equal_digests_whatever_their_source():
    one = Conversation([Message("user", "hi", source={"role": "user"})])
    another = Conversation([Message("user", "hi")], title="another")
    assert (one, one.digest, hash(one)) == (another, another.digest, hash(another))
    assert one != conv("u")


@pytest.mark.parametrize("text", ["\ud800", "\0\x1b", "😀", ""])
def test_a_digest_takes_any_text(text):
    assert len(Conversation([Message("user", text)]).digest) == 32


def test_pinning_makes_another_conversation():
    conversation = conv("u a")
    pinned = conversation.pin([1])
    assert [m.pinned for m in conversation] == [False, False]
    assert [m.pinned for m in pinned] == [False, True]
    assert pinned.pin([1], pinned=False) == conversation
    assert pinned.title == conversation.title


def test_usages_add_up():
    assert Usage(1, 2, 3, 4) + Usage(10, 20, 30, 40) == Usage(11, 22, 33, 44)


def test_the_repr_is_short_however_long_the_conversation():
    messages = [Message("user", "x" * 1000), Message("assistant", "y" * 1000)]
    assert repr(Conversation(messages * 600, "Long")) == "<Conversation 'Long': 1,200 messages, 600 turns>"
    assert repr(Conversation(messages[:1])) == "<Conversation '': 1 message, 1 turn>"


@pytest.mark.parametrize(("message", "request_after"), [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2)])
def test_a_message_is_in_the_history_from_the_first_request_after_it_on(message, request_after):
    assert conv("s u a u a").columns.first_request_after(message) == request_after
