"""Detection: what each format claims, what a refusal says, and the names of the formats."""

from __future__ import annotations

import json
import subprocess
import sys
import weakref

import pytest

import historylab
from historylab.errors import LoadError, UnknownFormat
from historylab.formats.detect import match_strengths
from historylab.formats.files.content import Content
from historylab.formats.load import collection_paused, load


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b'{"nbformat": 4, "cells": []}', "a Jupyter notebook"),
        (b"From mia@example.org Mon Jan 1\nDate: x\n\nhello", "a mailbox (MBOX)"),
        (b"<!DOCTYPE html><p>hello", "a web page"),
        (b'{"items": "history", "role": "who", "text": "said"}', "a saved shape"),
        (b"WEBVTT\n\n00:01 --> 00:02\nhi", "subtitles"),
        (b'{"ciphertext": "b2sK", "iv": "AAAA", "version": 1}', "encrypted data"),
    ],
)
def test_a_known_file_that_is_not_read_is_named(content, what):
    with pytest.raises(UnknownFormat, match="it looks like") as refused:
        load(content)
    assert what in str(refused.value)


def test_protocol_buffers_are_named_by_the_name_of_their_file():
    with pytest.raises(LoadError, match="protocol buffers"):
        load(b"\x0a\x05hello\x12\x02hi", name="6f1c.pb")


@pytest.mark.parametrize(
    "given",
    [
        [
            {"episode_index": 0, "tasks": ["pick the cube"], "length": 200},
            {"episode_index": 1, "tasks": [], "length": 9},
        ],
        [{"timestamp": 0, "type": "joint_state", "data": {"position": [1, 2]}}],
        [{"codebase_version": "v2.1", "robot_type": "arm", "features": {"action": {"shape": [6]}}}],
        [{"id": "x", "type": "session", "data": {"a": 1}, "version": 1}],
    ],
)
def test_what_holds_no_talk_is_refused_and_no_messages_of_any_tool_are_guessed(given):
    with pytest.raises(UnknownFormat) as refused:
        load("\n".join(map(json.dumps, given)).encode())
    assert not refused.value.proposals
    assert "it looks like" not in str(refused.value)


def test_a_refusal_names_the_nearest_formats():
    with pytest.raises(UnknownFormat) as refused:
        load(json.dumps({"participant": {"displayName": 1}, "conversationId": 2}).encode())
    assert refused.value.nearest[0] == "toolpack"
    assert "nearest: toolpack-agents stored messages" in str(refused.value)
    assert len(refused.value.nearest) <= 3


def test_a_text_is_near_to_no_format_and_neither_is_an_object_with_none_of_their_keys():
    for given in (b"This licence applies to conversations and messages.\n", b'{"colour": "red"}'):
        with pytest.raises(UnknownFormat) as refused:
            load(given)
        assert refused.value.nearest == ()


def test_the_report_says_which_format_read_a_file_and_which_others_claimed_it():
    report = load(b'[{"role": "user", "content": "hi"}]').report
    assert next(iter(report.claims)) == report.member == "chat_completions"
    assert list(report.claims.values()) == sorted(report.claims.values(), reverse=True)


def test_the_known_formats_have_names_in_whatever_order_the_package_is_imported():
    assert {"chat_completions", "claude_code"} <= set(historylab.formats())
    orders = ["import historylab", "import historylab.formats.load", "from historylab import formats"]
    code = f"""
import sys
for first in {orders}:
    for name in [name for name in sys.modules if name.partition(".")[0] == "historylab"]:
        del sys.modules[name]
    exec(first, {{}})
    import historylab
    assert "claude_code" in historylab.formats(), first
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_large_file_is_recognised_by_a_part_of_it(monkeypatch):
    """What a format is asked to recognise holds some hundred values and texts, never all."""
    from historylab import registry

    seen = []
    registry.members("format")
    known = {**registry._members["format"]}

    def curious(content):
        seen.append((len(content.values), len(content.values[0][1]["messages"]), len(content.text)))
        return 0

    known["curious"] = registry.Member("format", "curious", curious, {"recognise": curious})
    monkeypatch.setitem(registry._members, "format", known)
    line = json.dumps({"messages": [{"role": "user", "content": "x"}] * 3000}) + "\n"
    load((line * 600).encode()[: 40 * len(line)] + b'{"messages": [{"role": "user", "content": "x"}]}\n' * 900)
    assert seen[0][0] <= 400
    assert seen[0][1] <= 400
    assert seen[0][2] <= 256_000


def test_the_one_call_in_a_long_list_of_messages_is_recognised():
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "lamp", "input": {}}]}
    said = [{"role": role, "content": "text"} for role in ("user", "assistant")] * 60
    assert load(json.dumps([*said[:75], call, *said[:5]]).encode()).report.member == "anthropic"


@pytest.mark.parametrize("named", [{"key": "gen_ai.system", "value": {"stringValue": "x"}}, {"gen_ai.system": "x"}])
def test_the_few_model_calls_among_many_spans_are_recognised(named):
    spans = [
        {
            "attributes": [{"key": "http.method", "value": {"stringValue": "x"}}]
            if "key" in named
            else {"http.method": "x"}
        }
        for _ in range(90)
    ]
    spans[70] = {"attributes": [named] if "key" in named else named}
    assert "otel_genai" in match_strengths(Content("\n".join(map(json.dumps, spans)).encode()))


def test_a_file_leaves_memory_once_it_was_recognised():
    content = Content(b'[{"role": "user", "content": "hi"}]')
    with collection_paused():
        assert match_strengths(content)
        gone = weakref.ref(content)
        del content
        assert gone() is None


@pytest.mark.parametrize("name", ["messages.jsonl", "1.messages.json"])
def test_a_file_that_describes_a_session_names_the_transcript_beside_it(tmp_path, name):
    (tmp_path / "meta.json").write_text('{"session_id": "1", "model": "m", "stats": {}}')
    (tmp_path / name).write_text("")
    with pytest.raises(UnknownFormat, match=f"; open {name} beside it$"):
        load(tmp_path / "meta.json")


def test_spans_without_model_calls_are_offered_no_shape():
    said = [{"key": "gen_ai.tool.name", "value": {"stringValue": "look"}}] * 3
    spans = [{"name": f"execute_tool {n}", "spanId": n, "attributes": said} for n in "abcd"]
    lines = [json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}) for span in spans]
    with pytest.raises(LoadError, match="4 × a span that is no model call"):
        load("\n".join(lines).encode())


def test_a_description_among_many_names_its_own_transcript(tmp_path):
    for name in ("1", "2 [b]", "3"):
        (tmp_path / f"{name}.messages.json").write_text("")
    (described := tmp_path / "2 [b].json").write_text('{"session_id": "2", "model": "m", "stats": {}}')
    with pytest.raises(UnknownFormat, match=r"; open 2 \[b\]\.messages\.json beside it$"):
        load(described)
