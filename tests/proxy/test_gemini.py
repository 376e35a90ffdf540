"""Google's generateContent through the proxy: trimmed, streamed in both ways, recorded, refused in Google's shape."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from chat_server import Behaviour, ChatServer
from framework_apps import finished
from proxy_process import write_settings
from proxy_server import RunningProxy, running_proxy

from historylab import Settings, load
from historylab.proxy.answers import RelayedAnswer
from historylab.proxy.relay import AnswerStream
from historylab.recordings.recorder import Recorder
from historylab.stores.base import open_store

JSON = "application/json"

PATH = "/v1beta/models/gemini-3.5-flash:generateContent"
STREAM = PATH.replace("generate", "streamGenerate")
KEY = "AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY"


def content(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"text": text}]}


def asked(*texts: str) -> dict[str, Any]:
    return {"contents": [content("model" if k % 2 else "user", text) for k, text in enumerate(texts)]}


def piece(text: str, **candidate: Any) -> dict[str, Any]:
    return {
        "candidates": [{"content": content("model", text), "index": 0, **candidate}],
        "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 2},
        "modelVersion": "gemini-3.5-flash",
        "responseId": "r1",
    }


PIECES = [piece("There, "), piece("at "), piece("7.", finishReason="STOP")]
EVENTS = [b"data: " + json.dumps(value).encode() + b"\r\n\r\n" for value in PIECES]
ARRAY = [b"[" + json.dumps(PIECES[0]).encode(), *(b",\r\n" + json.dumps(v).encode() for v in PIECES[1:]), b"\n]"]


def answers(*chunks: bytes, kind: str = JSON, between: Callable[[], object] = lambda: None) -> Behaviour:
    def behave(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", kind)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for k, chunk in enumerate(chunks):
            handler.chunk(chunk)
            if k == 0:
                between()
        handler.wfile.write(b"0\r\n\r\n")

    return behave


def contents_of(count: int, first: str = "a") -> dict[str, Any]:
    return asked(first, *(f"word {k}" for k in range(count - 1)))


@pytest.fixture(scope="module")
def store():
    store = open_store("memory://")
    yield store
    store.close()


@pytest.fixture(scope="module")
def proxy(upstream: ChatServer, settings: Path, store) -> Iterator[RunningProxy]:
    recorder = Recorder(store)
    with running_proxy(upstream.origin, settings, recorder=recorder) as running:
        yield running
    recorder.close()


@pytest.fixture(autouse=True)
def whole(as_usual, upstream: ChatServer) -> None:
    upstream.behaviours = [answers(json.dumps(piece("There, at 7.", finishReason="STOP")).encode())]


def line_of(store, answer: httpx2.Response) -> dict[str, Any]:
    lines = (json.loads(record.text) for record in store.read_records())
    return next(line for line in lines if line["id"] == answer.headers["historylab-request"])


def test_it_is_trimmed_and_recorded_with_its_model_and_without_its_key(client, upstream, store):
    given = contents_of(5)
    answer = client.post(f"/ferry-desk{PATH}?key={KEY}", json=given, headers={"x-goog-api-key": KEY})
    assert answer.json()["candidates"] and answer.headers["historylab-decisions"] == "D2K3"
    assert upstream.requests == [{"contents": given["contents"][2:]}] and upstream.heads[-1].path == f"{PATH}?key={KEY}"
    line = line_of(store, answer)
    assert (line["api"], line["app"], line["request"]["model"]) == ("gemini", "ferry-desk", "gemini-3.5-flash")
    assert line["request"]["contents"] == given["contents"]
    assert KEY not in "".join(record.text for record in store.read_records())


@pytest.mark.parametrize(
    "path", [PATH.replace("v1beta", "v1"), f"/v1/projects/p/locations/l/publishers/google{PATH[7:]}"]
)
def test_so_it_is_by_the_other_paths_there_are(client, upstream, path):
    client.post(path, json=contents_of(5))
    assert len(upstream.requests[-1]["contents"]) == 3 and upstream.heads[-1].path == path


@pytest.mark.parametrize(("query", "chunks", "kind"), [("?alt=sse", EVENTS, "text/event-stream"), ("", ARRAY, JSON)])
def test_a_stream_passes_piece_by_piece_and_is_on_record_before_its_last(
    client, upstream, store, monkeypatch, query, chunks, kind
):
    first, last, early = threading.Event(), threading.Event(), list[bool]()
    write = Recorder.arecord

    async def observed(recorder: Recorder, *given: Any) -> bool | None:
        early.append(await asyncio.to_thread(last.wait, 0.05))
        return await write(recorder, *given)

    monkeypatch.setattr(Recorder, "arecord", observed)
    upstream.behaviours = [answers(*chunks, kind=kind, between=lambda: first.wait(30))]
    came = b""
    with client.stream("POST", f"{STREAM}{query}", json=contents_of(3, query)) as answer:
        for part in answer.iter_raw():
            came += part
            first.set()
            if came.endswith(chunks[-1]):
                last.set()
    assert came == b"".join(chunks) and early == [False]
    line = line_of(store, answer)
    assert line["response"]["candidates"][0]["content"] == content("model", "There, at 7.") and "error" not in line
    assert line["response"]["usageMetadata"]["candidatesTokenCount"] == 2


def test_the_piece_that_may_be_the_last_waits_for_the_end():
    sent: list[bytes] = []

    async def send(message: Any) -> None:
        sent.append(message.get("body", b""))

    async def relay() -> None:
        back = AnswerStream(send, 200, [], list, held=False)
        await back.piece(b"a")
        back.lag()
        await back.piece(b"b")
        assert sent == [b"", b"a"]
        await back.piece(b"c")
        assert sent == [b"", b"a", b"b"]
        await back.end()

    finished(relay())
    assert sent[-1] == b"c"


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("chunks", [EVENTS, ARRAY], ids=["events", "array"])
def test_the_event_that_ends_an_answer_is_known_however_a_stream_is_cut(chunks, size):
    stream, answer = b"".join(chunks), RelayedAnswer("gemini", True)
    last = [answer.add(stream[i : i + size]) for i in range(0, len(stream), size)]
    assert last.count(True) == 1 and answer.is_whole()


def test_a_stream_that_breaks_off_has_no_end_and_what_came_of_it_is_kept():
    answer = RelayedAnswer("gemini", True)
    answer.add(ARRAY[0] + ARRAY[1][:-9])
    assert not answer.is_whole() and answer.body()["candidates"][0]["content"]["parts"][0]["text"].startswith("There")
    refused = RelayedAnswer("gemini", True)
    refused.add(b'[{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED"}}]')
    assert refused.is_whole() and refused.body()["error"]["code"] == 429


def test_what_is_recorded_is_what_was_said_though_a_client_keeps_the_chunks_of_a_stream(client, upstream, store):
    before = max((record.number for record in store.read_records()), default=0)
    upstream.behaviours = [answers(*EVENTS, kind="text/event-stream")]
    given = contents_of(1, "Where?")
    client.post(f"{STREAM}?alt=sse", json=given)
    given["contents"] += [value["candidates"][0]["content"] for value in PIECES] + [content("user", "When?")]
    client.post(f"{STREAM}?alt=sse", json=given)
    lines = "".join(f"{record.text}\n" for record in store.read_records(after=before))
    (conversation,) = load(lines.encode(), name="g.jsonl")
    assert [m.content for m in conversation] == ["Where?", "There, at 7.", "When?", "There, at 7."]
    assert not conversation.branches and conversation.recorded.model == "gemini-3.5-flash"


def test_refusals_have_the_shape_of_googles_errors(upstream, tmp_path):
    filtered = write_settings(tmp_path / "f.json", Settings(filter="time_window"))
    with running_proxy(upstream.origin, filtered) as proxy, httpx2.Client(base_url=proxy.url) as client:
        unread = client.post(PATH, json={"contents": "?"})
        assert unread.status_code == unread.json()["error"]["code"] == 422
        assert unread.json()["error"]["status"] == "INVALID_ARGUMENT" and upstream.requests == []
        assert client.post(PATH.replace("generateContent", "embedContent"), json={}).json()["error"]["code"] == 422
        assert client.post(PATH.replace("generateContent", "countTokens"), json={}).status_code == 200
