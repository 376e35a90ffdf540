"""Helicone's and LiteLLM's rows: bodies where they are kept, sizes where they are not, and what failed."""

from __future__ import annotations

import json

from historylab.formats.load import load

ASK, SAY = {"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}
ANSWER = {"choices": [{"message": SAY}], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}
HELICONE = {"request_id": "h", "request_created_at": "2026-01-05T08:00:00Z", "request_body": {"messages": [ASK]}}
LITELLM = {"request_id": "l", "call_type": "acompletion", "spend": 0, "startTime": "2026-01-05T08:00:00Z"}
LITELLM |= {"model": "gpt-4o", "messages": [ASK], "response": ANSWER, "session_id": "s"}


def loaded(*rows: dict):
    return load("\n".join(map(json.dumps, rows)).encode(), name="log.jsonl")


def test_helicones_session_is_a_property_of_the_request():
    (conversation,) = loaded(
        {**HELICONE, "response_body": ANSWER, "request_properties": {"Helicone-Session-Id": "tea"}}
    )
    assert [m.content for m in conversation] == ["hi", "hello"]
    assert conversation.metadata["conversation_id"] == "tea"


def test_a_refused_request_has_no_answer_and_is_named():
    found = loaded({**HELICONE, "response_status": 429, "response_body": {"error": {"message": "slow down"}}})
    assert [m.content for m in found[0]] == ["hi"]
    assert "a model call that failed (slow down)" in found.report.warnings
    found = loaded({**LITELLM, "status": "failure", "error_str": "Timeout", "response": {}})
    assert "a model call that failed (Timeout)" in found.report.warnings


def test_litellms_payload_may_be_inside_what_a_callback_was_given():
    (conversation,) = loaded({"standard_logging_object": LITELLM, "kwargs": {}})
    assert [m.content for m in conversation] == ["hi", "hello"]


def test_litellms_messages_may_be_in_the_proxys_request_alone():
    body = {"model": "gpt-4o", "messages": [ASK], "tools": [{"name": "f"}]}
    (conversation,) = loaded({**LITELLM, "messages": "{}", "proxy_server_request": json.dumps(body)})
    assert (len(conversation), conversation.recorded.tools.count) == (2, 1)


def test_rows_without_bodies_are_requests_of_known_size():
    litellm = {**LITELLM, "messages": "{}", "response": "{}", "prompt_tokens": 100, "completion_tokens": 5}
    helicone = {**HELICONE, "request_body": None, "prompt_tokens": 100, "completion_tokens": 5}
    assert all(loaded(row)[0].recorded.textless for row in (litellm, helicone))


def test_calls_that_are_no_conversation_are_skipped():
    found = loaded(LITELLM, {**LITELLM, "call_type": "aembedding"})
    assert list(found.report.skipped) == ["a call of type aembedding, no conversation"]
