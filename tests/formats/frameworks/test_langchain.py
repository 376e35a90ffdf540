"""LangChain: the three dumps of one list are one conversation; chunks are joined, markers and secrets left out."""

from __future__ import annotations

import json

import pytest

from historylab.conversation.message import ToolCall, Usage
from historylab.errors import UnknownFormat
from historylab.formats.load import load


def as_json(messages) -> bytes:
    return json.dumps(messages).encode()


def message(kind: str, content="", **fields) -> dict:
    return {"type": kind, "data": {"content": content, "type": kind, "additional_kwargs": {}, **fields}}


def chunk(content="", **fields) -> dict:
    return message("AIMessageChunk", content, **fields)


ASK = message("human", "ask", id="h1")
CALL = {"id": "t1", "name": "look", "args": {"at": 1}}
CLASSES = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}


def serialised(dumped: dict) -> dict:
    name = CLASSES[dumped["type"]]
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", name], "kwargs": dumped["data"]}


def test_the_three_dumps_of_a_list_are_one_conversation():
    given = [ASK, message("ai", "", tool_calls=[CALL]), message("tool", "seen", tool_call_id="t1")]
    dumps = [given, [m["data"] for m in given], [serialised(m) for m in given]]
    loaded = [load(as_json(dump)) for dump in dumps]
    assert [found.report.member for found in loaded] == ["langchain"] * 3
    assert loaded[0][0] == loaded[1][0] == loaded[2][0]
    assert loaded[0][0][1].tool_calls == (ToolCall("t1", "look", '{"at":1}'),)


def test_content_parts_that_repeat_the_calls_are_no_second_call_and_thinking_is_kept_apart():
    parts = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "let me"}, {"type": "tool_use", **CALL}]
    (answer,) = load(as_json([message("ai", parts, tool_calls=[CALL])]))[0]
    assert (answer.content, len(answer.tool_calls), answer.metadata["thinking"]) == ("let me", 1, "hm")


def test_chunks_of_one_answer_are_one_message_with_the_calls_put_together():
    calls = [{"name": "look", "args": '{"at"', "id": "t1", "index": 0}, {"args": ": 1}", "index": 0}]
    usage = {"input_tokens": 5, "output_tokens": 1}
    pieces = [chunk("ha", id="c"), chunk("ha", id="c", tool_call_chunks=calls[:1], usage_metadata=usage)]
    last = chunk("", id="c", tool_call_chunks=calls[1:], usage_metadata=usage, invalid_tool_calls=[{"args": ": 1}"}])
    conversation = load(as_json([ASK, *pieces, last, chunk("next", id="d")]))[0]
    assert [m.content for m in conversation] == ["ask", "haha", "next"]
    assert conversation[1].tool_calls == (ToolCall("t1", "look", '{"at": 1}'),)
    assert conversation.recorded.usage[0] == Usage(10, 2)


def test_usage_is_read_without_what_caches_took():
    details = {"cache_read": 50, "cache_creation": 0, "ephemeral_5m_input_tokens": 20, "ephemeral_1h_input_tokens": 10}
    usage = {"input_tokens": 120, "output_tokens": 7, "input_token_details": details}
    about = {"model_name": "m-1", "model_provider": "anthropic"}
    recorded = load(as_json([ASK, message("ai", "x", usage_metadata=usage, response_metadata=about)]))[0].recorded
    assert (recorded.model, recorded.provider) == ("m-1", "anthropic")
    assert recorded.usage == (Usage(40, 7, 50, 30, 10),)


def test_a_call_that_is_no_json_keeps_its_raw_text_and_a_failed_tool_is_an_error():
    invalid = {"id": "t1", "name": "look", "args": "{at", "error": "no JSON"}
    loaded = load(as_json([message("ai", invalid_tool_calls=[invalid]), message("tool", "x", status="error")]))
    assert loaded[0][0].tool_calls == (ToolCall("t1", "look", "{at"),)
    assert loaded[0][1].metadata["is_error"] is True
    assert "a call whose arguments are no JSON, kept as they are" in loaded.report.warnings


def test_calls_that_stand_beside_the_content_alone_are_read_from_there():
    old = {"tool_calls": [{"id": "t1", "function": {"name": "look", "arguments": "{}"}}], "reasoning_content": "hm"}
    (answer,) = load(as_json([message("ai", "", additional_kwargs=old)]))[0]
    assert (answer.tool_calls, answer.metadata["thinking"]) == ((ToolCall("t1", "look", "{}"),), "hm")


def test_a_secret_is_shown_nowhere_and_a_deletion_marker_is_no_message():
    secret = {"lc": 1, "type": "secret", "id": ["MY_KEY"]}
    call = {"id": "t1", "name": "look", "args": {"key": [secret]}}
    loaded = load(as_json([ASK, message("ai", secret, tool_calls=[call]), message("remove", id="h1"), secret]))
    assert "MY_KEY" not in f"{loaded[0].messages} {loaded.report}"
    assert list(loaded.report.skipped) == ["a deletion marker, not a message", "a secret's placeholder"]
    assert "content that is an object, not read" in loaded.report.warnings


def test_an_unknown_class_is_kept_with_a_warning_and_an_object_without_content_skipped():
    odd = {"lc": 1, "type": "constructor", "id": ["mine", "NoteMessage"], "kwargs": {"content": "nb"}}
    prompt = {"lc": 1, "type": "constructor", "id": ["langchain", "PromptTemplate"], "kwargs": {"template": "x"}}
    loaded = load(as_json([serialised(ASK), odd, prompt]))
    assert [(m.role, m.content) for m in loaded[0]] == [("user", "ask"), ("notemessage", "nb")]
    assert list(loaded.report.warnings) == ["unknown class 'NoteMessage', kept as conversation"]
    assert list(loaded.report.skipped) == ["a PromptTemplate object, not a message"]


@pytest.mark.parametrize("foreign", [{"type": "system", "content": "x"}, {"type": "ai"}, {"lc": 1, "type": "secret"}])
def test_other_files_are_not_claimed(foreign):
    with pytest.raises(UnknownFormat):
        load(as_json([foreign]))
