"""Answers as they came over the wire: server-sent events are read as the same objects in JSON Lines are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from historylab.errors import UnknownFormat
from historylab.formats.load import load

SAMPLES = Path(__file__).parents[1] / "samples"
DELTA = {"role": "assistant", "content": "Hi."}
PIECE = {"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": DELTA}]}


@pytest.mark.parametrize("member", ["chat_completions", "anthropic", "responses"])
def test_events_are_read_as_json_lines_are(member):
    lines = (SAMPLES / member / "streamed.jsonl").read_text(encoding="utf-8").splitlines()
    events = "".join(f"event: piece\ndata: {line}\n\n" for line in lines)
    found, known = load(f": connected\n\n{events}data: [DONE]\n\n".encode()), load("\n".join(lines).encode())
    assert found.report.member == member
    assert [c.messages for c in found] == [c.messages for c in known]
    assert not found.report.skipped


def test_an_event_that_breaks_off_is_counted_with_its_line():
    found = load(f'data: {json.dumps(PIECE)}\r\n\r\ndata: {{"id": "c\r\n'.encode())
    assert [m.content for m in found[0]] == ["Hi."]
    assert found.report.skipped["the last line breaks off"].first == "line 3"


def test_a_text_with_data_in_it_is_no_stream():
    with pytest.raises(UnknownFormat, match="text that begins 'data: none"):
        load(b"data: none of it is JSON")
