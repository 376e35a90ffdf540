"""What is under way when the server ends: within a bound it is answered, else it fails as on the network."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager

import httpx2
import pytest
from chat_server import ChatServer, goes_on, paced, says
from proxy_server import chat, running_proxy, until
from server_process import address

from historylab.recordings import open_recording

CHAT = "/v1/chat/completions"


@contextmanager
def command(*options: str) -> Iterator[tuple[subprocess.Popen, str]]:
    """`historylab proxy --port 0 …` in a process of its own, and where it is."""
    line = [sys.executable, "-m", "historylab", "proxy", "--port", "0", *options]
    with subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8"
    ) as process:
        try:
            yield process, address(process)
        finally:
            process.kill()


@pytest.mark.slow
def test_a_stream_that_does_not_end_in_time_is_cut_off(upstream):
    upstream.behaviours = [goes_on]
    with running_proxy(upstream.url) as proxy, httpx2.stream("POST", f"{proxy.url}{CHAT}", json=chat("a")) as answer:
        pieces = answer.iter_raw()
        next(pieces)
        proxy.server.should_exit = True
        with pytest.raises(httpx2.RemoteProtocolError):
            list(pieces)
    assert upstream.left.acquire(timeout=5)


@pytest.mark.slow
def test_an_answer_under_way_is_finished_before_the_server_ends():
    step = threading.Semaphore(1)
    with (
        ChatServer(paced(step.acquire, says("hello there"))) as upstream,
        command("--upstream", upstream.url) as (process, url),
        httpx2.stream("POST", f"{url}{CHAT}", json=chat("a", stream=True)) as answer,
    ):
        pieces = answer.iter_raw()
        next(pieces)
        process.send_signal(signal.SIGTERM)
        until(lambda: is_closed(url))
        step.release(1000)
        assert b"".join(pieces).endswith(b"data: [DONE]\n\n")
        assert process.wait(10) == -signal.SIGTERM


def is_closed(url: str) -> bool:
    """Whether no new connection is taken."""
    try:
        httpx2.get(f"{url}/historylab/health")
    except httpx2.ConnectError:
        return True
    return False


@pytest.mark.slow
def test_killed_nothing_is_half_answered_and_what_was_answered_is_on_record(tmp_path):
    with (
        ChatServer(says("hello there")) as upstream,
        command("--upstream", upstream.url, "--record", str(tmp_path)) as (process, url),
    ):
        answered = [httpx2.post(f"{url}{CHAT}", json=chat(f"chat {k}")).headers["historylab-request"] for k in range(5)]
        upstream.behaviours = [goes_on]
        with httpx2.stream("POST", f"{url}{CHAT}", json=chat("a", stream=True)) as answer:
            pieces = answer.iter_raw()
            next(pieces)
            process.kill()
            with pytest.raises((httpx2.NetworkError, httpx2.RemoteProtocolError)):
                list(pieces)
    with closing(open_recording(tmp_path)) as store:
        recorded = [record.text for record in store.read_records()]
    assert all(any(id in text for text in recorded) for id in answered)


@pytest.mark.slow
def test_the_command_says_where_it_is_and_what_to_set_and_no_key(upstream, tmp_path):
    key = "sk-s3cret-key-123456"
    with command("--upstream", upstream.url, "--mode", "audit", "--record", str(tmp_path)) as (process, url):
        httpx2.post(f"{url}{CHAT}?key={key}", content=b"{", headers={"Authorization": f"Bearer {key}"})
        process.send_signal(signal.SIGINT)
        said = process.stdout.read()
        assert process.wait(20) == 0
    assert f"OPENAI_BASE_URL={url}/v1" in said and f"ANTHROPIC_BASE_URL={url}\n" in said
    assert "audit" in said and str(tmp_path) in said and "s3cret" not in said
