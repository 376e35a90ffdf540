"""A wrapped client sends what a Trimmer would, whatever method asks, and records it; who can't be wrapped hears why."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from chat_server import ChatServer, cut, says, status
from framework_apps import finished
from garbage import new_objects_alone
from loopback_apis import speaks
from proxied_clients import anthropic, openai
from proxy_server import running_proxy, until

import historylab
from historylab import Settings, Trimmer, load
from historylab.errors import SettingsError, StoreError
from historylab.proxy import wrap as wrapping
from historylab.stores.memory import InMemoryStore

pytestmark = pytest.mark.slow

NEWEST = Settings(length=1, pruner="off")
SAID = [{"role": ("user", "assistant")[k % 2], "content": f"message {k}"} for k in range(5)]
KEY = {"api_key": "sk-none-of-anybodys-1234", "max_retries": 0}
CHAT = {"model": "gpt-5.5", "messages": SAID}
ITEMS = {"model": "gpt-5.5", "input": SAID}
MESSAGES = {"model": "claude-opus-4-6", "max_tokens": 99, "messages": SAID}


def streamed(stream: Any) -> str:
    with stream as events:
        return "".join(str(event) for event in events)


def asked(server: ChatServer) -> list[Any]:
    """The bodies it got: it was asked before, too, whether it is our proxy."""
    return [body for head, body in zip(server.heads, server.requests, strict=True) if head.method == "POST"]


WAYS: dict[str, tuple[str, dict[str, Any], Callable[[Any], Any]]] = {
    "create": ("chat_completions", CHAT, lambda c: c.chat.completions.create(**CHAT)),
    "create streamed": ("chat_completions", CHAT, lambda c: streamed(c.chat.completions.create(**CHAT, stream=True))),
    "stream": ("chat_completions", CHAT, lambda c: streamed(c.chat.completions.stream(**CHAT))),
    "parse": ("chat_completions", CHAT, lambda c: c.chat.completions.parse(**CHAT)),
    "raw": ("chat_completions", CHAT, lambda c: c.chat.completions.with_raw_response.create(**CHAT).parse()),
    "with options": ("chat_completions", CHAT, lambda c: c.with_options(timeout=9).chat.completions.create(**CHAT)),
    "responses": ("responses", ITEMS, lambda c: c.responses.create(**ITEMS)),
    "messages": ("anthropic", MESSAGES, lambda c: c.messages.create(**MESSAGES)),
    "messages streamed": ("anthropic", MESSAGES, lambda c: streamed(c.messages.stream(**MESSAGES))),
}


def client_for(form: str, url: str, kind: str = "") -> Any:
    if form == "anthropic":
        return getattr(anthropic, f"{kind}Anthropic")(base_url=url, **KEY)
    return getattr(openai, f"{kind}OpenAI")(base_url=f"{url}/v1", **KEY)


@pytest.mark.parametrize("way", WAYS)
def test_what_is_sent_is_what_a_trimmer_sends_and_is_on_record(way, tmp_path):
    form, body, ask = WAYS[way]
    with ChatServer(speaks([{"role": "assistant", "content": "At noon."}])) as server:
        client = historylab.wrap(client_for(form, server.origin), NEWEST, record=tmp_path)
        ask(client)
    sent = Trimmer(NEWEST, format=form).trim(body)
    holder = "input" if form == "responses" else "messages"
    assert asked(server)[0][holder] == sent[holder] == SAID[4:]
    (recorded,) = load(tmp_path)
    assert [m.content for m in recorded.messages] == [*(m["content"] for m in SAID), "At noon."]
    assert KEY["api_key"] not in (tmp_path / "historylab.db").read_bytes().decode("latin-1")


@pytest.mark.parametrize("form", ["chat_completions", "anthropic"])
def test_an_async_client_does_the_same(form, tmp_path):
    async def ask(url: str) -> None:
        async with historylab.wrap(client_for(form, url, "Async"), NEWEST, record=tmp_path) as client:
            if form == "anthropic":
                async with client.messages.stream(**MESSAGES) as events:
                    await events.get_final_message()
            else:
                async for _ in await client.chat.completions.create(**CHAT, stream=True):
                    pass

    with ChatServer(speaks([{"role": "assistant", "content": "At noon."}])) as server:
        finished(ask(server.origin))
    assert asked(server)[0]["messages"] == SAID[4:]
    assert load(tmp_path)[0].messages[-1].content == "At noon."


def test_a_request_that_is_cancelled_before_its_answer_is_on_record(tmp_path):
    came, over = threading.Event(), threading.Event()

    def waits(handler: Any) -> None:
        came.set()
        over.wait(10)
        says("too late")(handler)

    async def ask(url: str) -> None:
        async with historylab.wrap(client_for("chat_completions", url, "Async"), NEWEST, record=tmp_path) as client:
            asking = asyncio.ensure_future(client.chat.completions.create(**CHAT))
            await asyncio.to_thread(came.wait, 10)
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            over.set()

    with ChatServer(says("no proxy"), waits) as server:
        finished(ask(server.origin))
    assert [m.content for m in load(tmp_path)[0].messages] == [m["content"] for m in SAID]


def test_what_the_http_client_adds_to_an_address_is_sent_as_well():
    with ChatServer(says("At noon.")) as server, httpx2.Client(params={"tenant": "ferry"}) as http:
        given = openai.OpenAI(base_url=server.url, **KEY, http_client=http)
        historylab.wrap(given, NEWEST).chat.completions.create(**CHAT)
    assert server.heads[-1].path.endswith("?tenant=ferry")


class Full(InMemoryStore):
    """Keeps no record."""

    def append_records(self, *given):
        raise StoreError("the disk is full")


def test_a_stream_that_is_not_on_record_says_so(monkeypatch):
    monkeypatch.setattr(wrapping, "open_recording", lambda place: Full())
    with ChatServer(speaks([{"role": "assistant", "content": "At noon."}])) as server:
        client = historylab.wrap(client_for("chat_completions", server.origin), NEWEST, record="there")
        with client.chat.completions.with_streaming_response.create(**CHAT, stream=True) as answer:
            assert "\n: historylab-unrecorded: store\n\ndata: [DONE]" in "".join(answer.iter_text())


def test_a_client_that_nobody_closes_leaves_no_thread(tmp_path):
    def writing() -> set[threading.Thread]:
        return {thread for thread in threading.enumerate() if thread.name == "historylab recorder"}

    before = writing()
    with ChatServer(says("At noon.")) as server, new_objects_alone():
        historylab.wrap(client_for("chat_completions", server.origin), NEWEST, record=tmp_path)
        gc.collect()
        until(lambda: writing() <= before)


def test_the_answer_says_what_was_decided():
    with ChatServer(says("At noon.")) as server:
        client = historylab.wrap(client_for("chat_completions", server.origin), NEWEST)
        headers = client.chat.completions.with_raw_response.create(**CHAT).headers
    assert headers["historylab-decisions"] == "D4K1"


def test_errors_of_the_api_and_broken_answers_are_the_clients_to_see(tmp_path):
    with ChatServer(says(""), status(429), cut(40, says("no end"))) as server:
        client = historylab.wrap(client_for("chat_completions", server.origin), NEWEST, record=tmp_path)
        with pytest.raises(openai.RateLimitError):
            client.chat.completions.create(**CHAT)
        with pytest.raises(openai.APIConnectionError):
            client.chat.completions.create(**CHAT)
    assert len(asked(server)) == 2


def test_what_no_filter_can_look_at_does_not_leave():
    with ChatServer(says("no")) as server:
        client = historylab.wrap(client_for("chat_completions", server.origin), Settings(filter="participants"))
        with pytest.raises(openai.UnprocessableEntityError, match="a filter or projection is set"):
            client.embeddings.create(model="m", input="not for this agent")
    assert not asked(server)


def test_what_trims_already_or_is_no_client_of_theirs_is_refused(tmp_path):
    with (
        ChatServer(says("no")) as server,
        running_proxy(server.origin) as proxy,
        running_proxy(server.origin, tokens=("a-token-of-ours",)) as guarded,
    ):
        plain = client_for("chat_completions", server.origin)
        for client, why in {
            client_for("chat_completions", proxy.url + "/ferry-desk"): "is HistoryLab's proxy",
            client_for("chat_completions", guarded.url): "is HistoryLab's proxy",
            historylab.wrap(plain, NEWEST): "wrapped already",
            plain.chat: "takes a client of openai.OpenAI",
        }.items():
            with pytest.raises(SettingsError, match=why):
                historylab.wrap(client, NEWEST)
        plain.chat.completions.create(**CHAT)
    assert json.loads(server.bytes[-1])["messages"] == SAID  # the client that was given stays as it is


def test_a_trimmer_in_place_of_settings_is_refused():
    with pytest.raises(SettingsError, match="not a Python Trimmer"):
        historylab.wrap(client_for("chat_completions", "http://127.0.0.1:9"), Trimmer(NEWEST))


def test_a_client_with_an_http_client_of_another_library_is_refused_before_anything_is_opened(tmp_path):
    client = client_for("chat_completions", "http://127.0.0.1:9")
    client._client = object()
    with pytest.raises(SettingsError, match="give the client an HTTP client of httpx"):
        historylab.wrap(client, NEWEST, record=tmp_path / "there")
    assert not (tmp_path / "there").exists()
