"""Calls of Bedrock's Converse API in recorded traffic: parts by their only key, whole or as a stream of frames."""

from __future__ import annotations

import base64
import json
import struct

from historylab import load

URL = "https://bedrock.example/model/anthropic.claude-sonnet-4-6-v1%3A0/converse"
ASKED = {
    "system": [{"text": "You are a kettle."}],
    "messages": [
        {"role": "user", "content": [{"text": "hot?"}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t1", "name": "look", "input": {"at": 1}}}]},
        {
            "role": "user",
            "content": [{"toolResult": {"toolUseId": "t1", "content": [{"text": "100"}]}}, {"cachePoint": {}}],
        },
    ],
    "toolConfig": {"tools": [{"toolSpec": {"name": "look"}}]},
}
SAID = [{"reasoningContent": {"reasoningText": {"text": "hm"}}}, {"text": "Yes."}]
USAGE = {"inputTokens": 9, "outputTokens": 3, "cacheReadInputTokens": 40}
EVENTS = (
    ("messageStart", {"role": "assistant"}),
    ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "h"}}}),
    ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "m"}}}),
    ("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"text": "Yes"}}),
    ("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"text": "."}}),
    ("messageStop", {"stopReason": "end_turn"}),
    ("metadata", {"usage": USAGE}),
)


def read(answer: bytes, url: str = URL):
    coded = {"base64_string": base64.b64encode(answer).decode()}
    response = {"status": {"code": 200}, "body": coded}
    one = {"request": {"uri": url, "body": json.dumps(ASKED)}, "response": response}
    return load(json.dumps({"interactions": [one]}).encode())


def frame(kind: str, value: dict) -> bytes:
    header = b"\x0b:event-type\x07" + struct.pack(">H", len(kind)) + kind.encode()
    payload = json.dumps(value).encode()
    return struct.pack(">III", 16 + len(header) + len(payload), len(header), 0) + header + payload + bytes(4)


def said(conversation):
    return [(m.role, m.content, len(m.tool_calls), m.metadata.get("thinking")) for m in conversation]


WHOLE = json.dumps({"output": {"message": {"role": "assistant", "content": SAID}}, "usage": USAGE}).encode()
STREAM = b"".join(frame(*event) for event in EVENTS)


def test_a_call_is_read_with_its_tools_usage_and_the_model_of_its_path():
    (conversation,) = read(WHOLE)
    assert said(conversation) == [
        ("system", "You are a kettle.", 0, None),
        ("user", "hot?", 0, None),
        ("assistant", "", 1, None),
        ("tool", "100", 0, None),
        ("assistant", "Yes.", 0, "hm"),
    ]
    recorded = conversation.recorded
    assert (recorded.model, recorded.tools.count) == ("anthropic.claude-sonnet-4-6-v1:0", 1)
    assert (recorded.usage[-1].input, recorded.usage[-1].cache_reads) == (9, 40)


def test_a_stream_of_binary_frames_gives_the_same():
    assert said(read(STREAM, f"{URL}-stream")[0]) == said(read(WHOLE)[0])


def test_a_stream_that_breaks_off_is_read_up_to_there():
    assert said(read(STREAM[:-20], f"{URL}-stream")[0]) == said(read(WHOLE)[0])
