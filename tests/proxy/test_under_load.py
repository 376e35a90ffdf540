"""A proxy in the middle of traffic: many conversations at once, other settings, and its own sudden end."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count, cycle
from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer, Handler
from loopback_apis import speaks
from proxied_clients import ASKING, anthropic, ask_anthropic, ask_openai, openai, stream_anthropic, stream_openai
from proxy_process import proxy_process, write_settings

from historylab import Conversation, Settings, Trimmer, load
from historylab.recordings import open_recording

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("proxy and clients")]

MANY, TURNS = 50, 4
CUTS = Settings(policy="lastN", length=2, pruner="off", counter="chars/4")
CUTS_LESS = CUTS.replace(length=3)
WAYS = (ask_openai, stream_openai, ask_anthropic, stream_anthropic)


def echoes(handler: Handler) -> None:
    """An answer that names what was asked last, at some length, so that streams are under way together."""
    said = {"role": "assistant", "content": answer_to(handler.body["messages"][-1]["content"])}
    speaks([said])(handler)


def answer_to(question: str) -> str:
    return f"{question} – " + f"so much for {question}. " * 9 + "Enough."


def text_of(answer: Any) -> str:
    return answer.content if isinstance(answer.content, str) else answer.content[0].text


def turn(asking: Callable[..., Any], url: str, history: list[Any], question: str) -> str:
    """One more turn of a conversation: asked, answered, and kept."""
    history.append({"role": "user", "content": question})
    said = text_of(asking(url, {"messages": history}))
    history.append({"role": "assistant", "content": said})
    return said


def recorded(place: Path) -> list[Conversation]:
    """The conversations of a recording, as its lines are read from a file."""
    with_lines = open_recording(place)
    try:
        lines = "\n".join(record.text for record in with_lines.read_records())
    finally:
        with_lines.close()
    return list(load(lines.encode(), name="recording.jsonl"))


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(echoes) as server:
        yield server


def chats_in(server: ChatServer) -> list[Any]:
    """The bodies of the chats that came; a proxy also asks once whether its upstream is one of ours."""
    return [body for body in server.requests if "messages" in body]


def test_fifty_conversations_at_once_mix_nothing_up(server, tmp_path):
    write_settings(tmp_path / "settings.json", CUTS)
    options = ("--settings", str(tmp_path / "settings.json"), "--record", str(tmp_path / "recording"))
    histories: list[list[Any]] = [[] for _ in range(MANY)]

    def talk(number: int, url: str) -> None:
        asking = [*ASKING.values()][number % len(ASKING)]
        for at in range(TURNS):
            question = f"talk-{number:02} turn {at}"
            assert turn(asking, url, histories[number], question) == answer_to(question)

    with proxy_process(server.url, *options) as proxy, ThreadPoolExecutor(MANY) as threads:
        list(threads.map(lambda number: talk(number, proxy.url), range(MANY)))
    assert sorted(json.dumps(body["messages"]) for body in chats_in(server)) == sorted(map(json.dumps, sent(histories)))
    kept = [[message.content for message in conversation] for conversation in recorded(tmp_path / "recording")]
    assert sorted(kept) == sorted([message["content"] for message in history] for history in histories)


def sent(histories: list[list[Any]]) -> Iterator[list[Any]]:
    """What a Trimmer sends at each turn of these conversations."""
    for history in histories:
        trimmer = Trimmer(CUTS)
        yield from (trimmer.trim(history[: 2 * at + 1]) for at in range(TURNS))


def test_other_settings_hold_from_the_next_request_on_and_none_is_sent_under_neither(server, tmp_path):
    file = tmp_path / "settings.json"
    write_settings(file, CUTS)
    lengths: Counter[int] = Counter()
    stop = threading.Event()

    def talk(number: int, url: str) -> None:
        history: list[Any] = []
        for at in count():
            if stop.is_set():
                return
            turn(WAYS[number % 4], url, history, f"talk-{number} turn {at}")

    with proxy_process(server.url, "--settings", str(file)) as proxy, ThreadPoolExecutor(9) as threads:
        talks = [threads.submit(talk, number, proxy.url) for number in range(8)]
        for settings in [CUTS_LESS, CUTS] * 5:
            before = len(server.requests)
            write_settings(file, settings)
            while len(server.requests) < before + 16 and not any(talk.done() for talk in talks):
                stop.wait(0.01)
        before = len(server.requests)
        history = [{"role": "user", "content": f"turn {at}"} for at in range(9)]
        ask_openai(proxy.url, {"messages": history})
        last = next(body for body in server.requests[before:] if body["messages"][-1]["content"] == "turn 8")
        assert last["messages"] == Trimmer(CUTS).trim(history)
        stop.set()
        for talk in talks:
            talk.result()
    for body in chats_in(server):
        asked = [message["content"] for message in body["messages"] if message["role"] == "user"]
        at = int(asked[-1].rpartition(" ")[2])
        lengths[len(asked)] += at > 3
        assert len(asked) in {min(2, at + 1), min(3, at + 1)}
    assert lengths[2] > 8 and lengths[3] > 8


def test_killed_in_traffic_nothing_is_half_answered_and_all_that_was_answered_is_on_record(server, tmp_path):
    place, enough = tmp_path / "recording", threading.Event()
    completed: list[str] = []
    failed: list[Exception] = []

    def talk(number: int, url: str) -> None:
        history: list[Any] = []
        for at, asking in zip(count(), cycle(WAYS[number % 4 :] + WAYS[: number % 4])):
            question = f"talk-{number:02} turn {at}"
            try:
                said = turn(asking, url, history, question)
            except Exception as problem:
                failed.append(problem)
                return
            assert said == answer_to(question), "an answer was cut and passed for whole"
            completed.append(question)
            if len(completed) > 150:
                enough.set()

    with proxy_process(server.url, "--record", str(place)) as proxy, ThreadPoolExecutor(20) as threads:
        talks = [threads.submit(talk, number, proxy.url) for number in range(20)]
        assert enough.wait(60), [talk.exception() for talk in talks if talk.done()]
        proxy.kill()
        for talk in talks:
            talk.result()
    answered = (openai.APIStatusError, anthropic.APIStatusError)
    assert len(failed) == 20 and not any(isinstance(problem, answered) for problem in failed)
    kept = {message.content for conversation in recorded(place) for message in conversation}
    assert {answer_to(question) for question in completed} <= kept
