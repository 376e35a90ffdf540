from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from chat_server import ChatServer, says
from proxy_process import write_settings
from proxy_server import RunningProxy, running_proxy

from historylab.settings.model import Settings


@pytest.fixture(scope="module")
def upstream() -> Iterator[ChatServer]:
    with ChatServer(says("hello there")) as server:
        yield server


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The proxy's settings file: the newest two turns are sent."""
    return write_settings(tmp_path_factory.mktemp("settings") / "settings.json", Settings(policy="lastN", length=2))


@pytest.fixture(scope="module")
def proxy(upstream: ChatServer, settings: Path) -> Iterator[RunningProxy]:
    with running_proxy(upstream.url, settings) as running:
        yield running


@pytest.fixture
def client(proxy: RunningProxy) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=proxy.url, timeout=30) as client:
        yield client


@pytest.fixture(autouse=True)
def as_usual(request: pytest.FixtureRequest) -> None:
    """Each test begins with an upstream that answers and has been asked nothing."""
    server = request.getfixturevalue("upstream") if "upstream" in request.fixturenames else None
    if isinstance(server, ChatServer):
        server.behaviours = [says("hello there")]
        for kept in (server.requests, server.bytes, server.heads, server.keys):
            kept.clear()
