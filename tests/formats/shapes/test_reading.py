"""Records read by a shape: parts, calls, results, branches, times, usage; and no output becomes a person's words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from historylab.conversation.sent import sent_histories
from historylab.errors import LoadError, UnknownFormat
from historylab.formats.load import load
from historylab.formats.shapes.shape import Shape

KINDS = {
    "text": {"text": "text"},
    "think": {"thinking": "text"},
    "call": {"call": {"id": "id", "name": "tool", "arguments": "input"}},
    "out": {"result": {"id": "id", "text": ["output", "error"]}},
    "both": {"call": {"id": "id", "name": "tool", "arguments": "in.put"}, "result": {"id": "id", "text": "in.output"}},
    "pic": {"media": "mime"},
    "mention": {"label": "who"},
    "ping": None,
}
PARTED = {"role": "by", "parts": "parts", "kinds": KINDS}


def read(shape: dict[str, Any], *records: Any):
    return load(json.dumps({"log": [*records]}).encode(), shape=Shape.of({"items": "log", **shape}))


def parts(*given: Any, by: str = "assistant"):
    return read(PARTED, {"by": "user", "parts": ["go"]}, {"by": by, "parts": [*given]})[0][1:]


def sketch(messages: Any) -> list[tuple[str, str, int]]:
    return [(m.role, m.content, len(m.tool_calls)) for m in messages]


def test_a_kind_says_where_the_words_of_a_part_are():
    (found,) = parts({"type": "think", "text": "hm"}, {"type": "text", "text": "yes"}, {"type": "ping", "text": "no"})
    assert (found.content, found.metadata["thinking"]) == ("yes", "hm")


def test_a_call_and_its_result_in_one_part_are_two_messages():
    call = {"type": "both", "id": "c", "tool": "look", "in": {"put": {"at": 1}, "output": "a bird"}}
    said, result, after = parts({"type": "text", "text": "I look"}, call, {"type": "text", "text": "A bird."})
    assert said.tool_calls[0].arguments == '{"at":1}'
    assert (result.tool_call_id, result.content, after.content) == ("c", "a bird", "A bird.")


def test_parallel_calls_come_before_their_results():
    calls = [{"type": "both", "id": name, "tool": "f", "in": {"put": {}, "output": name}} for name in "ab"]
    assert sketch(parts(*calls)) == [("assistant", "", 2), ("tool", "a", 0), ("tool", "b", 0)]


def test_results_in_a_users_record_come_before_the_words():
    found = parts({"type": "text", "text": "and now?"}, {"type": "out", "id": "c", "output": "ok"}, by="user")
    assert sketch(found) == [("tool", "ok", 0), ("user", "and now?", 0)]


def test_a_result_under_error_is_a_failed_one():
    (found,) = parts({"type": "out", "id": "c", "error": "no such file"}, by="user")
    assert (found.content, found.metadata["is_error"]) == ("no such file", True)


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("content", {"content": "no", "is_error": True}),
        ("run.error.message", {"run": {"status": "error", "error": {"message": "no"}}}),
        ("reply.value.content", {"reply": {"value": {"content": "no", "isError": True}}}),
        ("reply.Err", {"reply": {"Err": "no"}}),
    ],
)
def test_a_mark_beside_a_result_says_that_it_failed(path, part):
    shape = {**PARTED, "kinds": {"out": {"result": {"text": path}}}}
    (result,) = read(shape, {"by": "tool", "parts": [{"type": "out", **part}]})[0]
    assert (result.content, result.metadata) == ("no", {"is_error": True})


@pytest.mark.parametrize("mark", [{"isError": True}, {"status": "failed"}])
def test_a_record_that_is_a_result_may_say_that_it_failed(mark):
    shape = {"role": "m.role", "text": "m.text", "answers": "m.call"}
    (result,) = read(shape, {"m": {"role": "tool", "text": "no", "call": "c", **mark}})[0]
    assert result.metadata == {"is_error": True}


def test_media_and_labels_stand_for_what_is_no_text():
    (found,) = parts({"type": "pic", "mime": "image/png"}, {"type": "mention", "who": "Ann"})
    assert (found.media, found.content) == (("image",), "[Ann]")


def test_an_encrypted_part_is_named_and_its_record_stays():
    thought = {"type": "think", "text": "", "encrypted_content": "gAAAAB"}
    loaded = read(PARTED, {"by": "user", "parts": ["go"]}, {"by": "assistant", "parts": [thought, "done"]})
    assert "an encrypted part, which only the provider can read" in loaded.report.warnings
    assert loaded[0][1].source["parts"][0] == thought


def test_the_record_of_a_medium_and_of_a_field_not_read_stays_with_its_message():
    picture = {"type": "pic", "mime": "image/png", "data": "iVBORw0KGgo"}
    (found,) = parts(picture)
    assert found.source["parts"] == [picture]
    (odd, plain) = read(
        {"role": "by", "text": "said"}, {"by": "user", "said": "a", "mood": "fine"}, {"by": "assistant", "said": "b"}
    )[0]
    assert (odd.source["mood"], plain.source) == ("fine", None)


def test_a_kind_that_no_table_has_is_named():
    loaded = read(PARTED, {"by": "user", "parts": [{"type": "odd", "text": "x"}, "hi"]})
    assert loaded.report.warnings["a part of type 'odd' not read"].first == "log[0]"


def test_a_part_may_be_known_by_its_only_key():
    shape = {"role": "role", "parts": "content", "kind": "", "kinds": {"text": {"text": "text"}}}
    assert sketch(read(shape, {"role": "user", "content": [{"text": "hi"}]})[0]) == [("user", "hi", 0)]


def test_only_some_records_are_messages_and_the_others_are_counted():
    shape = {"only": {"type": ["message"]}, "role": "role", "text": "text"}
    loaded = read(shape, {"type": "head"}, {"type": "message", "role": "user", "text": "hi"})
    assert (len(loaded[0]), loaded.report.passed) == (1, 1)
    assert list(loaded.report.skipped) == ["a record whose type is 'head', not a message"]


def test_a_record_of_another_kind_that_has_words_could_be_a_message():
    shape = {"only": {"type": ["message"]}, "role": "role", "text": "text"}
    records = [{"type": kind, "role": "user", "text": "hi"} for kind in ("message", "turn")]
    report = read(shape, *records).report
    assert (report.skips, report.passed) == (1, 0)


def test_calls_and_results_may_stand_beside_the_words():
    shape = {
        "role": "role",
        "text": "text",
        "calls": {"items": "calls", "id": "id", "name": "fn.name", "arguments": "fn.args"},
        "results": {"items": "seen", "id": "of", "text": "said"},
    }
    record = {"role": "assistant", "text": "I look", "calls": [{"id": "c", "fn": {"name": "look", "args": {}}}]}
    (found,) = read(shape, {"role": "user", "text": "look"}, record | {"seen": [{"of": "c", "said": "a bird"}]})
    assert sketch(found) == [("user", "look", 0), ("assistant", "I look", 1), ("tool", "a bird", 0)]


def test_a_record_that_answers_a_call_is_a_result():
    shape = {"role": "role", "text": "text", "answers": "call"}
    (found,) = read(shape, {"role": "user", "text": "go"}, {"role": "toolReply", "call": "c", "text": "done"})
    assert (found[1].role, found[1].tool_call_id) == ("tool", "c")


def test_parents_make_branches_of_which_the_newest_is_the_conversation():
    shape = {"role": "role", "text": "text", "id": "id", "parent": "after"}
    rows = [("user", "a", None), ("assistant", "b", "a"), ("user", "c", "b"), ("user", "d", "b")]
    records = [{"role": role, "text": name, "id": name, "after": after} for role, name, after in rows]
    (found,) = read(shape, *records)
    assert ["".join(m.content for m in path) for path in (found, *found.branches)] == ["abd", "abc"]


TREE = {"role": "by", "text": "says", "id": "id", "parent": "after"}


def turn(name: str, after: str | None):
    return {"by": "user" if name[0] == "q" else "assistant", "says": name, "id": name, "after": after}


def test_a_record_whose_parent_the_file_lacks_follows_the_one_before_it():
    (found,) = read(TREE, turn("q1", None), turn("r1", "q1"), turn("q2", "r1"), turn("q3", "r2"), turn("r3", "q3"))
    assert [m.content for m in found] == ["q1", "r1", "q2", "q3", "r3"]


def test_those_that_name_the_same_missing_parent_are_branches():
    (found,) = read(TREE, turn("q1", "root"), turn("q2", "root"))
    assert [[m.content for m in path] for path in (found, *found.branches)] == [["q2"], ["q1"]]


def test_a_record_that_names_itself_has_no_parent():
    found = read(TREE, turn("q1", "q1"), turn("r1", "q9"))
    assert [m.content for m in found[0]] == ["q1", "r1"]


def test_records_on_branches_that_are_not_offered_are_counted():
    found = read(TREE, turn("q", None), *(turn(f"r{i}", "q") for i in range(25)))
    (left,) = found.report.skipped.items()
    assert (left[0], left[1].count) == ("a message on a branch older than those offered", 4)
    assert (found.report.records, len(found[0].branches)) == (26, 20)


def test_time_model_and_usage_are_those_of_the_answer():
    shape = {
        "role": "role",
        "text": "text",
        "time": "at",
        "model": "model",
        "usage": {"input": "u.in", "output": "u.out"},
    }
    answer = {"role": "assistant", "text": "hi", "at": 1_760_000_000, "model": "m-1", "u": {"in": 5, "out": 2}}
    (found,) = read(shape, {"role": "user", "text": "hello"}, answer)
    assert (found[1].timestamp, found.recorded.model) == ("2025-10-09T08:53:20+00:00", "m-1")
    assert found[1].metadata["usage"]["output"] == 2


def test_answers_that_broke_off_are_told_from_those_that_were_sent_on():
    shape = {"role": "role", "text": "text", "unsent": {"end": ["error"]}}
    records = [{"role": role, "text": "a", "end": end} for role, end in (("user", "error"), ("assistant", "error"))]
    (found,) = read(shape, *records, {"role": "assistant", "text": "b", "end": "stop"})
    assert [m.shown_only for m in found] == [False, True, False]


def test_what_a_program_put_in_a_users_name_is_injected():
    shape = {"role": "role", "text": "text", "injected": {"why": []}}
    (found,) = read(shape, {"role": "user", "text": "a"}, {"role": "user", "text": "b", "why": "reminder"})
    assert [m.injected for m in found] == [False, True]


def test_what_a_person_asks_first_is_the_title_of_records_without_one():
    log = [{"role": "user", "text": "<env>", "by": "us"}, {"role": "user", "text": "Where are the birds?"}]
    (found,) = load(json.dumps(log).encode(), name="log.json", shape=Shape("role", "text", injected={"by": ()}))
    assert found.title == "Where are the birds?"


def test_a_model_and_a_title_may_stand_around_the_list():
    given = {"meta": {"model": "m-1"}, "name": "Birds", "log": [{"role": "user", "text": "hi"}]}
    shape = Shape("role", "text", "log", model="meta.model", title="name")
    (found,) = load(json.dumps(given).encode(), shape=shape)
    assert (found.recorded.model, found.title) == ("m-1", "Birds")


@pytest.mark.parametrize("word", ["toolResult", "FunctionExecutionResultMessage", "observation_event", "toolReply"])
def test_a_word_that_names_an_output_is_never_a_persons(word):
    records = [{"kind": "userInput", "words": "where is it?"}, {"kind": word, "words": "in the box over there"}]
    with pytest.raises(UnknownFormat) as refusal:
        load(json.dumps(records).encode())
    (found,) = load(json.dumps(records).encode(), shape=refusal.value.proposals[0].shape)
    assert [m.role for m in found] == ["user", "tool"]


def test_kinds_of_records_make_nobody_a_user():
    records = [{"type": kind, "text": f"some words of {kind}"} for kind in ("step_start", "api_request", "status")]
    (found,) = load(json.dumps({"log": records}).encode(), shape=Shape("type", "text", "log"))
    assert [m.role for m in found] == ["step_start", "api_request", "status"]


def test_a_proposal_names_calls_results_thinking_usage_model_and_time():
    talk = [
        {"who": "human", "at": "2026-01-01T10:00:00", "body": [{"type": "text", "text": "Is the light on?"}]},
        {
            "who": "bot",
            "at": "2026-01-01T10:00:02",
            "model": "m-1",
            "usage": {"input_tokens": 7, "output_tokens": 3},
            "body": [
                {"type": "reasoning", "text": "I look."},
                {"type": "toolRequest", "callId": "c", "name": "look", "args": {"at": "lamp"}},
            ],
        },
        {
            "who": "human",
            "at": "2026-01-01T10:00:03",
            "body": [{"type": "toolReply_result", "callId": "c", "output": "on"}],
        },
    ]
    with pytest.raises(UnknownFormat) as refusal:
        load(json.dumps({"talk": talk}).encode())
    (found,) = load(json.dumps({"talk": talk}).encode(), shape=refusal.value.proposals[0].shape)
    assert sketch(found) == [("user", "Is the light on?", 0), ("assistant", "", 1), ("tool", "on", 0)]
    assert (found[1].metadata["thinking"], found.recorded.model) == ("I look.", "m-1")
    assert (found[1].metadata["usage"]["input"], found[2].tool_call_id) == (7, "c")


def test_every_other_word_for_a_speaker_may_have_one_role():
    found = read(
        {"role": "by", "text": "say", "roles": {"GO": "user", "": "tool"}},
        {"by": "GO", "say": "list"},
        {"by": "LS", "say": "a"},
    )
    assert [m.role for m in found[0]] == ["user", "tool"]


def test_a_record_that_is_a_thought_is_part_of_the_answer_after_it():
    shape = {"role": "by", "text": "say", "roles": {"idea": "thinking"}}
    found = read(shape, {"by": "user", "say": "go"}, {"by": "idea", "say": "hm"}, {"by": "assistant", "say": "yes"})
    assert [(m.content, m.metadata.get("thinking")) for m in found[0]] == [("go", None), ("yes", "hm")]


def test_the_record_of_a_thought_with_more_in_it_stays_with_the_answer():
    shape = {"role": "by", "text": "says", "roles": {"thought": "thinking"}}
    thought, asked = {"by": "thought", "says": "hm", "odd": 1}, {"by": "user", "says": "hi"}
    answer = {"by": "assistant", "says": "yes"}
    assert read(shape, asked, thought, answer)[0][1].source == thought
    assert read(shape, asked, thought, answer | {"odd": 2})[0][1].source == [thought, answer | {"odd": 2}]


def test_a_record_that_has_no_field_of_words_is_known_to_be_no_message():
    found = read({"role": "by", "text": "say"}, {"by": "user", "say": "go"}, {"by": "assistant", "sealed": "x"})
    assert (len(found[0]), found.report.passed) == (1, 1)


def test_a_result_beside_its_call_gives_way_to_the_record_that_is_it():
    shape = {
        "role": "by",
        "text": "say",
        "answers": "of",
        "calls": {"items": "asks", "id": "id", "name": "tool", "arguments": "args"},
        "results": {"items": "asks", "id": "id", "text": "out.text"},
    }
    asks = [
        {"id": "a", "tool": "f", "out": {"text": "seen"}},
        {"id": "b", "tool": "f", "out": [{"text": "x"}, {"text": "y"}]},
    ]
    found = read(
        shape, {"by": "user", "say": "go"}, {"by": "assistant", "asks": asks}, {"by": "tool", "of": "a", "say": "seen"}
    )
    assert [m.content for m in found[0] if m.role == "tool"] == ["x\ny", "seen"]


def test_a_field_may_say_whether_it_is_the_user_who_speaks():
    shape = {"role": "mine", "text": "say", "roles": {"true": "user", "false": "assistant"}}
    found = read(shape, {"mine": True, "say": "go"}, {"mine": False, "say": "yes"})
    assert [m.role for m in found[0]] == ["user", "assistant"]


def test_a_field_beside_the_list_may_name_the_current_record():
    shape = Shape.of({"items": "log", "role": "by", "text": "say", "id": "id", "parent": "after"})
    log = [{"by": "user", "say": "go", "id": "a", "after": None}]
    log += [{"by": "assistant", "say": say, "id": say, "after": "a"} for say in ("yes", "no")]
    found = load(json.dumps({"log": log, "currentId": "yes"}).encode(), shape=shape)
    assert [m.content for m in found[0]] == ["go", "yes"]


CUT = {"role": "by", "text": "says", "id": "id", "cuts": {"summary": "sum", "kept": "from", "before": "tokens"}}


def said(name: str, by: str = "user"):
    return {"id": name, "by": by, "says": name}


def test_a_cut_sends_its_summary_and_what_it_kept():
    cut = {"id": "x", "sum": "so far", "from": "b", "tokens": 900}
    (found,) = read(CUT, said("a"), said("b", "assistant"), cut, said("c"))
    (history,) = sent_histories(found) or ()
    assert (history.size, history.sent[0].content, history.sent[1:]) == (2, "so far", ((1, 2),))
    assert (history.cut.before, history.summarized) == (900, ((0, 1),))


def test_a_summary_in_a_message_stands_for_it_and_for_all_before():
    shape = {"role": "by", "text": "says", "cuts": {"summary": "sum"}}
    (found,) = read(shape, said("a"), said("b", "assistant") | {"sum": "so far"}, said("c"))
    (history,) = sent_histories(found) or ()
    assert (history.size, [m.content for m in history.sent]) == (2, ["so far"])
    assert not found.metadata.get("sum") and read(shape, said("a") | {"sum": "x"}).report.remarks == 1  # the id


@pytest.mark.parametrize("cuts", [{"kept": "from"}, {"before": "tokens"}])
def test_cuts_without_a_summary_are_none(cuts):
    assert sent_histories(read(CUT | {"cuts": cuts}, said("a"), {"id": "x", "from": "a", "tokens": 1})[0]) is None


@pytest.mark.parametrize("cut", [{"sum": "so far"}, {"from": "b"}, {"sum": "so far", "from": "gone"}, {"sum": [1]}])
def test_a_record_that_does_not_say_what_was_kept_is_no_cut(cut):
    assert sent_histories(read(CUT, said("a"), said("b", "assistant"), {"id": "x", **cut})[0]) is None


def test_a_users_record_whose_parts_say_nothing_is_no_message():
    cancelled = {"by": "user", "parts": [{"type": "out", "id": "c"}]}
    found = read(PARTED, {"by": "user", "parts": ["go"]}, cancelled, {"by": "assistant", "parts": ["yes"]})
    assert sketch(found[0]) == [("user", "go", 0), ("assistant", "yes", 0)]
    assert (found.report.records, found.report.passed, found.report.remarks) == (3, 1, 1)
    assert list(found.report.skipped) == ["a record of 'user' that says nothing"]


@pytest.mark.parametrize(
    ("part", "named"),
    [
        ({"type": "text", "text": ""}, []),
        ({"type": "TEXT", "content": "hi"}, ["a part of type 'TEXT' not read"]),
        ({"type": "text", "text": False}, ["a part of type 'text' not read"]),
        ({"type": "text", "text": {"title": "lamp"}}, ["a part of type 'text' not read"]),
    ],
    ids=["empty", "unknown kind", "flag", "object"],
)
def test_a_users_record_in_which_nothing_is_read_is_an_empty_message_with_its_record(part, named):
    record = {"by": "user", "parts": [part]}
    found = read(PARTED, record, {"by": "assistant", "parts": ["yes"]})
    assert sketch(found[0]) == [("user", "", 0), ("assistant", "yes", 0)]
    assert (found[0][0].source, list(found.report.warnings)) == (record, [*named, "empty content"])


def test_a_text_within_a_text_and_a_list_of_them_are_read():
    inner = {"type": "text", "text": "yes"}
    assert sketch(parts({"type": "text", "text": inner}, {"type": "text", "text": [inner, "no"]})) == [
        ("assistant", "yes\nyes\nno", 0)
    ]


def test_a_system_prompt_beside_the_list_comes_first():
    given = {"system_prompt": "Be brief.", "log": [{"by": "user", "says": "hi"}]}
    (found,) = load(json.dumps(given).encode(), shape=Shape.of({"items": "log", "role": "by", "text": "says"}))
    assert sketch(found) == [("system", "Be brief.", 0), ("user", "hi", 0)]


def test_a_system_prompt_that_the_list_has_is_not_read_again():
    given = {"system_prompt": "Be brief.", "log": [{"by": "system", "says": "Be brief."}, {"by": "user", "says": "hi"}]}
    (found,) = load(json.dumps(given).encode(), shape=Shape.of({"items": "log", "role": "by", "text": "says"}))
    assert [m.role for m in found] == ["system", "user"]


@pytest.mark.parametrize(
    "given", [{"log": [{"by": "user", "say": "hi"}]}, {"old": {"log": [{"by": "user", "say": "hi"}]}}]
)
def test_the_first_of_several_paths_to_the_records_that_leads_to_any_counts(given):
    shape = Shape.of({"items": ["log", "old.log"], "role": "by", "text": "say"})
    assert [m.content for m in load(json.dumps(given).encode(), shape=shape)[0]] == ["hi"]
    with pytest.raises(LoadError, match=r"no list `log` or `old\.log` is in this file; it has `rows`"):
        load(b'{"rows": [{"by": "user", "say": "hi"}]}', shape=shape)


def test_who_gives_but_results_is_a_tool_whatever_it_is_called():
    shape = {"role": "actor", "text": "body", "answers": "ref"}
    asked, said = {"actor": "operator", "body": "Look."}, {"actor": "robot", "body": "A bird."}
    (found,) = loaded = read(shape, asked, {"actor": "birdhouse", "body": "a wren", "ref": "r1"}, said)
    assert [(m.role, m.name) for m in found] == [("user", "operator"), ("tool", "birdhouse"), ("assistant", None)]
    assert [reason for reason in loaded.report.warnings if "read as" in reason] == [
        "no word says who is who: 'operator' read as the user"
    ]


def test_a_record_may_itself_be_a_call_or_a_result_whatever_its_word():
    at = {"id": "id", "name": "tool", "arguments": "args"}
    shape = {"role": "kind", "text": "say", "calls": at, "results": {"id": "of", "text": "got"}}
    ask, call = {"kind": "user", "say": "go"}, {"kind": "tool_call", "id": "c", "tool": "ls", "args": {}}
    (found,) = read(shape, ask, call, {"kind": "tool_end", "of": "c", "tool": "ls", "got": "a"})
    assert sketch(found) == [("user", "go", 0), ("assistant", "", 1), ("tool", "a", 0)]
    assert found[2].tool_call_id == "c"
    assert [m.tool_calls for m in read({"role": "kind", "text": "say", "calls": {"id": "id"}}, ask)[0]] == [()]


def test_every_result_of_one_record_of_a_tool_is_read():
    shape = {"role": "by", "results": {"items": "got", "id": "of", "text": "out"}, "text": "say"}
    records = {"by": "user", "say": "go"}, {"by": "tool", "got": [{"of": "a", "out": "x"}, {"of": "b", "out": "y"}]}
    assert [(m.role, m.content, m.tool_call_id) for m in read(shape, *records)[0]][1:] == [
        ("tool", "x", "a"),
        ("tool", "y", "b"),
    ]
