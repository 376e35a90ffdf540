"""The contract of stores: the same state and the same records, whichever store is asked."""

from __future__ import annotations

import random
import sys
import threading
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from postgres_cluster import on_postgres

from historylab.errors import StoreError
from historylab.registry import members
from historylab.stores.base import Record, RecordedConversation

STORES = [pytest.param(name, marks=on_postgres if name == "postgres" else ()) for name in members("store")]


@pytest.fixture(scope="module", params=STORES)
def make(request):
    """Makes an empty store with the given options."""
    target = members("store")[request.param].target
    if request.param != "postgres":
        yield target
        return
    cluster = request.getfixturevalue("postgres")
    url = cluster.place(synchronous_commit="off")  # what a crash would lose is no matter here
    stores = {}

    def emptied(**options):
        key = frozenset(options.items())
        store = stores.setdefault(key, target(url, **options))
        store.delete_state(0)
        cluster.execute("DELETE FROM historylab_records", url)
        return store

    yield emptied
    for store in stores.values():
        store.close()


def test_three_stores_are_registered():
    assert {"memory", "sqlite", "postgres"} <= set(members("store"))


def test_long_texts_and_long_names_are_kept(make):
    store, long = make(), "".join(random.Random(8).choices("äbcdefgh", k=40_000))
    assert store.write_state(long, long * 25) == long * 25
    assert store.read_state([long, long[:-1]]) == {long: long * 25}
    store.append_records([Record(long, 0, long * 25)])
    assert [record.text for record in store.read_records(conversation=long)] == [long * 25]
    assert store.read_records(conversation=long[:-1]) == []


@pytest.mark.parametrize(
    "ask",
    [
        lambda store: store.read_state([5]),
        lambda store: store.write_state("key", None),
        lambda store: store.write_state(b"key", "value"),
        lambda store: store.read_records(conversation=5),
    ],
)
def test_what_is_asked_for_is_text_in_every_store(make, ask):
    store = make()
    with pytest.raises(StoreError, match="is text, not"):
        ask(store)
    assert store.read_state(["key"]) == {}


def test_a_nul_is_refused_by_every_store_alike(make):
    store = make()
    for key, value in (("key", "a\0b"), ("a\0b", "value")):
        with pytest.raises(StoreError, match="NUL"):
            store.write_state(key, value)
    assert store.read_state(["key"]) == {}


def test_the_first_value_of_a_key_stands_and_is_what_every_writer_is_told(make):
    store = make()
    assert [store.write_state("summary", text) for text in ("first", "second", "first")] == ["first"] * 3
    assert store.write_state("other", "") == ""
    assert store.read_state(["summary", "unknown", "other", "summary"]) == {"summary": "first", "other": ""}
    assert store.write_states({"other": "late", "new": "1", "newer": "2"}) == {"other": "", "new": "1", "newer": "2"}
    assert store.read_state([]) == store.write_states({}) == {}
    with pytest.raises(StoreError, match="NUL"):
        store.write_states({"none": "of them", "bad": "\0"})
    assert store.read_state(["none"]) == {}


def test_state_goes_by_its_age(make):
    store = make()
    store.write_state("1", "one")
    store.write_state("2", "two")
    assert [store.delete_state(age) for age in (3600, float("inf"), 0, 0)] == [0, 0, 2, 0]
    assert store.read_state(["1", "2"]) == {}
    assert store.write_state("1", "again") == "again"
    for wrong in (-1, float("nan"), None, "1"):
        with pytest.raises(StoreError, match="number of seconds"):
            store.delete_state(wrong)
    with pytest.raises(StoreError, match="several texts"):
        store.read_state("summary")


def line(conversation: str, k: int, at: float = 0) -> Record:
    return Record(conversation, at, f'{{"k": {k}}}')


def texts_of(records) -> str:
    return " ".join(record.conversation + record.text[6:-1] for record in records)


def test_records_come_in_their_order_and_can_be_followed(make):
    store = make()
    first = store.append_records([line("a", 1), line("b", 2)])
    last = store.append_records(iter([replace(line("a", 3), number=1), line("", 4)]))
    assert first < last
    assert texts_of(store.read_records()) == "a1 b2 a3 4"
    assert texts_of(store.read_records(after=first)) == "a3 4"
    assert texts_of(store.read_records(after=first - 1, limit=2)) == "b2 a3"
    assert texts_of(store.read_records(conversation="a", limit=1)) == "a1"
    assert texts_of(store.read_records(conversation="a", after=first)) == "a3"
    assert texts_of(store.read_records(conversation="")) == "4"
    assert store.read_records(after=last) == store.read_records(conversation="c") == store.read_records(limit=-1) == []
    numbers = [record.number for record in store.read_records()]
    assert numbers == sorted({*numbers})
    assert numbers[-1] == last
    assert store.append_records([]) == 0


def test_state_is_kept_with_the_records_that_bring_it_or_neither_is(make):
    store = make()
    store.write_state("known", "first")
    store.append_records([line("a", 1)], {"known": "late", "new": "1"})
    for records, state in (([line("a", 2)], {"none": "\0"}), ([Record("a", float("nan"), "{}")], {"none": "of it"})):
        with pytest.raises(StoreError):
            store.append_records(records, state)
    assert texts_of(store.read_records()) == "a1"
    assert store.read_state(["known", "new", "none"]) == {"known": "first", "new": "1"}


def test_recorded_conversations_are_listed_the_one_with_the_newest_record_first(make):
    store = make()
    assert store.recorded_conversations() == []
    store.append_records([line("a", 1, 30.5), line("b", 2, 20.0), line("", 3, 99.0)])
    last = store.append_records([line("a", 4, 10.0)])
    b, a = store.recorded_conversations()[::-1]
    assert a == RecordedConversation("a", 2, 10.0, 30.5, last)
    assert b == ("b", 1, 20.0, 20.0, b.last_number)
    assert b.last_number < last


def test_a_conversations_records_go_together_and_a_number_never_comes_again(make):
    store = make()
    last = store.append_records([line("a", 1), line("b", 2), line("", 3), line("a", 4), line("c", 5)])
    assert [store.delete_conversations(iter(gone)) for gone in (["a", "c", "unknown"], ["a"], [])] == [3, 0, 0]
    assert texts_of(store.read_records()) == "b2 3"
    assert store.append_records([line("a", 6)]) > last
    with pytest.raises(StoreError, match="several ids"):
        store.delete_conversations("b")


def test_state_goes_with_the_conversations_that_it_is_of(make):
    store = make()
    store.append_records([line("a", 1), line("b", 2)])
    store.write_states({"summary": "of a", "other": "of b"})
    assert store.delete_conversations(["a"], state=iter(["summary", "unknown"])) == 1
    assert store.read_state(["summary", "other"]) == {"other": "of b"}
    assert store.delete_conversations([], state=["other"]) == 0
    assert store.read_state(["other"]) == {}
    with pytest.raises(StoreError, match="several texts"):
        store.delete_conversations(["b"], state="other")
    assert texts_of(store.read_records()) == "b2"


def test_records_go_by_the_age_of_the_newest_of_their_conversation(make):
    store, now = make(), time.time()
    store.append_records([line("old", 1, now - 90), line("old", 2, now - 70), line("new", 3, now - 90)])
    store.append_records([line("new", 4, now), line("", 5, now - 90), line("", 6, now)])
    assert [store.delete_records(age) for age in (80, 60, 60)] == [1, 2, 0]
    assert texts_of(store.read_records()) == "new3 new4 6"
    assert store.delete_records(0) == 3
    with pytest.raises(StoreError, match="number of seconds"):
        store.delete_records(-1)


def test_records_that_cannot_be_kept_are_refused_and_none_of_those_with_them_is_kept(make):
    store = make()
    for wrong in (
        *(Record("a", float("nan"), "{}"), Record("a", None, "{}"), Record("a", 0, '{"a":\n1}'), Record("a", 0, "\0")),
        *(Record(5, 0, "{}"), Record("a", 0, b"{}")),
    ):
        with pytest.raises(StoreError, match="record"):
            store.append_records([line("a", 1), wrong])
    assert store.read_records() == []


texts = st.text(st.characters() | st.sampled_from("\ud83d\ufdd0'\"%_"), max_size=30).map(
    lambda text: text.replace("\0", "")
)


@given(key=texts, text=texts)
def test_every_text_comes_back_as_it_was_given_half_an_emoji_too(make, key, text):
    store = make()
    assert store.write_state(key, text) == text
    assert store.read_state([key]) == {key: text}
    record = Record(key, 1.5, text.replace("\n", ""))
    number = store.append_records([record])
    assert store.read_records(conversation=key)[-1] == replace(record, number=number)


@pytest.fixture
def busy_threads():
    """Threads take turns so often that what isn't locked breaks."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.slow
@pytest.mark.usefixtures("busy_threads")
def test_many_threads_lose_nothing_and_break_nothing(make):
    store, threads, each = make(), 8, 30
    start, failures = threading.Barrier(threads), []

    def work(me: int):
        try:
            start.wait()
            for k in range(each):
                store.append_records([line("shared", k), line(f"own {me}", k)])
                assert texts_of(store.read_records(conversation=f"own {me}", limit=1)) == f"own {me}0"
                assert store.write_state("shared", str(me)) == store.read_state(["shared"])["shared"]
                assert store.write_state(f"{me} {k}", "mine") == "mine"
        except BaseException as problem:
            failures.append(problem)

    workers = [threading.Thread(target=work, args=(me,)) for me in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert failures == []
    numbers = [record.number for record in store.read_records()]
    assert numbers == sorted({*numbers})
    assert len(numbers) == 2 * threads * each
    assert len(store.recorded_conversations()) == threads + 1
