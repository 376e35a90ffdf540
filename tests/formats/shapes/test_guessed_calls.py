"""Calls and results in an offer for JSON of no known format: names suggest them, an id that comes again tells."""

from __future__ import annotations

import json
from typing import Any

import pytest

from historylab.errors import UnknownFormat
from historylab.formats.load import load

ASKED = {"role": "user", "said": "Where is order A7?"}
TOLD = {"role": "bot", "said": "It is shipped."}


def offered(*records: Any):
    content = json.dumps({"steps": [*records]}).encode()
    with pytest.raises(UnknownFormat) as refusal:
        load(content)
    shape = refusal.value.proposals[0].shape
    return shape, load(content, shape=shape)[0]


def sketch(*records: Any) -> list[str]:
    """Each message as role, words, → calls, ← what it answers."""
    found = offered(*records)[1]
    calls = [",".join(f"{call.name}#{call.id}" for call in m.tool_calls) for m in found]
    return [
        f"{m.role}: {m.content}{f' → {call}' if call else ''}{f' ← {m.tool_call_id}' if m.tool_call_id else ''}"
        for m, call in zip(found, calls, strict=True)
    ]


def test_an_id_of_a_listed_call_that_comes_again_names_its_answer():
    call = {"uid": "u0", "fn": "lookup", "params": '{"order": "A7"}'}
    records = (
        ASKED,
        {"role": "bot", "said": "I look it up.", "invocations": [call]},
        {"role": "outcome", "re": "u0", "said": "A7: shipped"},
        TOLD,
    )
    assert sketch(*records)[1:3] == ["assistant: I look it up. → lookup#u0", "tool: A7: shipped ← u0"]
    shape = offered(*records)[0]
    assert shape.calls == {"items": "invocations", "id": "uid", "name": "fn", "arguments": "params"}


def test_records_that_are_calls_and_results_are_told_by_numbers_too():
    events = [
        {"kind": "user_input", "seq": 1, "body": "Find the sum that is off."},
        {"kind": "action", "seq": 2, "verb": "grep", "params": {"path": "a.py"}},
        {"kind": "observation", "seq": 3, "cause": 2, "output": "line 7"},
        {"kind": "action", "seq": 4, "verb": "grep", "params": {"path": "b.py"}},
        {"kind": "observation", "seq": 5, "cause": 4, "output": "no line"},
        {"kind": "agent_message", "seq": 6, "body": "It is in line 7."},
    ]
    assert sketch(*events) == [
        "user: Find the sum that is off.",
        "assistant:  → grep#2",
        "tool: line 7 ← 2",
        "assistant:  → grep#4",
        "tool: no line ← 4",
        "assistant: It is in line 7.",
    ]


def test_items_without_a_speaker_are_told_by_their_kind():
    said = {"item": {"type": "message", "from": "user", "parts": [{"type": "txt", "txt": "Where is the bug?"}]}}
    call = {"item": {"type": "tool_invocation", "ref": "i1", "tool_id": "grep", "params": '{"p": "bug"}'}}
    result = {"item": {"type": "tool_outcome", "ref": "i1", "text": "a.py:3"}}
    answer = {"item": {"type": "message", "from": "model", "parts": [{"type": "txt", "txt": "In line three."}]}}
    assert sketch(said, call, result, answer) == [
        "user: Where is the bug?",
        "assistant:  → grep#i1",
        "tool: a.py:3 ← i1",
        "assistant: In line three.",
    ]


@pytest.mark.parametrize(
    ("call", "result"),
    [
        ({"sort": "ask", "ref": "r", "fn": "ls", "kwargs": {"d": "."}}, {"sort": "reply", "ref": "r", "rows": "a, b"}),
        ({"useTool": {"ref": "r", "tool": "ls", "args": {"d": "."}}}, {"toolSaid": {"ref": "r", "output": "a, b"}}),
        (
            {"type": "do", "do": {"ref": "r", "fn": "ls", "input": {"d": "."}}},
            {"type": "done", "of": "r", "all": "a, b"},
        ),
    ],
)
def test_a_part_with_the_id_of_a_call_is_its_result_and_nobodys_words(call, result):
    kind = next((name for name in ("sort", "type") if name in call), "")
    asked, answer = (
        {**({kind: "text"} if kind else {}), "text": said} for said in ("Which files?", "These two are there.")
    )
    parts = [("user", asked), ("model", call), ("user", result), ("model", answer)]
    assert sketch(*({"role": role, "blocks": [part]} for role, part in parts)) == [
        "user: Which files?",
        "assistant:  → ls#r",
        "tool: a, b ← r",
        "assistant: These two are there.",
    ]


def test_results_may_stand_in_the_calls_or_be_listed_in_one_record():
    calls = [{"tool": "town", "args": {"n": name}} for name in ("Bree", "Dale")]
    within = [{**call, "result": people} for call, people in zip(calls, ("900", "4000"), strict=True)]
    assert sketch(ASKED, {"role": "bot", "said": "I look.", "runs": within}, TOLD)[1:4] == [
        "assistant: I look. → town#unnamed-1-0,town#unnamed-1-1",
        "tool: 900 ← unnamed-1-0",
        "tool: 4000 ← unnamed-1-1",
    ]
    named = [{**call, "ref": ref} for ref, call in enumerate(calls)]
    listed = {"role": "tools", "got": [{"ref": 0, "output": "900"}, {"ref": 1, "output": "4000"}]}
    assert sketch(ASKED, {"role": "bot", "said": "I look.", "plan": named}, listed, TOLD)[1:4] == [
        "assistant: I look. → town#0,town#1",
        "tool: 900 ← 0",
        "tool: 4000 ← 1",
    ]


@pytest.mark.parametrize(
    ("call", "result"),
    [
        ({"action": {"tool": "ls", "input": {"d": "."}}, "observation": "a, b"}, None),
        ({"function_call": {"name": "ls", "arguments": "{}"}}, {"role": "function", "name": "ls", "said": "a, b"}),
    ],
)
def test_a_call_without_an_id_is_answered_in_its_record_or_by_the_next(call, result):
    called = {"role": "bot", "said": "I look.", **call}
    records = [ASKED, called, *([result] if result else []), TOLD]
    assert sketch(*records)[1:3] == ["assistant: I look. → ls#unnamed-1-0", "tool: a, b ← unnamed-1-0"]


def test_the_counts_of_tokens_and_the_words_themselves_are_no_result_of_a_call():
    asked = {"who": "user", "name": "Ann", "response": {"text": "Tell me a tale."}}
    told = {
        "who": "bot",
        "name": "b-1",
        "params": {"t": 1},
        "response": {"text": "Once upon a time."},
        "n": {"output": 9},
    }
    shape, found = offered(asked, told)
    assert [m.role for m in found] == ["user", "assistant"]
    assert not shape.calls


def test_what_holds_no_arguments_or_is_never_answered_is_no_call():
    buttons = [{"name": "yes", "id": "b1"}, {"name": "no", "id": "b2"}]
    tools = [{"name": "sql", "parameters": {"type": "object"}}]
    assert not offered({**ASKED, "tools": tools}, {**TOLD, "actions": buttons})[0].calls


def test_neither_a_parent_nor_the_number_of_a_turn_makes_a_users_words_a_result():
    style = {"config": {"name": "creative", "params": {"temperature": 1}}}
    talk = [
        {**(TOLD | style if i % 2 else ASKED), "id": f"m{i}", "parent": f"m{i - 1}", "turn": i // 2} for i in range(4)
    ]
    shape, found = offered(*talk)
    assert [m.role for m in found] == ["user", "assistant"] * 2
    assert not shape.answers


def test_pieces_of_a_stream_are_not_offered_as_talk():
    pieces = [{"delta": {"type": "text_delta", "text": f"piece {i}"}} for i in range(2)]
    others = [{"delta": {"type": "json_delta", "json": "{"}} for _ in range(4)]
    with pytest.raises(UnknownFormat) as refusal:
        load(json.dumps({"steps": [*pieces, *others]}).encode())
    assert not refusal.value.proposals
