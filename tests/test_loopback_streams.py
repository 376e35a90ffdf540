"""What the loopback server can do to an answer, as the real clients see it: streams, compression, cuts, errors."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from chat_server import ChatServer, calls, context_exceeded, cut, goes_on, gzipped, paced, says, status
from loopback_apis import speaks
from proxied_clients import anthropic, openai

ASKED = {"messages": [{"role": "user", "content": "Which ferry?"}]}
TOOL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"pier": 4, "on": "Möwe"}'}}
SAID = {"role": "assistant", "content": "The Möwe, at noon.", "tool_calls": [TOOL]}
Stream = Callable[[ChatServer], Any]


def openai_stream(server: ChatServer) -> Any:
    client = openai.OpenAI(base_url=server.url, api_key="none", max_retries=0)
    return client.chat.completions.stream(model="tiny", **ASKED)


def anthropic_stream(server: ChatServer) -> Any:
    client = anthropic.Anthropic(base_url=server.origin, api_key="none", max_retries=0)
    return client.messages.stream(model="tiny", max_tokens=99, **ASKED)


BOTH = pytest.mark.parametrize("stream", [openai_stream, anthropic_stream])


@pytest.mark.parametrize("wrapped", [lambda then: then, gzipped], ids=["plain", "gzip"])
def test_a_streamed_completion_is_put_together_by_the_openai_client(wrapped):
    with ChatServer(wrapped(speaks([SAID]))) as server, openai_stream(server) as stream:
        message = stream.get_final_completion().choices[0].message
    assert (message.content, [call.function.name for call in message.tool_calls]) == (SAID["content"], ["look"])
    assert message.tool_calls[0].function.arguments == TOOL["function"]["arguments"]


@pytest.mark.parametrize("wrapped", [lambda then: then, gzipped], ids=["plain", "gzip"])
def test_a_streamed_message_is_put_together_by_the_anthropic_client(wrapped):
    with ChatServer(wrapped(speaks([SAID]))) as server, anthropic_stream(server) as stream:
        message = stream.get_final_message()
    text, call = message.content
    assert (text.text, call.name, call.input) == (SAID["content"], "look", {"pier": 4, "on": "Möwe"})
    assert (message.stop_reason, message.usage.output_tokens) == ("tool_use", 7)


@BOTH
def test_a_stream_that_is_cut_in_an_event_is_no_complete_answer(stream):
    broken = pytest.raises(Exception, match=r"incomplete|Connection error")
    with ChatServer(cut(700, speaks([SAID]))) as server, broken, stream(server) as events:
        list(events)


def test_a_body_that_is_cut_is_no_answer():
    with ChatServer(cut(40, says("hello"))) as server, pytest.raises(openai.APIConnectionError):
        openai.OpenAI(base_url=server.url, api_key="none", max_retries=0).chat.completions.create(model="m", **ASKED)


@BOTH
def test_a_client_that_leaves_a_stream_is_noticed(stream):
    with ChatServer(goes_on) as server:
        with pytest.raises(ZeroDivisionError), stream(server):
            raise ZeroDivisionError
        assert server.left.acquire(timeout=20)


@BOTH
def test_a_paced_stream_comes_event_by_event(stream):
    go_on = threading.Semaphore(2)
    with ChatServer(paced(go_on.acquire, speaks([SAID]))) as server, stream(server) as events:
        first = next(iter(events))
        go_on.release(1000)
        assert first is not None and len(list(events)) > 3


@pytest.mark.parametrize(
    ("behaviour", "error", "said"),
    [
        (status(401, "no such key"), "AuthenticationError", "no such key"),
        (status(429, "slow down", retry_after="7"), "RateLimitError", "slow down"),
        (status(500), "InternalServerError", "no"),
        (status(529, "overloaded"), "OverloadedError|InternalServerError", "overloaded"),
        (context_exceeded(300, 200), "BadRequestError", "200"),
    ],
    ids=["401", "429", "500", "529", "context"],
)
@BOTH
def test_an_error_is_one_of_the_clients_own(behaviour, error, said, stream):
    refused = pytest.raises((openai.APIStatusError, anthropic.APIStatusError))
    with ChatServer(behaviour) as server, refused as raised, stream(server):
        pass
    assert type(raised.value).__name__ in error.split("|") and said in raised.value.message
    assert raised.value.response.headers.get("retry-after") == ("7" if raised.value.status_code == 429 else None)


def test_heads_are_on_record():
    with ChatServer(calls(("look", "{}"))) as server:
        openai_stream(server).__enter__().close()
    (head,) = server.heads
    assert (head.method, head.path, head.headers["authorization"]) == ("POST", "/v1/chat/completions", "Bearer none")
