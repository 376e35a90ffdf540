"""Pydantic AI: a request holds several roles, a response text, thinking and calls; instructions come first."""

from __future__ import annotations

import json

import pytest

from historylab.conversation.message import ToolCall, Usage
from historylab.formats.load import load


def request(*parts, **fields) -> dict:
    return {"kind": "request", "parts": list(parts), **fields}


def response(*parts, **fields) -> dict:
    return {"kind": "response", "parts": list(parts), **fields}


def part(kind: str, content=None, **fields) -> dict:
    return {"part_kind": kind} | ({} if content is None else {"content": content}) | fields


def loaded(*messages):
    return load(json.dumps(messages).encode())


ASK = request(part("user-prompt", "ask", timestamp="2026-02-01T08:00:00Z"))


def test_one_request_is_split_into_its_roles():
    call = response(part("tool-call", tool_name="f", args="{}", tool_call_id="c"))
    both = request(part("tool-return", {"v": 1}, tool_name="f", tool_call_id="c"), part("user-prompt", "go on"))
    (conversation,) = loaded(request(part("system-prompt", "be"), ASK["parts"][0]), call, both)
    assert [(m.role, m.content) for m in conversation] == [
        ("system", "be"),
        ("user", "ask"),
        ("assistant", ""),
        ("tool", '{"v":1}'),
        ("user", "go on"),
    ]
    assert conversation[1].timestamp == "2026-02-01T08:00:00Z"


def test_arguments_may_be_an_object_or_text():
    calls = [part("tool-call", tool_name="f", args=args, tool_call_id="c") for args in ({"a": 1}, '{"a": 1}')]
    assert [c.arguments for c in loaded(ASK, response(*calls))[0][1].tool_calls] == ['{"a":1}', '{"a": 1}']


def test_a_retry_is_the_result_of_its_tool_or_the_users_word_where_it_names_none():
    call = response(part("tool-call", tool_name="f", args="{}", tool_call_id="c"))
    retries = [part("retry-prompt", "again", tool_name="f", tool_call_id="c"), part("retry-prompt", "JSON please")]
    *_, result, said = loaded(ASK, call, request(*retries))[0]
    assert (result.role, result.tool_call_id, result.metadata["is_error"]) == ("tool", "c", True)
    assert (said.role, said.content) == ("user", "JSON please")


def test_instructions_are_a_system_prompt_and_the_newest_count():
    found = loaded(ASK | {"instructions": "be kind"}, response(part("text", "x")), ASK | {"instructions": "be brief"})
    assert (found[0][0].role, found[0][0].content) == ("system", "be brief")
    assert list(found.report.warnings) == ["instructions that changed: the newest stand at the start"]


@pytest.mark.parametrize(
    "usage",
    [
        {"input_tokens": 100, "output_tokens": 9, "cache_read_tokens": 40, "cache_write_tokens": 20, "details": {}},
        {
            "request_tokens": 100,
            "response_tokens": 9,
            "details": {"cache_read_input_tokens": 40, "cache_creation_input_tokens": 20, "input_tokens": 40},
        },
    ],
)
def test_usage_is_read_in_both_spellings(usage):
    about = {"usage": usage, "model_name": "m-1", "provider_name": "anthropic"}
    recorded = loaded(ASK, response(part("text", "x"), part("thinking", "hm"), **about))[0].recorded
    assert (recorded.model, recorded.provider, recorded.usage) == ("m-1", "anthropic", (Usage(40, 9, 40, 20),))


def test_a_tool_that_the_provider_ran_is_a_call_and_a_result_within_the_answer():
    ran = [part("builtin-tool-call", tool_name="web", args={}, tool_call_id="w")]
    ran += [part("builtin-tool-return", {"hits": 2}, tool_name="web", tool_call_id="w"), part("text", "found")]
    (conversation,) = loaded(ASK, response(*ran))
    assert [(m.role, m.content) for m in conversation][1:] == [
        ("assistant", ""),
        ("tool", '{"hits":2}'),
        ("assistant", "found"),
    ]
    assert conversation[1].tool_calls == (ToolCall("w", "web", "{}"),)


def test_images_sound_and_files_of_a_user_are_media():
    said = ["look", {"kind": "image-url", "url": "x"}, {"kind": "binary", "media_type": "audio/wav", "data": "YQ=="}]
    (message,) = loaded(request(part("user-prompt", said)))[0]
    assert (message.content, message.media) == ("look", ("image", "audio"))


def test_it_is_never_taken_for_gemini_which_has_parts_too_nor_gemini_for_it():
    gemini = [{"role": "user", "parts": [{"text": "a"}]}, {"role": "model", "parts": [{"text": "b"}]}]
    assert loaded(ASK).report.member == "pydantic_ai"
    assert loaded(*gemini).report.member == "gemini"


def test_what_pydantic_ai_writes_itself_is_read():
    messages = pytest.importorskip("pydantic_ai.messages")
    answer = messages.ModelResponse([messages.ThinkingPart("hm"), messages.ToolCallPart("f", {"a": 1}, "c")])
    history = [messages.ModelRequest([messages.UserPromptPart("ask")]), answer]
    (conversation,) = load(messages.ModelMessagesTypeAdapter.dump_json(history))
    assert [(m.role, m.content, m.metadata.get("thinking")) for m in conversation] == [
        ("user", "ask", None),
        ("assistant", "", "hm"),
    ]
