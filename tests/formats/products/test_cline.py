"""Cline, Roo Code and Kilo Code: what was sent, and what the screen beside it tells of each request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from historylab.conversation.sent import sent_histories
from historylab.formats.load import Conversations, load

TOKENS = {"tokensIn": 10, "tokensOut": 5, "cacheReads": 7, "cacheWrites": 2}
APART = {"input": 10, "output": 5, "cache_reads": 7, "cache_writes": 2}


def asked(ts: int = 2000, at: int | None = None, **told: Any) -> dict[str, Any]:
    request = {"ts": ts, "type": "say", "say": "api_req_started", "text": json.dumps({**TOKENS, **told})}
    return request if at is None else {**request, "conversationHistoryIndex": at}


def say(kind: str, text: str = "", **more: Any) -> dict[str, Any]:
    return {"ts": 2500, "type": "say", "say": kind, "text": text, **more}


def said(role: str, text: str, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": [{"type": "text", "text": text}], **more}


TASK = [said("user", "<task>\nName a boat\n</task>"), said("assistant", "Alma.")]


def screen(*records: Any) -> Conversations:
    return load(json.dumps([say("task", "Name a boat"), *records]).encode())


def folder(path: Path, task: list[Any], shown: Any) -> Conversations:
    (path / "tasks" / "1772442000000").mkdir(parents=True)
    for name, value in (("api_conversation_history", task), ("ui_messages", shown), ("task_metadata", {"a": 1})):
        (path / "tasks" / "1772442000000" / f"{name}.json").write_text(json.dumps(value))
    return load(path)


def usage(loaded: Conversations) -> list[Any]:
    return [m.metadata.get("usage") for m in loaded[0] if m.role == "assistant"]


def test_a_folder_of_a_task_is_one_session_titled_by_what_is_asked(tmp_path):
    loaded = folder(tmp_path, TASK, [asked()])
    assert [c.title for c in loaded] == ["Name a boat"]
    assert (usage(loaded), loaded.report.skips) == ([APART], 0)


def test_a_file_of_a_task_is_read_with_the_screens_beside_it(tmp_path):
    folder(tmp_path, TASK, [asked()])
    (file,) = tmp_path.rglob("api_*.json")
    assert usage(load(file)) == [APART]


def test_times_that_only_the_screen_has_are_those_of_the_request(tmp_path):
    loaded = folder(tmp_path, TASK, [asked(1772442000000)])
    assert {m.timestamp for m in loaded[0]} == {"2026-03-02T09:00:00+00:00"}


def test_a_request_belongs_to_the_answer_that_it_is_numbered_for(tmp_path):
    task = [*TASK, said("user", "and another"), said("assistant", "Birk.")]
    assert usage(folder(tmp_path, task, [asked(at=1)])) == [None, APART]


def test_without_numbers_a_request_belongs_to_the_answer_after_it(tmp_path):
    task = [TASK[0], said("assistant", "Alma.", ts=3000), said("user", "more"), said("assistant", "Birk.", ts=9000)]
    loaded = folder(tmp_path, task, [asked(1000, tokensOut=1), asked(2000), asked(8000, tokensOut=6)])
    assert [each["output"] for each in usage(loaded)] == [5, 6]


def test_requests_that_were_not_charged_answer_nothing_where_nothing_is_timed(tmp_path):
    nothing = dict.fromkeys(TOKENS, 0)
    assert usage(folder(tmp_path, TASK, [asked(**nothing), asked()])) == [APART]


def test_an_unclear_screen_gives_no_usage(tmp_path):
    assert usage(folder(tmp_path, TASK, [asked(), asked()])) == [None]


def test_a_broken_screen_is_told_and_the_task_read(tmp_path):
    folder(tmp_path, TASK, [])
    (file,) = tmp_path.rglob("ui_*.json")
    file.write_text("[{")
    assert "ui_messages.json beside it can't be read" in load(tmp_path).report.warnings


def test_what_names_its_protocol_counts_the_cache_within_the_input(tmp_path):
    assert usage(folder(tmp_path, TASK, [asked(apiProtocol="anthropic")])) == [{**APART, "input": 1}]


def test_the_model_is_the_one_that_a_prompt_names():
    prompt = said("user", "<task>\nhi\n</task>\n<environment_details>\n<model>gpt-5</model>\n</environment_details>")
    assert load(json.dumps([prompt, TASK[1]]).encode())[0].recorded.model == "gpt-5"


def test_a_screen_alone_gives_each_answer_whole():
    shown = [say("reasoning", "hm"), say("text", "I look"), say("tool", '{"tool": "readFile", "path": "a"}')]
    user, answer = screen(asked(), *shown)[0]
    assert (user.content, answer.content, answer.metadata["thinking"]) == ("Name a boat", "I look", "hm")
    assert (answer.tool_calls[0].name, answer.tool_calls[0].arguments) == ("readFile", '{"path":"a"}')
    assert answer.metadata["usage"] == APART


def test_what_a_command_shows_is_its_result():
    *_, answer, result = screen(asked(), say("command", "ls"), say("command_output", "a"), say("command_output", "b"))[
        0
    ]
    assert (answer.tool_calls[0].name, result.role, result.content) == ("command", "tool", "a\nb")
    assert result.tool_call_id == answer.tool_calls[0].id


def test_what_a_person_says_ends_an_answer():
    shown = [asked(), say("text", "Alma?"), say("user_feedback", "no"), asked(), say("completion_result", "Birk")]
    assert [m.role for m in screen(*shown)[0]] == ["user", "assistant", "user", "assistant"]


@pytest.mark.parametrize("kind", ["checkpoint_created", "task_progress", "error"])
def test_what_the_program_shows_is_known_to_be_no_message(kind):
    report = screen(say(kind, "x")).report
    assert (report.messages, report.passed, report.skips) == (1, 1, 1)


def test_an_unknown_kind_is_skipped():
    report = screen(say("confetti", "x")).report
    assert (report.passed, list(report.skipped)) == (0, ["a record of kind 'confetti'"])


def test_messages_that_cline_left_out_were_not_sent(tmp_path):
    task = [*TASK, said("user", "two"), said("assistant", "2"), said("user", "three"), said("assistant", "3")]
    left = say("text", "3", conversationHistoryDeletedRange=[2, 3])
    (history,) = sent_histories(folder(tmp_path, task, [asked(at=1), say("text", "2"), asked(at=3), left])[0]) or ()
    assert (history.size, history.sent, history.cut.by) == (5, ((0, 2), (4, 5)), "Cline")


def test_a_summary_of_roo_code_stands_for_the_messages_that_name_it(tmp_path):
    gone = {"condenseParent": "k"}
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "x"}], **gone}
    task = [
        TASK[0],
        TASK[1] | gone,
        result,
        said("user", "Sum", isSummary=True, condenseId="k"),
        said("assistant", "on"),
    ]
    shown = say("condense_context", contextCondense={"prevContextTokens": 900, "newContextTokens": 80})
    loaded = folder(tmp_path, task, [shown])
    (history,) = sent_histories(loaded[0]) or ()
    assert (history.size, history.sent, history.summarized, history.summary) == (4, ((0, 1), (3, 4)), ((1, 3),), 3)
    assert (history.cut.before, history.cut.after, loaded.report.warnings) == (900, 80, {})


@pytest.mark.parametrize("left", [[2], [3, 2], [-1, 1], ["a", "b"], [0, 99], None])
def test_a_range_that_can_not_be_cuts_nothing(tmp_path, left):
    shown = [asked(at=-1), say("text", "x", conversationHistoryDeletedRange=left)]
    assert sent_histories(folder(tmp_path, TASK, shown)[0]) is None


def test_a_record_without_content_costs_no_task_its_reader():
    loaded = load(json.dumps([*TASK, {"role": "user"}]).encode())
    assert (loaded.report.member, len(loaded[0])) == ("cline_task", 2)


def test_what_roo_code_slid_its_window_over_is_not_sent(tmp_path):
    over = [said("user", "More", ts=3, truncationParent="t"), said("assistant", "Ada.", ts=4, truncationParent="t")]
    marker = said(
        "user", "[Sliding window truncation: 2 messages hidden]", ts=5, isTruncationMarker=True, truncationId="t"
    )
    task = [said("user", "<task>\nName a boat\n</task>", ts=1), *over, marker, said("user", "Why?", ts=6)]
    slid = say("sliding_window_truncation", contextTruncation={"truncationId": "t", "prevContextTokens": 90}) | {
        "ts": 7
    }
    (found,) = folder(tmp_path, [*task, said("assistant", "So.", ts=8)], [say("task", "Name a boat"), slid])
    (history,) = sent_histories(found) or ()
    assert (history.size, history.sent, history.cut.before) == (5, ((0, 1), (3, 5)), 90)
