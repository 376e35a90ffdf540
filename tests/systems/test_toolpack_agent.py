"""toolpack's agent: history before every call of the model, capture around it, a store for one or many."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from agent_rooms import ALICE, EVERYTHING, Recorder, long_room, store_of, summarizer
from stored_messages import fill, posted

from historylab.errors import HistoryLabError
from historylab.systems.toolpack import (
    AssemblerOptions,
    BaseAgent,
    InMemoryConversationStore,
    SQLiteConversationStore,
    resolve_assembler_options,
)


@pytest.mark.feature("T01")
def test_an_agent_has_a_store_in_memory_of_its_own_unless_it_is_given_one():
    first, second = BaseAgent("kael", Recorder()), BaseAgent("kael", Recorder())
    assert isinstance(first.conversation_history, InMemoryConversationStore)
    assert first.conversation_history is not second.conversation_history
    store = SQLiteConversationStore()
    assert BaseAgent("kael", Recorder(), conversation_history=store).conversation_history is store


@pytest.mark.feature("T02", "T03", "T04")
def test_handling_a_message_stores_it_answers_it_with_the_history_and_stores_the_answer():
    model = Recorder("hello Alice", "noon")
    agent = BaseAgent("kael", model)
    first = {"message": "hi", "conversationId": "c1", "participant": ALICE, "context": {"messageId": "p-1"}}
    assert agent.handle(first) == {"output": "hello Alice"}
    agent.handle({"message": "when?", "conversationId": "c1", "participant": ALICE})
    stored = agent.conversation_history.get("c1")
    assert [m.content for m in stored] == ["hi", "hello Alice", "when?", "noon"]
    assert [m.participant.kind for m in stored] == ["user", "agent", "user", "agent"]
    assert model.sent == [
        [{"role": "user", "content": "hi"}],
        [
            {"role": "user", "content": "Alice: hi"},
            {"role": "assistant", "content": "hello Alice"},
            {"role": "user", "content": "when?"},
        ],
    ]


@pytest.mark.feature("T03")
@pytest.mark.parametrize("context", [None, {"messageId": "p-9"}, {"eventId": 9}])
def test_the_message_being_answered_is_sent_once_and_bare_under_whatever_id_it_came(context):
    model = Recorder()
    BaseAgent("kael", model).handle({"message": "hi", "conversationId": "c1", "participant": ALICE, "context": context})
    assert model.sent == [[{"role": "user", "content": "hi"}]]


@pytest.mark.feature("T03")
def test_a_message_of_the_same_words_said_before_is_not_mistaken_for_the_one_being_answered():
    store = store_of(posted("09:00 alice: yes", "old", mentions=["kael"]), posted("09:01 (kael): sure?"))
    fill(store, posted("09:02 alice: yes", "new"))
    model = Recorder()
    BaseAgent("kael", model, conversation_history=store).run("yes", conversation_id="room", message_id="new")
    assert [m["content"] for m in model.sent[0]] == ["alice: yes", "sure?", "yes"]


@pytest.mark.feature("T03")
def test_what_somebody_says_meanwhile_does_not_send_the_message_twice():
    store = store_of(posted("09:00 alice: hi", "mine", mentions=["kael"]), posted("09:00:01 bob: me too", "meanwhile"))
    model = Recorder()
    BaseAgent("kael", model, conversation_history=store).run("hi", conversation_id="room", message_id="mine")
    assert [m["content"] for m in model.sent[0]] == ["bob: me too", "hi"]


@pytest.mark.feature("T03")
def test_without_a_conversation_there_is_no_history_and_no_tool():
    model = Recorder()
    agent = BaseAgent("kael", model, conversation_history=store_of("09:00 alice: x"))
    assert agent.run("hi") == "answer"
    assert (model.sent, model.tools) == ([[{"role": "user", "content": "hi"}]], [[]])


class Broken(InMemoryConversationStore):
    def _fail(self, *_, **__):
        raise OSError("the database is on fire")

    append = get = search = delete_messages = _fail


@pytest.mark.feature("T05")
def test_a_store_that_fails_in_everything_never_costs_the_answer(caplog):
    model = Recorder("still here")
    agent = BaseAgent("kael", model, conversation_history=Broken())
    answer = agent.handle({"message": "hi", "conversationId": "c1", "participant": ALICE})
    assert answer == {"output": "still here"}
    assert model.sent == [[{"role": "user", "content": "hi"}]]
    assert model.tools[0][0](query="x")["count"] == 0
    assert "[capture-history] Failed to store inbound message" in caplog.messages
    assert "[capture-history] Failed to store agent reply" in caplog.messages


@pytest.mark.feature("T22")
def test_bot_ids_of_the_channels_follow_the_manual_aliases_once_each_and_empty_ones_are_skipped():
    channels = [type("Channel", (), {"bot_user_id": id})() for id in ("U1", "", None, "manual", "U2", "U1")]
    options = resolve_assembler_options(AssemblerOptions(agent_aliases=["manual", ""]), [*channels, object()])
    assert options.agent_aliases == ("manual", "U1", "U2")
    assert resolve_assembler_options() == AssemblerOptions()


@pytest.mark.feature("T22")
def test_an_agents_channels_let_it_be_mentioned_by_its_bot_id():
    store = store_of(posted("09:00 alice: for the bot", mentions=["U1BOT"]), "09:01 bob: chatter", "09:02 bob: last")
    model = Recorder()
    slack = type("SlackChannel", (), {"bot_user_id": "U1BOT"})()
    BaseAgent("kael", model, conversation_history=store, channels=[slack]).run(" ", conversation_id="room")
    assert [m["content"] for m in model.sent[0]] == ["alice: for the bot", "bob: last"]


@pytest.mark.feature("T23")
def test_an_agent_that_watches_a_whole_channel_is_sent_all_of_it():
    model = Recorder()
    store = store_of("09:00 alice: x", "09:01 bob: y", "09:02 alice: z")
    BaseAgent("kael", model, conversation_history=store, assembler_options=EVERYTHING).run("", conversation_id="room")
    assert [m["content"] for m in model.sent[0]] == ["alice: x", "bob: y", "alice: z"]


@pytest.mark.feature("T24")
def test_an_agent_with_a_summariser_summarises_when_it_runs():
    model, options = Recorder(), replace(EVERYTHING, rolling_summary_threshold=4)
    agent = BaseAgent("kael", model, conversation_history=long_room(6), assembler_options=options)
    agent.run("", conversation_id="room")
    assert [m["content"] for m in model.sent[0]] == ["alice: t2", "t3", "alice: t4", "t5"]
    agent.summarizer = summarizer("what was said")
    agent.run("", conversation_id="room")
    assert model.sent[1][0] == {"role": "system", "content": "[Summary of 3 earlier turns]: what was said"}


@pytest.mark.feature("T26", "T27")
def test_a_run_in_a_conversation_has_the_search_tool_of_that_conversation():
    model = Recorder()
    store = fill(
        store_of("09:00 alice: secret of the room"), posted("09:00 eve: secret of others", conversation="other")
    )
    BaseAgent("kael", model, conversation_history=store).run("hi", conversation_id="other")
    (tool,) = model.tools[0]
    found = tool(query="secret", conversationId="room", conversation_id="room", limit=50)
    assert [result["content"] for result in found["results"]] == ["secret of others"]


@pytest.mark.feature("T29")
def test_the_store_can_be_replaced_at_any_time_by_any_that_keeps_the_contract():
    class Journal:
        """The least a store has to be."""

        def __init__(self):
            self.messages = []

        def append(self, message):
            self.messages.append(message)

        def get(self, conversation_id, **_):
            return [m for m in self.messages if m.conversation_id == conversation_id]

    model = Recorder("one", "two")
    agent = BaseAgent("kael", model)
    agent.handle({"message": "hi", "conversationId": "c1", "participant": ALICE})
    agent.conversation_history = Journal()
    agent.handle({"message": "again", "conversationId": "c1", "participant": ALICE})
    assert model.sent[1] == [{"role": "user", "content": "again"}]
    assert [m.content for m in agent.conversation_history.messages] == ["again", "two"]


class MyAgent(BaseAgent):
    """The document's own example, in Python."""

    name = "my-agent"
    description = "..."
    mode = "chat"
    conversation_history = InMemoryConversationStore(max_messages_per_conversation=200)


@pytest.mark.feature("T09", "T29")
def test_what_the_documents_subclass_sets_is_what_counts():
    store, model = MyAgent.conversation_history, Recorder("hello")
    agent = MyAgent(generate=model)
    assert (agent.name, agent.description, agent.mode) == ("my-agent", "...", "chat")
    assert agent.conversation_history is store
    agent.handle({"message": "hi", "conversationId": "of MyAgent", "participant": ALICE})
    assert [(m.participant.id, m.content) for m in store.get("of MyAgent")] == [("U1", "hi"), ("my-agent", "hello")]
    for k in range(201):
        fill(store, posted(f"09:00:{k % 60:02} alice: {k}", conversation="full"))
    assert len(store.get("full")) == 200


@pytest.mark.feature("T29")
def test_a_subclass_with_a_store_in_a_file_remembers_across_processes(tmp_path):
    class Lasting(BaseAgent):
        name = "my-agent"
        conversation_history = SQLiteConversationStore(tmp_path / "conversations.db")

        def generate(self, messages, tools):
            return f"{len(messages)} messages, for {self.name}"

    assert Lasting().handle({"message": "hi", "conversationId": "c1", "participant": ALICE}) == {
        "output": "1 messages, for my-agent"
    }
    assert len(SQLiteConversationStore(tmp_path / "conversations.db").get("c1")) == 2


@pytest.mark.feature("T29")
def test_nothing_a_subclass_sets_is_overwritten_wherever_it_sets_it():
    store, options, slack = InMemoryConversationStore(), replace(EVERYTHING, token_budget=7), object()

    class InItsBody(BaseAgent):
        name, generate, conversation_history = "kael", Recorder(), store
        assembler_options, channels, summarizer = options, [slack], staticmethod(summarizer("S"))

    class BeforeTheBaseClass(BaseAgent):
        def __init__(self):
            self.name, self.generate, self.conversation_history = "kael", Recorder(), store
            self.assembler_options, self.channels, self.summarizer = options, [slack], InItsBody.summarizer
            super().__init__()

    class InAProperty(InItsBody):
        @property
        def conversation_history(self):
            return store

    for agent in (InItsBody(), BeforeTheBaseClass(), InAProperty()):
        assert (agent.name, agent.conversation_history, agent.assembler_options) == ("kael", store, options)
        assert [*agent.channels] == [slack]
        assert agent.summarizer is not None
    assert InItsBody("strange").name == "strange"


@pytest.mark.feature("T22", "T29")
@pytest.mark.parametrize("names", [("agentAliases", "addressedOnlyMode"), ("agent_aliases", "addressed_only_mode")])
def test_options_may_be_assigned_at_any_time_as_the_document_writes_them(names):
    aliases, addressed_only = names
    store = store_of(posted("09:00 alice: for the bot", mentions=["U123BOT"]), "09:01 bob: y", "09:02 alice: z")
    model = Recorder()
    agent = BaseAgent("kael", model, conversation_history=store)
    agent.assembler_options = {aliases: ["U123BOT", "telegram-bot-456"]}
    agent.run("", conversation_id="room")
    agent.assembler_options = {addressed_only: False}
    agent.run("", conversation_id="room")
    assert [[m["content"][-1] for m in sent] for sent in model.sent] == [["t", "z"], ["t", "y", "z"]]


def test_a_name_that_python_does_not_have_is_refused_and_the_one_it_has_is_named():
    agent = BaseAgent("kael", Recorder())
    with pytest.raises(HistoryLabError, match="assembler_options"):
        agent.assemblerOptions = EVERYTHING
    with pytest.raises(HistoryLabError, match="conversation_history"):
        type("Theirs", (BaseAgent,), {"conversationHistory": InMemoryConversationStore()})
    agent.assembler_options = {"tokenBudgett": 9}
    with pytest.raises(HistoryLabError, match="tokenBudgett"):
        agent.run("hi", conversation_id="room")
    with pytest.raises(HistoryLabError, match="generate"):
        BaseAgent("kael")
    with pytest.raises(HistoryLabError, match="name"):
        BaseAgent(generate=Recorder())


@pytest.mark.feature("T30")
def test_two_agents_of_one_store_see_each_others_words_in_the_same_conversation_only():
    store, first, second = SQLiteConversationStore(), Recorder("from kael"), Recorder("from strange")
    kael = BaseAgent("kael", first, conversation_history=store)
    strange = BaseAgent("strange", second, conversation_history=store, assembler_options=EVERYTHING)
    kael.handle({"message": "hi", "conversationId": "c1", "participant": ALICE})
    strange.handle({"message": "and you?", "conversationId": "c1", "participant": ALICE})
    strange.handle({"message": "alone?", "conversationId": "c2", "participant": ALICE})
    assert [m["content"] for m in second.sent[0]] == ["Alice: hi", "kael (agent): from kael", "and you?"]
    assert second.sent[1] == [{"role": "user", "content": "alone?"}]


@pytest.mark.feature("T30")
@pytest.mark.parametrize("make", [InMemoryConversationStore, SQLiteConversationStore])
def test_many_agents_answer_in_one_store_at_the_same_time(make):
    store, agents, each = make(), 6, 10

    def work(me: int):
        agent = BaseAgent(f"agent {me}", Recorder(f"answer of {me}"), conversation_history=store)
        for k in range(each):
            agent.handle({"message": f"{me} {k}", "conversationId": f"c{me % 2}", "participant": ALICE})

    workers = [threading.Thread(target=work, args=(me,)) for me in range(agents)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [len(store.get(f"c{k}")) for k in range(2)] == [agents * each] * 2


@pytest.mark.feature("T03")
def test_a_blank_message_is_not_sent_and_takes_nothing_of_the_history_with_it():
    model = Recorder()
    store = store_of(posted("09:00 alice: hello?", "m1"))
    BaseAgent("kael", model, conversation_history=store).run(" \n", conversation_id="room", message_id="m1")
    assert model.sent == [[{"role": "user", "content": "alice: hello?"}]]
