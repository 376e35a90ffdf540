"""AI Studio: thoughts kept beside, media and code, what the run was set to."""

from __future__ import annotations

import json

from historylab import load

ASK, YES = {"role": "user", "text": "hi"}, {"role": "model", "text": "yes"}
HM = {"role": "model", "text": "hm", "isThought": True}


def read(*chunks: object, **beside: object):
    return load(json.dumps({"chunkedPrompt": {"chunks": list(chunks)}, **beside}).encode())


def test_thoughts_are_kept_beside_the_answer():
    (conversation,) = read(ASK, HM, HM, YES)
    assert [m.content for m in conversation] == ["hi", "yes"]
    assert conversation[1].metadata["thinking"] == "hm\nhm"


def test_thoughts_among_parts_are_kept_beside_and_parts_do_not_repeat_the_text():
    parts = [{"text": "hm", "thought": True}, {"text": "ye"}, {"text": "s"}]
    (conversation,) = read(ASK, {"role": "model", "parts": parts}, YES | {"parts": [{"text": "yes"}]})
    assert [m.content for m in conversation] == ["hi", "yes", "yes"]
    assert conversation[1].metadata["thinking"] == "hm"


def test_thoughts_without_an_answer_are_an_empty_one():
    (conversation,) = read(ASK, HM)
    assert (conversation[1].role, conversation[1].content, conversation[1].metadata["thinking"]) == (
        "assistant",
        "",
        "hm",
    )


def test_media_in_drive_belong_to_the_text_that_follows():
    image, document = {"role": "user", "driveImage": {"id": "x"}}, {"role": "user", "driveDocument": {"id": "x"}}
    (conversation,) = read(image, document, ASK, YES, image)
    assert [(m.role, m.content, m.media) for m in conversation] == [
        ("user", "hi", ("image", "file")),
        ("assistant", "yes", ()),
        ("user", "", ("image",)),
    ]


def test_code_that_was_run_is_a_call_and_its_result():
    code = {"role": "model", "executableCode": {"language": "PYTHON", "code": "1"}}
    (conversation,) = read(ASK, code, {"role": "model", "codeExecutionResult": {"output": "1"}}, YES)
    assert [m.role for m in conversation] == ["user", "assistant", "tool", "assistant"]
    assert conversation.columns.clean


def test_an_image_or_a_thought_between_code_and_its_result_belongs_to_the_answer():
    code = {"role": "model", "executableCode": {"language": "PYTHON", "code": "plot()"}}
    result = {"role": "model", "codeExecutionResult": {"output": "1"}}
    (conversation,) = read(ASK, code, {"role": "model", "inlineImage": {"data": "AA"}}, HM, result, YES)
    assert [(m.role, m.content, m.media) for m in conversation] == [
        ("user", "hi", ()),
        ("assistant", "", ()),
        ("tool", "1", ()),
        ("assistant", "yes", ("image",)),
    ]
    assert (conversation[1].metadata, conversation[3].metadata) == ({}, {"thinking": "hm"})


def test_a_thought_that_was_cut_off_belongs_to_the_next_answer():
    (conversation,) = read(ASK, HM, {"role": "user", "driveDocument": {"id": "x"}}, ASK, YES)
    assert [(m.role, m.media, m.metadata) for m in conversation] == [
        ("user", (), {}),
        ("user", ("file",), {}),
        ("assistant", (), {"thinking": "hm"}),
    ]


def test_media_that_no_words_follow_stay_where_they_were():
    image = {"role": "user", "inlineImage": {"data": "AA"}}
    (conversation,) = read(image, YES, ASK, {"role": "model", "inlineImage": {"data": "AA"}}, image, ASK)
    assert [(m.role, m.content, len(m.media)) for m in conversation] == [
        ("user", "", 1),
        ("assistant", "yes", 0),
        ("user", "hi", 0),
        ("assistant", "", 1),
        ("user", "hi", 1),
    ]


def test_the_prompt_the_model_and_its_parameters_are_read():
    settings = {"model": "models/gemini-x", "temperature": 0.5, "topP": None}
    (conversation,) = read(ASK, runSettings=settings, systemInstruction={"parts": [{"text": "be"}]})
    recorded = conversation.recorded
    assert (recorded.model, recorded.provider, recorded.parameters) == ("gemini-x", "google", {"temperature": 0.5})
    assert recorded.system_prompt == "be"


def test_what_is_no_message_is_named():
    report = read(
        ASK, ASK, ASK, 5, {"text": "x"}, {"role": "model"}, {"role": "model", "errorMessage": "e"}, ASK | {"odd": 1}
    ).report
    assert list(report.skipped) == [
        "a number, not an object",
        "no role",
        "a chunk without text or media",
        "a chunk that failed",
    ]
    assert list(report.warnings) == ["a field 'odd' not read"]
