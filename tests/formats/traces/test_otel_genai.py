"""OpenTelemetry GenAI spans: which are model calls, whose conversation they are, and what they counted."""

from __future__ import annotations

import json

import pytest

from historylab.errors import LoadError
from historylab.formats.load import load


def message(role: str, text: str) -> dict:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def span(name: str = "chat", trace: str = "t", number: int = 1, **attributes) -> dict:
    said = {key.replace("__", "."): value for key, value in attributes.items()}
    return {
        "traceId": trace,
        "spanId": f"{trace}{name}{number}",
        "name": name,
        "startTimeUnixNano": str((1767600000 + number) * 10**9),
        "attributes": {"gen_ai.operation.name": name, **said},
    }


def call(*texts: str, **fields) -> dict:
    """A call that was sent all texts but the last, which answers it."""
    history = [message("assistant" if i % 2 else "user", text) for i, text in enumerate(texts)]
    return span(gen_ai__input__messages=history[:-1], gen_ai__output__messages=history[-1:], **fields)


def loaded(*spans: dict):
    return load(json.dumps(list(spans)).encode())


def said(conversation) -> list[str]:
    return [m.content for m in conversation]


def test_an_agents_span_repeats_its_calls_and_stands_for_them_where_there_are_none():
    agent = {**call("hi", "hello"), "name": "agent", "spanId": "a"}
    agent["attributes"]["gen_ai.operation.name"] = "invoke_agent"
    assert [said(c) for c in loaded(agent)] == [["hi", "hello"]]
    found = loaded(agent, call("hi", "let me see"))
    assert [said(c) for c in found] == [["hi", "let me see"]]
    assert found.report.skips == 1


def test_a_call_that_logs_only_what_is_new_goes_on_under_its_agents_instructions():
    agent = span("invoke_agent", gen_ai__system_instructions=[{"type": "text", "content": "be kind"}])
    asked = {"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "look", "arguments": {}}]}
    result = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "sunny"}]}
    first = span(gen_ai__input__messages=[message("user", "hi")], gen_ai__output__messages=[asked])
    second = span(number=2, gen_ai__input__messages=[result], gen_ai__output__messages=[message("assistant", "done")])
    (conversation,) = loaded(agent, *({**made, "parentSpanId": agent["spanId"]} for made in (first, second)))
    assert said(conversation) == ["be kind", "hi", "", "sunny", "done"]


def test_a_tools_span_has_the_result_that_the_next_call_leaves_out():
    asked = {"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "look", "arguments": {}}]}
    tool = span("execute_tool look", gen_ai__tool__call__id="c1", gen_ai__tool__call__result="sunny")
    first = span(gen_ai__input__messages=[message("user", "hi")], gen_ai__output__messages=[asked])
    (conversation,) = loaded(first, tool, call("hi", "done", number=2))
    assert said(conversation) == ["hi", "", "sunny", "done"]


def test_calls_of_several_traces_are_one_conversation_by_its_id_which_any_span_of_a_trace_may_have():
    agent = span("invoke_agent", trace="t2", gen_ai__conversation__id="c")
    first = call("hi", "hello", trace="t1", gen_ai__conversation__id="c")
    second = call("hi", "hello", "bye", "so long", trace="t2", number=2)
    (conversation,) = loaded(agent, second, first)
    assert said(conversation) == ["hi", "hello", "bye", "so long"]
    assert conversation.metadata["conversation_id"] == "c"


def test_input_includes_what_was_cached_unless_it_cannot():
    def usage(tokens: int, reads: int):
        (conversation,) = loaded(
            call("hi", "yo", gen_ai__usage__input_tokens=tokens, gen_ai__usage__cache_read__input_tokens=reads)
        )
        (found,) = conversation.recorded.usage
        return found.input, found.cache_reads

    assert usage(100, 80) == (20, 80)
    assert usage(10, 80) == (10, 80)


def test_calls_without_content_are_requests_of_known_size():
    sizes = [{"gen_ai__usage__input_tokens": n, "gen_ai__usage__output_tokens": 5} for n in (100, 200)]
    (conversation,) = loaded(*(span("chat", number=i, **size) for i, size in enumerate(sizes)))
    assert conversation.recorded.textless
    assert len(conversation) == 4


def test_a_failed_call_is_named_and_its_retry_answers():
    failed = {**call("hi", "x"), "spanId": "f", "status": {"code": 2, "message": "overloaded"}}
    del failed["attributes"]["gen_ai.output.messages"]
    found = loaded(failed, call("hi", "hello", number=2))
    assert [said(c) for c in found] == [["hi", "hello"]]
    assert "a model call that failed (overloaded)" in found.report.warnings


def test_spans_of_which_none_is_a_model_call_are_refused_by_name():
    file = {"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "t", "name": "GET /", "attributes": []}]}]}]}
    with pytest.raises(LoadError, match="a span that is no model call"):
        load(json.dumps(file).encode())


@pytest.mark.parametrize("marked", [True, False])
def test_a_span_that_says_its_history_was_compacted_is_the_mark_of_a_cut(marked):
    said = ["ask one", "answer one", "ask two", "answer two", "ask three", "answer three"]
    mark = {"gen_ai__conversation__compacted": True} if marked else {}
    spans = [call(*said[: 2 * k + 2], number=k) for k in range(3)]
    (conversation,) = loaded(*spans, call(*said[4:], "ask four", "answer four", number=9, **mark))
    assert [cut.inferred for cut in conversation.recorded.compactions] == [not marked]
