"""OpenAI's Responses API: bodies, responses, and what they only refer to (its items: test_responses_items.py)."""

from __future__ import annotations

import json

import pytest

from historylab.formats.files.content import Content
from historylab.formats.load import load, match_strengths

HI = {"role": "user", "content": "hi"}
CALLED = {"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"}
FOUND = {"type": "function_call_output", "call_id": "a", "output": "it"}
SAID = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "yes"}]}


def as_json(value) -> bytes:
    return json.dumps(value).encode()


@pytest.mark.parametrize(
    "given",
    [
        [HI, CALLED, FOUND],
        [HI, SAID],
        {"model": "m", "input": "hi"},
        {"model": "m", "input": [HI]},
        {"input": [HI, CALLED]},
        {"input": [HI]},
        {"object": "response", "output": [SAID]},
        {"output": [CALLED]},
        {"type": "function_call_output", "call_id": "a", "output": "it"},
    ],
)
def test_items_and_bodies_of_this_api_are_recognised(given):
    claims = match_strengths(Content(as_json(given)))
    assert max(claims, key=claims.get) == "responses"


@pytest.mark.parametrize(
    "given", [{"input": "hi", "output": "yes"}, {"input": [HI], "scores": []}, {"input": {"messages": [HI]}}, []]
)
def test_rows_with_an_input_are_not_claimed(given):
    assert "responses" not in match_strengths(Content(as_json(given)))


@pytest.mark.parametrize("prompt", ["Be brief.", [{"role": "developer", "content": "Be brief."}]])
def test_instructions_come_first_and_a_text_is_what_the_user_said(prompt):
    (conversation,) = load(as_json({"model": "m", "instructions": prompt, "input": "hi"}))
    assert [(m.role, m.content) for m in conversation] == [("system", "Be brief."), ("user", "hi")]
    assert conversation.metadata == {"model": "m", "provider": "openai"}


@pytest.mark.parametrize("field", ["previous_response_id", "conversation", "prompt"])
def test_what_a_body_only_refers_to_is_said_to_be_missing(field):
    loaded = load(as_json({"model": "m", "input": [HI], field: "stored_1"}))
    assert [why for why in loaded.report.warnings if "missing" in why and "provider" in why]


def test_the_answer_to_a_logged_request_follows_it_and_repeats_nothing():
    response = {"object": "response", "model": "m-2026", "instructions": "Be brief.", "output": [SAID]}
    loaded = load(
        as_json({"request": {"model": "m", "instructions": "Be brief.", "input": "hi"}, "response": response})
    )
    (conversation,) = loaded
    assert [m.role for m in conversation] == ["system", "user", "assistant"]
    assert conversation.recorded.models == ("m-2026",)
    assert loaded.report.remarks == 0


def test_a_stream_that_broke_off_gives_what_was_said_up_to_there():
    events = [
        {"type": "response.created", "sequence_number": 0, "response": {"object": "response", "output": []}},
        {"type": "response.output_item.done", "sequence_number": 1, "item": CALLED},
        {"type": "response.output_text.delta", "sequence_number": 2, "delta": "It "},
    ]
    (conversation,) = load(b"\n".join(map(as_json, events)))
    assert ([c.name for c in conversation[0].tool_calls], conversation[0].content) == (["look"], "It ")
