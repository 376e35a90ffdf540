"""Conversations hold one person's requests, where anything tells people apart, and say so where nothing does."""

from __future__ import annotations

import pytest
from people import TOLD, interleave
from recorded_chats import Chat, as_json, lines_in

from historylab import load
from historylab.recordings.recorder import Recorder
from historylab.stores.memory import InMemoryStore

A, B, NOBODY = "user-a", "user-b", ""


@pytest.fixture
def store():
    return InMemoryStore()


@pytest.fixture
def recorder(store):
    recorder = Recorder(store, keep_days=None)
    yield recorder
    recorder.close()


def talk(recorder, order: str, owners: tuple[str, str]) -> None:
    """Two chats that begin alike and are answered alike, asked in that order; all through one chat of a Trimmer's."""
    chats, one_key = (Chat(), Chat()), Chat()
    for number in map(int, order):
        chat = chats[number]
        said = f"I am {number}: {len(chat.messages)}" if chat.messages else "Hi"
        recorder.record(chat.exchange(said, chat=one_key, owner=owners[number]))


def conversations(store) -> str:
    """A letter per line: which conversation it is of."""
    seen: dict[str, str] = {}
    return "".join(seen.setdefault(line["conversation"], chr(97 + len(seen))) for line in lines_in(store))


@pytest.mark.parametrize("told", [told for told in TOLD if told != "nothing"])
def test_nobody_is_mixed_and_nobody_torn_where_anything_tells_people_apart(store, told):
    outcomes = [interleave(InMemoryStore(), seed, told, requests=16) for seed in range(4)]
    assert (sum(one.mixed for one in outcomes), sum(one.torn for one in outcomes)) == (0, 0)


def test_where_nothing_does_what_may_be_mixed_says_so():
    outcomes = [interleave(InMemoryStore(), seed, "nothing", requests=16) for seed in range(4)]
    assert sum(one.mixed for one in outcomes) > 0
    assert sum(one.unsaid for one in outcomes) == 0


@pytest.mark.parametrize("order", ["011001", "010101", "011010", "010011"])
def test_people_who_say_and_hear_the_same_keep_conversations_of_their_own(recorder, store, order):
    talk(recorder, order, (A, B))
    assert conversations(store) == order.replace("0", "a").replace("1", "b")
    assert not any("ambiguous" in line for line in lines_in(store))
    assert {line["owner"] for line in lines_in(store)} == {A, B}


@pytest.mark.parametrize("owner", [NOBODY, "key-one-for-all"])
def test_of_nobody_each_goes_on_in_one_of_both_which_says_that_it_is_a_guess(recorder, store, owner):
    talk(recorder, "011001", (owner, owner))
    assert sorted(conversations(store)) == [*"aaabbb"]
    assert [bool(line.get("ambiguous")) for line in lines_in(store)] == [False, False, True, True, False, False]
    loaded = load("".join(f"{record.text}\n" for record in store.read_records()).encode(), name="chats.jsonl")
    assert any("several people" in warning for warning in loaded.report.warnings)


def test_another_worker_is_told_that_two_chats_were_answered_alike(store):
    chats, workers = [Chat(), Chat()], [Recorder(store, keep_days=None) for _ in range(3)]
    for chat, worker in zip(chats, workers[:2], strict=True):
        worker.record(chat.exchange("Hi"))
    for chat, name in zip(chats, "ab", strict=True):
        workers[2].record(chat.exchange(f"I am {name}"))
    for worker in workers:
        worker.close()
    assert sorted(conversations(store)) == [*"aabb"]
    assert [line.get("ambiguous") for line in lines_in(store)] == [None, None, True, True]


@pytest.mark.parametrize(("owner", "expected"), [(NOBODY, "abbac"), (A, "abbab")])
def test_a_third_way_on_from_an_answer_that_two_chats_share_is_neithers_where_nobody_was_named(
    recorder, store, owner, expected
):
    talk(recorder, "0110", (owner, owner))
    fork = Chat()
    fork.exchange("Hi")
    recorder.record(fork.exchange("something else", owner=owner))
    assert conversations(store) == expected


def test_a_greeting_that_the_app_wrote_is_no_answer_that_two_people_share(recorder, store):
    greeting = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Welcome!"}]
    one_key = Chat()
    for name in "ab":
        recorder.record(Chat(messages=as_json(greeting)).exchange(f"I am {name}", chat=one_key))
    assert conversations(store) == "ab"


@pytest.mark.parametrize("named", ["", "c-one"])
def test_chats_with_nothing_but_their_prompt_in_common_share_no_line(recorder, store, named):
    """Not even where the app says that both are one conversation."""
    one_key = Chat()
    for text in ("ferries", "boats"):
        recorder.record(Chat().exchange(text, chat=one_key, conversation=named))
    first, second = lines_in(store)
    assert (first["conversation"] == second["conversation"]) == bool(named)
    assert "after" not in second and "same" not in second


def test_in_one_session_a_first_question_that_is_asked_again_stays_in_its_conversation(store):
    for owner, expected in (("session-a", "aaa"), (A, "abb")):
        store = InMemoryStore()
        chat = Chat()
        for text in ("Hi", "", "and?"):
            recorder = Recorder(store, keep_days=None)
            if not text:
                chat.messages.pop()
            recorder.record(chat.exchange(*filter(None, [text]), answer=f"answer to {text}", owner=owner))
            recorder.close()
        assert conversations(store) == expected


def test_one_that_was_broken_off_is_tried_again_in_its_conversation(recorder, store):
    chat = Chat()
    recorder.record(chat.exchange("Hi", answer="Hel", error="the client hung up"))
    chat.messages.pop()
    recorder.record(chat.exchange(answer="Hello"))
    assert conversations(store) == "aa"


def test_an_answer_in_words_of_the_clients_own_is_gone_on_with(recorder, store):
    chat = Chat()
    recorder.record(chat.exchange("Hi", answer="<think>hm</think>Hello"))
    chat.messages[-1]["content"] = "Hello"
    recorder.record(chat.exchange("and?"))
    assert conversations(store) == "aa"


def test_deleting_the_conversation_of_one_leaves_that_of_the_other_whole(recorder, store):
    talk(recorder, "011001", (A, B))
    store.delete_conversations([lines_in(store)[1]["conversation"]])
    assert [line["owner"] for line in lines_in(store)] == [A] * 3
    (loaded,) = load("".join(f"{record.text}\n" for record in store.read_records()).encode(), name="chats.jsonl")
    assert [message.content for message in loaded if message.role == "user"] == ["Hi", "I am 0: 2", "I am 0: 4"]
