"""What is under way when the server ends: within a bound it is answered, else it fails as on the network."""

from __future__ import annotations

import math
import signal
import socket
import threading
import time
from unittest.mock import Mock

import httpx2
import pytest
import uvicorn
from chat_server import ChatServer, goes_on, paced, says
from proxy_process import proxy_process
from proxy_server import chat, running_proxy, until
from uvicorn.server import ServerState

from historylab.proxy.connection import SILENCE, Connection

CHAT = "/v1/chat/completions"
HEAD = f"POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 40\r\n\r\n".encode()


@pytest.mark.parametrize("sent", [b"", HEAD[:30], HEAD, HEAD + b'{"model"'], ids=["nothing", "half", "head", "body"])
def test_a_client_that_falls_silent_in_its_request_is_let_go(upstream, monkeypatch, sent):
    monkeypatch.setattr(Connection, "silence", 0.05)
    with running_proxy(upstream.url) as proxy, socket.create_connection(proxy.address, timeout=20) as client:
        client.sendall(sent)
        assert client.recv(1) == b"" and upstream.heads == []


class Clock:
    """A loop whose time is told, with the one call that it is to make later."""

    now = 0.0

    def time(self) -> float:
        return self.now

    def call_later(self, seconds, call):
        self.at, self.call = self.now + seconds, call
        return threading.Timer(seconds, call)

    def advance(self, seconds: float) -> None:
        self.now += seconds
        while self.at <= self.now:
            self.at = math.inf
            self.call()


def test_every_byte_gives_a_slow_client_more_time():
    clock, transport = Clock(), Mock()
    connection = Connection(uvicorn.Config(lambda: None, log_config=None), ServerState(), {}, _loop=clock)
    connection.connection_made(transport)
    for byte in HEAD[:-1]:
        clock.advance(SILENCE - 1)
        connection.data_received(bytes([byte]))
    assert not transport.close.called
    clock.advance(SILENCE - 1)
    assert not transport.close.called
    clock.advance(1)
    assert transport.close.called


def test_the_rest_of_a_refused_body_is_not_read_for_ever(upstream, monkeypatch):
    monkeypatch.setattr(Connection, "silence", 0.05)
    with (
        running_proxy(upstream.url, largest=10) as proxy,
        socket.create_connection(proxy.address, timeout=20) as client,
    ):
        client.sendall(HEAD.replace(b"40", b"4000000"))
        assert client.recv(65_536).startswith(b"HTTP/1.1 413")
        with pytest.raises(ConnectionError):
            for _ in range(4000):
                client.sendall(b"x")
                time.sleep(0.005)


def test_while_an_answer_is_under_way_nothing_is_due(upstream, monkeypatch):
    monkeypatch.setattr(Connection, "silence", 0.02)
    step = threading.Semaphore(1)
    with (
        ChatServer(paced(step.acquire, says("hello there"))) as slow,
        running_proxy(slow.url) as proxy,
        httpx2.stream("POST", f"{proxy.url}{CHAT}", json=chat("a", stream=True)) as answer,
    ):
        pieces = answer.iter_raw()
        next(pieces)
        threading.Timer(0.1, step.release, [1000]).start()
        assert b"".join(pieces).endswith(b"data: [DONE]\n\n")


@pytest.mark.slow
def test_a_stream_that_does_not_end_in_time_is_cut_off(upstream):
    upstream.behaviours = [goes_on]
    with running_proxy(upstream.url) as proxy, httpx2.stream("POST", f"{proxy.url}{CHAT}", json=chat("a")) as answer:
        pieces = answer.iter_raw()
        next(pieces)
        proxy.server.should_exit = True
        with pytest.raises(httpx2.RemoteProtocolError):
            list(pieces)
    assert upstream.left.acquire(timeout=30)


@pytest.mark.slow
def test_an_answer_under_way_is_finished_before_the_server_ends():
    step = threading.Semaphore(1)
    with (
        ChatServer(paced(step.acquire, says("hello there"))) as upstream,
        proxy_process(upstream.url) as proxy,
        httpx2.stream("POST", f"{proxy.url}{CHAT}", json=chat("a", stream=True)) as answer,
    ):
        pieces = answer.iter_raw()
        next(pieces)
        proxy.process.terminate()
        until(lambda: is_closed(proxy.url))
        step.release(1000)
        assert b"".join(pieces).endswith(b"data: [DONE]\n\n")
        assert proxy.process.wait(20) == 0


def is_closed(url: str) -> bool:
    """Whether no new connection is taken."""
    try:
        httpx2.get(f"{url}/historylab/health")
    except httpx2.ConnectError:
        return True
    except httpx2.TransportError:  # it was waiting to be taken when the server began to end
        return False
    return False


@pytest.mark.slow
def test_the_command_says_where_it_is_and_what_to_set_and_no_key(upstream, tmp_path):
    key = "sk-s3cret-key-123456"
    with proxy_process(upstream.url, "--mode", "audit", "--record", str(tmp_path)) as proxy:
        url = proxy.url
        httpx2.post(f"{url}{CHAT}?key={key}", content=b"{", headers={"Authorization": f"Bearer {key}"})
        proxy.process.send_signal(signal.SIGINT)
        said = proxy.said()
        assert proxy.process.wait(20) == 0
    assert f"OPENAI_BASE_URL={url}/v1" in said and f"ANTHROPIC_BASE_URL={url}\n" in said
    assert "audit" in said and str(tmp_path) in said and "s3cret" not in said
