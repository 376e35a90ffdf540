"""An answer that passes is known to end, and is put together as its API would have given it whole."""

from __future__ import annotations

import json
from typing import Any

import pytest

from historylab.proxy.answers import RelayedAnswer


def event(data: Any) -> bytes:
    return b"data: " + (data if isinstance(data, bytes) else json.dumps(data).encode()) + b"\n\n"


def chunk(text: str, finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}


CHAT = [event(chunk("[DONE] is ")), event(chunk("said last", "stop")), event(b"[DONE]")]
ANTHROPIC = [
    event({"type": "message_start", "message": {"id": "m", "role": "assistant", "content": [], "model": "claude"}}),
    event({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
    event({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "message_stop ends"}}),
    b"event: message_stop\n" + event({"type": "message_stop"}),
]
RESPONSES = [
    event({"type": "response.created", "sequence_number": 0, "response": {"id": "r", "output": []}}),
    event(
        {"type": "response.completed", "sequence_number": 1, "response": {"id": "r", "output": [{"type": "message"}]}}
    ),
]
STREAMS = {"chat_completions": CHAT, "anthropic": ANTHROPIC, "responses": RESPONSES}


@pytest.mark.parametrize("form", STREAMS)
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_the_last_event_is_known_however_a_stream_is_cut(form, size):
    stream, answer = b"".join(STREAMS[form]), RelayedAnswer(form, True)
    pieces = [stream[i : i + size] for i in range(0, len(stream), size)]
    last = [answer.add(piece) for piece in pieces]
    assert last.count(True) == 1 and answer.ended
    before = b"".join(pieces[: last.index(True)])
    assert len(before) < len(stream) and before.count(b"\n\n") < stream.count(b"\n\n")


def test_a_long_line_is_read_once_however_many_pieces_it_comes_in():
    answer, piece = RelayedAnswer("chat_completions", True), b"x" * 500
    assert not any(answer.add(piece) for _ in range(20_000)) and answer.add(b"\n\n" + CHAT[-1])
    endless = RelayedAnswer("chat_completions", True, largest=len(piece))
    assert not any(endless.add(piece) for _ in range(100)) and endless.body() is None
    assert endless.add(b"\n\n" + CHAT[-1])


def test_a_stream_becomes_the_body_of_its_api():
    chat, claude, responses = (whole(form) for form in STREAMS)
    assert chat["choices"][0]["message"]["content"] == "[DONE] is said last"
    assert claude["content"] == [{"type": "text", "text": "message_stop ends"}]
    assert responses["output"] == [{"type": "message"}]


def whole(form: str) -> Any:
    answer = RelayedAnswer(form, True)
    for piece in STREAMS[form]:
        answer.add(piece)
    return answer.body()


def test_a_streamed_call_without_arguments_has_none_and_thoughts_have_their_signature():
    answer, index = RelayedAnswer("anthropic", True), {"type": "content_block_delta", "index": 0}
    thought, call = (
        {"type": "thinking", "thinking": "", "signature": ""},
        {"type": "tool_use", "id": "t", "name": "now"},
    )
    for piece in (
        ANTHROPIC[0],
        event({"type": "content_block_start", "index": 0, "content_block": thought}),
        event({**index, "delta": {"type": "signature_delta", "signature": "signed"}}),
        event({"type": "content_block_start", "index": 1, "content_block": {**call, "input": {}}}),
        event({**index, "index": 1, "delta": {"type": "input_json_delta", "partial_json": ""}}),
        event({"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": None}}),
        ANTHROPIC[-1],
    ):
        answer.add(piece)
    body = answer.body()
    assert body["content"] == [{**thought, "signature": "signed"}, {**call, "input": {}}]
    assert body["stop_reason"] == "tool_use"


def test_an_error_within_a_stream_stands_in_its_body():
    answer = RelayedAnswer("chat_completions", True)
    answer.add(event(chunk("so f")) + event({"error": {"message": "overloaded"}}))
    assert answer.body()["error"] == {"message": "overloaded"} and not answer.ended


def test_an_answer_that_is_no_stream_is_read_whole():
    answer = RelayedAnswer("chat_completions", False)
    assert not any(answer.add(piece) for piece in (b'{"choices":', b"[]}"))
    assert answer.body() == {"choices": []}


def test_one_that_is_too_large_or_no_json_has_no_body():
    large, other = RelayedAnswer("anthropic", False, largest=10), RelayedAnswer("anthropic", False)
    large.add(b'{"a": "' + b"x" * 20 + b'"}')
    other.add(b"<html>")
    assert large.body() is other.body() is None
