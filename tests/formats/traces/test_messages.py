"""Messages inside a log are read by the format that recognises them, whatever was read before them."""

from __future__ import annotations

from historylab.formats.base import Report
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


def said(item):
    found = messages_in([item], Report(), "")
    return [(message.role, message.content, tuple(call.name for call in message.tool_calls)) for message in found]
