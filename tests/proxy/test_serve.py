"""What is under way when the server ends: within a bound it is answered, else it fails as on the network."""

from __future__ import annotations

import signal
import threading

import httpx2
import pytest
from chat_server import ChatServer, goes_on, paced, says
from proxy_process import proxy_process
from proxy_server import chat, running_proxy, until

CHAT = "/v1/chat/completions"


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
        assert proxy.process.wait(20) == -signal.SIGTERM


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
