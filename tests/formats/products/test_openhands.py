"""OpenHands request logs: the answer, what it took, flattened messages, several logs of one session."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

from historylab import load
from historylab.errors import UnknownFormat

HI = {"role": "user", "content": "hi"}
CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
USAGE = {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}}


def log(*messages: dict, answer: str = "yes", at: float = 100.0, **more: object) -> dict:
    said = {"role": "assistant", "content": answer}
    response = {"model": "litellm_proxy/anthropic/m", "choices": [{"message": said}], "usage": USAGE}
    kwargs = {"temperature": 0.0, "tools": []}
    return {"messages": list(messages), "kwargs": kwargs, "response": response, "context_window": 9,
            "cost": 0.5, "timestamp": at, "latency_sec": 1.0} | more  # fmt: skip


def read(*logs: dict):
    return load("\n".join(map(json.dumps, logs)).encode())


def test_the_answer_is_the_last_message_with_model_usage_cost_and_time():
    loaded = read(log(HI, tools=[CALL]))
    (conversation,) = loaded
    answer = conversation[1]
    assert (loaded.report.member, answer.content, answer.metadata["cost"]) == ("openhands", "yes", 0.5)
    assert conversation.recorded.model == "m"
    assert (conversation.recorded.provider, conversation.recorded.tools.count) == ("anthropic", 1)
    assert [(u.input, u.cache_reads, u.output) for u in conversation.recorded.usage] == [(6, 4, 2)]
    assert answer.timestamp == "1970-01-01T00:01:40+00:00"


def test_a_latency_that_no_time_can_be_leaves_the_start_unknown():
    (conversation,) = read(log(HI, latency_sec=10**400))
    assert [m.timestamp for m in conversation] == [None, "1970-01-01T00:01:40+00:00"]


@pytest.mark.parametrize("order", [1, -1])
def test_logs_of_one_session_are_one_conversation_in_the_order_of_their_times(order):
    said = {"role": "assistant", "content": "yes"}
    logs = [log(HI, at=100), log(HI, said, HI, answer="again", at=200)][::order]
    (conversation,) = read(*logs)
    assert [m.content for m in conversation] == ["hi", "yes", "hi", "again"]
    assert [bool(usage) for usage in conversation.recorded.usage] == [True, True]


def test_raw_messages_have_the_calls_where_messages_are_flattened():
    raw = [HI, {"role": "assistant", "content": "", "tool_calls": [CALL]}]
    raw.append({"role": "tool", "tool_call_id": "a", "content": "1"})
    loaded = read(log(HI, {"role": "user", "content": "EXECUTION RESULT of [f]: 1"}, raw_messages=raw))
    assert [m.role for m in loaded[0]] == ["user", "assistant", "tool", "assistant"]
    assert list(loaded.report.warnings) == ["raw_messages read, as messages has the calls and results as text"]


def test_thinking_is_kept_beside_the_content():
    thought = HI | {"role": "assistant", "reasoning_content": "hm"}
    blocks = HI | {"role": "assistant", "thinking_blocks": [{"type": "thinking", "thinking": "well"}]}
    (conversation,) = read(log(HI, thought, blocks))
    assert [m.metadata.get("thinking") for m in conversation] == [None, "hm", "well", None]
    assert conversation[1].content == "hi"


def test_the_logs_of_one_folder_in_an_archive_are_one_conversation():
    said = {"role": "assistant", "content": "yes"}
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("s/b.json", json.dumps(log(HI, said, HI, answer="again", at=200)))
        archive.writestr("s/a.json", json.dumps(log(HI, at=100)))
        archive.writestr("other/a.json", json.dumps(log(HI, answer="no")))
    loaded = load(data.getvalue(), name="logs.zip")
    assert [[m.content for m in c] for c in loaded] == [["hi", "yes", "hi", "again"], ["hi", "no"]]


def test_a_log_without_a_response_is_no_log_of_openhands():
    with pytest.raises(UnknownFormat):
        load(json.dumps({"kwargs": {}, "context_window": 1, "messages": []}).encode())
    assert read({"messages": [HI], "kwargs": {}, "context_window": 1}).report.member == "chat_completions"
