"""AutoGen: what was recorded of model calls and of teams; nothing of it goes by unnamed."""

from __future__ import annotations

import json

import pytest

from historylab.formats.load import load

ASK = {"type": "UserMessage", "content": ["How many?", {"data": "iVBOR"}, {"glitter": 1}]}
CALL = {"id": "k", "name": "count", "arguments": "{}"}
RESULT = {"content": "9", "name": "count", "call_id": "k", "is_error": False}


def loaded(value):
    return load(json.dumps(value).encode())


def test_a_recorded_call_has_its_images_and_its_answer_and_an_unknown_part_is_named():
    found = loaded([{"mode": "create", "messages": [ASK], "response": {"content": [CALL], "thought": "hm"}}])
    ask, answer = found[0]
    assert (ask.content, ask.media) == ("How many?", ("image",))
    assert ([call.id for call in answer.tool_calls], answer.metadata["thinking"]) == (["k"], "hm")
    assert list(found.report.warnings) == ["a part of type 'glitter' not read"]


def test_results_of_several_calls_are_messages_of_their_own():
    results = {
        "type": "FunctionExecutionResultMessage",
        "content": [RESULT, {**RESULT, "call_id": "l", "content": "8"}],
    }
    calls = {"type": "AssistantMessage", "content": [CALL, {**CALL, "id": "l"}]}
    found = loaded([{"mode": "create", "messages": [ASK, calls, results], "response": {"content": "17"}}])[0]
    assert [(m.role, m.content, m.tool_call_id) for m in found][2:] == [
        ("tool", "9", "k"),
        ("tool", "8", "l"),
        ("assistant", "17", None),
    ]


@pytest.mark.parametrize("holder", [True, False])
def test_events_of_a_team_are_told_with_their_place(holder):
    said = {"source": "user", "type": "TextMessage", "content": "ask"}
    events = [said, {**said, "source": "boat"}, {"source": "boat", "type": "MemoryQueryEvent", "content": "?"}]
    found = loaded({"messages": events} if holder else events)
    assert [m.role for m in found[0]] == ["user", "assistant"]
    (skipped,) = found.report.skipped.values()
    assert skipped.first == ("messages[2]" if holder else "[2]")
