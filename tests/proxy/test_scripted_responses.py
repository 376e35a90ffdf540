"""The upstream that ships, over Responses, with OpenAI's own client: items, streams, what is stored or sealed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from openai import BadRequestError, NotFoundError, OpenAI
from scripted_server import scripted_server

from historylab.proxy.scripted_upstream.app import ScriptedUpstream

SHELL = {
    "type": "function",
    "name": "shell",
    "strict": True,
    "parameters": {
        "type": "object",
        "properties": {"command": {"type": "array", "items": {"type": "string"}}, "sudo": {"type": "boolean"}},
        "required": ["command"],
    },
}
SEALED: Any = {"store": False, "include": ["reasoning.encrypted_content"]}
REASONING: Any = {"reasoning": {"effort": "low"}, "tools": [SHELL]}
ASKED = {"role": "user", "content": "Call tools 3 times."}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with scripted_server() as url:
        yield url


@pytest.fixture(scope="module")
def client(url: str) -> OpenAI:
    return OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)


def output_of(call: Any) -> dict[str, str]:
    return {"type": f"{call.type}_output", "call_id": call.call_id, "output": "notes.md"}


def ask(client: OpenAI, items: Any, **more: Any) -> Any:
    return client.responses.create(model="gpt-5.5", input=items, **more)


def test_tools_are_called_for_as_many_turns_as_the_user_says(client):
    items: list[Any] = [ASKED]
    for _ in range(4):
        answer = ask(client, items, **REASONING, **SEALED)
        items += [item.to_dict() for item in answer.output]
        items += [output_of(item) for item in answer.output if item.type == "function_call"]
    assert "The tool says: notes.md" in answer.output_text
    called = [json.loads(item["arguments"]) for item in items if item.get("type") == "function_call"]
    assert called == [{"command": ["ls"]}, {"command": ["pwd"]}, {"command": ["ls", "-a"]}]


def test_a_client_that_leaves_out_earlier_turns_gets_the_next_one(client):
    first = ask(client, [ASKED], **REASONING, **SEALED).output
    second = ask(client, [ASKED, *first, output_of(first[-1])], **REASONING, **SEALED).output
    third = ask(client, [ASKED, *second, output_of(second[-1])], **REASONING, **SEALED).output
    last = ask(client, [ASKED, *third, output_of(third[-1])], **REASONING, **SEALED)
    assert third[-1].type == "function_call" and last.output[-1].type == "message"


def test_a_compaction_takes_the_place_of_turns_and_remembers_how_many_they_were(client):
    first = ask(client, [ASKED], **REASONING, **SEALED).output
    trigger = {"type": "compaction_trigger"}
    (compacted,) = ask(client, [ASKED, *first, output_of(first[-1]), trigger], **REASONING, **SEALED).output
    second = ask(client, [ASKED, compacted], **REASONING, **SEALED).output
    assert compacted.type == "compaction" and json.loads(second[-1].arguments) == {"command": ["pwd"]}
    with pytest.raises(BadRequestError, match="could not be verified"):
        ask(client, [ASKED, {"type": "compaction", "encrypted_content": "gAAAAx"}])


def test_a_stream_says_what_the_whole_answer_says(client):
    for more in ({}, {**REASONING, "tool_choice": "required"}, {"max_output_tokens": 4}):
        with client.responses.stream(model="gpt-5.5", input="Which ferry goes to Ven?", **more) as stream:
            events = [event.type for event in stream]
        whole = ask(client, "Which ferry goes to Ven?", **more)
        ended = "response.incomplete" if "max_output_tokens" in more else "response.completed"
        assert (events[0], events[-1]) == ("response.created", ended)
        streamed = stream.get_final_response() if ended == "response.completed" else whole
        assert streamed.output_text == whole.output_text and streamed.usage.output_tokens == whole.usage.output_tokens
        assert [item.type for item in streamed.output] == [item.type for item in whole.output]


def test_an_answer_that_is_stored_can_be_gone_on_from(client):
    first = ask(client, [ASKED], **REASONING)
    second = ask(client, [output_of(first.output[-1])], previous_response_id=first.id, **REASONING)
    assert second.output[-1].type == "function_call"
    with pytest.raises(BadRequestError, match="Previous response with id 'resp_1' not found"):
        ask(client, "And now?", previous_response_id="resp_1")


def test_an_item_that_is_stored_can_be_referred_to(client):
    output = ask(client, [ASKED], **REASONING).output
    references = [{"type": "item_reference", "id": item.id} for item in output]
    assert ask(client, [ASKED, *references, output_of(output[-1])], **REASONING).status == "completed"
    output = ask(client, [ASKED], **REASONING, **SEALED).output
    with pytest.raises(NotFoundError, match="not found"):
        ask(client, [ASKED, {"type": "item_reference", "id": output[-1].id}, output_of(output[-1])])


CALL = {"type": "function_call", "call_id": "c1", "name": "shell", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "x"}


@pytest.mark.parametrize(
    ("items", "said"),
    [
        ([], "must be provided"),
        ([{"role": "robot", "content": "?"}], "Invalid value: 'robot'"),
        ([{"role": "user", "content": [{"type": "output_text", "text": "?"}]}], "Invalid value: 'output_text'"),
        ([{"role": "user"}], "Missing required parameter: 'input[0].content'"),
        ([ASKED, CALL], "No tool output found for function call c1"),
        ([ASKED, OUTPUT], "No tool call found for function call output with call_id c1"),
        ([ASKED, OUTPUT, CALL], "No tool call found for function call output with call_id c1"),
        ([ASKED, CALL, OUTPUT, OUTPUT], "No tool call found for function call output with call_id c1"),
        (
            [ASKED, CALL, {**OUTPUT, "type": "custom_tool_call_output"}],
            "No tool call found for custom tool call output",
        ),
        ([ASKED, {"type": "reasoning", "id": "rs_1", "summary": []}, CALL, OUTPUT], "'rs_1' not found"),
        ([{"type": "item_reference", "id": "msg_1"}], "Item with id 'msg_1' not found"),
    ],
)
def test_what_the_api_refuses(items, said):
    answer = ScriptedUpstream().respond("responses", json.dumps({"model": "gpt-5.5", "input": items}).encode())
    assert answer.status_code == (404 if "not found" in said else 400)
    assert said in json.loads(answer.body)["error"]["message"]


def test_reasoning_goes_with_what_it_led_to(client):
    def refused(items: Any, said: str, **more: Any) -> None:
        with pytest.raises(BadRequestError, match=said):
            ask(client, items, **REASONING, **more)

    reasoning, call = (item.to_dict() for item in ask(client, [ASKED], **REASONING, **SEALED).output)
    output = {**OUTPUT, "call_id": call["call_id"]}
    refused([ASKED, reasoning], "without its required following item")
    refused([ASKED, reasoning, {"role": "user", "content": "?"}], "without its required following item")
    refused([ASKED, reasoning, CALL, OUTPUT], "without its required following item")
    refused([ASKED, {**reasoning, "encrypted_content": "gAAAAx"}, call, output], "could not be verified")
    reasoning, call = (item.to_dict() for item in ask(client, [ASKED], **REASONING).output)
    refused([ASKED, call, {**OUTPUT, "call_id": call["call_id"]}], "without its required 'reasoning' item")


def test_the_tools_of_codex_are_called_to_read_alone():
    exec_ = {"type": "custom", "name": "exec", "format": {"type": "grammar"}}
    brought = {"type": "additional_tools", "role": "developer", "tools": [{"type": "namespace", "name": "functions"}]}
    brought["tools"][0]["tools"] = [exec_, {"type": "function", "name": "spawn_agent", "parameters": {}}]
    patch = {"type": "custom", "name": "apply_patch"}
    made = [
        first_call([brought, ASKED]),
        first_call([ASKED], tools=[{"type": "local_shell"}, patch]),
        first_call([ASKED], tools=[patch]),
    ]
    assert made[0]["namespace"] == "functions" and 'tools.exec_command({cmd: "ls"})' in made[0]["input"]
    assert made[1]["type"] == "local_shell_call" and made[1]["action"]["command"] == ["ls"]
    assert made[2]["input"] == "*** Begin Patch\n*** End Patch\n"


def first_call(items: list[Any], **more: Any) -> dict[str, Any]:
    body = {"model": "gpt-4o", "input": items, **more}
    return json.loads(ScriptedUpstream().respond("responses", json.dumps(body).encode()).body)["output"][-1]


def test_calls_at_the_start_of_clients_are_answered(url):
    with httpx2.Client(base_url=url, timeout=60) as http:
        assert http.head("/").status_code == 200
        assert [model["object"] for model in http.get("/v1/models").json()["data"]] == ["model"] * 3
        assert http.get("/v1/models", headers={"anthropic-version": "2023-06-01"}).json()["has_more"] is False
        assert http.get("/v1/models/my/own").json()["id"] == "my/own"
        body = {"model": "claude-opus-4-8", "messages": [ASKED]}
        assert http.post("/v1/messages/count_tokens", json=body).json()["input_tokens"] > 5
        socket = {"connection": "Upgrade", "upgrade": "websocket"}
        assert http.get("/v1/responses", headers=socket).status_code == 426
