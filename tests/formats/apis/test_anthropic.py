"""Anthropic's Messages API: which files are its own, and what a body, a log and a stream become."""

from __future__ import annotations

import json

import pytest

from historylab.formats.files.content import Content
from historylab.formats.load import load, match_strengths

HI = {"role": "user", "content": "hi"}
YES = {"role": "assistant", "content": "yes"}
CALLED = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "look", "input": {"at": 4}}]}
FOUND = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "it"}]}
ANSWER = {"type": "message", "role": "assistant", "model": "claude-x", "content": [{"type": "text", "text": "yes"}]}
PROMPT = {"role": "system", "content": "Be brief."}


def as_json(value) -> bytes:
    return json.dumps(value).encode()


@pytest.mark.parametrize(
    ("given", "member"),
    [
        ([HI, YES], "chat_completions"),
        ({"model": "m", "system": "Be brief.", "messages": [HI, YES]}, "chat_completions"),
        ({"model": "m", "max_tokens": 9, "messages": [HI, YES]}, "chat_completions"),
        ({"model": "claude-x", "max_tokens": 9, "messages": [PROMPT, HI]}, "chat_completions"),
        ({"model": "claude-x", "max_tokens": 9, "messages": [HI, YES]}, "anthropic"),
        ({"max_tokens": 9, "system": "Be brief.", "messages": [HI, YES]}, "anthropic"),
        ([HI, CALLED, FOUND, YES], "anthropic"),
        ([HI, CALLED, FOUND, PROMPT, YES], "anthropic"),
        ({"model": "claude-x", "max_tokens": 9, "messages": [HI, PROMPT, YES]}, "anthropic"),
        ({"messages": [HI, CALLED]}, "anthropic"),
        ([HI, ANSWER], "anthropic"),
        (ANSWER, "anthropic"),
        ([HI, CALLED, YES | {"tool_calls": [{"id": "b", "function": {"name": "f"}}]}], "chat_completions"),
    ],
)
def test_a_list_of_texts_is_openais_unless_something_names_this_api(given, member):
    claims = match_strengths(Content(as_json(given)))
    assert max(claims, key=claims.get) == member


def test_the_format_can_be_named_and_then_texts_are_read_the_same():
    given = as_json([HI, YES])
    assert load(given, "anthropic")[0] == load(given)[0]


def test_a_system_prompt_is_one_message_before_the_others():
    prompt = [{"type": "text", "text": "Be brief."}, {"type": "text", "text": "Be kind."}]
    (conversation,) = load(as_json({"max_tokens": 9, "system": prompt, "messages": [HI]}))
    assert [(m.role, m.content) for m in conversation] == [("system", "Be brief.\nBe kind."), ("user", "hi")]
    assert "system" not in conversation.metadata
    assert conversation.recorded.parameters == {"max_tokens": 9}


def test_the_requests_of_a_tool_loop_are_one_conversation():
    asked = {"model": "claude-x", "messages": [HI]}
    called = ANSWER | CALLED | {"usage": {"input_tokens": 5, "output_tokens": 1, "cache_read_input_tokens": 7}}
    rows = [
        {"request": asked, "response": called},
        {"request": asked | {"messages": [HI, CALLED, FOUND]}, "response": ANSWER},
    ]
    loaded = load(b"\n".join(map(as_json, rows)))
    (conversation,) = loaded
    assert [m.role for m in conversation] == ["user", "assistant", "tool", "assistant"]
    assert conversation.columns.clean
    assert conversation.recorded.usage[0].cache_reads == 7
    assert (conversation.recorded.provider, loaded.report.remarks) == ("anthropic", 0)


@pytest.mark.parametrize(
    ("record", "reason"),
    [(7, "a number, not an object"), ({"role": "", "content": "x"}, "no role"), ({"content": "x"}, "no role")],
)
def test_what_is_no_message_is_skipped_by_name(record, reason):
    loaded = load(as_json([HI, CALLED, FOUND, record]), "anthropic")
    assert list(loaded.report.skipped) == [reason]


def test_fields_of_streamed_events_that_are_not_read_are_named():
    events = [
        {"type": "message_start", "message": ANSWER | {"content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "yes"}},
        {"type": "content_block_delta", "index": 0, "change": {"type": "text_delta", "text": " and no"}},
    ]
    loaded = load(b"\n".join(map(as_json, events)))
    assert ([m.content for m in loaded[0]], list(loaded.report.warnings)) == (["yes"], ["a field 'change' not read"])


def test_fields_and_contents_that_are_not_read_are_named():
    loaded = load(as_json([HI | {"mood": "good"}, CALLED, FOUND, {"role": "user", "content": 5}]), "anthropic")
    assert list(loaded.report.warnings) == ["a field 'mood' not read", "a content that is a number", "empty content"]
