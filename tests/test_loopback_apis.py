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
FOUND, SAID = {"role": "tool", "tool_call_id": "c1", "content": "a dog"}, {"role": "assistant", "content": "A dog."}
ITEM, OUTPUT = (
    {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c1", "output": "a dog"},
)
THOUGHT = {"type": "reasoning", "id": "rs_0", "summary": []}
USE = {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "look", "input": {}}]}
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "a dog"}]}
MIXED = {"role": "user", "content": [{"type": "text", "text": "so?"}, *RESULT["content"]]}

TAKEN: list[tuple[str, list[Any]]] = [
    ("chat/completions", [ASKED, USED, FOUND]),
    ("chat/completions", [SAID, ASKED, SAID]),
    ("responses", [ASKED, THOUGHT, ITEM, OUTPUT, ASKED]),
    ("messages", [ASKED, ASKED, USE, RESULT]),
]
REFUSED: list[tuple[str, list[Any]]] = [
    *(("chat/completions", refused) for refused in ([], [ASKED, FOUND], [ASKED, USED], [ASKED, USED, ASKED, FOUND])),
    ("chat/completions", [{"role": "user", "content": ""}]),
    *(("responses", refused) for refused in ([], [ASKED, OUTPUT], [ASKED, ITEM], [ASKED, THOUGHT])),
    *(("messages", refused) for refused in ([], [SAID, ASKED], [ASKED, SAID], [ASKED, USE, ASKED], [ASKED, RESULT])),
    *(("messages", refused) for refused in ([ASKED, USE, MIXED], [ASKED, USE, ASKED, RESULT], [ASKED, USE])),
    *(("messages", [{"role": role, "content": text}]) for role, text in (("user", " "), ("system", "Be brief."))),
]


def answer_to(server: ChatServer, path: str, messages: list[Any]) -> tuple[int, dict[str, Any]]:
    holder = "input" if path == "responses" else "messages"
    body = json.dumps({"model": "tiny", "max_tokens": 9, holder: messages}).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(f"{server.url}/{path}", body)) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


@pytest.mark.parametrize(("path", "messages"), TAKEN, ids=str)
def test_it_answers_what_the_api_takes(path, messages):
    with ChatServer(speaks([SAID])) as server:
        status, answer = answer_to(server, path, messages)
    assert (status, "A dog." in json.dumps(answer)) == (200, True)


def test_it_refuses_what_the_api_refuses_in_its_form():
    refused: list[str] = []
    with ChatServer(speaks(refused=refused)) as server:
        for path, messages in REFUSED:
            status, answer = answer_to(server, path, messages)
            assert (status, answer["error"]["type"]) == (400, "invalid_request_error"), (path, messages)
            assert ("request_id" in answer) == (path == "messages")
    assert len(refused) == len(REFUSED)


def test_a_call_of_responses_comes_back_with_its_reasoning():
    with ChatServer(speaks([USED])) as server:
        output = answer_to(server, "responses", [ASKED])[1]["output"]
        assert [item["type"] for item in output] == ["reasoning", "function_call"]
        assert answer_to(server, "responses", [ASKED, *output, OUTPUT])[0] == 200
        assert answer_to(server, "responses", [ASKED, *output[1:], OUTPUT])[0] == 400
