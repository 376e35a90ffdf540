"""The AI SDK's UI messages: an answer with its calls, results and steps becomes the messages a model saw."""

from __future__ import annotations

import json

import pytest

from historylab.conversation.message import Usage
from historylab.formats.load import load


def loaded(*messages):
    return load(json.dumps(messages).encode())


def answer(*parts, **fields) -> dict:
    return {"id": "m", "role": "assistant", "parts": list(parts), **fields}


def text(said: str) -> dict:
    return {"type": "text", "text": said}


def tool(id: str, state: str, **fields) -> dict:
    return {"type": "tool-look", "toolCallId": id, "state": state, "input": {"at": 1}, **fields}


def sketch(conversation) -> list[str]:
    return [
        f"{m.role[0]}({len(m.tool_calls)}) {m.content}" if m.tool_calls else f"{m.role[0]} {m.content}"
        for m in conversation
    ]


STEP = {"type": "step-start"}


def test_an_answer_is_split_at_its_steps_and_results_follow_their_calls():
    seen = tool("a", "output-available", output={"v": 1})
    heard = {"type": "dynamic-tool", "toolName": "hear", "toolCallId": "b", "state": "output-available", "output": "x"}
    found = loaded(answer(STEP, text("let me"), seen, STEP, heard, STEP, text("done")))[0]
    assert sketch(found) == ["a(1) let me", 't {"v":1}', "a(1) ", "t x", "a done"]
    assert [m.id for m in found if m.role == "assistant"] == ["m", "m/1", "m/2"]
    assert found[2].tool_calls[0].name == "hear"


@pytest.mark.parametrize("state", ["input-streaming", "input-available", "approval-requested"])
def test_a_call_that_has_no_result_yet_has_none(state):
    assert sketch(loaded(answer(tool("a", state)))[0]) == ["a(1) "]


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (tool("a", "output-error", errorText="boom"), "boom"),
        (tool("a", "output-denied", approval={"id": "x", "approved": False, "reason": "no"}), "no"),
    ],
)
def test_a_call_that_failed_or_was_denied_has_an_error_for_a_result(part, said):
    result = loaded(answer(part))[0][1]
    assert (result.content, result.metadata["is_error"]) == (said, True)


def test_an_output_that_looks_like_a_typed_one_is_still_what_the_tool_returned():
    output = {"type": "text", "value": "x"}
    assert json.loads(loaded(answer(tool("a", "output-available", output=output)))[0][1].content) == output


def test_version_4_has_content_after_the_calls_of_its_steps():
    calls = [
        {"state": "result", "step": step, "toolCallId": f"c{step}", "toolName": "f", "args": {}, "result": step}
        for step in (0, 1)
    ]
    found = loaded({"id": "m", "role": "assistant", "content": "done", "reasoning": "hm", "toolInvocations": calls})[0]
    assert sketch(found) == ["a(1) ", "t 0", "a(1) ", "t 1", "a done"]
    assert found[0].metadata["thinking"] == "hm"


def test_version_4_with_parts_repeats_its_content_and_is_read_once():
    call = {"state": "call", "toolCallId": "c", "toolName": "f", "args": {}}
    parts = [STEP, text("one"), {"type": "tool-invocation", "toolInvocation": call}]
    found = loaded(answer(*parts, content="one", toolInvocations=[call]))
    assert (sketch(found[0]), dict(found.report.warnings)) == (["a(1) one"], {})
    other = loaded(answer(*parts, content="something else"))
    assert list(other.report.warnings) == ["content that differs from the parts, not read"]


def test_model_usage_and_time_are_read_from_the_metadata_an_app_adds():
    usage = {"inputTokens": 90, "outputTokens": 7, "cachedInputTokens": 64}
    about = {"model": "m-1", "totalUsage": usage, "createdAt": 1769932800}
    found = loaded(answer(text("x"), metadata=about))[0]
    assert (found.recorded.model, found.recorded.usage) == ("m-1", (Usage(26, 7, 64),))
    assert found[0].timestamp == "2026-02-01T08:00:00+00:00"
    several = loaded(answer(text("x"), STEP, text("y"), metadata=about))
    assert "usage that several requests share, not read" in several.report.warnings


def test_what_no_model_sees_is_named():
    data = {"id": "d", "role": "data", "content": "1"}
    found = loaded(answer(text("x"), {"type": "data-chart", "data": {}}, {"type": "source-url", "url": "u"}), data)
    assert list(found.report.warnings) == [
        "a part of type 'data-chart' not read",
        "a part of type 'source-url' not read",
    ]
    assert list(found.report.skipped) == ["a data message, which no model sees"]


def test_what_a_mark_between_steps_says_is_named():
    assert list(loaded(answer({**STEP, "text": "x"}, text("y"))).report.warnings) == ["a field 'text' not read"]


def test_an_invocation_that_is_no_object_is_named_and_no_call():
    found = loaded({"role": "assistant", "content": "yes", "toolInvocations": ["look"]})
    assert (sketch(found[0]), list(found.report.warnings)) == (["a yes"], ["a toolInvocation that is text, not read"])
