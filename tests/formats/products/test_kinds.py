"""Kinds of sessions: what their programs send of what their files hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from historylab import Settings, as_sent, replay
from historylab.conversation.sent import sent_histories
from historylab.formats.load import Conversations, load

WHO = ("user", "assistant")
SAMPLES = Path(__file__).parents[1] / "samples"


def lines(*records: dict[str, Any]) -> Conversations:
    return load("\n".join(map(json.dumps, records)).encode())


def test_pi_sends_the_commands_a_user_ran_and_what_its_extensions_say():
    (found,) = load(SAMPLES / "pi" / "session.jsonl")
    assert [(m.role, m.content) for m in found if m.injected] == [
        ("user", "ls kites\n17 files"),
        ("user", "The wind is weak."),
        ("user", "The largest was asked for."),
    ]


def pi_session(*said: tuple[str, str, dict[str, Any]]) -> Conversations:
    """Messages of Pi, each after the one before: role, text, and what else it has."""
    records: list[dict[str, Any]] = [{"type": "session", "version": 3, "id": "s", "cwd": "/srv"}]
    for number, (role, text, more) in enumerate(said):
        message = {"role": role, "content": [{"type": "text", "text": text}], **more}
        parent = str(number - 1) if number else None
        records.append({"type": "message", "id": str(number), "parentId": parent, "message": message})
    return lines(*records)


def test_an_answer_of_pi_that_broke_off_was_asked_for_and_is_sent_no_more_by_plan_or_record():
    used = {"usage": {"input": 900, "output": 5, "cacheRead": 0, "cacheWrite": 0}}
    call = {"type": "toolCall", "id": "t1", "name": "bash", "arguments": {"command": "ls"}}
    cut_off = {"content": [{"type": "text", "text": "I look"}, call], "stopReason": "error", **used}
    asked, again = ("user", "How many?", {}), ("user", "Go on.", {})
    broken, aborted = ("assistant", "", cut_off), ("assistant", "Well", {"stopReason": "aborted", **used})
    (found,) = pi_session(asked, broken, again, aborted, again, ("assistant", "Nine.", {"stopReason": "stop", **used}))
    assert [m.shown_only for m in found] == [False, True, False, True, False, False]
    ours, sent = replay(found, Settings(policy="all")), as_sent(found)
    assert [plan.sketch() for plan in ours.plans] == [plan.sketch() for plan in sent.plans] == ["K", "KDK", "KDKDK"]
    for timeline in (ours, sent):
        assert [m.content for m in timeline.plans[-1].render()] == ["How many?", "Go on.", "Go on."]


def test_an_answer_of_pi_that_was_asked_for_again_at_once_has_a_request_of_its_own():
    broken = ("assistant", "Well", {"stopReason": "error"})
    (found,) = pi_session(("user", "How many?", {}), broken, ("assistant", "Nine.", {}))
    assert [plan.sketch() for plan in replay(found, Settings()).plans] == ["K", "KD"]
    assert replay(found.beginning(2), Settings()).plans[-1].sketch() == "KD"


def test_continue_sends_its_summary_and_what_came_after():
    (session,) = load(SAMPLES / "continue" / "compacted.json")
    (alone,) = sent_histories(session) or ()
    assert (alone.size, [m.content for m in alone.sent]) == (4, ["The ferry was renamed."])


def test_a_message_of_droid_for_the_model_alone_is_injected():
    told = {"role": "user", "content": [{"type": "text", "text": "The tools are Read and Execute."}]}
    asked = {"role": "user", "content": [{"type": "text", "text": "Mend the gate."}]}
    records = [{"type": "message", "message": told, "visibility": "llm_only"}, {"type": "message", "message": asked}]
    (found,) = lines({"type": "session_start", "id": "s"}, *records)
    assert [(m.content, m.injected) for m in found] == [
        ("The tools are Read and Execute.", True),
        ("Mend the gate.", False),
    ]


def test_thoughts_in_a_run_of_agentdojo_are_not_its_words():
    parts = [{"type": "thinking", "content": "hm", "id": None}, {"type": "text", "content": "Sent."}]
    said = [
        {"role": "user", "content": [{"type": "text", "content": "Send it."}]},
        {"role": "assistant", "content": parts},
    ]
    (found,) = lines({"suite_name": "workspace", "pipeline_name": "p", "messages": said})
    assert [(m.content, m.metadata.get("thinking")) for m in found] == [("Send it.", None), ("Sent.", "hm")]


def test_outputs_of_gptme_are_sent_by_the_system():
    usage = {"usage": {"input_tokens": 9, "output_tokens": 3}}
    asked, answer = {"role": "user", "content": "go"}, {"role": "assistant", "content": "I go.", "metadata": usage}
    records = [
        {**each, "timestamp": "2026-06-13T10:00:00"} for each in (asked, answer, {"role": "tool", "content": "gone"})
    ]
    (found,) = lines(*records)
    assert [m.role for m in found] == ["user", "assistant", "system"]


def goose(role: str, *parts: Any, user: bool = True, agent: bool = True, **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
    seen = {"userVisible": user, "agentVisible": agent}
    return {"id": str(parts), "role": role, "created": 1777881600, "content": content, "metadata": seen, **more}


def test_goose_sends_its_summary_and_not_what_it_stands_for():
    old = [goose("user", "go", agent=False), goose("assistant", "I go.", agent=False)]
    older = [goose("user", "went", user=False, agent=False), goose("assistant", "on", user=False, agent=False)]
    newer = [goose("user", "all went", user=False), goose("assistant", "I go on.", user=False), goose("user", "Where?")]
    (found,) = lines({"working_dir": "/srv"}, *old, *older, *newer)
    histories = sent_histories(found) or ()
    assert [(each.size, each.sent, each.summary) for each in histories] == [(3, ((2, 3),), 2), (5, ((4, 5),), 4)]
    assert [m.content for m in found if m.role == "user" and not m.injected] == ["go", "Where?"]


def test_a_result_is_what_its_tool_lets_the_model_read():
    said = [{"type": "text", "text": who, "annotations": {"audience": [who]}} for who in ("assistant", "user")]
    call = {"type": "toolRequest", "id": "t", "toolCall": {"value": {"name": "ls", "arguments": {}}}}
    result = {"type": "toolResponse", "id": "t", "toolResult": {"status": "success", "value": {"content": said}}}
    (found,) = lines({"working_dir": "/srv"}, goose("user", "go"), goose("assistant", call), goose("user", result))
    assert found[-1].content == "assistant"


def step(index: int, kind: str, source: str = "MODEL", **more: Any) -> dict[str, Any]:
    return {"step_index": index, "source": source, "type": kind, "status": "DONE", "content": kind, **more}


def test_steps_of_antigravity_stand_in_their_order_and_answer_the_call_of_their_name():
    calls = [{"name": "list_dir", "args": {}}, {"name": "view_file", "args": {}}]
    steps = [step(0, "USER_INPUT", "USER_EXPLICIT"), step(2, "VIEW_FILE"), step(3, "LIST_DIRECTORY")]
    (found,) = lines(*steps, step(1, "PLANNER_RESPONSE", tool_calls=calls), step(4, "NOTICE", "SYSTEM"))
    assert [m.role for m in found] == ["user", "assistant", "tool", "tool", "system"]
    listed, viewed = found[1].tool_calls
    assert [m.tool_call_id for m in found if m.role == "tool"] == [viewed.id, listed.id]


def test_a_thread_of_amp_has_the_usage_of_its_ledger():
    said = [{"role": who, "messageId": i, "content": [{"type": "text", "text": who}]} for i, who in enumerate(WHO)]
    event = {"toMessageId": 1, "model": "m", "tokens": {"input": 9, "output": 3, "cacheReadInputTokens": 5}}
    thread = {"v": 1, "created": 1, "env": {}, "messages": said, "usageLedger": {"events": [event, 7, {}]}}
    (found,) = lines(thread)
    usage = {"input": 9, "output": 3, "cache_reads": 5, "cache_writes": 0}
    assert (found[1].metadata["usage"], found[1].metadata["model"]) == (usage, "m")


def test_thoughts_of_kiro_are_not_its_words():
    content = [{"kind": "thinking", "data": {"text": "Wells are deep."}}, {"kind": "text", "data": "Nine."}]
    prompt = {"kind": "Prompt", "data": {"content": [{"kind": "text", "data": "How deep?"}]}}
    (found,) = lines(prompt, {"kind": "AssistantMessage", "data": {"content": content}})
    assert (found[1].content, found[1].metadata["thinking"]) == ("Nine.", "Wells are deep.")


def test_the_editor_of_kiro_says_what_is_thought_and_what_nobody_typed():
    meta = {"kiro": {"syntheticUserMessageReason": "steering-injection"}}
    payloads = [
        {"type": "user", "content": "How deep?"},
        {"type": "user", "content": "Measure first.", "_meta": meta},
        {"type": "assistant", "content": "Wells are deep.", "operationType": "Reasoning"},
        {"type": "assistant", "content": "Nine.", "operationType": "Say"},
    ]
    (found,) = lines(*({"timestamp": "2026-10-07T05:00:00Z", "payload": payload} for payload in payloads))
    assert [(m.role, m.content, m.injected) for m in found] == [
        ("user", "How deep?", False),
        ("user", "Measure first.", True),
        ("assistant", "Nine.", False),
    ]
    assert found[2].metadata["thinking"] == "Wells are deep."


def test_a_file_before_a_request_to_deepseek_is_the_users():
    def node(id: str, parent: str, *fragments: dict[str, Any]) -> dict[str, Any]:
        return {"id": id, "parent": parent, "message": {"inserted_at": "2026-08-01T09:00:00Z", "fragments": fragments}}

    sent = {"type": "FILE", "files": [{"file_name": "map.png"}]}, {"type": "REQUEST", "content": "Where is it?"}
    answered = {"type": "TOOL_SEARCH"}, {"type": "RESPONSE", "content": "Here."}
    mapping = {"1": node("1", "root", *sent), "2": node("2", "1", *answered)}
    loaded = load(json.dumps([{"id": "c", "inserted_at": "2026-08-01T09:00:00Z", "mapping": mapping}]).encode())
    assert [(m.role, m.content, m.media) for m in loaded[0]] == [
        ("user", "Where is it?", ("file",)),
        ("assistant", "Here.", ()),
    ]
    assert not any("not read" in warning for warning in loaded.report.warnings)
