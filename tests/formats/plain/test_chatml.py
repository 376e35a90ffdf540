"""ChatML: messages between markers, open models' tags, several conversations."""

from __future__ import annotations

import json

import pytest

from historylab import load
from historylab.conversation.message import ToolCall
from historylab.errors import UnknownFormat


def chatml(*messages: str) -> str:
    return "".join(f"<|im_start|>{message}<|im_end|>\n" for message in messages)


@pytest.mark.parametrize("before", ["", "\n ", "<s>", "<|endoftext|>\n"])
def test_messages_stand_between_the_markers(before):
    (conversation,) = load((before + chatml("system\nbe\nbrief", "user\nhi", "assistant\nyo")).encode())
    assert [(m.role, m.content) for m in conversation] == [("system", "be\nbrief"), ("user", "hi"), ("assistant", "yo")]


def test_thoughts_calls_and_results_are_read_from_their_tags():
    call = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
    results = "<tool_response>\n1\n</tool_response>\n<tool_response>2</tool_response>"
    asked = f"assistant\n<think>\nhm\n</think>\n\nlet me\n{call}\n{call}"
    (conversation,) = load(chatml("user\nhi", asked, f"user\n{results}", "assistant\nyo").encode())
    assert [m.content for m in conversation] == ["hi", "let me", "1", "2", "yo"]
    assert conversation[1].metadata["thinking"] == "hm"
    assert conversation[1].tool_calls[0] == ToolCall("unnamed-1-0", "f", '{"a": 1}')
    assert conversation.columns.clean


def test_what_is_no_call_stays_text():
    text = "<tool_call>not JSON</tool_call>"
    assert load(chatml("user\nhi", f"assistant\n{text}").encode())[0][1].content == text


def test_an_open_message_a_missing_role_and_text_between_are_named():
    text = chatml("user\nhi", "\nno role", "critic name=bo\nhm") + "between\n<|im_start|>assistant\n"
    loaded = load(text.encode())
    assert [(m.role, m.name) for m in loaded[0]] == [("user", None), ("critic", "bo")]
    assert list(loaded.report.skipped) == ["no role", "an empty message, which only asks for the answer"]
    assert list(loaded.report.warnings) == [
        "text between messages not read",
        "unknown role 'critic', kept as conversation",
    ]


@pytest.mark.parametrize("lines", [True, False])
def test_texts_in_json_are_conversations_of_their_own(lines):
    rows = [{"id": 1, "text": chatml("user\na")}, {"id": 2, "text": chatml("user\nb")}]
    data = "\n".join(map(json.dumps, rows)) if lines else json.dumps(rows)
    assert [c[0].content for c in load(data.encode())] == ["a", "b"]


@pytest.mark.parametrize("text", ["The marker is <|im_start|>user", '{"text": "plain"}', "<|im_end|>"])
def test_a_text_that_only_mentions_the_marker_is_refused(text):
    with pytest.raises(UnknownFormat):
        load(text.encode())
