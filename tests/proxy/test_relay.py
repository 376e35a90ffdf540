"""What passes in either direction is what was sent: bytes, errors and headers, and the end of either side."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager

import httpx2
import pytest
from chat_server import (
    ChatServer,
    cut,
    events,
    goes_on,
    gzipped,
    hangs_up,
    paced,
    redirects,
    says,
    status,
)
from framework_apps import finished
from proxy_server import chat, running_proxy, until

from historylab.proxy.surplus import WholeAnswer, _read_queue
from historylab.proxy.upstream import Upstream

CHAT, MESSAGES = "/v1/chat/completions", "/v1/messages"


@contextmanager
def running(upstream: str) -> Iterator[httpx2.Client]:
    """A client of a proxy of its own."""
    with running_proxy(upstream) as proxy, httpx2.Client(base_url=proxy.url, timeout=30) as client:
        yield client


def test_a_header_that_cannot_be_passed_on_is_the_clients_own_mistake(upstream, monkeypatch):
    async def refuses(self, request):
        raise httpx2.LocalProtocolError("Illegal header value")

    monkeypatch.setattr(Upstream, "send", refuses)
    with running(upstream.url) as client:
        answer = client.post(CHAT, json=chat("a"))
    assert answer.status_code == 400
    assert "a header of the request can't be passed on" in answer.json()["error"]["message"]


@contextmanager
def closing_server(stream: bytes) -> Iterator[str]:
    """The URL of a server whose answer ends with its connection, as in HTTP/1.0."""

    def behave(handler):
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.wfile.write(stream)

    with ChatServer(behave) as server:
        yield server.url


def test_a_request_of_which_nothing_is_cut_arrives_byte_by_byte(client, upstream):
    sent = b'{ "messages":[{"content":"caf\\u00e9 1.50","role":"user"}], "x-new": [1e2, null],"model":"m" }'
    assert client.post(CHAT, content=sent).status_code == 200
    assert upstream.bytes == [sent]


def test_fields_and_tools_that_nobody_knows_stay_where_messages_are_cut(client, upstream):
    tools = [{"type": "function", "function": {"name": "find"}, "strict": None}]
    client.post(CHAT, json=chat("a", "b", "c", "d", "e", tools=tools, new={"field": [1.5, "ü"]}))
    assert upstream.requests == [chat("c", "d", "e", tools=tools, new={"field": [1.5, "ü"]})]


@pytest.mark.parametrize("path", ["/v1/models/small-1", "/v1/embeddings?a=%20b&c", "/app/v1/files"])
def test_other_paths_pass_through_untouched(client, upstream, path):
    client.post(path, content=b'{"input": "x"}')
    assert upstream.heads[-1].path == path.removeprefix("/app") and upstream.bytes == [b'{"input": "x"}']
    client.get(path)
    assert upstream.heads[-1].method == "GET" and "content-length" not in upstream.heads[-1].headers


def test_a_path_of_a_provider_s_own_is_trimmed_and_keeps_its_query(upstream, settings):
    path, asked = "/openai/deployments/pier-7/chat/completions?api-version=2026-10-21", chat("a", "b", "c", "d", "e")
    with running_proxy(upstream.origin, settings) as proxy:
        httpx2.post(f"{proxy.url}{path}", json=asked)
    assert upstream.heads[-1].path == path and upstream.requests == [chat("c", "d", "e")]


def test_a_question_whether_anything_is_there_is_answered_and_counted_nowhere(client, upstream):
    before = client.get("/historylab/health").json()["counts"]
    assert client.head("/").status_code == client.get("/").status_code == client.head("/ferry-bot").status_code == 204
    assert client.get("/historylab/health").json()["counts"] == before and upstream.heads == []


def test_keys_are_passed_on_and_what_is_for_the_proxy_is_not(client, upstream):
    client.post(CHAT, json=chat("a"), headers={"Authorization": "Bearer sk-1", "Historylab-Token": "t", "X-Own": "1"})
    got = upstream.heads[-1].headers
    assert got["authorization"] == "Bearer sk-1" and got["x-own"] == "1" and "historylab-token" not in got
    assert got["host"] == upstream.origin.removeprefix("http://")


def test_errors_come_back_as_they_were(client, upstream):
    upstream.behaviours = [status(429, "slow down", retry_after="7")]
    refused = client.post(MESSAGES, json=chat("a"))
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "7")
    assert refused.json()["error"] == {"type": "rate_limit_error", "message": "slow down"}


def test_a_redirect_is_the_clients_to_follow(client, upstream):
    with ChatServer(says("elsewhere")) as other:
        upstream.behaviours = [redirects(307, f"{other.url}/chat/completions")]
        answer = client.post(CHAT, json=chat("a"))
    assert answer.status_code == 307 and other.requests == []


def test_a_stream_comes_as_it_is_sent_event_by_event(client, upstream):
    step = threading.Semaphore(0)
    upstream.behaviours = [paced(step.acquire, events({"n": 1}, {"n": 2}))]
    with client.stream("POST", CHAT, json=chat("a", stream=True)) as answer:
        pieces = answer.iter_raw()
        for n in (1, 2):
            step.release()
            assert next(pieces) == b'data: {"n": %d}\n\n' % n
        assert list(pieces) == [] and answer.headers["content-type"] == "text/event-stream"


@pytest.mark.parametrize("path", [CHAT, "/v1/audio/speech"])
def test_so_do_the_pieces_of_an_answer_without_a_length(client, upstream, path):
    step = threading.Semaphore(0)

    def behave(handler):
        handler.send_response(200)
        handler.send_header("Content-Type", "application/x-ndjson")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for line in (b"1\n", b"2\n"):
            assert step.acquire(timeout=30)
            handler.chunk(line)
        handler.end_events()

    upstream.behaviours = [behave]
    with client.stream("POST", path, json=chat("a")) as answer:
        pieces = answer.iter_raw()
        for line in (b"1\n", b"2\n"):
            step.release()
            assert next(pieces) == line
        assert list(pieces) == []


def test_what_is_compressed_stays_so(client, upstream):
    upstream.behaviours = [gzipped(says("hello"))]
    with client.stream("POST", CHAT, json=chat("a", stream=True), headers={"Accept-Encoding": "gzip"}) as answer:
        raw = b"".join(answer.iter_raw())
    assert answer.headers["content-encoding"] == "gzip" and b"[DONE]" in gzip.decompress(raw)
    assert upstream.heads[-1].headers["accept-encoding"] == "gzip"


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_that_breaks_off_is_a_network_error_for_the_client_too(client, upstream, stream):
    upstream.behaviours = [cut(60, says("hello there, this is long enough to be cut"))]
    with pytest.raises(httpx2.RemoteProtocolError):
        client.post(CHAT, json=chat("a", stream=stream))


def test_a_stream_that_ends_with_its_connection_counts_only_with_its_last_event():
    whole = b'data: {"object": "chat.completion.chunk", "choices": []}\n\ndata: [DONE]\n\n'
    with closing_server(whole) as url, running(url) as client:
        assert client.post(CHAT, json=chat("a")).content == whole
    with closing_server(whole[:-16]) as url, running(url) as client, pytest.raises(httpx2.RemoteProtocolError):
        client.post(CHAT, json=chat("a"))


def answer_and(surplus: bytes, body: bytes = b"{}"):
    """An answer, and at once in the same packet what nobody asked for."""

    def behave(handler):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s%s" % (len(body), body, surplus))

    return behave


STRAY = b'HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n"a\'s own"'


ONE_READ = 65_536 - len(b"HTTP/1.1 200 OK\r\nContent-Length: 65494\r\n\r\n")


@pytest.mark.parametrize("body", [b"{}", b" " * ONE_READ, b" " * 300_000], ids=["short", "one read", "long"])
@pytest.mark.parametrize("surplus", [STRAY, STRAY[:20], b"\r\n"], ids=["answer", "half", "line"])
def test_what_comes_after_an_answer_is_nobodys_next_answer(client, upstream, surplus, body):
    upstream.behaviours = [answer_and(surplus, body), says("hello there")]
    assert client.post(CHAT, json=chat("a")).content == body
    for _ in range(2):
        assert "hello there" in client.post(CHAT, json=chat("b")).text


def test_nor_is_a_body_that_comes_late_after_an_answer_that_has_none(client, upstream):
    def behave(handler):
        handler.wfile.write(b"HTTP/1.1 204 No Content\r\n\r\n")
        time.sleep(0.02)
        handler.wfile.write(STRAY)

    upstream.behaviours = [behave, says("hello there")]
    assert client.delete("/v1/files/a").status_code == 204
    assert "hello there" in client.post(CHAT, json=chat("b")).text


def test_a_head_that_is_answered_with_a_body_spoils_no_other_answer(client, upstream):
    upstream.behaviours = [answer_and(b""), says("hello there")]
    assert client.head("/v1/models").status_code == 200
    assert "hello there" in client.post(CHAT, json=chat("b")).text


def test_a_connection_on_which_nothing_else_came_is_used_again(upstream):
    """Also the alarm for a release of the HTTP client in which the look at what it read finds nothing."""
    upstream.behaviours = [answer_and(b"", b"[" + b" " * 300_000 + b"]"), says("hello there")]
    with running_proxy(upstream.url) as proxy:
        for number in "123":
            httpx2.post(f"{proxy.url}{CHAT}", json=chat("a"))
            (connection,) = proxy.app.upstream._client._transport._pool.connections
            until(connection.is_idle)
            assert connection.info().endswith(number)


def test_one_from_which_more_was_read_than_the_answer_is_not(upstream):
    """Also the alarm for a release of the event loop's library in which what it has read is held elsewhere."""

    async def ask() -> int:
        asked = Upstream(upstream.url)
        response = await asked.send(asked.request("GET", b"/v1/models", b"", [], b""))
        _read_queue(response.extensions["network_stream"]).append(STRAY)
        await response.aread()
        left = len(asked._client._transport._pool.connections)
        await asked.close()
        return left

    upstream.behaviours = [answer_and(b"")]
    assert finished(ask()) == 0


@pytest.fixture
def looking(monkeypatch):
    """Set while a look for what else came on a connection goes on, which it does until `over` is."""
    begun, over = threading.Event(), threading.Event()

    async def look(self):
        begun.set()
        await asyncio.to_thread(over.wait, 30)
        return False

    monkeypatch.setattr(WholeAnswer, "_more_was_read", look)
    begun.over = over
    yield begun
    over.set()


def test_one_that_nobody_has_looked_at_to_the_end_is_not(upstream, looking):
    upstream.behaviours = [says("hello there")]
    with running_proxy(upstream.url) as proxy:
        with httpx2.stream("POST", f"{proxy.url}{CHAT}", json=chat("a", stream=True)):
            assert looking.wait(30)
        until(lambda: not proxy.app.upstream._client._transport._pool.connections)


def test_an_answer_that_says_its_length_is_whole_at_the_client_when_its_end_is_dealt_with(upstream, looking):
    upstream.behaviours = [says("hello there")]
    with running_proxy(upstream.url) as proxy, ThreadPoolExecutor(1) as threads:
        asking = threads.submit(httpx2.post, f"{proxy.url}{CHAT}", json=chat("a"))
        assert looking.wait(30) and not wait([asking], 0.2).done
        looking.over.set()
        assert "hello there" in asking.result(30).text


def test_an_error_whose_end_the_client_does_not_wait_for_is_counted(upstream):
    over = threading.Event()

    def fails(handler):
        handler.send_response(500)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        handler.chunk(b"a long story")
        over.wait(30)

    upstream.behaviours = [fails]
    with running_proxy(upstream.url) as proxy:
        with httpx2.stream("POST", f"{proxy.url}{CHAT}", json=chat("a")) as answer:
            assert answer.status_code == 500
        until(lambda: proxy.app.counts.cancelled)
        assert proxy.app.counts.upstream_errors["5xx"] == 1
        over.set()


def test_an_upstream_that_gives_no_answer_is_an_error_in_the_shape_of_its_api(client, upstream):
    upstream.behaviours = [hangs_up]
    openai, anthropic = client.post(CHAT, json=chat("a")), client.post(MESSAGES, json=chat("a"))
    assert openai.status_code == anthropic.status_code == 502
    assert openai.json()["error"]["code"] == "historylab_upstream" and openai.headers["x-should-retry"] == "true"
    assert anthropic.json()["type"] == "error" and "broke the connection off" in anthropic.json()["error"]["message"]


def test_so_is_a_status_that_http_has_not(client, upstream):
    upstream.behaviours = [status(600)]
    assert client.post(CHAT, json=chat("a")).json()["error"]["code"] == "historylab_upstream"


def test_an_upstream_that_is_not_there_is_said_to_be():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{unused.getsockname()[1]}"
        with running(nobody) as client:
            answer = client.post(CHAT, json=chat("a"))
    assert answer.status_code == 502 and "can't be reached" in answer.json()["error"]["message"]


@pytest.mark.parametrize("path", [CHAT, MESSAGES])
def test_a_client_that_hangs_up_ends_the_upstreams_work(client, proxy, upstream, path):
    upstream.behaviours = [goes_on]
    before = proxy.app.counts.cancelled
    with client.stream("POST", path, json=chat("a", stream=True)) as answer:
        next(answer.iter_raw())
    assert upstream.left.acquire(timeout=30)
    until(lambda: proxy.app.counts.cancelled == before + 1)


def test_so_does_one_that_hangs_up_before_any_answer(proxy, upstream):
    asked, hung_up = threading.Event(), threading.Event()

    def waits(handler):
        asked.set()
        hung_up.wait(30)
        goes_on(handler)

    upstream.behaviours = [waits]
    content = json.dumps(chat("a")).encode()
    head = f"POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(content)}\r\n\r\n"
    with socket.create_connection(proxy.address) as connection:
        connection.sendall(head.encode() + content)
        assert asked.wait(30)
    hung_up.set()
    assert upstream.left.acquire(timeout=30)
