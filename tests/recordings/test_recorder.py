"""The recorder: what it acknowledges is kept, each line has what is new, and no fault of a store reaches a request."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import replace
from itertools import groupby

import pytest
from framework_apps import finished
from live_recording import recording
from recorded_chats import Chat, lines_in

from historylab import Settings, Trimmer
from historylab.errors import SettingsError, StoreError
from historylab.formats.base import Report
from historylab.formats.traces.recorded_lines import parse_line, read_exchange
from historylab.formats.traces.request_chains import RequestChains
from historylab.recordings.exchange import plan_fields, settings_fields
from historylab.recordings.noted_state import NotedState
from historylab.recordings.recorder import Recorder
from historylab.stores.base import Record
from historylab.stores.memory import InMemoryStore
from historylab.stores.sqlite import SQLiteStore


@pytest.fixture
def store():
    return InMemoryStore()


@pytest.fixture
def recorder(store):
    recorder = Recorder(store)
    yield recorder
    recorder.close()


OK = {"role": "assistant", "content": "ok"}


def reached(done) -> None:
    deadline = time.monotonic() + 10
    while not done() and time.monotonic() < deadline:
        time.sleep(0.005)
    assert done()


def said_in(line) -> list[str]:
    return [item["content"] for item in line["request"]["messages"]]


def test_a_line_has_what_is_new_since_the_one_before_it(recorder, store):
    chat = Chat()
    assert recorder.record(chat.exchange("one", app="ferry-bot", settings=settings_fields(Settings(budget=4000))))
    chat.fields["temperature"] = 0.7
    assert recorder.record(chat.exchange("two", app="ferry-bot", seconds=1.25))
    first, second = lines_in(store)
    assert first["request"]["messages"] == [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "one"},
    ]
    assert (first["api"], first["app"], first["status"], first["mode"]) == (
        "chat_completions",
        "ferry-bot",
        200,
        "trim",
    )
    assert first["settings"] == {"budget": 4000}
    assert first["response"]["choices"][0]["message"]["content"] == "ok"
    assert "after" not in first and "unchanged" not in first
    assert (second["after"], second["same"], second["unchanged"]) == (first["id"], 2, ["model"])
    assert said_in(second) == ["ok", "two"]
    assert second["request"]["temperature"] == 0.7
    assert second["conversation"] == first["conversation"]
    assert second["seconds"] == 1.25
    assert recorder.unrecorded == 0


def test_another_date_in_the_prompt_does_not_repeat_the_chat(recorder, store):
    chat = Chat(system="Today is Monday")
    recorder.record(chat.exchange("one"))
    chat.system = "Today is Tuesday"
    recorder.record(chat.exchange("two"))
    line = lines_in(store)[-1]
    assert line["leading"] == [{"role": "system", "content": "Today is Tuesday"}]
    assert said_in(line) == ["ok", "two"]


def test_an_edited_message_is_written_with_what_follows_it(recorder, store):
    chat = Chat()
    for text in ("one", "two", "three"):
        recorder.record(chat.exchange(text))
    del chat.messages[3:]  # after "one", "ok", "two"
    recorder.record(chat.exchange("else"))
    line = lines_in(store)[-1]
    assert (line["same"], said_in(line)) == (4, ["else"])


def test_a_chat_that_another_process_began_is_the_same_conversation_written_whole(store):
    chat, other = Chat(), Chat(messages=[])
    recorders = [Recorder(store), Recorder(store)]
    recorders[0].record(chat.exchange("one"))
    recorders[0].record(other.exchange("one", answer="something else"))
    recorders[0].close()
    recorders[1].record(chat.exchange("two"))
    recorders[1].close()
    first, elsewhere, again = lines_in(store)
    assert again["conversation"] == first["conversation"] != elsewhere["conversation"]
    assert "after" not in again
    assert len(again["request"]["messages"]) == 4


def test_chats_that_begin_alike_are_conversations_of_their_own_once_they_were_answered(recorder, store):
    chats, one_key = [Chat(), Chat()], Chat()  # as a trimmer takes them for one at first
    for k, chat in enumerate(chats):
        recorder.record(chat.exchange("hi", answer=f"hello {k}", chat=one_key))
    for chat in chats:
        recorder.record(chat.exchange("and now?", chat=one_key))
    lines = lines_in(store)
    assert [line["conversation"] == lines[0]["conversation"] for line in lines] == [True, False, True, False]


def test_chats_that_were_answered_alike_are_told_apart_once_both_go_on(recorder, store):
    chats = [Chat(), Chat()]
    for text in ("hi", "and {}?", "then {}?", "at last {}?"):
        for name, chat in zip("ab", chats, strict=True):
            recorder.record(chat.exchange(text.format(name)))
    conversations = [line["conversation"] for line in lines_in(store)[-4:]]
    assert len({*conversations}) == 2 and conversations[:2] == conversations[2:]


def test_an_app_that_is_run_again_and_answered_the_same_begins_another_conversation(tmp_path):
    with recording(tmp_path) as proxy:
        trimmers: dict[str, Trimmer] = {}
        for _ in range(2):
            app = proxy.app(trimmers=trimmers)
            for _ in range(4):
                app.ask()
        listed = proxy.store._store.recorded_conversations()
    assert [one.records for one in listed] == [4, 4]


def test_apps_never_share_a_conversation_whatever_they_say(recorder, store):
    one_key = Chat()
    for text in ("hi", "and now?"):
        for app in ("ferries", "boats"):
            chat = Chat(messages=[] if text == "hi" else [*Chat().exchange("hi").body["messages"][1:], OK])
            recorder.record(chat.exchange(text, chat=one_key, app=app))
    lines = lines_in(store)
    assert len({(line["app"], line["conversation"]) for line in lines}) == 2
    assert [line.get("after") for line in lines] == [None, None, lines[0]["id"], lines[1]["id"]]


def test_a_request_that_failed_is_asked_again_in_its_conversation(recorder, store):
    chat = Chat()
    recorder.record(chat.exchange("hi", answer=None, status=500))
    recorder.record(chat.exchange())
    first, again = lines_in(store)
    assert again["after"] == first["id"]
    assert said_in(again) == []


def test_a_body_without_a_list_of_items_is_recorded_as_it_is(recorder, store):
    recorder.record(Chat().exchange("hi", api="responses", body={"model": "gpt-4o", "input": "hello"}))
    assert lines_in(store)[0]["request"] == {"model": "gpt-4o", "input": "hello"}


def test_a_conversation_that_was_deleted_meanwhile_is_written_whole(recorder, store):
    chat = Chat()
    recorder.record(chat.exchange("one"))
    store.delete_conversations([lines_in(store)[0]["conversation"]])
    recorder.record(chat.exchange("two"))
    recorder.record(chat.exchange("three"))
    again, next_one = lines_in(store)
    assert "after" not in again
    assert len(again["request"]["messages"]) == 4
    assert next_one["after"] == again["id"]


def test_a_prompt_that_changes_and_changes_back_is_on_record_each_time(recorder, store):
    chat = Chat()
    for chat.system in ("be brief", "be long", "be long", "be brief"):
        recorder.record(chat.exchange("and?"))
    chains, prompts = RequestChains(), []
    for line in lines_in(store):
        exchange = read_exchange(line, line["conversation"])
        chains.complete(exchange, line, Report())
        prompts.append(exchange.body["messages"][0]["content"])
    assert prompts == ["be brief", "be long", "be long", "be brief"]


def test_so_is_one_that_was_deleted_while_a_line_of_it_was_written(recorder, store, monkeypatch):
    chat, append = Chat(), store.append_records
    recorder.record(chat.exchange("one"))

    def deleted_before(records, *given):
        store.delete_conversations([record.conversation for record in records])
        return append(records, *given)

    with monkeypatch.context() as patched:
        patched.setattr(store, "append_records", deleted_before)
        recorder.record(chat.exchange("two"))
    for text in ("three", "four"):
        recorder.record(chat.exchange(text))
    _, again, next_one = lines_in(store)
    assert "after" not in again and next_one["after"] == again["id"]


def test_the_plan_and_the_state_it_was_made_with_stand_in_the_line(recorder, store):
    noted = NotedState(store)
    settings = Settings(policy="all", pruner="summarize", budget=300, counter="chars/4")
    trimmer, chat = Trimmer(settings, store=noted), Chat()
    for k in range(4):
        exchange = chat.exchange(f"question {k} " * 30, answer=f"answer {k} " * 30, settings=settings_fields(settings))
        with noted.note_state() as state:
            decision = trimmer.decide(exchange.body)
        decided = {"chat": decision.chat, "plan": plan_fields(decision.plan), "live_plan": decision.plan}
        assert recorder.record(replace(exchange, **decided, state=state))
    *_, before, line = lines_in(store)
    plan = decision.plan
    (key,) = line["state"]
    assert line["plan"] == {
        "tokens": plan.tokens,
        "before": plan.history.untrimmed_tokens + plan.framing,
        "budget": 300,
        "over": False,
        "decisions": "".join(f"{letter}{len([*run])}" for letter, run in groupby(plan.sketch())),
        "reasons": [["K", "fits", {}], ["P", "system", {}], ["S", "summary", {"tokens": 311}]],
        "summary": {"kept": key, "made_at": plan.size},
    }
    assert "S" in line["plan"]["decisions"]
    assert store.read_state(line["state"]) == line["state"] != {}
    assert line["state"].keys().isdisjoint(before.get("state", {}))


def test_keys_are_taken_out_of_request_answer_and_error(store):
    recorder, chat = Recorder(store, redact=["Ada"]), Chat()
    key = "sk-proj-abcdefghijklmnop1234567890"
    recorder.record(chat.exchange(f"Ada, {key}", answer=f"{key}?", error=f"refused {key}", state={"s": "Ada"}))
    (record,) = store.read_records()
    assert key not in record.text
    assert "Ada" not in record.text
    assert parse_line(record.text)["redacted"] == 5
    recorder.close()
    with pytest.raises(SettingsError):
        Recorder(store, redact=["("])


def test_a_summary_that_repeats_a_key_stays_in_the_process(tmp_path):
    path, key = tmp_path / "r.db", "sk-proj-abcdefghijklmnop1234567890"
    store, sent = SQLiteStore(path), []
    settings = Settings(policy="all", pruner="summarize", budget=300, counter="chars/4")
    noted, recorder = NotedState(store), Recorder(store, keep_days=None)
    trimmer, chat = Trimmer(settings, store=noted), Chat()
    for k in range(4):
        exchange = chat.exchange(f"the key is {key} {k}\n" + f"question {k} " * 30, answer=f"answer {k} " * 30)
        with noted.note_state() as state:
            decision = trimmer.decide(exchange.body)
        decided = {"chat": decision.chat, "plan": plan_fields(decision.plan), "live_plan": decision.plan}
        assert recorder.record(replace(exchange, **decided, state=state), 30)
        sent.append(decision.sent["messages"])
    assert key in str(sent[-1])
    assert decision.plan.summary and key in decision.plan.summary.text
    assert Trimmer(settings, store=noted).trim(exchange.body)["messages"] == sent[-1]
    recorder.close()
    store.close()
    assert key.encode() not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


def test_other_lines_stand_between_them(recorder, store):
    assert recorder.note("proxy", mode="trim", upstream="http://localhost:1")
    assert recorder.note("tags", "c-1", tags=["work"])
    assert [line["historylab"] for line in lines_in(store)] == ["proxy", "tags"]
    assert [found.conversation for found in store.recorded_conversations()] == ["c-1"]
    assert not recorder.note("tags", "c-1", tags={1})


class Faulty(InMemoryStore):
    """Appends when it may; fails with `problem` if there is one."""

    def __init__(self):
        super().__init__()
        self.may, self.asked, self.problem = threading.Event(), threading.Event(), None

    def append_records(self, *given):
        self.asked.set()
        assert self.may.wait(10)
        if self.problem:
            raise self.problem
        return super().append_records(*given)


@pytest.fixture
def faulty():
    store = Faulty()
    yield store
    store.may.set()


def test_a_slow_store_lets_requests_pass_unrecorded_and_says_so_once(faulty, caplog):
    recorder, chat = Recorder(faulty), Chat()
    with caplog.at_level(logging.WARNING):
        assert not recorder.record(chat.exchange("a"), 0.02)
        assert [recorder.record(chat.exchange(text), 0.02) for text in "bc"] == [False] * 2
    assert recorder.unrecorded == 3
    assert len([r for r in caplog.records if r.message.endswith("too slow (others for this cause are counted)")]) == 1
    faulty.may.set()
    assert recorder.record(chat.exchange("d"))
    recorder.close()
    assert said_in(lines_in(faulty)[-1])[-1] == "d"


def test_where_too_much_waits_a_request_does_not_wait_at_all(faulty, monkeypatch):
    monkeypatch.setattr("historylab.recordings.recorder.MOST_WAITING", 2)
    recorder, recorded = Recorder(faulty), []

    def record():
        recorded.append(recorder.record(Chat().exchange("x"), 30))

    threads = [threading.Thread(target=record) for _ in range(3)]
    threads[0].start()
    assert faulty.asked.wait(10)
    for thread in threads[1:]:
        thread.start()
    reached(lambda: recorder.waiting == 2)
    assert not recorder.record(Chat().exchange("y"), 30)
    faulty.may.set()
    for thread in threads:
        thread.join()
    recorder.close()
    assert (recorded, len(lines_in(faulty)), recorder.unrecorded) == ([True] * 3, 3, 1)


def test_a_store_that_fails_is_no_fault_of_the_request_and_the_chat_is_whole_after_it(faulty, caplog):
    recorder, chat = Recorder(faulty), Chat()
    faulty.may.set()
    assert recorder.record(chat.exchange("a"))
    faulty.problem = StoreError("the disk is full")
    assert [recorder.record(chat.exchange(text)) for text in "bc"] == [False, False]
    faulty.problem = None
    assert recorder.record(chat.exchange("d"))
    recorder.close()
    first, last = lines_in(faulty)
    assert "after" not in last
    assert len(last["request"]["messages"]) == 8
    assert last["conversation"] == first["conversation"]
    assert len([r for r in caplog.records if "disk is full" in r.message]) == 1


def test_what_cannot_be_written_as_json_is_alone_unrecorded(recorder, store):
    chat = Chat()
    assert not recorder.record(chat.exchange("a", response={"wrong": {1, 2}}))
    assert recorder.record(chat.exchange("b"))
    assert recorder.unrecorded == 1
    assert len(lines_in(store)) == 1


def test_an_event_loop_records_without_being_blocked(store):
    recorder = Recorder(store)
    assert finished(recorder.arecord(Chat().exchange("a"))) is True
    recorder.close()
    assert finished(recorder.arecord(Chat().exchange("b"))) is False


def test_an_event_loop_waits_no_longer_than_it_was_told(faulty):
    recorder = Recorder(faulty)
    assert not finished(recorder.arecord(Chat().exchange("a"), 0.02))
    assert recorder.unrecorded == 1


def test_many_threads_record_every_exchange_in_its_own_chat(tmp_path):
    store = SQLiteStore(tmp_path / "r.db")
    recorder, failures = Recorder(store), []

    def work(me: int):
        chat = Chat()
        failures.extend(k for k in range(8) if not recorder.record(chat.exchange(f"{me} {k}"), 30))

    threads = [threading.Thread(target=work, args=(me,)) for me in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    recorder.close()
    assert failures == []
    lines = lines_in(store)
    assert len(lines) == 48
    assert len({line["conversation"] for line in lines}) == 6
    for conversation in {line["conversation"] for line in lines}:
        own = [line for line in lines if line["conversation"] == conversation]
        assert [line.get("after") for line in own] == [None, *(line["id"] for line in own[:-1])]
    store.close()


def test_old_conversations_are_deleted_at_the_start(store):
    day = 86_400
    store.append_records([Record("old", time.time() - 40 * day, "{}"), Record("new", time.time() - 20 * day, "{}")])
    recorder = Recorder(store)
    reached(lambda: len(store.recorded_conversations()) == 1)
    assert [found.conversation for found in store.recorded_conversations()] == ["new"]
    recorder.close()
    Recorder(store, keep_days=None).close()
    assert len(store.recorded_conversations()) == 1
