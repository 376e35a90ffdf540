"""LangGraph: the newest checkpoint of a thread is the conversation, ends of other branches its branches."""

from __future__ import annotations

import builtins
import json
import pickle
import sqlite3
from contextlib import closing

import msgpack
import pytest
from binary_samples import CHECKPOINTS, WRITES, checkpoint, database, langgraph__checkpoints_db, packed_object
from hypothesis import given
from hypothesis import settings as tried
from hypothesis import strategies as st

from historylab import as_sent
from historylab.conversation.sent import SENT_HISTORIES, sent_histories
from historylab.errors import LoadError
from historylab.formats.load import load


def said(*texts: str) -> list[dict]:
    return [{"type": "human", "content": text, "id": text} for text in texts]


def saved(*rows: tuple) -> bytes:
    """A database of checkpoints given as (thread, id, parent, encoding, bytes)."""
    full = [(thread, "", id, parent, encoding, data, b"{}") for thread, id, parent, encoding, data in rows]
    return database({"checkpoints": (CHECKPOINTS, full), "writes": (WRITES, [])})


def state(id: str, parent: str | None, *texts: str) -> dict:
    ids = [{"configurable": {"thread_id": "t", "checkpoint_id": each}} if each else None for each in (id, parent)]
    return {"values": {"messages": said(*texts)}, "config": ids[0], "parent_config": ids[1]}


def test_the_newest_checkpoint_of_each_thread_is_read_and_none_is_joined_to_another():
    buoys, fog = load(langgraph__checkpoints_db())
    assert [m.content for m in buoys if m.role == "user"] == ["Which buoy blinks?", "And at night?"]
    assert (buoys.title, fog.title) == ("buoys", "fog")


def test_another_end_is_a_branch_that_shares_the_messages_before_the_fork():
    conversation = load(langgraph__checkpoints_db())[0]
    (branch,) = conversation.branches
    assert branch[-1].content == "And the green one?"
    assert [a is b for a, b in zip(conversation, branch, strict=False)] == [True] * 4 + [False]


def test_a_history_of_states_has_the_newest_first_and_is_one_conversation():
    history = [
        state("4", "2", "a", "d"),
        state("3", "2", "a", "b", "c"),
        state("2", "1", "a", "b"),
        state("1", None, "a"),
    ]
    loaded = load(json.dumps(history).encode())
    assert [m.content for m in loaded[0]] == ["a", "d"]
    assert [[m.content for m in branch] for branch in loaded[0].branches] == [["a", "b", "c"]]
    assert loaded.report.records == 4


@pytest.mark.parametrize(
    "given",
    [
        {"values": {"messages": said("a")}, "next": []},
        {"state": {"values": {"messages": said("a")}}},
        {"channel_values": {"messages": said("a")}, "id": "1"},
        [{"messages": said("a")}, [], {"configurable": {"thread_id": "t"}}, {}, None, None],
        {"states": [state("1", None, "a")]},
    ],
)
def test_a_state_is_known_in_whichever_way_it_was_written(given):
    loaded = load(json.dumps(given).encode())
    assert loaded.report.member == "langgraph"
    assert [m.content for m in loaded[0]] == ["a"]


def test_a_state_without_messages_shows_those_of_the_checkpoint_before_it():
    begun = msgpack.packb({"channel_values": {"__start__": {"messages": []}}})
    (conversation,) = load(saved(("t", "1", None, "msgpack", checkpoint(said("a"))), ("t", "2", "1", "msgpack", begun)))
    assert [m.content for m in conversation] == ["a"]


def test_an_object_is_its_fields_and_nothing_is_imported_or_called():
    bomb = packed_object("os", "system", {"command": "touch nothing"})
    call = {"id": "t", "name": "f", "args": {"when": bomb}}
    message = {"type": "ai", "content": "x", "tool_calls": [call]}
    (conversation,) = load(saved(("t", "1", None, "msgpack", checkpoint([message]))))
    assert conversation[0].tool_calls[0].arguments == '{"when":{"command":"touch nothing"}}'


def test_what_is_pickled_stays_closed():
    loaded = load(
        saved(("t", "1", None, "pickle", pickle.dumps({})), ("u", "2", None, "msgpack", checkpoint(said("a"))))
    )
    assert list(loaded.report.skipped) == ["a checkpoint stored as pickle, which isn't opened"]


def test_bytes_that_are_no_text_are_replaced_in_a_checkpoint_of_json():
    broken = json.dumps({"channel_values": {"messages": said("a lamp")}}).encode().replace(b"lamp", b"l\xffmp")
    assert load(saved(("t", "1", None, "json", broken)))[0][0].content == "a l\ufffdmp"


def test_a_column_that_is_none_of_its_own_is_not_asked_for():
    plain = saved(("t", "1", None, "json", json.dumps({"channel_values": {"messages": said("a lamp")}}).encode()))
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(plain)
        made = "made TEXT GENERATED ALWAYS AS (hex(zeroblob(3000000))) VIRTUAL"
        connection.execute(f"ALTER TABLE checkpoints ADD COLUMN {made}")
        assert load(connection.serialize())[0][0].content == "a lamp"


def nested(depth: int) -> bytes:
    data = msgpack.packb(0)
    for _ in range(depth):
        data = msgpack.packb(msgpack.ExtType(7, data))
    return data


@pytest.mark.parametrize("broken", [b"", b"\xc1", b"\x91" * 300, nested(200), b"\x81\x90\x01", msgpack.packb([1])])
def test_damaged_checkpoints_are_skipped_with_the_reason(broken):
    with pytest.raises(LoadError, match=r"no message in it|nested more than"):
        load(saved(("t", "1", None, "msgpack", broken)))


def test_without_the_library_the_refusal_names_the_format_and_the_command(monkeypatch):
    def refuse(name, *rest, find=builtins.__import__):
        if name == "msgpack":
            raise ImportError(name)
        return find(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(LoadError, match=r"LangGraph checkpoints .*pip install \"historylab\[formats\]\""):
        load(langgraph__checkpoints_db())


def test_checkpoints_that_langgraph_wrote_itself_are_read():
    serde = pytest.importorskip("langgraph.checkpoint.serde.jsonplus").JsonPlusSerializer()
    from langchain_core.messages import AIMessage, HumanMessage

    held = [HumanMessage("ask", id="h"), AIMessage("x", tool_calls=[{"id": "t", "name": "f", "args": {"a": 1}}])]
    encoding, data = serde.dumps_typed({"channel_values": {"messages": held}})
    (conversation,) = load(saved(("t", "1", None, encoding, data)))
    assert [(m.role, m.content) for m in conversation] == [("user", "ask"), ("assistant", "x")]


def checkpoints(encoded: bool, *states: list[dict]):
    if encoded:
        rows = (("t", f"{i}", f"{i - 1}", "msgpack", checkpoint(held)) for i, held in enumerate(states))
        return load(saved(*rows))
    values = [state(f"{i}", f"{i - 1}") | {"values": {"messages": held}} for i, held in enumerate(states)]
    return load(json.dumps(values).encode())


def answer(text: str) -> dict:
    return {"type": "ai", "content": text, "id": text}


def sent(conversation, request: int = -1) -> list[str]:
    return [m.content for m in as_sent(conversation).plans[request].render()]


@pytest.mark.parametrize("encoded", [True, False])
def test_older_messages_that_a_later_checkpoint_removed_were_not_sent_from_there_on(encoded):
    first = [*said("a"), answer("b"), *said("c")]
    kept = [*said("summary"), *said("c"), answer("d"), *said("e")]
    (conversation,) = loaded = checkpoints(encoded, first, kept[:2], kept[:3], kept, [*kept, answer("f")])
    assert [m.content for m in conversation] == ["a", "b", "c", "summary", "d", "e", "f"]
    assert [sent(conversation, k) for k in (0, 1, 2)] == [["a"], ["summary", "c"], ["summary", "c", "d", "e"]]
    (cut,) = conversation.recorded.compactions
    assert (cut.request, cut.dropped, cut.summary, cut.by) == (1, (0, 1), 3, "LangGraph")
    assert (list(loaded.report.warnings), loaded.report.records) == ([], 7)


def test_the_newest_messages_that_a_later_checkpoint_removed_were_taken_back():
    (conversation,) = loaded = checkpoints(
        False, [*said("a"), answer("b"), *said("c")], said("a"), [*said("a"), answer("d")]
    )
    assert [m.content for m in conversation] == ["a", "d"]
    assert list(loaded.report.warnings) == ["messages of an earlier checkpoint that were removed since, left out"]


STATES = st.lists(
    st.lists(st.sampled_from([*said("a", "b", "c"), answer("d"), answer("e"), {"type": "tool", "content": "x"}, 5]),
             min_size=1, max_size=5).map(lambda held: [*held, *said("z")]),
    min_size=1, max_size=5,
)  # fmt: skip


@tried(deadline=None, max_examples=100)
@given(STATES)
def test_whatever_checkpoints_remove_every_history_fits(states):
    for conversation in checkpoints(False, *states):
        for path in (conversation, *conversation.branches):
            assert len(sent_histories(path) or ()) == len(path.metadata.get(SENT_HISTORIES, ()))


def test_of_two_states_of_one_checkpoint_the_first_is_read_and_the_other_counted():
    loaded = load(json.dumps([state("1", None, "a"), state("1", None, "b")]).encode())
    assert [m.content for m in loaded[0]] == ["a"]
    assert list(loaded.report.skipped) == ["a state with the checkpoint_id of one before it"]


def test_the_end_of_a_path_without_messages_is_named():
    odd = state("3", "1", "a", "c")
    odd["values"]["messages"] = {"x": odd["values"]["messages"]}
    loaded = load(json.dumps([state("2", "1", "a", "b"), odd, state("1", None, "a")]).encode())
    assert list(loaded.report.warnings) == ["a last state in which no messages were found"]
