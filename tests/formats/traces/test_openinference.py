"""OpenInference spans: the same call flat and nested; calls told from other spans."""

from __future__ import annotations

import json

from historylab.formats.load import load

FLAT = {
    "openinference.span.kind": "LLM",
    "llm.model_name": "gpt-4.1",
    "llm.token_count.prompt": 10,
    "llm.token_count.completion": 2,
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.content": '{"looks": "like JSON"}',
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c",
    "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "f",
    "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": '{"a": 1}',
}
CALL = {"tool_call": {"id": "c", "function": {"name": "f", "arguments": '{"a": 1}'}}}
NESTED = {
    "openinference": {"span": {"kind": "LLM"}},
    "llm": {
        "model_name": "gpt-4.1",
        "token_count": {"prompt": 10, "completion": 2},
        "input_messages": [{"message": {"role": "user", "content": '{"looks": "like JSON"}'}}],
        "output_messages": [{"message": {"role": "assistant", "tool_calls": [CALL]}}],
    },
}


def loaded(*spans: dict):
    context = {"trace_id": "t"}
    given = [{"context": {**context, "span_id": str(i)}, **span} for i, span in enumerate(spans)]
    return load(json.dumps(given).encode())


def test_flat_and_nested_attributes_say_the_same():
    (flat,), (nested,) = loaded({"attributes": FLAT}), loaded({"attributes": NESTED})
    assert flat == nested
    assert (flat[0].content, flat[1].tool_calls[0].name) == ('{"looks": "like JSON"}', "f")
    assert json.loads(flat[1].tool_calls[0].arguments) == {"a": 1}


def test_a_chain_stands_for_its_calls_where_there_are_none():
    chain = {"openinference.span.kind": "CHAIN", "input.value": "hi", "output.value": "hello"}
    (conversation,) = loaded({"attributes": chain})
    assert [m.content for m in conversation] == ["hi", "hello"]
    found = loaded({"attributes": chain}, {"attributes": FLAT})
    assert (len(found), len(found[0]), found.report.skips) == (1, 2, 1)


def test_the_halves_of_a_call_that_stand_in_two_spans_are_one_and_a_tools_span_has_its_result():
    kind, at = "openinference.span.kind", "2026-01-05T08:00:0{}Z"
    asked = {"message.role": "user", "message.content": "hi"}
    called = {
        "message.role": "assistant",
        "message.tool_calls": [{"tool_call.id": "c", "tool_call.function.name": "f"}],
    }
    done = {"message.role": "assistant", "message.content": "done"}
    said = [
        {kind: "LLM", "llm.input_messages": [asked]},
        {kind: "LLM", "llm.output_messages": [called]},
        {kind: "TOOL", "tool.name": "f", "output.value": "sunny"},
        {kind: "LLM", "llm.output_messages": [done]},
    ]
    spans = [
        {
            "name": "f",
            "trace_id": "t",
            "span_id": str(n),
            "parent_id": "p",
            "start_time": at.format(n),
            "attributes": each,
        }
        for n, each in enumerate(said)
    ]
    (conversation,) = load(json.dumps(spans).encode())
    assert [m.content for m in conversation] == ["hi", "", "sunny", "done"]
