"""A conversation that grows costs what is new, says what a whole one says, and leaves the earlier ones as they are."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from conversation_strategies import conversations
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from sketches import conv

from historylab.conversation.columns import Columns
from historylab.conversation.conversation import Conversation
from historylab.conversation.growing import Growing, GrowingArray
from historylab.conversation.message import Message, ToolCall
from historylab.counters.base import ScaledCounter, token_column
from historylab.counters.characters import Characters

SPLITS = st.lists(st.integers(0, 60), max_size=6)


def facts(columns: Columns) -> dict[str, Any]:
    """All fields of an index, with their types."""
    read = {field.name: getattr(columns, field.name) for field in fields(Columns)}
    return {name: (v.dtype, v.tolist()) if isinstance(v, np.ndarray) else v for name, v in read.items()}


def with_stand_ins(messages: Sequence[Message]) -> list[Message]:
    """Every fifth message stands for the two before it, as one of a projection may."""
    return [replace(m, replaces=(i - 2, i - 1)) if i % 5 == 4 else m for i, m in enumerate(messages)]


def pieces(messages: Sequence[Message], cuts: list[int]) -> Iterator[Sequence[Message]]:
    ends = sorted({min(cut, len(messages)) for cut in cuts} | {len(messages)})
    for start, end in zip([0, *ends], ends, strict=False):
        yield messages[start:end]


class Told(Growing):
    """The words so far, and how many messages were read for them; a beginning and other systems are known as well."""

    def __init__(self, words: tuple[str, ...] = (), read: int = 0):
        self.words, self.read = words, read

    def followed_by(self, conversation: Conversation, start: int) -> Told:
        new = tuple(m.content for m in conversation[start:])
        return Told(self.words + new, self.read + len(new))

    def beginning(self, conversation: Conversation, size: int) -> Told:
        return Told(self.words[:size], self.read)

    def with_leading(self, conversation: Conversation, before: int, now: int) -> Told:
        leading = tuple(m.content for m in conversation[:now])
        return Told(leading + self.words[before:], self.read + now)


def told(conversation: Conversation) -> Told:
    return conversation.growing(("told",), Told)


@examples(max_examples=150)
@given(conversations(max_size=24), SPLITS, st.booleans())
def test_a_grown_conversation_is_indexed_like_a_whole_one_and_its_beginnings_keep_saying_what_they_said(
    conversation, cuts, stand_ins
):
    messages = with_stand_ins(conversation.messages) if stand_ins else conversation.messages
    grown, said = Conversation(), []
    for piece in pieces(messages, cuts):
        grown = grown.followed_by(piece)
        said.append((grown, facts(grown.columns)))
    for earlier, index in said:
        assert index == facts(Conversation(messages[: len(earlier)]).columns) == facts(earlier.columns)
        assert earlier == Conversation(messages[: len(earlier)])


@examples(max_examples=100)
@given(conversations(max_size=24), SPLITS, st.integers(0, 30), conversations(max_size=6))
def test_a_fork_is_indexed_like_a_whole_conversation_whatever_its_trunk_goes_on_to_say(trunk, cuts, kept, other):
    later = [Message("tool", "late", tool_call_id=call.id) for m in trunk for call in m.tool_calls]
    grown = Conversation()
    for piece in pieces(trunk.messages, cuts):
        grown = grown.followed_by(piece)
        assert len(grown.columns.role) == len(grown)
    kept = min(kept, len(trunk))
    begun = grown.beginning(kept)
    fork = begun.followed_by(other)
    for found in (begun, fork, grown, begun.followed_by(trunk[kept:])):
        assert facts(found.columns) == facts(Conversation(found.messages).columns)
        assert facts(found.followed_by(later).columns) == facts(Conversation([*found, *later]).columns)
    assert fork == Conversation([*trunk[:kept], *other])
    assert grown == trunk


@examples(max_examples=100)
@given(conversations(max_size=16), st.integers(0, 3), st.integers(0, 3), st.booleans(), conversations(max_size=4))
def test_other_leading_systems_leave_an_index_like_that_of_a_whole_conversation(chat, before, now, stand_ins, more):
    systems = [Message("system", f"It is {k} o'clock.", pinned=k == 1) for k in range(now)]
    rest = with_stand_ins(chat.messages) if stand_ins and before == now else chat.messages
    old = Conversation([*conv("s " * before), *rest])
    assert len(old.columns.role) == len(old)
    new = old.with_leading(systems, replacing=before)
    assert new == Conversation([*systems, *rest])
    for found in (new, new.followed_by(more), new.beginning(len(new) // 2)):
        assert facts(found.columns) == facts(Conversation(found.messages).columns)


def test_a_leading_system_that_calls_tools_is_indexed_anew():
    calls = Message("system", tool_calls=(ToolCall("c", "look_up"),))
    chat = Conversation([calls, *conv("u t:c a"), Message("tool", "At 6.", tool_call_id="c")])
    for old, systems in ((chat, []), (chat.beginning(2), []), (chat.with_leading([], replacing=1), [calls])):
        assert facts(old.columns)
        new = old.with_leading(systems, replacing=old[0].role == "system")
        assert facts(new.columns) == facts(Conversation(new.messages).columns)


@examples(max_examples=150)
@given(conversations(max_size=24))
def test_only_doubtful_blocks_are_refused_at_any_size(conversation):
    columns = conversation.columns
    for size in range(1, len(conversation) + 1):
        blocks = columns.blocks_before.item(size)
        mask = columns.answered_at[:blocks] > size
        if columns.block.item(size - 1) == blocks - 1:
            mask[-1] = False  # nothing but its results follows
        mask |= columns.orphan[:blocks]
        assert columns.refused_blocks(size).tolist() == np.flatnonzero(mask).tolist()


@pytest.mark.parametrize("sketch", ["s u a(t t) a u", "s u a(t _)", "u a(_)"])
def test_running_tools_put_nothing_in_doubt(sketch):
    assert conv(sketch).columns.doubtful.tolist() == []


def test_what_grows_reads_only_what_is_new():
    conversation = conv("s u a u a")
    begun = conversation.beginning(3)
    assert (told(begun).read, told(begun.followed_by(conversation[3:])).read) == (3, 5)
    longer = told(conversation) and conversation.followed_by(conv("u a"))
    changed = longer.with_leading([Message("system", "now")], replacing=1)
    forked = changed.beginning(4).followed_by(conv("u:1"))
    for found, read in ((longer, 7), (changed, 8), (forked, 9)):
        assert told(found).words == tuple(m.content for m in found)
        assert told(found).read <= read


def test_a_beginning_followed_by_as_many_others_inherits_none_of_what_it_left_out():
    whole = conv("s u a u")
    assert len(told(whole).words) == 4
    assert told(whole.beginning(2).followed_by(conv("a u"))).words == (*told(whole).words[:2], *told(conv("a u")).words)


def test_of_what_grows_with_options_the_latest_used_are_kept():
    conversation = conv("u a")
    made = [conversation.growing(("told", option), Told, most=3) for option in (1, 2, 3, 1, 4)]
    followed = conversation.followed_by(conv("u"))
    assert made[0] is conversation.growing(("told", 1), Told, most=3) is made[3]
    assert [followed.growing(("told", k), Told).read for k in (1, 3, 4)] == [3, 3, 3]
    assert conversation.growing(("told", 2), Told) is not made[1]


def test_two_that_follow_the_same_conversation_share_nothing_that_either_says():
    trunk = conv("s u")
    one, two = trunk.followed_by(conv("a:1 u")), trunk.followed_by(conv("a:2 a"))
    threes = one.followed_by(conv("a")), one.followed_by(conv("u"))
    assert [m.role for m in two] == ["system", "user", "assistant", "assistant"]
    assert [[m.role for m in three][3:] for three in threes] == [["user", "assistant"], ["user", "user"]]
    assert len(trunk) == 2
    assert trunk.followed_by(()) is trunk


def test_threads_may_follow_the_same_conversation_at_once():
    trunk = conv("s u").followed_by(conv("a u"))
    with ThreadPoolExecutor(4) as pool:
        grown = list(pool.map(lambda k: trunk.followed_by(conv(f"a:{k + 1} u")), range(40)))
        columns = list(pool.map(lambda each: facts(each.columns), grown))
    assert [each[4].content for each in grown] == [" ".join(["w0"] * (k + 1)) for k in range(40)]
    assert columns == [facts(Conversation(each.messages).columns) for each in grown]


def test_a_grown_conversation_is_a_value_like_any_other():
    whole = Conversation(conv("s u a(t) u").messages, "a title", {"model": "m"})
    grown = Conversation(whole[:2], "a title", {"model": "m"}).followed_by(whole[2:])
    grown.followed_by(conv("a"))
    assert (grown, grown.digest, hash(grown), repr(grown)) == (whole, whole.digest, hash(whole), repr(whole))
    assert (grown.title, grown.metadata, grown[-1], grown[1:3]) == ("a title", {"model": "m"}, whole[-1], whole[1:3])
    assert grown[::-1] == whole[::-1]
    assert list(grown) == list(whole.messages) == list(grown.messages)
    assert pickle.loads(pickle.dumps(grown)) == whole
    with pytest.raises(IndexError):
        grown[len(whole)]


@pytest.mark.parametrize("replacing", [-1, 2, 9])
def test_only_leading_systems_are_replaced(replacing):
    with pytest.raises(ValueError, match="system"):
        conv("s u a").with_leading([], replacing=replacing)
    with pytest.raises(IndexError):
        conv("s u a").beginning(4)


class Counting(Characters):
    """Counts characters, and how many messages it was given."""

    def __init__(self) -> None:
        super().__init__("")
        self.counted = 0

    def count(self, messages: Sequence[Message]) -> np.ndarray:
        self.counted += len(messages)
        return super().count(messages)


def test_tokens_of_a_message_that_stays_are_never_counted_again():
    counter = Counting()
    half = ScaledCounter(counter, 0.5)
    chat = conv("s u a(t) u")
    assert len(token_column(chat, half)) == len(chat)
    longer = chat.followed_by([*conv("a u"), Message("user", metadata={"tokens": 7})])
    edited = longer.beginning(4).followed_by(conv("a:9 u"))
    today = edited.with_leading(conv("s:9 s"), replacing=1)
    for found in (longer, edited, today):
        assert token_column(found, half).tolist() == token_column(Conversation(found.messages), half).tolist()
    counter.counted = 0
    for found in (longer, edited, today, today.followed_by(conv("u"))):
        token_column(found, counter)
    assert counter.counted == 1


def test_a_growing_array_is_followed_in_place_where_nothing_follows_it_yet():
    begun = GrowingArray(np.arange(3)).followed_by([3])
    one, two = begun.followed_by([4, 5]), begun.followed_by([6])
    assert [each.array.tolist() for each in (begun, one, two)] == [[0, 1, 2, 3], [0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 6]]
    assert np.shares_memory(begun.array, one.array)
    assert not np.shares_memory(one.array, two.array)
    assert one.changed([0], [9]).array.tolist() == [9, 1, 2, 3, 4, 5]
    with pytest.raises(ValueError, match="read-only"):
        one.array[0] = 1
