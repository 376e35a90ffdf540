"""AgentDock: chats as its browser keeps them; the settings beside them are kept and propose nothing."""

from __future__ import annotations

import json

import pytest

from historylab.formats.load import load

ASK = {"id": "a", "role": "user", "content": "ask", "isComplete": True}


def loaded(value):
    return load(json.dumps(value).encode())


def test_calls_stand_in_content_parts_and_results_in_messages_of_their_own():
    call = {"type": "tool_call", "toolCallId": "t", "toolName": "f", "args": {"a": 1}}
    answer = {"id": "b", "role": "assistant", "content": "hm", "contentParts": [{"type": "text", "text": "hm"}, call]}
    result = {"id": "c", "role": "data", "isToolMessage": True, "toolCallId": "t", "toolName": "f", "content": "r"}
    found = loaded([ASK, answer, result])
    assert found.report.member == "agentdock"
    assert [(m.role, m.content, len(m.tool_calls), m.tool_call_id) for m in found[0]] == [
        ("user", "ask", 0, None),
        ("assistant", "hm", 1, None),
        ("tool", "r", 0, "t"),
    ]


def test_a_result_in_the_content_parts_follows_its_call():
    parts = [
        {"type": "tool_call", "toolCallId": "t", "toolName": "f"},
        {"type": "tool_result", "toolCallId": "t", "result": 1},
    ]
    found = loaded([ASK, {"id": "b", "role": "assistant", "content": "", "contentParts": parts}])[0]
    assert [(m.role, m.content) for m in found] == [("user", "ask"), ("assistant", ""), ("tool", "1")]


@pytest.mark.parametrize("beside", [{"chatSettings": {"historyPolicy": "lastN"}}, {"historyLength": 5}])
def test_its_settings_are_kept_and_propose_nothing(beside):
    found = loaded({"messages": [{"id": "a", "role": "user", "content": "ask"}], **beside})
    assert (found.report.member, list(found.report.kept)) == ("agentdock", list(beside))
    assert not found[0].recorded
