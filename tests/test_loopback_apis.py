"""The loopback server takes and refuses what the APIs do, in their form: without that, tests over HTTP show nothing."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

import pytest
from chat_server import ChatServer
from loopback_apis import speaks

CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
ASKED, USED = {"role": "user", "content": "?"}, {"role": "assistant", "content": None, "tool_calls": [CALL]}
SAID = {"role": "assistant", "content": "A dog."}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "a dog"}
PATHS = ["chat/completions", "responses", "messages"]


def answer_to(server: ChatServer, path: str, messages: list[Any]) -> tuple[int, dict[str, Any]]:
    holder = "input" if path == "responses" else "messages"
    body = json.dumps({"model": "tiny", "max_tokens": 9, holder: messages}).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(f"{server.url}/{path}", body)) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


@pytest.mark.parametrize("path", PATHS)
def test_it_answers_what_the_api_takes_and_refuses_what_it_refuses_in_its_form(path):
    refused: list[str] = []
    with ChatServer(speaks([SAID], refused)) as server:
        status, answer = answer_to(server, path, [ASKED])
        assert (status, "A dog." in json.dumps(answer)) == (200, True)
        status, answer = answer_to(server, path, [])
        assert (status, answer["error"]["type"]) == (400, "invalid_request_error")
    assert ("request_id" in answer) == (path == "messages")
    assert refused == [answer["error"]["message"]]


def test_a_call_of_responses_comes_back_with_its_reasoning():
    with ChatServer(speaks([USED])) as server:
        output = answer_to(server, "responses", [ASKED])[1]["output"]
        assert [item["type"] for item in output] == ["reasoning", "function_call"]
        assert answer_to(server, "responses", [ASKED, *output, OUTPUT])[0] == 200
        assert answer_to(server, "responses", [ASKED, *output[1:], OUTPUT])[0] == 400
