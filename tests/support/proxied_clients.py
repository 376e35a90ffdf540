"""The real clients in front of a proxy: they send the whole history, and what reaches upstream is the proxy's doing."""

from __future__ import annotations

import json
import queue
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

from chat_server import ChatServer
from loopback_apis import speaks
from production import Played
from production_clients import CLAUDE, CLIENTS, KEY, Body, Client, loop
from thirty_turns import requests_of, thirty_turns

from historylab.chat_models.completions import Draft
from historylab.conversation.message import Message
from historylab.formats.messages.chat_messages import to_record

Asking = Callable[[str, Body], Any]


class Library:
    """A library of a provider, imported when it is used: it takes long, and the fast lane collects slow tests, too."""

    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # asked for by pytest, of whatever stands in a module
            raise AttributeError(name)
        return getattr(import_module(self._name), name)


openai, anthropic = Library("openai"), Library("anthropic")


def ask_openai(url: str, body: Body) -> Any:
    return _openai(url).chat.completions.create(model="tiny", **body).choices[0].message


def stream_openai(url: str, body: Body) -> Any:
    with _openai(url).chat.completions.stream(model="tiny", **body) as stream:
        return stream.get_final_completion().choices[0].message


def ask_anthropic(url: str, body: Body) -> Any:
    return _anthropic(url).messages.create(**CLAUDE, **body)


def stream_anthropic(url: str, body: Body) -> Any:
    with _anthropic(url).messages.stream(**CLAUDE, **body) as stream:
        return stream.get_final_message()


async def ask_async_openai(url: str, body: Body) -> Any:
    return (await _async_openai(url).chat.completions.create(model="tiny", **body)).choices[0].message


async def stream_async_openai(url: str, body: Body) -> Any:
    async with _async_openai(url).chat.completions.stream(model="tiny", **body) as stream:
        return (await stream.get_final_completion()).choices[0].message


async def ask_async_anthropic(url: str, body: Body) -> Any:
    return await _async_anthropic(url).messages.create(**CLAUDE, **body)


async def stream_async_anthropic(url: str, body: Body) -> Any:
    async with _async_anthropic(url).messages.stream(**CLAUDE, **body) as stream:
        return await stream.get_final_message()


@cache
def _openai(url: str) -> Any:
    return openai.OpenAI(base_url=f"{url}/v1", **KEY)


@cache
def _anthropic(url: str) -> Any:
    return anthropic.Anthropic(base_url=url, **KEY)


@cache
def _async_openai(url: str) -> Any:
    return openai.AsyncOpenAI(base_url=f"{url}/v1", **KEY)


@cache
def _async_anthropic(url: str) -> Any:
    return anthropic.AsyncAnthropic(base_url=url, **KEY)


def finished_in_loop(asking: Callable[[str, Body], Any], url: str, body: Body) -> Any:
    """An async client, which lives in one event loop."""
    thread, runner = loop()
    return thread.submit(lambda: runner.run(asking(url, body))).result()


# -- Node


class Fetching:
    """A Node process that fetches what it is given, each as soon as it comes."""

    def __init__(self) -> None:
        command = ["node", str(Path(__file__).with_name("fetch.mjs"))]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._process = subprocess.Popen(command, text=True, encoding="utf-8", **pipes)
        self._numbers, self._waiting = count(), {}
        threading.Thread(target=self._read, daemon=True).start()

    def __call__(self, url: str, body: Body, **more: Any) -> dict[str, Any]:
        """Status, headers and text; or the error's name, and its cause."""
        number, came = next(self._numbers), queue.SimpleQueue()
        self._waiting[number] = came
        headers = {"content-type": "application/json", "authorization": "Bearer none"}
        line = {"id": number, "url": url, "headers": headers, "body": body, **more}
        self._process.stdin.write(json.dumps(line) + "\n")
        self._process.stdin.flush()
        return came.get(timeout=30)

    def _read(self) -> None:
        for line in self._process.stdout:
            came = json.loads(line)
            self._waiting.pop(came["id"]).put(came)

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait(20)
        self._process.stdout.close()


def has_node() -> bool:
    return shutil.which("node") is not None


@cache
def fetching() -> Fetching:
    return Fetching()


def ask_fetch(url: str, body: Body, streamed: bool) -> Any:
    more = {"stream": True} if streamed else {}
    came = fetching()(f"{url}/v1/chat/completions", {"model": "tiny", **more, **body})
    assert came.get("status") == 200, came
    if not streamed:
        return json.loads(came["text"])["choices"][0]["message"]
    draft = Draft()
    for data in events_in(came["text"]):
        draft.take(data)
    reply = draft.reply()
    return to_record(Message("assistant", reply.text, tool_calls=reply.tool_calls))


def events_in(text: str) -> Iterable[Any]:
    """What the events of a stream carry, but for [DONE]."""
    said = (line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: "))
    return [json.loads(data) for data in said if data != "[DONE]"]


# -- each as a client of the thirty turns


@dataclass(frozen=True)
class Proxied:
    """A client as it is used in front of a proxy: `like` says how it keeps its messages."""

    asking: Asking
    like: Client

    def play(self, server: ChatServer, url: str) -> Played:
        """The thirty turns, each request with the whole history, to the `server` that is reached at `url`."""
        records = self.like.records(thirty_turns())
        asked, refused = list(requests_of(records)), list[str]()
        server.behaviours[:], server.requests = [speaks((answer for _, answer in asked), refused)], []
        history, known = self.like.begin(records[0]["content"]), 1
        for whole, _ in asked:
            said = [*history[self.like.holder], *self.like.said(whole[known:])]
            answer = self.asking(url, {**history, self.like.holder: said})
            history = {**history, self.like.holder: [*said, _kept(answer)]}
            known = len(whole) + 1
        return Played(server.requests, [True] * len(asked), refused, records)


def _kept(answer: Any) -> Any:
    """An answer as the app adds it to its history."""
    return {"role": "assistant", "content": answer.content} if hasattr(answer, "stop_reason") else answer


def _named(asking: Callable[..., Any]) -> str:
    return asking.__name__.replace("_", " ")


IN_A_LOOP = (ask_async_openai, stream_async_openai, ask_async_anthropic, stream_async_anthropic)
ASKING: dict[str, Asking] = {
    **{_named(asking): asking for asking in (ask_openai, stream_openai, ask_anthropic, stream_anthropic)},
    **{_named(asking): partial(finished_in_loop, asking) for asking in IN_A_LOOP},
}
NODE: dict[str, Asking] = {
    "fetch": partial(ask_fetch, streamed=False),
    "fetch a stream": partial(ask_fetch, streamed=True),
}


LIKE = {True: CLIENTS["anthropic, Messages"], False: CLIENTS["openai, Chat Completions"]}
PROXIED = {name: Proxied(asking, LIKE["anthropic" in name]) for name, asking in {**ASKING, **NODE}.items()}
