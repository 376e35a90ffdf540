"""Logs of `llm`: what fragments and attachments hold is part of a prompt, in both generations of tables."""

from __future__ import annotations

import json

import binary_samples

from historylab.formats.load import load


def test_a_thread_is_the_newest_way_through_its_messages():
    (found,) = load(binary_samples.llm__turns_db())
    assert [(m.role, m.content) for m in found] == [
        ("system", "Be brief."),
        ("user", "Bells hang in towers.\nWhich bell rings?"),
        ("assistant", ""),
        ("tool", "small"),
        ("assistant", "It is the small one."),
    ]
    assert [branch.messages[-1].content for branch in found.branches] == ["The small one."]
    assert (found.title, found.recorded.model, found.recorded.tools.count) == ("Bells", "gpt-5-mini", 1)


def test_an_answer_has_the_usage_of_its_turn():
    (found,) = load(binary_samples.llm__turns_db())
    assert found[2].metadata["usage"] == {"input": 24, "output": 9, "cache_reads": 16, "cache_writes": 0}
    assert (found[2].metadata["thinking"], found[2].tool_calls[0].arguments) == ("I listen.", '{"to":"east"}')
    assert (found[1].media, found[3].tool_call_id) == (("image",), "k1")


def test_a_response_that_borrows_fragments_was_asked_with_their_text():
    columns = "id, model, prompt, system, response, conversation_id, datetime_utc, reasoning"
    rows = [("r", "m", "Which rings?", "Be brief.", "The small one.", None, "2026-01-01T08:00:00", "hm")]
    tables = {
        "responses": (columns, rows),
        "fragments": ("id, content", [(1, "Bells hang."), (2, "Mind the time."), (3, "They ring.")]),
        "prompt_fragments": ('response_id, fragment_id, "order"', [("r", 3, 10), ("r", 1, 9)]),
        "system_fragments": ('response_id, fragment_id, "order"', [("r", 2, 0)]),
        "attachments": ("id, type", [("a", "audio/wav")]),
        "prompt_attachments": ('response_id, attachment_id, "order"', [("r", "a", 0)]),
    }
    (found,) = load(binary_samples.database(tables))
    assert [m.content for m in found] == [
        "Mind the time.\nBe brief.",
        "Bells hang.\nThey ring.\nWhich rings?",
        "The small one.",
    ]
    assert (found[1].media, found[2].metadata["thinking"]) == (("audio",), "hm")


def test_a_response_that_is_a_turn_too_is_read_once():
    columns = "id, model, prompt, system, response, conversation_id, datetime_utc"
    both = {"responses": (columns, [("u", "m", "hi", None, "yo", "t", "2026-01-01")])}
    both |= {"turns": ("id, thread_id, tip_message_hash, model, datetime_utc", [("u", "t", "b", "m", "2026-01-01")])}
    both |= {"messages": ("hash, parent_hash, role", [("a", None, "user"), ("b", "a", "assistant")])}
    both |= {"parts": ("message_hash, position, type, text", [("a", 0, "text", "hi"), ("b", 0, "text", "yo")])}
    assert [[m.content for m in one] for one in load(binary_samples.database(both))] == [["hi", "yo"]]


def test_a_result_of_a_tool_that_failed_says_so_and_no_id_of_another_kind_is_a_traceback():
    failed = {"name": "listen", "output": "Error: no bell", "tool_call_id": "k1", "exception": "KeyError: 1"}
    payloads = [failed, {"text_ref": [{"fragment": [1]}, {"literal": "hi"}]}, {"attachment": {"id": {}}}]
    kinds = ["tool_result", "text", "attachment"]
    parts = [("m", i, kind, None, json.dumps(held)) for i, (kind, held) in enumerate(zip(kinds, payloads, strict=True))]
    tables = {
        "responses": ("id, model, prompt, system, response, conversation_id, datetime_utc", []),
        "turns": ("id, thread_id, tip_message_hash, model, datetime_utc", [("u", "t", "m", "m1", "2026-09-01")]),
        "messages": ("hash, parent_hash, role", [("m", None, "user")]),
        "parts": ("message_hash, position, type, text, payload", parts),
    }
    (found,) = load(binary_samples.database(tables))
    assert [(m.role, m.content, m.metadata.get("is_error"), m.media) for m in found] == [
        ("tool", "Error: no bell", True, ()),
        ("user", "hi", None, ("file",)),
    ]
