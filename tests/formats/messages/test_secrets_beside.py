"""A key that a log has beside its messages is nowhere in what is read; one that somebody said stays where it was."""

from __future__ import annotations

import json

import pytest

from historylab import Conversation, Message, load
from historylab.formats.base import Losses, Report
from historylab.formats.messages.secrets_beside import LEFT_OUT, without_secrets
from historylab.formats.plain.historylab import to_own

KEY, TOKEN = "sk-proj-" + "aB3dE6gH9jK2mN5pQ8sT1v" * 2, "f3a9c1d27b64e850aa13f3a9c1d2"
BESIDE = {
    "api_key": KEY,
    "headers": {"Authorization": f"Bearer {TOKEN}", "x-api-key": TOKEN},
    "extra_headers": {"Authorization": [f"Bearer {TOKEN}"]},
    "note": f"called with {KEY}",
}
ASK, SAY = {"role": "user", "content": f"Is {KEY} mine?", **BESIDE}, {"role": "assistant", "content": "Yes."}
TOOLS = [{"type": "function", "function": {"name": "look"}}, {"type": "mcp", "server_label": "sea", **BESIDE}]
BODY = {"model": "gpt-4o", "messages": [ASK], "tools": TOOLS, **BESIDE}
ANSWER = {"object": "chat.completion", "choices": [{"message": SAY}], "usage": {"prompt_tokens": 9}, **BESIDE}
AT = "2026-01-05T08:00:00Z"
ENTRY = {
    "startedDateTime": AT,
    "request": {"url": f"https://a.example/v1/chat/completions?key={KEY}", "postData": {"text": json.dumps(BODY)}},
    "response": {"status": 200, "content": {"text": json.dumps(ANSWER)}},
}
ROWS = {
    "helicone": {"request_id": "h", "request_created_at": AT, "request_body": BODY, "response_body": ANSWER},
    "litellm": {"call_type": "acompletion", "spend": 0, "startTime": AT, "messages": [ASK], "response": ANSWER}
    | {"model_parameters": {"tools": TOOLS, **BESIDE}, "proxy_server_request": BODY},
    "langfuse": {"id": "o", "type": "GENERATION", "traceId": "t", "startTime": AT, "input": BODY, "output": ANSWER}
    | {"modelParameters": BESIDE},
    "langsmith": {"id": "r", "run_type": "llm", "inputs": BODY, "outputs": ANSWER}
    | {"extra": {"invocation_params": {"tools": TOOLS, **BESIDE}}},
    "braintrust": {
        "root_span_id": "t",
        "span_attributes": {"type": "llm"},
        "input": [ASK],
        "output": [{"message": SAY}],
    }
    | {"metadata": {"model": "gpt-4o", "tools": TOOLS, **BESIDE}},
    "chat_completions": {"request": BODY, "response": ANSWER},
    "har": {"log": {"version": "1.2", "entries": [ENTRY]}},
    "bedrock": {"messages": [{"role": "user", "content": [{"text": f"Is {KEY} mine?"}], **BESIDE}]}
    | {"toolConfig": {"tools": [{"toolSpec": {"name": "look"}, **BESIDE}]}, "inferenceConfig": {"maxTokens": 9}},
}


def whole(conversation: Conversation) -> dict:
    return to_own(conversation, Losses())["conversations"][0]


@pytest.mark.parametrize("member", ROWS)
def test_no_key_beside_the_messages_of_a_log_is_kept_and_what_was_said_is(member):
    loaded = load(json.dumps({**ROWS[member], **BESIDE}).encode(), name="log.json")
    assert loaded.report.member == member
    for conversation in loaded:
        found = whole(conversation)
        del found["title"]  # the first words of what was said
        assert [m["content"] for m in found["messages"]][:1] == [f"Is {KEY} mine?"]
        for message in found["messages"]:
            del message["content"]
            message.get("source", {}).pop("content", None)
        assert KEY not in str(found) and TOKEN not in str(found)
        assert "[redacted]" in str(found)
    assert loaded.report.warnings[LEFT_OUT].count == 1
    assert KEY not in str(loaded.report)


def test_a_log_without_keys_is_read_as_it_stands_and_nothing_is_reported():
    row = {"request": {"model": "gpt-4o", "messages": [{"role": "user", "content": "hi", "mood": "calm"}]}}
    loaded = load(json.dumps({**row, "response": {"choices": [{"message": SAY}]}}).encode(), name="log.json")
    assert LEFT_OUT not in loaded.report.warnings


def test_the_words_of_a_message_and_its_thinking_stay_in_its_record_too():
    said = {"role": "assistant", "content": f"Try {KEY}.", "api_key": KEY}
    thought = {"thinking": f"They gave me {KEY}", "note": f"by {KEY}"}
    (found,) = without_secrets(
        [Conversation([Message("assistant", f"Try {KEY}.", metadata=thought, source=said)])], Report()
    )
    assert found[0].source == {"role": "assistant", "content": f"Try {KEY}.", "api_key": "[redacted]"}
    assert found[0].metadata == {"thinking": f"They gave me {KEY}", "note": "by [redacted]"}


@pytest.mark.parametrize(
    "part",
    [
        {
            "type": "image_url",
            "image_url": {"url": "https://b.example/a.png?X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F2026"},
        },
        {
            "type": "tool_use",
            "id": "t",
            "name": "bash",
            "input": {"command": f'export K="{KEY}"', "password": "hunter2hunter2"},
        },
    ],
)
def test_media_and_calls_stay_whole_in_the_record_of_their_message(part):
    row = {
        "model": "claude-opus-4-8",
        "messages": [{"role": "user", "content": [{"type": "foo", "x": 1}, part], **BESIDE}],
    }
    (found,) = load(json.dumps(row).encode(), "anthropic")
    assert part in found[0].source["content"]
    assert KEY not in str(found[0].source | {"content": ""})


def test_branches_are_without_keys_too():
    branch = Conversation([], metadata={"api_key": KEY})
    (found,) = without_secrets([Conversation([], "tea", branches=[branch])], report := Report())
    assert found.branches[0].metadata == {"api_key": "[redacted]"}
    assert report.warnings[LEFT_OUT].first == "tea"


def test_an_error_that_repeats_the_key_is_told_without_it():
    row = {**ROWS["helicone"], "response_status": 401, "response_body": {"error": {"message": f"wrong key: {KEY}"}}}
    warnings = load(json.dumps(row).encode(), name="log.json").report.warnings
    assert "a model call that failed (wrong key: [redacted])" in warnings
