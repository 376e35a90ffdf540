"""The contract of conversation stores: the same messages in the same order, whichever store is asked."""

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
from stored_messages import fill, ids, posted

from historylab.errors import HistoryLabError, StoreError
from historylab.registry import members
from historylab.stores.base import Participant, Record, RecordedConversation, StoredMessage
from historylab.stores.memory import InMemoryConversationStore

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
        cluster.execute("DELETE FROM historylab_messages; DELETE FROM historylab_records", url)
        return store

    yield emptied
    for store in stores.values():
        store.close()


def test_three_stores_are_registered():
    assert {"memory", "sqlite", "postgres"} <= set(members("store"))


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


def test_a_ranked_search_finds_what_shares_words_and_puts_what_shares_more_first(make):
    store = fill(
        make(),
        posted("09:00 a: the invoice was paid", "paid"),
        posted("09:01 a: invoice 4711 of ÄRZTE-Haus is overdue", "overdue"),
        posted("09:02 (b): nothing of that kind", "other"),
        posted("09:03 a: the invoice was sent", "sent"),
        posted("09:04 a: invoice 4711", conversation="elsewhere"),
    )
    assert ids(store.search_ranked("room", "Invoice (4711)?")) == ["overdue", "sent", "paid"]
    assert ids(store.search_ranked("room", "ärzte")) == ["overdue"]
    assert ids(store.search_ranked("room", "invoice 4711", limit=2, token_cap=99)) == ["overdue", "sent"]
    assert ids(store.search_ranked("room", "invoice 4711", token_cap=0)) == ["overdue"]
    assert [store.search_ranked("room", query) for query in ("", " ", "?!", "inv", "voice")] == [[]] * 5
    assert [store.search_ranked("room", "invoice", limit=limit) for limit in (0, -1)] == [[], []]
    store.delete_messages("room", ["overdue"])
    assert ids(store.search_ranked("room", "4711 overdue paid")) == ["paid"]
    store.clear_conversation("room")
    assert store.search_ranked("room", "invoice") == []


OPERATORS = [
    *("hello AND", "NOT hello", '"hello', "hello*)", "NEAR(hello, 2)", "content : hello", "-hello", "^hello + there"),
    *("hello & ! | <->", "'hello':1A", "hello:*", "\\hello", "' OR 1=1 -- hello", "{hello}", "hello%s", "\ud83d hello"),
    "hello " + " ".join(f"w{i}" for i in range(5000)),
]


def test_whatever_a_ranked_search_is_asked_it_is_only_words(make):
    store = fill(make(), posted("09:00 a: hello there", "hello"), posted("09:01 a: good day", "day"))
    for query in OPERATORS:
        assert ids(store.search_ranked("room", query)) == ["hello"], query
    with pytest.raises(StoreError, match="is text, not 5"):
        store.search_ranked("room", 5)


def test_long_texts_and_long_ids_are_kept_and_their_words_found(make):
    letters, long = random.Random(7), "".join(random.Random(8).choices("äbcdefgh", k=40_000))
    many = " ".join("".join(letters.choices("abcdefghij", k=12)) for _ in range(90_000))
    store = fill(make(), replace(posted(f"09:00 a: needle {many}", long), conversation_id=long))
    assert store.write_state(long, many) == many
    assert [ids(found) for found in (store.get(long), store.search_ranked(long, "needle"))] == [[long], [long]]
    assert store.read_state([long]) == {long: many}
    assert store.get(long[:-1]) == store.search_ranked(long[:-1], "needle") == []


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
        lambda store: store.read_state([5]),
        lambda store: store.write_state("key", None),
        lambda store: store.write_state(b"key", "value"),
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
    with pytest.raises(StoreError, match="NUL"):
        store.write_state("key", "a\0b")
    assert (store.conversation_count, store.read_state(["key"])) == (0, {})
    assert fill(store, message).get("room")[0].metadata == {"note": "a\0b"}  # JSON has a way to write it


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
    assert store.conversation_count == 0


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
def test_every_text_comes_back_as_it_was_given_half_an_emoji_too(make, message):
    store = fill(make(), message)
    assert store.get(message.conversation_id) == [message]
    assert store.write_state(message.id, message.content) == message.content
    assert store.read_state([message.id]) == {message.id: message.content}
    record = Record(message.conversation_id, 1.5, message.content.replace("\n", ""))
    number = store.append_records([record])
    assert store.read_records(conversation=message.conversation_id)[-1] == replace(record, number=number)


operations = st.lists(
    st.tuples(
        st.sampled_from(["append", "append", "append", "get", "search", "rank", "delete", "clear"]),
        st.sampled_from(["x", "y"]),
        st.integers(0, 9),
        st.integers(-1, 4),
    ),
    max_size=40,
)


@given(operations=operations, cap=st.integers(0, 5))
def test_a_store_gives_what_the_memory_store_gives_whatever_is_done_to_both(make, operations, cap):
    stores = [make(max_messages_per_conversation=cap), InMemoryConversationStore(max_messages_per_conversation=cap)]
    for operation in operations:
        first, second = (_done(store, *operation) for store in stores)
        assert first == second


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
        case "rank":
            return sorted(ids(store.search_ranked(conversation, f"a {k} hit")))  # in an order of the store's own
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
