"""The AI SDK's model messages: calls and results as parts, of every version, and written as they are now."""

from __future__ import annotations

import json

import pytest

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.formats.convert import write
from historylab.formats.load import load


def loaded(*messages):
    return load(json.dumps(messages).encode())


def call(id: str, **fields) -> dict:
    return {"type": "tool-call", "toolCallId": id, "toolName": "look", **fields}


def result(id: str, **fields) -> dict:
    return {"type": "tool-result", "toolCallId": id, "toolName": "look", **fields}


def test_calls_and_results_are_read_as_they_were_before_version_5_too():
    answer = {"role": "assistant", "content": [call("a", input={"at": 1}), call("b", args={"at": 2})]}
    results = [result("a", output={"type": "text", "value": "1"}), result("b", result={"v": 2}, isError=True)]
    (conversation,) = loaded(answer, {"role": "tool", "content": results})
    assert conversation[0].tool_calls == (ToolCall("a", "look", '{"at":1}'), ToolCall("b", "look", '{"at":2}'))
    assert [(m.role, m.tool_call_id, m.content) for m in conversation[1:]] == [
        ("tool", "a", "1"),
        ("tool", "b", '{"v":2}'),
    ]
    assert ["is_error" in m.metadata for m in conversation[1:]] == [False, True]


@pytest.mark.parametrize(
    ("output", "text", "failed"),
    [
        ({"type": "json", "value": {"v": 1}}, '{"v":1}', False),
        ({"type": "error-json", "value": {"v": 1}}, '{"v":1}', True),
        ({"type": "error-text", "value": "no"}, "no", True),
        ({"type": "execution-denied", "reason": "not now"}, "not now", True),
        ({"type": "content", "value": [{"type": "text", "text": "a"}, {"type": "image-data"}]}, "a", False),
    ],
)
def test_every_kind_of_output_is_read(output, text, failed):
    *_, found = loaded(
        {"role": "assistant", "content": [call("a")]}, {"role": "tool", "content": [result("a", output=output)]}
    )[0]
    assert (found.content, "is_error" in found.metadata) == (text, failed)
    assert found.media == (("image",) if output["type"] == "content" else ())


def test_a_tool_that_the_provider_ran_has_its_result_between_two_messages():
    parts = [call("w", input={}), result("w", output={"type": "text", "value": "r"}), {"type": "text", "text": "so"}]
    (conversation,) = loaded({"role": "assistant", "content": parts})
    assert [(m.role, m.content) for m in conversation] == [("assistant", ""), ("tool", "r"), ("assistant", "so")]


def test_what_is_written_is_read_as_the_same_and_what_has_no_place_is_named():
    given = Conversation(
        [
            Message("system", "be kind"),
            Message("user", "ask", id="m1", name="Ines", media=("image",), timestamp="2026-02-01T08:00:00Z"),
            Message(
                "assistant", "hm", tool_calls=(ToolCall("a", "look", '{"at":1}'), ToolCall("b", "look", "{broken"))
            ),
            Message("tool", "1", tool_call_id="a", name="look"),
            Message("tool", "no", tool_call_id="b", name="look", metadata={"is_error": True}),
            Message("assistant", "done", metadata={"thinking": "easy"}),
        ]
    )
    written = write(given, "ai_sdk")
    (again,) = load(written.text.encode())
    assert [(m.role, m.content, m.tool_calls, m.tool_call_id) for m in again] == [
        (m.role, m.content, m.tool_calls, m.tool_call_id) for m in given
    ]
    assert [m.metadata for m in again] == [m.metadata for m in given]
    assert written.losses.counts == {
        "images, sound and files": 1,
        "names of speakers": 1,
        "ids of messages": 1,
        "times": 1,
    }


def test_results_of_one_step_are_written_as_one_message_under_their_tools_names():
    calls = (ToolCall("a", "look"), ToolCall("b", "hear"))
    results = [Message("tool", "x", tool_call_id="b"), Message("tool", "y", tool_call_id="a")]
    (_, tools) = json.loads(write(Conversation([Message("assistant", tool_calls=calls), *results]), "ai_sdk").text)
    assert [part["toolName"] for part in tools["content"]] == ["hear", "look"]


def test_the_response_that_the_sdk_returns_names_its_model():
    response = {"id": "r", "modelId": "m-1", "messages": [{"role": "assistant", "content": [call("a", input={})]}]}
    (conversation,) = load(json.dumps(response).encode())
    assert conversation.recorded.model == "m-1"
