"""Inspect logs: epochs, calls with an object of arguments, usage and times of events, attachments, `.eval` archives."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

from historylab import load
from historylab.conversation.message import ToolCall

ASK = {"id": "m1", "role": "user", "content": "hi", "source": "input"}
YES = {"id": "m2", "role": "assistant", "content": "yes", "source": "generate", "model": "m-1"}


def sample(*messages: dict, **more: object) -> dict:
    return {"id": "s", "epoch": 1, "input": "hi", "target": "", "messages": list(messages), **more}


def read(*samples: dict, **evaluation: object):
    return load(json.dumps({"eval": {"task": "t", **evaluation}, "samples": samples}).encode())


def answer(usage: dict, **more: object) -> dict:
    output = {"choices": [{"message": {"id": "m2"}}], "usage": usage}
    return {"event": "model", "timestamp": "2026-01-01T00:00:00Z", "output": output, **more}


def test_every_epoch_of_a_sample_is_a_conversation():
    loaded = read(sample(ASK), sample(ASK, epoch=2), model="openai/m", config={"epochs": 2})
    assert [c.title for c in loaded] == ["t, sample s, epoch 1", "t, sample s, epoch 2"]
    assert (loaded[0].recorded.model, loaded[0].recorded.provider) == ("m", "openai")


def test_a_call_has_its_function_as_text_and_an_object_of_arguments():
    call = {"id": "c", "function": "f", "arguments": {"a": 1}, "type": "function"}
    result = {"role": "tool", "function": "f", "tool_call_id": "c", "content": "1"}
    (conversation,) = read(sample(ASK, YES | {"tool_calls": [call]}, result))
    assert conversation[1].tool_calls == (ToolCall("c", "f", '{"a": 1}'),)
    assert conversation.columns.clean


def test_the_error_of_a_tool_is_its_result():
    error = {"type": "timeout", "message": "no answer"}
    (conversation,) = read(sample(ASK, {"role": "tool", "tool_call_id": "c", "content": "", "error": error}))
    assert (conversation[1].content, conversation[1].metadata["is_error"]) == ("no answer", True)


@pytest.mark.parametrize(("total", "taken"), [(12, 6), (16, 10)], ids=["within", "beside"])
def test_cache_reads_are_within_the_input_if_the_total_adds_up_so(total, taken):
    usage = {"input_tokens": 10, "output_tokens": 2, "total_tokens": total, "input_tokens_cache_read": 4}
    (conversation,) = read(sample(ASK, YES, events=[answer(usage, completed="2026-01-01T00:00:05Z")]))
    assert [(u.input, u.cache_reads, u.output) for u in conversation.recorded.usage] == [(taken, 4, 2)]
    assert conversation[1].timestamp == "2026-01-01T00:00:05Z"


def test_tools_and_parameters_are_those_of_the_model_that_answered():
    grader = answer({}, tools=[{"name": "no"}]) | {"output": {"choices": [{"message": {"id": "other"}}]}}
    events = [answer({}, tools=[{"name": "f"}], config={"temperature": 0, "top_p": None}), grader]
    recorded = read(sample(ASK, YES, events=events))[0].recorded
    assert (recorded.tools.definitions, recorded.parameters) == (({"name": "f"},), {"temperature": 0})


def test_reasoning_is_kept_beside_and_attachments_are_put_in():
    content = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "attachment://x"}]
    (conversation,) = read(sample(ASK, YES | {"content": content}, attachments={"x": "long"}))
    assert (conversation[1].content, conversation[1].metadata["thinking"]) == ("long", "hm")


def test_an_eval_archive_has_a_header_and_a_file_per_sample():
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for number in (1, 2):
            archive.writestr(f"samples/s_epoch_{number}.json", json.dumps(sample(ASK, YES, epoch=number)))
        archive.writestr("summaries.json", "[]")
        archive.writestr("header.json", json.dumps({"eval": {"task": "t", "model": "openai/m"}}))
    loaded = load(data.getvalue(), name="run.eval")
    assert (loaded.report.member, loaded.report.skips, [len(c) for c in loaded]) == ("inspect", 0, [2, 2])
    assert all("t, sample s" in c.title for c in loaded)


def test_what_cannot_be_read_of_a_sample_is_named():
    report = read(sample(ASK, 5, {"role": "user"}), {"id": 2}, "x").report  # type: ignore[arg-type]
    assert list(report.skipped) == [
        "a number, not an object",
        "a sample that is an object, or without messages",
        "a sample that is text, or without messages",
    ]


@pytest.mark.parametrize(
    ("content", "kept"), [("half of it", {"is_error": True, "error": "late"}), ("", {"is_error": True})]
)
def test_what_an_error_says_is_kept_beside_the_content_or_is_the_content(content, kept):
    result = {"role": "tool", "tool_call_id": "c", "content": content, "error": {"type": "timeout", "message": "late"}}
    found = read(sample(ASK, result))[0][1]
    assert (found.content, dict(found.metadata)) == (content or "late", kept)
