"""iFlow and Qwen Code: sessions in a tree like Claude Code's, in forms of their own."""

from __future__ import annotations

import json
from itertools import count

import pytest
from claude_sessions import call, lines_of, text

from historylab import as_sent
from historylab.formats.files.content import Content
from historylab.formats.load import load, match_strengths

IFLOW = "session-5de701fc-0000-4000-8000-000000000000"


def lines(records) -> bytes:
    return "\n".join(map(json.dumps, records)).encode()


def iflow(*said) -> bytes:
    """Records of (kind, parent, content), named r0, r1 and so on."""
    records = []
    for k, (kind, parent, content) in enumerate(said):
        message = {"role": kind, "content": content, **({"id": f"m{k}", "model": "glm-5"} if kind != "user" else {})}
        time = f"2026-01-21T05:56:{k:02d}.000Z"
        records.append({"type": kind, "uuid": f"r{k}", "parentUuid": parent, "sessionId": IFLOW, "timestamp": time})
        records[-1]["message"] = message
    return lines(records)


def answer(key: str, output) -> dict:
    response = {"id": key, "name": "read_file", "response": output}
    held = {"callId": key, "responseParts": {"functionResponse": response}, "resultDisplay": "shown"}
    return {"type": "tool_result", "tool_use_id": key, "content": held}


def test_snapshots_of_a_reply_are_one_message_and_its_later_answers_no_branches():
    data = iflow(
        ("user", None, "Mend the lamp."),
        ("assistant", "r0", [text("I look."), call("read_file", "c1")]),
        ("assistant", "r0", [call("read_file", "c1"), call("read_file", "c2")]),
        ("user", "r2", [answer("c1", {"output": "one"})]),
        ("user", "r2", [answer("c2", {"error": "no"})]),
        ("assistant", "r0", [call("read_file", "c2"), text("Mended.")]),
    )
    (conversation,) = loaded = load(data, name=f"{IFLOW}.jsonl")
    assert lines_of(conversation) == ["u Mend the lamp.", "a I look.", "t one", "t no", "a Mended."]
    assert [c.id for m in conversation for c in m.tool_calls] == ["c1", "c2"]
    assert [m.metadata.get("is_error", False) for m in conversation] == [False, False, False, True, False]
    assert (conversation.branches, conversation.columns.clean, loaded.report.format) == ((), True, "iFlow")
    assert (loaded.report.records, loaded.report.remarks) == (6, 0)


def test_a_result_without_its_wrapper_is_read_too():
    bare = {"type": "tool_result", "tool_use_id": "c1", "content": {"functionResponse": {"response": {"output": "x"}}}}
    data = iflow(("user", None, "Look."), ("assistant", "r0", [call("read_file", "c1")]), ("user", "r1", [bare]))
    assert lines_of(load(data)[0])[2:] == ["t x"]


class Qwen:
    """Writes the records of a session of Qwen Code, each after the one before."""

    def __init__(self):
        self.records, self.number = [], count()

    def put(self, kind: str, *parts, **more):
        k = next(self.number)
        time, role = f"2026-05-05T11:08:{k:02d}.000Z", "model" if kind == "assistant" else "user"
        record = {"uuid": f"r{k}", "parentUuid": f"r{k - 1}" if k else None, "sessionId": "q1", "timestamp": time}
        held = {"message": {"role": role, "parts": [*parts]}} if parts else {}
        self.records.append({**record, "type": kind, "version": "0.24.7", **held, **more})

    def load(self):
        return load(lines(self.records), name="chat.jsonl")


@pytest.fixture
def qwen() -> Qwen:
    return Qwen()


def test_a_session_of_qwen_code_has_calls_results_thoughts_and_usage(qwen):
    used = {"promptTokenCount": 100, "candidatesTokenCount": 5, "cachedContentTokenCount": 40, "totalTokenCount": 105}
    asked = {"functionCall": {"id": "c1", "name": "read_file", "args": {"path": "a"}}}
    given = {"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "x = 1"}}}
    qwen.put("user", {"text": "Look."})
    qwen.put("system", subtype="ui_telemetry", systemPayload={"uiEvent": {}})
    qwen.put("assistant", {"text": "Hm.", "thought": True}, asked, model="qwen3", usageMetadata=used)
    qwen.put("tool_result", given, toolCallResult={"callId": "c1"})
    qwen.put("assistant", {"text": "Seen."}, model="qwen3")
    qwen.put("system", subtype="custom_title", systemPayload={"customTitle": "A look", "titleSource": "manual"})
    (conversation,) = loaded = qwen.load()
    assert lines_of(conversation) == ["u Look.", "a ", "t x = 1", "a Seen."]
    assert conversation[1].metadata["thinking"] == "Hm."
    assert conversation[1].metadata["usage"] == {"input": 60, "output": 5, "cache_reads": 40, "cache_writes": 0}
    assert (conversation.title, conversation.recorded.model, conversation[2].tool_call_id) == ("A look", "qwen3", "c1")
    assert (loaded.report.format, loaded.report.passed, loaded.report.skips) == ("Qwen Code", 2, 2)


def test_a_prompt_typed_meanwhile_is_its_persons_and_a_notification_is_none(qwen):
    qwen.put("user", {"text": "Look."})
    qwen.put("user", {"text": "And there."}, subtype="mid_turn_user_message")
    qwen.put("user", {"text": "It ended."}, subtype="notification", provenance="system")
    assert [m.injected for m in qwen.load()[0]] == [False, False, True]


def test_after_a_compression_its_summary_and_what_it_kept_are_sent(qwen):
    for words in ("One.", "Two."):
        qwen.put("user", {"text": words})
        qwen.put("assistant", {"text": f"To {words}"})
    kept = [qwen.records[k]["message"] for k in (2, 3)]
    history = [{"role": "user", "parts": [{"text": "In short: one."}]}, *kept]
    counts = {"originalTokenCount": 900, "newTokenCount": 90}
    qwen.put("system", subtype="chat_compression", systemPayload={"info": counts, "compressedHistory": history})
    qwen.put("user", {"text": "Three."})
    qwen.put("assistant", {"text": "Done."})
    (conversation,) = qwen.load()
    sent = [m.content for m in as_sent(conversation).plans[-1].render()]
    assert sent == ["In short: one.", "Two.", "To Two.", "Three."]
    assert conversation[4].injected


def test_a_rewind_leaves_a_branch(qwen):
    qwen.put("user", {"text": "One."})
    qwen.put("assistant", {"text": "Wrong."})
    qwen.put("system", subtype="rewind", parentUuid="r0", systemPayload={"truncatedCount": 1})
    qwen.put("assistant", {"text": "Right."})
    (conversation,) = qwen.load()
    assert lines_of(conversation) == ["u One.", "a Right."]
    assert [lines_of(branch) for branch in conversation.branches] == [["u One.", "a Wrong."]]


def test_each_is_claimed_by_itself_alone(qwen):
    qwen.put("user", {"text": "Look."})
    for data, member in ((lines(qwen.records), "qwen_code"), (iflow(("user", None, "Look.")), "iflow")):
        claims = match_strengths(Content(data))
        assert [name for name, sure in claims.items() if sure == 1] == [member]


@pytest.mark.parametrize("part", [7, "x", None, {}, {"text": 5}, {"functionCall": 7}, {"functionResponse": {}}])
def test_parts_of_any_shape_are_read_or_named(qwen, part):
    qwen.put("user", {"text": "Look."}, part)
    loaded = qwen.load()
    assert lines_of(loaded[0]) == ["u Look."]
    assert loaded.report.warnings
