"""LlamaIndex: blocks or content, calls in either place, and chat stores of several conversations."""

from __future__ import annotations

import json

import pytest

from historylab.conversation.message import ToolCall
from historylab.formats.load import load


def as_json(value) -> bytes:
    return json.dumps(value).encode()


def message(role: str, *blocks, **extra) -> dict:
    given = [{"block_type": "text", "text": b} if isinstance(b, str) else b for b in blocks]
    return {"role": role, "blocks": given, "additional_kwargs": extra}


def test_a_chat_store_holds_a_conversation_per_key():
    stored = {"store": {"ines": [message("user", "a")], "teo": [message("user", "b"), message("model", "c")]}}
    loaded = load(as_json(stored | {"class_name": "SimpleChatStore"}))
    assert [(c.title, [m.role for m in c]) for c in loaded] == [("ines", ["user"]), ("teo", ["user", "assistant"])]


def test_an_older_dump_has_content_instead_of_blocks():
    given = [{"role": "user", "content": "a", "additional_kwargs": {}}]
    loaded = load(as_json(given))
    assert (loaded.report.member, loaded[0][0].content) == ("llamaindex", "a")


@pytest.mark.parametrize(("given", "role"), [("developer", "system"), ("function", "tool"), ("chatbot", "assistant")])
def test_every_role_of_it_means_one_of_ours(given, role):
    assert load(as_json([message(given, "x")]))[0][0].role == role


def test_calls_are_read_from_blocks_and_beside_them_but_once():
    block = {"block_type": "tool_call", "tool_call_id": "k", "tool_name": "f", "tool_kwargs": {"a": 1}}
    beside = {"id": "k", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
    selection = {"tool_id": "l", "tool_name": "g", "tool_kwargs": {}}
    (answer,) = load(as_json([message("assistant", block, tool_calls=[beside, selection])]))[0]
    assert answer.tool_calls == (ToolCall("k", "f", '{"a":1}'), ToolCall("l", "g", "{}"))


def test_media_thinking_and_results_are_read_as_what_they_are():
    image, thought = {"block_type": "image", "url": "x"}, {"block_type": "thinking", "content": "hm"}
    ask, answer, result = load(
        as_json(
            [message("user", "a", image), message("assistant", thought, "b"), message("tool", "c", tool_call_id="k")]
        )
    )[0]
    assert (ask.media, answer.metadata["thinking"], answer.content) == (("image",), "hm", "b")
    assert (result.role, result.tool_call_id) == ("tool", "k")


def test_what_cannot_be_read_is_named():
    loaded = load(as_json([message("user", "a", {"block_type": "hologram"}, mood="fine"), 7]))
    assert list(loaded.report.warnings) == ["a field 'mood' not read", "a part of type 'hologram' not read"]
    assert list(loaded.report.skipped) == ["a number without a role"]
