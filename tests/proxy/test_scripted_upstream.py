"""The upstream that ships: answers by rule in each API's form, usage that counts, a cache that remembers, a window."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.request
from typing import Any

import pytest
from thirty_turns import thirty_turns

from historylab.chat_models.completions import Draft, read_completion
from historylab.counters.base import open_counter
from historylab.formats.messages.chat_messages import to_messages
from historylab.proxy.scripted_upstream.app import ScriptedUpstream
from historylab.proxy.scripted_upstream.arguments import plausible
from historylab.proxy.scripted_upstream.chat import completion_chunks

CHAT, ANTHROPIC = "chat_completions", "anthropic"
LOOK = {
    "type": "object",
    "properties": {
        "pier": {"type": "integer", "minimum": 1, "maximum": 12},
        "ferry": {"anyOf": [{"type": "null"}, {"type": "string"}]},
        "on": {"type": "string", "format": "date"},
        "by": {"enum": ["sea", "land"]},
        "legs": {"type": "array", "items": {"$ref": "#/$defs/leg"}},
    },
    "$defs": {"leg": {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]}},
}
OPENAI_TOOL = {"type": "function", "function": {"name": "look", "parameters": LOOK}}
ANTHROPIC_TOOL = {"name": "look", "input_schema": LOOK}
NO_SCHEMA = json.dumps(
    {
        "model": "m",
        "messages": [{"role": "user", "content": "?"}],
        "tools": [{"name": "look", "input_schema": {"type": None}}],
        "tool_choice": {"type": "any"},
    }
).encode()
LONG = "The ferry to Ven leaves at noon. " * 200


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def ask(upstream: ScriptedUpstream, api: str, messages: list[Any], **more: Any) -> dict[str, Any]:
    body = {"model": "gpt-4o", "max_tokens": 500, "messages": messages, **more}
    return json.loads(upstream.respond(api, json.dumps(body).encode()).body)


@pytest.mark.parametrize("api", [CHAT, ANTHROPIC])
def test_the_same_request_is_answered_the_same_but_for_the_id(api):
    first, second = (ask(ScriptedUpstream(), api, [user("Which ferry goes to Ven?")]) for _ in range(2))
    assert first == second and "Which ferry goes to Ven?" in json.dumps(first)
    upstream = ScriptedUpstream()
    assert len({ask(upstream, api, [user("Again?")])["id"] for _ in range(3)}) == 3


def test_usage_counts_the_request_as_the_model_does():
    records = thirty_turns()[:20]
    counter = open_counter("exact", "gpt-4o")
    expected = int(counter.count(to_messages(records)).sum()) + counter.per_request
    assert ask(ScriptedUpstream(), CHAT, records)["usage"]["prompt_tokens"] == expected


def test_openais_cache_reads_the_prefix_that_was_sent_before():
    upstream, history = ScriptedUpstream(), [{"role": "system", "content": LONG}, user("first")]
    sizes = [ask(upstream, CHAT, history)["usage"]]
    sizes.append(ask(upstream, CHAT, [*history, {"role": "assistant", "content": "ok"}, user("second")])["usage"])
    sizes.append(ask(upstream, CHAT, [user("another beginning"), *history])["usage"])
    sizes.append(ask(upstream, CHAT, history, model="another")["usage"])
    read = [usage["prompt_tokens_details"]["cached_tokens"] for usage in sizes]
    assert read == [0, sizes[0]["prompt_tokens"] // 128 * 128, 0, 0]


def test_anthropics_cache_goes_as_far_as_the_last_breakpoint():
    def marked(text: str) -> dict[str, Any]:
        return user([{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}])

    upstream, before = ScriptedUpstream(), [user([{"type": "text", "text": "first"}])]
    before.append({"role": "assistant", "content": "ok"})
    first = ask(upstream, ANTHROPIC, [marked("first")], system=LONG)["usage"]
    second = ask(upstream, ANTHROPIC, [*before, marked("second")], system=LONG)["usage"]
    unmarked = ask(upstream, ANTHROPIC, [user("first")], system=LONG)["usage"]
    assert first["cache_creation_input_tokens"] > 1024 and first["cache_read_input_tokens"] == 0
    assert second["cache_read_input_tokens"] == first["cache_creation_input_tokens"]
    assert unmarked["input_tokens"] > 1024 and not unmarked["cache_creation_input_tokens"]


@pytest.mark.parametrize(("api", "tool"), [(CHAT, OPENAI_TOOL), (ANTHROPIC, ANTHROPIC_TOOL)])
def test_it_calls_a_tool_every_few_questions_and_answers_from_the_result(api, tool):
    upstream = ScriptedUpstream()
    answers = [ask(upstream, api, [user(f"Pier {k}, ferry Ven?")], tools=[tool]) for k in range(30)]
    called = [answer for answer in answers if "tool_" in json.dumps(answer.get("stop_reason", answer.get("choices")))]
    assert 3 < len(called) < 20
    if api == CHAT:
        message = called[0]["choices"][0]["message"]
        (call,) = message["tool_calls"]
        history = [user("?"), message, {"role": "tool", "tool_call_id": call["id"], "content": "At 9"}]
        arguments = json.loads(call["function"]["arguments"])
    else:
        (call,) = called[0]["content"]
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": "At 9"}
        history = [user("?"), {"role": "assistant", "content": [call]}, user([result])]
        arguments = call["input"]
    assert "The tool says: At 9" in json.dumps(ask(upstream, api, history, tools=[tool]))
    assert set(arguments) == set(LOOK["properties"]) and 1 <= arguments["pier"] <= 12


@pytest.mark.parametrize(
    ("api", "choice", "calls"),
    [
        (CHAT, "none", False),
        (CHAT, "required", True),
        (CHAT, {"type": "function", "function": {"name": "look"}}, True),
        (ANTHROPIC, {"type": "none"}, False),
        (ANTHROPIC, {"type": "any"}, True),
        (ANTHROPIC, {"type": "tool", "name": "look"}, True),
    ],
    ids=str,
)
def test_a_tool_choice_is_obeyed(api, choice, calls):
    tool = OPENAI_TOOL if api == CHAT else ANTHROPIC_TOOL
    answers = [
        json.dumps(ask(ScriptedUpstream(), api, [user(f"Pier {k}?")], tools=[tool], tool_choice=choice))
        for k in range(9)
    ]
    assert {'"tool_use"' in answer or '"tool_calls": [' in answer for answer in answers} == {calls}


def test_arguments_fit_the_schema():
    made = plausible(LOOK, "Does the Möwe leave pier 44 for Ven?")
    assert made["pier"] == 12 and made["by"] in ("sea", "land") and made["on"] == "2026-11-23"
    assert made["ferry"] in ("Möwe", "Ven") and list(made["legs"][0]) == ["to"]


def test_an_answer_in_json_fits_what_was_asked_for():
    answer = {"type": "json_schema", "json_schema": {"name": "x", "schema": LOOK}}
    said = ask(ScriptedUpstream(), CHAT, [user("Pier 3?")], response_format=answer)["choices"][0]["message"]["content"]
    assert json.loads(said)["pier"] == 3


def test_a_limit_ends_the_answer():
    choice = ask(ScriptedUpstream(), CHAT, [user("Which ferry goes to Ven?")], max_tokens=4)["choices"][0]
    assert (choice["finish_reason"], len(choice["message"]["content"].split()) < 6) == ("length", True)


def test_a_request_longer_than_the_window_is_refused_in_the_apis_words():
    upstream = ScriptedUpstream(window=100)
    assert ask(upstream, CHAT, [user(LONG)])["error"]["code"] == "context_length_exceeded"
    assert "> 100 maximum" in ask(upstream, ANTHROPIC, [user(LONG)])["error"]["message"]


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b'{"messages": []}', b'{"model": "m", "messages": [7]}', b"\xff"]
)
@pytest.mark.parametrize("api", [CHAT, ANTHROPIC])
def test_what_can_not_be_read_is_a_400(api, content):
    response = ScriptedUpstream().respond(api, content)
    assert response.status_code == 400 and b"invalid_request_error" in response.body


def test_the_chunks_of_a_stream_say_what_the_body_says():
    said = ask(ScriptedUpstream(), CHAT, [user("Pier 3?")], tools=[OPENAI_TOOL], tool_choice="required")
    for body in (said, ask(ScriptedUpstream(), CHAT, [user("Pier 3?")])):
        draft = Draft()
        for chunk in completion_chunks(body):
            draft.take(chunk)
        assert draft.reply() == read_completion(body)


@pytest.mark.slow
def test_it_starts_without_a_key_and_says_where_it_is():
    command = [sys.executable, "-m", "historylab.proxy.scripted_upstream", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        address = re.search(r"http://[\w.:]+", process.stdout.readline())[0]
        body = json.dumps({"model": "m", "stream": True, "messages": [user("Pier 3?")]}).encode()
        with urllib.request.urlopen(f"{address}/v1/chat/completions", body) as answer:
            events = answer.read().decode()
        assert events.startswith("data: {") and events.endswith("data: [DONE]\n\n")
        assert process.stdout.readline() == "1 message, 11 tokens: answered\n"
    finally:
        process.kill()
        process.communicate()
