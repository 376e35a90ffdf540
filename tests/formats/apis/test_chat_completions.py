"""Every shape a Chat Completions file comes in."""

from __future__ import annotations

import json

import pytest

from historylab.formats.files.content import Content
from historylab.formats.load import load, match_strengths

HI = {"role": "user", "content": "hi"}
YES = {"role": "assistant", "content": "yes"}


def as_text(value) -> str:
    return json.dumps(value)


def as_json(value) -> bytes:
    return as_text(value).encode()


def as_lines(*values) -> bytes:
    return b"".join(as_json(value) + b"\n" for value in values)


@pytest.mark.parametrize(
    ("content", "lengths"),
    [
        (as_json([HI, YES]), [2]),
        (as_json({"messages": [HI, YES]}), [2]),
        (as_json([{"messages": [HI]}, {"messages": [HI, YES]}]), [1, 2]),
        (as_json([[HI], [HI, YES]]), [1, 2]),
        (as_json(HI), [1]),
        (as_lines(HI, YES), [2]),
        (as_lines({"messages": [HI]}, {"messages": [HI, YES]}), [1, 2]),
        (as_lines([HI], [HI, YES]), [1, 2]),
        (as_lines({"messages": [HI]}), [1]),
    ],
    ids=["list", "object", "objects", "lists", "message", "lines", "object-lines", "list-lines", "one-line"],
)
def test_the_shapes_of_a_file(content, lengths):
    loaded = load(content)
    assert [len(conversation) for conversation in loaded] == lengths
    assert (loaded.report.records, loaded.report.skips) == (sum(lengths), 0)


USAGE = {"prompt_tokens": 20, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 16}}
ANSWERED = {"model": "m-2026", "created": 1767225600, "choices": [{"index": 0, "message": YES}], "usage": USAGE}
LOOK = {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}


BODY = {"model": "m", "messages": [HI], "tools": [LOOK]}


@pytest.mark.parametrize(
    "log",
    [
        BODY | {"response": ANSWERED},
        {"request": BODY, "response": ANSWERED},
        {"request": {"body": as_text(BODY)}, "response": {"body": ANSWERED}},
        {"request": BODY, "response": as_text(ANSWERED)},
    ],
    ids=["beside", "pair", "bodies", "text"],
)
def test_a_logged_answer_is_the_last_message_with_its_model_usage_and_time(log):
    for content in (as_json(log), as_json([log]), as_lines(log)):
        loaded = load(content)
        (conversation,) = loaded
        assert [m.content for m in conversation] == ["hi", "yes"]
        answer = conversation[1]
        assert answer.metadata["usage"] == {"input": 4, "output": 3, "cache_reads": 16, "cache_writes": 0}
        assert (answer.metadata["model"], answer.timestamp) == ("m-2026", "2026-01-01T00:00:00+00:00")
        assert conversation.recorded.tools.count == 1
        assert (loaded.report.member, loaded.report.records, loaded.report.remarks) == ("chat_completions", 2, 0)


def test_logged_requests_of_one_chat_are_one_conversation_with_the_usage_of_each():
    more = [HI, YES, HI | {"content": "more?"}]
    loaded = load(as_lines(*({"request": {"messages": asked}, "response": ANSWERED} for asked in ([HI], more))))
    (conversation,) = loaded
    assert [m.content for m in conversation] == ["hi", "yes", "more?", "yes"]
    assert [bool(usage) for usage in conversation.recorded.usage] == [True, True]


def test_a_response_that_is_no_answer_is_left_out_and_said():
    loaded = load(as_json({"messages": [HI], "response": {"error": "overloaded"}}))
    assert len(loaded[0]) == 1
    assert "a logged response left out" in str(loaded.report)


def test_other_choices_are_branches():
    choices = [{"index": i, "message": YES | {"content": text}} for i, text in enumerate(("yes", "no"))]
    (conversation,) = load(as_json({"messages": [HI], "response": {"choices": choices}}))
    assert [m.content for m in conversation] == ["hi", "yes"]
    assert [[m.content for m in branch] for branch in conversation.branches] == [["hi", "no"]]


def test_batch_lines_are_bodies_and_answers_named_by_their_custom_id():
    asked = [
        {"custom_id": name, "method": "POST", "url": "/v1/chat/completions", "body": {"model": "m", "messages": [HI]}}
        for name in ("a", "b")
    ]
    loaded = load(as_lines(*asked))
    assert [(c.title, c.recorded.model, len(c)) for c in loaded] == [("a", "m", 1), ("b", "m", 1)]
    answers = [
        {"id": "r", "custom_id": name, "response": {"status_code": 200, "request_id": "q", "body": body}, "error": None}
        for name, body in (("a", ANSWERED), ("b", {"error": {}}))
    ]
    loaded = load(as_lines(*answers))
    assert [(c.title, c.recorded.model, c[0].content) for c in loaded] == [("a", "m-2026", "yes")]
    assert loaded.report.skips == 1


def test_streamed_chunks_are_joined():
    deltas = [
        {"role": "assistant", "content": ""},
        {"reasoning_content": "hm"},
        {"content": "I "},
        {"content": "look."},
        {"tool_calls": [{"index": 0, "id": "a", "type": "function", "function": {"name": "look", "arguments": ""}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"at": '}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": "4}"}}]},
    ]
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1767225600, "model": "m"}
    chunks = [{**chunk, "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    chunks.append({**chunk, "choices": [], "usage": USAGE})
    for content in (as_lines(*chunks), as_json(chunks)):
        loaded = load(content)
        (message,) = loaded[0]
        assert message.content == "I look."
        assert [(c.id, c.name, c.arguments) for c in message.tool_calls] == [("a", "look", '{"at": 4}')]
        assert message.metadata["thinking"] == "hm"
        assert message.metadata["usage"]["cache_reads"] == 16
        assert loaded.report.member == "chat_completions"


def test_request_parameters_are_recorded_apart_from_other_fields():
    body = {"model": "m", "temperature": 0.2, "max_tokens": 50, "functions": [{"name": "f"}], "messages": [HI]}
    (conversation,) = load(as_json(body))
    assert conversation.recorded.parameters == {"temperature": 0.2, "max_tokens": 50}
    assert conversation.recorded.tools.count == 1


@pytest.mark.parametrize(
    "thought",
    [
        {"reasoning_content": "hm"},
        {"thinking_blocks": [{"type": "thinking", "thinking": "hm"}], "reasoning_content": "hm"},
        {"reasoning": "hm", "reasoning_details": [{"type": "reasoning.text", "text": "hm"}]},
        {"content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "yes"}]},
    ],
    ids=["field", "blocks", "details", "part"],
)
def test_thinking_is_no_content_and_kept_beside_it(thought):
    given = {**YES, **thought}
    loaded = load(as_json([HI, given]), "chat_completions")
    answer = loaded[0][1]
    assert (answer.content, answer.metadata, answer.source) == ("yes", {"thinking": "hm"}, given)
    assert loaded.report.remarks == 0


def test_a_plan_and_a_document_of_cohere_are_thinking_and_a_result():
    call = {"id": "w", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    found = [{"type": "document", "document": {"id": "d", "data": data}} for data in ('{"t": 4}', {"t": 5})]
    said = [
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "tool_plan": "I look it up.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "w", "content": found},
    ]
    loaded = load(as_json({"model": "command-a-03-2025", "messages": said}))
    _, answer, result = loaded[0]
    assert (answer.metadata["thinking"], answer.tool_calls[0].name) == ("I look it up.", "weather")
    assert (result.content, result.media, loaded.report.remarks) == ('{"t": 4}\n{"t":5}', (), 0)


def test_what_is_skipped_is_counted_by_reason_with_the_first_place():
    loaded = load(as_json([HI, 5, 6, {"content": "x"}, {"role": "user", "content": {}}, YES]), "chat_completions")
    skipped = {reason: (tally.count, tally.first) for reason, tally in loaded.report.skipped.items()}
    assert skipped == {
        "a number, not an object": (2, "[1]"),
        "no role": (1, "[3]"),
        "content is an object, not text, a list of parts or null": (1, "[4]"),
    }
    assert str(loaded.report).startswith("OpenAI Chat Completions: 6 records, 2 messages, 4 skipped (2 × a number")


def test_stray_lines_and_a_last_line_that_breaks_off_are_reported():
    loaded = load(as_lines(HI, 7, YES, {"role": "user", "content": "cut"})[:-9])
    assert len(loaded[0]) == 2
    assert loaded.report.skipped["a number without role or messages"].first == "line 2"
    assert loaded.report.skipped["the last line breaks off"].first == "line 4"


def test_empty_contents_and_unknown_roles_are_kept_and_mentioned():
    loaded = load(as_json([HI, {"role": "assistant", "content": ""}, {"role": "Human", "content": "x"}]))
    assert [m.role for m in loaded[0]] == ["user", "assistant", "Human"]
    assert list(loaded.report.warnings) == ["empty content", "unknown role 'Human', kept as conversation"]


def test_conversations_without_messages_are_left_out_and_mentioned():
    loaded = load(as_json([{"messages": []}, {"messages": [HI]}]))
    assert len(loaded) == 1
    assert "a conversation without messages" in loaded.report.warnings


@pytest.mark.parametrize(
    "foreign",
    [
        [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a"}]}],
        [{"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "a"}]}],
        [{"role": "assistant", "content": "", "tool_calls": [{"id": "a", "function": "f", "arguments": {}}]}],
        [{"role": "user", "parts": [{"text": "hi"}]}],
        [{"role": "user", "blocks": [{"text": "hi"}]}],
        [{"role": "user", "content": {"text": "hi"}}],
        {"conversations": [{"from": "human", "value": "hi"}]},
        {"messages": [{"type": "user", "content": "hi"}]},
        {"history": [HI]},
    ],
)
def test_other_formats_with_roles_are_not_claimed(foreign):
    assert "chat_completions" not in match_strengths(Content(as_json(foreign)))


def test_rows_of_several_conversations_are_told_apart_by_their_id():
    for key in ("conversation_id", "session_id", "thread_id", "sessionId"):
        rows = [message | {key: name} for name in ("a", "b") for message in (HI, YES)]
        mixed = [rows[0], rows[2], rows[1], rows[3]]
        for content in (as_lines(*mixed), as_json(mixed)):
            loaded = load(content)
            assert [[m.content for m in c] for c in loaded] == [["hi", "yes"], ["hi", "yes"]]
            assert [c.metadata for c in loaded] == [{key: "a"}, {key: "b"}]


def test_ids_of_other_types_are_other_conversations_and_a_row_without_one_is_in_none():
    rows = [HI | {"conversation_id": id} for id in (1, "1", True, 1)] + [HI, YES]
    assert [len(c) for c in load(as_lines(*rows))] == [2, 1, 1, 2]


def test_a_row_whose_conversations_id_can_be_none_is_skipped():
    loaded = load(as_lines(HI, YES | {"conversation_id": {"a": 1}}))
    assert len(loaded[0]) == 1
    assert list(loaded.report.skipped) == ["conversation_id is an object, not text or a number"]


@pytest.mark.parametrize("prompt", ["Be brief.", [{"type": "text", "text": "Be brief."}]])
def test_a_system_prompt_beside_the_messages_comes_first(prompt):
    loaded = load(as_json({"system": prompt, "model": "m", "messages": [HI, YES]}))
    assert [(m.role, m.content) for m in loaded[0]][:2] == [("system", "Be brief."), ("user", "hi")]
    assert loaded[0].metadata == {"model": "m"}
    assert loaded.report.records == 3


def test_what_stands_beside_the_messages_is_kept_and_said():
    tools = [{"type": "function", "function": {"name": "f"}}]
    body = {"title": "t", "model": "m", "tools": tools, "traj": [HI], "system": {"odd": 1}, "messages": [HI]}
    loaded = load(as_json(body))
    assert loaded[0].metadata == {key: value for key, value in body.items() if key != "messages"}
    assert str(loaded.report).endswith("; kept beside the messages: model, tools, traj, system")


def test_fields_of_a_message_that_are_not_read_are_named():
    loaded = load(as_json([HI | {"mood": "good", "tags": [], "index": None}, YES | {"mood": "fine"}]))
    assert {why: tally.count for why, tally in loaded.report.warnings.items()} == {"a field 'mood' not read": 2}


def test_a_conversation_among_messages_is_a_conversation_of_its_own():
    assert [len(c) for c in load(as_json([HI, {"messages": [HI, YES]}, YES]))] == [2, 2]


def test_fields_of_parts_and_calls_that_are_not_read_are_named():
    part = {"type": "text", "text": "hi", "note": "aside", "cache_control": {"type": "ephemeral"}}
    calls = [{"id": "a", "type": "function", "reason": "why", "function": {"name": "f", "args": {"a": 1}}}]
    loaded = load(as_json([{"role": "user", "content": [part]}, {"role": "assistant", "tool_calls": calls}]))
    assert list(loaded.report.warnings) == [f"a field {name!r} not read" for name in ("note", "reason", "args")]
