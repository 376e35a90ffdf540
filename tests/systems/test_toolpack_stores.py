"""The contract of toolpack's stores: the same messages in the same order, whichever store is asked."""

from __future__ import annotations

import sys
import threading
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stored_messages import fill, ids, posted

from historylab.errors import HistoryLabError, StoreError
from historylab.systems.toolpack import (
    InMemoryConversationStore,
    Participant,
    SQLiteConversationStore,
    StoredMessage,
)

STORES = [InMemoryConversationStore, SQLiteConversationStore]


@pytest.fixture(scope="module", params=STORES)
def make(request):
    """Makes an empty store with the given options."""
    return request.param


@pytest.mark.feature("T07")
def test_messages_come_in_the_order_of_their_times_and_equal_times_in_that_of_arrival(make):
    store = fill(make(), posted("09:02 a: late"), posted("09:01 a: x"), posted("09:01 a: y"), posted("09:00 a: early"))
    assert ids(store.get("room")) == ["early", "x", "y", "late"]


@pytest.mark.feature("T07")
def test_times_are_instants_and_the_text_that_was_given_comes_back(make):
    berlin = replace(posted("09:00 a: berlin"), timestamp="2026-01-01T10:30:00.250+02:00")
    fraction = replace(posted("09:00 a: fraction"), timestamp="2026-01-01T08:30:00.5Z")
    no_offset = replace(posted("09:00 a: utc"), timestamp="2026-01-01T08:29:59")
    store = fill(make(), fraction, berlin, no_offset)
    assert ids(store.get("room")) == ["utc", "berlin", "fraction"]
    assert [m.timestamp for m in store.get("room")] == [m.timestamp for m in (no_offset, berlin, fraction)]
    assert ids(store.get("room", since_timestamp="2026-01-01T09:30:00.25+01:00")) == ["berlin", "fraction"]


@pytest.mark.feature("T07")
def test_filters_come_before_the_limit_and_the_limit_takes_the_newest(make):
    store = fill(
        make(),
        posted("09:00 a: 1"),
        posted("09:01 b: 2", scope="dm"),
        posted("09:02 a: 3"),
        posted("09:03 (c): 4"),
        posted("09:04 b: 5", scope="dm"),
    )
    assert ids(store.get("room", scope="channel", limit=2)) == ["3", "4"]
    assert ids(store.get("room", participant_ids=["a", "c"])) == ["1", "3", "4"]
    assert ids(store.get("room", participant_ids=[], scope=None)) == ["1", "2", "3", "4", "5"]
    assert ids(store.get("room", since_timestamp="2026-01-01T09:02:00Z", limit=2)) == ["4", "5"]
    assert [ids(store.get("room", limit=limit)) for limit in (0, -3)] == [[], []]
    assert len(store.get("room", limit=None)) == 5


@pytest.mark.feature("T08")
def test_a_search_is_literal_whatever_the_case_and_newest_first(make):
    store = fill(
        make(), posted("09:00 a: 100% ÄGYPTEN_x"), posted("09:01 a: 1000 ägyptenyx"), posted("09:02 (b): 100%")
    )
    assert ids(store.search("room", "100%")) == ["100%", "100% ÄGYPTEN_x"]
    assert ids(store.search("room", "Ägypten_")) == ["100% ÄGYPTEN_x"]
    assert len(store.search("room", "")) == 3
    assert store.search("room", "100% 1000") == []
    assert [ids(store.search("room", "100", limit=limit)) for limit in (1, 0, -1)] == [["100%"], [], []]


@pytest.mark.feature("T08")
def test_a_search_gives_ten_hits_and_2000_tokens_unless_told_otherwise(make):
    short = fill(make(), *(posted(f"09:{i:02} a: hit {i}") for i in range(12)))
    assert len(short.search("room", "hit")) == 10
    long = fill(make(), *(posted(f"09:0{i} a: {'hit ' * 500}", str(i)) for i in range(6)))  # 500 tokens each
    assert len(long.search("room", "hit")) == 4


@pytest.mark.feature("T08")
def test_a_search_ends_before_the_first_hit_over_the_cap_but_always_has_one(make):
    store = fill(make(), *(posted(f"09:0{i} a: {'hit ' * 10}{i}") for i in range(4)))
    assert [len(store.search("room", "hit", token_cap=cap)) for cap in (0, 10, 21, 22, 33)] == [1, 1, 1, 2, 3]


@pytest.mark.feature("T10")
def test_the_first_of_two_with_one_id_wins_in_its_conversation_while_it_is_there(make):
    first, second = posted("09:00 a: first", "m"), posted("08:00 b: second", "m")
    store = fill(make(), first, second, replace(second, conversation_id="elsewhere"))
    assert store.get("room") == [first]
    assert [m.content for m in store.get("elsewhere")] == ["second"]
    store.delete_messages("room", ["m"])
    assert fill(store, second).get("room") == [second]


@pytest.mark.feature("T06")
def test_deleting_takes_the_listed_ids_of_one_conversation_only(make):
    store = fill(make(), posted("09:00 a: 1"), posted("09:01 a: 2"), posted("09:00 a: 1", conversation="other"))
    store.delete_messages("room", iter(["1", "unknown"]))
    store.delete_messages("room", [])
    store.delete_messages("nowhere", ["2"])
    assert (ids(store.get("room")), ids(store.get("other"))) == (["2"], ["1"])


@pytest.mark.feature("T06")
def test_conversations_are_counted_while_they_have_messages_and_can_be_cleared(make):
    store = fill(make(), posted("09:00 a: 1"), posted("09:00 a: 1", conversation="other"))
    assert store.conversation_count == 2
    store.get("never seen")
    store.clear_conversation("other")
    store.clear_conversation("other")
    assert (store.conversation_count, store.get("other")) == (1, [])
    store.delete_messages("room", ["1"])
    assert store.conversation_count == 0


@pytest.mark.feature("T09", "T28")
@pytest.mark.parametrize(("most", "left"), [(3, ["2", "3", "4"]), (1, ["4"]), (0, [])])
def test_over_the_cap_the_oldest_by_time_goes_even_if_it_came_last(make, most, left):
    store = make(max_messages_per_conversation=most)
    fill(store, posted("09:03 a: 3"), posted("09:04 a: 4"), posted("09:02 a: 2"), posted("09:01 a: 1"))
    assert ids(store.get("room")) == left
    assert store.conversation_count == bool(left)


@pytest.mark.feature("T30", "T08")
def test_nothing_of_one_conversation_is_found_in_another(make):
    store = fill(make(), posted("09:00 a: mine"), posted("09:01 b: theirs", conversation="room%"))
    assert ids(store.get("room")) == ids(store.search("room", "")) == ["mine"]
    assert ids(store.search("room%", "")) == ["theirs"]
    assert store.get("' OR 1=1 --") == store.search("_oom", "") == []


@pytest.mark.feature("T11")
def test_what_is_stored_does_not_change_with_what_was_given_or_got(make):
    given = posted("09:00 a: 1", mentions=["kael"], another={"key": [1, None, True]})
    store = fill(make(), given)
    given.metadata["mentions"].append("somebody")
    store.get("room")[0].metadata["another"]["key"].clear()
    store.search("room", "1")[0].metadata.clear()
    assert store.get("room")[0].metadata == {"mentions": ["kael"], "another": {"key": [1, None, True]}}


def test_what_cannot_be_kept_is_refused_by_name_and_nothing_is_left_of_it(make):
    store = make()
    with pytest.raises(HistoryLabError, match=r"'yesterday' is no time; give ISO 8601"):
        store.append(replace(posted("09:00 a: 1"), timestamp="yesterday"))
    with pytest.raises(HistoryLabError, match="metadata of message '1' is no JSON"):
        store.append(posted("09:00 a: 1", seen={1, 2}))
    with pytest.raises(ValueError, match="is no time"):
        store.get("room", since_timestamp="soon")
    assert store.conversation_count == 0


@pytest.mark.parametrize("field", ["id", "conversation_id", "content", "timestamp", "scope", "participant"])
def test_a_field_that_is_no_text_is_refused_by_every_store_alike(make, field):
    store, message = make(), posted("09:00 a: 1")
    wrong = replace(message, **{field: Participant("user", 5) if field == "participant" else 5})
    with pytest.raises(StoreError, match="text, not 5"):
        store.append(wrong)
    assert store.conversation_count == 0


@pytest.mark.parametrize(
    "ask",
    [
        lambda store: store.get(5),
        lambda store: store.search(None, "x"),
        lambda store: store.search("room", 5),
        lambda store: store.delete_messages(5, ["1"]),
        lambda store: store.delete_messages("room", [5]),
        lambda store: store.clear_conversation(b"room"),
    ],
)
def test_what_is_asked_for_is_text_in_every_store(make, ask):
    store = fill(make(), posted("09:00 a: 1"))
    with pytest.raises(StoreError, match="is text, not"):
        ask(store)
    assert ids(store.get("room")) == ["1"]


@pytest.mark.parametrize("field", ["id", "conversation_id", "content", "scope", "participant"])
def test_a_nul_is_refused_by_every_store_alike_wherever_it_stands(make, field):
    store, message = make(), posted("09:00 a: 1", note="a\0b")
    wrong = replace(message, **{field: Participant("user", "a\0b") if field == "participant" else "a\0b"})
    with pytest.raises(StoreError, match="NUL"):
        store.append(wrong)
    assert store.conversation_count == 0
    assert fill(store, message).get("room")[0].metadata == {"note": "a\0b"}  # JSON has a way to write it


texts = st.text(st.characters() | st.sampled_from("\ud83d\ufdd0'\"%_"), max_size=30).map(
    lambda text: text.replace("\0", "")
)
messages = st.builds(
    StoredMessage,
    id=texts,
    conversation_id=texts,
    participant=st.builds(Participant, st.sampled_from(["user", "agent", "tool"]), texts, st.none() | texts),
    content=texts,
    timestamp=st.datetimes().map(lambda t: t.isoformat() + "Z"),
    scope=st.sampled_from(["channel", "dm", "thread"]),
    metadata=st.none() | st.dictionaries(texts, texts | st.integers() | st.none(), max_size=3),
)


@given(message=messages)
def test_every_message_comes_back_as_it_was_given_half_an_emoji_too(make, message):
    assert fill(make(), message).get(message.conversation_id) == [message]


operations = st.lists(
    st.tuples(
        st.sampled_from(["append", "append", "append", "get", "search", "delete", "clear"]),
        st.sampled_from(["x", "y"]),
        st.integers(0, 9),
        st.integers(-1, 4),
    ),
    max_size=40,
)


@given(operations=operations, cap=st.integers(0, 5))
def test_a_file_gives_what_memory_gives_whatever_is_done_to_both(operations, cap):
    first, second = (make(max_messages_per_conversation=cap) for make in STORES)
    for operation in operations:
        assert _done(first, *operation) == _done(second, *operation)


def _done(store, operation: str, conversation: str, k: int, limit: int):
    match operation:
        case "append":
            line = f"09:0{(7 * k) % 5} ({'ab'[k % 2]}): {k} Hit"
            store.append(posted(line, str(k), conversation=conversation, scope=["channel", "dm"][k % 2]))
        case "get":
            people = [[], ["a"], ["b"]][k % 3]
            since = [None, "2026-01-01T09:02:00Z"][k % 2]
            return store.get(conversation, since_timestamp=since, limit=limit, participant_ids=people)
        case "search":
            return store.search(conversation, "hit", limit=limit, token_cap=k)
        case "delete":
            store.delete_messages(conversation, [str(k), str(k + 1)])
        case "clear" if k == 0:
            store.clear_conversation(conversation)
    return store.conversation_count


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
                store.append(posted(f"09:{k:02} ({me}): {me}-{k}"))
                store.append(posted("09:00 a: shared", "shared"))
                assert ids(store.search("room", f"{me}-{k}", limit=1))
                times = [m.timestamp for m in store.get("room")]
                assert times == sorted(times)
                store.append(posted(f"09:{k:02} a: gone", f"gone {me} {k}", conversation=f"own {me}"))
                store.delete_messages(f"own {me}", [f"gone {me} {k}"])
        except BaseException as problem:
            failures.append(problem)

    workers = [threading.Thread(target=work, args=(me,)) for me in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert failures == []
    assert len(store.get("room")) == threads * each + 1
    assert store.conversation_count == 1


@pytest.mark.usefixtures("busy_threads")
def test_the_cap_holds_while_many_threads_append(make):
    store = make(max_messages_per_conversation=20)
    workers = [
        threading.Thread(target=lambda me=me: fill(store, *(posted(f"09:{k:02} a: {me}-{k}") for k in range(40))))
        for me in range(6)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted({m.timestamp[14:16] for m in store.get("room")}) == ["36", "37", "38", "39"]
    assert len(store.get("room")) == 20
