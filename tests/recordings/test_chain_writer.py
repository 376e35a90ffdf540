"""Conversations of exchanges: found by digests, and told apart where digests don't."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest
from recorded_chats import Chat, as_json, lines_in

from historylab.recordings.chain_writer import ChainWriter
from historylab.recordings.recorder import Recorder
from historylab.secrets.redaction import Redaction
from historylab.stores.memory import InMemoryStore


@pytest.fixture
def store():
    return InMemoryStore()


@pytest.fixture
def recorder(store):
    recorder = Recorder(store)
    yield recorder
    recorder.close()


@pytest.fixture
def one_digest(monkeypatch):
    """Every digest is the same."""
    monkeypatch.setattr("historylab.conversation.lineage.digest_of", lambda *parts: "0" * 40)


def conversations(store) -> list[str]:
    """A letter per line: which conversation it is of."""
    seen: dict[str, str] = {}
    return [seen.setdefault(line["conversation"], chr(97 + len(seen))) for line in lines_in(store)]


def test_chats_whose_digests_collide_stay_conversations_of_their_own(recorder, store, one_digest):
    ferries, boats = Chat(), Chat()
    for k in range(3):
        recorder.record(ferries.exchange(f"ferry {k}", answer=f"at {k}"))
        recorder.record(boats.exchange(f"boat {k}", answer=f"of {k}"))
    assert conversations(store) == ["a", "b"] * 3
    assert [line.get("same") for line in lines_in(store)] == [None, None, 2, 2, 4, 4]


def test_a_fork_whose_digest_collides_with_another_chat_is_found_by_its_words(recorder, store, one_digest):
    ferries, boats = Chat(), Chat()
    recorder.record(ferries.exchange("ferry", answer="at nine"))
    recorder.record(boats.exchange("boat", answer="of wood"))
    fork = Chat(messages=as_json(ferries.messages))
    recorder.record(fork.exchange("and back?"))
    assert conversations(store) == ["a", "b", "a"]


def test_an_edit_whose_digest_collides_stays_in_its_conversation(recorder, store, one_digest):
    ferries, boats = Chat(), Chat()
    for text in ("one", "two"):
        recorder.record(ferries.exchange(text))
        recorder.record(boats.exchange(f"boat {text}"))
    del ferries.messages[2:]
    recorder.record(ferries.exchange("two, edited"))
    assert conversations(store) == ["a", "b", "a", "b", "a"]


def test_a_fork_is_found_by_the_answers_it_shares_with_a_chat_that_went_on(recorder, store):
    chat = Chat()
    for text in ("one", "two", "three"):
        recorder.record(chat.exchange(text))
    fork = Chat(messages=as_json(chat.messages[:4]))
    recorder.record(fork.exchange("else"))
    assert conversations(store) == ["a"] * 4


def test_two_chats_that_were_answered_alike_go_on_where_they_began(recorder, store):
    chats = [Chat(), Chat()]
    for text in ("hi", "and {}?"):
        for name, chat in zip("ab", chats, strict=True):
            recorder.record(chat.exchange(text.format(name)))
    assert conversations(store) == ["a", "b", "a", "b"]


def test_what_an_earlier_version_recorded_of_nobody_is_not_gone_on_with(recorder, store):
    store.write_state("recorded c0b49f7bfee2fdf9fe24173a24a663ed944ca510", "c-before")
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    said = [{"role": "user", "content": "Grüße"}, {"role": "assistant", "content": None, "tool_calls": [call]}]
    recorder.record(Chat(messages=said).exchange("and?", app="ferry-bot"))
    assert lines_in(store)[0]["conversation"] != "c-before"


@pytest.mark.parametrize(
    ("api", "response", "repeated"),
    [
        (
            "chat_completions",
            {"choices": [{"message": {"role": "assistant", "content": "nine"}}]},
            {"role": "assistant", "content": "nine"},
        ),
        (
            "responses",
            {"output": [{"type": "reasoning"}, {"type": "function_call", "name": "f", "arguments": "{}", "id": "x"}]},
            {"type": "function_call", "name": "f", "arguments": "{}", "call_id": "y"},
        ),
        (
            "anthropic",
            {"role": "assistant", "content": [{"type": "thinking"}, {"type": "text", "text": "nine"}]},
            {"role": "assistant", "content": "nine"},
        ),
    ],
)
def test_an_unseen_chat_is_found_by_the_answer_that_its_api_gave(store, api, response, repeated):
    field, asked = "input" if api == "responses" else "messages", {"role": "user", "content": "when?"}
    for items in ([asked], [asked, repeated, {"role": "user", "content": "and back?"}]):
        recorder = Recorder(store, keep_days=None)
        recorder.record(Chat().exchange(api=api, body={field: items}, response=response))
        recorder.close()
    assert conversations(store) == ["a", "a"]


def test_a_chat_that_another_process_went_on_with_is_found_though_it_was_last_seen_shorter(store):
    """Two workers: the newest line that this one knows of a conversation may be an older one of it."""
    mine, others = Recorder(store, keep_days=None), Recorder(store, keep_days=None)
    chat = Chat()
    mine.record(chat.exchange("hi", answer="one"))
    mine.record(chat.exchange("more", answer="two"))
    edited = Chat(messages=as_json(chat.messages[:2]))
    others.record(edited.exchange("and?", answer="three"))
    greeting = Chat()
    mine.record(greeting.exchange("hi", answer="uno"))
    again = Chat(messages=as_json(edited.messages))
    mine.record(replace(again.exchange("so?", answer="four"), chat=greeting))  # the Trimmer took it for that chat
    mine.close()
    others.close()
    assert conversations(store) == ["a", "a", "a", "b", "a"]


def test_an_answer_whose_conversation_the_store_has_forgotten_already_is_given_in_no_other():
    chains = ChainWriter(InMemoryStore(), Redaction())
    assert chains.note_found({"answered 1": "a", "answered 2": "a"}, {"answered 2": "b"}) == {"answered 2 again": "a"}


def test_the_first_exchange_waits_for_no_format_but_its_own():
    """A hundred of them take longer to import than an exchange waits to be recorded."""
    code = """
import sys
from historylab.conversation.exchange import Exchange
from historylab.recordings.chain_writer import ChainWriter
from historylab.secrets.redaction import Redaction
from historylab.stores.memory import InMemoryStore
body = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
answer = {"choices": [{"message": {"role": "assistant", "content": "hello"}}]}
ChainWriter(InMemoryStore(), Redaction()).record(Exchange(api="chat_completions", body=body, response=answer))
print(*(name for name in sys.modules if name.startswith("historylab.formats.products.")))
"""
    assert subprocess.check_output([sys.executable, "-c", code], text=True).split() == []
