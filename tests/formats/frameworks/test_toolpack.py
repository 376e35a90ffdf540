"""toolpack-agents' stored messages: several conversations to a file, each in the order of its times."""

from __future__ import annotations

import json

import pytest
from binary_samples import toolpack__conversation_db
from stored_messages import fill, posted

from historylab.errors import UnknownFormat
from historylab.formats.load import load
from historylab.formats.samples import load_sample
from historylab.systems.toolpack import SQLiteConversationStore


def file(*messages, change: dict | None = None, lines: bool = True) -> bytes:
    records = [message.to_dict() for message in messages]
    if change:
        records[-1] |= change
    return ("\n".join(map(json.dumps, records)) if lines else json.dumps(records)).encode()


def test_conversations_of_one_file_are_told_apart_and_ordered_by_time():
    desk, private = load_sample("ferry-desk")
    assert (desk.title, private.title) == ("#ferry-desk", "D-teo-skipper")
    assert desk.metadata == {"conversationId": "C-ferry-desk"}
    loaded = load(file(posted("09:05 a: late"), posted("09:00 b: x", conversation="other"), posted("09:01 (c): early")))
    assert [[m.content for m in c] for c in loaded] == [["early", "late"], ["x"]]
    assert [m.role for m in loaded[0]] == ["assistant", "user"]
    assert list(loaded.report.warnings) == ["messages put in the order of their times"]


@pytest.mark.parametrize("lines", [True, False])
def test_what_filters_ask_for_is_in_the_messages(lines):
    given = posted("09:00 (kael): hi", "m1", scope="dm", mentions=["x"], isSummary=True)
    (message,) = load(file(given, lines=lines))[0]
    assert message.metadata == {
        "participant": "kael",
        "participantKind": "agent",
        "scope": "dm",
        "mentions": ["x"],
        "isSummary": True,
    }
    assert (message.id, message.timestamp, message.source) == ("m1", "2026-01-01T09:00:00Z", given.to_dict())


def test_an_object_that_holds_the_messages_is_read_too():
    held = json.dumps({"messages": [posted("09:00 a: x").to_dict(), posted("09:01 (b): y").to_dict()]})
    assert len(load(held.encode())[0]) == 2


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"participant": {"kind": "user"}}, "no participant with a kind and an id"),
        ({"content": None}, "content is null, not text"),
        ({"conversationId": 7}, "conversationId is a number, not text"),
        ({"id": "first"}, "a second message of the same id"),
    ],
)
def test_what_is_no_stored_message_is_skipped_with_the_reason(change, reason):
    report = load(file(posted("09:00 a: first"), posted("09:01 a: second"), posted("09:02 a: x"), change=change)).report
    assert (report.records, report.messages) == (3, 2)
    assert list(report.skipped) == [reason]


def test_what_is_not_read_of_a_stored_message_is_named():
    participant = {"kind": "user", "id": "a", "displayName": 5, "mood": "good"}
    change = {"metadata": "none", "attachments": ["x"], "participant": participant}
    loaded = load(file(posted("09:00 a: x"), posted("09:01 a: y"), change=change))
    assert list(loaded.report.warnings) == [
        "a field 'attachments' not read",
        "a field 'mood' not read",
        "metadata that is text",
        "a displayName that is a number",
    ]


def test_where_a_time_cannot_be_read_the_order_of_the_file_stays_and_is_told_of():
    loaded = load(file(posted("09:05 a: late"), posted("09:00 a: early"), change={"timestamp": "yesterday"}))
    assert [m.content for m in loaded[0]] == ["late", "early"]
    assert list(loaded.report.warnings) == ["a timestamp that is no time"]


def test_objects_without_participants_are_somebody_elses():
    with pytest.raises(UnknownFormat):
        load(b'{"conversationId": "c", "content": "x"}\n{"participant": "alice"}')


def test_its_database_holds_the_same_messages_as_rows():
    (conversation,) = load(toolpack__conversation_db())
    assert [(m.role, m.name, m.content) for m in conversation] == [
        ("user", "Ines", "Who opens up?"),
        ("assistant", None, "I do, at seven."),
    ]
    assert (conversation.title, conversation[1].metadata["participant"]) == ("#quay", "kael")


def test_our_own_store_is_such_a_database_too(tmp_path):
    with_store = SQLiteConversationStore(tmp_path / "room.db")
    fill(with_store, posted("09:00 a: hello"), posted("09:01 (b): hi")).close()
    assert [m.content for m in load(tmp_path / "room.db")[0]] == ["hello", "hi"]
