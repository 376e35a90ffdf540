"""Capture: what is stored around an agent, under which id and scope, and that a store's failure stops nothing."""

from __future__ import annotations

import pytest

from historylab.stores.memory import InMemoryConversationStore
from historylab.systems.toolpack.capture import CaptureInterceptor

ALICE = {"kind": "user", "id": "U1", "displayName": "Alice"}


def captured(context: dict | None = None, result: dict | None = None, **inbound):
    """What is stored of one exchange, and what came back."""
    store = InMemoryConversationStore()
    message = {"message": "hi", "conversationId": "c1", "participant": ALICE, "context": context, **inbound}
    returned = CaptureInterceptor(store, "kael")(message, lambda _: result)
    return store.get("c1"), returned


class Failing(InMemoryConversationStore):
    def append(self, message):
        raise OSError("disk full")


@pytest.mark.feature("T02")
@pytest.mark.parametrize(
    ("context", "id"),
    [
        ({"messageId": "m", "eventId": "e"}, "m"),
        ({"eventId": "e"}, "e"),
        ({"messageId": "", "eventId": "e"}, "e"),
        ({"messageId": 42}, "42"),
    ],
)
def test_the_platforms_id_is_the_messages_id(context, id):
    assert captured(context)[0][0].id == id


@pytest.mark.feature("T02")
def test_without_any_id_the_message_gets_one_of_its_own():
    first, second = captured()[0][0].id, captured()[0][0].id
    assert len(first) == len(second) == 36
    assert first != second


@pytest.mark.feature("T02", "T11")
@pytest.mark.parametrize(
    ("context", "scope"),
    [
        *(({"channelType": kind, "threadId": "t"}, "dm") for kind in ("im", "private", "dm")),
        ({"channelType": "channel", "threadId": "t"}, "thread"),
        ({"channelType": "channel"}, "channel"),
        ({}, "channel"),
    ],
)
def test_the_scope_comes_from_the_channel(context, scope):
    stored, _ = captured(context, {"output": "hello"})
    assert [message.scope for message in stored] == [scope, scope]


@pytest.mark.feature("T02", "T11")
def test_mentions_are_always_stored_with_the_question_and_never_with_the_reply():
    stored, _ = captured({"channelId": "C1", "elsewhere": "x"}, {"output": "hello"})
    assert [message.metadata for message in stored] == [{"channelId": "C1", "mentions": []}, {"channelId": "C1"}]


@pytest.mark.feature("T02")
def test_an_agent_that_stays_out_of_it_leaves_no_reply():
    stored, returned = captured(result=None)
    assert ([m.content for m in stored], returned) == (["hi"], None)


@pytest.mark.feature("T05")
def test_a_failing_store_stops_nothing_and_is_told_of(caplog):
    inbound = {"message": "hi", "conversationId": "c1", "participant": ALICE}
    assert CaptureInterceptor(Failing(), "kael")(inbound, lambda _: {"output": "hello"}) == {"output": "hello"}
    assert [record.message for record in caplog.records] == [
        "[capture-history] Failed to store inbound message",
        "[capture-history] Failed to store agent reply",
    ]


@pytest.mark.feature("T05")
def test_a_participant_that_is_none_costs_the_question_only(caplog):
    stored, returned = captured(result={"output": "hello"}, participant={"name": "no id"})
    assert [message.content for message in stored] == ["hello"]
    assert returned == {"output": "hello"}
    assert "Failed to store inbound message" in caplog.text


@pytest.mark.feature("T02")
def test_without_a_conversation_nothing_is_stored_but_the_agent_is_asked(caplog):
    stored, returned = captured(result={"output": "hello"}, conversationId=None)
    assert (stored, returned) == ([], {"output": "hello"})
    assert caplog.records[0].message == "[capture-history] Message has no conversationId — skipping capture"


@pytest.mark.feature("T05")
def test_what_the_agent_raises_is_the_callers_and_the_question_is_stored_by_then():
    store = InMemoryConversationStore()

    def fail(_):
        raise RuntimeError("model down")

    with pytest.raises(RuntimeError, match="model down"):
        CaptureInterceptor(store, "kael")({"message": "hi", "conversationId": "c1", "participant": ALICE}, fail)
    assert [message.content for message in store.get("c1")] == ["hi"]
