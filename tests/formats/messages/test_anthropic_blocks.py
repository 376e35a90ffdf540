"""Anthropic's content blocks: what each becomes, and what the report says of the others."""

from __future__ import annotations

import pytest

from historylab.formats.base import Report
from historylab.formats.messages.anthropic_blocks import read_turn


def text(words: str) -> dict:
    return {"type": "text", "text": words}


def call(key: str, kind: str = "tool_use") -> dict:
    return {"type": kind, "id": key, "name": "look", "input": {"at": key}}


def result(key: str, content="found", **more) -> dict:
    return {"type": "tool_result", "tool_use_id": key, "content": content, **more}


def read(role: str, content):
    report = Report()
    return read_turn(role, content, "here", report), list(report.warnings)


def sketch(messages) -> list[tuple]:
    return [(m.role, m.content, m.tool_call_id or [c.id for c in m.tool_calls]) for m in messages]


def test_results_come_before_the_text_of_the_user_that_gives_them():
    made, warned = read("user", [result("a"), text("and now?"), result("b", is_error=True)])
    assert sketch(made) == [("tool", "found", "a"), ("tool", "found", "b"), ("user", "and now?", [])]
    assert made[1].metadata == {"is_error": True}
    assert not warned


@pytest.mark.parametrize(
    ("content", "found", "media"),
    [
        ("x", "x", ()),
        ([text("x"), text("y")], "x\ny", ()),
        ([text("x"), {"type": "image", "source": {"type": "base64", "data": "AAAA"}}], "x", ("image",)),
        (None, "", ()),
        ([], "", ()),
    ],
    ids=["text", "blocks", "image", "missing", "none"],
)
def test_a_result_is_text_blocks_or_missing(content, found, media):
    (made,), warned = read("user", [result("a", content)])
    assert (made.content, made.media, warned) == (found, media, [])


def test_thinking_stands_beside_the_answer_and_redacted_thinking_is_named():
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    (made,), warned = read("assistant", [thought, {"type": "redacted_thinking", "data": "x"}, text("yes"), call("a")])
    assert sketch([made]) == [("assistant", "yes", ["a"])]
    assert made.metadata == {"thinking": "hm"}
    assert warned == ["redacted thinking, which only the provider can read"]


def test_a_servers_tool_is_a_call_and_a_result_within_the_answer():
    found = {"type": "web_search_result", "title": "Tides", "encrypted_content": "zzz"}
    searched = {"type": "web_search_tool_result", "tool_use_id": "s", "content": [found]}
    made, warned = read("assistant", [text("I search."), call("s", "server_tool_use"), searched, text("High at 4.")])
    assert [(m.role, m.content[:12]) for m in made] == [
        ("assistant", "I search."),
        ("tool", '[{"type": "w'),
        ("assistant", "High at 4."),
    ]
    assert made[0].tool_calls[0].id == made[1].tool_call_id == "s"
    assert "zzz" not in made[1].content
    assert warned == ["encrypted content of a result, which only the provider can read"]


def test_a_document_of_text_is_text_and_any_other_is_a_file():
    letter = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "Dear Ines"}}
    scan = {"type": "document", "source": {"type": "base64", "data": "AAAA"}}
    (made,), _ = read("user", [letter, scan])
    assert (made.content, made.media) == ("Dear Ines", ("file",))


def test_what_is_not_content_is_passed_over_and_what_is_unknown_is_named():
    marked = {**text("x"), "cache_control": {"type": "ephemeral"}, "mood": "good"}
    (made,), warned = read("user", [marked, {"type": "hologram"}, 7])
    assert made.content == "x"
    assert warned == [
        "a field 'mood' not read",
        "a part of type 'hologram' not read",
        "a part that is a number not read",
    ]


def test_a_summary_the_provider_made_stays_in_its_place_and_is_said():
    (made,), warned = read("assistant", [{"type": "compaction", "content": "They met."}, text("Go on.")])
    assert made.content == "They met.\nGo on."
    assert len(warned) == 1


def test_a_summary_the_provider_made_comes_before_all_else_that_is_said():
    (made,), _ = read("assistant", [text("Wait."), {"type": "compaction", "content": "They met."}, text("Go on.")])
    assert (made.content, made.metadata) == ("They met.\nWait.\nGo on.", {"compaction": True})


@pytest.mark.parametrize("words", [False, 5, {"title": "lamp"}], ids=["flag", "number", "object"])
@pytest.mark.parametrize(("kind", "field"), [("text", "text"), ("thinking", "thinking"), ("compaction", "content")])
def test_what_is_no_text_where_one_belongs_is_named_and_not_said(kind, field, words):
    (made,), warned = read("assistant", [{"type": kind, field: words}, text("yes")])
    assert (made.content, made.metadata, warned) == ("yes", {}, [f"a part of type '{kind}' not read"])
