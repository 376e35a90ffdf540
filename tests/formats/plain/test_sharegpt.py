"""ShareGPT: speakers, calls and observations, what stands beside the conversation."""

from __future__ import annotations

import json

import pytest

from historylab import load


def share(*turns: tuple[str, object], **beside: object) -> bytes:
    return json.dumps({"conversations": [{"from": who, "value": what} for who, what in turns], **beside}).encode()


def test_the_first_may_be_the_model_and_one_may_speak_twice():
    (conversation,) = load(share(("gpt", "a"), ("gpt", "b"), ("human", "c"), ("human", "d")))
    assert [m.role for m in conversation] == ["assistant", "assistant", "user", "user"]


@pytest.mark.parametrize("several", [False, True])
def test_a_call_is_answered_by_the_observation(several):
    call = {"name": "f", "arguments": {"a": 1}}
    turns = [("human", "hi"), ("function_call", json.dumps([call, call] if several else call))]
    (conversation,) = load(share(*turns, *[("observation", "1")] * (1 + several), ("gpt", "so")))
    assert [call.arguments for call in conversation[1].tool_calls] == ['{"a": 1}'] * (1 + several)
    assert conversation.columns.clean


def test_prompt_tools_and_title_stand_beside():
    loaded = load(share(("human", "hi"), ("gpt", "yo"), id="t-1", system="be", tools='[{"name": "f"}]', source="s"))
    (conversation,) = loaded
    assert (conversation.title, conversation[0].role, conversation[0].content) == ("t-1", "system", "be")
    assert conversation.recorded.tools.count == 1
    assert list(loaded.report.kept) == ["source"]


def test_what_cannot_be_read_is_skipped_by_name():
    report = load(share(("human", "hi"), ("gpt", 5), ("narrator", "x"), ("gpt", ""))).report
    assert list(report.skipped) == ["value is a number, not text"]
    assert list(report.warnings) == ["unknown speaker 'narrator', kept as conversation", "empty content"]


@pytest.mark.parametrize("holder", ["conversations", "conversation"])
def test_role_and_content_under_conversations_are_read_too(holder):
    rows = [{holder: [{"role": "user", "content": c}]} for c in "ab"]
    loaded = load("\n".join(map(json.dumps, rows)).encode())
    assert (loaded.report.member, [c[0].content for c in loaded]) == ("sharegpt", ["a", "b"])
