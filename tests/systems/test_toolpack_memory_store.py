"""The memory store's bounds: how many conversations, and which one goes."""

from __future__ import annotations

import sys
import threading

import pytest
from stored_messages import fill, ids, posted

from historylab.systems.toolpack import InMemoryConversationStore


def rooms(store, *names: str):
    return fill(store, *(posted("09:00 a: hello", conversation=name) for name in names))


def left(store, *names: str) -> list[str]:
    return [name for name in names if store.get(name)]


@pytest.mark.feature("T09")
@pytest.mark.parametrize("use", ["get", "search", "append", "append again"])
def test_the_least_recently_used_conversation_goes_and_every_use_counts(use):
    store = rooms(InMemoryConversationStore(max_conversations=2), "x", "y")
    match use:
        case "get":
            store.get("x", limit=0)
        case "search":
            store.search("x", "nothing like it")
        case "append":
            store.append(posted("08:00 a: more", conversation="x"))
        case "append again":
            store.append(posted("09:00 a: hello", conversation="x"))
    rooms(store, "z")
    assert left(store, "x", "y", "z") == ["x", "z"]


@pytest.mark.feature("T09")
def test_asking_for_what_is_not_there_makes_no_conversation():
    store = rooms(InMemoryConversationStore(max_conversations=2), "x", "y")
    store.get("z")
    store.search("z", "")
    store.delete_messages("z", ["1"])
    assert store.conversation_count == 2
    assert left(store, "x", "y") == ["x", "y"]


@pytest.mark.feature("T09")
def test_no_conversations_at_all_still_keeps_one():
    store = rooms(InMemoryConversationStore(max_conversations=0), "x", "y")
    assert (left(store, "x", "y"), store.conversation_count) == (["y"], 1)


@pytest.mark.feature("T09")
def test_five_hundred_conversations_of_five_hundred_messages_are_kept_unless_told_otherwise():
    store = rooms(InMemoryConversationStore(), *(f"room {i}" for i in range(501)))
    assert (store.conversation_count, store.get("room 0")) == (500, [])
    fill(store, *(posted(f"{k // 60:02}:{k % 60:02} a: {k}", conversation="long") for k in range(501)))
    kept = ids(store.get("long"))
    assert (len(kept), kept[0]) == (500, "1")


@pytest.mark.feature("T09")
def test_conversations_come_and_go_under_many_threads():
    store, failures = InMemoryConversationStore(max_conversations=1), []
    messages = [[posted("09:00 a: hello", conversation=f"{me} {k}") for k in range(2000)] for me in range(6)]

    def work(me: int):
        try:
            for message in messages[me]:
                store.append(message)
        except KeyError as problem:
            failures.append(problem)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    workers = [threading.Thread(target=work, args=(me,)) for me in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    sys.setswitchinterval(before)
    assert (failures, store.conversation_count) == ([], 1)


@pytest.mark.feature("T09")
def test_500_conversations_of_500_messages_are_kept_unless_told_otherwise():
    store = InMemoryConversationStore()
    for number in range(501):
        fill(store, posted("09:00 a: x", conversation=f"c{number}"), posted("09:00 a: x", str(number)))
    assert (store.conversation_count, len(store.get("room"))) == (500, 500)
