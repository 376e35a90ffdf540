"""The chat model over real HTTP: what it sends, what it makes of answers good and bad, and that no key gets out."""

from __future__ import annotations

import json
import logging
import socket
import subprocess
import sys
import threading
import time
import traceback

import pytest
from chat_server import ChatServer, body, calls, events, hangs_up, redirects, says, slow, status

from historylab.chat_models import openai_compatible
from historylab.chat_models.base import Reply, open_chat_model
from historylab.chat_models.connections import is_public
from historylab.chat_models.environment import ModelServer, model_and_host
from historylab.chat_models.openai_compatible import OpenAICompatible
from historylab.conversation.message import ToolCall, Usage
from historylab.errors import InstrumentError, ModelError

SECRET = "sk-do-not-tell-4f0b9c"
HELLO = [{"role": "user", "content": "hello"}]


@pytest.fixture(scope="module")
def one_server():
    with ChatServer() as server:
        yield server, OpenAICompatible("tiny", timeout=30.0, retries=0)


@pytest.fixture
def asking(one_server, monkeypatch):
    """Tell the server how to behave; gives a model that talks to it, and the server."""
    server, patient = one_server
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    def behave(*behaviours, **options):
        server.behaviours, server.requests, server.keys = list(behaviours), [], []
        return OpenAICompatible("tiny", **{"retries": 0} | options) if options else patient, server

    return behave


def refused(ask) -> InstrumentError:
    with pytest.raises(InstrumentError) as caught:
        ask()
    return caught.value


def text_of(pieces) -> tuple[str, Reply]:
    *texts, reply = pieces
    return "".join(texts), reply


def test_an_answer_with_its_usage_cached_input_apart(asking):
    model, server = asking(says("hi there"))
    reply = model.complete(HELLO, max_tokens=9, temperature=0.3)
    assert reply == Reply("hi there", (), Usage(input=36, output=7, cache_reads=64), "tiny-2026", "stop")
    assert server.requests == [{"messages": HELLO, "model": "tiny", "max_tokens": 9, "temperature": 0.3}]
    assert server.keys == [f"Bearer {SECRET}"]


def test_a_stream_gives_the_text_in_pieces_and_then_the_whole_reply(asking):
    model, server = asking(says("hi there"))
    *pieces, reply = model.stream(HELLO)
    assert pieces == ["hi t", "here"]
    assert reply == Reply("hi there", (), Usage(input=36, output=7, cache_reads=64), "tiny-2026", "stop")
    assert server.requests[0]["stream_options"] == {"include_usage": True}


def test_parallel_tool_calls_come_the_same_way_streamed_or_not(asking):
    model, server = asking(calls(("look_up", '{"city": "Graz"}'), ("add", '{"a": 1}')))
    tools = [{"type": "function", "function": {"name": "look_up", "parameters": {"type": "object"}}}]
    expected = (ToolCall("call_0", "look_up", '{"city": "Graz"}'), ToolCall("call_1", "add", '{"a": 1}'))
    assert model.complete(HELLO, tools=tools).tool_calls == expected
    assert text_of(model.stream(HELLO, tools=tools))[1].tool_calls == expected
    assert [r["tools"] for r in server.requests] == [tools, tools]


def test_a_server_that_reports_no_usage_leaves_it_unknown(asking):
    model, _ = asking(says("hi", usage=None))
    assert model.complete(HELLO).usage is None
    assert text_of(model.stream(HELLO))[1].usage is None


def test_usage_that_is_no_number_counts_nothing(asking):
    model, _ = asking(says("hi", usage={"prompt_tokens": float("inf"), "completion_tokens": "many"}))
    assert model.complete(HELLO).usage == Usage(0, 0)


def test_a_refusal_is_no_answer(asking):
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": None, "refusal": "I won't"},
        "finish_reason": "stop",
    }
    model, _ = asking(body(json.dumps({"id": "x", "object": "chat.completion", "choices": [choice]})))
    reply = model.complete(HELLO)
    assert (reply.text, reply.finish_reason) == ("I won't", "refusal")


def test_lone_surrogates_are_sent_as_question_marks(asking):
    model, server = asking(says("ok"))
    model.complete([{"role": "user", "content": "a\ud800b ü"}])
    assert server.requests[0]["messages"][0]["content"] == "a?b ü"


@pytest.mark.parametrize("way", ["complete", "stream"])
@pytest.mark.parametrize(
    ("behaviour", "sentence"),
    [
        (status(401, "Incorrect API key provided: {key}"), "the server refused the key (401); check OPENAI_API_KEY"),
        (status(403, "{key} may not"), "the key is not allowed to do this (403); "),
        (status(404, "no model tiny"), "the server has no such model, "),
        (status(400, "context of 8 exceeded, key: {key}"), "(400): “context of 8 exceeded, …”; "),
        (status(429, "slow down", retry_after="7"), "too many requests, or nothing left of the quota (429); wait 7 s"),
        (status(500, "oops {key}"), "the server failed (500): “oops …”; try again later"),
        (hangs_up, "the connection broke before an answer came; "),
        (body("{not json"), "the answer cannot be used ("),
        (body("<html>hello</html>", "text/html"), "the answer cannot be used ("),
        (body('{"id": "x", "choices": []}'), "the answer cannot be used ("),
        (body('{"error": {"message": "the key {key} is out"}}'), "the answer cannot be used ("),
        (body("[1, 2]"), "the answer cannot be used ("),
    ],
    ids=("401", "403", "404", "400", "429", "500", "dropped", "broken", "html", "no choice", "error", "list"),
)
def test_what_goes_wrong_is_told_in_one_sentence_without_the_key(asking, caplog, way, behaviour, sentence):
    caplog.set_level(logging.DEBUG)
    model, server = asking(behaviour)
    error = refused(lambda: list(model.stream(HELLO)) if way == "stream" else model.complete(HELLO))
    assert str(error).startswith("asked 'tiny' for an answer: ")
    assert sentence in str(error)
    assert "\n" not in str(error)
    assert (error.__cause__, error.__context__) == (None, None)
    told = "".join(traceback.format_exception(error)) + repr(error) + repr(model) + model.key
    assert SECRET not in told + caplog.text
    assert server.url not in told


@pytest.mark.parametrize(
    ("behaviour", "found"),
    [
        (body("{not json"), "it is broken JSON"),
        (body("<html>hello</html>", "text/html"), "it is no JSON object"),
        (body('{"id": "x", "choices": []}'), "there is no choice in it"),
        (body('{"error": {"message": "the key sk-one-two is out"}}'), "it is an error: the … is out"),
    ],
)
def test_an_answer_that_is_none_is_described(asking, behaviour, found):
    model, _ = asking(behaviour)
    assert f"cannot be used ({found}); try again" in str(refused(lambda: model.complete(HELLO)))


def test_nobody_there(asking, monkeypatch):
    model, _ = asking(says("hi"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{free.getsockname()[1]}/v1")
        error = refused(lambda: model.complete(HELLO))
    assert "nothing listens there (connection refused)" in str(error)
    assert error.pause > 0


@pytest.mark.parametrize("way", ["complete", "stream"])
def test_a_late_answer_is_not_waited_for(asking, way):
    model, _ = asking(slow(0.6, says("late")), timeout=0.15)
    error = refused(lambda: list(model.stream(HELLO)) if way == "stream" else model.complete(HELLO))
    assert "no answer within 0.15 s" in str(error)


@pytest.mark.slow
def test_a_stream_that_drips_for_ever_is_left(asking, monkeypatch):
    monkeypatch.setattr(openai_compatible, "DRIPPING", 0.01)  # of a timeout that no pause of the machine reaches

    def drips(handler):
        handler.start_events()
        for _ in range(100):
            handler.event({"choices": [{"index": 0, "delta": {"content": "x"}, "finish_reason": None}]})
            time.sleep(0.05)

    model, _ = asking(drips, timeout=30.0)
    assert "no answer within 0.3 s" in str(refused(lambda: list(model.stream(HELLO))))


PIECE = {"id": "x", "choices": [{"index": 0, "delta": {"content": "half an ans"}, "finish_reason": None}]}


@pytest.mark.parametrize(
    ("behaviour", "sentence"),
    [
        (events(PIECE), "it broke off"),
        (events(PIECE, done=True), "it broke off"),
        (events(PIECE, "{broken"), "broken JSON"),
        (events(PIECE, {"error": {"message": "overloaded"}}), "overloaded"),
        (events(PIECE, "[1]"), "cannot be used"),
    ],
)
def test_a_stream_that_fails_on_the_way_never_ends_in_a_reply(asking, behaviour, sentence):
    model, _ = asking(behaviour)
    pieces = model.stream(HELLO)
    assert next(pieces) == "half an ans"
    assert sentence in str(refused(lambda: list(pieces)))


def test_a_busy_server_is_asked_again_and_no_more_often_than_allowed(asking):
    model, server = asking(status(429, retry_after="0.01"), says("at last"), retries=1)
    assert model.complete(HELLO).text == "at last"
    model, server = asking(status(429, retry_after="0.01"), retries=1)
    refused(lambda: model.complete(HELLO))
    assert len(server.requests) == 2


def test_parameters_a_model_does_not_take_are_left_out_from_then_on(asking):
    model, server = asking(
        status(400, "Unsupported value: 'temperature' does not support 0.3", param="temperature"),
        status(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", param="max_tokens"),
        says("fine"),
        timeout=30.0,
    )
    model.complete(HELLO, max_tokens=5, temperature=0.3)
    model.complete(HELLO, max_tokens=5, temperature=0.3)
    kept = {"messages": HELLO, "model": "tiny", "max_completion_tokens": 5}
    assert server.requests[2:] == [kept, kept]


def test_openai_itself_is_asked_for_completion_tokens(monkeypatch):
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert OpenAICompatible("gpt-5.5")._spell(("max_tokens", 5)) == ("max_completion_tokens", 5)


def test_opening_a_model_asks_nothing_of_the_environment_and_a_missing_key_is_named(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    model = open_chat_model("gpt-5.5")
    assert str(refused(lambda: model.complete(HELLO))).startswith("OPENAI_API_KEY is not set")


def test_a_server_of_ones_own_needs_no_key(asking, monkeypatch):
    model, server = asking(says("hi"))
    monkeypatch.delenv("OPENAI_API_KEY")
    assert model.complete(HELLO).text == "hi"
    assert SECRET not in server.keys[0]


@pytest.mark.parametrize("key", ["sk-with\nnewline", "sk-with-…", "sk-\x00"])
def test_a_key_that_cannot_be_one_is_refused_before_it_can_show(monkeypatch, key):
    monkeypatch.setattr("os.environ", {"OPENAI_API_KEY": key})
    error = refused(lambda: OpenAICompatible("tiny").complete(HELLO))
    assert "OPENAI_API_KEY holds characters that no key has" in str(error)
    assert "sk-" not in str(error)


@pytest.mark.parametrize(
    "url",
    [
        "localhost:8000/v1",
        "ftp://x/v1",
        "https://me:sk-secret@host/v1",
        "https://:sk-secret@host/v1",
        "https://:99999/v1",
    ],
)
def test_an_address_that_is_none_is_refused_unseen(monkeypatch, url):
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    error = refused(lambda: OpenAICompatible("tiny").complete(HELLO))
    assert "OPENAI_BASE_URL is no address" in str(error)
    assert url not in str(error)


def test_another_server_or_model_has_another_key_for_what_is_remembered(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://one/v1")
    one, other_model = OpenAICompatible("tiny").key, OpenAICompatible("huge").key
    monkeypatch.setenv("OPENAI_BASE_URL", "http://two/v1")
    assert len({one, other_model, OpenAICompatible("tiny").key}) == 3


def test_a_changed_environment_is_obeyed_by_a_model_already_open(asking, monkeypatch):
    model, first = asking(says("one"))
    assert model.complete(HELLO).text == "one"
    with ChatServer(says("two")) as second:
        monkeypatch.setenv("OPENAI_BASE_URL", second.url)
        assert model.complete(HELLO).text == "two"
    assert (len(first.requests), len(second.requests)) == (1, 1)


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [
        (status(401), "key"),
        (status(403), "forbidden"),
        (status(404), "not_found"),
        (status(422), "refused"),
        (status(429), "busy"),
        (status(503), "server"),
        (status(400, "maximum context length is 8192 tokens"), "too_long"),
        (redirects(302, "http://127.0.0.1:9"), "redirect"),
        (hangs_up, "network"),
        (slow(0.6, says("late")), "timeout"),
        (body("[1]"), "unusable"),
    ],
)
def test_an_error_says_of_what_kind_it_is(asking, behaviour, kind):
    model, _ = asking(behaviour, timeout=0.2 if kind == "timeout" else 30.0)
    error = refused(lambda: list(model.stream(HELLO)))
    assert isinstance(error, ModelError)
    assert error.kind == kind


def test_a_request_that_is_too_long_names_the_window(asking):
    model, _ = asking(status(400, "prompt is too long: 9000 tokens > 8192 maximum, {key}"))
    error = refused(lambda: list(model.stream(HELLO)))
    assert isinstance(error, ModelError)
    assert (error.window, error.requested) == (8192, 9000)
    assert "longer than the model takes, 8,192 tokens (400); send less" in str(error)


# -- a server that a person names


def test_a_typed_address_never_gets_the_environments_key(asking):
    _, server = asking(says("hi"))
    with ChatServer(says("typed")) as typed:
        assert OpenAICompatible("tiny", ModelServer(typed.url)).complete(HELLO).text == "typed"
        assert OpenAICompatible("tiny", ModelServer(typed.url, "sk-typed")).complete(HELLO).text == "typed"
        assert typed.keys == ["Bearer none", "Bearer sk-typed"]
    OpenAICompatible("tiny", ModelServer("", "sk-mine")).complete(HELLO)
    assert server.keys == ["Bearer sk-mine"]


def test_what_a_person_typed_is_named_and_its_key_is_in_nothing(asking):
    asking(says("hi"))
    server = ModelServer("https://models.example/v1", "sk-typed-4711")
    assert model_and_host("tiny", server) == "tiny at models.example"
    assert "sk-typed" not in repr(server) + OpenAICompatible("tiny", server).key
    error = refused(lambda: OpenAICompatible("tiny", ModelServer("https://me:sk-typed@host/v1")).complete(HELLO))
    assert str(error).startswith("the base URL is no address")
    assert "sk-typed" not in str(error)


def public_only(url: str) -> OpenAICompatible:
    return OpenAICompatible("tiny", ModelServer(url, "sk-x", public_only=True), retries=0)


def test_a_server_that_must_be_public_is_asked_at_no_private_address_whether_anything_listens_there():
    with socket.create_server(("127.0.0.1", 0)) as listens, socket.socket() as bound:  # which doesn't
        bound.bind(("127.0.0.1", 0))
        urls = [f"http://127.0.0.1:{one.getsockname()[1]}/v1" for one in (listens, bound)]
        errors = {str(refused(lambda url=url: public_only(url).complete(HELLO))) for url in urls}
        assert len(errors) == 1 and "leads to a private address" in errors.pop()
        listens.setblocking(False)
        with pytest.raises(BlockingIOError):
            listens.accept()


def test_it_is_asked_at_the_address_that_was_judged_under_its_own_name(asking, monkeypatch):
    _, server = asking(says("hi"))
    port = server.server_port
    said = iter([["127.0.0.1"], ["127.0.0.1", "10.0.0.1"]])  # what the name leads to, each time it is asked

    def resolve(host, *_, **options):
        assert host == "models.example"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in next(said)]

    monkeypatch.setattr("historylab.chat_models.connections.getaddrinfo", resolve)
    monkeypatch.setattr("historylab.chat_models.connections.is_public", lambda address: address == "127.0.0.1")
    chat = public_only(f"http://models.example:{port}/v1")
    assert chat.complete(HELLO).text == "hi" and server.heads[-1].headers["host"] == f"models.example:{port}"
    assert "leads to a private address" in str(refused(lambda: chat.complete(HELLO)))


@pytest.mark.parametrize(
    ("address", "public"),
    [
        *((address, True) for address in ("8.8.8.8", "2606:4700::1111")),
        *(
            (address, False)
            for address in ("127.0.0.1", "10.1.2.3", "169.254.169.254", "100.64.0.1", "::1", "fe80::1%2")
        ),
        *((address, False) for address in ("192.0.0.8", "224.0.0.1", "255.255.255.255", "fec0::1", "ff02::1", "x", "")),
        *((f"{prefix}808:808", False) for prefix in ("::ffff:", "64:ff9b::", "64:ff9b:1::")),
        *((address, False) for address in ("2002:808:808::1", "2001:0:808:808::1")),
    ],
)
def test_an_address_is_public_if_it_leads_to_the_internet_and_by_no_detour(address, public):
    assert is_public(address) is public


@pytest.mark.parametrize("begun", [False, True])
def test_stopping_ends_the_request_that_waits_and_the_server_sees_it(asking, begun):
    waiting, gone = threading.Event(), threading.Event()

    def waits(handler):
        if begun:
            handler.start_events()
            handler.event(PIECE)
        waiting.set()
        handler.connection.settimeout(30)
        if not handler.connection.recv(1):  # the client hung up
            gone.set()

    asking(waits)
    model = OpenAICompatible("tiny", timeout=30.0)
    problems = []
    asked = threading.Thread(target=lambda: problems.append(refused(lambda: list(model.stream(HELLO)))))
    asked.start()
    assert waiting.wait(20)
    model.stop()
    asked.join(20)
    assert gone.wait(20)
    assert problems
    assert "may not" not in str(refused(lambda: model.complete(HELLO)))  # it makes no more


@pytest.mark.slow
def test_planning_offline_never_loads_the_package():
    code = """import sys; from historylab import Conversation, Settings, plan_history
plan_history(Conversation(), Settings(summarizer="model", pruner="summarize")); print("openai" in sys.modules)"""
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("streamed", [False, True])
def test_no_message_follows_a_server_that_sends_requests_on(asking, code, streamed):
    with ChatServer(says("stolen")) as elsewhere:
        model, server = asking(redirects(code, f"{elsewhere.url}/chat/completions"))
        problem = refused(lambda: list(model.stream(HELLO)) if streamed else model.complete(HELLO))
        assert f"to another address ({code}), which is not followed" in str(problem)
        assert (len(server.requests), elsewhere.requests) == (1, [])
