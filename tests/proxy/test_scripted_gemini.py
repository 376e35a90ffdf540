"""The upstream that ships, over Gemini's generateContent: whole, as events and as an array."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from scripted_server import scripted_server

PATH = "/v1beta/models/gemini-3-flash"
TOOL = {"name": "look", "parameters": {"type": "OBJECT", "properties": {"pier": {"type": "INTEGER"}}}}
LOOKS = {"tools": [{"function_declarations": [TOOL]}]}


@pytest.fixture(scope="module")
def http() -> Iterator[httpx2.Client]:
    with scripted_server(window=500) as url, httpx2.Client(base_url=url, timeout=60) as http:
        yield http


def asked(text: str) -> dict[str, Any]:
    return {"role": "user", "parts": [{"text": text}]}


def ask(http: httpx2.Client, contents: Any, **more: Any) -> dict[str, Any]:
    return http.post(f"{PATH}:generateContent", json={"contents": contents, **more}).json()


def parts_of(answer: dict[str, Any]) -> list[dict[str, Any]]:
    return answer["candidates"][0]["content"]["parts"]


def test_tools_are_called_by_a_client_that_leaves_out_the_ids_of_calls(http):
    contents = [asked("Call tools 6 times, pier 4")]
    called = []
    for _ in range(7):
        content = ask(http, contents, **LOOKS)["candidates"][0]["content"]
        calls = [part["functionCall"] for part in content["parts"] if "functionCall" in part]
        called += [call["args"] for call in calls]
        for call in calls:
            del call["id"]
        given = [{"functionResponse": {"name": "look", "response": {"result": "At 9"}}} for _ in calls]
        contents = [contents[0], content, {"role": "user", "parts": given}]  # and earlier turns as well
    assert called == [{"pier": 4}] * 7, "two at once in the fifth turn"
    assert content["parts"][0]["text"].startswith('The tool says: {"result": "At 9"}')


def test_a_stream_says_what_the_whole_answer_says(http):
    body = {"contents": [asked("Which ferry goes to Ven?")]}
    whole = ask(http, **body)
    events = http.post(f"{PATH}:streamGenerateContent?alt=sse", json=body)
    array = http.post(f"{PATH}:streamGenerateContent", json=body).json()
    pieces = [json.loads(line.removeprefix("data: ")) for line in events.text.split("\n\n") if line]
    assert [parts_of(piece) for piece in pieces] == [parts_of(piece) for piece in array] and len(array) > 9
    assert "".join(parts_of(piece)[0]["text"] for piece in pieces) == parts_of(whole)[0]["text"]
    assert pieces[-1]["candidates"][0]["finishReason"] == "STOP"
    assert pieces[-1]["usageMetadata"] == whole["usageMetadata"]


def test_what_a_request_says_of_its_answer_is_kept_to(http):
    ven = [asked("Which ferry goes to Ven?")]

    def mode(name: str) -> dict[str, Any]:
        return {**LOOKS, "toolConfig": {"functionCallingConfig": {"mode": name}}}

    assert "functionCall" in parts_of(ask(http, ven, **mode("ANY")))[0]
    assert "text" in parts_of(ask(http, [asked("Call tools 2 times")], **mode("NONE")))[0]
    schema = {"type": "OBJECT", "properties": {"pier": {"type": "INTEGER"}}}
    form = {"responseMimeType": "application/json", "responseSchema": schema}
    said = parts_of(ask(http, [asked("Pier 3?")], generationConfig=form))[0]["text"]
    assert json.loads(said) == {"pier": 3}
    limited = ask(http, ven, generation_config={"maxOutputTokens": 4})
    assert limited["candidates"][0]["finishReason"] == "MAX_TOKENS"


def test_a_request_is_counted_and_refused_where_it_exceeds_the_window(http):
    counted = http.post(f"{PATH}:countTokens", json={"contents": [asked("Ven")]}).json()
    assert counted["totalTokens"] == ask(http, [asked("Ven")])["usageMetadata"]["promptTokenCount"]
    error = ask(http, [asked("The ferry to Ven leaves at noon. " * 90)])["error"]
    assert (
        error["status"] == "INVALID_ARGUMENT"
        and "exceeds the maximum number of tokens allowed (500)" in error["message"]
    )
    listed = http.get("/v1beta/models").json()["models"]
    assert {"generateContent"} == {method for model in listed for method in model["supportedGenerationMethods"]}
