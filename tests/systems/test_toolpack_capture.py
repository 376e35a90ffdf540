"""Capture and the chain it opens: what is stored around an agent, and that a failing store stops nothing."""

from __future__ import annotations

import pytest
from agent_rooms import Recorder

from historylab.systems.toolpack import BaseAgent, CaptureInterceptor, InMemoryConversationStore, compose_chain

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


# -- the chain of interceptors

INBOUND = {"message": "hi", "conversationId": "c1", "participant": ALICE}


def texts(store) -> list[str]:
    return [message.content for message in store.get("c1")]


def noting(notes: list[str], name: str, store=None):
    """An interceptor that notes when it is entered and left, and what is stored by then."""

    def interceptor(inbound, next_):
        notes.append(f"{name} in" + (f" {texts(store)}" if store else ""))
        result = next_()
        notes.append(f"{name} out" + (f" {texts(store)}" if store else ""))
        return result

    return interceptor


@pytest.mark.feature("T02")
def test_the_first_interceptor_is_outermost_and_the_agent_is_innermost():
    notes: list[str] = []
    chain = compose_chain([noting(notes, "first"), noting(notes, "second")], lambda inbound: notes.append("agent"))
    assert chain(INBOUND) is None
    assert notes == ["first in", "second in", "agent", "second out", "first out"]
    assert compose_chain([], lambda inbound: {"output": inbound["message"]})(INBOUND) == {"output": "hi"}


@pytest.mark.feature("T02", "T04")
def test_capture_stands_before_an_agents_interceptors_without_being_named():
    notes: list[str] = []
    agent = BaseAgent("kael", Recorder("hello"))
    agent.interceptors = [noting(notes, "mine", agent.conversation_history)]
    assert agent.handle(INBOUND) == {"output": "hello"}
    assert notes == ["mine in ['hi']", "mine out ['hi']"]
    assert texts(agent.conversation_history) == ["hi", "hello"]


@pytest.mark.feature("T02")
def test_capture_that_is_in_the_chain_already_stands_where_it_was_put_and_stores_once():
    notes: list[str] = []
    store = InMemoryConversationStore()
    interceptors = [noting(notes, "before", store), CaptureInterceptor(store, "kael"), noting(notes, "after", store)]
    BaseAgent("kael", Recorder("hello"), conversation_history=store, interceptors=interceptors).handle(INBOUND)
    assert notes == ["before in []", "after in ['hi']", "after out ['hi']", "before out ['hi', 'hello']"]


@pytest.mark.feature("T02", "T05")
def test_an_interceptor_that_skips_leaves_the_question_stored_and_the_model_unasked():
    model = Recorder()
    agent = BaseAgent("kael", model, interceptors=[lambda inbound, next_: None])
    assert agent.handle(INBOUND) is None
    assert (texts(agent.conversation_history), model.sent) == (["hi"], [])


@pytest.mark.feature("T02")
def test_an_answer_given_by_an_interceptor_is_stored_like_the_agents():
    model = Recorder()
    agent = BaseAgent("kael", model, interceptors=[lambda inbound, next_: {"output": "I am away."}])
    assert agent.handle(INBOUND) == {"output": "I am away."}
    assert (texts(agent.conversation_history), model.sent) == (["hi", "I am away."], [])


@pytest.mark.feature("T02")
def test_what_an_interceptor_passes_on_is_what_stands_behind_it_gets():
    model = Recorder("hello")
    agent = BaseAgent("kael", model)
    agent.interceptors = [
        lambda inbound, next_: next_({**inbound, "message": "hi, in other words"}),
        lambda inbound, next_: next_(),
    ]
    agent.handle(INBOUND)
    assert model.sent[0][-1]["content"] == "hi, in other words"
    assert texts(agent.conversation_history) == ["hi", "hello"]


@pytest.mark.feature("T05")
def test_what_an_interceptor_raises_passes_through_capture_to_the_caller():
    def fail(inbound, next_):
        raise RuntimeError("rate limit")

    agent = BaseAgent("kael", Recorder(), interceptors=[fail])
    with pytest.raises(RuntimeError, match="rate limit"):
        agent.handle(INBOUND)
    assert texts(agent.conversation_history) == ["hi"]
