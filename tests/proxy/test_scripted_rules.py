"""The upstream that ships refuses what Chat Completions, Messages and Gemini refuse, in their own words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from historylab.proxy.scripted_upstream.app import ScriptedUpstream
from historylab.proxy.scripted_upstream.seals import seal

USER = {"role": "user", "content": "Look."}
CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
CALLS = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "At 9"}


def refusal(api: str, body: dict[str, Any], **told: Any) -> str | None:
    """Why it refuses a request; None if it answers."""
    answer = ScriptedUpstream().respond(api, json.dumps({"model": "m", **body}).encode(), **told)
    assert answer.status_code in (200, 400)
    return json.loads(answer.body)["error"]["message"] if answer.status_code == 400 else None


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([], "empty array"),
        ([{"role": "robot", "content": "?"}], "Invalid value: 'robot'"),
        ([{"role": "user", "content": None}], "expected a string, got null"),
        ([USER, {"role": "assistant", "content": None}], "expected a string, got null"),
        ([USER, {"role": "assistant", "content": "x", "tool_calls": []}], "empty array"),
        ([{"role": "user", "content": {"text": "?"}}], "expected a string or parts"),
        ([USER, RESULT], "must be a response to a preceeding message with 'tool_calls'"),
        ([USER, CALLS, {**RESULT, "tool_call_id": "c2"}], "must be a response to a preceeding message"),
        ([USER, CALLS, RESULT, RESULT], "must be a response to a preceeding message"),
        ([USER, CALLS, USER, RESULT], "did not have response messages: c1"),
        ([USER, CALLS], "did not have response messages: c1"),
        ([USER, CALLS, RESULT], None),
        ([{"role": "developer", "content": "Be brief."}, USER, {"role": "assistant", "content": ""}], None),
    ],
)
def test_chat_completions(messages, said):
    assert matches(refusal("chat_completions", {"messages": messages}), said)


def test_chat_completions_without_a_model_or_messages():
    assert matches(refusal("chat_completions", {"model": None, "messages": [USER]}), "must provide a model parameter")
    assert matches(refusal("chat_completions", {}), "Missing required parameter: 'messages'")


def matches(found: str | None, said: str | None) -> bool:
    return found is None if said is None else said in (found or "")


def text(said: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": said, **more}


def thinking(said: str, signature: str) -> dict[str, Any]:
    return {"type": "thinking", "thinking": said, "signature": signature}


USE = {"type": "tool_use", "id": "t1", "name": "look", "input": {}}
USES = {"role": "assistant", "content": [USE]}
FOUND = {"type": "tool_result", "tool_use_id": "t1", "content": "At 9"}
FINDS = {"role": "user", "content": [FOUND]}
SYSTEM = {"role": "system", "content": "Be brief."}
ADDS = {"type": "tool_addition", "tool": {"type": "tool_definition", "definition": {"name": "look"}}}
EFFORT = {"role": "system", "output_config": {"effort": "low"}}
SAYS = {"role": "assistant", "content": "Yes."}
MARK = {"cache_control": {"type": "ephemeral"}}


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([], "at least one message"),
        ([SAYS, USER], 'first message must use the "user" role'),
        ([{"role": "tool", "content": "x"}], "Input should be 'user' or 'assistant'"),
        ([{**USER, "name": "Ann"}], "messages.0.name: Extra inputs are not permitted"),
        ([{"role": "user", "content": None}], "messages.0.content: Field required"),
        ([{"role": "user", "content": []}], "must have non-empty content"),
        ([{"role": "user", "content": [text("")]}], "text content blocks must be non-empty"),
        ([{"role": "user", "content": " \n"}], "must contain non-whitespace text"),
        ([USER, SAYS], "does not support assistant message prefill"),
        ([USER, USES], "without `tool_result` blocks immediately after: t1"),
        ([USER, USES, USER, FINDS, USER], "without `tool_result` blocks immediately after: t1"),
        ([USER, USES, SYSTEM, FINDS], "must follow a user turn"),
        ([USER, USES, {"role": "user", "content": [text("x"), FOUND]}], "immediately after: t1"),
        ([USER, FINDS], "unexpected `tool_use_id` found in `tool_result` blocks: t1"),
        ([USER, USES, {"role": "user", "content": [FOUND, FOUND]}], "must have a single result"),
        ([USER, USES, FINDS, USES, FINDS], "ids must be unique"),
        ([USER, USES, {"role": "user", "content": [FOUND, text("x")]}], None),
        ([USER, USER, USES, FINDS], None),
        ([SYSTEM, USER], 'first message must use the "user" role'),
        ([USER, SYSTEM], None),
        ([USER, SYSTEM, SAYS, USER, SYSTEM], None),
        ([USER, SYSTEM, USER], "a 'system' message must follow a user turn, and be last or precede"),
        ([USER, SYSTEM, SYSTEM], "a 'system' message must follow a user turn"),
        ([USER, SAYS, SYSTEM], "a 'system' message must follow a user turn"),
        ([USER, {**SYSTEM, "clear_at": "next_user_message"}], None),
        ([USER, {**SYSTEM, "clear_at": "soon"}], "clear_at: Input should be"),
        ([USER, {"role": "system", "content": [ADDS]}, SAYS, EFFORT, USER, EFFORT, SYSTEM], None),
        ([USER, SAYS, EFFORT, SYSTEM, USER], "a 'system' message must follow a user turn"),
        ([EFFORT, USER], 'first message must use the "user" role'),
        ([USER, {"role": "system", "content": []}], "must have non-empty content"),
        ([USER, {"role": "system", "content": [FOUND]}], "takes text blocks and changes of tools"),
        ([{"role": "user", "content": [ADDS]}], "Input tag 'tool_addition'"),
        ([USER, {"role": "system", "content": [{**ADDS, "type": "tool_removal"}]}], "Input tag 'tool_removal'"),
        ([{"role": "user", "content": [text(str(k), **MARK) for k in range(5)]}], "A maximum of 4 blocks"),
        ([{"role": "user", "content": [text(str(k), **MARK) for k in range(4)]}], None),
        ([USER, {"role": "assistant", "content": [thinking("a", seal("a")), USE]}, FINDS], None),
        ([USER, {"role": "assistant", "content": [thinking("b", seal("a")), USE]}, FINDS], "Invalid `signature`"),
        ([USER, {"role": "assistant", "content": [thinking("a", "c2ln"), USE]}, FINDS], "Invalid `signature`"),
    ],
)
def test_messages(messages, said):
    body = {"model": "claude-opus-4-8", "max_tokens": 9, "messages": messages}
    assert matches(refusal("anthropic", body), said)


def test_messages_by_model_and_by_what_stands_beside_them():
    frame = {"model": "claude-opus-4-5", "max_tokens": 9}
    assert matches(refusal("anthropic", {"model": "claude-opus-4-8", "messages": [USER]}), "max_tokens: Field required")
    assert matches(refusal("anthropic", {**frame, "messages": [USER, SYSTEM]}), "not supported on this model")
    assert refusal("anthropic", {**frame, "messages": [USER, SAYS]}) is None
    spaced = {**SAYS, "content": "Yes. "}
    assert matches(refusal("anthropic", {**frame, "messages": [USER, spaced]}), "trailing whitespace")
    assert matches(refusal("anthropic", {**frame, "system": [text("")], "messages": [USER]}), "must be non-empty")
    enabled = {**frame, "thinking": {"type": "enabled", "budget_tokens": 1024}}
    running, over = [USER, USES, FINDS], [USER, USES, FINDS, SAYS, USER]
    assert matches(refusal("anthropic", {**enabled, "messages": running}), "Expected `thinking`")
    assert refusal("anthropic", {**enabled, "messages": over}) is None


def said_by(role: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "parts": [*parts]}


ASKS, ANSWERS = said_by("user", {"text": "Look."}), said_by("model", {"text": "Yes."})
MADE = {"functionCall": {"name": "look", "args": {}}}
SIGNED = {**MADE, "thoughtSignature": seal("call_1")}
GIVEN = {"functionResponse": {"name": "look", "response": {"result": "At 9"}}}


@pytest.mark.parametrize(
    ("contents", "said"),
    [
        ([], "contents is not specified"),
        ([said_by("user")], "contents.parts must not be empty"),
        ([said_by("user", {"text": ""})], "contents[0].parts[0].data: required oneof field 'data'"),
        ([said_by("system", {"text": "x"})], "Please use a valid role"),
        ([ANSWERS, ASKS], "begin with a user turn"),
        ([said_by("model", SIGNED), said_by("user", GIVEN)], "function call turn comes immediately after a user turn"),
        ([ASKS, ANSWERS, said_by("model", SIGNED), said_by("user", GIVEN)], "immediately after a user turn"),
        ([ASKS, said_by("user", GIVEN)], "comes immediately after a function call turn"),
        ([ASKS, said_by("model", SIGNED, MADE), said_by("user", GIVEN)], "number of function response parts is equal"),
        ([ASKS, said_by("model", SIGNED), ASKS], "number of function response parts is equal"),
        ([ASKS, said_by("model", SIGNED)], "number of function response parts is equal"),
        ([ASKS, said_by("model", SIGNED, MADE), said_by("user", GIVEN, GIVEN)], None),
        ([ASKS, said_by("model", SIGNED), said_by("user", GIVEN, {"text": "So?"})], "model turn are not supported"),
        ([ASKS, said_by("model", MADE), said_by("user", GIVEN)], "missing a thought_signature"),
        ([ASKS, said_by("model", {**MADE, "thoughtSignature": "eA=="}), said_by("user", GIVEN)], "is not valid"),
        ([ASKS, said_by("model", MADE), said_by("user", GIVEN), ANSWERS, ASKS], None),
        ([ASKS, ANSWERS], "end with a user turn"),
    ],
)
def test_gemini(contents, said):
    assert matches(refusal("gemini", {"contents": contents}, model="gemini-3.5-flash"), said)


def test_gemini_before_it_signed_its_calls():
    contents = [ASKS, said_by("model", MADE), said_by("user", GIVEN), ANSWERS]
    assert refusal("gemini", {"contents": contents}, model="gemini-2.5-flash") is None
