"""toolpack's conversation history: its feature list (T01 to T30), beside the recorded cases and the stores' tests."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stored import fill, ids, said

from historylab.conversation import Conversation
from historylab.counters.toolpack import ToolpackCounter
from historylab.errors import HistoryLabError
from historylab.importers.toolpack import to_message
from historylab.pipeline import plan_history
from historylab.replay import replay
from historylab.samples import load_sample
from historylab.stores.base import ConversationStore
from historylab.systems.toolpack import (
    PRESET,
    AssemblerOptions,
    BaseAgent,
    InMemoryConversationStore,
    Participant,
    SQLiteConversationStore,
    StoredMessage,
    SummarizerAgent,
    SummarizerOutput,
    assemble_prompt,
    estimate_tokens,
    resolve_assembler_options,
)

EVERYTHING = AssemblerOptions(addressed_only_mode=False)
ALICE = {"kind": "user", "id": "U1", "displayName": "Alice"}
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def room(*lines: str | StoredMessage) -> InMemoryConversationStore:
    return fill(InMemoryConversationStore(), *(said(x) if isinstance(x, str) else x for x in lines))


def sent(store, options: AssemblerOptions | None = None, summarizer=None, agent: str = "kael") -> list[str]:
    """What is sent, as lines "role: content"."""
    assembled = assemble_prompt(store, "room", agent, agent, options, summarizer, now=NOON)
    return [f"{message['role']}: {message['content']}" for message in assembled.messages]


def long_room(turns: int) -> InMemoryConversationStore:
    """Turns t0, t1, … of Alice and kael in turn, a minute apart."""
    lines = (f"{9 + k // 60:02}:{k % 60:02} {'(kael)' if k % 2 else 'alice'}: t{k}" for k in range(turns))
    return room(*lines)


def summarizer(text: str = "S", *, calls: list | None = None):
    def summarize(turns, **options):
        if calls is not None:
            calls.append((ids(turns), options))
        return SummarizerOutput(text, len(turns))

    return summarize


class Recorder:
    """A model that answers in order and keeps what it was sent."""

    def __init__(self, *answers: str):
        self.answers, self.sent, self.tools = list(answers) or ["answer"], [], []

    def __call__(self, messages, tools):
        self.sent.append(messages)
        self.tools.append(tools)
        return self.answers[min(len(self.sent), len(self.answers)) - 1]


# -- the agent (T01 to T05, T22, T24, T26, T29, T30)


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
    store = room(said("09:00 alice: yes", "old", mentions=["kael"]), said("09:01 (kael): sure?"))
    fill(store, said("09:02 alice: yes", "new"))
    model = Recorder()
    BaseAgent("kael", model, conversation_history=store).run("yes", conversation_id="room", message_id="new")
    assert [m["content"] for m in model.sent[0]] == ["alice: yes", "sure?", "yes"]


@pytest.mark.feature("T03")
def test_what_somebody_says_meanwhile_does_not_send_the_message_twice():
    store = room(said("09:00 alice: hi", "mine", mentions=["kael"]), said("09:00:01 bob: me too", "meanwhile"))
    model = Recorder()
    BaseAgent("kael", model, conversation_history=store).run("hi", conversation_id="room", message_id="mine")
    assert [m["content"] for m in model.sent[0]] == ["bob: me too", "hi"]


@pytest.mark.feature("T03")
def test_without_a_conversation_there_is_no_history_and_no_tool():
    model = Recorder()
    agent = BaseAgent("kael", model, conversation_history=room("09:00 alice: x"))
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
    store = room(said("09:00 alice: for the bot", mentions=["U1BOT"]), "09:01 bob: chatter", "09:02 bob: last")
    model = Recorder()
    slack = type("SlackChannel", (), {"bot_user_id": "U1BOT"})()
    BaseAgent("kael", model, conversation_history=store, channels=[slack]).run(" ", conversation_id="room")
    assert [m["content"] for m in model.sent[0]] == ["alice: for the bot", "bob: last"]


@pytest.mark.feature("T23")
def test_an_agent_that_watches_a_whole_channel_is_sent_all_of_it():
    model = Recorder()
    store = room("09:00 alice: x", "09:01 bob: y", "09:02 alice: z")
    BaseAgent("kael", model, conversation_history=store, assembler_options=EVERYTHING).run("", conversation_id="room")
    assert [m["content"] for m in model.sent[0]] == ["alice: x", "bob: y", "alice: z"]


@pytest.mark.feature("T24")
def test_an_agent_with_a_summariser_summarises_when_it_runs():
    model, options = Recorder(), replace(EVERYTHING, rolling_summary_threshold=4)
    agent = BaseAgent("kael", model, conversation_history=long_room(6), assembler_options=options)
    agent.run("", conversation_id="room")
    assert len(model.sent[0]) == 6
    agent.summarizer = summarizer("what was said")
    agent.run("", conversation_id="room")
    assert model.sent[1][0] == {"role": "system", "content": "[Summary of 3 earlier turns]: what was said"}


@pytest.mark.feature("T26", "T27")
def test_a_run_in_a_conversation_has_the_search_tool_of_that_conversation():
    model = Recorder()
    store = fill(room("09:00 alice: secret of the room"), said("09:00 eve: secret of others", conversation="other"))
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


# -- stored messages (T10 to T12)


@pytest.mark.feature("T10", "T11")
def test_a_stored_message_is_its_published_json_and_back_and_what_is_absent_stays_absent():
    least = {
        "id": "m",
        "conversationId": "c",
        "participant": {"kind": "user", "id": "U1"},
        "content": "",
        "timestamp": "2026-01-01T00:00:00Z",
        "scope": "dm",
    }
    keys = ("channelType", "channelName", "channelId", "threadId", "messageId", "anything")
    most = least | {"participant": ALICE, "metadata": dict.fromkeys(keys, "x") | {"mentions": [], "isSummary": True}}
    assert [StoredMessage.from_dict(given).to_dict() for given in (least, most)] == [least, most]


@pytest.mark.feature("T10")
@pytest.mark.parametrize(
    ("change", "said_of_it"),
    [
        ({"id": None}, "'id' is text, not None"),
        ({"participant": "alice"}, "'participant' is an object, not 'alice'"),
        ({"participant": {"kind": "user"}}, "'id' is text"),
        ({"metadata": []}, "'metadata' is an object"),
    ],
)
def test_what_is_no_stored_message_is_refused_with_what_is_wrong(change, said_of_it):
    with pytest.raises(HistoryLabError, match=said_of_it):
        StoredMessage.from_dict(said("09:00 alice: x").to_dict() | change)


@pytest.mark.feature("T12", "T13")
def test_each_kind_of_participant_has_its_role_and_wording():
    store = room("09:00 alice: 1", "09:01 (kael): 2", "09:02 (strange): 3", "09:03 <bot>: 4")
    fill(store, replace(said("09:04 alice: tool"), participant=Participant("gadget", "G1", "Gadget")))
    assert sent(store, EVERYTHING) == [
        "user: alice: 1",
        "assistant: 2",
        "user: strange (agent): 3",
        "system: 4",
        "user: Gadget: tool",
    ]


@pytest.mark.feature("T13", "T17")
def test_equal_messages_in_a_row_stay_two():
    assert sent(room("09:00 alice: x", said("09:01 alice: x", "2")), EVERYTHING) == ["user: alice: x"] * 2


# -- loading and filtering (T14 to T16, T21)


@pytest.mark.feature("T14", "T20")
def test_an_empty_room_is_an_empty_prompt():
    assembled = assemble_prompt(InMemoryConversationStore(), "room", "kael", "Kael")
    assert (assembled.messages, assembled.estimated_tokens, assembled.turns_loaded) == ([], 0, 0)
    assert assembled.has_summary is False


@pytest.mark.feature("T15")
def test_the_store_is_asked_for_the_slice_and_for_nothing_more():
    asked = []

    class Asked(InMemoryConversationStore):
        def get(self, conversation_id, **options):
            asked.append((conversation_id, options))
            return super().get(conversation_id, **options)

    options = AssemblerOptions(scope="dm", time_window_minutes=90, max_turns_to_load=7)
    at = datetime(2026, 1, 1, 14, tzinfo=timezone(timedelta(hours=2)))
    assemble_prompt(Asked(), "room", "kael", "kael", options, now=at)
    slice_ = {"scope": "dm", "since_timestamp": "2026-01-01T10:30:00+00:00", "limit": 7}
    assert asked == [("room", slice_)]


@pytest.mark.feature("T16")
def test_addressed_only_keeps_own_turns_mentions_what_was_answered_and_the_newest():
    store = room(
        "09:00 bob: chatter",
        said("09:01 bob: by alias", mentions=["U_KAEL"]),
        "09:02 bob: chatter again",
        "09:03 bob: answered",
        "09:04 (kael): own",
        said("09:05 bob: wrong case", mentions=["KAEL"]),
        "09:06 bob: kael, by name only",
        said("09:07 <summarizer>: stored", isSummary=True),
        "09:08 bob: newest",
    )
    options = AssemblerOptions(agent_aliases=("U_KAEL",))
    assert sent(store, options) == [
        "user: bob: by alias",
        "user: bob: answered",
        "assistant: own",
        "system: stored",
        "user: bob: newest",
    ]


@pytest.mark.feature("T16")
def test_what_was_answered_is_looked_for_among_what_was_loaded():
    store = room("09:00 bob: asked", said("09:01 eve: aside", scope="dm"), "09:02 (kael): told", "09:03 bob: end")
    assert sent(store) == ["user: eve: aside", "assistant: told", "user: bob: end"]
    assert sent(store, AssemblerOptions(scope="channel")) == ["user: bob: asked", "assistant: told", "user: bob: end"]


@pytest.mark.feature("T16", "T22")
@pytest.mark.parametrize("name", ["kael, the helper", " kael ", "assistant", "user", ""])
def test_an_agent_of_any_name_knows_its_own_turns(name):
    own = replace(said("09:00 (x): own"), participant=Participant("agent", name, None))
    peer = replace(said("09:01 (x): other"), participant=Participant("agent", "assistant of others", None))
    store = room(own, "09:00:30 bob: chatter", peer, "09:02 bob: newest")
    if name:
        assert sent(store, agent=name) == ["assistant: own", "user: bob: newest"]
    else:
        assert "assistant: own" in sent(store, agent=name)


@pytest.mark.feature("T21")
def test_the_defaults_are_the_published_ones():
    assert AssemblerOptions() == AssemblerOptions(
        scope=None,
        token_budget=3000,
        addressed_only_mode=True,
        rolling_summary_threshold=40,
        time_window_minutes=None,
        max_turns_to_load=100,
        agent_aliases=(),
    )


@pytest.mark.feature("T21")
@pytest.mark.parametrize(
    ("options", "count"),
    [
        ({"max_turns_to_load": 0}, 0),
        ({"max_turns_to_load": -1}, 0),
        ({"time_window_minutes": 0}, 1),
        ({"time_window_minutes": 30.5}, 2),
        ({"time_window_minutes": 1e300}, 3),
    ],
)
def test_these_limits_load_so_many_turns(options, count):
    store = room("09:00 alice: old", "11:29:30 alice: half an hour ago", "12:00 alice: now")
    assert len(sent(store, replace(EVERYTHING, **options))) == count


@pytest.mark.feature("T21")
@pytest.mark.parametrize(
    "options",
    [
        {"rolling_summary_threshold": 0},
        {"rolling_summary_threshold": float("nan")},
        {"token_budget": float("inf")},
        {"time_window_minutes": float("nan")},
    ],
)
def test_what_cannot_be_is_refused(options):
    with pytest.raises(ValueError, match=f"{next(iter(options))}.*cannot be") as refusal:
        AssemblerOptions(**options)
    assert isinstance(refusal.value, HistoryLabError)


# -- the summary (T18, T25)


@pytest.mark.feature("T18", "T24")
@pytest.mark.parametrize(("turns", "summarised"), [(30, 0), (31, 15), (32, 16)])
def test_more_turns_than_the_threshold_and_the_oldest_half_is_summarised(turns, summarised):
    calls = []
    sent(long_room(turns), replace(EVERYTHING, rolling_summary_threshold=30), summarizer(calls=calls))
    assert [len(turns) for turns, _ in calls] == ([summarised] if summarised else [])


@pytest.mark.feature("T18")
def test_the_default_threshold_is_forty_turns():
    assert len(sent(long_room(40), None, summarizer())) == 40
    assert len(sent(long_room(41), None, summarizer())) == 22


@pytest.mark.feature("T25")
def test_the_summary_is_stored_in_place_of_its_turns_and_begins_the_next_prompt():
    store, options = long_room(9), replace(EVERYTHING, rolling_summary_threshold=4, scope="channel")
    first = sent(store, options, summarizer("facts"))
    assert first[:2] == ["system: [Summary of 4 earlier turns]: facts", "user: alice: t4"]
    assert sent(store, options) == first
    summary = store.get("room")[0]
    assert summary.participant == Participant("system", "summarizer")
    assert (summary.timestamp, summary.scope, summary.metadata) == (
        "2026-01-01T09:00:00Z",
        "channel",
        {"isSummary": True},
    )
    assert len(store.get("room")) == 6


@pytest.mark.feature("T25")
def test_the_summariser_gets_a_quarter_of_the_budget_and_the_former_summary_apart():
    store, calls = long_room(6), []
    options = replace(EVERYTHING, rolling_summary_threshold=4, token_budget=1003)
    assemble_prompt(store, "room", "kael", "Kael", options, summarizer("one", calls=calls))
    fill(store, *(said(f"10:0{k} alice: later {k}") for k in range(3)))
    assembled = assemble_prompt(store, "room", "kael", "Kael", options, summarizer("two", calls=calls))
    asked = {"agent_name": "Kael", "agent_id": "kael", "max_tokens": 250, "extract_decisions": True}
    assert calls == [
        (["t0", "t1", "t2"], asked | {"previous_summary": None}),
        (["t3", "t4"], asked | {"previous_summary": "one"}),
    ]
    assert [m["content"] for m in assembled.messages][:2] == ["[Summary of 2 earlier turns]: two", "t5"]
    assert len([m for m in store.get("room") if m.is_summary]) == 1


def broken(*_, **__):
    raise TimeoutError("no model")


@pytest.mark.feature("T25")
@pytest.mark.parametrize(
    "summarize",
    [
        broken,
        *(
            (lambda *_, answer=answer, **__: answer)
            for answer in (None, "", "no JSON", '{"turnsSummarized": 3}', {"summary": "  "}, {"summary": 3}, 7)
        ),
        SummarizerAgent(lambda prompt: "I'd rather not."),
        SummarizerAgent(lambda prompt: '{"summary": ""}'),
    ],
)
def test_without_a_summary_the_newest_turns_are_sent_and_the_store_stays_as_it_is(summarize, caplog):
    store = long_room(9)
    before = store.get("room")
    assert sent(store, replace(EVERYTHING, rolling_summary_threshold=4), summarize) == [
        "assistant: t5",
        "user: alice: t6",
        "assistant: t7",
        "user: alice: t8",
    ]
    assert store.get("room") == before
    assert "the newest 4 turns are sent instead" in caplog.text


@pytest.mark.feature("T25")
@pytest.mark.parametrize(
    "answer",
    [
        {"summary": "S", "turnsSummarized": 3},
        '```json\n{"summary": "S"}\n```',
        SummarizerOutput("S", 3),
    ],
)
def test_a_summary_may_come_as_the_published_json(answer):
    options = replace(EVERYTHING, rolling_summary_threshold=4)
    assert sent(long_room(6), options, lambda *_, **__: answer)[0] == "system: [Summary of 3 earlier turns]: S"


@pytest.mark.feature("T25")
def test_a_store_that_fails_to_take_the_summary_has_lost_no_turn():
    class Full(InMemoryConversationStore):
        def append(self, message):
            if message.is_summary:
                raise OSError("disk full")
            super().append(message)

    store = fill(Full(), *long_room(9).get("room"))
    assert len(sent(store, replace(EVERYTHING, rolling_summary_threshold=4), summarizer())) == 4
    assert len(store.get("room")) == 9


@pytest.mark.feature("T25")
def test_a_former_summary_is_sent_even_when_no_new_one_can_be_made():
    store = long_room(8)
    fill(store, said("08:00 <summarizer>: [Summary of 6 earlier turns]: old facts", isSummary=True))
    lines = sent(store, replace(EVERYTHING, rolling_summary_threshold=4, token_budget=14), broken)
    assert lines == ["system: [Summary of 6 earlier turns]: old facts", "user: alice: t6", "assistant: t7"]


@pytest.mark.feature("T24")
def test_the_summarizer_agent_asks_with_the_former_summary_and_reads_fenced_json():
    prompts = []

    def generate(prompt):
        prompts.append(prompt)
        return '```json\n{"summary": "all of it", "hasDecisions": true}\n```'

    store, options = long_room(6), replace(EVERYTHING, rolling_summary_threshold=4)
    fill(store, said("08:00 <summarizer>: [Summary of 6 earlier turns]: old facts", isSummary=True))
    assert sent(store, options, SummarizerAgent(generate))[0] == "system: [Summary of 2 earlier turns]: all of it"
    assert "to be kept in yours:\n\nold facts\n" in prompts[0]
    assert "[Jan 1, 09:01 AM] [BOT] kael: t1" in prompts[0]


# -- the budget (T19, T20)


@pytest.mark.feature("T19")
@pytest.mark.parametrize("text", ["", "a", "abcd", "abcde", "x" * 4001, "naïve ✓"])
def test_a_token_is_a_quarter_of_the_characters_rounded_up(text):
    assert estimate_tokens(text) == -(-len(text) // 4)


@pytest.mark.feature("T19")
def test_the_budget_counts_what_is_sent_the_name_before_the_text_included():
    store = room("09:00 alice: 1234", "09:01 (kael): 5678")
    assert sent(store, replace(EVERYTHING, token_budget=4)) == ["user: alice: 1234", "assistant: 5678"]
    assert sent(store, replace(EVERYTHING, token_budget=3)) == ["assistant: 5678"]


@pytest.mark.feature("T19")
def test_filling_stops_at_the_first_turn_that_does_not_fit_even_if_older_ones_would():
    store = room("09:00 (kael): tiny", f"09:01 (kael): {'long ' * 50}", "09:02 (kael): tiny too")
    assert sent(store, replace(EVERYTHING, token_budget=20)) == ["assistant: tiny too"]


@pytest.mark.feature("T19")
@pytest.mark.parametrize("budget", [0, -5, 1])
def test_the_newest_turn_is_sent_whatever_the_budget_and_no_other(budget):
    store = room("09:00 alice: the question", "09:01 (kael): first half", "09:02 (kael): second half")
    assert sent(store, replace(EVERYTHING, token_budget=budget)) == ["assistant: second half"]


@pytest.mark.feature("T19")
def test_a_summary_is_never_the_budgets_victim():
    options = replace(EVERYTHING, rolling_summary_threshold=4, token_budget=22)
    lines = sent(long_room(10), options, summarizer("s" * 40))
    assert lines[0].startswith("system: [Summary of 5 earlier turns]: sss")
    assert lines[1:] == ["user: alice: t8", "assistant: t9"]


@pytest.mark.feature("T20")
def test_the_estimate_is_the_sum_over_what_is_sent_and_turns_are_counted_before_any_filter():
    store = fill(long_room(9), said("09:30 bob: chatter"), said("09:31 bob: newest"))
    options = AssemblerOptions(rolling_summary_threshold=4, token_budget=30)
    assembled = assemble_prompt(store, "room", "kael", "kael", options, summarizer())
    assert assembled.estimated_tokens == sum(estimate_tokens(m["content"]) for m in assembled.messages)
    assert (assembled.turns_loaded, assembled.has_summary) == (11, True)
    assert all(set(message) == {"role", "content"} for message in assembled.messages)


# -- one strategy: the preset and the face agree


@pytest.mark.feature("T16", "T19")
@pytest.mark.parametrize("agent", ["skipper", "purser"])
@pytest.mark.parametrize("budget", [3000, 400, 60])
@pytest.mark.parametrize("loaded", [100, 20])
def test_the_preset_sends_what_the_assembler_sends(agent, budget, loaded):
    (conversation, *_) = load_sample("ferry-desk")
    store = fill(InMemoryConversationStore(), *(StoredMessage.from_dict(m.source) for m in conversation))
    options = AssemblerOptions(token_budget=budget, max_turns_to_load=loaded, agent_aliases=["U0PURSER"])
    assembled = assemble_prompt(store, conversation.metadata["conversationId"], agent, agent, options)
    settings = PRESET.replace(
        budget=budget,
        **{
            "projection.point_of_view.agent": agent,
            "filter.newest.messages": loaded,
            "filter.addressed_only.aliases": "U0PURSER",
        },
    )
    plan = plan_history(conversation, settings)
    assert [{"role": m.role, "content": m.content} for m in plan.render()] == assembled.messages
    assert plan.tokens == assembled.estimated_tokens


@pytest.mark.feature("T18")
def test_the_preset_folds_the_turns_the_assembler_summarises():
    store, calls = long_room(41), []
    settings, messages = PRESET.replace(**{"projection.point_of_view.agent": "kael"}), store.get("room")
    assemble_prompt(store, "room", "kael", "kael", None, summarizer(calls=calls))
    told = [replace(m, content="x" * 40 + m.content) for m in messages]  # long enough that a summary is shorter
    plan = plan_history(Conversation(to_message(m.to_dict()) for m in told), settings)
    assert plan.sketch() == "S" * len(calls[0][0]) + "K" * 21


@pytest.mark.feature("T16")
def test_the_preset_always_sends_the_instructions_of_an_ordinary_transcript():
    (conversation,) = load_sample("bike-rental-support")
    timeline = replay(conversation, PRESET)
    assert all(step.plan.sketch()[0] == "P" for step in timeline.steps)


def test_the_preset_counts_in_toolpacks_way():
    assert PRESET.counter == "toolpack"
    assert ToolpackCounter().count([to_message(said("09:00 a: abcde").to_dict())]).tolist() == [2]


# -- any room at all

turns = st.builds(
    lambda k, kind, who, text, mention, scope: replace(
        said(f"09:{k % 60:02} {who}: x", f"m{k}", scope=scope, mentions=[mention]),
        participant=Participant(kind, who),
        content=text,
    ),
    st.integers(0, 99),
    st.sampled_from(["user", "agent", "system", "tool"]),
    st.sampled_from(["kael", "strange", "alice"]),
    st.text(max_size=40),
    st.sampled_from(["kael", "strange", ""]),
    st.sampled_from(["channel", "dm"]),
)


@given(
    messages=st.lists(turns, max_size=30),
    budget=st.integers(0, 120),
    threshold=st.integers(1, 12),
    addressed=st.booleans(),
    summarises=st.booleans(),
)
def test_whatever_the_room_the_newest_is_sent_and_more_than_that_only_within_the_budget(
    messages, budget, threshold, addressed, summarises
):
    store: ConversationStore = fill(InMemoryConversationStore(), *messages)
    newest = store.get("room", limit=1)
    options = AssemblerOptions(token_budget=budget, rolling_summary_threshold=threshold, addressed_only_mode=addressed)
    assembled = assemble_prompt(store, "room", "kael", "kael", options, summarizer("S") if summarises else None)
    assert len(assembled.messages) >= len(newest)
    if newest:
        assert assembled.messages[-1]["content"].endswith(newest[0].content)
    rest = assembled.messages[assembled.has_summary : -1]
    assert not rest or assembled.estimated_tokens <= budget
    assert store.get("room", limit=1) == newest
