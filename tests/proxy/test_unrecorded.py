"""A stream whose answer isn't on record says so in a comment before its last event, which its clients pass over."""

from __future__ import annotations

import json

import anthropic
import httpx2
import openai
import pytest
from chat_server import events
from loopback_apis import speaks
from proxy_server import chat, running_proxy

from historylab.errors import StoreError
from historylab.proxy.answers import RelayedAnswer
from historylab.recordings.recorder import Recorder
from historylab.stores.memory import InMemoryStore

SAID = "historylab-unrecorded: store"
COMMENT = f": {SAID}\n\n".encode()
FIRST = b'data: {"choices": [{"index": 0, "delta": {"content": "hi"}}]}\n\n'
DONE = b"data: [DONE]\n\n"


class Full(InMemoryStore):
    """Keeps no record."""

    def append_records(self, *given):
        raise StoreError("the disk is full")


@pytest.fixture(scope="module")
def proxy(upstream):
    recorder = Recorder(Full(), keep_days=None)
    with running_proxy(upstream.url, recorder=recorder) as running:
        yield running
    recorder.close()


@pytest.fixture(autouse=True)
def answering(upstream):
    upstream.behaviours = [speaks([{"role": "assistant", "content": "aye"}])]


def passed_on(*pieces: bytes, form: str = "chat_completions") -> bytes:
    """What the client gets of a stream that isn't on record."""
    answer, passed = RelayedAnswer(form, True), b""
    for piece in pieces:
        passed += answer.with_comment(piece, SAID) if answer.add(piece) else piece
    return passed if answer.ended else passed + answer.with_comment(b"", SAID)


@pytest.mark.parametrize("pieces", [[FIRST + DONE], [FIRST, DONE], [FIRST[:-1], FIRST[-1:] + DONE]])
def test_the_comment_stands_between_the_last_event_and_the_one_before(pieces):
    assert passed_on(*pieces) == FIRST + COMMENT + DONE


@pytest.mark.parametrize("at", range(1, len(DONE) - 2))
def test_it_is_a_line_of_its_own_wherever_the_last_event_was_cut(at):
    lines = passed_on(FIRST + DONE[:at], DONE[at:]).split(b"\n")
    assert {line for line in lines if line} == {FIRST.strip(), b"data: [DONE]", COMMENT.strip()}


def test_an_event_with_a_name_is_not_parted_from_it():
    last = b'event: message_stop\r\ndata: {"type": "message_stop"}\r\n\r\n'
    assert passed_on(last, form="anthropic") == COMMENT + last
    assert passed_on(last[:21], last[21:], form="anthropic") == last[:21] + COMMENT[:-1] + last[21:]


def test_a_stream_without_a_last_event_has_it_at_its_end():
    assert passed_on(FIRST) == FIRST + COMMENT
    assert passed_on(FIRST[:-9]) == FIRST[:-9]


def test_an_api_whose_clients_take_any_line_for_json_gets_none():
    last = b'data: {"candidates": [{"finishReason": "STOP", "content": {"parts": [{"text": "hi"}]}}]}\r\n\r\n'
    assert passed_on(last, form="gemini") == last


def test_a_stream_says_it_and_health_counts_it_before_the_answer_is_whole(proxy):
    counted = httpx2.get(f"{proxy.url}/historylab/health").json()["counts"]["unrecorded"]
    body = chat("a", stream=True)
    with httpx2.stream("POST", f"{proxy.url}/v1/chat/completions", json=body, timeout=30) as answer:
        for line in answer.iter_lines():
            if line.startswith(":"):
                said = line, httpx2.get(f"{proxy.url}/historylab/health").json()["counts"]["unrecorded"]
    assert said == (f": {SAID}", counted + 1)


def responses_events():
    said = {"type": "message", "id": "m", "role": "assistant", "status": "completed"}
    said["content"] = [{"type": "output_text", "text": "aye", "annotations": []}]
    response = {"id": "r", "object": "response", "model": "gpt-5.5", "created_at": 1, "output": []}
    response |= {"tools": [], "tool_choice": "auto", "parallel_tool_calls": True}
    yield {"type": "response.created", "sequence_number": 0, "response": {**response, "status": "in_progress"}}
    whole = {**response, "status": "completed", "output": [said]}
    yield {"type": "response.completed", "sequence_number": 1, "response": whole}


def test_the_clients_of_the_apis_pass_over_it(proxy, upstream):
    asked = [{"role": "user", "content": "Are you there?"}]
    client = openai.OpenAI(base_url=f"{proxy.url}/v1", api_key="none", max_retries=0)
    pieces = client.chat.completions.create(model="gpt-5.5", messages=asked, stream=True)
    assert "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices) == "aye"
    upstream.behaviours = [events(*responses_events())]
    with client.responses.stream(model="gpt-5.5", input=asked) as stream:
        assert stream.get_final_response().output_text == "aye"
    upstream.behaviours = [speaks([{"role": "assistant", "content": "aye"}])]
    claude = anthropic.Anthropic(base_url=proxy.url, api_key="none", max_retries=0)
    with claude.messages.stream(model="claude-opus-4-8", max_tokens=9, messages=asked) as stream:
        assert stream.get_final_text() == "aye"


def test_what_may_be_on_record_all_the_same_is_said_to_be_likely(upstream, monkeypatch):
    recorder = Recorder(InMemoryStore(), keep_days=None)

    async def cannot_tell(*_):
        return None

    monkeypatch.setattr(recorder, "arecord", cannot_tell)
    with running_proxy(upstream.url, recorder=recorder) as proxy:
        whole = httpx2.post(f"{proxy.url}/v1/chat/completions", json=chat("a"))
        streamed = httpx2.post(f"{proxy.url}/v1/chat/completions", json=chat("a", stream=True))
    recorder.close()
    assert whole.headers["historylab-unrecorded"] == "likely"
    assert ": historylab-unrecorded: likely\n\n" in streamed.text
    assert json.loads(streamed.text.split("data: ")[1].split("\n")[0])
