"""Ollama's chat API: object arguments, no ids, images beside the text, one object per streamed token."""

from __future__ import annotations

import json

import pytest

from historylab.formats.files.content import Content
from historylab.formats.load import load, match_strengths

HI = {"role": "user", "content": "hi"}
CALLED = {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "look", "arguments": {"at": 4}}}]}
FOUND = {"role": "tool", "tool_name": "look", "content": "it"}
DONE = {"model": "m", "message": {"role": "assistant", "content": "yes"}, "done": True, "eval_count": 3}


def as_json(value) -> bytes:
    return json.dumps(value).encode()


@pytest.mark.parametrize(
    ("given", "member"),
    [
        ([HI, CALLED, FOUND], "ollama"),
        ([HI | {"images": ["AAAA"]}], "ollama"),
        ({"model": "m", "messages": [HI], "options": {"num_ctx": 8}}, "ollama"),
        (DONE, "ollama"),
        ([HI], "chat_completions"),
        ({"model": "m", "messages": [HI]}, "chat_completions"),
        (
            [{"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": {}}}]}],
            "chat_completions",
        ),
    ],
)
def test_what_only_ollama_has_names_it(given, member):
    claims = match_strengths(Content(as_json(given)))
    assert max(claims, key=claims.get) == member


def test_calls_are_paired_in_order_and_their_arguments_become_text():
    loaded = load(as_json([HI, CALLED, FOUND]))
    (conversation,) = loaded
    (call,) = conversation[1].tool_calls
    assert (call.name, json.loads(call.arguments)) == ("look", {"at": 4})
    assert (conversation[2].tool_call_id, conversation[2].name) == (call.id, "look")
    assert (conversation.columns.clean, loaded.report.remarks) == (True, 0)


def test_images_are_media_and_what_is_not_read_is_named():
    seen = HI | {"images": ["AAAA", "BBBB"], "thinking": "hm", "mood": "good"}
    loaded = load(as_json([seen, HI | {"images": "AAAA"}]))
    assert loaded[0][0].media == ("image", "image")
    assert loaded[0][0].metadata == {"thinking": "hm"}
    assert list(loaded.report.warnings) == ["a field 'mood' not read", "a field 'images' not read"]


def test_tokens_of_a_stream_are_one_answer_and_the_next_stream_another():
    def token(text: str) -> dict:
        return {"model": "m", "message": {"role": "assistant", "content": text}, "done": False}

    stream = [token("y"), token("e"), DONE | {"message": {"role": "assistant", "content": "s"}}]
    loaded = load(b"\n".join(map(as_json, [*stream, *stream])))
    assert [[m.content for m in c] for c in loaded] == [["yes"], ["yes"]]
    assert loaded[0].recorded.usage[0].output == 3
