"""What passes is on record before its answer is whole at the client; a store that fails keeps nobody waiting."""

from __future__ import annotations

import asyncio
import gc
import json
import weakref
from contextlib import suppress
from http.client import HTTPConnection
from random import Random

import httpx2
import pytest
from chat_server import cut, events, goes_on, gzipped, hangs_up, says, status
from framework_apps import finished
from garbage import garbage_of, new_objects_alone
from loopback_apis import speaks
from made_keys import draw
from proxy_process import write_settings
from proxy_server import chat, running_proxy, until

from historylab import Settings
from historylab.conversation.exchange import Exchange
from historylab.errors import StoreError
from historylab.proxy.answers import RelayedAnswer
from historylab.proxy.patience import PatientStore
from historylab.proxy.pending import PendingExchange
from historylab.recordings.recorder import Recorder
from historylab.stores.base import open_store

CHAT, MESSAGES, RESPONSES = "/v1/chat/completions", "/v1/messages", "/v1/responses"
KEY = "sk-own-s3cret-key-1234"


@pytest.fixture(scope="module")
def store():
    store = open_store("memory://")
    yield store
    store.close()


@pytest.fixture(scope="module")
def proxy(upstream, settings, store):
    recorder = Recorder(store)
    with running_proxy(upstream.url, settings, recorder=recorder) as running:
        yield running
    recorder.close()


def lines(store, after: int = 0) -> list[dict]:
    return [json.loads(record.text) for record in store.read_records(after=after)]


@pytest.fixture
def recorded(store):
    """The lines that the test brought."""
    before = max((record.number for record in store.read_records()), default=0)
    return lambda: lines(store, before)


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_is_on_record_when_it_is_whole_at_the_client(client, recorded, stream):
    answer = client.post(f"/ferry-bot{CHAT}", json=chat(f"stream: {stream}", *"abcdef", stream=stream))
    (line,) = recorded()
    assert line["id"] == answer.headers["historylab-request"] and "historylab-unrecorded" not in answer.headers
    assert (line["app"], line["api"], line["status"], line["mode"]) == ("ferry-bot", "chat_completions", 200, "trim")
    assert line["plan"]["decisions"] == answer.headers["historylab-decisions"] and line["settings"]["length"] == 2
    assert len(line["request"]["messages"]) == 7
    assert line["response"]["choices"][0]["message"]["content"] == "hello there" and "error" not in line


@pytest.mark.parametrize("stream", [False, True])
def test_so_are_those_of_the_other_apis(client, upstream, recorded, stream):
    upstream.behaviours = [speaks([{"role": "assistant", "content": "aye"}])]
    client.post(MESSAGES, json={**chat("a", stream=stream), "model": "claude-opus-4-5", "max_tokens": 9})
    client.post(RESPONSES, json={"model": "m", "input": f"question {stream}"})
    claude, responses = recorded()
    assert responses["request"]["input"] == [{"role": "user", "content": f"question {stream}"}]
    assert claude["api"] == "anthropic" and claude["response"]["content"] == [{"type": "text", "text": "aye"}]
    assert responses["api"] == "responses" and responses["response"]["output"]


def test_requests_of_one_chat_are_one_conversation(client, recorded):
    said = ["a"]
    for turn in range(3):
        client.post(CHAT, json=chat(*said))
        said += ["hello there", f"turn {turn}"]
    first, second, third = recorded()
    assert {line["conversation"] for line in (first, second, third)} == {first["conversation"]}
    assert (second["after"], second["same"], third["same"]) == (first["id"], 1, 3)


@pytest.mark.parametrize(
    "told", [{"headers": {"Authorization": "Bearer {}"}}, {"params": {"key": "{}"}}, {"headers": {"session_id": "{}"}}]
)
def test_people_who_are_told_apart_share_no_conversation(client, recorded, told):
    said = ["the same question", "hello there"]
    for number in "1001":
        sent = json.loads(json.dumps(told).replace("{}", f"s3cret-{number}"))
        client.post(CHAT, json=chat("the same question"), **sent)
        client.post(CHAT, json=chat(*said, f"I am {number}"), **sent)
    lines = recorded()
    whose = {line["conversation"]: line["owner"] for line in lines}
    assert all(whose[line["conversation"]] == line["owner"] for line in lines)
    owners = [line["owner"] for line in lines[::2]]
    assert owners[0] == owners[3] != owners[1] == owners[2] and "s3cret" not in str(owners)


def test_an_answer_is_asked_for_so_that_it_can_be_read(client, upstream, recorded):
    client.post(CHAT, json=chat("a"), headers={"Accept-Encoding": "gzip, br"})
    assert upstream.heads[-1].headers["accept-encoding"] == "identity" and recorded()[0]["response"]


def test_one_that_comes_compressed_all_the_same_is_said_to_be(client, upstream, recorded):
    upstream.behaviours = [gzipped(says("hello"))]
    assert client.post(CHAT, json=chat("a", stream=True)).text.endswith("data: [DONE]\n\n")
    (line,) = recorded()
    assert "compressed" in line["error"] and "response" not in line


def test_errors_are_on_record_without_the_key_they_repeat(client, upstream, recorded):
    upstream.behaviours = [status(401, "wrong key: {key}")]
    answer = client.post(CHAT, json=chat(f"my key is {KEY}"), headers={"Authorization": f"Bearer {KEY}"})
    assert KEY in answer.text
    (line,) = recorded()
    assert line["status"] == 401 and "wrong key: [redacted]" in json.dumps(line) and KEY not in json.dumps(line)


@pytest.mark.parametrize("stream", [False, True])
def test_a_key_of_any_form_stands_in_no_record_however_it_is_repeated(client, upstream, recorded, stream):
    key = "our-team/key+1234"
    upstream.behaviours = [says(" ".join(["you", "sent", key]))]
    content = json.dumps(chat(f"my key is {key}", stream=stream)).replace("/", "\\/")
    client.post(f"/app-{KEY}{CHAT}?key={KEY}", content=content, headers={"Authorization": f"Bearer {key}"})
    (line,) = recorded()
    assert line["app"] == "app-[redacted]" and line["redacted"] == 3
    assert "my key is [redacted]" in str(line["request"]) and "you sent [redacted]" in str(line["response"])


def test_an_answer_that_breaks_off_is_on_record_as_far_as_it_came(client, upstream, recorded):
    upstream.behaviours = [cut(400, says("hello there, this is long enough to be cut"))]
    with pytest.raises(httpx2.RemoteProtocolError):
        client.post(CHAT, json=chat("a", stream=True))
    (line,) = until(recorded)
    assert "broke the connection off" in line["error"]
    upstream.behaviours = [hangs_up]
    client.post(CHAT, json=chat("a"))
    assert recorded()[1]["error"] and "response" not in recorded()[1]


def test_one_that_its_client_left_is_too(client, upstream, recorded):
    upstream.behaviours = [goes_on]
    with client.stream("POST", CHAT, json=chat("a", stream=True)) as answer:
        next(answer.iter_raw())
    (line,) = until(recorded)
    assert line["error"] == "the client hung up"


def test_why_one_was_not_trimmed_is_on_record_in_words(client, recorded):
    client.post("/v1/responses", json={"input": [{"role": "user", "content": "a"}], "previous_response_id": "resp_1"})
    (line,) = until(recorded)
    assert line["untrimmed"] == "shape" and "as previous_response_id says" in line["because"]


def test_one_whose_client_leaves_while_it_is_written_is_kept(store, recorded):
    async def leaves() -> None:
        exchange = Exchange(api="chat_completions", app="app", mode="trim", body=chat("a"), untrimmed="store")
        pending = PendingExchange(exchange, recorder, store=PatientStore(store))
        writing = asyncio.ensure_future(pending.record())
        await asyncio.sleep(0)
        writing.cancel()
        with suppress(asyncio.CancelledError):
            await writing
        await pending.writing

    recorder = Recorder(store)
    finished(leaves())
    recorder.close()
    assert [line["untrimmed"] for line in recorded()] == ["store"]


@pytest.mark.parametrize(("content", "why"), [(b"{", "shape"), (b'{"messages": "a"}', "shape")])
def test_what_is_no_list_of_messages_cannot_be_recorded(client, recorded, content, why):
    assert client.post(CHAT, content=content).headers["historylab-unrecorded"] == why and recorded() == []


def test_summaries_that_were_sent_are_on_record(upstream, tmp_path):
    store = open_store("memory://")
    recorder = Recorder(store)
    file = write_settings(tmp_path / "settings.json", Settings(policy="all", pruner="summarize", budget=300))
    with running_proxy(upstream.url, file, recorder=recorder) as proxy:
        for said in (41, 61):
            httpx2.post(f"{proxy.url}{CHAT}", json=chat(*(f"message {k} of the ferry to Kiel" for k in range(said))))
    recorder.close()
    first, second = lines(store)
    assert "S" in first["plan"]["decisions"] and any("Summary" in text for text in first["state"].values())
    assert second["plan"]["decisions"] != first["plan"]["decisions"]


def test_an_answer_that_cannot_be_put_together_comes_all_the_same(client, monkeypatch, caplog):
    monkeypatch.setattr(RelayedAnswer, "body", lambda *_: 1 / 0)
    answer = client.post(CHAT, json=chat("a"))
    assert answer.status_code == 200 and answer.headers["historylab-unrecorded"] == "store"
    assert "can't be recorded" in caplog.text


def test_a_store_that_fails_keeps_nobody_waiting(upstream, monkeypatch):
    store = open_store("memory://")

    def fails(*_):
        raise StoreError("the disk is full")

    monkeypatch.setattr(store, "append_records", fails)
    recorder = Recorder(store)
    with running_proxy(upstream.url, recorder=recorder) as proxy:
        answer = httpx2.post(f"{proxy.url}{CHAT}", json=chat("a"))
        assert answer.status_code == 200 and answer.headers["historylab-unrecorded"] == "store"
        streamed = httpx2.post(f"{proxy.url}{CHAT}", json=chat("a", stream=True))
        assert streamed.text.endswith("data: [DONE]\n\n") and streamed.headers["historylab-unrecorded"] == "likely"
        assert httpx2.get(f"{proxy.url}/historylab/health").json()["counts"]["unrecorded"] == 2
    recorder.close()


def test_of_a_chat_that_is_forgotten_the_proxy_holds_nothing(upstream, store, monkeypatch):
    monkeypatch.setattr("historylab.trimming.chats.MOST_CHATS", 2)
    recorder, chats = Recorder(store), []
    arecord = recorder.arecord

    def noted(exchange, left):
        chats.append(weakref.ref(exchange.chat))
        return arecord(exchange, left)

    monkeypatch.setattr(recorder, "arecord", noted)
    with new_objects_alone(), running_proxy(upstream.url, recorder=recorder) as proxy:
        for k in range(6):
            httpx2.post(f"{proxy.url}{CHAT}", json=chat(f"{k}: hello")).raise_for_status()
        httpx2.get(f"{proxy.url}/v1/models")
        gc.collect()
        assert [each() is not None for each in chats] == [False] * 4 + [True] * 2


def test_nothing_of_a_request_waits_for_a_garbage_collection(upstream, store):
    recorder = Recorder(store)
    with (
        running_proxy(upstream.url, recorder=recorder) as proxy,
        garbage_of("historylab", "httpx2", "httpcore2") as left,
    ):
        asking = HTTPConnection(proxy.url.partition("//")[2])
        for stream in (False, True):
            asking.request("POST", CHAT, json.dumps(chat("hello", stream=stream)))
            assert asking.getresponse().read()
        asking.close()
    recorder.close()
    assert left == []


def test_a_key_that_an_answer_brings_in_pieces_is_put_together_before_it_is_looked_for(client, upstream, recorded):
    key, _ = draw("gsk_{letters:52}", Random(1))
    pieces = ["it is ", *(key[k : k + 5] for k in range(0, len(key), 5))]
    head = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m-2026"}
    chunks = [{**head, "choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    upstream.behaviours = [
        events(*chunks, {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}, done=True)
    ]
    before = client.get("/historylab/health").json()["counts"]["redacted"]
    client.post(CHAT, json=chat("a", stream=True))
    (line,) = recorded()
    assert line["response"]["choices"][0]["message"]["content"] == "it is [redacted]" and line["redacted"] == 1
    assert client.get("/historylab/health").json()["counts"]["redacted"] == before + 1
