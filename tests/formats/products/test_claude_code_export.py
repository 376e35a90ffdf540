"""Claude Code's export of its screen: prompts, answers, calls with results, commands, and what the program shows."""

from __future__ import annotations

import json

import pytest

from historylab import load
from historylab.conversation.sent import sent_histories
from historylab.errors import UnknownFormat

BANNER = " ▐▛███▜▌   Claude Code v2.1.178\n▝▜█████▛▘  Opus 4.8 · Claude Pro\n  ▘▘ ▝▝    ~/kettle\n"


def read(*blocks: str):
    loaded = load("\n\n".join([BANNER, *blocks]).encode())
    assert loaded.report.member == "claude_code_export"
    return loaded


def said(*blocks: str):
    return [(m.role, m.content) for m in read(*blocks)[0]]


def test_prompts_and_answers_go_on_over_indented_lines():
    assert said("❯ why   \n  so hot?   ", "⏺ The lid.\n\n  1. Open it.") == [
        ("user", "why\nso hot?"),
        ("assistant", "The lid.\n\n1. Open it."),
    ]


def test_an_older_export_marks_prompts_and_answers_otherwise():
    assert said("> why\nso hot?", "● The lid.") == [("user", "why\nso hot?"), ("assistant", "The lid.")]


def test_a_tool_before_a_result_is_a_call():
    _, called, result = read("❯ hi", "⏺ Bash(cat a.log)\n  ⎿  one\n     two\n  ⎿  three")[0]
    (call,) = called.tool_calls
    assert (call.name, json.loads(call.arguments), called.content) == ("Bash", {"shown": "cat a.log"}, "")
    assert (result.content, result.tool_call_id) == ("one\ntwo\nthree", call.id)


def test_words_before_a_result_are_kept_beside_a_call_without_a_name():
    called = read("❯ hi", "⏺ I look at all of it now.\n  ⎿  one")[0][1]
    assert (called.content, [call.name for call in called.tool_calls]) == ("I look at all of it now.", ["tool"])


def test_a_command_is_shown_and_was_not_sent_and_names_the_model():
    conversation = read("❯ /model\n  ⎿  Set model to Sonnet 4.6 (default)", "❯ hi", "⏺ yo")[0]
    assert [m.content for m in conversation] == ["/model", "hi", "yo"]
    assert sent_histories(conversation)[0].up_to(2) == ((1, 2),)
    assert conversation.recorded.model == "claude-sonnet-4-6"


def test_clearing_is_a_cut():
    conversation = read("❯ a", "⏺ b", "❯ /clear\n  ⎿  (no content)", "❯ c", "⏺ d")[0]
    assert [cut.dropped for cut in conversation.recorded.compactions] == [(0, 1, 2)]


def test_what_the_program_shows_is_counted_and_thoughts_are_kept():
    loaded = read("❯ hi", "✻ Thinking…\n\n  hm", "  Read 2 files (ctrl+o to expand)", "⏺ yo", "✻ Baked for 7s")
    assert [(m.content, m.metadata.get("thinking")) for m in loaded[0]] == [("hi", None), ("yo", "hm")]
    assert loaded.report.passed == loaded.report.skips == 4


def test_a_command_for_the_shell_is_sent_with_what_came_back():
    conversation = read("> hi", "● yo", "! git push\n --force\n  ⎿  done\n     at last", "> and now?", "● Rest.")[0]
    assert [(m.role, m.content, m.injected) for m in conversation][1:4] == [
        ("assistant", "yo", False),
        ("user", "git push\n --force\ndone\nat last", True),
        ("user", "and now?", False),
    ]


def test_a_line_that_only_looks_like_a_command_belongs_to_its_prompt():
    assert said("> Look:\n! important", "● yo") == [("user", "Look:\n! important"), ("assistant", "yo")]


def test_words_that_were_interrupted_are_no_call():
    begun = "● I begin\n  with this.\n  ⎿  Interrupted · What should Claude do instead?"
    (found,) = read("> hi", begun, "> stop")
    assert [(m.role, m.content, m.tool_calls) for m in found[1:]] == [
        ("assistant", "I begin\nwith this.", ()),
        ("user", "stop", ()),
    ]


def test_the_rule_of_a_compaction_is_not_among_the_words_before_it():
    loaded = read("> hi", "● yo", "══════ Conversation compacted · ctrl+o for history ═════", "> bye", "● so long")
    assert [m.content for m in loaded[0]] == ["hi", "yo", "bye", "so long"]


def test_a_result_cut_short_on_the_screen_is_named():
    assert read("❯ hi", "⏺ Read(a)\n  ⎿  … +9 lines (ctrl+o to expand)").report.warnings


@pytest.mark.parametrize("text", ["# Guide\n\n```\n❯ hi\n⏺ yo\n  ⎿  ok\n```", "> a quote\n\n● a point\n"])
def test_a_guide_is_no_session(text):
    with pytest.raises(UnknownFormat):
        load(text.encode(), name="README.md")
