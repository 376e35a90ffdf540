"""Gemini CLI sessions: results inside the model's turn, rows of the program, rewinds in JSON Lines."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import settings as tried
from hypothesis import strategies as st

from historylab import as_sent
from historylab.conversation.sent import SENT_HISTORIES, sent_histories
from historylab.errors import LoadError
from historylab.formats.files.content import Content
from historylab.formats.load import load, match_strengths

BEGUN = {"sessionId": "s1", "projectHash": "h"}


def said(words, key="", kind="user", **more) -> dict:
    return {"id": key or words, "type": kind, "content": words, "timestamp": "2026-01-01T10:00:00Z", **more}


def whole(*messages, **more):
    return load(json.dumps({**BEGUN, "messages": list(messages), **more}).encode())


def lines(*records):
    return load("\n".join(map(json.dumps, [BEGUN, *records])).encode(), name="session.jsonl")


def lines_of(conversation) -> list[str]:
    return [f"{m.role[0]} {m.content}" for m in conversation]


def call(name="read", **more) -> dict:
    return {"name": name, "args": {"path": "a"}, "status": "success", **more}


def answered(text) -> list[dict]:
    return [{"functionResponse": {"name": "read", "response": {"output": text}}}]


def test_a_turn_with_calls_is_the_reply_and_a_message_per_result():
    calls = [call(id="c1", result=answered("one")), call(id="c2", status="error", result=answered("no"))]
    (conversation,) = whole(
        said("Look."), said("Looking.", kind="gemini", toolCalls=calls), said("Done.", kind="gemini")
    )
    assert lines_of(conversation) == ["u Look.", "a Looking.", "t one", "t no", "a Done."]
    assert [m.tool_call_id for m in conversation[2:4]] == ["c1", "c2"]
    assert [m.metadata for m in conversation[2:4]] == [{}, {"is_error": True}]
    assert json.loads(conversation[1].tool_calls[0].arguments) == {"path": "a"}
    assert conversation.columns.clean


def test_calls_of_one_name_without_ids_keep_their_own_results():
    calls = [call(), call(result=answered("second"))]
    (conversation,) = whole(said("Look."), said("", "m1", kind="gemini", toolCalls=calls))
    assert [c.id for c in conversation[1].tool_calls] == ["m1/0", "m1/1"]
    assert conversation[2].tool_call_id == "m1/1"


@pytest.mark.parametrize(
    ("response", "text"),
    [
        ({"output": "out"}, "out"),
        ({"error": "why"}, "why"),
        ({"output": {"a": 1}}, '{"output": {"a": 1}}'),
        ({"output": "x", "code": 1}, '{"output": "x", "code": 1}'),
        (None, ""),
    ],
)
def test_a_results_text_is_what_the_tool_put_out(response, text):
    held = call(result=[{"functionResponse": {"response": response}}])
    assert whole(said("Look."), said("", "m", kind="gemini", toolCalls=[held]))[0][2].content == text


def test_tokens_become_usage_without_what_was_read_from_the_cache():
    tokens = {"input": 5000, "output": 40, "cached": 4000, "thoughts": 100, "tool": 7, "total": 5147}
    (conversation,) = whole(said("Hi."), said("Hello.", kind="gemini", tokens=tokens, model="gemini-2.5-pro"))
    usage = {"input": 1007, "output": 140, "cache_reads": 4000, "cache_writes": 0}
    assert conversation[1].metadata == {"model": "gemini-2.5-pro", "usage": usage}
    assert (conversation.recorded.model, conversation.recorded.provider) == ("gemini-2.5-pro", "google")


def test_thoughts_are_kept_beside_the_reply():
    thoughts = [{"subject": "Planning", "description": "I look first."}, {"description": "Then I say."}]
    content = [{"text": "hidden", "thought": True}, {"text": "Said."}]
    (conversation,) = whole(said("Hi."), said(content, "m", kind="gemini", thoughts=thoughts))
    assert conversation[1].content == "Said."
    assert conversation[1].metadata["thinking"] == "hidden\nPlanning: I look first.\nThen I say."


def test_rows_of_the_program_are_counted_and_a_session_of_nothing_else_is_refused_by_name():
    rows = [said("x", kind="info"), said("y", kind="error"), said("z", kind="warning"), said("w", kind="mystery"), 5]
    loaded = whole(said("Hi."), *rows)
    assert lines_of(loaded[0]) == ["u Hi."]
    assert list(loaded.report.skipped) == [
        "a number, not a record",
        "an info row of the program",
        "an error row of the program",
        "a warning row of the program",
        "a record of type 'mystery'",
    ]
    assert (loaded.report.records, loaded.report.passed) == (6, 3)
    with pytest.raises(LoadError) as refusal:
        whole(*rows[:3])
    assert str(refusal.value) == (
        "no message in it could be read as Gemini CLI: 3 records were left out (1 × an info row of the program, first "
        "at messages[0]; 1 × an error row of the program, first at messages[1]; 1 × a warning row of the program, "
        "first at messages[2]); give a file in which somebody speaks, or choose another format"
    )


def test_content_is_text_a_part_or_parts():
    parts = ["One.", {"text": "Two."}, {"inlineData": {"mimeType": "image/png"}}, {"fileData": {}}, {"mystery": 1}, 7]
    (conversation,) = loaded = whole(said({"text": "Alone."}, "m1"), said(parts, "m2"))
    assert lines_of(conversation) == ["u Alone.", "u One.\nTwo."]
    assert conversation[1].media == ("image", "file")
    assert list(loaded.report.warnings)[1:] == [
        "a part without content (mystery) not read",
        "a part that is a number not read",
    ]


def test_in_json_lines_the_last_state_of_a_message_counts():
    (conversation,) = loaded = lines(said("Hi."), said("", "r", "gemini"), said("Hello.", "r", "gemini"))
    assert lines_of(conversation) == ["u Hi.", "a Hello."]
    assert (
        loaded.report.skipped["an earlier state of a message that was written again"].count == 1 == loaded.report.passed
    )


def test_a_rewind_takes_messages_back_and_leaves_a_branch():
    records = [said("One."), said("Two.", kind="gemini"), said("Three."), {"$rewindTo": "Three."}, said("Four.")]
    (conversation,) = loaded = lines(*records)
    assert lines_of(conversation) == ["u One.", "a Two.", "u Four."]
    (branch,) = conversation.branches
    assert (branch.title, lines_of(branch)) == ("from message 3: Three.", ["u One.", "a Two.", "u Three."])
    assert branch[0] is conversation[0]
    assert (loaded.report.records, loaded.report.skips, list(loaded.report.kept)) == (4, 0, ["other branches"])


def test_a_rewind_to_nothing_known_begins_anew():
    assert lines_of(lines(said("One."), {"$rewindTo": "gone"}, said("Two."))[0]) == ["u Two."]


def test_branches_beyond_the_twentieth_are_counted():
    tries = [record for k in range(23) for record in (said(f"{k}"), {"$rewindTo": f"{k}"})]
    (conversation,) = loaded = lines(said("Start."), *tries, said("End."))
    assert [b[-1].content for b in conversation.branches] == [f"{k}" for k in range(22, 2, -1)]
    assert loaded.report.skipped["a record on a branch older than those offered"].count == 3


def sent(conversation, request: int = -1) -> list[str]:
    return [m.content for m in as_sent(conversation).plans[request].render()]


def reply(words, **more) -> dict:
    return said(words, kind="gemini", **more)


def test_messages_that_are_set_are_sent_in_place_of_those_before():
    listed = [said("In short."), reply("Got it."), said("Two."), reply("To Two.")]
    begun = [said("One."), reply("To One."), said("Two."), reply("To Two.")]
    (conversation,) = loaded = lines(*begun, {"$set": {"messages": listed}}, said("Three."), reply("To Three."))
    assert lines_of(conversation)[3:] == ["a To Two.", "u In short.", "u Three.", "a To Three."]
    assert [sent(conversation, k) for k in (1, 2)] == [
        ["One.", "To One.", "Two."],
        ["In short.", "Got it.", "Two.", "To Two.", "Three."],
    ]
    (cut,) = conversation.recorded.compactions
    assert (cut.request, cut.dropped, cut.summary, cut.by) == (2, (0, 1), 4, "Gemini CLI")
    assert (conversation.branches, list(loaded.report.kept)) == ((), ["compactions"])
    assert list(loaded.report.warnings) == [
        "a summary Gemini CLI made, sent from there on in place of what came before"
    ]


def test_messages_that_are_set_and_lack_none_are_no_cut():
    begun = [said("One."), reply("To One.")]
    (conversation,) = lines(
        *begun, {"$set": {"messages": [*begun, said("Two.")], "summary": "A talk"}}, reply("To Two.")
    )
    assert (conversation.title, lines_of(conversation)[2:]) == ("A talk", ["u Two.", "a To Two."])
    assert conversation.recorded.compactions == ()


@pytest.mark.parametrize("again", ["record", "turn"])
def test_a_result_that_is_masked_is_sent_shorter_and_kept_as_it_was(again):
    def looked(text):
        return said("", "m", kind="gemini", toolCalls=[call(id="c1", result=answered(text))])

    turn = said([{"functionResponse": {"id": "c1", "response": {"output": "[masked]"}}}], "t")
    listed = [said("Look."), looked("[masked]")] if again == "record" else [said("Look."), looked("long"), turn]
    (conversation,) = lines(said("Look."), looked("long"), {"$set": {"messages": listed}}, reply("Done."))
    assert lines_of(conversation) == ["u Look.", "a ", "t long", "a Done."]
    assert sent(conversation) == ["Look.", "", "[masked]"]


def test_a_rewind_to_what_a_compression_kept_goes_on_from_what_was_sent():
    listed = [said("In short."), said("Two."), reply("To Two.")]
    begun = [said("One."), reply("To One."), said("Two."), reply("To Two.")]
    after = [said("Three."), reply("To Three."), {"$rewindTo": "To Two."}, reply("Instead.")]
    (conversation,) = lines(*begun, {"$set": {"messages": listed}}, *after)
    assert sent(conversation) == ["In short.", "Two."]
    assert sent(conversation.branches[0]) == ["In short.", "Two.", "To Two.", "Three."]


def test_a_rewind_to_before_a_compression_undoes_it():
    begun = [said("One."), reply("To One."), said("Two."), reply("To Two.")]
    (conversation,) = lines(*begun, {"$set": {"messages": begun[:3]}}, {"$rewindTo": "To One."}, reply("Instead."))
    assert lines_of(conversation) == ["u One.", "a Instead."]
    assert conversation.recorded.compactions == ()


NAMES = st.sampled_from(["a", "b", "c", "d"])
RECORDS = st.one_of(
    st.builds(said, NAMES, kind=st.sampled_from(["user", "gemini", "info"])),
    st.builds(lambda n, t: said("", n, "gemini", toolCalls=[call(id=n, result=answered(t))]), NAMES, NAMES),
    st.builds(lambda n, t: said([{"functionResponse": {"id": n, "response": {"output": t}}}], "t"), NAMES, NAMES),
    st.sampled_from([5, None, {}, {"id": 5}, {"type": "user", "content": None}]),
)


@tried(deadline=None, max_examples=150)
@given(st.lists(st.one_of(RECORDS, st.builds(lambda n: {"$rewindTo": n}, NAMES), st.lists(RECORDS, max_size=4))))
def test_whatever_a_session_sets_and_takes_back_every_history_fits(steps):
    records = [{"$set": {"messages": step}} if isinstance(step, list) else step for step in steps]
    (conversation,) = lines(said("Begin."), *records, said("End.", "end"))
    for path in (conversation, *conversation.branches):
        assert len(sent_histories(path) or ()) == len(path.metadata.get(SENT_HISTORIES, ()))
        assert all(cut.request < len(path.columns.requests) for cut in path.recorded.compactions)


def test_a_subagents_session_says_so():
    (conversation,) = whole(said("Check it."), kind="subagent")
    assert conversation.title == "Subagent: Check it."
    assert conversation.metadata["sidechain"] is True


def test_fields_that_are_not_read_are_named():
    loaded = whole(said("Hi.", extra=1), memory="x", h=1, g=1, f=1, e=1, directories=["/home"])
    assert list(loaded.report.warnings) == ["a field 'extra' not read"]
    assert list(loaded.report.kept) == ["memory", "h", "g", "f", "e"]
    assert "/home" not in str(loaded[0].metadata)


def test_the_log_of_prompts_is_a_conversation_per_session():
    rows = [{"sessionId": s, "messageId": 0, "type": "user", "message": m} for s, m in (("a", "One."), ("b", "Two."))]
    loaded = load(json.dumps(rows).encode())
    assert [lines_of(c) for c in loaded] == [["u One."], ["u Two."]]
    assert "a log of what was asked, without the answers" in loaded.report.warnings


@pytest.mark.parametrize("key", ["history", "clientHistory"])
def test_a_checkpoint_holds_the_contents_that_were_sent(key):
    call = {"role": "model", "parts": [{"functionCall": {"name": "read", "args": {}}}]}
    result = {"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {"output": "x"}}}]}
    contents = [{"role": "user", "parts": [{"text": "Look."}]}, call, result, 5]
    value = {"history": [{"type": "user", "text": "Look."}]} | {key: contents, "authType": "oauth"}
    (conversation,) = loaded = load(json.dumps(value).encode())
    assert loaded.report.member == "gemini_cli"
    assert lines_of(conversation) == ["u Look.", "a ", "t x"]
    assert conversation.columns.clean
    assert list(loaded.report.skipped) == ["a number, not a content"]


def test_other_sessions_are_not_claimed():
    for value in ({"sessionId": "s", "messages": []}, [{"message": "x"}], {"messageId": 1, "message": {}}):
        assert "gemini_cli" not in match_strengths(Content(json.dumps(value).encode()))
