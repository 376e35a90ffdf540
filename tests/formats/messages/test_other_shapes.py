"""Messages of other APIs and frameworks among OpenAI's: an error that names them, where trim() would else read half."""

from __future__ import annotations

import json

import pytest

from historylab import load, trim
from historylab.errors import LoadError, UnknownFormat
from historylab.formats.files.content import Content
from historylab.formats.load import match_strengths
from historylab.formats.messages.content_parts import THOUGHTS
from historylab.settings.model import Settings

HI = {"role": "user", "content": "hi"}
OPENAIS = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x/y.png"}}]}
CALLED = {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "function": {"name": "f"}}]}
FOREIGN = {
    "anthropic call": ({"role": "assistant", "content": [{"type": "tool_use", "id": "a", "input": {}}]}, "Anthropic"),
    "anthropic result": ({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a"}]}, "Anthropic"),
    "ai sdk call": ({"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "a"}]}, "AI SDK"),
    "ai sdk result": ({"role": "tool", "content": [{"type": "tool-result", "toolCallId": "a"}]}, "AI SDK"),
    "ai sdk ui": ({"role": "user", "parts": [{"type": "text", "text": "hi"}]}, "AI SDK UI"),
    "ai sdk 4": ({"role": "assistant", "content": "hi", "toolInvocations": [{"toolCallId": "a"}]}, "AI SDK UI"),
    "gemini": ({"role": "user", "parts": [{"text": "hi"}]}, "Gemini"),
    "gemini part": ({"role": "model", "content": [{"functionCall": {"name": "f"}}]}, "Gemini"),
    "responses call": ({"type": "function_call", "call_id": "a", "name": "f"}, "OpenAI Responses"),
    "responses result": ({"type": "function_call_output", "call_id": "a", "output": "x"}, "OpenAI Responses"),
    "pydantic ai": ({"kind": "request", "parts": [{"part_kind": "user-prompt"}]}, "Pydantic AI"),
    "langchain": ({"type": "human", "content": "hi", "additional_kwargs": {}}, "LangChain"),
    "langchain dict": ({"type": "ai", "data": {"content": "hi"}}, "LangChain"),
    "llama index": ({"role": "user", "blocks": [{"text": "hi"}]}, "LlamaIndex"),
    "ollama": ({"role": "user", "content": "see", "images": ["AAAA"]}, "Ollama"),
    "inspect": ({"role": "assistant", "content": "", "tool_calls": [{"id": "a", "function": "f"}]}, "Inspect"),
    "share gpt": ({"from": "human", "value": "hi"}, "ShareGPT"),
    "swe-agent": ({"role": "tool", "content": "x", "tool_call_ids": ["a"]}, "SWE-agent"),
}
every_shape = pytest.mark.parametrize(("foreign", "name"), FOREIGN.values(), ids=list(FOREIGN))


@every_shape
def test_trim_refuses_it_by_name_and_place_with_what_to_do(foreign, name):
    with pytest.raises(LoadError) as refused:
        trim([OPENAIS, foreign, HI], Settings(length=1))
    assert str(refused.value).startswith("message 1 of those given: ")
    assert f"it looks like {name}" in str(refused.value)
    assert "each result a message with the role tool" in str(refused.value)


@every_shape
@pytest.mark.parametrize("body", [lambda given: given, lambda given: {"model": "m", "messages": given}])
def test_a_file_of_it_is_read_by_its_own_format_or_refused_by_name(foreign, name, body):
    data = json.dumps(body([foreign, HI, foreign])).encode()
    if claimed := match_strengths(Content(data)):
        assert max(claimed, key=claimed.get) != "chat_completions"
    else:
        with pytest.raises(UnknownFormat, match=f"it looks like {name}"):
            load(data)


@every_shape
def test_one_of_it_among_chat_messages_is_named_and_the_others_are_read(foreign, name):
    loaded = load(json.dumps([HI, CALLED, foreign, HI]).encode())
    assert [m.content for m in loaded[0]].count("hi") >= 2
    assert loaded.report.skipped or loaded.report.warnings or loaded.report.member != "chat_completions"


@pytest.mark.parametrize(
    "part",
    [
        {"type": "hologram"},
        {"type": {"a": 1}, "text": "x"},
        {"type": ["text"], "text": "x"},
        {"type": None, "text": "x"},
        {"type": "text"},
        {"type": "text", "text": 5},
        {"type": "thinking", "thinking": 5},
        {"functionCall": {}},
        7,
        None,
        ["x"],
    ],
    ids=str,
)
def test_a_part_that_cannot_be_read_is_an_error_in_trim_and_named_in_a_file(part):
    message = {"role": "user", "content": ["before", part, {"type": "text", "text": "after"}]}
    with pytest.raises(LoadError, match=r"message 1 of those given: a part .* can't be read"):
        trim([HI, message])
    loaded = load(json.dumps([HI, message, HI, CALLED]).encode())
    assert [m.content for m in loaded[0]] == ["hi", "before\nafter", "hi", ""]
    (warned,) = (why for why in loaded.report.warnings if why.startswith("a part"))
    assert warned.endswith("not read")
    assert loaded.report.warnings[warned].count == 1


def test_a_message_of_nothing_that_can_be_read_is_skipped_unless_it_answers_a_call():
    alien = [{"type": "hologram"}, {"type": "hologram"}]
    records = [HI, CALLED, {"role": "tool", "tool_call_id": "a", "content": alien}, {"role": "user", "content": alien}]
    loaded = load(json.dumps(records).encode())
    assert [m.role for m in loaded[0]] == ["user", "assistant", "tool"]
    assert list(loaded.report.skipped) == ["a part of type 'hologram', which can't be read, and nothing else"]
    assert loaded.report.warnings["a part of type 'hologram' not read"].count == 2


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ({"type": "text", "text": "x"}, "x"),
        ({"text": "x"}, "x"),
        ("x", "x"),
        ({"type": "input_text", "text": "x"}, "x"),
        ({"type": "refusal", "refusal": "x"}, "x"),
        ({"type": "thinking", "thinking": "x", "signature": "s"}, "x"),
        ({"type": "reasoning", "reasoning": "x"}, "x"),
        ({"type": "reasoning", "text": "x"}, "x"),
        ({"type": "reasoning", "summary": [{"type": "summary_text", "text": "x"}], "id": "r"}, "x"),
        ({"type": "reasoning", "summary": []}, ""),
        ({"type": "redacted_thinking", "data": "x"}, ""),
        ({"type": "image_url", "image_url": {"url": "u"}}, ""),
        ({"type": "input_audio", "input_audio": {"data": "d", "format": "wav"}}, ""),
        ({"type": "file", "file": {"file_id": "f"}}, ""),
        ({"type": "image", "source": {"type": "url", "url": "u"}}, ""),
    ],
    ids=str,
)
def test_parts_of_the_api_and_what_langchain_makes_of_others_are_accepted(part, text):
    message = {"role": "assistant", "content": [part]}
    assert trim([HI, message, HI], Settings(policy="all"))[1] is message
    read = load(json.dumps([HI, message]).encode())[0][1]
    thought = part["type"] in THOUGHTS if isinstance(part, dict) and "type" in part else False
    assert (read.metadata.get("thinking", "") if thought else read.content) == text
    assert not (thought and read.content)


def test_a_message_with_neither_content_nor_calls_but_other_fields_is_no_empty_message():
    with pytest.raises(LoadError, match=r"no content, only fields that can't be read \(text, lang\)"):
        trim([{"role": "user", "text": "hello", "lang": "en", "name": "ada"}])
    assert trim([HI, {"role": "assistant"}, HI], Settings(policy="all"))[1] == {"role": "assistant"}


def test_an_answer_in_sound_counts_as_sound():
    spoken = {"role": "assistant", "content": None, "audio": {"id": "audio_1"}}
    assert load(json.dumps([HI, spoken]).encode())[0][1].media == ("audio",)


@pytest.mark.parametrize(
    "record",
    [
        {"type": "joint_state", "timestamp": 1, "data": {"position": [1, 2]}},
        {"type": "module", "name": "x", "data": [1, 2]},
        {"type": "human", "label": 1},
    ],
)
def test_events_with_data_are_not_called_messages_of_langchain(record):
    with pytest.raises(UnknownFormat) as refused:
        load(json.dumps([record, record]).encode())
    assert "LangChain" not in str(refused.value)
