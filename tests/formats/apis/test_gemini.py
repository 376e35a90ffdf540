"""Google's Gemini API: contents, bodies, responses and streams, in camel case and in snake case."""

from __future__ import annotations

import json

import pytest

from historylab.formats.files.content import Content
from historylab.formats.load import load, match_strengths

HI = {"role": "user", "parts": [{"text": "hi"}]}
YES = {"role": "model", "parts": [{"text": "yes"}]}


def as_json(value) -> bytes:
    return json.dumps(value).encode()


def call(name: str, **more) -> dict:
    return {"functionCall": {"name": name, "args": {"at": name}, **more}}


def result(name: str, response, **more) -> dict:
    return {"functionResponse": {"name": name, "response": response, **more}}


@pytest.mark.parametrize(
    "given",
    [
        [HI, YES],
        {"contents": [HI]},
        {"model": "m", "contents": "hi"},
        {"contents": HI},
        {"candidates": [{"content": YES}]},
        [{"parts": [{"text": "hi"}]}],
    ],
)
def test_contents_bodies_and_responses_are_recognised(given):
    claims = match_strengths(Content(as_json(given)))
    assert max(claims, key=claims.get) == "gemini"


@pytest.mark.parametrize(
    "given",
    [
        [{"role": "user", "id": "1", "parts": [{"type": "text", "text": "hi"}]}],
        [{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "hi"}]}],
        [{"role": "user", "parts": [{"type": "text", "text": "hi"}]}],
        [{"parts": ["hi"]}],
    ],
)
def test_others_that_have_parts_are_not_claimed(given):
    assert "gemini" not in match_strengths(Content(as_json(given)))


def test_calls_and_responses_without_ids_are_paired_by_name_and_order():
    called = {"role": "model", "parts": [call("look"), call("ask"), call("look")]}
    found = {"role": "user", "parts": [result("ask", "no"), result("look", {"result": "1"}), result("look", {"a": 2})]}
    loaded = load(as_json([HI, called, found, YES]))
    (conversation,) = loaded
    look, ask, again = (c.id for c in conversation[1].tool_calls)
    answered = [(m.tool_call_id, m.content) for m in conversation if m.role == "tool"]
    assert answered == [(ask, "no"), (look, "1"), (again, '{"a": 2}')]
    assert conversation.columns.clean
    assert loaded.report.remarks == 0


def test_ids_are_kept_where_there_are_some_and_a_role_may_be_missing():
    called, found = {"parts": [call("look", id="c")]}, {"parts": [result("look", {"error": "gone"}, id="c")]}
    (conversation,) = load(as_json({"contents": [HI, called, found]}))
    assert [m.role for m in conversation] == ["user", "assistant", "tool"]
    assert conversation[2].tool_call_id == conversation[1].tool_calls[0].id == "c"
    assert conversation[2].metadata == {"is_error": True}


def test_thoughts_are_kept_beside_the_answer():
    (conversation,) = load(
        as_json([HI, {"role": "model", "parts": [{"text": "hm", "thought": True}, {"text": "yes"}]}])
    )
    assert (conversation[1].content, conversation[1].metadata) == ("yes", {"thinking": "hm"})


@pytest.mark.parametrize(
    "body",
    [
        {"systemInstruction": {"parts": [{"text": "Be brief."}]}, "generationConfig": {"temperature": 0}},
        {"system_instruction": {"parts": [{"text": "Be brief."}]}, "generation_config": {"temperature": 0}},
        {"config": {"systemInstruction": "Be brief.", "temperature": 0}},
    ],
    ids=["camel", "snake", "sdk"],
)
def test_a_system_instruction_comes_first_and_the_configuration_is_recorded(body):
    (conversation,) = load(as_json({**body, "contents": [HI]}))
    assert [(m.role, m.content) for m in conversation] == [("system", "Be brief."), ("user", "hi")]
    assert conversation.recorded.parameters == {"temperature": 0}


def test_media_are_named_by_their_type_and_unknown_parts_are_reported():
    parts = [
        {"inlineData": {"mimeType": "audio/wav", "data": "AAAA"}},
        {"file_data": {"mime_type": "image/png"}},
        {"fileData": {"fileUri": "files/1"}},
        {"hologram": {}},
        {"text": 5},
    ]
    loaded = load(as_json([HI, {"role": "user", "parts": parts}]))
    assert loaded[0][1].media == ("audio", "image", "file")
    assert [why for why in loaded.report.warnings if "part" in why] == [
        "a part without content (hologram) not read",
        "a part whose text is a number not read",
    ]


def test_other_candidates_are_branches():
    no = {"role": "model", "parts": [{"text": "no"}]}
    (conversation,) = load(as_json({"contents": [HI], "response": {"candidates": [{"content": YES}, {"content": no}]}}))
    assert [m.content for m in conversation] == ["hi", "yes"]
    assert [branch[1].content for branch in conversation.branches] == ["no"]


def test_chunks_without_an_id_are_one_answer_up_to_its_end():
    def chunk(text: str, **more) -> dict:
        return {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, **more}]}

    loaded = load(b"\n".join(map(as_json, [chunk("ye"), chunk("s", finishReason="STOP"), chunk("no")])))
    assert [[m.content for m in c] for c in loaded] == [["yes"], ["no"]]
