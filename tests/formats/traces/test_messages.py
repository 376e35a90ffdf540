"""Messages inside a log are read by the format that recognises them, whatever was read before them."""

from __future__ import annotations

from historylab.formats.base import Report
from historylab.formats.traces import messages
from historylab.formats.traces.messages import messages_in

OPENAI = {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "ring", "arguments": "{}"}}]}
LANGCHAIN = {"type": "ai", "content": "", "tool_calls": [{"id": "a", "name": "ring", "args": {}}]}
TEXT_PART = {"role": "user", "content": [{"type": "text", "text": "hi"}]}
RESULT_PART = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "bells"}]}


def test_a_format_chosen_for_one_list_reads_no_list_of_another_shape():
    alone = [said(item) for item in (OPENAI, LANGCHAIN, TEXT_PART, RESULT_PART)]
    assert [said(item) for item in (RESULT_PART, LANGCHAIN, TEXT_PART, OPENAI)] == [alone[i] for i in (3, 1, 2, 0)]
    assert alone[0] == alone[1] == [("assistant", "", ("ring",))]
    assert alone[3] == [("tool", "bells", ())]


def test_a_structure_is_recognised_once_in_a_file(monkeypatch):
    report, asked = Report(), []
    monkeypatch.setattr(messages, "strength", lambda *_: asked.append(1) or 1)
    messages_in([OPENAI], report.apart(), "")
    once = len(asked)
    messages_in([{**OPENAI, "tool_calls": [{"id": "b", "function": {"name": "stop", "arguments": ""}}]}], report, "")
    assert len(asked) == 2 * once > 0, "empty arguments are another structure"
    messages_in([{**OPENAI, "tool_calls": [{"id": "c", "function": {"name": "call", "arguments": "{1}"}}]}], report, "")
    assert len(asked) == 2 * once


def said(item):
    found = messages_in([item], Report(), "")
    return [(message.role, message.content, tuple(call.name for call in message.tool_calls)) for message in found]
