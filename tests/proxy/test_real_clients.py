"""The real clients through a real proxy, over HTTP: what reaches the upstream, what comes back, and how it fails."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer, context_exceeded, cut, goes_on, gzipped, hangs_up, paced, slow, status
from every_way import every_way
from loopback_apis import speaks
from production import Judged, judged, shown
from proxied_clients import (
    ASKING,
    NODE,
    PROXIED,
    anthropic,
    ask_anthropic,
    ask_openai,
    events_in,
    fetching,
    has_node,
    openai,
    stream_anthropic,
    stream_openai,
)
from proxy_process import proxy_process, write_settings
from thirty_turns import requests_of, thirty_turns

from historylab import Settings, Trimmer

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("proxy and clients")]  # one proxy process for all

WAYS = {name: settings.replace(counter="chars/4") for name, settings in every_way().items()}
PRESETS = ("agentdock", "octopus, tight", "mentu, tight", "mycoder, tight", "toolpack, tight", "tool_output truncate")
PLAYED = [
    *((name, "pruner summarize") for name in PROXIED if "async openai" not in name),
    *(("stream anthropic", way) for way in PRESETS),  # a play takes it a quarter of what it takes OpenAI's
]
FEW = pytest.mark.parametrize("name", ["fetch", "stream anthropic"])
ALL = Judged(60, 60)  # requests, all as they should be
ASKED = {"messages": [{"role": "user", "content": "Which ferry?"}]}
TOOL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"pier": 4, "on": "Möwe"}'}}
SAID = {"role": "assistant", "content": "The Möwe, at noon.", "tool_calls": [TOOL]}


@dataclass
class Front:
    """A proxy, the file with its settings, and the server behind it."""

    url: str
    file: Path
    server: ChatServer

    def under(self, settings: Settings) -> Front:
        write_settings(self.file, settings)
        return self

    def answers(self, *behaviours: Any) -> Front:
        self.server.behaviours[:], self.server.requests, self.server.bytes = behaviours, [], []
        return self


def opened(folder: Path, mode: str) -> Iterator[Front]:
    file = folder / "settings.json"
    write_settings(file, Settings())
    options = ("--mode", mode, "--settings", str(file))
    with ChatServer(speaks()) as server, proxy_process(server.url, *options) as proxy:
        yield Front(proxy.url, file, server)


@pytest.fixture(scope="module")
def trimming(tmp_path_factory) -> Iterator[Front]:
    yield from opened(tmp_path_factory.mktemp("trim"), "trim")


@pytest.fixture(scope="module")
def watching(tmp_path_factory) -> Iterator[Front]:
    yield from opened(tmp_path_factory.mktemp("audit"), "audit")


@pytest.fixture(scope="module", autouse=True)
def node() -> Iterator[None]:
    yield
    if fetching.cache_info().currsize:
        fetching().close()
        fetching.cache_clear()


def client_named(name: str) -> Any:
    if name in NODE and not has_node():
        pytest.skip("Node is not on this machine")
    return PROXIED[name]


both = pytest.mark.parametrize("asking", [stream_openai, stream_anthropic])
every = pytest.mark.parametrize("asking", ASKING.values(), ids=ASKING)


# -- what reaches the upstream


@pytest.mark.parametrize(("name", "way"), PLAYED)
def test_what_reaches_the_upstream_is_what_replay_shows(trimming, name, way):
    client, settings = client_named(name), WAYS[way]
    front = trimming.under(settings)
    played = client.play(front.server, front.url)
    assert replace(judged(client.like, played, shown(played, settings)), unsaid=0) == ALL


def test_what_reaches_the_upstream_is_what_a_trimmer_of_ones_own_would_send(trimming):
    client, settings = client_named("stream anthropic"), WAYS["octopus, tight"]
    front = trimming.under(settings)
    came, trimmer = client.play(front.server, direct_url(front)).bodies, Trimmer(settings)
    sent = client.play(front.server, front.url).bodies
    assert sent == [trimmer.trim(body) for body in came] != came


@FEW
def test_an_audit_sends_what_came(watching, name):
    client = client_named(name)
    front = watching.under(WAYS["octopus, tight"])
    through, direct = (client.play(front.server, url).bodies for url in (front.url, direct_url(front)))
    assert through == direct


def direct_url(front: Front) -> str:
    return front.server.origin


# -- what comes back


@every
@pytest.mark.parametrize("wrapped", [lambda then: then, gzipped], ids=["plain", "gzip"])
def test_an_answer_comes_back_as_the_upstream_gave_it(trimming, asking, wrapped):
    front = trimming.under(Settings()).answers(wrapped(speaks([SAID, SAID])))
    through, direct = (asking(url, ASKED) for url in (front.url, direct_url(front)))
    assert through.model_dump() == direct.model_dump() and "Möwe" in str(through.content)


@both
def test_a_stream_comes_as_it_is_written(trimming, asking):
    first, rest = threading.Event(), threading.Semaphore(3)
    front = trimming.answers(paced(lambda: rest.acquire(timeout=30), speaks([SAID])))
    with streaming(asking, front.url) as stream:
        for _ in stream:
            first.set()
            rest.release(1000)
    assert first.is_set() and rest.acquire(blocking=False) is not None


def streaming(asking: Any, url: str) -> Any:
    if asking is stream_openai:
        return openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0).chat.completions.create(
            model="tiny", stream=True, **ASKED
        )
    return anthropic.Anthropic(base_url=url, api_key="none", max_retries=0).messages.create(
        model="claude-opus-4-6", max_tokens=9, stream=True, **ASKED
    )


@both
def test_a_client_that_leaves_a_stream_leaves_the_upstream(trimming, asking):
    front = trimming.answers(goes_on)
    with streaming(asking, front.url) as stream:
        next(iter(stream))
    assert front.server.left.acquire(timeout=20)


def test_a_fetch_that_is_aborted_leaves_the_upstream(trimming):
    client_named("fetch")
    front = trimming.answers(goes_on)
    came = fetching()(f"{front.url}/v1/chat/completions", {"model": "tiny", "stream": True, **ASKED}, leave=True)
    assert came["error"] == "AbortError" and front.server.left.acquire(timeout=20)


# -- how it fails


FAILING = {
    "401": status(401, "no such key"),
    "429": status(429, "slow down", retry_after="7"),
    "500": status(500, "sorry"),
    "529": status(529, "overloaded"),
    "context": context_exceeded(300, 200),
}


def failure(asking: Any, url: str) -> tuple[Any, ...]:
    with pytest.raises((openai.APIError, anthropic.APIError)) as raised:
        asking(url, ASKED)
    error = raised.value
    came = getattr(error, "response", None)
    return type(error), error.message, error.body, came and (came.status_code, came.headers.get("retry-after"))


@every
@pytest.mark.parametrize("behaviour", FAILING.values(), ids=FAILING)
def test_an_error_of_the_upstream_is_the_error_of_the_client(trimming, asking, behaviour):
    front = trimming.under(Settings()).answers(behaviour)
    through, direct = (failure(asking, url) for url in (front.url, direct_url(front)))
    assert through == direct
    assert through[-1][1] == ("7" if through[-1][0] == 429 else None)


def test_fetch_sees_an_error_as_it_was(trimming):
    client_named("fetch")
    front = trimming.answers(FAILING["429"])
    came = fetching()(f"{front.url}/v1/chat/completions", {"model": "tiny", **ASKED})
    assert (came["status"], came["headers"]["retry-after"]) == (429, "7")
    assert json.loads(came["text"])["error"]["message"] == "slow down"


@every
@pytest.mark.parametrize("size", [60, 1200])
def test_an_answer_that_is_cut_is_a_network_error(trimming, asking, size):
    front = trimming.answers(cut(size, speaks([{**SAID, "content": "The Möwe, at noon. " * 40}])))
    with pytest.raises(Exception, match=r"[Cc]onnection|incomplete|peer|closed") as raised:
        asking(front.url, ASKED)
    assert not isinstance(raised.value, openai.APIStatusError | anthropic.APIStatusError)


def test_fetch_sees_a_stream_that_is_cut_as_a_network_error(trimming):
    client_named("fetch")
    front = trimming.answers(cut(900, speaks([SAID])))
    came = fetching()(f"{front.url}/v1/chat/completions", {"model": "tiny", "stream": True, **ASKED})
    assert came.get("error") == "TypeError", came


@every
def test_an_upstream_that_hangs_up_is_a_502_that_may_be_tried_again(trimming, asking):
    front = trimming.answers(hangs_up)
    kind, message, _, came = failure(asking, front.url)
    assert kind.__name__ == "InternalServerError" and came[0] == 502 and "upstream" in message


@pytest.mark.parametrize("asking", [ask_openai, ask_anthropic])
def test_the_clients_own_retries_reach_the_upstream(trimming, asking):
    front = trimming.answers(status(429, retry_after="0"), slow(0.05, speaks([SAID])))
    if asking is ask_openai:
        client = openai.OpenAI(base_url=f"{front.url}/v1", api_key="none", max_retries=1)
        client.chat.completions.create(model="tiny", **ASKED)
    else:
        client = anthropic.Anthropic(base_url=front.url, api_key="none", max_retries=1)
        client.messages.create(model="claude-opus-4-6", max_tokens=9, **ASKED)
    assert len(front.server.requests) == 2


def test_an_answers_headers_say_what_was_sent(trimming):
    front = trimming.under(Settings(policy="all", budget=900)).answers(speaks())
    *_, (history, _) = requests_of(thirty_turns())
    client = openai.OpenAI(base_url=f"{front.url}/v1", api_key="none", max_retries=0)
    came = client.chat.completions.with_raw_response.create(model="tiny", messages=history)
    said = dict(part.split("=") for part in came.headers["historylab-tokens"].split())
    assert int(said["sent"]) <= int(said["budget"]) < int(said["before"])
    assert came.headers["historylab-mode"] == "trim" and came.headers["historylab-request"].startswith("r-")


def test_every_event_of_a_stream_comes_through_untouched(trimming):
    client_named("fetch a stream")
    front = trimming.under(Settings()).answers(speaks([SAID, SAID]))
    body = {"model": "tiny", "stream": True, **ASKED}
    through, direct = (fetching()(f"{url}/v1/chat/completions", body)["text"] for url in (front.url, direct_url(front)))
    assert through == direct and len(list(events_in(through))) > 8
